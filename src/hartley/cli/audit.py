"""``hartley audit``: what a table as it is gives away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hartley import workflow
from hartley.cli import options
from hartley.cli.output import console, finding, grid, heading, print_json
from hartley.cli.progress import announce_and_read
from hartley.report.words import audit as words
from hartley.workflow import Audit, AuditResult, Verdict, shown_source
from hartley.workflow.warehouse.count_in_warehouse import audit_counts

if TYPE_CHECKING:
    from hartley.measures.stochastic.summary import StochasticSummary


@click.command("audit")
@click.argument("table", required=False)
@options.roles_unless_counted
@options.reading
@options.require
@options.tolerance
@click.option(
    "--stochastic", is_flag=True, help="Add what statistics say, and whether the table can carry them."
)
@options.earlier
@click.option("--counts", metavar="FILE", help="Audit the result of `hartley sql audit` in place of a table.")
@options.disclosive
@options.json_output
@click.pass_context
def command(
    ctx: click.Context,
    table: str | None,
    *,
    counts: str | None,
    disclosive: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Say what a reader of TABLE's public columns learns about the sensitive ones.

    Without --public, all other columns together and each one alone, worst first.
    """
    if counts is not None:
        return _audit_counts(ctx, table, counts, given, as_json=as_json)
    if table is None or not given["sensitive"]:
        lacking = "table" if table is None else "sensitive"
        raise click.MissingParameter(
            ctx=ctx, param=next(one for one in ctx.command.params if one.name == lacking)
        )
    with announce_and_read(table, given["query"]):
        result = workflow.audit(
            table,
            sensitive=given["sensitive"],
            public=given["public"],
            side=given["side"],
            missing=given["missing"],
            require=given["require"],
            each=given["each"],
            **options.closeness_fields(given),
            stochastic=given["stochastic"],
            earlier=given["earlier"],
            options=options.read_options(given),
        )
    if as_json:
        print_json(result.to_dict(disclosive=disclosive))
    else:
        show(console(), shown_source(table), result, disclosive=disclosive)
    return 0 if result.holds else 3


def _audit_counts(
    ctx: click.Context, table: str | None, counts: str, given: dict[str, Any], *, as_json: bool
) -> int:
    """Audit what a statement counted; it names the columns itself."""
    default = click.core.ParameterSource.DEFAULT
    beside = [name for name in given if name != "require" and ctx.get_parameter_source(name) != default]
    if table is not None or beside:
        raise click.UsageError(
            "--counts stands in place of a table and its columns; beside it only --require"
        )
    result = audit_counts(counts, require=given["require"])
    if as_json:
        print_json(result.to_dict())
    else:
        show(console(), shown_source(counts), result, disclosive=False)
    return 0 if result.holds else 3


def show(out: Console, name: str, result: AuditResult, *, disclosive: bool) -> None:
    """Print an audit in plain words."""
    audit = result.audit
    heading(
        out,
        f"{name}: what a reader of {words.named(audit.public)} learns about {words.named(audit.sensitive)}",
    )
    out.print(
        f"{words.counted(audit.rows, 'row')}, {audit.public.values:,} public and "
        f"{audit.sensitive.values:,} sensitive values, {words.counted(audit.pairs, 'pair')} that occur"
        + (
            f"; {words.counted(result.dropped_rows, 'row')} left out for a missing value"
            if result.dropped_rows
            else ""
        )
    )
    if audit.side is not None:
        out.print(f"The reader is assumed to know {words.named(audit.side)} already.")
    out.print()
    finding(out, f"In the worst case (L0)   {words.bits(audit.l0_bits)}", words.worst_case(audit))
    finding(out, f"For certain (I*)         {words.bits(audit.istar_bits)}", words.for_certain(audit))
    finding(out, f"At least (I0)            {words.bits(audit.i0_bits)}", words.at_least(audit))
    finding(
        out,
        f"Candidates left          l = {audit.distinct_l}",
        words.candidates_left(audit),
    )
    _show_narrowest(out, audit, disclosive=disclosive)
    if audit.components > 1 and disclosive:
        _show_components(out, audit)
    if result.each:
        _show_each(out, result.each)
    if result.stochastic is not None:
        _show_stochastic(out, result.stochastic)
    if result.requirements:
        _show_requirements(out, result.requirements)


def _show_narrowest(out: Console, audit: Audit, *, disclosive: bool) -> None:
    if audit.independent or not audit.narrowest:
        return
    first = audit.narrowest[0]
    if not first.public and not disclosive:
        return
    out.print()
    shown = min(len(audit.narrowest), 5)
    some = f" (first {shown} of {audit.narrowest_count:,})" if audit.narrowest_count > shown else ""
    heading(out, "The most telling values" + some)
    columns = [*first.public, *(first.side or {}), "candidates", "rows"]
    rows = []
    for narrow in audit.narrowest[:shown]:
        cells: list[Any] = [
            *narrow.public.values(),
            *(narrow.side or {}).values(),
            narrow.candidates,
            narrow.rows,
        ]
        if disclosive:
            cells.append(", ".join(words.cell(_plain(value)) for value in narrow.sensitive))
        rows.append([words.cell(value) for value in cells])
    if disclosive:
        columns.append(words.named(audit.sensitive))
    out.print(grid(columns, rows))


def _show_components(out: Console, audit: Audit) -> None:
    out.print()
    heading(out, f"Groups of {words.named(audit.sensitive)} that are never confused")
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


def _show_each(out: Console, each: tuple[Audit, ...]) -> None:
    out.print()
    heading(out, "Each column alone, worst first")
    out.print(
        grid(
            ["column", "values", "l", "L0", "I*", "rows at the worst value"],
            [
                [
                    words.named(audit.public),
                    f"{audit.public.values:,}",
                    str(audit.distinct_l),
                    words.bits(audit.l0_bits),
                    words.bits(audit.istar_bits),
                    f"{audit.narrowest_rows:,}" if not audit.independent else "-",
                ]
                for audit in each
            ],
            right=[1, 2, 3, 4, 5],
        )
    )


def _show_stochastic(out: Console, summary: StochasticSummary) -> None:
    out.print()
    heading(out, "With statistics (row frequencies as probabilities)")
    shown = summary.to_dict()
    for key, sentence in summary.plain_words().items():
        value = shown.get(key)
        if isinstance(value, dict):
            number = "  ".join(f"{name}: {words.number(part)}" for name, part in value.items())
        else:
            number = words.number(value)
        finding(out, f"{key.replace('_', ' ')}   {number}", sentence)


def _show_requirements(out: Console, verdicts: tuple[Verdict, ...]) -> None:
    out.print()
    heading(out, "Requirements")
    out.print(
        grid(
            ["", "wanted", "found", ""],
            [
                [v.name, _exact(v.wanted), _exact(v.found), "holds" if v.holds else "DOES NOT HOLD"]
                for v in verdicts
            ],
            right=[1, 2],
        )
    )


def _exact(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.6g}"


def _plain(value: Any) -> Any:
    return " / ".join(words.cell(part) for part in value) if isinstance(value, list) else value
