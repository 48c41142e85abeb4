"""Notes about how a table was read, for whoever listens: none is an error, and none holds a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


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
