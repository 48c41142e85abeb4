"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


def _sensitive(*, is_required: bool) -> Callable[[F], F]:
    return click.option(
        "-s",
        "--sensitive",
        "sensitive",
        multiple=True,
        required=is_required,
        metavar="COL",
        help="Column to protect; repeat for several, which then count as one joint value.",
    )


_seen = stacked(
    click.option(
        "-p",
        "--public",
        "public",
        multiple=True,
        metavar="COL",
        help="Column to publish (a quasi-identifier in other tools); repeat for several.",
    ),
    click.option(
        "--side",
        "side",
        multiple=True,
        metavar="COL",
        help="Column that a reader may know already; repeat for several.",
    ),
)

roles = stacked(_sensitive(is_required=True), _seen)
roles_if_any = stacked(_sensitive(is_required=False), _seen)

reading = stacked(
    click.option(
        "--missing",
        type=click.Choice(["value", "drop"]),
        default="value",
        show_default=True,
        help="Count an empty cell as a value of its own, or leave its row out.",
    ),
    click.option("--text", "text", multiple=True, metavar="COL", help="Read this column as text."),
    click.option("--number", "number", multiple=True, metavar="COL", help="Read this column as numbers."),
    click.option("--encoding", default="utf-8", show_default=True, help="Character encoding of a text file."),
    click.option(
        "--delimiter",
        metavar="CHAR",
        help="What separates the cells of a CSV file; found by the header if you do not say.",
    ),
    click.option(
        "--decimal",
        type=click.Choice([".", ","]),
        default=".",
        show_default=True,
        help="What stands before the fraction of a number in a CSV file.",
    ),
    click.option(
        "--missing-word",
        "missing_words",
        multiple=True,
        metavar="WORD",
        help="Read cells with this word as empty, such as NA; repeat for several.",
    ),
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
    help="Place empty cells of public numbers here, so that they can be merged with numbers.",
)

utility = stacked(
    click.option(
        "--utility",
        type=click.Choice(["resolution", "distortion"]),
        help="What to keep: values near the true ones, or many values apart (default of one text column).",
    ),
    click.option(
        "--codeword",
        type=click.Choice(["midpoint", "centroid", "member"]),
        help="The number published for a group of values; by default its midpoint.",
    ),
    click.option(
        "--combine",
        type=click.Choice(["max", "sum", "euclid"]),
        default="max",
        show_default=True,
        help="How moves in several public columns add up to one.",
    ),
    click.option(
        "--scale",
        "scales",
        multiple=True,
        metavar="COL=NUMBER",
        help="A move that counts as 1 in this column; by default its whole range.",
    ),
)

question = stacked(
    click.option(
        "--leakage",
        type=click.Choice(["l0", "istar", "joint"]),
        default="l0",
        show_default=True,
        help="What to keep small: what the most exposed person reveals (l0), what every reader knows for "
        "certain (istar), or the first without any of the second (joint).",
    ),
    utility,
    click.option(
        "--search",
        type=click.Choice(["optimal", "greedy"]),
        default="optimal",
        show_default=True,
        help="The best recodings, with a proof or a bound; or the paper's merges, step by step.",
    ),
    click.option(
        "--utility-weight", type=float, metavar="W", help="The weight of utility in the paper's Lagrangian."
    ),
    click.option(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        help="Stop after this time by the clock, with the best found and its bounds.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search."),
)


require = stacked(
    click.option(
        "--require",
        "require",
        multiple=True,
        metavar="NAME[:COL]=N",
        help="What must hold for every released value: distinct-l=5, separated-l=3, row-k=10, "
        "distinct-l:COL=5; or bits at most: l0=2.5, istar=0. Repeat for several; all must hold.",
    ),
    click.option(
        "--each",
        is_flag=True,
        help="Hold every sensitive column by itself to the requirements that name no column.",
    ),
)

tolerance = stacked(
    click.option(
        "--tolerance",
        "tolerance",
        multiple=True,
        metavar="COL=NUMBER",
        help="Count sensitive numbers no further apart than this as one (days, for dates).",
    ),
    click.option(
        "--groups",
        "groups",
        multiple=True,
        metavar="COL=FILE",
        help="Count sensitive values of one group as one; a CSV file of value,group.",
    ),
)

counts = stacked(
    click.option(
        "--distinct-l",
        type=float,
        metavar="N",
        help="Fewest sensitive values that may remain possible for anyone (distinct l-diversity).",
    ),
    click.option(
        "--separated-l",
        type=float,
        metavar="N",
        help="The same, counting only values further apart than the tolerance.",
    ),
    click.option(
        "--row-k", type=float, metavar="N", help="Fewest rows that may share a released value (k-anonymity)."
    ),
    click.option(
        "--max-leakage", type=float, metavar="BITS", help="Most bits that the most exposed person may reveal."
    ),
)

caps = stacked(
    click.option("--largest-cluster", type=float, metavar="N", help="Most values that may share a label."),
    click.option("--max-distortion", type=float, metavar="D", help="How far a value may move at most."),
)

shape = stacked(
    click.option(
        "--shape",
        type=click.Choice(["any", "intervals", "columns"]),
        default="any",
        show_default=True,
        help="Which values may share a label: any, neighbours only (bands), or one codebook for each column.",
    ),
    click.option(
        "--borders",
        multiple=True,
        metavar="[COL=]STEP|week|month|quarter|year|each|auto",
        help="Where bands may begin: at multiples of a step, by the calendar, anywhere (each), or on the "
        "finest round grid that costs nothing (auto).",
    ),
    click.option(
        "--offset", type=float, default=0.0, metavar="N", help="Shift the multiples of the step by this much."
    ),
    click.option("--equal-width", is_flag=True, help="Make all bands equally wide."),
    click.option("--open-ends", is_flag=True, help="Let the first and the last band be wider."),
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
    click.option(
        "--neighbours",
        multiple=True,
        metavar="COL=FILE",
        help="Pairs of neighbouring values of a text column.",
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

_withheld_label = click.option(
    "--withheld-label",
    metavar="TEXT",
    help="What stands in a withheld cell; without it the cell is empty.",
)

withhold = stacked(
    click.option(
        "--withhold",
        metavar="N|N%",
        help="Withhold the public values of at most so many rows (suppression): everyone else keeps more.",
    ),
    _withheld_label,
)

withhold_several = stacked(
    click.option(
        "--withhold",
        multiple=True,
        metavar="N|N%",
        help="Withhold the public values of at most so many rows (suppression): everyone else keeps more. "
        "Repeat for several budgets side by side.",
    ),
    _withheld_label,
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
    help="Draw the result into this file: .svg, .png, .pdf or .html.",
)

earlier = click.option(
    "--earlier",
    multiple=True,
    metavar="POLICY",
    help="Policy of an earlier release of the same data; repeat for several.",
)

keep = click.option(
    "--keep", multiple=True, metavar="COL", help="Publish this column unchanged; every requirement counts it."
)

json_output = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
)

person = click.option(
    "--person",
    metavar="COL",
    help="Whose row it is: hold for a reader who can link the rows of one person.",
)

disclosive = click.option(
    "--disclosive", is_flag=True, help="Show sensitive values of the most exposed; for the curator only."
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
        "withheld_label": given["withheld_label"],
        "bands": given["bands"],
        "order": dict(_pair(text, "order", "education=order.txt") for text in given["order"]),
        "hierarchy": dict(_pair(text, "hierarchy", "country=regions.csv") for text in given["hierarchy"]),
        "prefix": given["prefix"],
        "neighbours": dict(_pair(text, "neighbours", "region=beside.csv") for text in given["neighbours"]),
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
        "tolerance": _by_column(given["tolerance"], "tolerance", "age=4"),
        "groups": _by_column(given["groups"], "groups", "diagnosis=groups.csv"),
    }


def _by_column(texts: Iterable[str], what: str, example: str) -> dict[str, str]:
    """Return what is given for each column; raise where one is named twice."""
    found: dict[str, str] = {}
    for name, value in (_pair(text, what, example) for text in texts):
        if name in found:
            raise OptionError(f"{mention(what)} of {name!r} is given twice; say it once")
        found[name] = value
    return found


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
        decimal=given["decimal"],
        missing_words=given["missing_words"],
        sheet=given["sheet"],
        query=given["query"],
        memory_limit=given["memory_limit"],
    )


def reading_words(given: dict[str, Any]) -> list[str]:
    """Return what was said about reading, to be said again in a call that is suggested."""
    usual = {"encoding": "utf-8", "decimal": ".", "missing": "value"}
    said: list[str] = []
    for name in ("delimiter", "decimal", "encoding", "sheet", "query", "missing"):
        if given.get(name) not in (None, usual.get(name)):
            said += [f"--{name}", given[name]]
    for name in ("missing_words", "text", "number"):
        for word in given.get(name, ()):
            said += ["--missing-word" if name == "missing_words" else f"--{name}", word]
    return said


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
