"""Long reads on a terminal: what to expect before, and a bar while it lasts, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

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


def announce_and_read(*tables: str) -> AbstractContextManager[None]:
    """Say what to expect of some tables, and show how far their reading has come."""
    for table in tables:
        announce(table)
    return reading()


@contextmanager
def reading() -> Iterator[None]:
    """Show how far the engine has come, where somebody looks."""
    with progress_bar() as bar, reading_on(bar):
        yield


def progress_bar() -> Progress:
    """Make the bar for long work: on stderr, on a terminal only, and gone when the work is done."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=notes(),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


@contextmanager
def reading_on(bar: Progress) -> Iterator[None]:
    """Show on a bar how far the engine has come; hidden while it has nothing to do."""
    if bar.disable:
        yield
        return
    task = bar.add_task("reading", total=100, visible=False)
    on_progress(lambda percent: bar.update(task, completed=percent, visible=percent < 100))
    try:
        yield
    finally:
        on_progress(None)
