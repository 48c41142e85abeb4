"""``hartley audit``: what a table as it is gives away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

import hartley
from hartley.cli import option_values
from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, finding, grid, heading, paragraph, print_json, to_type, verdict
from hartley.cli.program import as_flag
from hartley.cli.progress import announce_and_work
from hartley.cli.published import audit_files, require_alone
from hartley.errors import OptionError, mentioned, worded
from hartley.notes import heard_notes, note
from hartley.report.words import audit as words
from hartley.report.words.against import against_headline, against_rows, how_read
from hartley.report.words.audit import candidates_apart, headline, identifier_warning
from hartley.report.words.columns import (
    column_kind,
    column_note,
    missing_codes_note,
    next_columns,
    orders_note,
    persons_note,
    repeating_column,
)
from hartley.report.words.verdict import USUAL, usual_for
from hartley.tables.locations import shown_source
from hartley.tables.looks.identifiers import written_dates
from hartley.tables.looks.orders import is_ordered
from hartley.workflow.audit_table import AuditResult
from hartley.workflow.describe_table import TableDescription, describe
from hartley.workflow.request.declared_options import flag_of

MOST_COLUMNS, MOST_ALONE = 12, 200
"""Columns whose cells stand side by side, and columns that stand one below the other, at most.

Laying a table out takes time as the square of its columns.
"""

if TYPE_CHECKING:
    from hartley.measures.audit import Audit
    from hartley.measures.stochastic.summary import StochasticSummary
    from hartley.measures.verdicts import ToleranceMeasures
    from hartley.workflow.against.audit_against import Against


@click.command("audit", cls=ManualCommand)
@click.argument("table", required=False)
@declared("audit")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    table: str | None,
    *,
    counts: str | None,
    disclosive: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Count the people whose sensitive values a reader of TABLE can work out.

    Without options: list the columns, and what to type next. Without --public: audit all other columns
    together, and each one alone, worst first.
    """
    if counts is not None:
        return _audit_counts(ctx, table, counts, given, as_json=as_json)
    if given["published"]:
        return audit_files(ctx, table, given, as_json=as_json)
    for name in ("rounded", "threshold"):
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} is of counts that are published; name them with --published")
    if table is None:
        raise click.MissingParameter(
            ctx=ctx, param=next(one for one in ctx.command.params if one.name == "table")
        )
    if not given["sensitive"]:
        return list_columns(table, as_json=as_json, **given)
    with announce_and_work(table, query=given["query"]):
        result = hartley.audit(
            table,
            **option_values.study_fields(given),
            require=given["require"],
            each=given["each"],
            stochastic=given["stochastic"],
            against=given["against"],
            hierarchies=option_values.hierarchy_files(given),
            overlap=given["overlap"],
            regress=given["regress"],
        )
    if as_json:
        print_json(result.to_dict(disclosive=disclosive))
    else:
        show(
            console(),
            shown_source(table),
            result,
            disclosive=disclosive,
            again=[*option_values.asked_words(given), *option_values.reading_words(given)],
        )
    return _answer(ctx, result)


def _answer(ctx: click.Context, result: AuditResult) -> int:
    """Return the exit code; tell a gate what was found of each requirement."""
    if ctx.obj is not None:
        ctx.obj.extend(result.requirements)
    return 0 if result.holds else 3


def list_columns(table: str, *, as_json: bool, **given: Any) -> int:
    """List the columns of a table that nobody has given a role yet, and say what to type next."""
    needing = [
        name
        for name in ("public", "side", "require", "earlier", "stochastic", "against", "overlap")
        if given.get(name)
    ]
    if needing:
        raise OptionError(f"--{needing[0]} needs a column to protect; name it with --sensitive")
    heard: list[str] = []
    with heard_notes(heard.append), announce_and_work(table, query=given["query"]):
        found = describe(table, option_values.read_options(given))
    for message in heard:
        note(message)
    if as_json:
        print_json(_listing(found))
    else:
        reading = [*option_values.reading_words(given), *_suggested_reading(heard)]
        show_columns(console(), table, found, reading)
    return 0


def _suggested_reading(notes: Sequence[str]) -> list[str]:
    """Return the options that notes about reading suggest, so that the next call has them."""
    said: dict[tuple[str, str], None] = {}
    for message in notes:
        for name, value in mentioned(message):
            if name in ("decimal", "missing_words", "sheet", "encoding") and value:
                said[name, value] = None
    return [word for name, value in said for word in (flag_of(name), value)]


def _listing(found: TableDescription) -> dict[str, Any]:
    """Return the columns without any cell."""
    columns = [
        {
            "name": one.name,
            "kind": one.kind,
            "values": one.values,
            "missing": one.missing,
            "identifier": one.is_identifier,
            "identifier_reason": one.identifier,
            "codes": one.is_coded,
            "dates_as_text": one.is_written_date,
            "missing_code": None
            if one.missing_code is None
            else int(float(one.missing_code.replace(",", "."))),
            "order": one.order,
            "rows_each": one.rows_each,
        }
        for one in found.columns
    ]
    return {"name": found.name, "rows": found.rows, "columns": columns}


def show_columns(out: Console, table: str, found: TableDescription, reading: Sequence[str] = ()) -> None:
    """Print the columns, and what to type next."""
    heading(
        out,
        f"{found.name}: {words.counted(found.rows, 'row')}, {words.counted(len(found.columns), 'column')}",
    )
    out.print()
    rows = [
        [
            one.name,
            column_kind(one),
            "-" if one.values is None else f"{one.values:,}",
            column_note(one, found.rows),
        ]
        for one in found.columns
    ]
    out.print(grid(["column", "type", "different values", "to know"], rows, right=[2]))
    out.print()
    identifiers = [one.name for one in found.columns if one.is_identifier]
    if identifiers:
        paragraph(
            out,
            f"Do not publish {words.listed(identifiers)}: such columns name or number people. A release "
            "refuses them.",
        )
        out.print()
    for note_of in (persons_note, missing_codes_note, orders_note):
        if (said := note_of(found)) is not None:
            paragraph(out, worded(said, as_flag))
            out.print()
    columns = next_columns(found)
    named = () if columns is None else (columns[0], *columns[1])
    coded = [one.name for one in found.columns if one.is_coded and one.name in named]
    as_text = [word for name in coded for word in ("--text", name)]
    if found.has_text_cells:
        codes = [
            f"{one.name}={one.missing_code}"
            for one in found.columns
            if one.missing_code and one.name in named
        ]
        as_text += [word for code in codes for word in ("--missing-word", code)]
    person = repeating_column(found)
    linked = [] if person is None else ["--person", person.name]
    _show_first_call(out, shown_source(table), columns, [*linked, *reading, *as_text])


def _show_first_call(
    out: Console, table: str, columns: tuple[str, tuple[str, ...]] | None, reading: Sequence[str]
) -> None:
    if columns is None:
        paragraph(out, "An audit needs two columns with more than one value: one to protect, one to publish.")
        return
    heading(out, "What to type next")
    paragraph(
        out,
        "Name the column to protect (-s) and the columns you want to publish (-p; repeat it for several). "
        "These are only a guess:",
    )
    protected, published = columns
    roles = [word for name in published for word in ("-p", name)]
    to_type(out, ["hartley", "audit", table, "-s", protected, *roles, *reading])


def _audit_counts(
    ctx: click.Context, table: str | None, counts: str, given: dict[str, Any], *, as_json: bool
) -> int:
    """Audit what a statement counted; it names the columns itself."""
    require_alone(
        ctx,
        table,
        given,
        ("require",),
        "--counts stands in place of a table and its columns; beside it only --require",
    )
    from hartley.workflow.warehouse.count_in_warehouse import audit_counts

    result = audit_counts(counts, require=given["require"])
    if as_json:
        print_json(result.to_dict())
    else:
        show(console(), shown_source(counts), result, disclosive=False)
    return _answer(ctx, result)


def show(
    out: Console, name: str, result: AuditResult, *, disclosive: bool, again: Sequence[str] = ()
) -> None:
    """Print an audit: people first, then counts, then bits."""
    audit = result.audit
    reveals = "reveals" if len(audit.public.columns) == 1 else "reveal"
    heading(
        out,
        f"{name}: what {words.named(audit.public)} {reveals} about {words.named(audit.sensitive)}",
    )
    paragraph(out, _table_line(result))
    out.print()
    top = headline(audit, holds=result.holds, left=result.by_sensitive, jointly=result.jointly)
    if result.against is not None:
        top = against_headline(result.against, result)
    verdict(out, top.colour, top.word, top.sentence)
    warning = identifier_warning(result)
    if warning is not None:
        verdict(out, "red", "NAMES", warning)
    out.print()
    who = "row" if result.persons is None else "person"
    finding(
        out,
        f"Fewest values left         l = {audit.distinct_l:,}, k = {audit.row_k:,}",
        words.candidates_left(audit, who),
    )
    if result.by_sensitive:
        guess = max(one.guess_share for one in result.by_sensitive)
        # Where values change from row to row, shares are of rows.
        shared = "row" if result.persons is not None and result.persons.changing else who
        said = words.likeliest_guess(result.by_sensitive, as_flag, shared)
        finding(out, f"Likeliest guess            {100 * guess:.3g} %", said)
    finding(out, f"Revealed to everyone (I*)  {words.bits(audit.istar_bits)}", words.for_certain(audit))
    finding(out, f"Revealed at worst (L0)     {words.bits(audit.l0_bits)}", words.worst_bits(audit))
    finding(out, f"Revealed at least (I0)     {words.bits(audit.i0_bits)}", words.at_least(audit))
    _show_narrowest(out, audit, who, disclosive=disclosive)
    if audit.components > 1 and disclosive:
        _show_components(out, audit)
    if result.against is not None:
        _show_against(out, result.against)
    if result.each:
        _show_each(out, result.each)
    if result.stochastic is not None:
        _show_stochastic(out, result.stochastic)
    if result.overlap is not None:
        out.print()
        heading(out, "How firmly groups hang together")
        for sentence in words.robust_overlap(result.overlap):
            paragraph(out, sentence)
    if result.separation is not None:
        _show_tolerance(out, result, result.separation)
    if result.requirements:
        _show_requirements(out, result)
    if audit.side is None and result.against is None:
        _show_next_call(out, name, result, again, is_safe=top.colour == "green")


def _who(result: AuditResult) -> str:
    found = result.against
    if found is not None and found.sensitive_from == "people who fit":
        people = words.counted(found.people, "person", "people")
        return f"{people} of the original beside {words.counted(found.released_rows, 'row')}"
    if result.persons is None:
        return f"{words.counted(result.audit.rows, 'row')}, each counted as one person"
    return f"{words.counted(result.persons.persons, 'person')}, by {result.persons.column}, their rows linked"


def _table_line(result: AuditResult) -> str:
    audit = result.audit
    line = (
        f"{_who(result)}; "
        f"{words.values_of(audit.public.values, audit.public.columns)}, "
        f"{words.values_of(audit.sensitive.values, audit.sensitive.columns)}."
    )
    if result.persons is not None and result.persons.changing:
        line += (
            f" {words.named(audit.sensitive)} "
            f"{'changes' if len(audit.sensitive.columns) == 1 else 'change'} between the rows of "
            f"{words.counted(result.persons.changing, 'person')}: what is asked is the value of each row."
        )
    if result.dropped_rows:
        line += f" {words.counted(result.dropped_rows, 'row')} left out because a cell is empty."
    if audit.side is not None:
        line += f" The reader is assumed to know {words.named(audit.side)} already."
    return line


def _show_next_call(
    out: Console, name: str, result: AuditResult, again: Sequence[str], *, is_safe: bool
) -> None:
    """Say how a version can be published in which nobody is exposed; the table as it is where nobody is."""
    audit = result.audit
    as_dates = [] if result.joint is None else written_dates(result.joint.public, again)
    left_out = {*result.identifiers, *as_dates}
    published = [column for column in audit.public.columns if column not in left_out]
    if not published or len(published) > 6 or audit.sensitive.values < 2:
        return
    wanted = min(USUAL, _fewest_left(result)) if is_safe else usual_for(_fewest_values(result))
    if result.separation is not None and result.separation.separated_values > 1 and not is_safe:
        wanted = min(wanted, result.separation.separated_values)
    roles = [word for column in audit.sensitive.columns for word in ("-s", column)]
    roles += [word for column in published for word in ("-p", column)]
    if result.persons is not None:
        roles += ["--person", result.persons.column]
    out.print()
    heading(out, "What to type next")
    needs_tree = any(not one.requirement.is_monotone for one in result.requirements)
    if len(published) > 1 and not is_safe and not needs_tree:
        paragraph(
            out,
            "The release below keeps most detail, with ranges of their own for each group of similar rows: "
            "for researchers. For a public file with the same few bands for everyone, at a price in detail, "
            "add --shape columns --withhold 2%.",
        )
    are_alone = _are_empty_cells_alone(result, wanted)
    may_show = left_out.isdisjoint(audit.sensitive.columns)
    if may_show and result.persons is None and not is_safe and not (are_alone and _has_empty_secrets(result)):
        paragraph(
            out,
            f"Publish {words.named(audit.sensitive)} too? Add --publish-sensitive --transparent: the release "
            "then holds also for a reader who knows how hartley works.",
        )
    if as_dates:
        paragraph(
            out,
            f"Left out: {words.listed(as_dates)}, which looks like dates and is read as text. Write dates as "
            "2024-12-31 to publish them in bands.",
        )
    if are_alone:
        paragraph(
            out,
            f"Rows with an empty {published[0]} are left out: no number can be merged with them.",
        )
    if is_safe:
        paragraph(out, "To publish these columns, checked, with a codebook and a certificate:")
    else:
        paragraph(out, f"To publish a version that {_promise(result, wanted)}:")
    output = "released.xlsx" if name.lower().endswith((".xlsx", ".xls", ".ods")) else "released.csv"
    orders = [] if is_safe else [word for one in _orders(result) for word in ("--order", f"{one}=auto")]
    least = (
        [] if _count_values(result) else ["--separated-l" if _are_apart(result, wanted) else "--distinct-l"]
    )
    least += [str(wanted)] if least else []
    call = ["hartley", "release", name, output, *roles, *least, *orders, *again]
    if are_alone:
        call += ["--missing", "drop"]
    if needs_tree:
        call += ["--shape", "tree"]
    to_type(out, call)


def _fewest_left(result: AuditResult) -> int:
    """Return how many values are left of the sensitive column of which fewest are, or of all jointly."""
    each = () if result.jointly else result.by_sensitive
    return min((one.distinct_l for one in each), default=result.audit.distinct_l)


def _fewest_values(result: AuditResult) -> int:
    """Return how many values the sensitive column has that has fewest, without a missing one."""
    if result.joint is None:
        return result.audit.sensitive.values
    columns = result.joint.sensitive.coordinates
    return min(len({cell for cell in one.cells if cell is not None}) for one in columns)


def _promise(result: AuditResult, wanted: int) -> str:
    """Say what the release that is suggested keeps, after "a version that"."""
    columns = result.audit.sensitive.columns
    each = [columns] if result.jointly else [(one,) for one in columns]
    values = words.listed([words.values_of(wanted, one) for one in each])
    apart = ", further apart than the tolerance," if _are_apart(result, wanted) else ""
    if _count_values(result):
        return "keeps what is required"
    kept = ", and keeps what is required" if result.requirements else ""
    return f"leaves at least {values}{apart} possible for everyone{kept}"


def _count_values(result: AuditResult) -> bool:
    """Tell whether a requirement says how many values are to remain possible."""
    return any(one.requirement.name in ("distinct-l", "separated-l") for one in result.requirements)


def _are_apart(result: AuditResult, wanted: int) -> bool:
    """Tell whether so many values can be asked for that are further apart than the tolerance."""
    is_one = result.jointly or len(result.audit.sensitive.columns) == 1
    return is_one and result.separation is not None and result.separation.separated_values >= wanted


def _are_empty_cells_alone(result: AuditResult, wanted: int) -> bool:
    """Tell whether empty cells of the one public column can neither be merged nor leave enough possible."""
    if result.joint is None or len(result.joint.public.coordinates) > 1:
        return False
    (column,) = result.joint.public.coordinates
    empty = column.missing.nonzero()[0].tolist() if column.kind != "text" else []
    return any(len(result.joint.candidates(place)) < wanted for place in empty)


def _has_empty_secrets(result: AuditResult) -> bool:
    """Tell whether sensitive cells are empty: who is left out for it, no transparent release may show."""
    return result.joint is not None and any(one.missing.any() for one in result.joint.sensitive.coordinates)


def _orders(result: AuditResult) -> list[str]:
    """Name the public columns whose categories have an order that is known."""
    if result.joint is None:
        return []
    columns = [one for one in result.joint.public.coordinates if one.kind == "text"]
    return [
        one.name
        for one in columns
        if is_ordered(one.name, [str(cell) for cell in dict.fromkeys(one.cells) if cell is not None])
    ]


def _show_narrowest(out: Console, audit: Audit, who: str, *, disclosive: bool) -> None:
    if audit.independent or not audit.narrowest:
        return
    first = audit.narrowest[0]
    if not first.public and not disclosive:
        return
    out.print()
    shown = min(len(audit.narrowest), 5)
    some = f" (first {shown} of {audit.narrowest_count:,})" if audit.narrowest_count > shown else ""
    heading(out, "The values that reveal most" + some)
    names = list(first.public)[:MOST_COLUMNS]
    columns = [*names, *(first.side or {}), f"{words.named(audit.sensitive)} values left", f"{who}s"]
    rows = []
    for narrow in audit.narrowest[:shown]:
        seen = [*(narrow.public[name] for name in names), *(narrow.side or {}).values()]
        cells = [*map(words.cell, seen), f"{narrow.candidates}", f"{narrow.rows}"]
        if disclosive:
            cells.append(", ".join(words.cell(_plain(value)) for value in narrow.sensitive))
        rows.append(cells)
    if disclosive:
        columns.append(words.named(audit.sensitive))
    out.print(grid(columns, rows))
    _show_left_out(out, len(first.public) - len(names))


def _show_components(out: Console, audit: Audit) -> None:
    out.print()
    heading(out, f"Groups of {words.named(audit.sensitive)} that every reader can tell apart")
    out.print(
        grid(
            ["rows", "values"],
            [
                [f"{group.rows:,}", ", ".join(words.cell(_plain(value)) for value in group.sensitive)]
                for group in audit.groups
            ],
            right=[0],
        )
    )


def _show_against(out: Console, found: Against) -> None:
    """Print what the file gives away about the people of its original."""
    out.print()
    heading(out, "Held against the original")
    out.print(grid(["", "people", "share"], against_rows(found), right=[1, 2]))
    for line in how_read(found):
        paragraph(out, worded(line, as_flag))


def _show_left_out(out: Console, columns: int) -> None:
    """Say how many columns are left out, where any is."""
    if columns > 0:
        paragraph(out, f"And {words.counted(columns, 'more column')}; --json shows all of them.")


def _show_each(out: Console, each: tuple[Audit, ...]) -> None:
    out.print()
    heading(out, "Each column alone, worst first")
    out.print(
        grid(
            ["column", "values", "fewest left (l)", "people so exposed", "worst (L0)", "everyone (I*)"],
            [
                [
                    words.named(audit.public),
                    f"{audit.public.values:,}",
                    f"{audit.distinct_l:,}",
                    f"{audit.narrowest_rows:,}" if not audit.independent else "-",
                    words.bits(audit.l0_bits),
                    words.bits(audit.istar_bits),
                ]
                for audit in each[:MOST_ALONE]
            ],
            right=[1, 2, 3, 4, 5],
        )
    )
    _show_left_out(out, len(each) - MOST_ALONE)


def _show_stochastic(out: Console, summary: StochasticSummary) -> None:
    out.print()
    heading(out, "Statistical measures (row frequencies taken as probabilities)")
    shown = summary.to_dict()
    for key, sentence in summary.plain_words().items():
        value = shown.get(key)
        if isinstance(value, dict):
            number = "  ".join(f"{name}: {words.number(part)}" for name, part in value.items())
        else:
            number = words.number(value)
        finding(out, f"{key.replace('_', ' ')}   {number}", sentence)


def _show_tolerance(out: Console, result: AuditResult, measured: ToleranceMeasures) -> None:
    audit = result.audit
    said = candidates_apart(measured, audit.sensitive.columns, audit.public.columns, result.closeness)
    out.print()
    finding(out, f"Fewest left that are apart  {measured.separated_l:,}", said)
    bits = f"{words.bits(measured.l0_bits)} at worst (L0), {words.bits(measured.istar_bits)} to everyone (I*)"
    paragraph(out, f"Revealed, where close values count as one: {bits}.")


def _show_requirements(out: Console, result: AuditResult) -> None:
    secret = result.audit.sensitive.columns
    out.print()
    heading(out, "Requirements")
    out.print(
        grid(
            ["required of every value", "wanted", "found", ""],
            [
                [
                    v.requirement.sentence(secret, result.closeness),
                    _exact(v.wanted),
                    _exact(v.found),
                    "holds" if v.holds else "DOES NOT HOLD",
                ]
                for v in result.requirements
            ],
            right=[1, 2],
        )
    )


def _exact(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.6g}"


def _plain(value: Any) -> Any:
    return " / ".join(words.cell(part) for part in value) if isinstance(value, list) else value
