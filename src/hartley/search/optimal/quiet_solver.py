"""Keep the solver's own words off the standard output.

HiGHS, asked to be silent, still prints a line now and then from its inside. A script that reads JSON
from the standard output must not meet it, so the output is closed to it while it runs.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def quiet_solver() -> Iterator[None]:
    """Send what compiled code prints to nowhere, and give the output back at the end."""
    try:
        kept = os.dup(1)
    except OSError:
        # There is no standard output to keep clean.
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    _flush()
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _flush() -> None:
    """Write out what the C library still holds back."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).fflush(None)
