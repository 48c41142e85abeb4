"""The released table as a workbook: one sheet, a header, cells of their kinds; nothing else of the source."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from hartley.errors import WriteError
from hartley.model.alphabet import EXACT
from hartley.tables.sources.source import required

MOST_ROWS = 1_048_575
"""Rows of a sheet besides its header."""
LONGEST_TEXT = 32_767
_CHANGED = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
"""Characters that XML cannot hold, and what a workbook reads as the code of one."""
NO_ROOM = "; write CSV or Parquet"


def write_workbook(path: Path, cells: Any) -> None:
    """Write an Arrow table as the only sheet of a new workbook; refuse what a workbook would change."""
    openpyxl = required("openpyxl", f"writing {path.name}", "excel")
    if cells.num_rows > MOST_ROWS:
        raise WriteError(f"a sheet of a workbook has no more than {MOST_ROWS:,} rows{NO_ROOM}")
    # All is looked at first: a sheet that is begun must be ended.
    ready = [[_cell("", name) for name in cells.column_names], *_rows(cells)]
    book = openpyxl.Workbook(write_only=True)
    book.properties.creator = "hartley"
    sheet = book.create_sheet("released")

    def written(value: Any) -> Any:
        cell = openpyxl.cell.WriteOnlyCell(sheet, value)
        if isinstance(value, str):
            cell.data_type = "s"  # text that begins as a formula does is text all the same
        elif isinstance(value, dt.datetime):
            cell.number_format = "yyyy-mm-dd hh:mm:ss"
        elif isinstance(value, dt.date):
            cell.number_format = "yyyy-mm-dd"
        return cell

    for row in ready:
        sheet.append(list(map(written, row)))
    book.save(path)


def _rows(cells: Any) -> Iterator[list[Any]]:
    for batch in cells.to_batches():
        columns = [
            [_cell(name, value) for value in column.to_pylist()]
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        ]
        yield from map(list, zip(*columns, strict=True))


def _cell(name: str, value: Any) -> Any:
    """Return a cell as a workbook has it; refuse one that would come back as another."""
    is_text = isinstance(value, str)
    if is_text and (not value or len(value) > LONGEST_TEXT or _CHANGED.search(value)):
        raise WriteError(f"column {name!r} holds text that a workbook would change{NO_ROOM}")
    if isinstance(value, Decimal):
        if Decimal(repr(float(value))) != value:
            raise WriteError(f"column {name!r} holds numbers of more digits than a workbook keeps{NO_ROOM}")
        return float(value)
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        raise WriteError(f"column {name!r} holds infinite numbers or NaN, which no workbook can{NO_ROOM}")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > EXACT:
        raise WriteError(f"column {name!r} holds whole numbers beyond 2^53, which a workbook rounds{NO_ROOM}")
    if isinstance(value, dt.datetime) and (
        value.tzinfo is not None or value.microsecond or value.year < 1901
    ):
        raise WriteError(f"column {name!r} holds moments that a workbook would change{NO_ROOM}")
    if isinstance(value, dt.date) and value.year < 1901:
        raise WriteError(f"column {name!r} holds dates before 1901, which no workbook has{NO_ROOM}")
    return value
