"""A release that holds for persons: the point that holds for rows, merged until it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, pairwise

import numpy as np

from hartley.errors import OptionError, UnreachableError, option, quoted
from hartley.frontiers import Point
from hartley.measures.audit import audit as measure
from hartley.measures.by_column import left_by_column
from hartley.measures.person_range import person_range, profiles_of
from hartley.measures.uncertainty import row_counts
from hartley.measures.verdicts import kept_by_each, verdicts
from hartley.model import JointRange, Partition
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement, Verdict
from hartley.releases.writer.source_rows import Rows
from hartley.tables import Table
from hartley.workflow.persons.linked_rows import Beside, LinkedRows
from hartley.workflow.publication.choose_point import ChosenPoint, ReleaseDemand
from hartley.workflow.publication.exposure import refuse_one_candidate
from hartley.workflow.publication.reader import Reader
from hartley.workflow.publication.release_plan import Plan, Seen
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.study_table import StudyTable


@dataclass(frozen=True)
class PersonRelease:
    """What is asked of a release that must hold for persons."""

    study: StudyTable
    plan: Plan
    seen: Seen
    asked: ReleaseDemand
    destination: Destination

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What must hold."""
        return self.asked.demand.requirements

    @property
    def shape(self) -> str:
        """The shape of clusters that is asked for."""
        return self.asked.question.shape.name

    def refuse_what_has_no_meaning(self) -> None:
        """Refuse what cannot be measured for persons, with the reason."""
        if self.plan.publish_sensitive:
            raise OptionError(
                f"{option('person')} does not go with {option('publish_sensitive')}: whoever links the rows "
                "of a person reads the sensitive value in them"
            )
        whole = [one.name for one in self.requirements if not one.is_monotone]
        if self.plan.roles.side and whole:
            raise OptionError(
                f"{option('person')} with {option('side')} counts what is left of persons, and not "
                f"{whole[0]}: what a reader knows beforehand differs from row to row"
            )

    def linked(self, table: Table, *, harmless: bool = False) -> LinkedRows:
        """Read the rows with the person of each, and what is seen or known beside the public value."""
        plan, person = self.plan, self.study.person or ""
        table.require_columns((person,))
        columns = (*plan.roles.side, *plan.keep, *(plan.harmless if harmless else ()))
        joint = self.seen.observed.before()
        if not columns and not plan.earlier:
            rows = int(row_counts(joint).sum())
            return LinkedRows.read(table, plan.roles, person, missing=plan.missing, rows=rows)
        present = (*plan.roles.columns, *plan.keep) if plan.missing == "drop" else ()
        rows_there = Rows(table, (*plan.needed, person), present=present)
        beside = Beside(columns, tuple(plan.earlier), plan.format_)
        return LinkedRows.read_beside(rows_there, (joint.public, joint.sensitive), person, beside)


def hold_for_persons(
    release: PersonRelease, table: Table, reached: ChosenPoint, again: Callable[[Point], ChosenPoint]
) -> ChosenPoint:
    """Merge clusters of the chosen point until what is required holds for persons.

    The point that holds for rows bounds what can be reached; what was proven about it is not claimed of
    another. Rows that are withheld stay so. Codebooks of single columns are not merged: where they do not
    hold, nothing is released.
    """
    release.refuse_what_has_no_meaning()
    linked = release.linked(table)
    question = release.asked.question
    is_whole = release.shape == "columns"
    while True:
        partition = reached.book.partition
        withheld = reached.point.withheld
        held = withheld[0] if withheld else None

        def cost(one: Partition, held: int | None = held) -> tuple[float, ...]:
            costs = question.utility.costs(one)
            if held is not None:
                costs = np.delete(costs, int(one.labels[held]))
            return float(costs.max(initial=0.0)), float(costs.sum())

        if is_whole:
            _require_held(release, linked, reached)
            better = partition
        else:
            better = repaired(
                linked.joint,
                partition,
                release.requirements,
                reached.closeness,
                cost,
                in_order=release.shape == "intervals",
                held=held,
            )
        if better == partition:
            _refuse_exposure(release, table, reached, linked)
            return reached
        reached = again(question.point_of(question.answer_of(better, reached.point)))


def _require_held(release: PersonRelease, linked: LinkedRows, reached: ChosenPoint) -> None:
    """Refuse codebooks of single columns that do not hold for persons."""
    seen = linked.seen_rows(reached.book.partition)
    for found in held_for_persons(seen, release.requirements, reached.closeness):
        if not found.holds:
            raise UnreachableError(
                f"for persons {found.requirement.text} is not kept: it is {found.found:g}. Under "
                f"{option('shape', 'columns')} codebooks are not merged for persons; ask for more, or leave "
                "the shape out"
            )


def _refuse_exposure(release: PersonRelease, table: Table, reached: ChosenPoint, linked: LinkedRows) -> None:
    """Refuse to expose a person, or, by columns called harmless, to leave one with less than is required."""
    if release.destination.exposure != "refuse":
        return
    seen_persons = linked.seen(reached.book.partition)
    left = () if release.study.jointly else left_by_column([seen_persons], seen_persons.sensitive)
    refuse_one_candidate(measure(seen_persons), left, "persons")
    if not release.plan.harmless:
        return
    monotone = tuple(one for one in release.requirements if one.is_monotone)
    seen = release.linked(table, harmless=True).seen_rows(reached.book.partition)
    for found in held_for_persons(seen, monotone, reached.closeness):
        if not found.holds:
            raise UnreachableError(
                f"do not publish yet: with {quoted(release.plan.harmless, last=' and ')} included, a person "
                f"whose rows are linked keeps {found.found:g}, and {found.wanted:g} is required "
                f"({found.requirement.text}). Keep it ({option('keep')}) or leave it out; "
                f"{option('accept_exposure')} publishes it all the same"
            )


Cost = Callable[[Partition], tuple[float, ...]]
"""What a partition costs; less is better."""
MOST_MERGES = 60
"""So many merges are priced at most in one step."""
WITHHELD = "rows that are withheld stay so; leave out the budget for them"


def held_for_persons(
    linked: JointRange, requirements: tuple[Requirement, ...], closeness: Closeness
) -> tuple[Verdict, ...]:
    """Return what persons keep of each requirement."""
    return verdicts(person_range(linked), requirements, closeness)


def repaired(
    linked: JointRange,
    partition: Partition,
    requirements: tuple[Requirement, ...],
    closeness: Closeness,
    cost: Cost,
    *,
    in_order: bool,
    held: int | None = None,
) -> Partition:
    """Merge clusters until every requirement holds for persons; the cheapest merge first.

    The first side column of ``linked`` is the person, the others are seen beside the released value. The
    cluster of a ``held`` public value, which is withheld, stays as it is.

    Whatever holds for persons stays so when clusters are merged, and everything merged is the last resort; so
    this ends. ``in_order``: only neighbours are merged, with all that lies between.
    """
    reader = Reader(joint=linked, known=1)
    while True:
        released = reader.sees(partition)
        shown = reader.clusters_seen(partition)
        frozen = None if held is None else int(partition.labels[held])
        failing = next(
            (
                v
                for v in zip(requirements, held_for_persons(released, requirements, closeness), strict=True)
                if not v[1].holds
            ),
            None,
        )
        if failing is None:
            return partition
        worst = _worst(released, failing[0], closeness)
        clusters = sorted(set(shown[list(worst)].tolist()) - {frozen})
        others = sorted(set(range(partition.size)) - {frozen})
        tried = [
            _merged(partition, merge, frozen, in_order=in_order)
            for merge in _merges(clusters, others, in_order=in_order)
        ]
        # A cell that is missing has no place among numbers.
        tried = [one for one in tried if np.isfinite(cost(one)[0])]
        if not tried:
            requirement, verdict = failing
            raise UnreachableError(
                f"no release keeps {requirement.text} for persons; with everything merged it is "
                f"{verdict.found:g}{'' if held is None else f' ({WITHHELD})'}"
            )
        partition = min(tried, key=lambda one: (*cost(one), -one.size, one.labels.tolist()))


def _worst(released: JointRange, requirement: Requirement, closeness: Closeness) -> tuple[int, ...]:
    """Return what is seen of the persons who are left with least."""
    profiles, _, _ = profiles_of(released)
    if requirement.is_monotone:
        kept = kept_by_each(person_range(released), requirement, closeness)
        return profiles[int(np.argmin(kept))]
    several = [profile for profile in profiles if len(profile) > 1]
    return max(several, key=len) if several else profiles[0]


def _merges(clusters: list[int], others: list[int], *, in_order: bool) -> list[tuple[int, int]]:
    """Return pairs of clusters to merge for a person who has some of them."""
    found: Iterator[tuple[int, int]]
    if len(clusters) > 1:
        found = pairwise(clusters) if in_order else combinations(clusters, 2)
    else:
        found = (
            (min(alone, other), max(alone, other)) for alone in clusters for other in others if other != alone
        )
    return list(islice(found, MOST_MERGES))


def _merged(partition: Partition, merge: tuple[int, int], frozen: int | None, *, in_order: bool) -> Partition:
    if not in_order:
        return partition.merge(*merge)
    places = np.flatnonzero(np.isin(partition.labels, merge))
    between = set(partition.labels[places.min() : places.max() + 1].tolist()) - {frozen}
    return partition.merge(*sorted(between))
