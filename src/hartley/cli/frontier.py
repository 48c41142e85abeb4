"""``hartley frontier``: how much protection costs how much detail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

import hartley
from hartley.cli import option_values
from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, grid, heading, paragraph, print_json
from hartley.cli.progress import announce, patience
from hartley.errors import OptionError
from hartley.frontiers import Frontier, Point
from hartley.report.words import audit as words
from hartley.report.words import release as release_words
from hartley.tables.locations import shown_source
from hartley.workflow.find_frontier import NO_STEPS, FrontierResult

MOST_ROWS = 60
"""A terminal shows no more points than this; JSON has them all."""


@click.command("frontier", cls=ManualCommand)
@click.argument("table")
@declared("frontier")
def command(table: str, *, trace: bool, plot: str | None, as_json: bool, **given: Any) -> int:
    """Show how much detail each step of protection costs.

    Each line is a way to recode the public columns of TABLE. No other line protects better without losing
    more.
    """
    if trace and given["search"] != "greedy":
        raise OptionError(NO_STEPS)
    announce(table, given["query"])
    with patience(seed=given["seed"], time_limit=given["time_limit"]) as effort:
        result = hartley.frontier(
            table,
            **option_values.study_fields(given),
            **option_values.search_fields(given),
            utility_weight=given["utility_weight"],
            require=given["require"],
            each=given["each"],
            effort=effort,
        )
    document = result.to_dict(trace=trace) if as_json or trace else {}
    if plot is not None:
        result.plot(subject=words.frontier_title(result.joint, Path(shown_source(table)).name)).save(plot)
    if as_json:
        print_json(document)
        return 0
    out = console()
    for budget in result.budgets:
        allowed = release_words.budget(budget, result.joint.row_count)
        show(out, f"{shown_source(table)}, {allowed}", replace(result, frontier=budget.frontier))
        out.print()
    if not result.budgets:
        show(out, shown_source(table), result)
    for line in release_words.bought(result):
        out.print(line, markup=False)
    for step in document.get("trace", []):
        _show_step(out, step)
    return 0


def show(out: Console, name: str, result: FrontierResult) -> None:
    """Print a frontier in plain words."""
    frontier, joint = result.frontier, result.joint
    public, secret = words.listed(joint.public.columns), words.listed(joint.sensitive.columns)
    heading(out, f"{name}: what protecting {secret} costs in {public}")
    paragraph(
        out,
        f"{words.values_of(joint.public.size, joint.public.columns)}, "
        f"{words.values_of(joint.sensitive.size, joint.sensitive.columns)}; "
        f"{words.counted(len(frontier.points), 'way')} to recode, from the untouched table to the best "
        "protected.",
    )
    if result.reader.beside:
        seen = words.listed(result.reader.beside)
        paragraph(
            out, f"Readers also see {seen}: what is left counts both, what is revealed is what {public} adds."
        )
    out.print()
    shown = _spread(frontier.points)
    rows = [
        [*_numbers(frontier, point), words.point_meaning(point, frontier, joint.sensitive.columns)]
        for point in shown
    ]
    out.print(grid(_columns(frontier), rows, right=range(len(_columns(frontier)) - 2)))
    if len(shown) < len(frontier.points):
        left_out = words.counted(len(frontier.points) - len(shown), "line")
        out.print(f"({left_out} between these left out; --json has all)")
    out.print()
    for line in _legend(frontier):
        paragraph(out, line)
    if result.stop is not None:
        out.print(f"A utility weight of {result.utility_weight:g} stops at step {result.stop}.")
    elif result.run is None and result.utility_weight is not None:
        chosen = frontier.least_lagrangian(result.utility_weight)
        out.print(
            f"A utility weight of {result.utility_weight:g} chooses the line with "
            f"{_columns(frontier)[0]} {_detail(frontier, chosen)}: "
            f"it reveals {words.bits(chosen.leakage_bits)}."
        )
    if not frontier.complete:
        out.print("The search was stopped early: the gaps are right, but better recodings may exist.")


def _columns(frontier: Frontier) -> list[str]:
    detail = "largest class" if frontier.utility == "resolution" else "largest move"
    if _loss(frontier.points[0]) is not None:
        detail = "loss"
    proof = "step" if frontier.search == "greedy" else "best?"
    groups = ["groups"] if frontier.leakage != "l0" else []
    return [detail, "values", "l", *groups, "revealed", proof, "for people"]


def _legend(frontier: Frontier) -> list[str]:
    detail = "merges no more values" if frontier.utility == "resolution" else "moves no value farther"
    lost = (
        "largest class: most values that share a label"
        if frontier.utility == "resolution"
        else "largest move: how far a value moves at most"
    )
    if _loss(frontier.points[0]) is not None:
        what = "band" if frontier.points[0].tree is None else "class"
        detail, lost = "loses no more", f"loss: the part of a column's range that a {what} spans"
    lines = [
        f"{lost[0].upper()}{lost[1:]}. Values: different values that are published. l: fewest sensitive "
        "values left for anyone (distinct l-diversity)."
    ]
    if frontier.search != "greedy" and frontier.points[0].tree is None:
        lines.append(
            f"Proven: no recoding that {detail} reveals less. Gap: another might reveal so many bits less."
        )
    return lines


def _numbers(frontier: Frontier, point: Point) -> list[str]:
    groups = [f"{point.groups:,}"] if frontier.leakage != "l0" else []
    return [
        _detail(frontier, point),
        f"{point.clusters:,}",
        f"{point.distinct_l:,}",
        *groups,
        words.bits(point.leakage_bits),
        str(point.step) if frontier.search == "greedy" else words.proof(point),
    ]


def _detail(frontier: Frontier, point: Point) -> str:
    loss = _loss(point)
    if loss is not None:
        return f"{loss:.3f}"
    detail = point.largest_cluster if frontier.utility == "resolution" else point.max_distortion
    return words.digits(detail or 0)


def _loss(point: Point) -> float | None:
    """Return the mean share of a column that is lost, where points are measured by it."""
    if point.codebooks is not None:
        return point.codebooks.loss
    return None if point.tree is None else -point.utility


def _spread(points: tuple[Point, ...]) -> list[Point]:
    if len(points) <= MOST_ROWS:
        return list(points)
    last = len(points) - 1
    return [points[round(number * last / (MOST_ROWS - 1))] for number in range(MOST_ROWS)]


def _show_step(out: Console, step: dict[str, Any]) -> None:
    out.print()
    heading(
        out, f"Step {step['step']}: leakage {words.bits(step['leakage_bits'])}, utility {step['utility']:.4g}"
    )
    for cluster in step["clusters"]:
        if len(cluster) > 1:
            out.print("  " + ", ".join(words.cell(label) for label in cluster), markup=False)
