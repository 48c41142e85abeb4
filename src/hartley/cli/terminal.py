"""Printing: plain words on a terminal, exactly one document as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hartley.cli import streams
from hartley.report.words import visible

NARROWEST = 20
"""Characters to a line, however narrow the terminal says it is."""
UNKNOWN_WIDTH = 80
"""Characters to a line where the terminal says it has none, as some do that are no terminals."""


class Paper(Console):
    """A console that prints names and cells as they are, and goes on where nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """Print nothing further; the exit code is still that of the command."""
        self.quiet = True
        streams.to_nowhere()


def console() -> Console:
    """Give the console for results, on stdout."""
    out = Paper(file=sys.stdout, highlight=False, soft_wrap=False, markup=False, emoji=False)
    if out.width < NARROWEST:
        out.width = NARROWEST if out.width > 0 else UNKNOWN_WIDTH
    return out


def notes() -> Console:
    """Give the console for progress and notes, on stderr."""
    return Console(file=sys.stderr, highlight=False, markup=False, emoji=False)


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document; numbers that are not finite never stand in it."""
    is_ascii = not streams.writes_every_character()
    streams.write(json.dumps(document, ensure_ascii=is_ascii, allow_nan=False, indent=2) + "\n")


def heading(out: Console, text: str) -> None:
    """Print a heading."""
    out.print(Text(visible(text), style="bold"))


def finding(out: Console, number: str, sentence: str) -> None:
    """Print a number and, below it, what it means."""
    out.print(Text(number, style="bold cyan"))
    indent = " " * 4
    out.print(Text(fill(visible(sentence), out.width, initial_indent=indent, subsequent_indent=indent)))


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> Table:
    """Build a plain table; columns named in ``right`` are aligned to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for number, name in enumerate(columns):
        header = Text(visible(name))
        table.add_column(header, justify="right" if number in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    return table
