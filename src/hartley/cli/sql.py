"""``hartley sql``: statements that do in a warehouse what a command does here."""

from __future__ import annotations

from typing import Any

import click

from hartley.cli.manual import ManualCommand, ManualGroup
from hartley.cli.options import declared
from hartley.cli.streams import write
from hartley.workflow.warehouse.count_in_warehouse import audit_statement


@click.group("sql", cls=ManualGroup)
def command() -> None:
    """Print statements to run where the data lives."""


@command.command("audit", cls=ManualCommand)
@declared("sql")
def audit(**given: Any) -> int:
    """Print the one statement that counts what an audit needs.

    Save what it returns as CSV with a header, and give that to `hartley audit --counts FILE`.
    """
    write(audit_statement(**given))
    return 0
