"""What separates the cells of a text file, where nobody said."""

from __future__ import annotations

import re
from typing import BinaryIO

from hartley.errors import option
from hartley.notes import note

OTHERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars", ",": "commas"}
LONGEST_HEADER = 1 << 20
_QUOTED = re.compile(rb'"(?:[^"]|"")*"')


def found_delimiter(stream: BinaryIO, usual: str) -> str:
    r"""Return what separates the cells: the usual mark, or another where the header has only that.

    >>> from io import BytesIO
    >>> found_delimiter(BytesIO(b"age;chol\n41;180,5\n"), ","), found_delimiter(BytesIO(b"age\n41\n"), ",")
    (';', ',')
    """
    header = _QUOTED.sub(b"", stream.readline(LONGEST_HEADER))
    if usual.encode() in header:
        return usual
    counts = {mark: header.count(mark.encode()) for mark in OTHERS if mark != usual}
    most = max(counts, key=lambda mark: counts[mark])
    return most if counts[most] else usual


def note_delimiter(name: str, found: str, usual: str) -> None:
    """Say that another mark than the usual one separates the cells."""
    note(
        f"{name}: the header has {OTHERS[found]} and no {OTHERS[usual]}, so the cells are read as separated "
        f"by {OTHERS[found]}; {option('delimiter')} says otherwise"
    )
