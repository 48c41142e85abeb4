"""A release: the point that meets what is asked, and the policy that recodes the table by it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from hartley.errors import OptionError, option
from hartley.frontiers import Point
from hartley.measures.by_column import left_by_column
from hartley.model import Alphabet, JointRange
from hartley.model.demand import Demand
from hartley.releases.certificate import transparent_statement
from hartley.releases.formats import Format
from hartley.releases.policy import Choices, Policy, Reading
from hartley.releases.signing import SigningKey
from hartley.releases.withheld_label import require_withheld_label
from hartley.releases.writer.claims import decimal_text, stated_requirements, withheld_cluster
from hartley.releases.writer.row_parts import PartedRows
from hartley.releases.writer.staging import require_free
from hartley.tables import ReadOptions, Table
from hartley.workflow.codebooks.label_codebooks import ColumnRecodings, default_labels
from hartley.workflow.demands.budgets import least_helpful_rows, needed_rows
from hartley.workflow.find_frontier import asked_question
from hartley.workflow.persons.hold_for_persons import PersonRelease, hold_for_persons
from hartley.workflow.publication.choose_point import (
    ReleaseDemand,
    reach,
    require_reachable_kind,
)
from hartley.workflow.publication.exposure import refuse_harmful, refuse_one_candidate
from hartley.workflow.publication.identifiers import refuse_identifiers
from hartley.workflow.publication.original_source import for_verifier, require_publishable
from hartley.workflow.publication.other_releases import policies_beside
from hartley.workflow.publication.release_paths import release_places, require_earlier_stay
from hartley.workflow.publication.release_plan import Plan, Seen
from hartley.workflow.publication.released_folder import require_no_folder, stays_in_spark
from hartley.workflow.publication.search_parts import PartSearch, rows_to_search
from hartley.workflow.publication.write_release import ReleaseResult, Writing, write_release
from hartley.workflow.publication.write_to_database import database_for, require_no_table
from hartley.workflow.question import cost_of
from hartley.workflow.request.column_choices import groups_said
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable
from hartley.workflow.request.time_limit import SearchLimits
from hartley.workflow.request.utility_choice import codeword_of
from hartley.workflow.trees.document import tree_document
from hartley.workflow.trees.refusals import require_transparent
from hartley.workflow.trees.search_tree import transparent_loss


@dataclass(frozen=True, kw_only=True)
class KnownPoint:
    """A point of a frontier that was found before, to be released without another search."""

    point: Point
    found_in: JointRange | None = None
    """The joint range of that frontier, needed where columns are kept or releases are earlier."""


def make_release(
    study: StudyTable,
    demand: Demand,
    destination: Destination,
    objective: Objective,
    limits: SearchLimits,
    known: KnownPoint | None = None,
) -> ReleaseResult:
    """Release a table so that what is asked holds, with its policy, certificate and record.

    The output holds the recoded public columns, and of the others only those that the study keeps,
    calls harmless, or publishes though sensitive. Nothing is written unless everything is. A ``known``
    point is released, if it meets the demand, and nothing is searched; what was proven about it is
    claimed where its frontier was of the same reader.
    """
    if demand.is_empty:
        raise OptionError(
            "a release needs a target: what every released value must keep, such as "
            f"{option('distinct_l', '5')}, or a cap on what may be lost"
        )
    require_transparent(study, objective, destination, limits)
    places = release_places(
        study.source, destination.output, destination.policy, destination.certificate, destination.key
    )
    signer = None if destination.key is None else SigningKey.read(destination.key)
    require_earlier_stay(places, study.earlier)
    format_ = Format.of(places["output"])
    into = destination.into
    database = database_for(into, destination.into_database, study.source, places["output"])
    in_spark = stays_in_spark(study.source, format_, study.reading, into)
    if in_spark:
        require_no_folder(places["output"])
    require_free(places, overwrite=destination.overwrite)
    require_no_table(database, into)
    with study.opened() as table:
        plan = Plan.of(study, table, format_)
        if objective.clusters.name in ("columns", "tree"):
            plan = plan.publishing_kept()
        if objective.clusters.name == "columns" and destination.labels is not None:
            raise OptionError(
                f"under {option('shape', 'columns')} bands and groups are the labels; leave "
                f"{option('labels')} out"
            )
        require_publishable(study.source, table, plan.published)
        seen = Seen.of(plan)
        observed = rows_to_search(
            plan,
            seen.observed,
            objective,
            demand,
            is_alone=known is None and study.person is None,
        )
        search = PartSearch(observed) if isinstance(observed, PartedRows) else None
        seen = replace(seen, observed=observed)
        joint = observed.for_search() if search is None else observed.before()
        question = asked_question(
            study,
            objective,
            joint.knowing(len(plan.roles.side)),
            demand.requirements,
            labels=destination.labels,
        )
        cost = question.utility
        target = demand.target
        require_reachable_kind(target, cost)
        codeword = codeword_of(cost)
        asked = ReleaseDemand(
            demand=demand,
            question=question,
            search=objective.search,
            labels=destination.labels or default_labels(joint.public, question.shape.name, codeword),
            withheld_label=objective.withheld_label,
            groups=_groups(objective, destination, seen.public),
            is_seen_beside=bool(plan.keep or plan.earlier),
            beside=plan.beside,
        )
        identifiers = refuse_identifiers(
            table,
            seen.public,
            (*plan.keep, *plan.harmless),
            destination.accept_identifier,
            asked.labels,
            (*objective.columns.hierarchy, *objective.columns.prefix),
        )
        if objective.withheld_label is not None:
            is_text = asked.labels in ("interval", "set")
            dropped = study.reading.missing_words if study.missing == "drop" else ()
            require_withheld_label(seen.public, objective.withheld_label, is_text=is_text, dropped=dropped)
        effort = limits.start(question.default_seconds if search is None else search.default_seconds)
        reached = reach(
            seen.observed,
            asked,
            effort,
            has_earlier=bool(plan.earlier),
            point=None if known is None else known.point,
            found_in=None if known is None else known.found_in,
            search=search,
        )
        if search is not None:
            reached = replace(reached, parts=search.searched)
        complete = known is not None or not effort.should_stop()
        if study.person is not None:
            reached = hold_for_persons(
                PersonRelease(study, plan, seen, asked, destination),
                table,
                reached,
                lambda point: reach(
                    seen.observed,
                    asked,
                    effort,
                    has_earlier=bool(plan.earlier),
                    point=point,
                    found_in=question.joint,
                ),
            )
        readers = seen.observed.reader_parts(reached.book, harmless=True, earlier=bool(plan.earlier))
        left = () if reached.parts > 1 else left_by_column((one.joint for one in readers), joint.sensitive)
        if destination.exposure == "refuse":
            refuse_one_candidate(reached.audit, () if study.jointly else left)
            refuse_harmful(plan, seen, reached, demand)
        recodings = ColumnRecodings.of_release(seen.public, reached.point, reached.book)
        made = Policy.of(
            seen.public,
            reached.book,
            columns=table.column_names,
            sensitive=plan.measured(plan.roles.sensitive),
            side=plan.measured(plan.roles.side),
            keep=plan.keep,
            harmless=plan.harmless,
            untouched_kinds=seen.kinds((*plan.keep, *plan.harmless)),
            publish_sensitive=plan.publish_sensitive,
            withheld=withheld_cluster(reached.book, reached.point.withheld),
            codebooks=recodings.codebooks,
            withheld_combinations=recodings.withheld_combinations,
            reading=_reading(study.reading, study, table),
            choices=Choices(
                target=target.to_dict(),
                requirements=stated_requirements(demand, objective.leakage),
                tolerance={name: decimal_text(limit) for name, limit in question.closeness.tolerances},
                groups={
                    name: {str(label): group for label, group in members}
                    for name, members in question.closeness.groups
                },
                withhold=question.budget,
                withheld_label=objective.withheld_label if reached.point.withheld else None,
                leakage=objective.leakage,
                utility=cost.name,
                codeword=codeword,
                search=objective.search,
                shape=question.shape.name,
                labels=asked.labels,
                missing_at=study.missing_at,
                keep_order=destination.keep_order,
                formulas="defused" if destination.defuse_formulas else msgspec.UNSET,
                transparent=objective.transparent or msgspec.UNSET,
                transparent_knows=objective.transparent_knows or msgspec.UNSET,
            ),
            tree=(
                msgspec.UNSET
                if reached.point.tree is None
                else tree_document(reached.point.tree, reached.book.partition)
            ),
        )
        made_release = write_release(
            for_verifier(study.source, study.reading),
            places,
            plan,
            seen,
            asked,
            reached,
            made,
            Writing(
                overwrite=destination.overwrite,
                into=(database, into),
                progress=effort.progress,
                key=signer,
                in_spark=in_spark,
                is_complete=complete,
            ),
        )
        beside = policies_beside(
            places["output"].parent,
            table.column_names,
            plan.roles.sensitive,
            (*study.earlier, places["policy"]),
        )
        promised = transparent_statement(made)
        made_release = replace(
            made_release,
            policies_beside=beside,
            by_sensitive=left,
            jointly=study.jointly,
            identifiers=identifiers,
            transparent_loss=(
                transparent_loss(question, effort)
                if plan.publish_sensitive and objective.transparent is None and search is None
                else None
            ),
            statement=None if promised is msgspec.UNSET else promised,
        )
        if question.budget and not made_release.usefulness.withheld_rows and known is None:
            helpful = None
            if question.shape.name != "columns" and demand.cap is None and demand.max_leakage is None:
                helpful = least_helpful_rows(question, cost_of(reached.point), 1, effort)
            made_release = replace(
                made_release,
                unused_budget=question.budget,
                helpful_rows=helpful,
                needed_rows=needed_rows(question, 1),
            )
    if database is not None:
        study.let_go()
    return made_release


def _groups(objective: Objective, destination: Destination, public: Alphabet) -> dict[str, Any]:
    """Return the groups that name merged text: where there are hierarchies, unless sets are asked for."""
    if objective.clusters.name not in ("any", "tree") or destination.labels == "set":
        return {}
    return groups_said(objective.columns, public)


def _reading(options: ReadOptions, study: StudyTable, table: Table) -> Reading:
    return Reading(
        text=options.text,
        number=options.number,
        encoding=options.encoding,
        delimiter=options.delimiter or table.unusual_delimiter,
        decimal="," if options.decimal == "," else ".",
        missing_words=options.missing_words,
        sheet=options.sheet,
        query=options.query,
        missing=study.missing,
    )
