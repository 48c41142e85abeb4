"""Long reads on a terminal: what to expect before, and a bar while it lasts, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from hartley.cli.terminal import notes
from hartley.tables.engine import on_progress
from hartley.tables.estimate import estimate

WORTH_SAYING = 5.0
"""Seconds from which an estimate is worth a line."""


def announce(table: str) -> None:
    """Say how large a table is and how long it will take, where that is long."""
    found = estimate(table)
    if found is not None and found.seconds >= WORTH_SAYING:
        notes().print(str(found), markup=False)


@contextmanager
def reading() -> Iterator[None]:
    """Show how far the engine has come, where somebody looks."""
    if not sys.stderr.isatty():
        yield
        return
    columns = (TextColumn("reading"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=notes(), transient=True) as bar:
        task = bar.add_task("reading", total=100, visible=False)
        on_progress(lambda percent: bar.update(task, completed=percent, visible=True))
        try:
            yield
        finally:
            on_progress(None)
