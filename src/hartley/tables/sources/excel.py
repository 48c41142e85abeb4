"""Workbooks (.xlsx, .xls, .xlsb, .ods): the first row of a sheet names the columns.

A spreadsheet types each cell and not the column, so a column is what all its cells are: numbers,
text, truth values, dates, or dates with times. Numbers are doubles, for that is what a
spreadsheet holds. A cell without anything and an empty text are both missing: a workbook cannot tell
them apart for its reader. A column that mixes kinds is refused unless it is declared text; numbers that
are declared text are written as the shortest name of the double: 4109, not 4109.0.

Errors, and formulas that nobody has computed, come as empty cells from readers of workbooks. A column of
formulas that were never computed would look as if it told nothing, so such columns are refused.
"""

from __future__ import annotations

import datetime as dt
import re
import zlib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from hartley.errors import OptionError, TableError, option, quoted
from hartley.notes import note
from hartley.tables.locations import ENDINGS, Files
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.frames import EagerFrame
from hartley.tables.sources.source import require_names, required

LONG_SHEET = 1_000
"""Rows of a sheet from which it is taken for the data without a look at the others."""
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
            raise TableError(
                f"{name}: column {place + 1} has no name, as text, in the first row; if a title stands above "
                "the names, delete it"
            )
    require_names(names, name)
    if not rows:
        raise TableError(f"{name}: the sheet has a header but no rows")
    arrays, refusals = {}, {}
    for place, column in enumerate(names):
        cells = [None if row[place] == "" else row[place] for row in rows]
        arrays[column] = found = _array(cells)
        if found is None:
            refusals[column] = _MIXED
        if found is None or (column in options.text and pa.types.is_floating(found.type)):
            arrays[column] = pa.array([None if cell is None else _text(cell) for cell in cells], pa.string())
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
            sheet = options.sheet or _sheet_with_data(files.paths[0], book, sheets)
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


def _sheet_with_data(path: Path, book: Any, sheets: list[str]) -> str:
    """Return the sheet with most rows, the first of them, and say which sheets are not read.

    The first sheet is taken without a look at the others where it is long.
    """
    first = sheets[0]
    if len(sheets) == 1:
        return first
    chosen, rows = first, _height(path, book, first)
    for one in sheets[1:] if rows < LONG_SHEET else ():
        height = _height(path, book, one)
        if height > rows:
            chosen, rows = one, height
    others = [one for one in sheets if one != chosen]
    why = "" if chosen == first else ", which has the most rows,"
    note(
        f"{path.name} has {len(sheets)} sheets; {chosen!r}{why} is read, and not {quoted(others)}; "
        f"{option('sheet')} says otherwise"
    )
    return chosen


def _height(path: Path, book: Any, sheet: str) -> int:
    """Return the rows of a sheet; none of one whose cells are too far apart to be read."""
    try:
        require_dense(path, sheet)
    except TableError:
        return 0
    return int(book.get_sheet_by_name(sheet).total_height)


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


ERRORS = "holds errors such as #N/A; put values there, or leave the cells empty"
NOT_COMPUTED = "holds formulas that were never computed; open the workbook, save it, and read it again"

_SHEET = re.compile(r"<sheet\b[^>]*>")
_RELATION = re.compile(r"<Relationship\b[^>]*>")
_ERROR = re.compile(rb'<c\b[^>]*\bt="e"[^>]*>')
# A formula that gives an empty text has no value either, and says so by its type.
_FORMULA = re.compile(
    rb'<c\b(?![^>]*\bt="str")[^>]*>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v>\s*</v>|<v\s*/>)?\s*</c>'
)
_PLACE = re.compile(rb'\br="([A-Z]+)[0-9]+"')
_NAMED_PLACE = re.compile(rb"""\br\s{0,9}=\s{0,9}["']([A-Za-z]{0,9})([0-9]{1,18})""")
PIECE, LONGEST_PLACE = 1 << 23, 64
FEW_CELLS = 10_000_000
"""So many cells fit into memory, whether there is something in them or not."""
SPARSE = 20
"""Cells of a sheet's extent for each one that is there, at most."""


def require_dense(path: Path, sheet: str) -> None:
    """Refuse a sheet that is nearly empty and very large; of .xlsx files only.

    Readers of workbooks take memory for every cell up to the last, and one far away is enough for all of it.
    """
    for content in _contents(path, sheet, or_any=True):
        rows, columns = _extent(content)
        if rows * columns > max(FEW_CELLS, SPARSE * content.count(b"<c")):
            raise TableError(
                f"{path.name}: the sheet is nearly empty and reaches to row {rows:,} and column {columns:,}; "
                "delete the cells that are far from the table"
            )


def _extent(content: bytes) -> tuple[int, int]:
    """Return the last row and the last column that the XML of a sheet names.

    >>> _extent(b'<row r="2"><c r="A2"/><c r="AB2"/></row>')
    (2, 28)
    """
    rows, columns = {b"0"}, {b""}
    for start in range(0, len(content), PIECE):
        for letters, digits in _NAMED_PLACE.findall(content[start : start + PIECE + LONGEST_PLACE]):
            columns.add(letters)
            rows.add(digits)
    return max(map(int, rows)), max(_number(letters.decode().upper()) + 1 for letters in columns)


def _contents(path: Path, sheet: str, *, or_any: bool = False) -> Iterator[bytes]:
    """Return the XML of a sheet; where it is not found, nothing, or everything that might be one."""
    if path.suffix.lower() != ".xlsx":
        return
    try:
        with ZipFile(path) as book:
            try:
                names = [_member(book, sheet)]
                book.getinfo(names[0])
            except (KeyError, ValueError):
                names = [name for name in book.namelist() if or_any and name.endswith(".xml")]
            for name in names:
                yield book.read(name)
    except (BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error):
        return  # its reader says what is wrong


def faulty_columns(path: Path, sheet: str) -> dict[int, str]:
    """Return the columns, counted from 0, that hold cells without a value, and why; of .xlsx files only."""
    return {place: reason for cells in _contents(path, sheet) for place, reason in _faults(cells)}


def _faults(cells: bytes) -> Iterator[tuple[int, str]]:
    for pattern, reason in ((_FORMULA, NOT_COMPUTED), (_ERROR, ERRORS)):
        for found in pattern.finditer(cells):
            place = _PLACE.search(found[0])
            if place is not None:
                yield _number(place[1].decode()), reason


def _member(book: ZipFile, sheet: str) -> str:
    """Find the file inside a workbook that holds a sheet."""
    sheets = book.read("xl/workbook.xml").decode()
    (relation,) = (
        _attribute(tag, "r:id")
        for tag in _SHEET.findall(sheets)
        if unescape(_attribute(tag, "name")) == sheet
    )
    relations = book.read("xl/_rels/workbook.xml.rels").decode()
    (target,) = (
        _attribute(tag, "Target") for tag in _RELATION.findall(relations) if _attribute(tag, "Id") == relation
    )
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return found[1] if found is not None else ""


def _number(letters: str) -> int:
    """Return the place of a column from its letters.

    >>> _number("A"), _number("Z"), _number("AB")
    (0, 25, 27)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def data_sheet(path: Path) -> str | None:
    """Return the sheet that is read where nobody names one; nothing for a file that is no workbook."""
    names = sheet_names(path)
    if len(names) < 2:
        return names[0] if names else None
    calamine = required("python_calamine", f"reading {path.name}", "excel")
    with calamine.CalamineWorkbook.from_path(str(path)) as book:
        return _sheet_with_data(path, book, list(names))


def sheet_names(path: Path) -> tuple[str, ...]:
    """Name the sheets of a workbook, in order; nothing for any other kind of file.

    >>> sheet_names(Path("heart.csv"))
    ()
    """
    if ENDINGS.get(path.suffix.lower()) != "workbook":
        return ()
    calamine = required("python_calamine", f"reading {path.name}", "excel")
    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as book:
            return tuple(book.sheet_names)
    except (calamine.CalamineError, OSError):
        raise TableError(f"{path.name}: the file is not a workbook that can be read") from None
