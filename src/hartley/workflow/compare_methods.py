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
from typing import Any, Literal, TypeVar

from hartley.errors import HartleyError, InputError, OptionError
from hartley.frontiers import Frontier, Point
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import max_uncertainty_reduction, row_k
from hartley.model import JointRange
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
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.hierarchy_file import read_hierarchy
from hartley.workflow.audit_table import Names, names
from hartley.workflow.comparison import (
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
from hartley.workflow.noise_method import noise_beside
from hartley.workflow.question import Question, greedy_frontier, greedy_run, optimal_frontier
from hartley.workflow.time_limit import effort_within
from hartley.workflow.utility_choice import UtilityChoice

T = TypeVar("T")
ComparedLeakage = Literal["l0", "istar"]
COMPARED_LEAKAGES: tuple[ComparedLeakage, ...] = ("l0", "istar")
COMPARED_TARGETS: tuple[TargetKind, ...] = ("distinct_l", "max_leakage", "largest_cluster", "max_distortion")


def compare(
    source: Any,
    *,
    sensitive: Names,
    public: Names,
    side: Names = (),
    leakage: ComparedLeakage = "l0",
    utility: UtilityChoice | Literal["resolution", "distortion"] | None = None,
    target: Target | None = None,
    hierarchies: Mapping[str, str | Path] | None = None,
    missing: Literal["value", "drop"] = "value",
    missing_at: float | None = None,
    time_limit: float | None = None,
    effort: Effort = UNLIMITED,
    options: ReadOptions | None = None,
) -> Comparison:
    """Put every method side by side on a table, at the same target or the same utility.

    ``target`` is a demand on protection (``distinct_l``, ``max_leakage``), and then the best utility
    counts; or a floor of utility (``largest_cluster`` under resolution, ``max_distortion`` under
    distortion), and then the least leakage counts. Without one it is the protection of the balanced
    point of our frontier. ``hierarchies`` names a file of words for a public column. ``time_limit`` is for
    each method.
    """
    if leakage not in COMPARED_LEAKAGES:
        raise OptionError.unknown("leakage", leakage, COMPARED_LEAKAGES)
    _require_sensible(target, leakage)
    choice = utility if isinstance(utility, UtilityChoice) else UtilityChoice(name=utility)
    if target is not None and target.kind == "largest_cluster" and choice.name is None:
        choice = replace(choice, name="resolution")
    table = open_table(source, options or ReadOptions())
    roles = Roles(sensitive=names(sensitive), public=names(public), side=names(side))
    read = table.joint_range(roles, missing=missing, missing_at=missing_at)
    question = Question(joint=read.joint, leakage=leakage, utility=choice.for_alphabet(read.joint.public))
    _require_utility(target, question)
    trees = _hierarchies(read.joint, hierarchies or {})
    return _Clocked(question, trees, time_limit, effort).comparison(target, read.dropped_rows)


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
            best = _chosen(frontier, wanted)
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
        found = self._attempt(lambda: self._measured(_chosen(greedy, wanted), None, frontier))
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
            f"methods cannot be compared at {target.option}; give --distinct-l, --max-leakage, "
            "--largest-cluster or --max-distortion"
        )
    if target.kind == "distinct_l" and leakage == "istar":
        raise OptionError("--distinct-l goes with --leakage l0; with --leakage istar give --max-leakage")


def _require_utility(target: Target | None, question: Question) -> None:
    needed = {"largest_cluster": "resolution", "max_distortion": "distortion"}
    if target is not None and needed.get(target.kind, question.utility.name) != question.utility.name:
        raise OptionError(f"{target.option} needs --utility {needed[target.kind]}")


def _balanced_target(frontier: Frontier, *, has_side: bool) -> Target:
    point = frontier.balanced()
    # With side information leakage is counted from what each reader knew, not from one count for all.
    if frontier.leakage == "istar" or has_side:
        return Target("max_leakage", point.leakage_bits)
    return Target("distinct_l", point.distinct_l)


def _chosen(frontier: Frontier, target: Target) -> Point:
    if target.kind == "distinct_l":
        return frontier.best_utility_with(int(target.number))
    if target.kind == "max_leakage":
        return frontier.best_utility(target.number)
    if target.kind == "largest_cluster":
        return frontier.least_leakage_in_clusters_of(int(target.number))
    return frontier.least_leakage_within(target.number)


def _hierarchies(joint: JointRange, files: Mapping[str, str | Path]) -> tuple[Hierarchy, ...] | None:
    """Read the words of each public column that has a file; the others keep their own hierarchy."""
    columns = joint.public.columns
    for name in files:
        if name not in columns:
            raise OptionError(
                f"--hierarchy names {name!r}, which is no public column; "
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
        raise InputError(f"{Path(file).name}: {error}") from None
