"""A release that holds for persons: the point that holds for rows, merged until it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hartley.errors import OptionError, option
from hartley.frontiers import Point
from hartley.measures.uncertainty import row_counts
from hartley.model import Partition
from hartley.model.demand import Demand
from hartley.tables import Table
from hartley.workflow.persons.linked_rows import LinkedRows
from hartley.workflow.persons.repair import repaired
from hartley.workflow.publication.choose_point import ChosenPoint, ReleaseDemand
from hartley.workflow.publication.release_plan import Plan
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable


@dataclass(frozen=True)
class PersonRelease:
    """What is asked of a release that must hold for persons."""

    study: StudyTable
    plan: Plan
    asked: ReleaseDemand
    objective: Objective
    demand: Demand

    def refuse_what_has_no_meaning(self) -> None:
        """Refuse what is not measured for persons."""
        beside = {
            "side": self.plan.roles.side,
            "keep": self.plan.keep,
            "harmless": self.plan.harmless,
            "earlier": self.plan.earlier,
            "publish_sensitive": self.plan.publish_sensitive,
            "withhold": self.asked.question.budget,
        }
        given = [name for name, value in beside.items() if value]
        if self.objective.clusters.name == "columns":
            raise OptionError(f"{option('person')} does not go with {option('shape', 'columns')} yet")
        if given:
            raise OptionError(f"{option('person')} does not go with {option(given[0])} yet")


def hold_for_persons(
    release: PersonRelease, table: Table, reached: ChosenPoint, again: Callable[[Point], ChosenPoint]
) -> ChosenPoint:
    """Merge clusters of the chosen point until what is required holds for persons.

    The point that holds for rows bounds what can be reached; what was proven about it is not claimed of
    another.
    """
    release.refuse_what_has_no_meaning()
    question = release.asked.question
    study, joint = release.study, question.joint
    linked = LinkedRows.read(
        table,
        release.plan.roles,
        study.person or "",
        missing=study.missing,
        rows=int(row_counts(joint).sum()),
    )

    def cost(partition: Partition) -> tuple[float, ...]:
        costs = question.utility.costs(partition)
        return float(costs.max()), float(costs.sum())

    while True:
        partition = reached.book.partition
        better = repaired(
            linked.joint,
            partition,
            release.demand.requirements,
            reached.closeness,
            cost,
            in_order=release.objective.clusters.name == "intervals",
        )
        if better == partition:
            return reached
        reached = again(question.point(lambda found=better: found))  # type: ignore[misc]
