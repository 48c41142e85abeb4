"""The policy of a release: who shares which label, how the original was read, and what was chosen."""

from __future__ import annotations

from typing import Any

import msgspec

from hartley.errors import OptionError, option
from hartley.releases.cell_text import cell_text
from hartley.releases.codebook import Codebook
from hartley.releases.column_recoding import ON_A_LINE, ColumnBounds
from hartley.releases.point_labels import ColumnRecodings
from hartley.releases.policy import Choices, Policy, Reading, TextForm
from hartley.releases.writer.bounds import column_bounds
from hartley.releases.writer.claims import decimal_text, stated_requirements, withheld_cluster
from hartley.releases.writer.original_source import RowsThere, for_verifier
from hartley.search.trees.stem import MOST_AT_ONCE
from hartley.tables import ReadOptions, Roles, Table
from hartley.tables.text_files import is_utf8
from hartley.verifier.boxed_rows import BoxedRows
from hartley.workflow.publication.choose_point import ChosenPoint
from hartley.workflow.publication.release_plan import ReleasePlan
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.study_table import StudyTable, names
from hartley.workflow.request.utility_choice import codeword_of
from hartley.workflow.trees.document import tree_document
from hartley.workflow.trees.search_levels import level_document


def policy_of_release(plan: ReleasePlan, destination: Destination, reached: ChosenPoint) -> Policy:
    """Write down the codebook that was reached, with everything that makes the release again."""
    study, objective, question = plan.study, plan.objective, plan.question
    point, book = reached.point, reached.book
    recodings = ColumnRecodings.of_release(plan.public, point, book, plan.labels)
    return Policy.of(
        plan.public,
        book,
        columns=plan.table.column_names,
        sensitive=plan.measured(plan.roles.sensitive),
        side=plan.measured(plan.roles.side),
        keep=plan.keep,
        harmless=plan.harmless,
        untouched_kinds=plan.kinds((*plan.keep, *plan.harmless)),
        publish_sensitive=study.publish_sensitive,
        withheld=withheld_cluster(book, point.withheld),
        codebooks=recodings.codebooks,
        withheld_combinations=recodings.withheld_combinations,
        reading=_reading(study, plan.table),
        choices=Choices(
            target=plan.demand.target.to_dict(),
            requirements=stated_requirements(plan.demand, objective.leakage),
            tolerance={name: decimal_text(limit) for name, limit in question.closeness.tolerances},
            groups={
                name: {str(label): group for label, group in members}
                for name, members in question.closeness.groups
            },
            withhold=question.budget,
            withheld_label=objective.withheld_label if point.withheld else None,
            leakage=objective.leakage,
            utility=question.utility.name,
            codeword=codeword_of(question.utility),
            search=objective.search,
            shape=question.shape.name,
            labels=destination.labels or plan.labels,
            missing_at=study.missing_at,
            keep_order=destination.keep_order,
            formulas="defused" if destination.defuse_formulas else msgspec.UNSET,
            text_form=_text_form(plan, destination),
            transparent=objective.transparent or msgspec.UNSET,
            transparent_knows=objective.transparent_knows or msgspec.UNSET,
            known_besides=plan.known_besides or msgspec.UNSET,
            reference=objective.reference is not None or msgspec.UNSET,
        ),
        tree=msgspec.UNSET if point.tree is None else tree_document(point.tree, book.partition),
        bounds=_bounds(plan, book, recodings) if destination.labels == "bounds" else msgspec.UNSET,
        boxes=msgspec.UNSET if plan.reduced is None else True,
        levels=msgspec.UNSET if point.levels is None else level_document(point.levels),
    )


def refuse_beside_bounds(plan: ReleasePlan, *, in_spark: bool) -> None:
    """Refuse what two columns for one cannot be had with: names that are taken, and other options."""
    bounds = option("labels", "bounds")
    if plan.objective.withheld_label is not None:
        raise OptionError(
            f"{bounds} leaves both cells of what is withheld empty; leave {option('withheld_label')} out"
        )
    if plan.objective.transparent is not None:
        raise OptionError(f"{option('transparent')} has no {bounds}; use {option('labels', 'range')}")
    if in_spark:
        raise OptionError(f"a release that stays in Spark has no {bounds}; use {option('labels', 'range')}")
    taken = {name.casefold(): name for name in plan.published}
    for column in plan.table.typed_columns(plan.study.roles.public):
        pair = ColumnBounds(column=column.name).names
        clash = next((taken[name.casefold()] for name in pair if name.casefold() in taken), None)
        if column.kind in ON_A_LINE and clash is not None:
            raise OptionError(
                f"{bounds} writes column {column.name!r} as {pair[0]!r} and {pair[1]!r}, and {clash!r} is "
                "published already; rename it or leave it out"
            )


def _bounds(plan: ReleasePlan, book: Codebook, recodings: ColumnRecodings) -> tuple[ColumnBounds, ...]:
    """Return the columns that files have as two; refuse what bounds cannot say."""
    found = []
    for place, (coordinate, coded) in enumerate(zip(plan.public.coordinates, book.columns, strict=True)):
        if coordinate.name in names(plan.study.keep):
            continue
        present = (cell for cell in coordinate.cells if cell is not None)
        made = column_bounds(
            coordinate.name,
            coordinate.kind,
            coded.coding,
            [cell_text(label[place]) for label in book.labels],
            recodings.codebooks[place] if recodings.codebooks else None,
            is_whole=coordinate.kind == "number" and all(cell == int(cell) for cell in present),
        )
        if made is not None:
            found.append(made)
    return tuple(found)


def _text_form(plan: ReleasePlan, destination: Destination) -> TextForm | msgspec.UnsetType:
    """Say how a CSV file is written: as the input was, where that is one too and nobody said otherwise.

    What everybody can check without the policy is written in the usual way, and so can be read without it.
    """
    form = TextForm()
    if plan.format_.name != "csv" or destination.like_input == "no":
        return msgspec.UNSET
    reading = _reading(plan.study, plan.table)
    if plan.table.source.is_delimited and not plan.objective.transparent:
        encoding = "utf-8" if is_utf8(reading.encoding) else reading.encoding
        encoding = "utf-8-sig" if plan.table.source.has_byte_order_mark else encoding
        form = TextForm(delimiter=reading.delimiter or ",", decimal=reading.decimal, encoding=encoding)
    if destination.like_input == "bom":
        form = msgspec.structs.replace(form, encoding="utf-8-sig")
    return msgspec.UNSET if form == TextForm() else form


def _reading(study: StudyTable, table: Table) -> Reading:
    """Say how the original was read, so that others read it alike."""
    options = study.reading
    return Reading(
        text=options.text,
        number=options.number,
        encoding=options.encoding,
        delimiter=options.delimiter or table.source.unusual_delimiter,
        decimal="," if options.decimal == "," else ".",
        dates=dict(table.source.date_formats) or msgspec.UNSET,
        missing_words=options.missing_words,
        sheet=options.sheet,
        query=options.query,
        missing=study.missing,
    )


def original_of(source: Any, options: ReadOptions, policy: Policy) -> Any:
    """Return what the verifier takes as the original of a release."""
    if not policy.lists_ends:
        return for_verifier(source, options)
    roles = Roles(sensitive=policy.sensitive_names, public=policy.public_names)
    return BoxedRows(policy, RowsThere(source, options, roles, MOST_AT_ONCE))
