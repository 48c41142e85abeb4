"""What a release must hold to, for every method the same; the best a baseline can do there, or why not."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, isfinite, log2

from hartley.baselines.registry import BASELINES, Baseline, Case, SettingsChain
from hartley.errors import HartleyError, OptionError
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import utility_of
from hartley.measures.verdicts import verdicts
from hartley.model import JointRange, Partition
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.model.words import SINGLE_LEAKAGES, SLACK, SingleLeakage


def candidates_needed(
    joint: JointRange, requirements: Sequence[Requirement], closeness: Closeness = NO_CLOSENESS
) -> int | None:
    """Return the ``distinct_l`` that says the same as what is required; ``None`` where no number does.

    Of bits in the worst case it is that of Lemma 1.
    """
    if len(requirements) != 1 or not closeness.is_empty:
        return None
    (one,) = requirements
    if one.name == "distinct-l" and one.column is None:
        return int(one.wanted)
    if one.name != "l0" or joint.side is not None:
        return None
    fewest = 2 ** (log2(joint.sensitive.size) - one.wanted - SLACK)
    return max(1, min(ceil(fewest - SLACK), joint.sensitive.size + 1))


def _words(requirements: Sequence[Requirement], closeness: Closeness) -> str:
    """Say what a release does that keeps what is required."""
    if len(requirements) == 1 and closeness.is_empty:
        (one,) = requirements
        if one.name == "distinct-l" and one.column is None:
            return f"leaves {one.wanted} candidates for every released value"
        if one.name in SINGLE_LEAKAGES:
            return f"leaks at most {one.wanted:g} bits"
    return f"keeps {' and '.join(one.text for one in requirements)}"


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


def best_utility(
    name: str, case: Case, requirements: Sequence[Requirement], closeness: Closeness = NO_CLOSENESS
) -> Answer:
    """Return the partition of best utility among those of a baseline that keep what is required.

    Where the case has a loss, the least loss decides before the utility. Ties go to more clusters, then to
    the setting tried first.
    """
    baseline = _named(name)

    def holds(partition: Partition) -> bool:
        released = case.joint.release(partition)
        return all(one.holds for one in verdicts(released, requirements, closeness))

    try:
        if not holds(Partition.whole(case.joint.public.size)):
            return NotApplicable(name, "no release meets the target")
        offers = [
            (
                _lost(case, partition),
                utility_of(case.utility, partition),
                partition.size,
                chain.setting,
                partition,
            )
            for chain in _chains(baseline, case, candidates_needed(case.joint, requirements, closeness))
            for partition in _meeting(chain, case, holds)
        ]
    except HartleyError as refusal:
        return NotApplicable(name, str(refusal))
    if not offers:
        return NotApplicable(name, f"nothing it finds {_words(requirements, closeness)}")
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


def _meeting(chain: SettingsChain, case: Case, holds: Callable[[Partition], bool]) -> Iterator[Partition]:
    """Return the partitions of a chain that meet the target: all from the first one on."""
    too_early, enough = -1, chain.length
    while enough - too_early > 1:
        middle = (too_early + enough) // 2
        if holds(chain.at(middle)):
            enough = middle
        else:
            too_early = middle
    # Later moments are coarser, but under distortion a larger cluster can cost less; a loss only grows.
    last = chain.length if case.loss is None else min(enough + 1, chain.length)
    yield from (chain.at(step) for step in range(enough, last))


def _lost(case: Case, partition: Partition) -> float:
    return 0.0 if case.loss is None else -case.loss(partition)
