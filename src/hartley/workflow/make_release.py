"""A release: the point that meets what is asked, and the policy that recodes the table by it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hartley.errors import OptionError, option
from hartley.frontiers import Point
from hartley.measures.by_column import left_by_column
from hartley.measures.usefulness import Usefulness
from hartley.model import JointRange
from hartley.model.demand import Demand, DemandFields, Wanted
from hartley.releases.codebook import shown_columns
from hartley.releases.withheld_label import require_withheld_label
from hartley.releases.writer.original_source import require_publishable
from hartley.search.effort import Effort
from hartley.tables.looks.cautions import note_codes, refuse_identifiers, refuse_written_dates
from hartley.tables.looks.identifiers import note_persons
from hartley.tables.looks.possible_answers import note_alike_secrets, note_empty_secrets
from hartley.workflow.demands.budgets import least_helpful_rows, needed_rows
from hartley.workflow.persons.hold_for_persons import PersonRelease, hold_for_persons
from hartley.workflow.publication.choose_point import (
    reach,
    refuse_harmful,
    refuse_one_candidate,
    require_point,
)
from hartley.workflow.publication.release_plan import ReleaseFiles, ReleasePlan
from hartley.workflow.publication.release_policy import refuse_beside_bounds
from hartley.workflow.publication.write_release import ReleaseResult, write_release
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable, names, sorted_into
from hartley.workflow.request.time_limit import SearchLimits
from hartley.workflow.trees.reduced_table import ReducedTable, reduced_table, rows_too_many
from hartley.workflow.trees.refusals import require_no_empty_secrets, require_transparent
from hartley.workflow.trees.search_tree import transparent_loss


def make_release(
    study: StudyTable,
    output: str | Path,
    fields: Mapping[str, Any],
    require: Wanted,
    *,
    each: bool,
    point: Point | None = None,
    found_in: JointRange | None = None,
) -> ReleaseResult:
    """Release a table so that what is asked holds, with its policy, certificate and record.

    The output holds the recoded public columns, and of the others only those that the study keeps,
    calls harmless, or publishes though sensitive. Nothing is written unless everything is. A ``point``
    of a frontier, ``found_in`` this joint range, is released if it meets the demand, and nothing is searched;
    what was proven about it is claimed where its frontier was of the same reader.
    """
    of_objective, of_limits, where, named = sorted_into(
        fields, Objective, SearchLimits, Destination, DemandFields
    )
    counts_rows = not study.sensitive
    destination = Destination(output=output, **where | ({"exposure": "accept"} if counts_rows else {}))
    limits = SearchLimits(**of_limits)
    objective = Objective.of_keywords(of_objective, names(study.public))
    demand = study.demand(Demand.of_keywords(named, require), each=each)
    if counts_rows:
        study = study.counting_rows(demand, objective.transparent)
    _require_certifiable(study, demand, objective, destination, limits)
    files = ReleaseFiles.require_free(study, destination)
    with ExitStack() as stack:
        table = stack.enter_context(study.opened())
        reduced: ReducedTable | None = None
        rows = None
        if point is None and objective.clusters.name == "tree":
            rows = rows_too_many(study, table, destination, objective, demand)
        if rows is not None:
            stack.callback(rows.close)
            told = limits.start(None).progress
            reduced = stack.enter_context(reduced_table(study, table, demand, objective, rows, told))
        plan = ReleasePlan.of(study, table, objective, demand, files.format_, destination.words, reduced)
        identifiers = _look_at_columns(plan, files, destination, point)
        question = plan.question
        effort = limits.start(question.default_seconds)
        reached = reach(plan, effort, point=point, found_in=found_in)
        is_complete = point is not None or not effort.should_stop()
        persons = None
        if study.person is not None:
            for_persons = PersonRelease(plan, destination.exposure)
            again = partial(reach, plan, effort, found_in=question.joint)
            reached = hold_for_persons(for_persons, reached, lambda one: again(point=one), effort)
            after = for_persons.linked(harmless=True).audit(reached.book.partition)
            persons = for_persons.linked().audit(), after
        left = left_by_column(plan.observed.reader(reached.book, harmless=True, earlier=True))
        usefulness = Usefulness.of(
            plan.observed.before().without_side(),
            reached.book.partition,
            reached.point.withheld,
            shown_columns(plan.public, reached.book),
        )
        if reduced is not None:
            usefulness = usefulness.without_moves(reduced.public_values)
        if destination.exposure == "refuse":
            refuse_one_candidate(reached.audit, () if study.jointly else left)
            refuse_harmful(plan, reached)
        made = replace(
            write_release(
                plan, files, destination, reached, usefulness, effort.progress, is_complete=is_complete
            ),
            by_sensitive=() if counts_rows else left,
            counts_rows=counts_rows,
            persons=persons,
            identifiers=identifiers,
        )
        if study.publish_sensitive and objective.transparent is None:
            made = replace(made, transparent_loss=transparent_loss(question, effort))
        if question.budget and not usefulness.withheld_rows and point is None:
            made = replace(made, **_unused_budget(plan, reached.point, effort))
    if files.database is not None:
        study.let_go()
    return made


def _require_certifiable(
    study: StudyTable, demand: Demand, objective: Objective, destination: Destination, limits: SearchLimits
) -> None:
    """Refuse what no release has, whatever the table."""
    if demand.is_empty:
        raise OptionError(
            "a release needs a target: what every released value must keep, such as "
            f"{option('distinct_l', '5')}, or a cap on what may be lost"
        )
    if objective.own_utility is not None:
        raise OptionError(
            "a release is certified by a cost that its verifier can count; give a utility by its name, or a "
            "dissimilarity"
        )
    shape = objective.clusters.name
    if shape == "tree" or objective.transparent:
        require_transparent(study, objective, destination, limits)
    if shape == "columns" and destination.labels not in (None, "bounds"):
        raise OptionError(
            f"under {option('shape', 'columns')} bands and groups are the labels; leave "
            f"{option('labels')} out, or write {option('labels', 'bounds')}"
        )


def _look_at_columns(
    plan: ReleasePlan, files: ReleaseFiles, destination: Destination, point: Point | None
) -> Mapping[str, str]:
    """Refuse columns that must not be published so; return those that name people and are accepted."""
    study, objective, table = plan.study, plan.objective, plan.table
    if destination.labels == "bounds":
        refuse_beside_bounds(plan, in_spark=files.in_spark)
    require_publishable(study.source, table, plan.published)
    public, joint = plan.public, plan.question.joint
    require_point(public, point)
    if objective.transparent and plan.read.dropped_rows:
        require_no_empty_secrets(table, plan.roles.sensitive)
    refuse_written_dates(public, study.reading.text)
    note_empty_secrets(joint.sensitive)
    note_alike_secrets(joint.sensitive, study.groups)
    if study.person is None:
        note_persons(table, {*plan.published, *(name for part in study.roles_given for name in part)})
    note_codes(table, public, joint.row_count, study.reading)
    identifiers = refuse_identifiers(
        table,
        public,
        [name for name in plan.published if name not in plan.roles.public],
        names(destination.accept_identifier),
        plan.labels,
        (*objective.columns.hierarchy, *objective.columns.prefix),
        {} if plan.reduced is None else plan.reduced.values_of,
    )
    if objective.withheld_label is not None:
        is_text = plan.labels in ("range", "interval", "set")
        words = {word for one in public.coordinates for word in study.reading.missing_words_of(one.name)}
        dropped = tuple(sorted(words)) if study.missing == "drop" else ()
        require_withheld_label(public, objective.withheld_label, is_text=is_text, dropped=dropped)
    return identifiers


def _unused_budget(plan: ReleasePlan, point: Point, effort: Effort) -> dict[str, Any]:
    """Say of rows that could have been withheld and are not what would help, and what cannot."""
    question, demand, helpful = plan.question, plan.demand, None
    if question.shape.name != "columns" and demand.cap is None and demand.max_leakage is None:
        helpful = least_helpful_rows(question, point.cost, 1, effort)
    return {
        "unused_budget": question.budget,
        "helpful_rows": helpful,
        "needed_rows": needed_rows(question, 1),
    }
