"""Every method side by side: at the same target, or at the same utility.

All methods end in a partition of the public values, and all partitions are measured by the same
functions. Ours come first, then each baseline at the best of its settings, then noise on the alphabet
of our partition, which is no partition and is judged both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Literal, TypeVar

from hartley.errors import HartleyError, InputError, OptionError, option
from hartley.frontiers import Frontier, Point
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import max_uncertainty_reduction, row_k
from hartley.model import JointRange
from hartley.model.demand import Demand
from hartley.model.target import Target, TargetKind
from hartley.model.words import ROUNDING
from hartley.search.baselines import (
    BASELINES,
    Case,
    DistinctL,
    Hierarchy,
    MaxLeakage,
    NotApplicable,
    best_utility,
    least_leakage,
)
from hartley.search.effort import UNLIMITED, Effort
from hartley.tables.hierarchy_file import read_hierarchy
from hartley.workflow.question import Question
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.request.time_limit import SearchLimits, effort_within
from hartley.workflow.rivals.comparison import (
    GREEDY,
    NOISE,
    OPTIMAL,
    OURS,
    Comparison,
    Measured,
    Method,
    NoiseMethod,
    Refused,
)
from hartley.workflow.rivals.noise_method import noise_beside
from hartley.workflow.search_frontier import greedy_frontier, greedy_run, optimal_frontier

T = TypeVar("T")
ComparedLeakage = Literal["l0", "istar"]
COMPARED_LEAKAGES: tuple[ComparedLeakage, ...] = ("l0", "istar")
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
    target = None if demand.is_empty else demand.target
    if objective.leakage == "joint":
        raise OptionError.unknown("leakage", objective.leakage, COMPARED_LEAKAGES)
    _require_sensible(target, objective.leakage)
    choice = objective.choice
    if target is not None and target.kind == "largest_cluster" and choice.name is None:
        choice = replace(choice, name="resolution")
    with study.opened() as table:
        read = table.joint_range(study.roles, missing=study.missing, missing_at=study.missing_at)
    question = Question(
        joint=read.joint, leakage=objective.leakage, utility=choice.for_alphabet(read.joint.public)
    )
    _require_utility(target, question)
    trees = _hierarchies(read.joint, hierarchies or {})
    effort = limits.effort or UNLIMITED
    return _Clocked(question, trees, limits.time_limit, effort).comparison(target, read.dropped_rows)


@dataclass(frozen=True)
class _Clocked:
    """Runs one method after the other, each within the time limit, and keeps the processor time."""

    question: Question
    hierarchies: tuple[Hierarchy, ...] | None
    time_limit: float | None
    effort: Effort

    def comparison(self, target: Target | None, dropped_rows: int) -> Comparison:
        question = self.question
        effort, started = self._effort(OPTIMAL), process_time()
        frontier = optimal_frontier(question, effort)
        wanted = target or _balanced_target(frontier, has_side=question.joint.side is not None)
        with question.explaining():
            best = frontier.meeting(wanted)
        spent = process_time() - started
        ours = Method(
            name=OPTIMAL,
            title=OURS[OPTIMAL],
            cpu_seconds=spent,
            complete=frontier.complete,
            answer=self._measured(best, None, frontier),
        )
        effort, started = self._effort(GREEDY), process_time()
        run = greedy_run(question, None, effort)
        greedy = greedy_frontier(question, run)
        found = self._attempt(lambda: self._measured(greedy.meeting(wanted), None, frontier))
        second = Method(
            name=GREEDY,
            title=OURS[GREEDY],
            cpu_seconds=process_time() - started,
            complete=greedy.complete,
            answer=found,
        )
        others = tuple(self._baseline(name, wanted, frontier) for name in BASELINES)
        return Comparison(
            question=question,
            target=wanted,
            is_given=target is not None,
            frontier=frontier,
            greedy=greedy,
            methods=(ours, second, *others),
            noise=self._noise(best),
            dropped_rows=dropped_rows,
        )

    def _baseline(self, name: str, target: Target, frontier: Frontier) -> Method:
        effort = self._effort(name)
        question = self.question
        case = Case(
            joint=question.joint, utility=question.utility, hierarchies=self.hierarchies, effort=effort
        )
        leakage: ComparedLeakage = "istar" if question.leakage == "istar" else "l0"
        started = process_time()
        if target.kind == "distinct_l":
            found = best_utility(name, case, DistinctL(int(target.number)))
        elif target.kind == "max_leakage":
            found = best_utility(name, case, MaxLeakage(target.number, leakage))
        else:
            found = least_leakage(name, case, question.utility.of_cost(target.number), leakage)
        spent = process_time() - started
        answer: Measured | Refused
        if isinstance(found, NotApplicable):
            answer = Refused(reason=found.reason)
        else:
            partition = found.partition
            answer = self._measured(question.point(lambda: partition), found.setting, frontier)
        return Method(
            name=name,
            title=BASELINES[name].title,
            cpu_seconds=spent,
            complete=not effort.should_stop(),
            answer=answer,
        )

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
        bound = bound_at(frontier, point.utility)
        return Measured(
            setting=setting if point.step is None else f"step {point.step}",
            point=replace(
                point,
                lower_bound_bits=bound,
                proven_optimal=point.leakage_bits <= bound + ROUNDING,
            ),
            l0_bits=max_uncertainty_reduction(self.question.joint, partition),
            istar_bits=maximin_information(self.question.joint, partition),
            row_k=row_k(self.question.joint, partition),
        )

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
            return Refused(reason=str(refusal))


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


def _require_sensible(target: Target | None, leakage: ComparedLeakage) -> None:
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


def _require_utility(target: Target | None, question: Question) -> None:
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
