"""Every baseline by name, and the settings that are tried for it.

A method that takes a number of candidates is given the target's. A method with a threshold of its
own (a weight, a number of bits, a number of clusters) is run over a fixed scan of it, and every
moment of every run counts. A family of partitions is a :class:`SettingsChain`: each a coarsening of the one
before, so that what meets a target goes on meeting it.

========================  ==========================================================================
name                      settings tried
========================  ==========================================================================
``literal``               the target
``full-domain``           the target; Datafly that suppresses nothing
``datafly``               the target, with a budget of that many rows, and of 5 % of the rows
``local-recoding``        the target
``mondrian``              the target, cut at the median, and at the allowed place nearest to it
``iac-mdsf``              utility weights 0, 0.05, ..., 0.95
``iac-overlap``           17 utility weights, each twice the last, around leakage over utility
``pairwise``              utility weights 0, 0.05, ..., 0.95
``privacy-funnel``        thresholds from 31/32 of H(X) down to 0
``bottleneck``            trade-offs infinite, 10, 5 and 2; every number of clusters
``clustering``            the four linkages of scikit-learn; every number of clusters
========================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, isfinite

from hartley.baselines.dendrogram import LINKAGES, dendrogram
from hartley.baselines.generalisation import (
    ClassDemand,
    datafly,
    literal_generalisation,
    local_recoding,
)
from hartley.baselines.hierarchy import Hierarchy
from hartley.baselines.iac_clustering import iac_mdsf
from hartley.baselines.iac_overlap import iac_overlap
from hartley.baselines.information import Masses
from hartley.baselines.mondrian import CUTS, mondrian
from hartley.baselines.pair_merging import (
    agglomerative_bottleneck,
    pairwise_agglomeration,
    privacy_funnel,
)
from hartley.baselines.subsets import SubsetRun
from hartley.measures.overlap import maximin_information
from hartley.measures.utility import Utility, utility_of
from hartley.model import JointRange, MergeTree, Partition
from hartley.search.effort import UNLIMITED, Effort

WEIGHTS = tuple(step / 20 for step in range(20))
FUNNEL_SHARES = tuple(step / 32 for step in range(31, -1, -1))
TRADE_OFFS = (inf, 10.0, 5.0, 2.0)
OVERLAP_POWERS = range(-8, 9)
EVERY_COUNT_UP_TO = 64


@dataclass(frozen=True, kw_only=True)
class Case:
    """What all methods are given: the table, the utility that counts, and the hierarchies there are."""

    joint: JointRange
    utility: Utility
    hierarchies: tuple[Hierarchy, ...] | None = None
    """One for each public column; ``None`` for those the columns have by themselves."""
    effort: Effort = UNLIMITED
    loss: Callable[[Partition], float] | None = None
    """What decides between settings that meet a target, and never falls where clusters are merged;
    ``None``: the utility."""


@dataclass(frozen=True, eq=False)
class SettingsChain:
    """Partitions a method found with one setting, each a coarsening of the one before."""

    setting: str
    length: int
    at: Callable[[int], Partition]

    @classmethod
    def of_one(cls, setting: str, partition: Partition) -> SettingsChain:
        """Make a chain of a single partition."""
        return cls(setting, 1, lambda _: partition)

    @classmethod
    def of_tree(cls, setting: str, tree: MergeTree) -> SettingsChain:
        """Make a chain of the moments of a run."""
        return cls(setting, tree.steps + 1, tree.partition)

    @classmethod
    def of_run(cls, setting: str, run: SubsetRun) -> SettingsChain:
        """Make a chain of the moments of a run that merges subsets."""
        return cls(setting, len(run.partitions), run.partitions.__getitem__)


@dataclass(frozen=True)
class Baseline:
    """A method by name, with the chains it finds."""

    name: str
    title: str
    """What it is, in a few words with its source."""
    chains: Callable[[Case, int | None], Iterator[SettingsChain]]
    """Given the case, and the number of candidates wanted where the target is one."""
    most_values: int
    """With more public values than this it is not run."""


def _counts(case: Case, wanted: int | None) -> Iterator[int]:
    """Return the wanted count, or a scan of all there could be: every small one, then in steps of 5 %."""
    if wanted is not None:
        yield wanted
        return
    whole = Partition.whole(case.joint.public.size)
    most = int(ClassDemand(1).counts(case.joint, whole)[0])
    count = 1
    while count <= most and not case.effort.should_stop():
        yield count
        count += 1 if count < EVERY_COUNT_UP_TO else max(1, count // 20)


def _literal(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    for k in _counts(case, wanted):
        yield SettingsChain.of_one(f"k={k}", literal_generalisation(case.joint, at_least=k))


def _full_domain(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    for k in _counts(case, wanted):
        found = datafly(case.joint, at_least=k, hierarchies=case.hierarchies, budget=0)
        yield SettingsChain.of_one(f"k={k}", found.partition)


def _datafly(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    for k in _counts(case, wanted):
        for budget in dict.fromkeys((k, case.joint.row_count // 20)):
            found = datafly(case.joint, at_least=k, hierarchies=case.hierarchies, budget=budget)
            yield SettingsChain.of_one(f"k={k}, budget {budget} rows", found.partition)


def _local_recoding(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    for k in _counts(case, wanted):
        found = local_recoding(case.joint, at_least=k, hierarchies=case.hierarchies)
        yield SettingsChain.of_one(f"k={k}", found)


def _mondrian(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    for k in _counts(case, wanted):
        for cut in CUTS:
            yield SettingsChain.of_one(f"k={k}, cut {cut}", mondrian(case.joint, at_least=k, cut=cut))


def _iac_mdsf(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    del wanted
    for weight in WEIGHTS:
        run = iac_mdsf(case.joint, utility_weight=weight, effort=case.effort)
        yield SettingsChain.of_run(f"utility weight {weight:g}", run)


def _iac_overlap(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    del wanted
    size = case.joint.public.size
    span = utility_of(case.utility, Partition.singletons(size)) - utility_of(
        case.utility, Partition.whole(size)
    )
    unit = maximin_information(case.joint) / span if isfinite(span) and span > 0 else 1.0
    for weight in dict.fromkeys(unit * 2.0**power for power in OVERLAP_POWERS):
        run = iac_overlap(case.joint, case.utility, utility_weight=weight, effort=case.effort)
        yield SettingsChain.of_run(f"utility weight {weight:.4g}", run)


def _pairwise(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    del wanted
    for weight in WEIGHTS:
        run = pairwise_agglomeration(case.joint, utility_weight=weight, effort=case.effort)
        yield SettingsChain.of_tree(f"utility weight {weight:g}", run)


def _privacy_funnel(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    del wanted
    there = Masses.of(case.joint).public_entropy
    for share in FUNNEL_SHARES:
        run = privacy_funnel(case.joint, at_least=share * there, effort=case.effort)
        yield SettingsChain.of_tree(f"keeps {share * there:.4g} bits", run)


def _bottleneck(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    del wanted
    for trade_off in TRADE_OFFS:
        run = agglomerative_bottleneck(case.joint, trade_off=trade_off, effort=case.effort)
        yield SettingsChain.of_tree(f"trade-off {trade_off:g}", run)


def _clustering(case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    del wanted
    for linkage in LINKAGES:
        yield SettingsChain.of_tree(f"{linkage} linkage", dendrogram(case.joint.public, linkage=linkage))


BASELINES: dict[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        Baseline("literal", "one merge of all rare values (the paper's experiment)", _literal, 10**7),
        Baseline("full-domain", "full-domain generalisation (Sweeney 2002)", _full_domain, 10**6),
        Baseline("datafly", "Datafly with suppression (Sweeney 2002)", _datafly, 10**6),
        Baseline("local-recoding", "bottom-up local recoding", _local_recoding, 10**6),
        Baseline("mondrian", "Mondrian (LeFevre et al. 2006)", _mondrian, 10**5),
        Baseline("iac-mdsf", "IAC-MDSF (Ding and Sadeghi 2019)", _iac_mdsf, 1_000),
        Baseline("iac-overlap", "the loop of IAC-MDSF on I* (problem 13)", _iac_overlap, 500),
        Baseline("pairwise", "pairwise agglomeration of information", _pairwise, 2_000),
        Baseline("privacy-funnel", "privacy funnel, greedy (Makhdoumi et al. 2014)", _privacy_funnel, 2_000),
        Baseline("bottleneck", "information bottleneck (Slonim and Tishby 1999)", _bottleneck, 5_000),
        Baseline("clustering", "hierarchical clustering (scikit-learn)", _clustering, 5_000),
    )
}
"""All baselines, by the name they have in the command line and in JSON."""
