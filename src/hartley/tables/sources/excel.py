"""Workbooks (.xlsx, .xls, .xlsb, .ods): the first row of a sheet names the columns.

A spreadsheet types each cell and not the column, so a column is what all its cells are: numbers,
text, truth values, dates, or dates with times. Numbers are doubles, for that is what a
spreadsheet holds. A cell without anything and an empty text are both missing: a workbook cannot tell
them apart for its reader. A column that mixes kinds is refused unless it is declared text; then its
numbers are written as the shortest name of the double.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from hartley.errors import OptionError, TableError, option, quoted
from hartley.tables.locations import Files
from hartley.tables.optional_packages import required
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.excel_faults import faulty_columns, require_dense
from hartley.tables.sources.frames import EagerFrame

_MIXED = f"mixes kinds of cells; read it as text ({option('text')})"


def workbook_source(files: Files, options: ReadOptions) -> EagerFrame:
    """Read one sheet of a workbook into memory."""
    import narwhals as nw
    import pyarrow as pa

    name = files.name
    header, rows, faults = _sheet(files, options)
    names = [str(cell).strip() if isinstance(cell, str) else cell for cell in header]
    for place, cell in enumerate(names):
        if not isinstance(cell, str) or not cell:
            raise TableError(f"{name}: column {place + 1} has no name, as text, in the first row")
    twice = [cell for cell in names if names.count(cell) > 1]
    if twice:
        raise TableError(f"{name}: column {quoted(twice[:1])} appears twice; give each column its own name")
    if not rows:
        raise TableError(f"{name}: the sheet has a header but no rows")
    arrays, refusals = {}, {}
    for place, column in enumerate(names):
        cells = [None if row[place] == "" else row[place] for row in rows]
        arrays[column] = _array(cells)
        if arrays[column] is None:
            arrays[column] = pa.array([None if cell is None else _text(cell) for cell in cells], pa.string())
            refusals[column] = _MIXED
        if place in faults:
            # Not as text either: what is not there cannot be read in any way.
            arrays[column], refusals[column] = pa.nulls(len(rows), pa.int8()), faults[place]
    return EagerFrame(
        nw.from_native(pa.table(arrays), eager_only=True), options, name=name, refusals=refusals
    )


def _sheet(files: Files, options: ReadOptions) -> tuple[list[Any], list[list[Any]], dict[int, str]]:
    """Return the header, the rows, and the columns that hold cells without a value."""
    calamine = required("python_calamine", f"reading {files.name}", "excel")
    try:
        with calamine.CalamineWorkbook.from_path(str(files.paths[0])) as book:
            sheets = list(book.sheet_names)
            if options.sheet is not None and options.sheet not in sheets:
                raise OptionError(f"{files.name} has no sheet {options.sheet!r}; it has {quoted(sheets)}")
            if not sheets:
                raise TableError(f"{files.name}: the workbook has no sheets")
            sheet = options.sheet or sheets[0]
            require_dense(files.paths[0], sheet)
            found = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except (TableError, OptionError, KeyboardInterrupt):
        raise
    except BaseException:
        # A damaged workbook makes its reader fail in every way; its panics are no usual exceptions.
        raise TableError(f"{files.name}: the file is not a workbook that can be read") from None
    while found and all(cell == "" for cell in found[-1]):
        found.pop()
    if not found:
        raise TableError(f"{files.name}: the sheet is empty")
    return found[0], found[1:], faulty_columns(files.paths[0], sheet)


def _array(cells: list[Any]) -> Any:
    """Return the column in the type that all its cells have, or nothing where they mix."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if kinds == {dt.date, dt.datetime}:
        # A date that is a whole number in the file is a date with a time of midnight.
        midnight = dt.time()
        cells = [dt.datetime.combine(cell, midnight) if type(cell) is dt.date else cell for cell in cells]
        kinds = {dt.datetime}
    types = {
        str: pa.string(),
        bool: pa.bool_(),
        dt.date: pa.date32(),
        dt.datetime: pa.timestamp("us"),
        dt.time: pa.time64("us"),
        dt.timedelta: pa.duration("us"),
    }
    if len(kinds) == 1 and (kind := types.get(next(iter(kinds)))) is not None:
        return pa.array(cells, kind)
    return None


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    return str(cell)
