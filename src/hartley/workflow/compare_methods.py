"""Every method side by side: at the same target, or at the same utility.

All methods end in a partition of the public values, and all partitions are measured by the same
functions: what they leak, their worst class, and what is left of the columns on average. Ours come first,
then each baseline at the best of its settings, then noise on the alphabet of our partition, which is no
partition and is judged both ways.

Over several columns a baseline's best setting is the one that loses least on average, and where a target is
given only the release for it is searched, not a whole frontier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import TypeVar

from hartley.baselines import (
    BASELINES,
    Case,
    Hierarchy,
    NotApplicable,
    best_utility,
    least_leakage,
)
from hartley.errors import HartleyError, InputError, OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.measures.overlap import maximin_information
from hartley.measures.query_error import CountQueries
from hartley.measures.uncertainty import max_uncertainty_reduction, row_k
from hartley.measures.usefulness import Usefulness
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.measures.verdicts import verdicts
from hartley.model import JointRange, Partition
from hartley.model.closeness import NO_CLOSENESS
from hartley.model.demand import Demand, Target, TargetKind
from hartley.model.requirement import Requirement
from hartley.model.words import ROUNDING, SINGLE_LEAKAGES, SLACK, SingleLeakage
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.frontier import frontier as optimal_frontier
from hartley.search.greedy.runs import TieSpread, greedy_frontier, greedy_run, tie_spread
from hartley.search.points.demanded_point import point_for
from hartley.search.points.measured import frontier_of, point_of_partition
from hartley.search.problem import Problem
from hartley.tables.value_files import read_hierarchy
from hartley.workflow.publication.release_plan import asked_question
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.request.time_limit import SearchLimits, effort_within
from hartley.workflow.rivals.comparison import (
    GREEDY,
    NOISE,
    OPTIMAL,
    OURS,
    TREE,
    Comparison,
    Measured,
    Method,
    NoiseMethod,
    Refused,
)
from hartley.workflow.rivals.noise_method import noise_beside
from hartley.workflow.trees.search_tree import transparent_partition

T = TypeVar("T")
TIED_RUNS = 20
"""Greedy runs with ties at random."""
MOST_TIED_VALUES = 2_000
"""Public values up to which these take a moment."""
SECONDS_EACH = 20.0
"""How long each method may take over several columns, where nobody said."""
COMPARED_TARGETS: tuple[TargetKind, ...] = ("distinct_l", "max_leakage", "largest_cluster", "max_distortion")


def compare_methods(
    study: StudyTable,
    objective: Objective,
    limits: SearchLimits,
    *,
    demand: Demand,
    hierarchies: Mapping[str, str | Path] | None = None,
) -> Comparison:
    """Put every method side by side on a table, at the same demand or the same utility.

    A demand on protection (``distinct_l``, ``max_leakage``) lets the best utility count; a cap on what is
    lost (``largest_cluster`` under resolution, ``max_distortion`` under distortion), the least leakage.
    Without one it is the protection of the balanced point of our frontier. ``hierarchies`` names a file
    of words for a public column. The time limit is for each method.
    """
    if objective.leakage == "l0":
        demand = _without_empty(demand)
    combined = _combined(study, objective, demand)
    target = None if demand.is_empty else demand.target
    if objective.leakage == "joint":
        raise OptionError.unknown("leakage", objective.leakage, SINGLE_LEAKAGES)
    _require_sensible(target, objective.leakage)
    choice, asked = objective.choice, objective
    if target is not None and target.kind == "largest_cluster" and choice.name is None:
        choice = replace(choice, name="resolution")
    if study.joint is not None:
        joint, dropped_rows = study.joint, 0
    else:
        with study.opened() as table:
            read = table.joint_range(study.roles, missing=study.missing, missing_at=study.missing_at)
        joint, dropped_rows = read.joint, read.dropped_rows
    if objective.own_utility is None:
        asked = replace(objective, utility=choice)
    if combined is None:
        question = Problem(joint=joint, leakage=objective.leakage, utility=asked.utility_for(joint.public))
    else:
        question = asked_question(study, asked, joint, combined.requirements)
    _require_utility(target, question)
    trees = _hierarchies(joint, hierarchies or {})
    effort = limits.effort or UNLIMITED
    queries = CountQueries.draw(joint.without_side(), effort.seed)
    limit = limits.time_limit
    if limit is None and not question.is_plain:
        limit = SECONDS_EACH
    return _Clocked(question, trees, limit, effort, queries, combined).comparison(target, dropped_rows)


@dataclass(frozen=True)
class _Clocked:
    """Runs one method after the other, each within the time limit, and keeps the processor time."""

    question: Problem
    hierarchies: tuple[Hierarchy, ...] | None
    time_limit: float | None
    effort: Effort
    queries: CountQueries
    """What every release is asked."""
    combined: Demand | None = None
    """Requirements that are more than one number of candidates."""

    def comparison(self, target: Target | None, dropped_rows: int) -> Comparison:
        started = process_time()
        frontier, best, wanted = self._ours(target, self._effort(OPTIMAL))
        spent = process_time() - started
        ours = Method(OPTIMAL, OURS[OPTIMAL], spent, frontier.complete, self._measured(best, None, frontier))
        started = process_time()
        greedy = self._greedy(self._effort(GREEDY))
        found = self._attempt(lambda: self._measured(self._reached(greedy, wanted), None, frontier))
        second = Method(GREEDY, OURS[GREEDY], process_time() - started, greedy.complete, found)
        others = tuple(self._baseline(name, wanted, frontier) for name in BASELINES)
        return Comparison(
            question=self.question,
            target=wanted,
            is_given=target is not None,
            frontier=frontier,
            greedy=greedy,
            methods=(ours, second, self._tree(wanted, frontier), *others),
            noise=self._noise(best),
            dropped_rows=dropped_rows,
            requirements=() if self.combined is None else self.combined.requirements,
            ties=self._ties(wanted, best),
        )

    def _ties(self, wanted: Target, best: Point) -> TieSpread | None:
        """Run the greedy search with ties at random, where it has a rule for the question and is quick."""
        question = self.question
        if question.joint.public.size > MOST_TIED_VALUES or not question.closeness.is_empty:
            return None
        in_bits = wanted.kind in ("largest_cluster", "max_distortion")
        try:
            effort, reached = self._effort(GREEDY), partial(self._reached, wanted=wanted)
            return tie_spread(question, reached, best, effort, runs=TIED_RUNS, in_bits=in_bits)
        except (OptionError, UnreachableError):
            return None

    def _reached(self, found: Frontier, wanted: Target) -> Point:
        held = replace(found, points=tuple(map(self._held, found.points)))
        return held.meeting(self.combined or wanted)

    def _greedy(self, effort: Effort) -> Frontier:
        """Run the paper's search; where it has no rule for what is required, to no requirement."""
        question = self.question
        try:
            return greedy_frontier(question, greedy_run(question, None, effort))
        except (OptionError, UnreachableError):
            bare = replace(question, requirements=(), closeness=NO_CLOSENESS)
            return greedy_frontier(bare, greedy_run(bare, None, effort))

    def _ours(self, target: Target | None, effort: Effort) -> tuple[Frontier, Point, Target]:
        """Return our frontier, or as much of it as the target needs, and its point for the target."""
        question = self.question
        with question.explaining():
            is_asked = question.is_plain and not question.is_polished
            if self.combined is not None or (target is not None and not is_asked):
                target = target or Target("distinct_l", 1)
                best = point_for(question, self.combined or Demand.of(target), effort)
                complete = not effort.should_stop()
                return frontier_of(question, (best,), complete=complete), best, target
            frontier = optimal_frontier(question, effort)
            wanted = target or _balanced_target(frontier, has_side=question.joint.side is not None)
            if question.is_polished and question.objective == "mean":
                return frontier, point_for(question, Demand.of(wanted), effort), wanted
            return frontier, frontier.meeting(wanted), wanted

    def _tree(self, target: Target, frontier: Frontier) -> Method:
        """Grow the tree whose classes hold for a reader who knows the program; it takes no other target."""

        def measured() -> Measured:
            if self.question.joint.side is not None:
                raise InputError("nothing is proved for a reader with side information")
            requirements = () if self.combined is None else self.combined.requirements
            if self.combined is None:
                if target.kind != "distinct_l":
                    raise InputError("it takes what every class must keep, and no cap")
                requirements = (Requirement("distinct-l", int(target.number)),)
            found = transparent_partition(self.question, requirements, effort)
            return self._measured(point_of_partition(self.question, lambda: found), None, frontier)

        effort, started = self._effort(TREE), process_time()
        answer = self._attempt(measured)
        return Method(TREE, OURS[TREE], process_time() - started, True, answer)

    def _baseline(self, name: str, target: Target, frontier: Frontier) -> Method:
        effort = self._effort(name)
        question = self.question
        several = isinstance(question.utility, ColumnsDistortion)
        case = Case(
            joint=question.joint,
            utility=question.utility,
            hierarchies=self.hierarchies,
            effort=effort,
            loss=self._loss if several else None,
        )
        leakage: SingleLeakage = "istar" if question.leakage == "istar" else "l0"
        started = process_time()
        if self.combined is not None:
            found = best_utility(name, case, self.combined.requirements, question.closeness)
        elif target.kind == "distinct_l":
            found = best_utility(name, case, [Requirement("distinct-l", target.number)])
        elif target.kind == "max_leakage":
            found = best_utility(name, case, [Requirement(leakage, target.number)])
        else:
            found = least_leakage(name, case, question.utility.of_cost(target.number), leakage)
        spent = process_time() - started
        answer: Measured | Refused
        if isinstance(found, NotApplicable):
            answer = Refused(reason=found.reason)
        else:
            partition = found.partition
            answer = self._measured(point_of_partition(question, lambda: partition), found.setting, frontier)
        return Method(name, BASELINES[name].title, spent, not effort.should_stop(), answer)

    def _noise(self, best: Point) -> NoiseMethod:
        effort, started = self._effort(NOISE), process_time()
        found = self._attempt(lambda: noise_beside(self.question, best.partition, effort))
        return NoiseMethod(
            question=self.question,
            cpu_seconds=process_time() - started,
            complete=not effort.should_stop(),
            answer=found,
        )

    def _measured(self, point: Point, setting: str | None, frontier: Frontier) -> Measured:
        partition = point.partition
        joint = self.question.joint.without_side()
        return Measured(
            setting=setting if point.step is None else f"step {point.step}",
            point=self._bounded(self._held(point), frontier),
            usefulness=Usefulness.of(joint, partition, point.withheld),
            query_error=self.queries.median_error(partition, point.withheld),
            l0_bits=max_uncertainty_reduction(self.question.joint, partition),
            istar_bits=maximin_information(self.question.joint, partition),
            row_k=row_k(self.question.joint, partition),
        )

    def _held(self, point: Point) -> Point:
        """Return a point with what it keeps of each requirement, and its bits with the tolerance."""
        if self.combined is None:
            return point
        if not self.question.closeness.is_empty:
            # The greedy search may have been run to no tolerance.
            again = point_of_partition(self.question, point.cut)
            point = replace(point, leakage_bits=again.leakage_bits, separation=again.separation)
        released = self.question.joint.release(point.partition)
        held = verdicts(released, self.combined.requirements, self.question.closeness)
        return replace(point, verdicts=held)

    def _bounded(self, point: Point, frontier: Frontier) -> Point:
        """Return a point with what is proven of its utility, or of its protection where that was searched."""
        if (self.combined is not None or not self.question.is_plain) and len(frontier.points) == 1:
            least = frontier.points[0].lower_bound_cost
            is_least = least is not None and point.cost <= least * (1 + SLACK)
            proven = is_least and point.leakage_bits <= frontier.points[0].leakage_bits + ROUNDING
            return replace(point, lower_bound_bits=None, lower_bound_cost=least, proven_optimal=proven)
        bound = bound_at(frontier, point.utility)
        return replace(point, lower_bound_bits=bound, proven_optimal=point.leakage_bits <= bound + ROUNDING)

    def _loss(self, partition: Partition) -> float:
        return Usefulness.of(self.question.joint.without_side(), partition).loss

    def _effort(self, name: str) -> Effort:
        def progress(done: int, total: int, what: str) -> None:
            self.effort.progress(done, total, f"{name}: {what}")

        progress(0, 1, "starts")
        return effort_within(
            self.time_limit, seed=self.effort.seed, should_stop=self.effort.should_stop, progress=progress
        )

    def _attempt(self, work: Callable[[], T]) -> T | Refused:
        try:
            return work()
        except HartleyError as refusal:
            return Refused(reason=refusal.message)


def _without_empty(demand: Demand) -> Demand:
    """Return a demand without requirements that everything keeps, such as one row, beside others."""
    more = tuple(one for one in demand.requirements if not one.is_monotone or one.wanted > 1)
    return replace(demand, requirements=more) if more else demand


def _combined(study: StudyTable, objective: Objective, demand: Demand) -> Demand | None:
    """Return a demand that is more than one target, or is met with rows withheld; raise where none can be."""
    named = [(one.name, one.column) for one in demand.requirements]
    if named in ([], [("distinct-l", None)]) and not study.is_tolerant and objective.withholds_nothing:
        return None
    has_target = demand.cap is not None or demand.max_leakage is not None
    if has_target or demand.utility_weight is not None or not demand.requirements:
        raise OptionError(
            "with requirements that combine, a tolerance or withheld rows, methods are compared at what "
            f"every released value must keep; give {option('require')} and no other target"
        )
    return demand


def bound_at(frontier: Frontier, utility: float) -> float:
    """Return the least that any release of this utility or better can leak, as far as it is proven.

    The bound of a point holds for everything of its utility or better; 0 bits hold for all.
    """
    bounds = [
        point.lower_bound_bits
        for point in frontier.points
        if point.utility <= utility and point.lower_bound_bits is not None
    ]
    return max(bounds, default=0.0)


def _require_sensible(target: Target | None, leakage: SingleLeakage) -> None:
    if target is None:
        return
    if target.kind not in COMPARED_TARGETS:
        raise OptionError(
            f"methods cannot be compared at {target.option}; give {option('distinct_l')}, "
            f"{option('max_leakage')}, "
            f"{option('largest_cluster')} or {option('max_distortion')}"
        )
    if target.kind == "distinct_l" and leakage == "istar":
        raise OptionError(
            f"{option('distinct_l')} goes with {option('leakage', 'l0')}; with "
            f"{option('leakage', 'istar')} give {option('max_leakage')}"
        )


def _require_utility(target: Target | None, question: Problem) -> None:
    needed = {"largest_cluster": "resolution", "max_distortion": "distortion"}
    if target is not None and needed.get(target.kind, question.utility.name) != question.utility.name:
        raise OptionError(f"{target.option} needs {option('utility', needed[target.kind])}")


def _balanced_target(frontier: Frontier, *, has_side: bool) -> Target:
    point = frontier.balanced()
    # With side information leakage is counted from what each reader knew, not from one count for all.
    if frontier.leakage == "istar" or has_side:
        return Target("max_leakage", point.leakage_bits)
    return Target("distinct_l", point.distinct_l)


def _hierarchies(joint: JointRange, files: Mapping[str, str | Path]) -> tuple[Hierarchy, ...] | None:
    """Read the words of each public column that has a file; the others keep their own hierarchy."""
    columns = joint.public.columns
    for name in files:
        if name not in columns:
            raise OptionError(
                f"{option('hierarchy')} names {name!r}, which is no public column; "
                f"those are {', '.join(map(repr, columns))}"
            )
    if not files:
        return None
    return tuple(
        _hierarchy(joint, place, files[name], name)
        if name in files
        else Hierarchy.of_column(joint.public, column=place)
        for place, name in enumerate(columns)
    )


def _hierarchy(joint: JointRange, place: int, file: str | Path, column: str) -> Hierarchy:
    rows = read_hierarchy(file, column)
    try:
        return Hierarchy.of_rows(joint.public, rows, column=place)
    except InputError as error:
        raise InputError(f"{Path(file).name}: {error.message}") from None
