"""Cells of an Excel workbook that hold no value: errors, and formulas that nobody has computed.

Readers of workbooks give both as empty cells, and an empty cell is missing: a column of formulas that
were never computed would look as if it told nothing.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from hartley.errors import TableError

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
_USUAL = (re.compile(rb' r="([A-Z]{1,9})[0-9]'), re.compile(rb' r="[A-Z]*([0-9]{1,18})'))
_UNUSUAL = tuple(
    re.compile(rb"""\br\s{0,9}=\s{0,9}["']""" + place)
    for place in (rb"([A-Za-z]{1,9})[0-9]", rb"[A-Za-z]{0,9}([0-9]{1,18})")
)
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
    is_usual = content.count(b' r="') >= content.count(b"<c ")
    letters_of, digits_of = _USUAL if is_usual else _UNUSUAL
    for start in range(0, len(content), PIECE):
        piece = content[start : start + PIECE + LONGEST_PLACE]
        columns.update(letters_of.findall(piece))
        rows.update(digits_of.findall(piece))
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
