"""What text files say of the values of a column: hierarchies, orders, distances, groups.

The file of a hierarchy has a header, ``value,level1,level2,...`` (the first name may also be the column's),
and a row for each value: the value, then ever coarser words for it. It is held to the same strict rules
as a table; a row that lacks a word is refused with its line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, TextIOWrapper
from math import isfinite
from pathlib import Path

from hartley.documents import VALUES
from hartley.errors import TableError
from hartley.model import Alphabet, Label
from hartley.notes import note
from hartley.tables.sources.csv_check import check_records
from hartley.tables.text_dialect import NAMES, found_delimiter, likely_encoding
from hartley.tables.text_files import read_unpacked

HEADER = "value,level1,level2,..."


def read_hierarchy(path: str | Path, column: str) -> tuple[tuple[str, ...], ...]:
    """Read the rows (value, word at level 1, word at level 2, ...) of a hierarchy file.

    An empty value stands for a missing one. Whether the words are nested and name every value is for
    the hierarchy to say that is built of them.
    """
    file = Path(path)
    header, records = table_records(file)
    if header[0] not in ("value", column):
        raise TableError(f"{file.name}: the first line must be a header such as {HEADER}")
    if len(header) < 2:
        raise TableError(f"{file.name}: there is no word for any value; the header must be {HEADER}")
    rows = []
    for line, record in records:
        if not all(record[1:]):
            raise TableError(
                f"{file.name}: the row that ends on line {line} lacks a word; every level needs one"
            )
        rows.append(tuple(record))
    return tuple(rows)


def read_ranges(path: str | Path) -> tuple[tuple[str, ...], ...] | None:
    """Read the rows (from, to, label, coarser label, ...) of named ranges; an empty end is open.

    Nothing where the header does not begin with ``from,to``.
    """
    file = Path(path)
    header, records = table_records(file)
    if [name.strip().lower() for name in header[:2]] != ["from", "to"]:
        return None
    if len(header) < 3:
        raise TableError(f"{file.name}: ranges need names; the header must be from,to,label")
    rows = []
    for line, record in records:
        if not all(record[2:]):
            raise TableError(f"{file.name}: the range that ends on line {line} lacks a name")
        rows.append(tuple(record))
    if not rows:
        raise TableError(f"{file.name} holds no range below its header")
    return tuple(rows)


def read_order(path: str | Path) -> tuple[str, ...]:
    """Read the values of a column from least to greatest: one on each line, quoted where it needs to be.

    Raises
    ------
    TableError
        Where there is no such file, it holds no value, or a line holds more than one.
    """
    file = Path(path)
    found: list[str] = []
    try:
        records = csv.reader(_text(read_unpacked(file, VALUES)), strict=True)
        for record in records:
            if len(record) > 1:
                raise TableError(
                    f"{file.name}: line {records.line_num} holds more than one value; write one on each "
                    "line, from least to greatest"
                )
            found += record
    except (csv.Error, UnicodeDecodeError):
        raise TableError(f"{file.name} cannot be read as text in UTF-8, one value on each line") from None
    if not found:
        raise TableError(f"{file.name} holds no value; write one on each line, from least to greatest")
    return tuple(found)


def read_dissimilarities(path: str | Path) -> dict[tuple[str, str], float]:
    """Read how unlike two values are from a file with a header and a line for each pair: value,other,number.

    Raises
    ------
    TableError
        Where there is no such file, it has not three columns, a number is none or below zero, or a pair
        stands there twice with different numbers.
    """
    file = Path(path)
    header, records = table_records(file)
    if len(header) != 3:
        raise TableError(
            f"{file.name}: dissimilarities need three columns, value, other value and number; there are "
            f"{len(header)}"
        )
    found: dict[tuple[str, str], float] = {}
    for line, (one, other, written) in records:
        where = f"{file.name}: line {line}"
        try:
            number = float(written)
        except ValueError:
            number = -1.0
        if not isfinite(number) or number < 0:
            raise TableError(f"{where} needs a number that is not below zero in its third column")
        if one == other and number:
            raise TableError(f"{where} has a value that is unlike itself; that must be 0")
        if found.setdefault((min(one, other), max(one, other)), number) != number:
            raise TableError(f"{where} gives another number for a pair than a line above")
    return found


def read_groups(path: str | Path) -> dict[Label, str]:
    """Read the group of each value from a file with a header and a row for each value.

    Raises
    ------
    TableError
        Where the file has not two columns, a value stands twice, or a group is missing.
    """
    file = Path(path)
    header, records = table_records(file)
    if len(header) != 2:
        raise TableError(f"{file.name}: groups need two columns, value and group; there are {len(header)}")
    found: dict[Label, str] = {}
    for line, (value, group) in records:
        where = f"{file.name}: line {line}"
        if not group:
            raise TableError(f"{where} has no group; give every value one")
        if value in found:
            raise TableError(f"{where} names a value that stands above already; name each value once")
        found[value] = group
    return found


def table_records(file: Path) -> tuple[Sequence[str], Iterator[tuple[int, list[str]]]]:
    """Return the header and the records below it, each with the line that it ends on.

    The whole file was held to the rules of a table then.
    """
    content = read_unpacked(file, VALUES)
    try:
        content.decode()
    except UnicodeDecodeError:
        likely = likely_encoding(content)
        note(f"{file.name} is not UTF-8; it is read as {NAMES[likely]}")
        content = content.decode(likely, "replace").encode()
    mark = found_delimiter(BytesIO(content), ",")  # such as the semicolon of a German spreadsheet
    header = check_records(BytesIO(content), mark, file.name).header
    return header, _records(content, mark, file.name)


def _records(content: bytes, mark: str, name: str) -> Iterator[tuple[int, list[str]]]:
    records = csv.reader(_text(content), delimiter=mark, strict=True)
    try:
        next(records)
        for record in filter(None, records):
            yield records.line_num, record
    except csv.Error:
        raise TableError(f"{name}: line {records.line_num} cannot be read; is a cell very long?") from None


def _text(content: bytes) -> TextIOWrapper:
    return TextIOWrapper(BytesIO(content), encoding="utf-8-sig", newline="")


def groups_of(sensitive: Alphabet, column: str, given: Mapping[Label, str]) -> dict[Label, str]:
    """Return the groups of the values that occur, where the values may be given as text.

    A number stands in a file as it is written in the table, 7 or 7.0; missing cells are the empty text.
    """
    found = dict(given)
    for coordinate in sensitive.coordinates:
        if coordinate.name != column:
            continue
        for place in range(len(coordinate.values)):
            cell = coordinate.cell(place)
            if cell in found:
                continue
            written = ("",) if cell is None else (str(cell), f"{cell:g}" if isinstance(cell, float) else "")
            for text in written:
                if text in given:
                    found[cell] = given[text]
    return found
