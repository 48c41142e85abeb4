"""``hartley compare``: every method side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from hartley.cli import option_values
from hartley.cli.judged import judge
from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, grid, heading, paragraph, print_json
from hartley.cli.program import as_flag
from hartley.cli.progress import announce, patience
from hartley.errors import OptionError, worded
from hartley.model.demand import Target
from hartley.report.words import audit as words
from hartley.report.words.comparison import finding, noise_finding, target_words, tie_words
from hartley.tables.locations import shown_source
from hartley.workflow.compare_methods import COMPARED_TARGETS
from hartley.workflow.rivals.comparison import Comparison, Refused
from hartley.workflow.study import compare


@click.command("compare", cls=ManualCommand)
@click.argument("table")
@declared("compare")
def command(table: str, *, plot: str | None, as_json: bool, **given: Any) -> int:
    """Put hartley beside other methods on TABLE, at the same target.

    With --distinct-l or --max-leakage all methods protect alike, and the one that keeps more detail is
    better. With --largest-cluster or --max-distortion all keep the same detail, and the one that reveals less
    is better. Without either, all are held to the protection of hartley's balanced point.

    With --release, compare files that others made; with --candidates, several settings of hartley. All are
    measured alike, from the files.
    """
    if given["releases"] or given["candidates"]:
        return judge(table, given, plot=plot, as_json=as_json)
    if given["regress"] or given["take"] is not None or given["output"] is not None:
        raise OptionError("--regress, --take and --output are for --release or --candidates")
    wanted: dict[str, float | None] = {kind: given[kind] for kind in COMPARED_TARGETS}
    target = Target.one_of(wanted) if any(number is not None for number in wanted.values()) else None
    has_more = bool(given["require"]) or given["row_k"] is not None or given["separated_l"] is not None
    announce(table, given["query"])
    with patience(seed=given["seed"], time_limit=None) as effort:
        found = compare(
            table,
            **option_values.study_fields(given),
            leakage=given["leakage"],
            utility=option_values.utility_choice(given),
            require=option_values.demand(given) if has_more else target,
            each=given["each"],
            withhold=given["withhold"],
            hierarchies=option_values.hierarchy_files(given),
            time_limit=given["time_limit"],
            effort=effort,
        )
    if plot is not None:
        draw(found, Path(shown_source(table)).name, plot)
    if as_json:
        print_json({**found.to_dict(), "finding": finding(found)})
        return 0
    show(console(), Path(shown_source(table)).name, found)
    return 0


def draw(found: Comparison, name: str, path: str) -> None:
    """Draw the frontier, and one labelled mark for every other method."""
    secret, public = words.listed(found.joint.sensitive.columns), words.listed(found.joint.public.columns)
    found.plot(unit=public, subject=f"{name}: ways to protect {secret} in {public}").save(path)


def show(out: Console, name: str, found: Comparison) -> None:
    """Print the table, the settings behind it, and what it shows."""
    secret = words.listed(found.joint.sensitive.columns)
    heading(out, f"{name}: ways to protect {secret} in {words.listed(found.joint.public.columns)}")
    paragraph(out, target_words(found))
    out.print()
    methods = found.to_dict()["methods"]
    answers = [*(method.answer for method in found.methods), found.noise.answer]
    for row, answer in zip(methods, answers, strict=True):
        if isinstance(answer, Refused):
            row["not_applicable"] = worded(answer.reason, as_flag)
    rows = [_cells(row) for row in methods if row["not_applicable"] is None]
    out.print(grid(_columns(found), rows, right=range(1, len(_columns(found)))))
    out.print()
    paragraph(out, finding(found))
    paragraph(out, worded(noise_finding(found), as_flag))
    for line in tie_words(found.ties):
        paragraph(out, line)
    out.print()
    for line in _legend(found):
        paragraph(out, line)
    out.print()
    heading(out, "The methods and their settings")
    out.print(grid(["method", "how"], [[row["method"], _how(row)] for row in methods]))
    if not all(row["complete"] for row in methods):
        out.print("Methods marked with * were stopped early: they might have found more.", markup=False)


def _columns(found: Comparison) -> list[str]:
    detail = "move" if found.frontier.utility == "distortion" else "resolution"
    return ["method", detail, "NCP", "counts", "left", "rows", "values", "bits", "cpu s", "best?"]


def _legend(found: Comparison) -> list[str]:
    leak = "to everyone (I*)" if found.frontier.leakage == "istar" else "by the most exposed person (L0)"
    detail = (
        (
            "Move: half of what the worst class spans of a column's range, 1 where it mixes categories"
            if found.question.cost_meaning == "spans"
            else "Move: how far a value moves at most, by the distances of the columns"
            if len(found.joint.public.columns) > 1
            else "Move: how far a value moves at most"
        )
        if found.frontier.utility == "distortion"
        else "Resolution: bits of detail kept, more is better"
    )
    return [
        f"{detail}. NCP: the part of a column's range that a class spans, averaged over rows and columns (0 "
        "untouched, 1 nothing left). Counts: median error of 600 random counts. "
        "Left: fewest sensitive values left for anyone (distinct l-diversity). Rows: fewest that share a "
        f"published value (k-anonymity). Values: different values that are published. Bits: revealed {leak}.",
        _proof_legend(found),
    ]


def _proof_legend(found: Comparison) -> str:
    if found.ours.point.lower_bound_bits is None:
        cost = "move" if found.frontier.utility == "distortion" else "largest class"
        said = (
            f"Proven: no release that protects as well has a smaller {cost}, whoever makes it; x1.5: "
            "half as large again as the least that may be possible"
        )
    else:
        said = (
            "Proven: no release that loses as little reveals less, whoever makes it; +b: up to b bits less "
            "may be possible"
        )
    return f"{said}. Cpu s: seconds of the processor, over all settings tried."


def _cells(row: dict[str, Any]) -> list[str]:
    detail = row["max_distortion"] if row["max_distortion"] is not None else row["utility"]
    return [
        row["method"] + ("" if row["complete"] else "*"),
        words.digits(detail, 4),
        "-" if row["ncp"] is None else f"{row['ncp']:.3f}",
        "-" if row["query_error"] is None else f"{row['query_error']:.1%}",
        f"{row['distinct_l']:,}",
        "-" if row["row_k"] is None else f"{row['row_k']:,}",
        f"{row['clusters']:,}",
        f"{row['leakage_bits']:.2f}",
        f"{row['cpu_seconds']:.2f}",
        _proof(row),
    ]


def _how(row: dict[str, Any]) -> str:
    if row["not_applicable"] is not None:
        return f"not applicable: {row['not_applicable']}"
    return f"{row['title']}; {row['setting']}" if row["setting"] else str(row["title"])


def _proof(row: dict[str, Any]) -> str:
    if row["lower_bound_bits"] is None:
        if row["lower_bound_cost"] is None:
            return "-"
        if row["proven_optimal"] or not row["lower_bound_cost"]:
            return "proven" if row["proven_optimal"] else "-"
        return f"x{(row['max_distortion'] or row['largest_cluster']) / row['lower_bound_cost']:.2f}"
    return "proven" if row["proven_optimal"] else f"+{row['leakage_bits'] - row['lower_bound_bits']:.2f}"
