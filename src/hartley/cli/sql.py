"""``hartley sql``: statements that do in a warehouse what a command does here."""

from __future__ import annotations

from typing import Any

import click

from hartley.cli import options
from hartley.cli.manual import ManualCommand, ManualGroup
from hartley.cli.streams import write
from hartley.workflow.warehouse.count_in_warehouse import audit_statement


@click.group("sql", cls=ManualGroup)
def command() -> None:
    """Print statements to run where the data lives."""


@command.command("audit", cls=ManualCommand)
@options.roles
@click.option("--dialect", default="duckdb", show_default=True, metavar="NAME", help="Which SQL.")
@click.option(
    "--table", default="source_table", show_default=True, metavar="NAME", help="The table to count."
)
@click.option("--number", multiple=True, metavar="COL", help="A column of numbers in which NaN may stand.")
@click.option(
    "--missing",
    type=click.Choice(["value", "drop"]),
    default="value",
    show_default=True,
    help="A missing cell is a value of its own, or its row is left out.",
)
def audit(**given: Any) -> int:
    """Print the one statement that counts what an audit needs.

    Save what it returns as CSV with a header, and give that to `hartley audit --counts FILE`.
    """
    write(audit_statement(**given))
    return 0
