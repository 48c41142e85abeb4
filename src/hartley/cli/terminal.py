"""Printing: plain words on a terminal, exactly one document as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text


def console() -> Console:
    """Give the console for results, on stdout."""
    return Console(file=sys.stdout, highlight=False, soft_wrap=False)


def notes() -> Console:
    """Give the console for progress and notes, on stderr."""
    return Console(file=sys.stderr, highlight=False)


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document; numbers that are not finite never stand in it."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def heading(out: Console, text: str) -> None:
    """Print a heading."""
    out.print(Text(text, style="bold"))


def finding(out: Console, number: str, sentence: str) -> None:
    """Print a number and, below it, what it means."""
    out.print(Text(number, style="bold cyan"))
    out.print(Text(fill(sentence, out.width, initial_indent=" " * 4, subsequent_indent=" " * 4)))


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> Table:
    """Build a plain table; columns named in ``right`` are aligned to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for number, name in enumerate(columns):
        table.add_column(escape(name), justify="right" if number in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    return table
