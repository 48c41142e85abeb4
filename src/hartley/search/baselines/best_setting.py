"""What a release must hold to, for every method the same; the best a baseline can do there, or why not."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, isfinite, log2
from typing import TypeAlias

from hartley.errors import HartleyError, OptionError
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.measures.utility import utility_of
from hartley.measures.verdicts import verdicts
from hartley.model import JointRange, Partition
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.model.words import SINGLE_LEAKAGES, SLACK, SingleLeakage
from hartley.search.baselines.registry import BASELINES, Baseline, Case, SettingsChain


@dataclass(frozen=True)
class DistinctL:
    """Every released value leaves at least so many candidates."""

    at_least: int

    def __post_init__(self) -> None:
        if self.at_least < 1:
            raise OptionError(f"a released value cannot leave {self.at_least} candidates; give 1 or more")

    def holds(self, joint: JointRange, partition: Partition) -> bool:
        """Tell whether a release meets it."""
        return distinct_l(joint, partition) >= self.at_least

    def candidates_needed(self, joint: JointRange) -> int | None:
        """Return the ``distinct_l`` that says the same: the number itself."""
        del joint
        return self.at_least

    def __str__(self) -> str:
        return f"leaves {self.at_least} candidates for every released value"


@dataclass(frozen=True)
class MaxLeakage:
    """The release leaks at most so many bits."""

    bits: float
    leakage: SingleLeakage = "l0"

    def __post_init__(self) -> None:
        if self.leakage not in SINGLE_LEAKAGES:
            raise OptionError.unknown("leakage", self.leakage, SINGLE_LEAKAGES)

    def holds(self, joint: JointRange, partition: Partition) -> bool:
        """Tell whether a release meets it."""
        return leakage_of(joint, partition, self.leakage) <= self.bits + SLACK

    def candidates_needed(self, joint: JointRange) -> int | None:
        """Return the ``distinct_l`` that says the same, by Lemma 1; ``None`` where none does."""
        if self.leakage != "l0" or joint.side is not None:
            return None
        fewest = 2 ** (log2(joint.sensitive.size) - self.bits - SLACK)
        return max(1, min(ceil(fewest - SLACK), joint.sensitive.size + 1))

    def __str__(self) -> str:
        return f"leaks at most {self.bits:g} bits"


@dataclass(frozen=True)
class Required:
    """Every released value keeps all that is required."""

    requirements: tuple[Requirement, ...]
    closeness: Closeness = NO_CLOSENESS

    def holds(self, joint: JointRange, partition: Partition) -> bool:
        """Tell whether a release meets it."""
        released = joint.release(partition)
        return all(one.holds for one in verdicts(released, self.requirements, self.closeness))

    def candidates_needed(self, joint: JointRange) -> int | None:
        """Return nothing: no number of candidates says the same, so every setting is tried."""
        del joint
        return None

    def __str__(self) -> str:
        return f"keeps {' and '.join(one.text for one in self.requirements)}"


PrivacyDemand: TypeAlias = DistinctL | MaxLeakage | Required
"""What a release meets or not; whoever meets it still does after more merging."""


def leakage_of(joint: JointRange, partition: Partition, leakage: SingleLeakage) -> float:
    """Measure the leakage of a release by its short name."""
    if leakage == "l0":
        return max_uncertainty_reduction(joint, partition)
    return maximin_information(joint, partition)


@dataclass(frozen=True)
class BaselineAnswer:
    """The partition a baseline offers, and the setting that led to it."""

    name: str
    setting: str
    partition: Partition


@dataclass(frozen=True)
class NotApplicable:
    """Why a baseline offers nothing."""

    name: str
    reason: str


Answer = BaselineAnswer | NotApplicable


def best_utility(name: str, case: Case, target: PrivacyDemand) -> Answer:
    """Return the partition of best utility among those of a baseline that meet the target.

    Where the case has a loss, the least loss decides before the utility. Ties go to more clusters, then to
    the setting tried first.

    >>> from hartley.examples import toy
    >>> from hartley.measures.utility import Resolution
    >>> from hartley.search.baselines.best_setting import DistinctL
    >>> best_utility("mondrian", Case(joint=toy(), utility=Resolution(7)), DistinctL(3)).setting
    'k=3, cut median'
    """
    baseline = _named(name)
    try:
        reachable = target.holds(case.joint, Partition.whole(case.joint.public.size))
        if not reachable:
            return NotApplicable(name, "no release meets the target")
        offers = [
            (
                _lost(case, partition),
                utility_of(case.utility, partition),
                partition.size,
                chain.setting,
                partition,
            )
            for chain in _chains(baseline, case, target.candidates_needed(case.joint))
            for partition in _meeting(chain, case, target)
        ]
    except HartleyError as refusal:
        return NotApplicable(name, str(refusal))
    if not offers:
        return NotApplicable(name, f"nothing it finds {target}")
    _, utility, _, setting, partition = max(offers, key=lambda offer: offer[:3])
    if not isfinite(utility):
        return NotApplicable(
            name, "it meets the target only by merging values without a distance between them"
        )
    return BaselineAnswer(name, setting, partition)


def least_leakage(name: str, case: Case, utility_floor: float, leakage: SingleLeakage = "l0") -> Answer:
    """Return the partition of least leakage among those of a baseline whose utility is at least the floor.

    Ties go to the better utility, then to more clusters, then to the setting tried first.
    """
    if leakage not in SINGLE_LEAKAGES:
        raise OptionError.unknown("leakage", leakage, SINGLE_LEAKAGES)
    baseline = _named(name)
    offers = []
    try:
        for chain in _chains(baseline, case, None):
            for step in range(chain.length - 1, -1, -1):
                if utility_of(case.utility, chain.at(step)) >= utility_floor - SLACK:
                    # Merging never leaks more, so no earlier moment of the chain leaks less.
                    offers.append(_kept_best(chain, step, case, leakage))
                    break
    except HartleyError as refusal:
        return NotApplicable(name, str(refusal))
    if not offers:
        return NotApplicable(name, f"nothing it finds has a utility of {utility_floor:g}")
    *_, setting, partition = max(offers, key=lambda offer: offer[:3])
    return BaselineAnswer(name, setting, partition)


def _kept_best(
    chain: SettingsChain, last: int, case: Case, leakage: SingleLeakage
) -> tuple[float, float, int, str, Partition]:
    """Offer, of the moments up to the last that leak no more than it, the one of best utility."""
    leaked = leakage_of(case.joint, chain.at(last), leakage)
    first = bisect_left(
        range(last), -leaked, key=lambda step: -leakage_of(case.joint, chain.at(step), leakage)
    )

    def kept(step: int) -> tuple[float, int]:
        partition = chain.at(step)
        return utility_of(case.utility, partition), partition.size

    best = max(range(first, last + 1), key=kept)
    return -leaked, *kept(best), chain.setting, chain.at(best)


def _named(name: str) -> Baseline:
    if name not in BASELINES:
        raise OptionError.unknown("method", name, BASELINES)
    return BASELINES[name]


def _chains(baseline: Baseline, case: Case, wanted: int | None) -> Iterator[SettingsChain]:
    values = case.joint.public.size
    if values > baseline.most_values:
        raise OptionError(
            f"it is made for up to {baseline.most_values:,} public values, and there are {values:,}"
        )
    for chain in baseline.chains(case, wanted):
        yield chain
        if case.effort.should_stop():
            return


def _meeting(chain: SettingsChain, case: Case, target: PrivacyDemand) -> Iterator[Partition]:
    """Return the partitions of a chain that meet the target: all from the first one on."""
    too_early, enough = -1, chain.length
    while enough - too_early > 1:
        middle = (too_early + enough) // 2
        if target.holds(case.joint, chain.at(middle)):
            enough = middle
        else:
            too_early = middle
    # Later moments are coarser, but under distortion a larger cluster can cost less; a loss only grows.
    last = chain.length if case.loss is None else min(enough + 1, chain.length)
    yield from (chain.at(step) for step in range(enough, last))


def _lost(case: Case, partition: Partition) -> float:
    return 0.0 if case.loss is None else -case.loss(partition)
