"""The frontier of a table: how much protection costs how much detail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hartley.errors import OptionError, UnreachableError, option
from hartley.frontiers import Frontier, Point
from hartley.lazy import late_function
from hartley.measures.usefulness import Usefulness
from hartley.model import JointRange
from hartley.model.alphabet import label_to_json
from hartley.model.demand import Demand, Wanted
from hartley.model.requirement import Requirement, require_fitting
from hartley.model.target import Target
from hartley.model.words import Labels
from hartley.releases.formats import Format
from hartley.workflow.audit_table import required
from hartley.workflow.codebooks.arranged_column import ArrangedColumn
from hartley.workflow.demands.budgets import BudgetFrontier, BudgetGain, frontiers_by_budget, unused_budget
from hartley.workflow.demands.offered_points import asked_for_certain, offered
from hartley.workflow.demands.reachable import explained
from hartley.workflow.demands.search_point import demanded_point
from hartley.workflow.label_costs import with_label_costs
from hartley.workflow.publication.reader import Reader
from hartley.workflow.publication.release_paths import ending_like
from hartley.workflow.publication.release_plan import Plan, Seen
from hartley.workflow.question import Question
from hartley.workflow.request.objective import Budget, Objective
from hartley.workflow.request.study_table import StudyTable, names
from hartley.workflow.request.time_limit import SearchLimits
from hartley.workflow.search_frontier import (
    Run,
    SoFar,
    greedy_frontier,
    greedy_run,
    optimal_frontier,
    weight_for,
)
from hartley.workflow.show_release import usefulness_of

NO_STEPS = f"only a greedy search has steps to trace; use {option('search', 'greedy')}"


@dataclass(frozen=True, kw_only=True)
class FrontierResult:
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
    """The points, from best utility to least leakage."""
    question: Question
    """What was searched: the joint range, the leakage, the utility."""
    dropped_rows: int
    """Rows left out because a value was missing, where that was asked for."""
    run: Run | None
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

    def __len__(self) -> int:
        """Count the points."""
        return len(self.points)

    def __getitem__(self, place: int) -> Point:
        """Return a point by its place, from best utility to least leakage."""
        return self.points[place]

    def __iter__(self) -> Iterator[Point]:
        """Go through the points, from best utility to least leakage."""
        return iter(self.points)

    def at(self, **wanted: float) -> Point:
        """Return the point that a release would have, as ``at(distinct_l=5, row_k=10)``."""
        return self.meeting(wanted)

    def meeting(self, wanted: Wanted, limits: SearchLimits | None = None) -> Point:
        """Return the point that a release for this demand would have.

        Over several columns with text many recodings have the same worst class, and the frontier shows the
        best protected of them only. A release keeps most detail on average, so it is searched for.
        """
        demand = Demand.of(wanted)
        question = self.question
        is_searched = self.run is None and question.demanded().is_over_columns
        if not is_searched or demand.utility_weight is not None or demand.cap is not None:
            return self.frontier.meeting(demand)
        effort = (limits or SearchLimits()).start(question.default_seconds)
        with question.explaining():
            return demanded_point(question, demand, effort)

    def usefulness(self, point: Point) -> Usefulness:
        """Return what is left of the public columns at a point: moves, widths, correlations."""
        return usefulness_of(self.joint, point, self.frontier.codeword)

    @property
    def stop(self) -> int | None:
        """The step at which the utility weight stops the greedy run; ``None`` without either."""
        if self.run is None or self.utility_weight is None:
            return None
        return self.run.stop(self.utility_weight)

    def plot(self, **options: Any) -> Any:
        """Draw the frontier, distortion in units of the public columns; see :meth:`Frontier.plot`."""
        secret, public = " and ".join(self.joint.sensitive.columns), " and ".join(self.joint.public.columns)
        told = {"unit": public, "subject": f"What protecting {secret} costs in {public}"}
        return self.frontier.plot(**{**told, **options})

    def __repr__(self) -> str:
        secret, seen = " and ".join(self.joint.sensitive.columns), " and ".join(self.joint.public.columns)
        return f"FrontierResult({secret} from {seen}: {len(self.frontier.points)} points)"

    def _repr_html_(self) -> str:
        shown: str = late_function("FrontierResult.html")(self)
        return shown

    def to_frame(self) -> Any:
        """Return the points as a data frame of pandas or polars, whichever is there."""
        return self.frontier.to_frame()

    def trace(self) -> list[dict[str, Any]]:
        """Return every step of the greedy run, its clusters by name.

        Where no weight was given, the Lagrangian is that of the weight the run was made with.
        """
        if self.run is None:
            raise OptionError(NO_STEPS)
        labels = [label_to_json(label) for label in self.joint.public.labels()]
        along, leakage = self.run.along, self.question.leakage
        weight = weight_for(leakage, self.utility_weight)
        return [
            {
                "step": step,
                "leakage_bits": float(along.leakage(leakage)[step]),
                "utility": float(along.utility[step]),
                "lagrangian": float(along.lagrangian(leakage, weight)[step]),
                "clusters": [
                    [labels[place] for place in cluster]
                    for cluster in self.run.tree.partition(step).clusters()
                ],
            }
            for step in range(self.run.tree.steps + 1)
        ]

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
    if utility_weight is not None:
        utility_weight = Target("utility_weight", utility_weight).number
    roles = study.roles
    with study.opened() as table:
        if objective.clusters.name in ("columns", "tree") and study.keep and not study.earlier:
            roles = replace(roles, public=(*roles.public, *names(study.keep)))
            read = table.joint_range(roles, missing=study.missing, missing_at=study.missing_at)
            joint, dropped_rows = read.joint, read.dropped_rows
        elif study.keep or study.earlier:
            plan = Plan.of(study, table, Format.of(Path(f"released{ending_like(study.source)}")))
            seen = Seen.of(replace(plan, harmless=(), publish_sensitive=False))
            joint, dropped_rows = seen.observed.for_search().knowing(len(roles.side)), seen.dropped_rows
        else:
            read = table.joint_range(roles, missing=study.missing, missing_at=study.missing_at)
            joint, dropped_rows = read.joint, read.dropped_rows
    requirements = required(study, require, each=each)
    question = asked_question(study, objective, joint, requirements, objective.budgets[0])
    question = asked_for_certain(question)
    effort = limits.start(question.default_seconds)

    def keeping(found: Frontier) -> Frontier:
        return offered(question, found, requirements, len(roles.side), effort)

    def show(found: Callable[[], Frontier]) -> None:
        assert so_far is not None  # noqa: S101 (shown only to somebody)
        so_far(lambda: with_label_costs(question, found()))

    grown = None if so_far is None else show
    budgets: tuple[BudgetFrontier, ...] = ()
    run: Run | None = None
    with question.explaining():
        if objective.search == "greedy":
            run = greedy_run(question, utility_weight, effort)
            found = keeping(greedy_frontier(question, run))
        elif len(objective.budgets) == 1:
            try:
                found = keeping(optimal_frontier(question, effort, grown))
            except UnreachableError as error:
                raise explained(question, Demand(requirements=question.requirements), effort, error) from None
        else:
            budgets = frontiers_by_budget(
                question,
                objective.budgets,
                lambda asked, known: keeping(
                    with_label_costs(asked, optimal_frontier(asked, effort, grown, known))
                ),
                effort,
            )
            found = budgets[0].frontier
    return FrontierResult(
        frontier=with_label_costs(question, found),
        question=question,
        dropped_rows=dropped_rows,
        run=run,
        utility_weight=utility_weight,
        known=len(roles.side),
        budgets=budgets,
        unused=None if run or budgets else unused_budget(question, found, effort),
    )


def asked_question(
    study: StudyTable,
    objective: Objective,
    joint: JointRange,
    requirements: Iterable[Requirement] = (),
    budget: Budget | None = None,
    labels: Labels | None = None,
) -> Question:
    """Return the question that a study and an objective ask of a joint range.

    Where ``labels`` are given, what they cost is counted.
    """
    closeness = study.closeness(joint.sensitive)
    given = tuple(requirements)
    is_by_column = objective.clusters.name in ("columns", "tree")
    is_intervals = objective.clusters.name == "intervals"
    require_fitting(given, joint.sensitive.columns, closeness)
    return Question(
        joint=joint,
        leakage=objective.leakage,
        utility=objective.utility_for(joint.public, labels),
        requirements=tuple(one for one in given if one.is_monotone),
        limits=tuple(one for one in given if not one.is_monotone),
        closeness=closeness,
        shape=objective.clusters,
        budget=(budget or objective.budget).rows_of(joint.row_count),
        columns=objective.columns if is_by_column else None,
        arrangement=ArrangedColumn.of(objective.columns, joint.public) if is_intervals else None,
        kept=names(study.keep) if is_by_column else (),
        objective=objective.objective,
        transparent=objective.transparent,
        transparent_knows=objective.transparent_knows,
    )
