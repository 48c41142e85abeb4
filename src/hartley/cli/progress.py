"""Long work on a terminal: an estimate before, a bar while it lasts, Ctrl-C that keeps the best so far.

All of it goes to stderr, so that stdout holds the answer alone.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from hartley.cli.output import notes
from hartley.hot_loops import interrupt, on_compilation
from hartley.tables.engine import on_progress
from hartley.tables.estimate import estimate
from hartley.workflow.request.time_limit import effort_within

if TYPE_CHECKING:
    from hartley.search.effort import Effort

Heard = Callable[[int, int, str], None]
"""Is told (done, total, what)."""
WORTH_SAYING = 5.0
"""Seconds from which an estimate is worth a line."""
SHOW_AFTER = 0.5
"""Seconds after which a progress bar is worth showing."""


def announce(table: str, query: str | None = None) -> None:
    """Say how large a table is and how long it will take, where that is long."""
    found = estimate(table, query)
    if found is not None and found.seconds >= WORTH_SAYING:
        notes().print(str(found), markup=False)


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
def announce_and_work(*tables: str, query: str | None = None) -> Iterator[Heard]:
    """Say what to expect of some tables, and show how far reading and what comes after it have come."""
    for table in tables:
        announce(table, query)
    with progress_shown() as progress:
        yield progress


@contextmanager
def progress_shown() -> Iterator[Heard]:
    """Show how far reading and what comes after it have come, and say once that the compiler is at work."""
    said: list[str] = []

    def compiles(name: str) -> None:
        if not said:
            notes().print("compiling for large input; this is done once on this machine")
        said.append(name)

    with progress_bar() as bar, reading_on(bar), on_compilation(compiles):
        yield heard_on(bar)


def heard_on(bar: Progress) -> Heard:
    """Return what long work can tell of its progress, to be shown on a bar where it takes its time."""
    task = bar.add_task("", total=None, visible=False)
    started = bar.get_time()

    def progress(done: int, total: int, what: str) -> None:
        is_long = bar.get_time() - started > SHOW_AFTER
        bar.update(task, completed=done, total=total, description=what, visible=is_long)

    return progress


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


@contextmanager
def patience(*, seed: int, time_limit: float | None) -> Iterator[Effort]:
    """Hand an effort to a search: it stops at the time limit or at the first Ctrl-C, and shows its progress.

    A second Ctrl-C ends the program at once, and so does the first while the table is still being read.
    """
    out = notes()
    asked: list[int] = []
    is_searching = Event()

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        del frame
        if asked or not is_searching.is_set():
            interrupt(number)
            return
        asked.append(number)
        out.print("stopping; keeping the best so far (Ctrl-C again ends at once)")

    before = signal.signal(signal.SIGINT, on_interrupt)

    def should_stop() -> bool:
        is_searching.set()
        return bool(asked)

    try:
        with progress_shown() as show:

            def progress(done: int, total: int, what: str) -> None:
                is_searching.set()
                show(done, total, what)

            yield effort_within(time_limit, seed=seed, progress=progress, should_stop=should_stop)
    finally:
        signal.signal(signal.SIGINT, before)
