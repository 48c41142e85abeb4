"""What Ctrl-C means to calls into drivers, which do not hear it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

HEARD_EVERY = 0.1
"""Seconds after which a signal is heard at the latest: another thread of the process may have got it."""


def interruptible(
    act: Callable[[], Any], cancel: Callable[[], None], waiting: Callable[[], None] = lambda: None
) -> Any:
    """Do something that can be cancelled; on Ctrl-C it is, and its end awaited.

    ``waiting`` is called again and again while it lasts.

    A driver may catch the signal itself and end as if somebody else had cancelled it, or only when
    it is done. In another thread than the main one it gets no signals.

    >>> interruptible(lambda: 1 + 1, lambda: None)
    2
    """
    if threading.current_thread() is not threading.main_thread():
        return act()
    found: list[Any] = []
    failed: list[BaseException] = []
    is_over = threading.Event()

    def work() -> None:
        try:
            found.append(act())
        except BaseException as error:
            failed.append(error)
        finally:
            is_over.set()

    threading.Thread(target=work, daemon=True).start()
    try:
        # Not by join: interrupted, it takes the thread for ended (CPython 3.11).
        while not is_over.wait(HEARD_EVERY):
            waiting()
    except KeyboardInterrupt:
        with suppress(Exception):
            cancel()
        is_over.wait()
        raise
    if failed:
        raise failed[0]
    return found[0]
