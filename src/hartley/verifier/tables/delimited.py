"""Delimited text split into cells, for the verifier: by its own rules, and many lines at once where it can.

A cell in quotes is text, also where it is empty; without quotes an empty cell is missing. A line with nothing
on it is no record.

Decimal commas and words for a missing cell follow the verifier's own reading of the rule: a cell that is one
of the words is missing, and so is a cell of the one column that a word names (``age=99``). With a decimal
comma, a column where every cell is a number with a comma at most has points instead; so has one that was
declared a number, in which a point is no part of a number; one that was declared text is left alone. Dates of
a column that the policy lists are turned into those of ISO.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.errors import TableError
from hartley.releases.policy import Reading
from hartley.verifier.tables.arrow_arrays import arrow_numbers, arrow_texts, texts_at, with_missing

COMMA_NUMBER = r"^-?(0|[1-9][0-9]*)(,[0-9]+)?([eE][+-]?[0-9]+)?$"


def is_plain(reading: Reading) -> bool:
    """Tell whether cells mean what they say."""
    return reading.decimal == "." and not reading.missing_words and not reading.date_formats


def translated(batches: Iterable[list[Any]], names: list[str], reading: Reading) -> Iterator[list[Any]]:
    """Return Arrow columns with points for commas, ISO dates, and missing cells for the words for them."""
    dates = reading.date_formats
    plain = (
        [
            _with_dates(_without_words(column, name, reading), dates.get(name))
            for name, column in zip(names, columns, strict=True)
        ]
        for columns in batches
    )
    if reading.decimal == ".":
        yield from plain
        return
    # What a column is, its last cell may decide.
    held = list(plain)
    ways = [_way(name, [columns[place] for columns in held], reading) for place, name in enumerate(names)]
    for columns in held:
        yield [_with_points(column, way) for column, way in zip(columns, ways, strict=True)]


def _without_words(column: Any, name: str, reading: Reading) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not reading.missing_words:
        return column
    words = [*reading.missing_words]
    words += [word[len(name) + 1 :] for word in reading.missing_words if word[: len(name) + 1] == f"{name}="]
    is_missing = pc.is_in(column, value_set=pa.array(words, pa.string()))
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), column)


def _with_dates(column: Any, written: str | None) -> Any:
    """Return dates as ISO has them; a cell that is none in the way they are written stays as it is."""
    import pyarrow.compute as pc

    if written is None:
        return column
    mark = re.escape(written[2])
    parts = {"dd": "(?P<d>[0-9]{1,2})", "mm": "(?P<m>[0-9]{1,2})", "yyyy": "(?P<y>[0-9]{4})"}
    pattern = mark.join(parts[part] for part in written.split(written[2]))
    found = pc.extract_regex(column, f"^{pattern}$")
    year, month, day = (pc.struct_field(found, name) for name in ("y", "m", "d"))
    iso = pc.binary_join_element_wise(
        year, pc.utf8_lpad(month, 2, "0"), pc.utf8_lpad(day, 2, "0"), "-", null_handling="emit_null"
    )
    return pc.if_else(pc.is_valid(found), iso, pc.if_else(pc.equal(column, ""), None, column))


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
            columns = self._split(lines, width, places)
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
        """Split whole lines into columns; nothing where there are odd lines, or a quote is still open."""
        import pyarrow.compute as pc

        if not (width and self._mark.isascii() and len(self._mark) == 1) or lines.endswith("\r"):
            return None
        content = (lines if lines.endswith("\n") else f"{lines}\n").encode()
        letters = np.frombuffer(content, dtype=np.uint8)
        is_end = letters == ord(self._mark)
        is_line = letters == ord("\n")
        is_return = letters == ord("\r") if "\r" in lines else None
        quotes = _Quotes(letters) if '"' in lines else None
        if quotes is not None:
            if not quotes.are_around_cells(letters, self._mark):
                return None
            for which in (is_end, is_line) if is_return is None else (is_end, is_line, is_return):
                which &= quotes.is_outside
        is_end |= is_line
        ends = np.flatnonzero(is_end)
        last = ends[width - 1 :: width]
        if len(ends) != width * len(last) or not (
            is_line[last].all() and np.count_nonzero(is_line) == len(last)
        ):
            return None
        starts = np.r_[0, ends[:-1] + 1]
        if is_return is not None:
            if not is_line[np.flatnonzero(is_return) + 1].all():
                return None
            ends = ends - is_return[ends - 1]
        is_missing = starts == ends
        if width == 1 and is_missing.any():
            return None
        if quotes is not None:
            is_quoted = letters[starts] == ord('"')
            starts, ends = starts + is_quoted, ends - is_quoted
        # The cells, and between them what stands between cells.
        edges = np.column_stack([starts, ends]).ravel()
        cells = texts_at(np.diff(edges), content[int(edges[0]) :])
        columns = []
        for number in places:
            column = cells.take(arrow_numbers(np.arange(2 * number, 2 * len(ends), 2 * width)))
            if quotes is not None and quotes.are_in_cells:
                column = pc.replace_substring(column, '""', '"')
            columns.append(with_missing(column, is_missing[number::width]))
        return columns

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


class _Quotes:
    """The quotes of whole records: every second one closes what the one before it opened.

    Where one closes and the next opens at once, they are a quote in a cell.
    """

    def __init__(self, letters: npt.NDArray[np.uint8]) -> None:
        self._places = np.flatnonzero(letters == ord('"'))
        stretches = np.diff(np.r_[0, self._places, len(letters)])
        self.is_outside = np.repeat(np.arange(len(stretches)) % 2 == 0, stretches)
        self.are_in_cells = bool((np.diff(self._places)[1::2] == 1).any())

    def are_around_cells(self, letters: npt.NDArray[np.uint8], mark: str) -> bool:
        """Tell whether each opens where a cell begins and closes where it ends; a line feed comes last."""
        if len(self._places) % 2:
            return False
        before, after = letters[self._places[::2] - 1], letters[self._places[1::2] + 1]
        begins = np.isin(before, [ord(mark), ord("\n"), ord('"')])
        stops = np.isin(after, [ord(mark), ord("\n"), ord("\r"), ord('"')])
        return bool(begins.all() and stops.all())
