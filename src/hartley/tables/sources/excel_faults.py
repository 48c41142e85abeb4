"""Cells of an Excel workbook that hold no value: errors, and formulas that nobody has computed.

Readers of workbooks give both as empty cells, and an empty cell is missing: a column of formulas that
were never computed would look as if it told nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from zipfile import BadZipFile, ZipFile

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


def faulty_columns(path: Path, sheet: str) -> dict[int, str]:
    """Return the columns, counted from 0, that hold cells without a value, and why; of .xlsx files only."""
    if path.suffix.lower() != ".xlsx":
        return {}
    try:
        with ZipFile(path) as book:
            cells = book.read(_member(book, sheet))
    except (BadZipFile, KeyError, ValueError):
        return {}
    return dict(_faults(cells))


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
