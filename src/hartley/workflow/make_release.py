"""A release: the point that meets what is asked, and the policy that recodes the table by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from hartley.errors import OptionError, option
from hartley.frontiers import Point
from hartley.measures.audit import Audit
from hartley.measures.by_column import left_by_column
from hartley.measures.usefulness import Usefulness
from hartley.model import JointRange
from hartley.model.demand import Demand
from hartley.releases.codebook import shown_columns
from hartley.releases.withheld_label import require_withheld_label
from hartley.releases.writer.original_source import require_publishable
from hartley.search.effort import Effort
from hartley.search.problem import Problem
from hartley.tables import Table
from hartley.tables.looks.identifiers import note_persons
from hartley.tables.looks.possible_answers import note_alike_secrets, note_empty_secrets
from hartley.workflow.codebooks.label_codebooks import default_labels
from hartley.workflow.demands.budgets import least_helpful_rows, needed_rows
from hartley.workflow.find_frontier import asked_question
from hartley.workflow.persons.hold_for_persons import PersonRelease, hold_for_persons
from hartley.workflow.publication.cautions import (
    note_codes,
    refuse_harmful,
    refuse_identifiers,
    refuse_one_candidate,
    refuse_written_dates,
)
from hartley.workflow.publication.choose_point import ReleaseDemand, reach
from hartley.workflow.publication.release_plan import Plan, ReleaseFiles, ReleaseTask, Seen
from hartley.workflow.publication.release_policy import refuse_beside_bounds
from hartley.workflow.publication.write_release import ReleaseResult, write_release
from hartley.workflow.request.column_choices import groups_said
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.request.time_limit import SearchLimits
from hartley.workflow.request.utility_choice import codeword_of
from hartley.workflow.trees.refusals import (
    require_no_empty_secrets,
    require_transparent,
    without_side,
)
from hartley.workflow.trees.search_tree import transparent_loss


def make_release(
    study: StudyTable,
    demand: Demand,
    destination: Destination,
    objective: Objective,
    limits: SearchLimits,
    point: Point | None = None,
    found_in: JointRange | None = None,
) -> ReleaseResult:
    """Release a table so that what is asked holds, with its policy, certificate and record.

    The output holds the recoded public columns, and of the others only those that the study keeps,
    calls harmless, or publishes though sensitive. Nothing is written unless everything is. A ``point``
    of a frontier, ``found_in`` this joint range, is released if it meets the demand, and nothing is searched;
    what was proven about it is claimed where its frontier was of the same reader.
    """
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
    if objective.clusters.name == "tree" or objective.transparent:
        require_transparent(study, objective, destination, limits)
    files = ReleaseFiles.require_free(study, destination)
    with study.opened() as table:
        task = _task(study, demand, destination, objective, files, table)
        plan, seen, asked, question = task.plan, task.seen, task.asked, task.asked.question
        identifiers = _look_at_columns(task)
        effort = limits.start(question.default_seconds)
        reach_it = partial(reach, seen.observed, asked, effort)
        reached = reach_it(point=point, found_in=found_in)
        complete = point is not None or not effort.should_stop()
        persons: tuple[Audit, Audit] | None = None
        if study.person is not None:
            for_persons = PersonRelease(task)
            reached = hold_for_persons(
                for_persons, reached, lambda one: reach_it(point=one, found_in=question.joint), effort
            )
            after = for_persons.linked(harmless=True).audit(reached.book.partition)
            persons = for_persons.linked().audit(), after
        left = left_by_column(seen.observed.reader(reached.book, harmless=True, earlier=True))
        whole = seen.observed.before().without_side()
        shown = shown_columns(seen.public, reached.book)
        usefulness = Usefulness.of(whole, reached.book.partition, reached.point.withheld, shown)
        if destination.exposure == "refuse":
            refuse_one_candidate(reached.audit, () if study.jointly else left)
            refuse_harmful(plan, seen, reached, demand)
        made = replace(
            write_release(task, reached, usefulness, effort.progress, is_complete=complete),
            by_sensitive=left,
            persons=persons,
            identifiers=identifiers,
        )
        if plan.publish_sensitive and objective.transparent is None:
            made = replace(made, transparent_loss=transparent_loss(question, effort))
        if question.budget and not usefulness.withheld_rows and point is None:
            made = replace(made, **_unused_budget(question, demand, reached.point, effort))
    if files.database is not None:
        study.let_go()
    return made


def _task(
    study: StudyTable,
    demand: Demand,
    destination: Destination,
    objective: Objective,
    files: ReleaseFiles,
    table: Table,
) -> ReleaseTask:
    """Plan a release, and read what search and measures need; refuse what cannot be released so."""
    plan = Plan.of(study, table, files.format_)
    if destination.labels == "bounds":
        refuse_beside_bounds(plan, objective, in_spark=files.in_spark)
    known_besides = plan.roles.side if objective.transparent else ()
    if known_besides:
        study = without_side(study, objective)
        plan = Plan.of(study, table, files.format_)
    if objective.clusters.name in ("columns", "tree"):
        plan = plan.publishing_kept()
    if objective.clusters.name == "columns" and destination.labels not in (None, "bounds"):
        raise OptionError(
            f"under {option('shape', 'columns')} bands and groups are the labels; leave "
            f"{option('labels')} out, or write {option('labels', 'bounds')}"
        )
    require_publishable(study.source, table, plan.published)
    seen = Seen.of(plan).weighed(plan, demand.requirements)
    if objective.transparent and seen.dropped_rows:
        require_no_empty_secrets(table, plan.roles.sensitive)
    joint = seen.observed.for_search().knowing(len(plan.roles.side))
    question = asked_question(study, objective, joint, demand.requirements, labels=destination.words)
    usual_labels = default_labels(seen.public, question.shape.name, codeword_of(question.utility))
    has_groups = objective.clusters.name in ("any", "tree") and destination.labels != "set"
    asked = ReleaseDemand(
        demand=demand,
        question=question,
        search=objective.search,
        labels=destination.words or usual_labels,
        withheld_label=objective.withheld_label,
        groups=groups_said(objective.columns, seen.public) if has_groups else {},
        is_seen_beside=bool(plan.keep or plan.earlier),
        beside=plan.beside,
    )
    return ReleaseTask(
        study=study,
        destination=destination,
        objective=objective,
        files=files,
        plan=plan,
        seen=seen,
        asked=asked,
        known_besides=known_besides,
    )


def _look_at_columns(task: ReleaseTask) -> Mapping[str, str]:
    """Refuse columns that must not be published so; return those that name people and are accepted."""
    plan, public, reading = task.plan, task.seen.public, task.study.reading
    objective, labels = task.objective, task.asked.labels
    refuse_written_dates(public, reading.text)
    note_empty_secrets(task.asked.question.joint.sensitive)
    note_alike_secrets(task.asked.question.joint.sensitive, task.study.groups)
    if task.study.person is None:
        note_persons(
            plan.table, {*plan.published, *(name for part in task.study.roles_given for name in part)}
        )
    note_codes(plan.table, public, task.asked.question.joint.row_count, reading)
    identifiers = refuse_identifiers(
        plan.table,
        public,
        [name for name in plan.published if name not in plan.roles.public],
        task.destination.accept_identifier,
        labels,
        (*objective.columns.hierarchy, *objective.columns.prefix),
    )
    if objective.withheld_label is not None:
        is_text = labels in ("range", "interval", "set")
        words = {word for one in public.coordinates for word in reading.missing_words_of(one.name)}
        dropped = tuple(sorted(words)) if task.study.missing == "drop" else ()
        require_withheld_label(public, objective.withheld_label, is_text=is_text, dropped=dropped)
    return identifiers


def _unused_budget(question: Problem, demand: Demand, point: Point, effort: Effort) -> dict[str, Any]:
    """Say of rows that could have been withheld and are not what would help, and what cannot."""
    helpful = None
    if question.shape.name != "columns" and demand.cap is None and demand.max_leakage is None:
        helpful = least_helpful_rows(question, point.cost, 1, effort)
    return {
        "unused_budget": question.budget,
        "helpful_rows": helpful,
        "needed_rows": needed_rows(question, 1),
    }
