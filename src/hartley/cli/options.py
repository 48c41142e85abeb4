"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hartley.errors import OptionError

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
        help="Column to protect; repeat for several, each protected by itself.",
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
        "--dates",
        multiple=True,
        metavar="[COL=]FORMAT",
        help="How dates are written in a CSV file: dd.mm.yyyy, dd/mm/yyyy, mm/dd/yyyy or dd-mm-yyyy; by "
        "default the cells tell.",
    ),
    click.option(
        "--missing-word",
        "missing_words",
        multiple=True,
        metavar="WORD",
        help="Read cells with this word as empty, such as NA; repeat for several.",
    ),
    click.option("--sheet", metavar="NAME", help="Sheet of a workbook; by default the one with most rows."),
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
        type=click.Choice(["max", "sum"]),
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
        "--ties",
        type=click.Choice(["order", "random"]),
        default="order",
        show_default=True,
        help="Of equally good merges of a greedy search: that of the first values, or as --seed decides.",
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
        "--jointly",
        is_flag=True,
        help="Count several sensitive columns as one joint value; by default each is protected by itself.",
    ),
    click.option("--each", is_flag=True, help="What several sensitive columns get anyway, unless --jointly."),
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
        type=click.Choice(["any", "intervals", "columns", "tree"]),
        default="any",
        show_default=True,
        help="Which values may share a label: any, neighbours only (bands), one codebook for each column, or "
        "boxes cut from each other (tree).",
    ),
    click.option(
        "--transparent",
        type=click.Choice(["strict", "retry"]),
        is_flag=False,
        flag_value="retry",
        help="Hold also for a reader who knows how hartley works, by a tree of cuts: retry (the default) or "
        "strict, where no cut can fail.",
    ),
    click.option(
        "--transparent-knows",
        type=int,
        default=0,
        metavar="M",
        help="The same where that reader knows the sensitive values of M rows besides.",
    ),
    click.option(
        "--borders",
        multiple=True,
        metavar="[COL=]STEP|a,b,c|week|month|quarter|year|each|auto",
        help="Where bands may begin: at multiples of a step, at borders of your own (age=18,40,65), by the "
        "calendar, anywhere (each), or on the finest round grid that costs nothing (auto).",
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
        "--dissimilarity",
        multiple=True,
        metavar="COL=FILE",
        help="How unlike two values of a text column are: value,other,number.",
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
        help="Several columns: what is to be small, the mean width of a row's class or the greatest.",
    ),
)

_withheld_label = click.option(
    "--withheld-label", metavar="TEXT", help="What stands in a withheld cell; without it the cell is empty."
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

hierarchies = click.option(
    "--hierarchy",
    "hierarchies",
    multiple=True,
    metavar="COL=FILE",
    help="Which values share a label of a text column: a CSV file of value,level1,level2,...",
)

against = stacked(
    click.option(
        "--against",
        metavar="ORIGINAL",
        help="The table that TABLE was made from, recoded or synthetic: count the people of it whose "
        "sensitive value is read off from TABLE.",
    ),
    hierarchies,
)

regress = click.option(
    "--regress",
    multiple=True,
    metavar="FORMULA",
    help="A regression that should say the same on the released file, as 'wage ~ age + education'.",
)

json_output = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
)

person = click.option(
    "--person", metavar="COL", help="Whose row it is: hold for a reader who can link the rows of one person."
)

disclosive = click.option(
    "--disclosive", is_flag=True, help="Show sensitive values of the most exposed; for the curator only."
)


like_input = click.option(
    "--like-input",
    type=click.Choice(["yes", "no", "bom"]),
    default="yes",
    show_default=True,
    help="In CSV, use the delimiter, decimal mark and encoding of TABLE; no: commas, points and UTF-8; bom: "
    "as yes, but UTF-8 with a byte order mark, by which Excel knows it.",
)

defuse_formulas = click.option(
    "--defuse-formulas", is_flag=True, help="In CSV, put a quote before cells that a spreadsheet would run."
)
