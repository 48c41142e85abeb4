"""Which optimal search answers which question: a whole frontier, or the one level a goal asks for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hartley.measures.overlap import components
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, Partition
from hartley.model.words import Leakage
from hartley.search.any_utility import levels_of_any_utility
from hartley.search.distortion.istar import (
    fewest_components_within,
    istar_distortion_levels,
    least_distortion_for_components,
)
from hartley.search.distortion.joint import joint_distortion_levels
from hartley.search.distortion.l0 import l0_distortion_levels, least_distortion, most_candidates_within
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.exhaustive import enumerated_levels, is_enumerable
from hartley.search.levels import Level, Levels
from hartley.search.resolution.istar import istar_level, istar_levels, least_components
from hartley.search.resolution.joint import joint_levels
from hartley.search.resolution.l0 import l0_level, l0_levels, least_largest_cluster
from hartley.search.resolution.with_side import side_istar_levels, side_joint_levels, side_l0_levels

ON_A_LINE = {"l0": l0_distortion_levels, "istar": istar_distortion_levels, "joint": joint_distortion_levels}
BY_SIZE_WITH_SIDE = {"l0": side_l0_levels, "istar": side_istar_levels, "joint": side_joint_levels}


@dataclass(frozen=True)
class WithinCost:
    """The least leakage of partitions whose worst cluster costs no more than this."""

    cost: float


@dataclass(frozen=True)
class WithCandidates:
    """The least cost of partitions that leave this many candidates everywhere."""

    distinct_l: int


@dataclass(frozen=True)
class WithComponents:
    """The least cost of partitions that leave no more components than this."""

    most: int


Goal: TypeAlias = WithinCost | WithCandidates | WithComponents


def optimal_levels(
    joint: JointRange,
    leakage: Leakage,
    utility: Utility,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Levels:
    """Return the best partition known at every utility level, and the bound that none can beat.

    No level is worse than the best of ``starts`` that fits it. Of a few values every partition is looked at.
    """
    if is_enumerable(joint):
        return enumerated_levels(joint, leakage, utility, effort, starts)
    return searched_levels(joint, leakage, utility, effort, starts)


def searched_levels(
    joint: JointRange,
    leakage: Leakage,
    utility: Utility,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Levels:
    """Return the best partition known at every utility level by the search made for the question.

    Of any number of values; :func:`optimal_levels` does not need it for a few.
    """
    if isinstance(utility, Resolution):
        if joint.side is not None:
            return BY_SIZE_WITH_SIDE[leakage](joint, effort, starts)
        if leakage == "istar":
            return istar_levels(joint)
        return (l0_levels if leakage == "l0" else joint_levels)(joint, effort, starts)
    if joint.side is None and isinstance(utility, LineDistortion):
        return ON_A_LINE[leakage](joint, utility, effort, starts)
    return levels_of_any_utility(joint, utility, leakage, effort, starts)


def optimal_level(
    joint: JointRange,
    leakage: Leakage,
    utility: Utility,
    goal: Goal,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Level | None:
    """Return the one level that a goal asks for; ``None`` where only the whole frontier tells.

    Of a few values the whole frontier is as soon found, and exact.

    >>> joint = JointRange.from_pairs((public, public % 5) for public in range(20))
    >>> optimal_level(joint, "l0", Resolution(20), WithCandidates(3)).cost
    4
    >>> optimal_level(joint, "istar", Resolution(20), WithComponents(1)).cost
    2
    """
    if joint.side is not None or is_enumerable(joint):
        return None
    if isinstance(utility, Resolution):
        return _by_size(joint, leakage, goal, effort, starts)
    if isinstance(utility, LineDistortion):
        return _on_a_line(joint, leakage, utility, goal, effort, starts)
    return None


def _by_size(
    joint: JointRange, leakage: Leakage, goal: Goal, effort: Effort, starts: Sequence[Partition]
) -> Level | None:
    size = joint.public.size
    if isinstance(goal, WithinCost):
        largest = min(int(goal.cost), size)
        if leakage == "l0":
            return l0_level(joint, largest, effort, starts)
        return istar_level(joint, largest) if leakage == "istar" else None
    if isinstance(goal, WithCandidates) and leakage == "l0":
        return least_largest_cluster(joint, goal.distinct_l, effort, starts).level
    if isinstance(goal, WithComponents) and leakage == "istar":
        parts = components(joint).size
        sizes = range(1, size + 1)
        place = bisect_left(sizes, -goal.most, key=lambda largest: -least_components(size, parts, largest))
        return istar_level(joint, sizes[min(place, size - 1)])
    return None


def _on_a_line(
    joint: JointRange,
    leakage: Leakage,
    utility: LineDistortion,
    goal: Goal,
    effort: Effort,
    starts: Sequence[Partition],
) -> Level | None:
    if isinstance(goal, WithinCost):
        if leakage == "l0":
            return most_candidates_within(joint, utility, goal.cost, effort, starts)
        if leakage == "istar":
            return fewest_components_within(joint, utility, goal.cost, effort, starts)
    if isinstance(goal, WithCandidates) and leakage == "l0":
        least = least_distortion(joint, utility, goal.distinct_l, effort, starts)
        return most_candidates_within(joint, utility, least.cost, effort, (*starts, least.partition))
    if isinstance(goal, WithComponents) and leakage == "istar":
        return least_distortion_for_components(joint, utility, goal.most, effort, starts)
    return None
