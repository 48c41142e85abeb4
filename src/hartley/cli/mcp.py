"""``hartley mcp``: a gate for agents."""

from __future__ import annotations

from pathlib import Path

import click

from hartley.cli.manual import ManualCommand
from hartley.mcp import server


@click.command("mcp", cls=ManualCommand)
@click.argument("folder", type=click.Path(path_type=Path))
def command(folder: Path) -> int:
    """Let agents describe, audit, verify and explain tables in FOLDER, over stdin and stdout.

    The tools only read, and no answer holds a cell of a table. An agent's configuration names this
    command; it speaks the Model Context Protocol.
    """
    server(folder).run("stdio")
    return 0
