"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import click

from hartley.errors import OptionError
from hartley.tables import ReadOptions
from hartley.workflow import UtilityChoice

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
    click.option("--delimiter", metavar="CHAR", help="What separates the cells of a CSV file."),
    click.option("--sheet", metavar="NAME", help="Sheet of a workbook; by default its first."),
    click.option(
        "--query", metavar="SQL", help="What to select in a database: a SELECT, or the name of a table."
    ),
    click.option(
        "--memory-limit", metavar="SIZE", help="Memory for reading, such as 2GB; the rest goes to disk."
    ),
)

missing_at = click.option(
    "--missing-at",
    type=float,
    metavar="NUMBER",
    help="Where a missing public number lies; without it, under distortion, it stays alone.",
)

utility = stacked(
    click.option(
        "--utility",
        type=click.Choice(["resolution", "distortion"]),
        help="What to keep large; by default distortion for numbers and dates, resolution otherwise.",
    ),
    click.option(
        "--codeword",
        type=click.Choice(["midpoint", "centroid", "member"]),
        help="What stands for a cluster under distortion; by default its midpoint.",
    ),
    click.option(
        "--combine",
        type=click.Choice(["max", "sum", "euclid"]),
        default="max",
        show_default=True,
        help="How the distances of several public columns become one.",
    ),
    click.option(
        "--scale",
        "scales",
        multiple=True,
        metavar="COL=NUMBER",
        help="The unit of a column's distances among several columns; by default its range.",
    ),
)

question = stacked(
    click.option(
        "--leakage",
        type=click.Choice(["l0", "istar", "joint"]),
        default="l0",
        show_default=True,
        help="What to keep small: the worst case, what is certain, or the worst case with nothing certain.",
    ),
    utility,
    click.option(
        "--search",
        type=click.Choice(["optimal", "greedy"]),
        default="optimal",
        show_default=True,
        help="The best partitions known, with proof or bound; or the paper's merges, step by step.",
    ),
    click.option(
        "--utility-weight", type=float, metavar="W", help="The weight of utility in the Lagrangian."
    ),
    click.option(
        "--time-limit", type=float, metavar="SECONDS", help="Stop then, with the best found and its bounds."
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search."),
)


def _drawable(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Refuse a figure that could not be written before anything long is done."""
    del context, parameter
    if path is not None and Path(path).suffix.lower() not in (".svg", ".png", ".pdf", ".html"):
        raise OptionError(f"cannot draw into {path!r}; end the name in .svg, .png, .pdf or .html")
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise OptionError(f"cannot draw into {path!r}; there is no such folder")
    return path


plot = click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    callback=_drawable,
    metavar="FILE",
    help="Draw it: .svg, .png, .pdf or .html.",
)

earlier = click.option(
    "--earlier", multiple=True, metavar="POLICY", help="Policy of an earlier release of the same data."
)

keep = click.option(
    "--keep", multiple=True, metavar="COL", help="Publish this column unchanged; the target counts it."
)

json_output = click.option("--json", "as_json", is_flag=True, help="Print one JSON document, nothing else.")

disclosive = click.option(
    "--disclosive", is_flag=True, help="Show sensitive values among the witnesses; for the curator only."
)


def read_options(given: dict[str, Any]) -> ReadOptions:
    """Say how the table is to be read."""
    return ReadOptions(
        text=given["text"],
        number=given["number"],
        encoding=given["encoding"],
        delimiter=given["delimiter"],
        sheet=given["sheet"],
        query=given["query"],
        memory_limit=given["memory_limit"],
    )


def utility_choice(given: dict[str, Any]) -> UtilityChoice:
    """Say what was asked about utility."""
    return UtilityChoice(
        name=given["utility"],
        codeword=given["codeword"],
        combination=given["combine"],
        scales=dict(map(_scale, given["scales"])),
    )


def _scale(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        scale = float(number)
    except ValueError:
        scale = 0.0
    if not name or not 0 < scale < inf:
        raise OptionError(f"cannot read the scale {text!r}; write a column and a number above 0, as age=10")
    return name, scale
