"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import click

from hartley.errors import OptionError
from hartley.errors import option as mention
from hartley.workflow import Demand, ReadOptions, Requirement, Target, UtilityChoice

F = TypeVar("F", bound=Callable[..., Any])


def stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Put several options on a command, the first one first in the help."""

    def apply(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return apply


def _roles(*, required: bool) -> Callable[[F], F]:
    return stacked(
        click.option(
            "-s",
            "--sensitive",
            "sensitive",
            multiple=True,
            required=required,
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


roles = _roles(required=True)
roles_unless_counted = _roles(required=False)
"""An audit of counts needs no columns: the counts name them."""

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
        help="What to keep: nearness to the true values, or how many are told apart (default of one text).",
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


require = stacked(
    click.option(
        "--require",
        "require",
        multiple=True,
        metavar="NAME[:COL]=N",
        help="What every released value must keep: distinct-l=5, separated-l=3, row-k=10, distinct-l:COL=5; "
        "or bits at most: l0=2.5, istar=0. Repeat for several; all must hold.",
    ),
    click.option(
        "--each", is_flag=True, help="A requirement without a column is of every sensitive column by itself."
    ),
)

tolerance = stacked(
    click.option(
        "--tolerance",
        "tolerance",
        multiple=True,
        metavar="COL=NUMBER",
        help="Sensitive numbers that are no more than this apart count as one (days, for dates).",
    ),
    click.option(
        "--groups",
        "groups",
        multiple=True,
        metavar="COL=FILE",
        help="Sensitive values of one group count as one: a CSV file of value,group.",
    ),
)

counts = stacked(
    click.option("--distinct-l", type=float, metavar="N", help="Sensitive values that are left, at least."),
    click.option(
        "--separated-l",
        type=float,
        metavar="N",
        help="Those more than the tolerance apart, at least.",
    ),
    click.option("--row-k", type=float, metavar="N", help="Rows that share a released value, at least."),
    click.option("--max-leakage", type=float, metavar="BITS", help="Bits that leak, at most."),
)

caps = stacked(
    click.option("--largest-cluster", type=float, metavar="N", help="Values that share a label, at most."),
    click.option("--max-distortion", type=float, metavar="D", help="How far a value may move."),
)

shape = stacked(
    click.option(
        "--shape",
        type=click.Choice(["any", "intervals", "columns"]),
        default="any",
        show_default=True,
        help="Which values may share a label: any, runs of neighbours, or one codebook for each column.",
    ),
    click.option(
        "--borders",
        multiple=True,
        metavar="[COL=]STEP|week|month|quarter|year|each|auto",
        help="Where bands may begin: multiples of a step, a calendar, anywhere, or the finest round grid "
        "that is free.",
    ),
    click.option("--offset", type=float, default=0.0, metavar="N", help="Shift the multiples of the step."),
    click.option("--equal-width", is_flag=True, help="Intervals of one width."),
    click.option("--open-ends", is_flag=True, help="The first and last of them may be wider."),
    click.option(
        "--bands",
        type=click.Choice(["variable", "equal"]),
        default="variable",
        show_default=True,
        help="Codebooks of columns: bands of any widths, or the best of the ladders of equal ones.",
    ),
    click.option(
        "--order",
        multiple=True,
        metavar="COL=FILE",
        help="The values of a text column from least to greatest, one on each line.",
    ),
    click.option(
        "--hierarchy",
        multiple=True,
        metavar="COL=FILE",
        help="Groups of a text column: value,level1,level2,...",
    ),
    click.option("--prefix", multiple=True, metavar="COL", help="Text that may be cut, such as postcodes."),
    click.option(
        "--weight",
        multiple=True,
        metavar="COL=N",
        help="How much the detail of a column counts beside others'.",
    ),
    click.option(
        "--objective",
        type=click.Choice(["mean", "worst"]),
        default="mean",
        show_default=True,
        help="Codebooks of columns: what is to be small, the mean width of bands or the greatest.",
    ),
    click.option(
        "--lose-at-most",
        default="50%",
        show_default=True,
        metavar="SHARE",
        help="The largest share of a band's rows that may be withheld.",
    ),
)

withhold = click.option(
    "--withhold",
    metavar="N|N%",
    help="Withhold the public value of at most so many rows instead of blurring everybody.",
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


def demand(given: dict[str, Any]) -> Demand:
    """Return what is asked of a release: requirements, and at most one cap."""
    found = Demand.of(given.get("require") or None)
    counted = {name: given.get(name) for name in ("distinct_l", "separated_l", "row_k")}
    for name, number in counted.items():
        if number is not None:
            if not 1 <= number < inf or number != int(number):
                raise OptionError(f"{mention(name)} needs a whole number from 1 on, not {number:g}")
            found = found.with_requirements((Requirement(name.replace("_", "-"), int(number)),))
    for kind in ("max_leakage", "largest_cluster", "max_distortion", "utility_weight"):
        number = given.get(kind)
        if number is not None:
            found = found.with_target(Target(kind, number))
    return found


defuse_formulas = click.option(
    "--defuse-formulas",
    is_flag=True,
    help="In CSV, put a quote before cells that a spreadsheet would run.",
)


def shape_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of clusters and the rows to withhold, as keywords."""
    return {
        "shape": given["shape"],
        "borders": _borders(given["borders"]),
        "offset": given["offset"],
        "equal_width": given["equal_width"],
        "open_ends": given["open_ends"],
        "withhold": given["withhold"],
        "bands": given["bands"],
        "order": dict(_pair(text, "order", "education=order.txt") for text in given["order"]),
        "hierarchy": dict(_pair(text, "hierarchy", "country=regions.csv") for text in given["hierarchy"]),
        "prefix": given["prefix"],
        "weight": dict(map(_weight, given["weight"])),
        "objective": given["objective"],
        "lose_at_most": 0.5 if given["lose_at_most"] == "50%" else given["lose_at_most"],
    }


def _borders(given: tuple[str, ...]) -> float | str | dict[str, float | str] | None:
    """Take borders of one column as they are, borders of several by column."""
    by_column: dict[str, float | str] = {}
    plain: list[float | str] = []
    for text in given:
        name, separator, step = text.rpartition("=")
        if separator and name in by_column:
            raise OptionError(f"{mention('borders')} of {name!r} are given twice; give them once")
        if separator:
            by_column[name] = _number_or_text(step)
        else:
            plain.append(_number_or_text(text))
    if len(plain) > 1 or (plain and by_column):
        raise OptionError(
            f"name the column of each {mention('borders')}, as in {mention('borders', 'age=5')}"
        )
    return by_column or (plain[0] if plain else None)


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _weight(text: str) -> tuple[str, float]:
    name, number = _pair(text, "weight", "age=2")
    try:
        return name, float(number)
    except ValueError:
        raise OptionError(f"cannot read {mention('weight')} {text!r}; write it as age=2") from None


def closeness_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return tolerances and groups of sensitive columns, as keywords."""
    return {
        "tolerance": dict(_pair(text, "tolerance", "age=4") for text in given["tolerance"]),
        "groups": dict(_pair(text, "groups", "diagnosis=groups.csv") for text in given["groups"]),
    }


def _pair(text: str, what: str, example: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip() or not value.strip():
        raise OptionError(f"cannot read {mention(what)} {text!r}; write it as {example}")
    return name.strip(), value.strip()


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
