"""Delimited text split into cells, for the verifier: by its own rules, and many lines at once where it can.

A cell in quotes is text, also where it is empty; without quotes an empty cell is missing. A line with nothing
on it is no record.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from hartley.errors import TableError

AT_ONCE = 1 << 22
"""Characters that are split at once."""


class Delimited:
    """A text of records, the first of which names the columns."""

    def __init__(self, text: str, mark: str, name: str) -> None:
        """``mark`` stands between cells; ``name`` is what the file is called in messages."""
        self._text = text
        self._mark = mark
        self._name = name
        escaped = re.escape(mark)
        self._cell = re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{escaped}\r\n]*))({escaped}|\r?\n|\Z)', re.DOTALL)

    def header(self) -> list[str]:
        """Return the names of the columns."""
        record, _ = next(self._records(0), ([], 0))
        return [cell or "" for cell in record]

    def columns(self, places: Sequence[int]) -> Iterator[list[Any]]:
        """Return some columns as Arrow text, batch by batch."""
        import pyarrow as pa

        header, place = next(self._records(0), ([], 0))
        width = len(header)
        while place < len(self._text):
            end = self._text.find("\n", place + AT_ONCE) + 1 or len(self._text)
            lines = self._text[place:end]
            cells = self._split(lines, width) or self._parsed(lines, width)
            if cells is not None:
                columns = [pa.array(cells[number::width], pa.string()) for number in places]
                yield [_without_empty(column) for column in columns]
                place = end
                continue
            rows = []
            for record, after in self._records(place):
                if len(record) != width:
                    raise TableError(f"{self._name}: a record has another number of cells than the header")
                rows.append(record)
                place = after
                if after >= end:
                    break
            else:
                place = len(self._text)
            yield [pa.array([row[number] for row in rows], pa.string()) for number in places]

    def _split(self, lines: str, width: int) -> list[str] | None:
        """Split whole lines into cells, one after the other; nothing where there are quotes or odd lines."""
        if "\r" in lines:
            lines = lines.replace("\r\n", "\n")
        lines = lines.removesuffix("\n")
        if '"' in lines or "\r" in lines or "\n\n" in lines or lines[:1] in ("", "\n"):
            return None
        if not (self._mark.isascii() and len(self._mark) == 1):
            return None
        letters = np.frombuffer(f"{lines}\n".encode(), dtype=np.uint8)
        ends = np.flatnonzero(letters == ord("\n"))
        marks = np.cumsum(letters == ord(self._mark))[ends]
        if (np.diff(marks, prepend=0) != width - 1).any():
            return None
        return lines.replace("\n", self._mark).split(self._mark)

    def _parsed(self, lines: str, width: int) -> list[str] | None:
        """Have Python's own reader split whole lines; nothing where it would not see all that we see.

        It does not tell an empty cell in quotes from a missing one, and takes quotes inside a cell
        and returns of the carriage more lightly.
        """
        if '""' in lines or "\r" in lines or lines.count('"') % 2:
            return None
        try:
            rows = list(csv.reader(io.StringIO(lines, newline=""), delimiter=self._mark, strict=True))
        except (csv.Error, TypeError, ValueError):
            return None
        cells = list(chain.from_iterable(rows))
        has_quote = '"' in self._mark.join(cells)
        return None if has_quote or set(map(len, rows)) - {0, width} else cells

    def _records(self, place: int) -> Iterator[tuple[list[str | None], int]]:
        """Return the records from a place on, and where each ends."""
        text = self._text
        record: list[str | None] = []
        while place < len(text) or record:
            found = self._cell.match(text, place)
            if found is None:
                raise TableError(f"{self._name}: the file cannot be split into cells")
            quoted, plain, end = found.groups()
            record.append(plain or None if quoted is None else quoted.replace('""', '"'))
            place = found.end()
            if end == "" or end in ("\n", "\r\n"):
                if record != [None] or quoted is not None:
                    yield record, place
                record = []


def _without_empty(column: Any) -> Any:
    """Make empty cells missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
