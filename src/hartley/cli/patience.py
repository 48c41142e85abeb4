"""Long work on a terminal: a progress bar on stderr, and Ctrl-C that keeps the best result so far."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from hartley.cli.announcing import CompilationNote, heard_on, progress_bar, reading_on
from hartley.cli.terminal import notes
from hartley.hot_loops import on_compilation
from hartley.search.effort import Effort
from hartley.workflow.effort import effort_within


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
            raise KeyboardInterrupt
        asked.append(number)
        out.print("stopping; keeping the best so far (Ctrl-C again ends at once)")

    before = signal.signal(signal.SIGINT, on_interrupt)
    bar = progress_bar()
    show = heard_on(bar)

    def should_stop() -> bool:
        is_searching.set()
        return bool(asked)

    def progress(done: int, total: int, what: str) -> None:
        is_searching.set()
        show(done, total, what)

    try:
        with bar, reading_on(bar), on_compilation(CompilationNote(out)):
            yield effort_within(time_limit, seed=seed, progress=progress, should_stop=should_stop)
    finally:
        signal.signal(signal.SIGINT, before)
