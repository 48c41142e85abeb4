"""The policy of a release: who shares which label, how the original was read, and what was chosen."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hartley.errors import OptionError, option
from hartley.releases.bounds import column_bounds
from hartley.releases.cell_text import cell_text
from hartley.releases.column_recoding import ON_A_LINE, ColumnBounds
from hartley.releases.policy import Choices, Policy, Reading, TextForm
from hartley.releases.writer.claims import decimal_text, stated_requirements, withheld_cluster
from hartley.tables import Table
from hartley.tables.text_files import is_utf8
from hartley.workflow.codebooks.label_codebooks import ColumnRecodings
from hartley.workflow.publication.choose_point import ChosenPoint
from hartley.workflow.publication.release_plan import Plan, ReleaseTask, Seen
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.study_table import StudyTable, names
from hartley.workflow.request.utility_choice import codeword_of
from hartley.workflow.trees.document import tree_document
from hartley.workflow.trees.search_levels import level_document


def policy_of_release(task: ReleaseTask, reached: ChosenPoint) -> Policy:
    """Write down the codebook that was reached, with everything that makes the release again."""
    study, plan, seen, asked = task.study, task.plan, task.seen, task.asked
    destination, objective, question = task.destination, task.objective, task.asked.question
    recodings = ColumnRecodings.of_release(seen.public, reached.point, reached.book, asked.labels)
    return Policy.of(
        seen.public,
        reached.book,
        columns=plan.table.column_names,
        sensitive=plan.measured(plan.roles.sensitive),
        side=plan.measured(plan.roles.side),
        keep=plan.keep,
        harmless=plan.harmless,
        untouched_kinds=seen.kinds((*plan.keep, *plan.harmless)),
        publish_sensitive=plan.publish_sensitive,
        withheld=withheld_cluster(reached.book, reached.point.withheld),
        codebooks=recodings.codebooks,
        withheld_combinations=recodings.withheld_combinations,
        reading=_reading(study, plan.table),
        choices=Choices(
            target=asked.target.to_dict(),
            requirements=stated_requirements(asked.demand, objective.leakage),
            tolerance={name: decimal_text(limit) for name, limit in question.closeness.tolerances},
            groups={
                name: {str(label): group for label, group in members}
                for name, members in question.closeness.groups
            },
            withhold=question.budget,
            withheld_label=objective.withheld_label if reached.point.withheld else None,
            leakage=objective.leakage,
            utility=question.utility.name,
            codeword=codeword_of(question.utility),
            search=objective.search,
            shape=question.shape.name,
            labels=destination.labels or asked.labels,
            missing_at=study.missing_at,
            keep_order=destination.keep_order,
            formulas="defused" if destination.defuse_formulas else msgspec.UNSET,
            text_form=_text_form(study, plan, destination, is_public=bool(objective.transparent)),
            transparent=objective.transparent or msgspec.UNSET,
            transparent_knows=objective.transparent_knows or msgspec.UNSET,
            known_besides=task.known_besides or msgspec.UNSET,
            reference=objective.reference is not None or msgspec.UNSET,
        ),
        tree=(
            msgspec.UNSET
            if reached.point.tree is None
            else tree_document(reached.point.tree, reached.book.partition)
        ),
        bounds=_bounds(seen, reached, recodings, names(study.keep))
        if destination.labels == "bounds"
        else msgspec.UNSET,
        levels=msgspec.UNSET if reached.point.levels is None else level_document(reached.point.levels),
    )


def refuse_beside_bounds(plan: Plan, objective: Objective, *, in_spark: bool) -> None:
    """Refuse what two columns for one cannot be had with: names that are taken, and other options."""
    bounds = option("labels", "bounds")
    if objective.withheld_label is not None:
        raise OptionError(
            f"{bounds} leaves both cells of what is withheld empty; leave {option('withheld_label')} out"
        )
    if objective.transparent is not None:
        raise OptionError(f"{option('transparent')} has no {bounds}; use {option('labels', 'range')}")
    if in_spark:
        raise OptionError(f"a release that stays in Spark has no {bounds}; use {option('labels', 'range')}")
    taken = {name.casefold(): name for name in plan.published}
    for column in plan.table.typed_columns(plan.roles.public):
        pair = ColumnBounds(column=column.name).names
        clash = next((taken[name.casefold()] for name in pair if name.casefold() in taken), None)
        if column.kind in ON_A_LINE and clash is not None:
            raise OptionError(
                f"{bounds} writes column {column.name!r} as {pair[0]!r} and {pair[1]!r}, and {clash!r} is "
                "published already; rename it or leave it out"
            )


def _bounds(
    seen: Seen, reached: ChosenPoint, recodings: ColumnRecodings, keep: Sequence[str]
) -> tuple[ColumnBounds, ...]:
    """Return the columns that files have as two; refuse what bounds cannot say."""
    found = []
    for place, (coordinate, coded) in enumerate(
        zip(seen.public.coordinates, reached.book.columns, strict=True)
    ):
        if coordinate.name in keep:
            continue
        present = (cell for cell in coordinate.cells if cell is not None)
        made = column_bounds(
            coordinate.name,
            coordinate.kind,
            coded.coding,
            [cell_text(label[place]) for label in reached.book.labels],
            recodings.codebooks[place] if recodings.codebooks else None,
            is_whole=coordinate.kind == "number" and all(cell == int(cell) for cell in present),
        )
        if made is not None:
            found.append(made)
    return tuple(found)


def _text_form(
    study: StudyTable, plan: Plan, destination: Destination, *, is_public: bool
) -> TextForm | msgspec.UnsetType:
    """Say how a CSV file is written: as the input was, where that is one too and nobody said otherwise.

    What everybody can check without the policy is written in the usual way, and so can be read without it.
    """
    form = TextForm()
    if plan.format_.name != "csv" or destination.like_input == "no":
        return msgspec.UNSET
    reading = _reading(study, plan.table)
    if plan.table.is_delimited and not is_public:
        encoding = "utf-8" if is_utf8(reading.encoding) else reading.encoding
        encoding = "utf-8-sig" if plan.table.has_byte_order_mark else encoding
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
        delimiter=options.delimiter or table.unusual_delimiter,
        decimal="," if options.decimal == "," else ".",
        dates=table.date_formats or msgspec.UNSET,
        missing_words=options.missing_words,
        sheet=options.sheet,
        query=options.query,
        missing=study.missing,
    )
