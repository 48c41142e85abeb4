"""``hartley apply``: an old policy on new data."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, heading, paragraph, print_json, verdict, warn_of_formulas
from hartley.cli.progress import announce_and_work
from hartley.report.words import audit as words
from hartley.report.words.audit import headline
from hartley.tables.locations import shown_source
from hartley.workflow.apply_policy import ApplyResult, apply


@click.command("apply", cls=ManualCommand)
@click.argument("policy")
@click.argument("table")
@click.argument("out")
@declared("apply")
def command(policy: str, table: str, out: str, *, accept_unmet: bool, as_json: bool, **given: Any) -> int:
    """Recode TABLE by the codebook of POLICY, audit the result, and write OUT."""
    given["require"] = given["require"] or None
    with announce_and_work(table):
        result = apply(policy, table, out, unmet="accept" if accept_unmet else "refuse", **given)
    warn_of_formulas(result.formula_cells, defused=result.defused)
    if as_json:
        print_json(result.to_dict())
    else:
        show(console(), shown_source(table), result)
    return 0


def show(out: Console, name: str, result: ApplyResult) -> None:
    """Print the result in plain words."""
    heading(out, f"{name}: released as {result.output}")
    out.print(words.counted(result.rows, "row"))
    if result.unseen_rows:
        values = words.counted(result.unseen_values, "public value")
        rows = words.counted(result.unseen_rows, "row")
        paragraph(out, f"{rows} with {values} that the policy does not know.")
    out.print()
    if result.after is None:
        verdict(
            out,
            "amber",
            "NOT MEASURED",
            "The sensitive columns are not in this table, so no one has counted whom it exposes.",
        )
        return
    if result.target_holds is False:
        verdict(
            out,
            "red",
            "DOES NOT HOLD",
            "What the policy requires does not hold for this table: its codebook was made for other rows. "
            "Release this table on its own, or do not publish it.",
        )
    top = headline(result.after, holds=result.target_holds is not False)
    verdict(out, top.colour, top.word, top.sentence)
    paragraph(out, words.candidates_left(result.after))
