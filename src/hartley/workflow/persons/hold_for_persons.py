"""A release that holds for persons: the point that holds for rows, merged until it does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, pairwise

import numpy as np

from hartley.errors import OptionError, UnreachableError, option, quoted
from hartley.frontiers import Point
from hartley.measures.audit import audit as measure
from hartley.measures.by_column import left_by_column
from hartley.measures.person_range import person_range, profiles_of
from hartley.measures.uncertainty import row_counts
from hartley.measures.verdicts import kept_by_each, verdicts
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement, Verdict
from hartley.releases.rows.reader import Reader
from hartley.releases.rows.source_rows import Rows
from hartley.search.points.measured import answer_again, point_of
from hartley.tables import Table
from hartley.workflow.persons.linked_rows import Beside, LinkedRows
from hartley.workflow.publication.choose_point import ChosenPoint, ReleaseDemand
from hartley.workflow.publication.exposure import refuse_one_candidate
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
    linked.require_countable(release.requirements)
    question = release.asked.question
    is_whole = release.shape == "columns"
    while True:
        partition = reached.book.partition
        withheld = reached.point.withheld
        held = withheld[0] if withheld else None

        if is_whole:
            _require_held(release, linked, reached)
            better = partition
        else:
            better = repaired(
                linked.joint,
                partition,
                release.requirements,
                reached.closeness,
                question.utility.costs,
                in_order=release.shape == "intervals",
                held=held,
            )
        if better == partition:
            _refuse_exposure(release, table, reached, linked)
            return reached
        reached = again(point_of(question, answer_again(question, better, reached.point)))


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


Costs = Callable[[Partition], Floats]
"""What each cluster of a partition costs."""
Merge = tuple[int, ...]
"""Clusters that become one."""
MOST_MERGES = 60
"""So many merges are priced at most for one person."""
FEW_CLUSTERS, MOST_MERGES_OF_MANY = 200, 12
"""Where there are more clusters than few, fewer merges are priced for each of many persons."""
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
    costs: Costs,
    *,
    in_order: bool,
    held: int | None = None,
) -> Partition:
    """Merge clusters until every requirement holds for persons; of each person the cheapest merge.

    The first side column of ``linked`` is the person, the others are seen beside the released value. The
    cluster of a ``held`` public value, which is withheld, stays as it is.

    Whatever holds for persons stays so when clusters are merged, and everything merged is the last resort; so
    this ends. A merge changes nothing for a person who has none of its clusters, so in one round every person
    who is left with too little, from the one with least on, has a merge of clusters that no other had.
    ``in_order``: only neighbours are merged, with all that lies between.
    """
    reader = Reader(joint=linked, known=1)
    while True:
        released = reader.sees(partition)
        shown = reader.clusters_seen(partition)
        frozen = None if held is None else int(partition.labels[held])
        persons = person_range(released)
        failing = next((v for v in verdicts(persons, requirements, closeness) if not v.holds), None)
        if failing is None:
            return partition
        others = [number for number in range(partition.size) if number != frozen]
        short = [
            sorted(set(shown[list(profile)].tolist()) - {frozen})
            for profile in _short(released, persons, failing.requirement, closeness)
        ]
        most = MOST_MERGES if partition.size <= FEW_CLUSTERS else MOST_MERGES_OF_MANY
        merges = _round(partition, short, others, costs, most, in_order=in_order) or _round(
            partition, short[:1], others, costs, partition.size**2, in_order=in_order
        )
        if not merges:
            raise UnreachableError(
                f"no release keeps {failing.requirement.text} for persons; with everything merged it is "
                f"{failing.found:g}{'' if held is None else f' ({WITHHELD})'}"
            )
        partition = _merged(partition, merges)


def _short(
    released: JointRange, persons: JointRange, requirement: Requirement, closeness: Closeness
) -> list[tuple[int, ...]]:
    """Return what is seen of the persons who are left with too little, from those left with least on."""
    profiles, _ = profiles_of(released)
    if requirement.is_monotone:
        kept = kept_by_each(persons, requirement, closeness)
        order = np.argsort(kept, kind="stable")
        return [profiles[number] for number in order[kept[order] < requirement.wanted].tolist()]
    several = [profile for profile in profiles if len(profile) > 1]
    return [max(several, key=len) if several else profiles[0]]


def _round(
    partition: Partition,
    short: list[list[int]],
    others: list[int],
    costs: Costs,
    most: int,
    *,
    in_order: bool,
) -> list[Merge]:
    """Return the cheapest merge of each person who is left with too little; no two touch the same cluster."""
    claimed: set[int] = set()
    free = set(others)
    tried: list[list[Merge]] = []
    for clusters in short:
        if claimed.isdisjoint(clusters):
            claimed.update(clusters)
            pairs = _pairs(clusters, others, most, in_order=in_order)
            spans = (range(a, b + 1) if in_order else (a, b) for a, b in pairs)
            tried.append([tuple(one for one in span if one in free) for span in spans])
    before = costs(partition)
    worst = max((float(before[number]) for number in others), default=0.0)
    priced = _priced(partition, tried, costs)
    touched: set[int] = set()
    found: list[Merge] = []
    for merges in tried:
        # A cell that is missing has no place among numbers.
        possible = [one for one in merges if np.isfinite(priced[one]) and touched.isdisjoint(one)]
        if possible:
            found.append(
                min(
                    possible,
                    key=lambda one: (
                        max(worst, priced[one]),
                        round(priced[one] - float(before[list(one)].sum()), 12),
                        len(one),
                        one[::-1],
                    ),
                )
            )
            touched.update(found[-1])
    return found


def _pairs(clusters: list[int], others: list[int], most: int, *, in_order: bool) -> list[tuple[int, int]]:
    """Return pairs of clusters to merge for a person who has some of them; alone, with the nearest others."""
    if len(clusters) > 1:
        return list(islice(pairwise(clusters) if in_order else combinations(clusters, 2), most))
    near: list[tuple[int, int]] = []
    for alone in clusters:
        at = bisect_left(others, alone)
        around = others[max(at - most, 0) : at + most + 1]
        nearest = sorted((abs(other - alone), other) for other in around if other != alone)
        near += [(min(alone, other), max(alone, other)) for _, other in nearest[:most]]
    return near


def _priced(partition: Partition, tried: list[list[Merge]], costs: Costs) -> dict[Merge, float]:
    """Return what the cluster of each merge would cost; merges that do not touch are priced together."""
    together: list[tuple[set[int], list[Merge]]] = []
    for merge in dict.fromkeys(chain.from_iterable(tried)):
        fitting = next((pack for pack in together if pack[0].isdisjoint(merge)), None)
        if fitting is None:
            fitting = (set(), [])
            together.append(fitting)
        fitting[0].update(merge)
        fitting[1].append(merge)
    priced: dict[Merge, float] = {}
    for _, merges in together:
        merged = _merged(partition, merges)
        after = costs(merged)
        for merge in merges:
            priced[merge] = float(after[merged.labels[partition.firsts[merge[0]]]])
    return priced


def _merged(partition: Partition, merges: Sequence[Merge]) -> Partition:
    number = np.arange(partition.size)
    for merge in merges:
        number[list(merge)] = merge[0]
    return Partition(number[partition.labels])
