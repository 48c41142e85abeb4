"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Put several options on a command, the first one first in the help."""

    def apply(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return apply


roles = stacked(
    click.option(
        "-s",
        "--sensitive",
        "sensitive",
        multiple=True,
        required=True,
        metavar="COL",
        help="Column to protect; repeat for several, which then act as one joint value.",
    ),
    click.option(
        "-p",
        "--public",
        "public",
        multiple=True,
        metavar="COL",
        help="Column to publish; repeat for several.",
    ),
    click.option(
        "--side",
        "side",
        multiple=True,
        metavar="COL",
        help="Column that the reader is assumed to know already; repeat for several.",
    ),
)

reading = stacked(
    click.option(
        "--missing",
        type=click.Choice(["value", "drop"]),
        default="value",
        show_default=True,
        help="A missing cell is a value of its own, or its row is left out and counted.",
    ),
    click.option("--text", "text", multiple=True, metavar="COL", help="Read this column as text."),
    click.option("--number", "number", multiple=True, metavar="COL", help="Read this column as numbers."),
    click.option("--encoding", default="utf-8", show_default=True, help="Character encoding of a text file."),
)

json_output = click.option("--json", "as_json", is_flag=True, help="Print one JSON document, nothing else.")

disclosive = click.option(
    "--disclosive", is_flag=True, help="Show sensitive values among the witnesses; for the curator only."
)
