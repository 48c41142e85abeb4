"""``hartley reproduce``: the paper's examples and experiment, run again."""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path

import click
from rich.console import Console

from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, grid, heading, notes, print_json
from hartley.cli.program import as_flag
from hartley.cli.progress import patience
from hartley.errors import InputError, OptionError, worded
from hartley.paper.heart_data import SOURCE, HeartRows
from hartley.paper.pages import dominance_words, figures, markdown, summary
from hartley.paper.printed_values import NOT_REPRODUCIBLE, PaperValue, shown
from hartley.paper.reproduce import NO_DATA, Reproduction, fetch_data, read_data, reproduce
from hartley.releases.writer.staging import cannot_write, write_files

KEPT = "processed.hungarian.data"


@click.command("reproduce", cls=ManualCommand)
@declared("reproduce")
def command(*, data: str | None, download: bool, output: Path | None, plot: str | None, as_json: bool) -> int:
    """Run the paper's worked examples and toy figures again, and its experiment where the data is given.

    Every value stands beside the printed one, and, where that is a misprint, beside the corrected one.
    """
    if data is not None and download:
        raise OptionError("give the data with --data, or let it be fetched with --download, not both")
    folder = None if output is None else _folder(output)
    rows = read_data(data) if data is not None else None
    if download:
        rows = _downloaded(folder)
    with patience(seed=0, time_limit=None) as effort:
        found = reproduce(rows, effort=effort)
    if folder is not None:
        _write(folder, found)
    if plot is not None:
        # The frontier of the experiment where there is one, else that of the toy.
        drawn = figures(found)
        name = next((name for name in drawn if name.startswith("hungarian_")), "frontier_toy")
        drawn[name].save(plot)
    if as_json:
        print_json(found.to_dict())
    else:
        show(console(), found)
    return 0 if found.holds else 3


def show(out: Console, found: Reproduction) -> None:
    """Print every value beside the paper's, what cannot be had, and the dominance measured."""
    heading(out, "The paper, run again")
    out.print(summary(found), markup=False)
    out.print()
    _show_checks(out, found.checks)
    heading(out, "What cannot be reproduced from the text")
    for slip in NOT_REPRODUCIBLE:
        out.print(f"- {slip.place}: {slip.printed}: {slip.here}", markup=False)
    out.print()
    heading(out, "The experiment on the Hungarian heart disease data")
    if found.experiment is None:
        out.print(worded(NO_DATA, as_flag), markup=False)
        return
    _show_checks(out, found.experiment.checks)
    columns = ["generalisation, k = 5", "l", "clusters", "largest", "suppressed"]
    rows = [
        [one.name, f"{one.distinct_l}", f"{one.clusters}", f"{one.largest_cluster}", f"{one.suppressed_rows}"]
        for one in found.experiment.variants
    ]
    out.print(grid(columns, rows, right=range(1, len(columns))))
    for panel in found.experiment.panels:
        out.print()
        for sentence in dominance_words(panel):
            out.print(sentence, markup=False)


def _show_checks(out: Console, checks: tuple[PaperValue, ...]) -> None:
    """Print the values place by place, and below them what is wrong with the misprints."""
    for place, group in groupby(checks, key=lambda check: check.value.place):
        here = tuple(group)
        rows = [
            [
                check.value.quantity,
                shown(check.value.printed),
                "" if check.value.corrected is None else shown(check.value.corrected),
                shown(check.found),
                check.verdict.partition(",")[0],
            ]
            for check in here
        ]
        heading(out, place)
        out.print(grid(["", "printed", "corrected", "found", "verdict"], rows))
        for note in dict.fromkeys(check.value.note for check in here if check.value.note):
            out.print(f"({note})", style="dim", markup=False)
        out.print()


def _downloaded(folder: Path | None) -> HeartRows | None:
    if not sys.stdin.isatty():
        raise OptionError(
            "--download asks before it fetches, and there is no terminal to ask on; fetch "
            f"{SOURCE} yourself and give it with --data"
        )
    if not click.confirm(f"Fetch {SOURCE}?", err=True):
        notes().print("nothing was fetched")
        return None
    content, rows = fetch_data()
    notes().print(
        "fetched; it has the rows, ages, cholesterol values and pairs of the paper's data, and the checksum "
        "of its (age, cholesterol) rows is the known one (UCI publishes no checksum of the file)",
        markup=False,
    )
    if folder is not None:
        write_files({folder / KEPT: content}, overwrite=True, is_private=False)
    return rows


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from None
    return path


def _write(folder: Path, found: Reproduction) -> None:
    document = json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
    contents = {"reproduction.json": f"{document}\n", "reproduction.md": markdown(found)}
    try:
        contents |= {f"{name}.svg": figure.svg() for name, figure in figures(found).items()}
    except InputError as error:
        notes().print(f"figures are left out: {error}", markup=False)
    files = {folder / name: content.encode() for name, content in contents.items()}
    write_files(files, overwrite=True, is_private=False)
