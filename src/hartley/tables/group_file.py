"""Groups of the values of one column, from a delimited text file of two columns: value and group."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import TextIOWrapper
from pathlib import Path

from hartley.errors import TableError
from hartley.model import Alphabet, Label
from hartley.tables.sources.csv_check import check_records
from hartley.tables.text_files import open_bytes, require_file


def read_groups(path: str | Path, delimiter: str = ",") -> dict[Label, str]:
    """Read the group of each value from a file with a header and a row for each value.

    Raises
    ------
    TableError
        Where the file has not two columns, a value stands twice, or a group is missing.
    """
    file = Path(path)
    require_file(file)
    with open_bytes(file) as stream:
        shape = check_records(stream, delimiter, file.name)
    if len(shape.header) != 2:
        raise TableError(
            f"{file.name}: groups need two columns, value and group; there are {len(shape.header)}"
        )
    found: dict[Label, str] = {}
    with open_bytes(file) as packed, TextIOWrapper(packed, encoding="utf-8-sig", newline="") as text:
        records = csv.reader(text, delimiter=delimiter, strict=True)
        next(records)
        for record in records:
            if not record:
                continue
            value, group = record
            where = f"{file.name}: line {records.line_num}"
            if not group:
                raise TableError(f"{where} has no group; give every value one")
            if value in found:
                raise TableError(f"{where} names a value that stands above already; name each value once")
            found[value] = group
    return found


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
