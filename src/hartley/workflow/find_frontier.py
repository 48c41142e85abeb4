"""The frontier of a table: how much protection costs how much detail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point, Points
from hartley.measures.usefulness import Usefulness
from hartley.measures.utility import released_information
from hartley.model import JointRange
from hartley.model.demand import Demand, Target, Wanted
from hartley.releases.formats import Format
from hartley.releases.rows.reader import Reader
from hartley.releases.writer.release_paths import ending_like
from hartley.search.effort import Effort
from hartley.search.frontier import SoFar
from hartley.search.frontier import frontier as optimal_frontier
from hartley.search.greedy.runs import GreedyRun, greedy_frontier, greedy_run
from hartley.search.points.demanded_point import offered
from hartley.search.points.label_costs import with_label_costs
from hartley.search.points.reachable import explained
from hartley.search.problem import Problem
from hartley.workflow.audit_table import required
from hartley.workflow.codebooks.search_codebooks import frontier_of_codebooks
from hartley.workflow.demands.budgets import BudgetFrontier, BudgetGain, frontiers_by_budget, unused_budget
from hartley.workflow.publication.choose_point import optimal_point, searched_point, searched_problem
from hartley.workflow.publication.release_plan import ReleasePlan, asked_question
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.request.time_limit import SearchLimits
from hartley.workflow.show_release import usefulness_of
from hartley.workflow.trees.refusals import without_side
from hartley.workflow.trees.search_levels import frontier_of_levels
from hartley.workflow.trees.search_tree import frontier_of_trees

NO_STEPS = f"only a greedy search has steps to trace; use {option('search', 'greedy')}"


@dataclass(frozen=True, kw_only=True)
class FrontierResult(Points):
    """A frontier, the joint range it is of, and, for a greedy search, the run it was cut from.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> found = hartley.frontier(table, sensitive="age", public="chol")
    >>> found.joint
    JointRange(4 public values, 3 sensitive values, 4 pairs)
    >>> found.complete, len(found), found[1].distinct_l, found.at(distinct_l=3).max_distortion
    (True, 3, 2, 17.5)
    """

    frontier: Frontier
    """The points, from best utility to least leakage; the result is a sequence of them itself."""
    question: Problem
    """What was searched: the joint range, the leakage, the utility."""
    dropped_rows: int
    """Rows left out because a value was missing, where that was asked for."""
    run: GreedyRun | None
    """The greedy run; ``None`` for an optimal search."""
    utility_weight: float | None
    """The weight that stops a greedy run; ``None`` where none was given."""
    known: int
    """How many columns of the side information are known to the reader and not published."""
    budgets: tuple[BudgetFrontier, ...] = ()
    """One frontier for each budget of withheld rows, where several were asked for; the first is
    :attr:`frontier`."""
    unused: BudgetGain | None = None
    """Where one budget was given and no row is withheld: what would help."""

    @property
    def reader(self) -> Reader:
        """Who reads a release of one of the points, with what is kept and was released earlier."""
        return Reader(joint=self.joint, known=self.known)

    @property
    def joint(self) -> JointRange:
        """The joint range of the table."""
        return self.question.joint

    @property
    def points(self) -> tuple[Point, ...]:
        """The points of the frontier, from best utility to least leakage."""
        return self.frontier.points

    @property
    def complete(self) -> bool:
        """Whether the search came to its end."""
        return self.frontier.complete

    def meeting(self, wanted: Wanted, limits: SearchLimits | None = None) -> Point:
        """Return the point that a release for this demand would have.

        Over several columns with text many recodings have the same worst class, and the frontier shows the
        best protected of them only. A release keeps most detail on average, so it is searched for, and so are
        codebooks, for which a frontier takes less time; of trees the frontier has the release itself.
        """
        demand = Demand.of(wanted)
        question = self.question
        is_searched = self.run is None and (question.is_polished or question.shape.name == "columns")
        if not is_searched or demand.utility_weight is not None or demand.cap is not None:
            return self.frontier.meeting(demand)
        effort = (limits or SearchLimits()).start(question.default_seconds)
        return optimal_point(question, demand, effort)

    def usefulness(self, point: Point) -> Usefulness:
        """Return what is left of the public columns at a point: moves, widths, correlations."""
        return usefulness_of(self.joint, point, self.frontier.codeword)

    @property
    def stop(self) -> int | None:
        """The step at which the utility weight stops the greedy run; ``None`` without either."""
        if self.run is None or self.utility_weight is None:
            return None
        return self.run.stop()

    def plot(self, **options: Any) -> Any:
        """Draw the frontier, distortion in units of the public columns; see :meth:`Frontier.plot`."""
        secret, public = " and ".join(self.joint.sensitive.columns), " and ".join(self.joint.public.columns)
        told = {
            "unit": public,
            "columns": len(self.joint.public.columns),
            "subject": f"What protecting {secret} costs in {public}",
        }
        return self.frontier.plot(**{**told, **options})

    def __repr__(self) -> str:
        secret, seen = " and ".join(self.joint.sensitive.columns), " and ".join(self.joint.public.columns)
        return f"FrontierResult({secret} from {seen}: {len(self.frontier.points)} points)"

    def _repr_html_(self) -> str:
        from hartley.report.notebook import frontier_html

        return frontier_html(self)

    def to_frame(self) -> Any:
        """Return the points, and :func:`~hartley.released_information` of each, as a data frame."""
        from hartley.report.notebook import points_frame

        bits = [released_information(self.joint, point.partition) for point in self.points]
        return points_frame(self.points, released_information_bits=bits)

    def trace(self, utility_weight: float | None = None) -> list[dict[str, Any]]:
        """Return every step of the greedy run, its clusters by name; see :meth:`GreedyRun.trace`."""
        if self.run is None:
            raise OptionError(NO_STEPS)
        return self.run.trace(utility_weight)

    def to_dict(self, *, trace: bool = False) -> dict[str, Any]:
        """Return the result as it stands in JSON."""
        shown = self.frontier.to_dict()
        if self.budgets:
            del shown["points"]
            shown["complete"] = all(one.frontier.complete for one in self.budgets)
            shown["budgets"] = [one.to_dict() for one in self.budgets]
        if self.stop is not None:
            shown["stop"] = self.stop
        if trace:
            shown["trace"] = self.trace()
        return shown


def find_frontier(
    study: StudyTable,
    objective: Objective,
    limits: SearchLimits,
    *,
    require: Wanted = None,
    each: bool = False,
    utility_weight: float | None = None,
    so_far: SoFar | None = None,
) -> FrontierResult:
    """Search the frontier of leakage against utility for a study; every point keeps what is required.

    Columns that are kept and earlier releases are seen beside the released values, as a release of the
    same kind as the table shows them. :attr:`FrontierResult.reader` tells what a reader of all of it learns.
    """
    study = without_side(study, objective)
    if utility_weight is not None:
        utility_weight = Target("utility_weight", utility_weight).number
    joint, dropped_rows = seen_range(study, objective)
    requirements = required(study, require, each=each)
    question = asked_question(study, objective, joint, requirements, objective.budgets[0])
    if objective.clusters.name not in ("columns", "tree"):
        question = question.as_joint()
    effort = limits.start(question.default_seconds)

    def keeping(found: Frontier) -> Frontier:
        return offered(question, found, effort)

    def show(found: Callable[[], Frontier]) -> None:
        assert so_far is not None  # noqa: S101 (shown only to somebody)
        so_far(lambda: with_label_costs(question, found()))

    grown = None if so_far is None else show
    budgets: tuple[BudgetFrontier, ...] = ()
    run: GreedyRun | None = None
    with question.explaining():
        if objective.search == "greedy":
            run = greedy_run(question, utility_weight, effort)
            found = keeping(greedy_frontier(question, run))
        elif len(objective.budgets) == 1:
            try:
                found = keeping(searched_frontier(question, effort, grown))
            except UnreachableError as error:
                raise explained(question, Demand(requirements=question.counts), effort, error) from None
        else:
            budgets = frontiers_by_budget(
                question,
                objective.budgets,
                lambda asked, known: keeping(
                    with_label_costs(asked, searched_frontier(asked, effort, grown, known))
                ),
                effort,
            )
            found = budgets[0].frontier
    return FrontierResult(
        frontier=with_label_costs(question, found),
        question=replace(question, joint=joint),
        dropped_rows=dropped_rows,
        run=run,
        utility_weight=utility_weight,
        known=len(study.roles.side),
        budgets=budgets,
        unused=None if run or budgets else unused_budget(question, found, effort),
    )


def solve_demand(study: StudyTable, demand: Demand, objective: Objective, limits: SearchLimits) -> Point:
    """Return the point that a release for a demand would have, before its cells are labelled."""
    if demand.is_empty:
        raise OptionError(
            f"say what must be kept, such as {option('distinct_l', '5')}, or a cap on what is lost"
        )
    joint, _ = seen_range(study, objective)
    question = asked_question(study, objective, joint, demand.requirements)
    searched = searched_problem(question, demand, objective.search)
    return searched_point(searched, demand, objective.search, limits.start(question.default_seconds))


def seen_range(study: StudyTable, objective: Objective) -> tuple[JointRange, int]:
    """Return what a reader of a release sees, and how many rows were left out."""
    if study.joint is not None:
        return study.joint, 0
    with study.opened() as table:
        if study.keep or study.earlier:
            shown = replace(study, harmless=(), publish_sensitive=False)
            format_ = Format.of(Path(f"released{ending_like(study.source)}"))
            plan = ReleasePlan.of(shown, table, objective, Demand(), format_)
            return plan.joint, plan.read.dropped_rows
        read = table.joint_range(study.roles, missing=study.missing, missing_at=study.missing_at)
        return read.joint, read.dropped_rows


def searched_frontier(
    question: Problem, effort: Effort, so_far: SoFar | None = None, known: Sequence[Point] = ()
) -> Frontier:
    """Search a frontier of any shape; codebooks and trees where their columns are known."""
    if question.shape.name == "columns":
        search = frontier_of_levels if question.transparent else frontier_of_codebooks
        return search(question, effort)
    if question.shape.name == "tree":
        return frontier_of_trees(question, effort)
    return optimal_frontier(question, effort, so_far, known)
