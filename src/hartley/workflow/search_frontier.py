"""Which search answers a question for a whole frontier or a single level: greedy, or optimal with bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point, frontier_of_runs
from hartley.measures.separation import linked_range, separated_values
from hartley.measures.trajectory import Trajectory, trajectory
from hartley.measures.utility import LineDistortion
from hartley.measures.verdicts import ToleranceMeasures, verdicts
from hartley.model import MergeTree, Partition
from hartley.model.arrays import Int64s
from hartley.model.requirement import Verdict
from hartley.model.words import ROUNDING, Leakage
from hartley.search.dispatch import (
    Goal,
    WithCandidates,
    WithComponents,
    WithinCost,
    optimal_level,
    optimal_levels,
)
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.few_values.walk import MOST_OBSERVATIONS, MOST_QUICK_VALUES
from hartley.search.greedy import component_joining, joint_search, narrowest_first
from hartley.search.greedy.separated_first import separated_along, separated_first
from hartley.search.levels import Level, in_time
from hartley.search.polish import finest, finest_intervals
from hartley.workflow.codebooks.search_codebooks import frontier_of_codebooks
from hartley.workflow.demands.few_points import few_frontier
from hartley.workflow.question import Question, cost_of
from hartley.workflow.request.time_limit import compiling_in_time
from hartley.workflow.search_demand import frontier_of_demands
from hartley.workflow.trees.search_tree import frontier_of_trees

SoFar = Callable[[Callable[[], Frontier]], None]
"""Is offered the frontier as it grows; it is measured only when called for."""
STARTING_CODES = 50_000_000
"""Cluster numbers of starting partitions that are held at once."""
MOST_PAIRS = 200_000
"""In a frontier of a larger table points become finest intervals where there is time, and stay else."""
DEFAULT_WEIGHT = 1.0
"""The utility weight with which the greedy search of problem (3) chooses, where none is given."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A greedy run with its measures along the way."""

    tree: MergeTree
    along: Trajectory
    """The measures; with a tolerance its leakages are those with tolerance."""
    leakage: Leakage
    apart: Int64s | None = None
    """With a tolerance, how many values that are apart every cluster leaves at each step."""

    def stop(self, utility_weight: float) -> int | None:
        """Return the step at which a utility weight stops the run; ``None`` where it was stopped before."""
        step = self.along.stop(self.leakage, utility_weight)
        return step if self.tree.complete or step < self.tree.steps else None


def weight_for(leakage: Leakage, utility_weight: float | None) -> float:
    """Return the weight of utility in the Lagrangian of a run; without one, 1 for problem (3) and 0 else.

    >>> weight_for("l0", None), weight_for("joint", None), weight_for("joint", 0.3)
    (0.0, 1.0, 0.3)
    """
    if utility_weight is not None:
        return utility_weight
    return DEFAULT_WEIGHT if leakage == "joint" else 0.0


def greedy_run(question: Question, utility_weight: float | None, effort: Effort) -> Run:
    """Run the paper's search for a question.

    Only problem (3) needs the weight to choose its merges; where none is given it takes 1.
    """
    joint, utility = question.joint, question.utility
    with compiling_in_time(effort):
        if not question.closeness.is_empty:
            return _greedy_run_apart(question, effort)
        if question.leakage == "l0":
            tree = narrowest_first(joint, utility, effort)
        elif question.leakage == "istar":
            tree = component_joining(joint, utility, effort)
        else:
            tree = joint_search(joint, utility, weight_for("joint", utility_weight), effort)
        return Run(tree=tree, along=trajectory(joint, tree, utility), leakage=question.leakage)


def _greedy_run_apart(question: Question, effort: Effort) -> Run:
    """Run the paper's search with a tolerance: its partner rule for L0, links between close values for I*."""
    joint, utility, closeness = question.joint, question.utility, question.closeness
    if joint.side is not None or question.leakage == "joint":
        raise OptionError(
            "with a tolerance or groups the greedy search has a rule for l0 and one for istar, where the "
            f"reader sees nothing besides; use {option('search', 'optimal')}"
        )
    linked = linked_range(joint, closeness)[0]
    if question.leakage == "l0":
        tree = separated_first(joint, closeness, utility, effort)
    else:
        tree = component_joining(linked, utility, effort)
    apart = separated_along(joint, closeness, tree)
    along = replace(
        trajectory(joint, tree, utility),
        l0=np.log2(separated_values(joint, closeness) / apart),
        istar=trajectory(linked, tree, utility).istar,
    )
    return Run(tree=tree, along=along, leakage=question.leakage, apart=apart)


def greedy_frontier(question: Question, run: Run) -> Frontier:
    """Keep the non-dominated steps of a run; for problem (3), of those with I* = 0.

    What is required stays true when clusters grow, so it holds from some step on.
    """
    if not question.requirements and run.apart is None:
        return frontier_of_runs([(run.tree, run.along)], question.utility, question.leakage)
    first = _first_step(question, run) if question.requirements else 0
    found = frontier_of_runs([(run.tree, run.along)], question.utility, question.leakage, first)
    points = []
    for point in found.points:
        released = question.joint.release(point.partition)
        points.append(
            replace(
                point,
                separation=None if run.apart is None else ToleranceMeasures.of(released, question.closeness),
                verdicts=verdicts(released, question.requirements, question.closeness),
            )
        )
    return replace(found, points=tuple(points))


def _first_step(question: Question, run: Run) -> int:
    """Return the first step that keeps what is required; raise where none does."""

    def held(step: int) -> tuple[Verdict, ...]:
        released = question.joint.release(run.tree.partition(step))
        return verdicts(released, question.requirements, question.closeness)

    low, high = -1, run.tree.steps
    broken = [verdict for verdict in held(high) if not verdict.holds]
    if broken:
        best = " and ".join(f"{one.requirement.text} (at most {one.found:g})" for one in broken)
        raise UnreachableError(f"the greedy search does not get to {best}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if all(one.holds for one in held(middle)) else (middle, high)
    return high


def optimal_frontier(
    question: Question, effort: Effort, so_far: SoFar | None = None, known: Sequence[Point] = ()
) -> Frontier:
    """Search every utility level for the best partition, with a bound that none can beat.

    The greedy frontier is where it starts from, so no level is worse than that. ``so_far`` is offered
    the frontier as it grows, to be measured only when called for. Points that are ``known`` answer the same
    question within a smaller budget of withheld rows.
    """
    if question.shape.name == "columns":
        return frontier_of_codebooks(question, effort)
    if question.shape.name == "tree":
        return frontier_of_trees(question, effort)
    few = few_frontier(question, effort)
    if few is not None:
        return few
    if not question.is_plain:
        return frontier_of_demands(question, effort, so_far, known)
    starts = _Starts.of(question, effort)
    if so_far is not None:
        effort = replace(
            effort, found=lambda levels: so_far(lambda: starts.measured(levels(), complete=False))
        )
    with compiling_in_time(effort):
        found = optimal_levels(question.joint, question.leakage, question.utility, effort, starts.partitions)
        return starts.measured(found.levels, complete=found.complete)


def optimal_point(question: Question, goal: Goal, effort: Effort) -> Point | None:
    """Search the one level that a goal asks for; ``None`` where only the whole frontier tells."""
    starts = _Starts.of(question, effort)
    with compiling_in_time(effort):
        level = optimal_level(
            question.joint, question.leakage, question.utility, goal, effort, starts.partitions
        )
        if level is None:
            return None
        point = starts.point(level, is_alone=True)
        return starts.reaching(goal, point) if effort.should_stop() else point


@dataclass(frozen=True, kw_only=True)
class _Starts:
    """The greedy frontier, where an optimal search starts from."""

    question: Question
    points: tuple[Point, ...]
    """All of the greedy frontier."""
    partitions: tuple[Partition, ...]
    """Those that the search starts from."""
    known: Mapping[int, Point]
    """Their points, by the identity of the partition."""
    effort: Effort

    @classmethod
    def of(cls, question: Question, effort: Effort) -> _Starts:
        """Run the greedy search; of very many values, keep as many points as memory allows."""
        joint = question.joint
        # Of few values it takes no time, also where the walk over all partitions used up what there was.
        is_few = joint.public.size <= MOST_QUICK_VALUES and joint.observations <= MOST_OBSERVATIONS
        try:
            run = greedy_run(question, None, UNLIMITED if is_few else effort)
            points = greedy_frontier(question, run).points
        except UnreachableError:
            points = ()
        most = max(2, STARTING_CODES // joint.public.size)
        places = np.unique(np.linspace(0, len(points) - 1, min(most, len(points))).round().astype(int))
        kept = [points[place] for place in places.tolist()]
        # Each takes a moment to build; those that are not are still points to fall back on.
        built = tuple(in_time((point.partition for point in kept), effort))
        return cls(
            question=question,
            points=points,
            known={id(partition): point for partition, point in zip(built, kept, strict=False)},
            partitions=built,
            effort=effort,
        )

    def measured(self, levels: Iterable[Level], *, complete: bool) -> Frontier:
        """Measure levels as points of a frontier."""
        kept: list[Level] = []
        for level in sorted(levels, key=lambda level: (level.cost, level.leakage_bits)):
            if not kept or level.leakage_bits < kept[-1].leakage_bits:
                kept.append(level)
        points = [self.point(level) for level in kept]
        if not complete:
            points += [self._beside(point, kept) for point in self.points]
        return self.question.frontier(points, search="optimal", complete=complete)

    @staticmethod
    def _beside(point: Point, levels: Sequence[Level]) -> Point:
        """Return a point of the greedy frontier that a search may not have got to, with what bounds it.

        What no partition of a greater cost goes below, none of this cost does.
        """
        coarser = [level.lower_bound_bits for level in levels if level.cost >= cost_of(point)]
        bound = max(coarser, default=0.0)
        proven = point.leakage_bits <= bound + ROUNDING
        return replace(point, lower_bound_bits=bound, proven_optimal=proven, step=None)

    def reaching(self, goal: Goal, point: Point) -> Point:
        """Return a point that reaches a goal, or one of the greedy frontier that does so better."""
        if isinstance(goal, WithinCost):
            better = [
                known
                for known in self.points
                if cost_of(known) <= goal.cost and known.leakage_bits < point.leakage_bits - ROUNDING
            ]
            best = min(better, key=lambda known: (known.leakage_bits, cost_of(known)), default=None)
        else:
            better = [
                known for known in self.points if _reaches(known, goal) and cost_of(known) < cost_of(point)
            ]
            best = min(better, key=cost_of, default=None)
        return point if best is None else replace(best, lower_bound_bits=0.0, step=None)

    def point(self, level: Level, *, is_alone: bool = False) -> Point:
        """Measure a level; of a start that no search improved the run has told all there is to know."""
        partition = level.partition
        is_large = not is_alone and self.question.joint.pairs > MOST_PAIRS
        finer = self._finest(partition, is_large)
        if finer is not partition and is_large:
            # Many partitions of many values do not fit into memory: built again when one is looked at.
            return self.question.point(lambda: self._finest(level.partition, is_large=True), level, finer)
        if finer is not partition:
            return self.question.point(lambda: finer, level, finer)
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
        return self.question.point(level.cut, level, partition)

    def _finest(self, partition: Partition, is_large: bool) -> Partition:
        """Return the finest partition of the same worst case on a line; of many pairs, finest intervals."""
        question = self.question
        if not isinstance(question.utility, LineDistortion) or (is_large and self.effort.should_stop()):
            return partition
        if is_large or self.effort.should_stop():
            return finest_intervals(question.joint, question.utility, partition, question.leakage)
        return finest(question.joint, question.utility, partition, question.leakage, self.effort)


def _reaches(point: Point, goal: WithCandidates | WithComponents) -> bool:
    if isinstance(goal, WithCandidates):
        return point.distinct_l >= goal.distinct_l
    return point.components <= goal.most
