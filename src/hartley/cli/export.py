"""``hartley export``: the codebook of a policy where the data lives."""

from __future__ import annotations

from typing import Any

import click

from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import notes, print_json
from hartley.cli.streams import write
from hartley.workflow.warehouse.export_codebook import ExportResult, export


@click.command("export", cls=ManualCommand)
@click.argument("policy")
@declared("export")
def command(policy: str, output: str | None, as_json: bool, **given: Any) -> int:
    """Say what POLICY does to a table in another language, or write the bare codebook.

    What it writes holds the codebook, and is as secret as the policy.
    """
    result = export(policy, output=output, **given)
    if as_json:
        print_json(result.to_dict())
    else:
        _show(result)
    return 0


def _show(result: ExportResult) -> None:
    out = notes()
    if result.output is not None:
        out.print(f"{result.output} holds the codebook: keep it as secret as the policy.", soft_wrap=True)
    if result.tables:
        out.print(
            f"The codebook is too large for conditions, so it is a table: {', '.join(result.tables)}",
            soft_wrap=True,
        )
    if result.output is None:
        for name, text in sorted(result.files.items()):
            write(f"{f'-- {name}' if name else ''}{chr(10) if name else ''}{text}")
