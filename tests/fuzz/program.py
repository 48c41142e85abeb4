"""The program, called in this process as a shell would, with a limit to its processor time."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from hartley.cli import main

SECONDS = 20.0
"""Processor time that a call may take."""
WAITING_SECONDS = 300.0
"""Time on the wall that a call may take, however busy the machine; more means that it waits for somebody."""

HANDLED = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))


class TooLongError(BaseException):
    """A call took more processor time than it may."""


@dataclass(frozen=True)
class Outcome:
    """What a call answered."""

    code: int
    printed: str
    complaint: str
    seconds: float
    escaped: str = ""
    """What came out of the program that should have been an exit code."""


def call(arguments: Sequence[str], folder: Path) -> Outcome:
    """Call the program in a folder, and return what it answered."""
    printed, complaint = _stream(), _stream()
    code, escaped = 0, ""
    before, started = sys.argv, time.process_time()
    handlers = [(number, signal.getsignal(number)) for number in HANDLED]
    sys.argv = ["hartley", *arguments]
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(complaint),
            _warnings_as_in_life(),
            _limited(SECONDS),
        ):
            main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException as error:
        escaped = "".join(traceback.format_exception(error))
    finally:
        sys.argv = before
        for number, handler in handlers:
            signal.signal(number, handler)
    return Outcome(code, _text(printed), _text(complaint), time.process_time() - started, escaped)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    return raw.getvalue().decode("utf-8") if isinstance(raw, io.BytesIO) else ""


@contextlib.contextmanager
def _warnings_as_in_life() -> Iterator[None]:
    """Show warnings as a Python does that nobody has told otherwise."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        yield


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def too_long(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TooLongError

    if not hasattr(signal, "setitimer"):
        yield
        return
    clocks = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, WAITING_SECONDS),
    )
    before = [signal.signal(number, too_long) for number, _, _ in clocks]
    try:
        for _, clock, limit in clocks:
            signal.setitimer(clock, limit)
        yield
    finally:
        for (number, clock, _), handler in zip(clocks, before, strict=True):
            signal.setitimer(clock, 0)
            signal.signal(number, handler)
