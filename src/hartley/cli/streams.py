"""The two streams: output may be closed, in another encoding, or without anybody left to read it.

What a command answers is its exit code; a reader that goes away must not change it, or a gate that fails
would pass as soon as its output is piped into ``head``. Nothing here needs more than the standard library:
help and refusals are written without loading what draws tables.
"""

from __future__ import annotations

import codecs
import errno
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

from hartley.operating_system import is_closed_pipe

NOT_WRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What a stream says whose disk is full, or that was never open for writing."""


def prepare() -> None:
    """Make sure that there are streams, and that none of them fails at a character it has no code for."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (for as long as we run)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write to stdout; where nobody reads any more, to nowhere."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        if not is_closed_pipe(error):
            raise
        to_nowhere()


def writes_every_character() -> bool:
    """Tell whether stdout has a code for every character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return codecs.lookup(encoding).name.startswith("utf-")


def to_nowhere(stream: TextIO | None = None) -> None:
    """Let all further output of a stream (stdout) vanish, that which waits to be written included."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, (stream or sys.stdout).fileno())
        os.close(nowhere)
