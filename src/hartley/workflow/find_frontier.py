"""The frontier of a table: how much protection costs how much detail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hartley.errors import OptionError, option
from hartley.frontiers import Frontier
from hartley.model import JointRange
from hartley.model.alphabet import label_to_json
from hartley.model.target import Target
from hartley.model.words import LEAKAGES, SEARCHES, Leakage, SearchName
from hartley.releases.formats import Format
from hartley.releases.policy import Policy
from hartley.search.effort import Effort
from hartley.tables import ReadOptions, Roles, open_table
from hartley.workflow.audit_table import Names, names
from hartley.workflow.publication.reader import Reader
from hartley.workflow.publication.release_paths import ending_like
from hartley.workflow.publication.release_plan import Plan, Seen
from hartley.workflow.question import (
    Question,
    Run,
    SoFar,
    greedy_frontier,
    greedy_run,
    optimal_frontier,
    weight_for,
)
from hartley.workflow.request.time_limit import effort_within
from hartley.workflow.request.utility_choice import UtilityChoice

NO_STEPS = f"only a greedy search has steps to trace; use {option('search', 'greedy')}"


@dataclass(frozen=True, kw_only=True)
class FrontierResult:
    """A frontier, the joint range it is of, and, for a greedy search, the run it was cut from."""

    frontier: Frontier
    question: Question
    dropped_rows: int
    run: Run | None
    """The greedy run; ``None`` for an optimal search."""
    utility_weight: float | None
    known: int
    """How many columns of the side information are known to the reader and not published."""

    @property
    def reader(self) -> Reader:
        """Who reads a release of one of the points, with what is kept and was released earlier."""
        return Reader(joint=self.joint, known=self.known)

    @property
    def joint(self) -> JointRange:
        """The joint range of the table."""
        return self.question.joint

    @property
    def stop(self) -> int | None:
        """The step at which the utility weight stops the greedy run; ``None`` without either."""
        if self.run is None or self.utility_weight is None:
            return None
        return self.run.stop(self.utility_weight)

    def plot(self, **options: Any) -> Any:
        """Draw the frontier, distortion in units of the public columns; see :meth:`Frontier.plot`."""
        return self.frontier.plot(**{"unit": " and ".join(self.joint.public.columns), **options})

    def _repr_html_(self) -> str | None:
        return self.frontier._repr_html_()

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
        if self.stop is not None:
            shown["stop"] = self.stop
        if trace:
            shown["trace"] = self.trace()
        return shown


def frontier(
    source: Any,
    *,
    sensitive: Names,
    public: Names,
    side: Names = (),
    keep: Names = (),
    leakage: Leakage = "l0",
    utility: UtilityChoice | Literal["resolution", "distortion"] | None = None,
    search: SearchName = "optimal",
    utility_weight: float | None = None,
    missing: Literal["value", "drop"] = "value",
    missing_at: float | None = None,
    earlier: Sequence[str | Path | Policy] = (),
    time_limit: float | None = None,
    seed: int = 0,
    effort: Effort | None = None,
    so_far: SoFar | None = None,
    options: ReadOptions | None = None,
) -> FrontierResult:
    """Return the frontier of leakage against utility for a table.

    ``utility`` is a name or, for codewords, scales and dissimilarities, a
    :class:`~hartley.workflow.request.utility_choice.UtilityChoice`. ``utility_weight`` says where a greedy run
    stops; the greedy search of ``leakage="joint"`` needs it to choose its merges (1 by default).
    ``so_far`` is offered the frontier while an optimal search makes it grow.

    Columns to ``keep`` and ``earlier`` releases are seen beside the released values, as a release of the
    same kind as the table shows them: side information to the search, so leakage is what the released
    values add. :attr:`FrontierResult.reader` tells what a reader of all of it learns.
    """
    if leakage not in LEAKAGES:
        raise OptionError.unknown("leakage", leakage, LEAKAGES)
    if search not in SEARCHES:
        raise OptionError.unknown("search", search, SEARCHES)
    if utility_weight is not None:
        utility_weight = Target("utility_weight", utility_weight).number
    choice = utility if isinstance(utility, UtilityChoice) else UtilityChoice(name=utility)
    past = [one if isinstance(one, Policy) else Policy.read(one) for one in earlier]
    table = open_table(source, options or ReadOptions())
    roles = Roles(sensitive=names(sensitive), public=names(public), side=names(side))
    if names(keep) or past:
        plan = Plan(
            table=table,
            roles=roles,
            keep=names(keep),
            harmless=(),
            publish_sensitive=False,
            missing=missing,
            missing_at=missing_at,
            earlier=past,
            format_=Format.of(Path(f"released{ending_like(source)}")),
        )
        seen = Seen.of(plan)
        joint, dropped_rows = seen.observed.for_search(), seen.dropped_rows
        table.close()
    else:
        read = table.joint_range(roles, missing=missing, missing_at=missing_at)
        joint, dropped_rows = read.joint, read.dropped_rows
    question = Question(joint=joint, leakage=leakage, utility=choice.for_alphabet(joint.public))
    effort = effort or effort_within(time_limit, seed=seed)
    with question.explaining():
        run = greedy_run(question, utility_weight, effort) if search == "greedy" else None
        found = optimal_frontier(question, effort, so_far) if run is None else greedy_frontier(question, run)
    return FrontierResult(
        frontier=found,
        question=question,
        dropped_rows=dropped_rows,
        run=run,
        utility_weight=utility_weight,
        known=len(roles.side),
    )
