"""Delimited text split into cells, for the verifier: by its own rules, and many lines at once where it can.

A cell in quotes is text, also where it is empty; without quotes an empty cell is missing. A line with nothing
on it is no record.

Decimal commas and words for a missing cell follow the verifier's own reading of the rule: a cell that is one
of the words is missing. With a decimal comma, a column where every cell is a number with a comma at most has
points instead; so has one that was declared a number, in which a point is no part of a number; one that was
declared text is left alone.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from hartley.errors import TableError
from hartley.releases.policy import Reading
from hartley.releases.verifier.tables.arrow_arrays import arrow_numbers, arrow_texts, texts_at, with_missing

COMMA_NUMBER = r"^-?(0|[1-9][0-9]*)(,[0-9]+)?([eE][+-]?[0-9]+)?$"


def is_plain(reading: Reading) -> bool:
    """Tell whether cells mean what they say."""
    return reading.decimal == "." and not reading.missing_words


def translated(batches: Iterable[list[Any]], names: list[str], reading: Reading) -> Iterator[list[Any]]:
    """Return Arrow columns with points for commas, and missing cells for the words that mean them."""
    if reading.decimal == ".":
        for columns in batches:
            yield [_without_words(column, reading) for column in columns]
        return
    # What a column is, its last cell may decide.
    held = [[_without_words(column, reading) for column in columns] for columns in batches]
    ways = [_way(name, [columns[place] for columns in held], reading) for place, name in enumerate(names)]
    for columns in held:
        yield [_with_points(column, way) for column, way in zip(columns, ways, strict=True)]


def _without_words(column: Any, reading: Reading) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not reading.missing_words:
        return column
    is_missing = pc.is_in(column, value_set=pa.array(reading.missing_words, pa.string()))
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), column)


def _way(name: str, columns: list[Any], reading: Reading) -> str:
    if name in reading.text:
        return "as it is"
    if name in reading.number:
        return "declared"
    return "number" if all(map(_are_numbers, columns)) else "as it is"


def _are_numbers(column: Any) -> bool:
    import pyarrow.compute as pc

    fits = pc.or_(pc.equal(column, ""), pc.match_substring_regex(column, COMMA_NUMBER))
    # A line break at the end of a cell is no part of a number, but the pattern would let it be.
    fits = pc.and_(fits, pc.invert(pc.match_substring(column, "\n")))
    return bool(pc.all(pc.fill_null(fits, True)).as_py())


def _with_points(column: Any, way: str) -> Any:
    import pyarrow.compute as pc

    if way == "as it is":
        return column
    if way == "declared":
        column = pc.replace_substring(column, ".", "?")
    return pc.replace_substring(column, ",", ".")


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
        header, place = next(self._records(0), ([], 0))
        width = len(header)
        while place < len(self._text):
            end = self._text.find("\n", place + AT_ONCE) + 1 or len(self._text)
            lines = self._text[place:end]
            columns = self._split(lines, width, places) or self._parsed(lines, width, places)
            if columns is not None:
                yield columns
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
            yield [arrow_texts([row[number] for row in rows]) for number in places]

    def _split(self, lines: str, width: int, places: Sequence[int]) -> list[Any] | None:
        """Split whole lines without quotes into columns; nothing where there are quotes or odd lines."""
        import pyarrow.compute as pc

        if "\r" in lines:
            lines = lines.replace("\r\n", "\n")
        lines = lines.removesuffix("\n")
        if '"' in lines or "\r" in lines or "\n\n" in lines or lines[:1] in ("", "\n"):
            return None
        if not (self._mark.isascii() and len(self._mark) == 1):
            return None
        content = f"{lines}\n".encode()
        letters = np.frombuffer(content, dtype=np.uint8)
        is_line = letters == ord("\n")
        ends = np.flatnonzero(is_line | (letters == ord(self._mark)))
        last = ends[width - 1 :: width]
        if len(ends) != width * len(last) or not (is_line[last].all() and is_line.sum() == len(last)):
            return None
        # Each cell with the mark or the end of the line after it, which is then taken away.
        starts = np.r_[0, ends + 1]
        cells = texts_at(np.diff(starts), content)
        sizes = ends - starts[:-1]
        columns = []
        for number in places:
            wanted = arrow_numbers(np.arange(number, len(ends), width))
            column = pc.ascii_rtrim(cells.take(wanted), characters=f"{self._mark}\n")
            columns.append(with_missing(column, sizes[number::width] == 0))
        return columns

    def _parsed(self, lines: str, width: int, places: Sequence[int]) -> list[Any] | None:
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
        if has_quote or set(map(len, rows)) - {0, width}:
            return None
        return [arrow_texts([cell or None for cell in cells[number::width]]) for number in places]

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
