"""Which search answers which question, and what its answer is on the frontier."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point, frontier_of_runs, non_dominated
from hartley.measures.overlap import overlap_partition
from hartley.measures.separation import (
    max_separated_reduction,
    separated_information,
    separated_l,
    separated_values,
)
from hartley.measures.trajectory import Trajectory, trajectory
from hartley.measures.uncertainty import candidate_counts, prior_counts
from hartley.measures.utility import LineDistortion, Utility
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.measures.verdicts import verdicts
from hartley.model import JointRange, MergeTree, Partition
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.model.shape import ANY_SHAPE, Shape
from hartley.model.words import ROUNDING, SLACK, Leakage, SearchName
from hartley.search.demand_search import DemandAnswer, DemandQuestion, cheapest
from hartley.search.dispatch import (
    Goal,
    WithCandidates,
    WithComponents,
    WithinCost,
    optimal_level,
    optimal_levels,
)
from hartley.search.effort import Effort
from hartley.search.greedy import component_joining, joint_search, narrowest_first
from hartley.search.levels import Level, in_time
from hartley.workflow.request.time_limit import compiling_in_time
from hartley.workflow.request.utility_choice import codeword_of

SoFar = Callable[[Callable[[], Frontier]], None]
"""Is offered the frontier as it grows; it is measured only when called for."""
STARTING_CODES = 50_000_000
"""Cluster numbers of starting partitions that are held at once."""
DEFAULT_WEIGHT = 1.0
"""The utility weight with which the greedy search of problem (3) chooses, where none is given."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is to be protected against what loss."""

    joint: JointRange
    leakage: Leakage
    utility: Utility
    requirements: tuple[Requirement, ...] = ()
    """What every point must keep, and stays true when a cluster grows."""
    closeness: Closeness = NO_CLOSENESS
    shape: Shape = ANY_SHAPE
    budget: int = 0
    """The most rows whose public value may be withheld."""

    @property
    def is_plain(self) -> bool:
        """Whether it is the paper's question: candidates alone count, every partition is allowed."""
        return (
            not self.requirements
            and self.closeness.is_empty
            and self.shape.is_any
            and not self.budget
            and not (isinstance(self.utility, ColumnsDistortion) and self.joint.side is None)
        )

    @property
    def axis(self) -> str:
        """The requirement that the frontier goes through level by level."""
        return "distinct-l" if self.closeness.is_empty else "separated-l"

    def point_of(self, answer: DemandAnswer) -> Point:
        """Measure what a search for a demand found as a point of the frontier."""
        joint, partition = self.joint, answer.partition
        released = joint.release(partition)
        counts = candidate_counts(released)
        components = overlap_partition(released).size
        is_close = not self.closeness.is_empty
        if self.leakage == "istar":
            bits = separated_information(released, self.closeness) if is_close else log2(components)
        elif is_close:
            bits = max_separated_reduction(joint, self.closeness, partition)
        else:
            bits = log2((prior_counts(released) / counts).max())
        is_distortion = self.utility.name == "distortion"
        cluster = int(partition.labels[answer.withheld[0]]) if len(answer.withheld) else None
        priced = (
            None if self.shape.is_any or answer.any_bound is None else _price(answer.cost, answer.any_bound)
        )
        return Point(
            leakage_bits=bits,
            utility=self.utility.of_cost(answer.cost),
            distinct_l=int(counts.min()),
            components=components,
            largest_cluster=int(
                np.delete(partition.sizes, [] if cluster is None else [cluster]).max(initial=1)
            ),
            max_distortion=answer.cost if is_distortion else None,
            clusters=partition.size,
            lower_bound_cost=answer.lower_bound_cost,
            separated_l=separated_l(released, self.closeness) if is_close else None,
            mean_distortion=self._mean_move(answer) if is_distortion else None,
            band_width=max((band.width for band in answer.bands), default=None),
            shape=self.shape.name,
            shape_price=priced,
            withheld_rows=answer.withheld_rows,
            withheld_values=len(answer.withheld),
            withheld_l=None if cluster is None else int(counts[released.public_of == cluster].min()),
            withheld=tuple(answer.withheld.tolist()),
            verdicts=verdicts(released, self.requirements, self.closeness),
            cut=lambda: partition,
        )

    def _mean_move(self, answer: DemandAnswer) -> float | None:
        """Return how far the value of a row moves on average, to the middle of its cluster."""
        if not isinstance(self.utility, LineDistortion):
            return answer.loss
        kept = np.setdiff1d(np.flatnonzero(~np.isnan(self.utility.positions)), answer.withheld)
        if not len(kept):
            return 0.0
        labels = answer.partition.labels[kept]
        placed = self.utility.positions[kept]
        low, high = np.full(answer.partition.size, np.inf), np.full(answer.partition.size, -np.inf)
        np.minimum.at(low, labels, placed)
        np.maximum.at(high, labels, placed)
        pair = self.joint.observation_of
        rows = np.bincount(
            self.joint.public_of[pair], weights=self.joint.rows, minlength=self.joint.public.size
        )
        middle = np.where(np.isfinite(low), low, 0.0) / 2 + np.where(np.isfinite(high), high, 0.0) / 2
        moves = np.abs(placed - middle[labels])
        return float((moves * rows[kept]).sum() / rows[kept].sum())

    def demanded(self, more: Iterable[Requirement] = ()) -> DemandQuestion:
        """Return the question for one demand: the requirements of every point, and more."""
        asked = DemandQuestion(
            joint=self.joint,
            utility=self.utility,
            requirements=self.requirements,
            closeness=self.closeness,
            shape=self.shape,
            budget=self.budget,
            is_single=self.leakage == "joint",
        )
        for requirement in more:
            asked = asked.asking(requirement)
        return asked

    def point(
        self, cut: Callable[[], Partition], level: Level | None = None, built: Partition | None = None
    ) -> Point:
        """Measure a partition as a point of the frontier; ``built`` is what ``cut`` gives, if it is there."""
        partition = cut() if built is None else built
        released = self.joint.release(partition)
        counts = candidate_counts(released)
        components = overlap_partition(released).size
        worst = float(self.utility.costs(partition).max())
        l0 = log2((prior_counts(released) / counts).max())
        return Point(
            leakage_bits=log2(components) if self.leakage == "istar" else l0,
            utility=self.utility.of_cost(worst),
            distinct_l=int(counts.min()),
            components=components,
            largest_cluster=int(partition.sizes.max()),
            max_distortion=worst if self.utility.name == "distortion" else None,
            clusters=partition.size,
            lower_bound_bits=None if level is None else level.lower_bound_bits,
            proven_optimal=level is not None and level.proven_optimal,
            cut=cut,
        )

    def frontier(self, points: Sequence[Point], *, search: SearchName, complete: bool) -> Frontier:
        """Keep the points that matter; refuse where not one is left."""
        if not points:
            raise UnreachableError("no release leaves a single group of sensitive values (I* = 0)")
        return Frontier(
            leakage=self.leakage,
            utility="resolution" if self.utility.name == "resolution" else "distortion",
            search=search,
            codeword=codeword_of(self.utility),
            complete=complete,
            points=non_dominated(points),
        )

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Where nothing meets a target because a missing value stays alone, say so and name the options."""
        try:
            yield
        except UnreachableError as error:
            if self.utility.name != "distortion" or not self.has_no_place():
                raise
            raise UnreachableError(
                f"{error.message}; a missing public value has no position and stays alone: "
                f"{option('missing_at')} gives "
                f"it one, {option('missing', 'drop')} leaves its rows out, "
                f"{option('utility', 'resolution')} needs no positions"
            ) from None

    def has_no_place(self) -> bool:
        """Tell whether some public value has no position."""
        if isinstance(self.utility, LineDistortion):
            return bool(np.isnan(self.utility.positions).any())
        return bool(self.joint.public.missing.any())


@dataclass(frozen=True, kw_only=True)
class Run:
    """A greedy run with its measures along the way."""

    tree: MergeTree
    along: Trajectory
    leakage: Leakage

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
        if question.leakage == "l0":
            tree = narrowest_first(joint, utility, effort)
        elif question.leakage == "istar":
            tree = component_joining(joint, utility, effort)
        else:
            tree = joint_search(joint, utility, weight_for("joint", utility_weight), effort)
        return Run(tree=tree, along=trajectory(joint, tree, utility), leakage=question.leakage)


def greedy_frontier(question: Question, run: Run) -> Frontier:
    """Keep the non-dominated steps of a run; for problem (3), of those with I* = 0."""
    return frontier_of_runs([(run.tree, run.along)], question.utility, question.leakage)


def frontier_of_demands(question: Question, effort: Effort, so_far: SoFar | None = None) -> Frontier:
    """Search the cheapest partition at every level of candidates, beside what every point must keep.

    A level that a cheaper partition reaches anyway is skipped. What is proven of a cost bounds the bits
    as well: nothing reaches the next level below its own bound.
    """
    found: list[tuple[int, Point]] = []
    complete = True
    most = _most_levels(question)
    level = 1

    def so_far_found() -> Frontier:
        return question.frontier(_bounded(question, found, most), search="optimal", complete=False)

    with compiling_in_time(effort):
        while level <= most:
            effort.progress(level - 1, most, f"level {level} of {question.axis}")
            try:
                answer = cheapest(question.demanded([Requirement(question.axis, level)]), effort)
            except UnreachableError:
                if not found:
                    raise
                break
            point = question.point_of(answer)
            reached = point.separated_l if question.axis == "separated-l" else point.distinct_l
            found.append((level, point))
            if so_far is not None:
                so_far(so_far_found)
            level = max(level, int(reached or level)) + 1
            if effort.should_stop():
                complete = level > most
                break
    return question.frontier(_bounded(question, found, most), search="optimal", complete=complete)


def _most_levels(question: Question) -> int:
    if question.axis == "separated-l":
        return separated_values(question.joint, question.closeness)
    return question.joint.sensitive.size


def _bounded(question: Question, found: Sequence[tuple[int, Point]], most: int) -> list[Point]:
    """Add to each point the bound on bits at its cost that the bounds on costs imply."""
    points: list[Point] = []
    has_bits = question.joint.side is None and question.leakage != "istar"
    for _, point in found:
        excluded = [
            level
            for level, other in found
            if other.lower_bound_cost is not None and other.lower_bound_cost > _cost(point) * (1 + 1e-12)
        ]
        best = min(excluded, default=most + 1) - 1
        bound = log2(most / best) if has_bits else None
        proven = (
            bound is not None
            and point.leakage_bits <= bound + ROUNDING
            and point.lower_bound_cost is not None
            and _cost(point) <= point.lower_bound_cost * (1 + 1e-12)
        )
        points.append(replace(point, lower_bound_bits=bound, proven_optimal=proven))
    return points


def demanded_point(question: Question, demand: Demand, effort: Effort) -> Point:
    """Find the point that a demand asks for, by the search for demands."""
    if demand.utility_weight is not None:
        return frontier_of_demands(question, effort).meeting(demand)
    wanted = [one for one in demand.requirements if one.is_monotone]
    for one in demand.requirements:
        if one.name == "istar" and one.wanted > 0:
            raise OptionError("of what is certain only nothing can be required beside others: istar=0")
    asked = replace(question, requirements=tuple(wanted)) if wanted else question
    if any(one.name == "istar" for one in demand.requirements):
        asked = replace(asked, leakage="joint")
    bits = [one.wanted for one in demand.requirements if one.name == "l0"]
    if demand.max_leakage is not None and question.leakage != "istar":
        bits.append(demand.max_leakage)
    more: list[Requirement] = []
    if bits:
        fewest = ceil(_most_levels(question) / 2 ** (min(bits) + SLACK))
        more.append(Requirement(question.axis, fewest))
    with compiling_in_time(effort):
        answer = cheapest(asked.demanded(more), effort)
        if demand.cap is None:
            point = asked.point_of(answer)
            proven = answer.is_proven
            return replace(point, proven_optimal=proven)
        return _within_cap(asked, demand, answer, more, effort)


def _within_cap(
    question: Question, demand: Demand, answer: DemandAnswer, more: list[Requirement], effort: Effort
) -> Point:
    """Return the point that keeps most within a cap: the highest level whose least cost stays below it."""
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    number = demand.cap.number
    point = question.point_of(answer)
    if _size(point, demand) > number + SLACK:
        raise UnreachableError(
            f"what is required needs {option(demand.cap.kind, format(_size(point, demand), 'g'))} at least, "
            f"and {number:g} is allowed"
        )
    low, high = 1, _most_levels(question)
    while low < high and not effort.should_stop():
        level = (low + high + 1) // 2
        try:
            tried = question.point_of(
                cheapest(question.demanded([*more, Requirement(question.axis, level)]), effort)
            )
        except UnreachableError:
            high = level - 1
            continue
        if _size(tried, demand) <= number + SLACK:
            low, point = level, tried
        else:
            high = level - 1
    return point


def _size(point: Point, demand: Demand) -> float:
    assert demand.cap is not None  # noqa: S101 (asked only with a cap)
    return point.largest_cluster if demand.cap.kind == "largest_cluster" else _cost(point)


def _price(cost: float, bound: float) -> float | None:
    if cost <= bound:
        return 1.0
    return cost / bound if bound > 0 else None


def optimal_frontier(question: Question, effort: Effort, so_far: SoFar | None = None) -> Frontier:
    """Search every utility level for the best partition, with a bound that none can beat.

    The greedy frontier is where it starts from, so no level is worse than that. ``so_far`` is offered
    the frontier as it grows, to be measured only when called for.
    """
    if not question.is_plain:
        return frontier_of_demands(question, effort, so_far)
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
        point = starts.point(level)
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

    @classmethod
    def of(cls, question: Question, effort: Effort) -> _Starts:
        """Run the greedy search; of very many values, keep as many points as memory allows."""
        try:
            points = greedy_frontier(question, greedy_run(question, None, effort)).points
        except UnreachableError:
            points = ()
        most = max(2, STARTING_CODES // question.joint.public.size)
        places = np.unique(np.linspace(0, len(points) - 1, min(most, len(points))).round().astype(int))
        kept = [points[place] for place in places.tolist()]
        # Each takes a moment to build; those that are not are still points to fall back on.
        built = tuple(in_time((point.partition for point in kept), effort))
        return cls(
            question=question,
            points=points,
            known={id(partition): point for partition, point in zip(built, kept, strict=False)},
            partitions=built,
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
        coarser = [level.lower_bound_bits for level in levels if level.cost >= _cost(point)]
        bound = max(coarser, default=0.0)
        proven = point.leakage_bits <= bound + ROUNDING
        return replace(point, lower_bound_bits=bound, proven_optimal=proven, step=None)

    def reaching(self, goal: Goal, point: Point) -> Point:
        """Return a point that reaches a goal, or one of the greedy frontier that does so better."""
        if isinstance(goal, WithinCost):
            better = [
                known
                for known in self.points
                if _cost(known) <= goal.cost and known.leakage_bits < point.leakage_bits - ROUNDING
            ]
            best = min(better, key=lambda known: (known.leakage_bits, _cost(known)), default=None)
        else:
            better = [known for known in self.points if _reaches(known, goal) and _cost(known) < _cost(point)]
            best = min(better, key=_cost, default=None)
        return point if best is None else replace(best, lower_bound_bits=0.0, step=None)

    def point(self, level: Level) -> Point:
        """Measure a level; of a start that no search improved the run has told all there is to know."""
        partition = level.partition
        point = self.known.get(id(partition))
        if point is not None:
            return replace(
                point,
                lower_bound_bits=level.lower_bound_bits,
                proven_optimal=level.proven_optimal,
                step=None,
                cut=level.cut,
            )
        return self.question.point(level.cut, level, partition)


def _cost(point: Point) -> float:
    """Return what the worst cluster of a point costs."""
    return point.largest_cluster if point.max_distortion is None else point.max_distortion


def _reaches(point: Point, goal: WithCandidates | WithComponents) -> bool:
    if isinstance(goal, WithCandidates):
        return point.distinct_l >= goal.distinct_l
    return point.components <= goal.most
