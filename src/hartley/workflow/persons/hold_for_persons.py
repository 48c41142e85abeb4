"""A release that holds for persons: the point that holds for rows, merged until it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import inf

import numpy as np

from hartley.errors import OptionError, UnreachableError, option, quoted
from hartley.frontiers import Point
from hartley.measures.uncertainty import row_counts, rows_of_values
from hartley.model import Partition
from hartley.model.arrays import Floats, Int64s, different
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.model.words import SLACK, Consent
from hartley.releases.rows.source_rows import Rows
from hartley.search.answer import NOTHING, Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.few_values.every_release import every_release
from hartley.search.merges import withheld_sets
from hartley.search.points.demanded_point import asked_for
from hartley.search.points.measured import answer_again, point_of
from hartley.search.problem import Problem, combined
from hartley.search.withheld import without_values
from hartley.workflow.codebooks.search_codebooks import codebooks_point
from hartley.workflow.persons.linked_rows import Beside, LinkedRows
from hartley.workflow.persons.merge_for_persons import held_for_persons, repaired
from hartley.workflow.publication.choose_point import ChosenPoint, refuse_one_candidate
from hartley.workflow.publication.release_plan import ReleasePlan

MANY_VALUES = 40
"""Of more public values a cap is not tried to be kept by withholding something else."""


@dataclass(frozen=True)
class PersonRelease:
    """What is asked of a release that must hold for persons."""

    plan: ReleasePlan
    exposure: Consent
    """What to do where a person is exposed."""

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What must hold."""
        return self.plan.demand.requirements

    @property
    def closeness(self) -> Closeness:
        """Which sensitive values count as one."""
        return self.plan.question.closeness

    @property
    def shape(self) -> str:
        """The shape of clusters that is asked for."""
        return self.plan.question.shape.name

    def refuse_what_has_no_meaning(self) -> None:
        """Refuse what cannot be measured for persons, with the reason."""
        if self.plan.study.publish_sensitive:
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

    def holds(self, linked: LinkedRows, partition: Partition) -> bool:
        """Tell whether a partition keeps for persons what is required."""
        found = held_for_persons(linked.seen_rows(partition), self.requirements, self.closeness)
        return all(one.holds for one in found)

    def is_within_cap(self, point: Point) -> bool:
        """Tell whether a point costs no more than is allowed."""
        cap = self.plan.demand.cap
        if cap is None:
            return True
        found = point.largest_cluster if cap.kind == "largest_cluster" else point.cost
        return found <= cap.number * (1 + SLACK)

    def linked(self, *, harmless: bool = False) -> LinkedRows:
        """Read the rows with the person of each, and what is seen or known beside the public value."""
        plan, person, table = self.plan, self.plan.study.person or "", self.plan.table
        table.require_columns((person,))
        columns = (*plan.roles.side, *plan.keep, *(plan.harmless if harmless else ()))
        joint = plan.observed.before()
        if not columns and not plan.earlier:
            rows = int(row_counts(joint).sum())
            return LinkedRows.read(table, plan.roles, person, missing=plan.study.missing, rows=rows)
        present = (*plan.roles.columns, *plan.keep) if plan.study.missing == "drop" else ()
        rows_there = Rows(table, (*plan.needed, person), present=present)
        beside = Beside(columns, plan.earlier, plan.format_)
        return LinkedRows.read_beside(rows_there, (joint.public, joint.sensitive), person, beside)


def hold_for_persons(
    release: PersonRelease,
    reached: ChosenPoint,
    again: Callable[[Point], ChosenPoint],
    effort: Effort = UNLIMITED,
) -> ChosenPoint:
    """Find a release that holds for persons, where the chosen point does not.

    Of few values the cheapest of all releases is taken, else clusters of the chosen point are merged until
    they hold. What was proven about that point is not claimed of another. Codebooks of single columns are
    searched again for more rows in every class.
    """
    release.refuse_what_has_no_meaning()
    linked = release.linked()
    linked.require_countable(release.requirements)
    if release.shape == "columns":
        reached = _coarser_codebooks(release, linked, reached, again, effort)
    while not release.holds(linked, reached.book.partition):
        answer = _cheapest_of_few(release, linked) or _merged_further(release, linked, reached)
        reached = again(point_of(release.plan.question, answer))
    _refuse_exposure(release, reached, linked)
    return reached


def _cheapest_of_few(release: PersonRelease, linked: LinkedRows) -> Answer | None:
    """Return the cheapest release that holds for persons; ``None`` where there are too many to look at."""
    demand, question = release.plan.demand, release.plan.question
    cap = demand.cap
    is_of_clusters = cap is not None and cap.kind == "largest_cluster"
    every = every_release(
        asked_for(question, demand),
        inf if cap is None or is_of_clusters else cap.number,
        int(cap.number) if cap is not None and is_of_clusters else None,
    )
    if every is None:
        return None
    for answer in every:
        if release.holds(linked, answer.partition):
            return answer
    raise _none_for_persons(release, linked)


def _merged_further(release: PersonRelease, linked: LinkedRows, reached: ChosenPoint) -> Answer:
    """Merge clusters of the chosen point until it holds for persons, beside what it withholds.

    Merging never breaks what holds. So where everything else as one cluster does not hold beside what is
    withheld, nothing does, and something else is withheld: nothing, or sets of few values.
    """
    question, point, merged = release.plan.question, reached.point, reached.book.partition
    chosen = np.array(point.withheld, dtype=np.int64)
    rows = rows_of_values(question.joint)
    # What the chosen point withholds is one cluster; its values are alone where something else is withheld.
    own = np.isin(merged.labels, merged.labels[chosen])
    freed = Partition(np.where(own, merged.size + np.arange(len(own)), merged.labels))
    over: Point | None = None
    for withheld in chain((chosen, NOTHING) if len(chosen) else (chosen,), withheld_sets(question)):
        gone = np.union1d(withheld, np.flatnonzero(question.missing)) if len(withheld) else withheld
        if not release.holds(linked, _coarsest(question, gone)):
            continue
        beside = merged if np.array_equal(withheld, chosen) else without_values(freed, gone)
        better = repaired(
            linked.joint,
            beside,
            release.requirements,
            release.closeness,
            partial(_costs, question),
            in_order=release.shape == "intervals",
            held=int(withheld[0]) if len(withheld) else None,
        )
        held_back = replace(point, withheld=tuple(withheld.tolist()), withheld_rows=int(rows[withheld].sum()))
        answer = answer_again(question, better, held_back)
        found = point_of(question, answer)
        if release.is_within_cap(found):
            return answer
        over = over or found
        if question.joint.public.size > MANY_VALUES:
            break
    raise _none_for_persons(release, linked, over)


def _costs(question: Problem, partition: Partition) -> Floats:
    """Return what each cluster costs; a missing cell is in no band."""
    costs = question.utility.costs(partition).astype(float)
    if not question.shape.is_any:
        missing = different(partition.labels[question.missing])
        costs[missing[partition.sizes[missing] > 1]] = np.inf
    return costs


def _coarsest(question: Problem, gone: Int64s) -> Partition:
    """Return everything that is not withheld as one cluster; what has no place among the others is alone."""
    size = question.joint.public.size
    alone = np.arange(size)
    labels = np.where(np.isin(alone, gone), size, size + 1)
    whole = Partition(labels)
    costs = np.delete(question.utility.costs(whole), different(whole.labels[gone]))
    if np.isfinite(costs).all() and question.shape.is_any:
        return whole
    return Partition(np.where(question.missing & (labels > size), alone, labels))


def _none_for_persons(
    release: PersonRelease, linked: LinkedRows, over: Point | None = None
) -> UnreachableError:
    """Return the refusal where nothing holds for persons, or only a point ``over`` the cap was found."""
    question, cap = release.plan.question, release.plan.demand.cap
    whole = linked.seen_rows(_coarsest(question, NOTHING))
    verdicts_of_whole = held_for_persons(whole, release.requirements, release.closeness)
    failing = next((one for one in verdicts_of_whole if not one.holds), None)
    if failing is not None:
        return UnreachableError(
            f"no release keeps {failing.requirement.text} for persons; with everything merged it is "
            f"{failing.found:g}"
        )
    within = "" if cap is None else f" within {option(cap.kind, f'{cap.number:g}')}"
    if over is not None:
        return UnreachableError(
            f"no release was found that holds for persons{within}; without that cap one was, of "
            f"{over.largest_cluster if cap and cap.kind == 'largest_cluster' else over.cost:g}"
        )
    asked = " and ".join(one.text for one in release.requirements)
    return UnreachableError(f"no release keeps {asked} for persons{within}")


def _coarser_codebooks(
    release: PersonRelease,
    linked: LinkedRows,
    reached: ChosenPoint,
    again: Callable[[Point], ChosenPoint],
    effort: Effort,
) -> ChosenPoint:
    """Return codebooks that hold for persons: for ever more rows in every class, twice as many each time.

    Nothing is proven of them: what is true of so many rows in every class is not of persons. They withhold
    nothing. With all rows in one class every column is one band, and what holds for persons
    anywhere holds there.
    """
    question, demand = release.plan.question, release.plan.demand
    rows = int(row_counts(question.joint).sum())
    asked = 1
    while not release.holds(linked, reached.book.partition):
        if asked >= rows:
            raise _none_for_persons(release, linked)
        asked = min(2 * asked, rows)
        more = replace(demand, requirements=combined(demand.requirements, [Requirement("row-k", asked)]))
        point = codebooks_point(replace(question, budget=0), more, effort)
        found = None if point.codebooks is None else point.codebooks.without_proof()
        reached = again(
            replace(
                point,
                verdicts=reached.point.verdicts,
                codebooks=found,
                lower_bound_cost=None,
                proven_optimal=False,
            )
        )
    return reached


def _refuse_exposure(release: PersonRelease, reached: ChosenPoint, linked: LinkedRows) -> None:
    """Refuse to expose a person, or, by columns called harmless, to leave one with less than is required."""
    if release.exposure != "refuse":
        return
    partition = reached.book.partition
    left = () if release.plan.study.jointly else linked.left(partition)
    refuse_one_candidate(linked.audit(partition), left, "persons")
    if not release.plan.harmless:
        return
    monotone = tuple(one for one in release.requirements if one.is_monotone)
    seen = release.linked(harmless=True).seen_rows(partition)
    for found in held_for_persons(seen, monotone, release.closeness):
        if not found.holds:
            raise UnreachableError(
                f"do not publish yet: with {quoted(release.plan.harmless, last=' and ')} included, a "
                f"person whose rows are linked keeps {found.found:g}, and {found.wanted:g} is required "
                f"({found.requirement.text}). Keep it ({option('keep')}) or leave it out; "
                f"{option('accept_exposure')} publishes it all the same"
            )
