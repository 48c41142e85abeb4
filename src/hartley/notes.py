"""What is said to whoever listens: notes about how a table was read, and which files were written.

None is an error, and none holds a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_written: ContextVar[list[Path] | None] = ContextVar("written", default=None)


@contextmanager
def heard_notes(listener: Listener) -> Iterator[None]:
    """Have a listener told, for a while, what is noted; each note once.

    >>> said = []
    >>> with heard_notes(said.append):
    ...     note("t.csv: cells are separated by ';'")
    ...     note("t.csv: cells are separated by ';'")
    >>> said
    ["t.csv: cells are separated by ';'"]
    """
    said: set[str] = set()

    def once(message: str) -> None:
        if message not in said:
            said.add(message)
            listener(message)

    token = _listener.set(once)
    try:
        yield
    finally:
        _listener.reset(token)


def note(message: str) -> None:
    """Tell whoever listens; a message may speak of an option as errors do."""
    listener = _listener.get()
    if listener is not None:
        listener(message)


def is_heard() -> bool:
    """Tell whether anybody listens, so that nothing is looked for in vain."""
    return _listener.get() is not None


@contextmanager
def written_files() -> Iterator[list[Path]]:
    """Return the list of files that are written meanwhile; it grows as they get their names.

    >>> with written_files() as files:
    ...     tell_written([Path("released.csv")])
    >>> [file.name for file in files]
    ['released.csv']
    """
    files: list[Path] = []
    token = _written.set(files)
    try:
        yield files
    finally:
        _written.reset(token)


def tell_written(files: Sequence[Path]) -> None:
    """Say that files have their names now, and that nothing undoes it."""
    told = _written.get()
    if told is not None:
        told.extend(files)
