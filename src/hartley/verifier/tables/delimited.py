"""Delimited text, split into cells by Arrow; what another reader might split otherwise is refused.

A cell in quotes is text, also where it is empty; without quotes an empty cell is missing. A line with nothing
on it is no record.

Decimal commas and words for a missing cell follow the verifier's own reading of the rule: a cell that is one
of the words is missing, and so is a cell of the one column that a word names (``age=99``). With a decimal
comma, a column where every cell is a number with a comma at most has points instead; so has one that was
declared a number, in which a point is no part of a number; one that was declared text is left alone. Dates of
a column that the policy lists are turned into those of ISO.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO, TextIOWrapper
from typing import Any

import numpy as np

from hartley.errors import TableError
from hartley.releases.policy import Reading

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


AT_ONCE = 1 << 25
"""Bytes that are split at once, unless a line is longer; no record of several lines may be."""


class Delimited:
    """A text of records, the first of which names the columns."""

    def __init__(self, text: str, mark: str, name: str) -> None:
        """``mark`` stands between cells; ``name`` is what the file is called in messages."""
        if len(mark) != 1 or not mark.isascii():
            raise TableError(f"{name}: no text file has the delimiter {mark!r}")
        # Without a line feed Arrow takes an empty last cell for one in quotes where the one before it was.
        self._content = (text if text.endswith(("\n", "\r")) else f"{text}\n").encode()
        self._mark = mark
        self._name = name

    def header(self) -> list[str]:
        """Return the names of the columns."""
        lines = TextIOWrapper(BytesIO(self._content), encoding="utf-8", newline="")
        try:
            return next(filter(None, csv.reader(lines, delimiter=self._mark, strict=True)), [])
        except csv.Error:
            raise self._unsplit() from None

    def columns(self, places: Sequence[int]) -> Iterator[list[Any]]:
        """Return some columns as Arrow text, batch by batch."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        names = [f"c{place}" for place in range(len(self.header()))]
        wanted = [names[place] for place in places]
        self._require_quotes_around_cells()
        try:
            batches = arrow_csv.open_csv(
                pa.BufferReader(self._content),
                arrow_csv.ReadOptions(block_size=self._block(), column_names=names, skip_rows_after_names=1),
                arrow_csv.ParseOptions(delimiter=self._mark, newlines_in_values=b'"' in self._content),
                arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    include_columns=list(dict.fromkeys(wanted)),
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
            for batch in batches:
                yield [batch.column(name) for name in wanted]
        except pa.ArrowInvalid as error:
            if "columns, got" in str(error):
                raise TableError(
                    f"{self._name}: a record has another number of cells than the header"
                ) from None
            raise self._unsplit() from None

    def _block(self) -> int:
        """Return how many bytes are split at once: as many as the longest line has, or more."""
        size, place = AT_ONCE, 0
        while place + size < len(self._content):
            end = self._content.rfind(b"\n", place, place + size)
            if end < 0:
                size *= 2
            else:
                place = end + 1
        return size

    def _require_quotes_around_cells(self) -> None:
        """Refuse a quote or a carriage return inside a cell without quotes, which readers take differently.

        Every second quote closes what the one before it opened; where one closes and the next opens at once,
        they are a quote in a cell.
        """
        letters = np.frombuffer(b"\n%b%b" % (self._content, self._mark.encode()), dtype=np.uint8)
        quotes = np.flatnonzero(letters == ord('"'))
        returns = np.flatnonzero(letters == ord("\r")) if b"\r" in self._content else quotes[:0]
        around = [ord(self._mark), ord("\n"), ord("\r"), ord('"')]
        is_outside = np.searchsorted(quotes, returns) % 2 == 0
        if not (
            len(quotes) % 2 == 0
            and np.isin(letters[quotes[::2] - 1], around).all()
            and np.isin(letters[quotes[1::2] + 1], around).all()
            and (letters[returns[is_outside] + 1] == ord("\n")).all()
        ):
            raise self._unsplit()

    def _unsplit(self) -> TableError:
        return TableError(f"{self._name}: the file cannot be split into cells")
