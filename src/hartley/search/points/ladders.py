"""All levels of the paper's question at once: nothing but the axis is asked for, and every partition allowed.

The paper's greedy run is where a search starts from, so no level is worse than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, Partition
from hartley.model.words import ROUNDING, Leakage
from hartley.search.any_utility import least_cost_with_candidates, levels_of_any_utility
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.few_values.walk import MOST_OBSERVATIONS, MOST_QUICK_VALUES, best_of_few, is_walked
from hartley.search.greedy.runs import greedy_frontier, greedy_run
from hartley.search.levels import Level, Levels, as_it_is, in_time, without_doubles
from hartley.search.line.axis import candidate_search
from hartley.search.line.components.connected import connected_search
from hartley.search.line.components.fewest import fewest_components_within, istar_search
from hartley.search.points.measured import frontier_of, point_of_partition
from hartley.search.polish import finest
from hartley.search.problem import Problem
from hartley.search.sizes.components import istar_level, istar_levels
from hartley.search.sizes.frontier import side_istar_levels, size_search
from hartley.search.solve import solve

SoFar = Callable[[Callable[[], Frontier]], None]
"""Is offered the frontier as it grows; it is measured only when called for."""
STARTING_CODES = 50_000_000
"""Cluster numbers of starting partitions that are held at once."""
MOST_PAIRS = 200_000
"""In a frontier of a larger table points become finest intervals where there is time, and stay else."""


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
    asked = Problem(joint=joint, utility=utility)
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
            cut=partial(as_it_is, best.answer.partition),
        )
        for best in found
    )
    return Levels(levels=levels, complete=True)


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
        if leakage == "istar":
            return istar_levels(joint) if joint.side is None else side_istar_levels(joint, effort, starts)
        try:
            return size_search(joint, effort, starts, one_component=leakage == "joint").frontier()
        except UnreachableError:
            # Side information keeps components apart however much is merged.
            return Levels(levels=(), complete=True)
    if joint.side is None and isinstance(utility, LineDistortion):
        if leakage == "istar":
            return istar_search(joint, utility, effort, starts).frontier()
        search = candidate_search if leakage == "l0" else connected_search
        return search(joint, utility, effort, starts).frontier()
    return levels_of_any_utility(joint, utility, leakage, effort, starts)


@dataclass(frozen=True, kw_only=True)
class Starts:
    """The greedy frontier, where an optimal search starts from."""

    problem: Problem
    points: tuple[Point, ...]
    """All of the greedy frontier."""
    partitions: tuple[Partition, ...]
    """Those that the search starts from."""
    known: Mapping[int, Point]
    """Their points, by the identity of the partition."""
    effort: Effort

    @classmethod
    def of(cls, problem: Problem, effort: Effort) -> Starts:
        """Run the greedy search; of very many values, keep as many points as memory allows."""
        joint = problem.joint
        # Of few values it takes no time, also where the walk over all partitions used up what there was.
        is_few = joint.public.size <= MOST_QUICK_VALUES and joint.observations <= MOST_OBSERVATIONS
        try:
            run = greedy_run(problem, None, UNLIMITED if is_few else effort)
            points = greedy_frontier(problem, run).points
        except UnreachableError:
            points = ()
        most = max(2, STARTING_CODES // joint.public.size)
        places = np.unique(np.linspace(0, len(points) - 1, min(most, len(points))).round().astype(int))
        kept = [points[place] for place in places.tolist()]
        # Each takes a moment to build; those that are not are still points to fall back on.
        built = tuple(in_time((point.partition for point in kept), effort))
        return cls(
            problem=problem,
            points=points,
            known={id(partition): point for partition, point in zip(built, kept, strict=False)},
            partitions=built,
            effort=effort,
        )

    def frontier(self, so_far: SoFar | None) -> Frontier:
        """Search the whole frontier; no level is worse than the greedy one."""
        problem, effort = self.problem, self.effort
        if so_far is not None:
            effort = replace(
                effort, found=lambda levels: so_far(lambda: self.measured(levels(), complete=False))
            )
        found = optimal_levels(problem.joint, problem.leakage, problem.utility, effort, self.partitions)
        return self.measured(found.levels, complete=found.complete)

    def measured(self, levels: Iterable[Level], *, complete: bool) -> Frontier:
        """Measure levels as points of a frontier."""
        kept: list[Level] = []
        for level in sorted(levels, key=lambda level: (level.cost, level.leakage_bits)):
            if not kept or level.leakage_bits < kept[-1].leakage_bits:
                kept.append(level)
        points = [self.point(level) for level in kept]
        if not complete:
            points += [self._beside(point, kept) for point in self.points]
        return frontier_of(self.problem, points, complete=complete)

    @staticmethod
    def _beside(point: Point, levels: Sequence[Level]) -> Point:
        """Return a point of the greedy frontier that a search may not have got to, with what bounds it.

        What no partition of a greater cost goes below, none of this cost does.
        """
        coarser = [level.lower_bound_bits for level in levels if level.cost >= point.cost]
        bound = max(coarser, default=0.0)
        proven = point.leakage_bits <= bound + ROUNDING
        return replace(point, lower_bound_bits=bound, proven_optimal=proven, step=None)

    def point(self, level: Level, *, is_alone: bool = False, is_tied: bool = False) -> Point:
        """Measure a level; of a start that no search improved the run has told all there is to know."""
        partition = level.partition
        is_large = not is_alone and self.problem.joint.pairs > MOST_PAIRS
        finer = self._finest(partition, is_large, is_tied)
        if finer is not partition and is_large:
            # Many partitions of many values do not fit into memory: built again when one is looked at.
            return point_of_partition(
                self.problem, lambda: self._finest(level.partition, is_large=True), level, finer
            )
        if finer is not partition:
            return point_of_partition(self.problem, lambda: finer, level, finer)
        point = self.known.get(id(partition))
        if point is not None:
            return replace(
                point,
                lower_bound_bits=level.lower_bound_bits,
                lower_bound_cost=level.lower_bound_cost,
                proven_optimal=level.proven_optimal,
                step=None,
                cut=level.cut,
            )
        return point_of_partition(self.problem, level.cut, level, partition)

    def _finest(self, partition: Partition, is_large: bool, is_tied: bool = False) -> Partition:
        """Return the finest partition of the same worst case on a line; of many pairs, finest intervals."""
        problem = self.problem
        if not isinstance(problem.utility, LineDistortion) or (is_large and self.effort.should_stop()):
            return partition
        guarded: Leakage = "joint" if is_tied else problem.leakage
        effort = None if is_large or self.effort.should_stop() else self.effort
        return finest(problem.joint, problem.utility, partition, guarded, effort)

    def solved(self, asked: Problem) -> Point:
        """Return the cheapest point that keeps what is asked, and no dearer than one of the greedy run."""
        answer = solve(asked, self.effort, self.partitions)
        is_certain = asked.leakage == "istar"
        is_on_axis = not asked.held if is_certain else asked.joint.side is None
        level = Level(
            cost=answer.cost,
            leakage_bits=inf,
            lower_bound_bits=(answer.lower_bound_bits or 0.0) if is_on_axis else 0.0,
            lower_bound_cost=answer.lower_bound_cost,
            cut=partial(as_it_is, answer.partition),
        )
        point = self.point(level, is_alone=True, is_tied=asked.most_components is not None)
        # Beside what a reader knows, bits are no matter of the axis: what is proven is the cost.
        is_least = level.costs_least and not is_certain and not is_on_axis
        proven = replace(level, leakage_bits=point.leakage_bits).proven_optimal or is_least
        point = replace(point, proven_optimal=proven)
        if not self.effort.should_stop():
            return point
        most, wanted = asked.most_components, asked.candidates or 1
        better = [
            one
            for one in self.points
            if one.distinct_l >= wanted and (most is None or one.components <= most) and one.cost < point.cost
        ]
        best = min(better, key=lambda one: one.cost, default=None)
        return point if best is None else replace(best, lower_bound_bits=0.0, step=None)

    def exchanged(self, asked: Problem) -> Point:
        """Return the cheapest point for a reader who sees something besides, by the search of any cost."""
        joint, utility = asked.joint, asked.utility
        found = least_cost_with_candidates(
            joint.knowing(0), utility, "l0", asked.candidates or 1, self.effort, self.partitions
        )
        bits = max_uncertainty_reduction(joint, found.partition)
        # Its bound on bits is for another reader.
        return self.point(replace(found, leakage_bits=bits, lower_bound_bits=0.0), is_alone=True)

    def within(self, cost: float) -> Point | None:
        """Return the least leakage found within a cost; ``None`` where only the whole frontier tells."""
        problem, effort, starts = self.problem, self.effort, self.partitions
        joint, utility, leakage = problem.joint, problem.utility, problem.leakage
        if joint.side is not None or leakage == "joint":
            return None
        if isinstance(utility, Resolution):
            largest = min(int(cost), joint.public.size)
            level = istar_level(joint, largest)
            if leakage == "l0":
                level = size_search(joint, effort, starts).solve_within(largest)
        elif isinstance(utility, LineDistortion):
            if leakage == "l0":
                level = candidate_search(joint, utility, effort, starts).solve_within(cost)
            else:
                level = fewest_components_within(joint, utility, cost, effort, starts)
        else:
            return None
        point = self.point(level, is_alone=True)
        better = [
            one
            for one in self.points
            if one.cost <= cost and one.leakage_bits < point.leakage_bits - ROUNDING
        ]
        best = min(better, key=lambda one: (one.leakage_bits, one.cost), default=None)
        if best is None or not effort.should_stop():
            return point
        return replace(best, lower_bound_bits=0.0, step=None)
