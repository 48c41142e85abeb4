"""Which optimal search answers which question: a whole frontier, or the one level a goal asks for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log2
from typing import TypeAlias

from hartley.errors import UnreachableError
from hartley.measures.overlap import components, maximin_information
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, Partition
from hartley.model.words import ROUNDING, Leakage
from hartley.search.any_utility import least_cost_with_candidates, levels_of_any_utility
from hartley.search.demands.question import DemandQuestion
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.few_values.walk import best_of_few, is_walked
from hartley.search.levels import Level, Levels, without_doubles
from hartley.search.line.axis import candidate_search, l0_distortion_levels, most_candidates_within
from hartley.search.line.components.connected import joint_distortion_levels
from hartley.search.line.components.fewest import (
    fewest_components_within,
    istar_distortion_levels,
    least_distortion_for_components,
)
from hartley.search.resolution.istar import istar_level, istar_levels, least_components
from hartley.search.resolution.joint import joint_levels
from hartley.search.resolution.l0 import l0_level, l0_levels, least_largest_cluster
from hartley.search.resolution.with_side import (
    least_side_cluster,
    side_istar_levels,
    side_joint_levels,
    side_l0_levels,
)

ON_A_LINE = {"l0": l0_distortion_levels, "istar": istar_distortion_levels, "joint": joint_distortion_levels}
BY_SIZE_WITH_SIDE = {"l0": side_l0_levels, "istar": side_istar_levels, "joint": side_joint_levels}


@dataclass(frozen=True)
class WithinCost:
    """The least leakage of partitions whose worst cluster costs no more than this."""

    cost: float


@dataclass(frozen=True)
class WithCandidates:
    """The least cost of partitions that leave this many candidates everywhere.

    With side information, for every pair of released and side value that occurs, whatever was known before.
    """

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
    few = few_levels(joint, leakage, utility, effort)
    if few is not None:
        return few
    found = searched_levels(joint, leakage, utility, effort, starts)
    return replace(found, levels=without_doubles(found.levels))


def few_levels(
    joint: JointRange, leakage: Leakage, utility: Utility, effort: Effort = UNLIMITED
) -> Levels | None:
    """Return the optimum at every cost at which it falls, by looking at every partition of a few values."""
    asked = DemandQuestion(joint=joint, utility=utility, requirements=())
    if not is_walked(asked):
        return None
    try:
        found = best_of_few(asked, leakage, effort)
    except UnreachableError:
        return Levels(levels=(), complete=True)
    if found is None:
        return None
    levels = tuple(
        Level(
            cost=best.answer.cost,
            leakage_bits=best.leakage_bits,
            lower_bound_bits=best.leakage_bits,
            lower_bound_cost=best.answer.cost,
            cut=partial(_built, best.answer.partition),
        )
        for best in found
    )
    return Levels(levels=levels, complete=True)


def _built(partition: Partition) -> Partition:
    return partition


def is_few(joint: JointRange, utility: Utility) -> bool:
    """Tell whether the values are few enough for all their partitions."""
    return is_walked(DemandQuestion(joint=joint, utility=utility, requirements=()))


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

    Of a few values the whole frontier is as soon found, and exact. A demand on candidates is always answered
    here where a frontier does not tell: with side information, where it counts leakage from what was known,
    and for :math:`I_*`. Its ``lower_bound_cost`` is what leaving so many candidates costs at least.

    >>> joint = JointRange.from_pairs((public, public % 5) for public in range(20))
    >>> optimal_level(joint, "l0", Resolution(20), WithCandidates(3)).cost
    4
    >>> optimal_level(joint, "istar", Resolution(20), WithComponents(1)).cost
    2
    """
    if isinstance(goal, WithCandidates) and (joint.side is not None or leakage == "istar"):
        return _with_candidates(joint, leakage, utility, goal.distinct_l, effort, starts)
    if joint.side is not None or is_few(joint, utility):
        return None
    if isinstance(utility, Resolution):
        return _by_size(joint, leakage, goal, effort, starts)
    if isinstance(utility, LineDistortion):
        return _on_a_line(joint, leakage, utility, goal, effort, starts)
    return None


def _with_candidates(
    joint: JointRange,
    leakage: Leakage,
    utility: Utility,
    wanted: int,
    effort: Effort,
    starts: Sequence[Partition],
) -> Level:
    """Search for candidates as such: to a reader who knew nothing, leakage counts them and nothing else."""
    plain = joint.knowing(0)
    asked: Leakage = "joint" if leakage == "joint" else "l0"
    if joint.side is None:
        found = optimal_level(joint, asked, utility, WithCandidates(wanted), effort, starts)
    elif isinstance(utility, Resolution) and not is_few(joint, utility):
        found = least_side_cluster(joint, wanted, effort, starts, one_component=asked == "joint")
    else:
        found = None
    few = None if found is not None else few_levels(plain, asked, utility, effort)
    if few is not None:
        found = _cheapest(few, joint, wanted)
    if found is None:
        found = least_cost_with_candidates(plain, utility, asked, wanted, effort, starts)
    measure = maximin_information if leakage == "istar" else max_uncertainty_reduction
    return replace(
        found,
        leakage_bits=measure(joint, found.partition),
        # The bound was for another reader.
        lower_bound_bits=0.0,
    )


def _cheapest(found: Levels, joint: JointRange, wanted: int) -> Level:
    """Return the cheapest level that leaves enough candidates, of a walk that came to its end."""
    bits = log2(joint.sensitive.size / wanted)
    for level in found.levels:
        if level.leakage_bits <= bits + ROUNDING:
            return level
    most = round(joint.sensitive.size / 2 ** min((level.leakage_bits for level in found.levels), default=0.0))
    raise UnreachableError(
        f"no release leaves {wanted} candidates for every released value; the most that can be "
        f"reached is {most}"
    )


def _by_size(
    joint: JointRange, leakage: Leakage, goal: Goal, effort: Effort, starts: Sequence[Partition]
) -> Level | None:
    size = joint.public.size
    if isinstance(goal, WithinCost):
        largest = min(int(goal.cost), size)
        if leakage == "l0":
            return _l0_within(joint, largest, effort, starts)
        return istar_level(joint, largest) if leakage == "istar" else None
    if isinstance(goal, WithCandidates) and leakage == "l0":
        return least_largest_cluster(joint, goal.distinct_l, effort, starts)
    if isinstance(goal, WithComponents) and leakage == "istar":
        parts = components(joint).size
        sizes = range(1, size + 1)
        place = bisect_left(sizes, -goal.most, key=lambda largest: -least_components(size, parts, largest))
        return istar_level(joint, sizes[min(place, size - 1)])
    return None


def _l0_within(joint: JointRange, largest: int, effort: Effort, starts: Sequence[Partition]) -> Level:
    """Return the least leakage of clusters of at most this size, in clusters no larger than it takes."""
    level = l0_level(joint, largest, effort, starts)
    if level.costs_least or effort.should_stop():
        return level
    kept = round(joint.sensitive.size / 2**level.leakage_bits)
    cheaper = least_largest_cluster(joint, kept, effort, (*starts, level.partition))
    # What no larger clusters go below, smaller ones do not.
    bits = max(level.lower_bound_bits, cheaper.lower_bound_bits)
    return replace(cheaper, lower_bound_bits=bits) if cheaper.cost <= level.cost else level


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
        search = candidate_search(joint, utility, effort, starts)
        search.require(goal.distinct_l)
        return search.solve_within(search.values.in_units(search.solve(goal.distinct_l).cost))
    if isinstance(goal, WithComponents) and leakage == "istar":
        return least_distortion_for_components(joint, utility, goal.most, effort, starts)
    return None
