"""Cells as text and back: one text for equal values, so that files and codebooks agree.

==========  ============================  ==================================================
kind        as a Python value             as text
==========  ============================  ==================================================
number      int, float or Decimal         shortest exact digits: ``180``, ``0.25``, ``1e+22``
boolean     bool                          ``true`` or ``false``
date        date                          ``2024-02-29``
timestamp   datetime                      ``2024-02-29 07:30:00``, with ``+00:00`` for an instant
text        str                           itself
==========  ============================  ==================================================

A missing cell is ``None`` in both.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from hartley.model import Alphabet, Coordinate

Cell = Any
"""A cell as a Python value; ``None`` where it is missing."""
Kind = Literal["number", "boolean", "date", "timestamp", "text"]
"""The kinds that a policy names: those of the model, written down here because files outlive it."""
SHORT = 19
"""Whole numbers of fewer digits are read at once."""
_PLAIN_NUMBERS = re.compile(
    r"(?:-?[0-9]{1,15}(?:\.[0-9]*+(?<=[1-9]))?\n)*+-?[0-9]{1,15}(?:\.[0-9]*+(?<=[1-9]))?"
)


def cell_text(cell: Cell) -> str | None:
    """Write a cell as text.

    >>> cell_text(180.0), cell_text(0.1), cell_text(Decimal("1.10")), cell_text(True), cell_text(None)
    ('180', '0.1', '1.1', 'true', None)
    """
    if type(cell) is int:
        return str(cell)
    if cell is None or type(cell) is str:
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        text = repr(cell + 0.0)
        return text.removesuffix(".0")
    if isinstance(cell, Decimal):
        text = format(cell, "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    if isinstance(cell, dt.datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, dt.date):
        return cell.isoformat()
    return str(cell)


def parse_cell(text: str | None, kind: Kind) -> Cell:
    """Read a cell back from its text; a number comes as int where it is whole, else as Decimal.

    >>> parse_cell("180", "number"), parse_cell("0.10", "number"), parse_cell("2024-02-29", "date")
    (180, Decimal('0.10'), datetime.date(2024, 2, 29))
    """
    if text is None or kind == "text":
        return text
    if kind == "number":
        if len(text) < SHORT and text.isascii() and text.isdigit():
            return int(text)
        try:
            number = Decimal(text)
        except InvalidOperation:
            raise ValueError("not a number") from None
        if not number.is_finite():
            raise ValueError("not a finite number")
        return int(number) if number == number.to_integral_value() else number
    if kind == "boolean":
        return {"true": True, "false": False}[text]
    return dt.date.fromisoformat(text) if kind == "date" else dt.datetime.fromisoformat(text)


def parse_cells(texts: Sequence[str | None], kind: Kind) -> list[Cell]:
    """Read many cells back from their texts, all at once where they are plain numbers.

    Of other numbers and truth values equal texts are read once: many combinations have few different cells.

    >>> parse_cells(["180", "-7"], "number"), parse_cells(["0.10", None], "number")
    ([180, -7], [Decimal('0.10'), None])
    """
    if kind == "text":
        return list(texts)
    if kind in ("date", "timestamp"):
        read_one = dt.date.fromisoformat if kind == "date" else dt.datetime.fromisoformat
        return [None if text is None else read_one(text) for text in texts]
    if kind == "number" and are_plain_numbers(texts):
        return [Decimal(text) if "." in text else int(text) for text in texts]  # type: ignore[operator, arg-type]
    read = {text: parse_cell(text, kind) for text in dict.fromkeys(texts)}
    return [read[text] for text in texts]


def are_plain_numbers(texts: Sequence[str | None]) -> bool:
    """Tell whether all texts are numbers of few whole digits, with no zero at the end of a fraction."""
    try:
        joined = "\n".join(texts)  # type: ignore[arg-type]
    except TypeError:  # one is missing
        return False
    return _PLAIN_NUMBERS.fullmatch(joined) is not None and joined.count("\n") + 1 == len(texts)


def is_label(text: str | None, label: str | None, kind: Kind) -> bool:
    """Tell whether a released cell is the label, as it is written or as the cell of a kind that it is.

    >>> is_label("99", "99.0", "number"), is_label("gone", "gone", "number"), is_label(None, "gone", "text")
    (True, True, False)
    """
    if text is None or label is None:
        return text is label
    try:
        return text == label or parse_cell(text, kind) == parse_cell(label, kind)
    except (ValueError, KeyError):
        return False


def values_of(alphabet: Alphabet) -> list[tuple[Cell, ...]]:
    """Return the values of an alphabet in their order, in the form that :func:`parse_cell` gives them."""
    columns = (parse_cells(column_texts(coordinate), coordinate.kind) for coordinate in alphabet.coordinates)
    return list(zip(*columns, strict=True))


def value_texts(alphabet: Alphabet) -> list[tuple[str | None, ...]]:
    """Return the values of an alphabet in their order, as text; of several columns equal cells share one."""
    if len(alphabet.coordinates) == 1:
        return [(text,) for text in column_texts(alphabet.coordinates[0])]
    shared: dict[str | None, str | None] = {}
    columns = ([shared.setdefault(text, text) for text in column_texts(one)] for one in alphabet.coordinates)
    return list(zip(*columns, strict=True))


def column_texts(coordinate: Coordinate) -> list[str | None]:
    """Return the cells of a column as text."""
    if coordinate.values.dtype.kind in "iu" and not coordinate.missing.any():
        return list(map(str, coordinate.values.tolist()))
    if coordinate.values.dtype.kind == "f" and not coordinate.missing.any():
        return [text.removesuffix(".0") for text in map(repr, (coordinate.values + 0.0).tolist())]
    if coordinate.values.dtype.kind == "f":
        cells = coordinate.cells
        written = {cell: cell_text(cell) for cell in dict.fromkeys(cells)}
        return [written[cell] for cell in cells]
    if coordinate.kind == "text":
        return [None if cell is None else str(cell) for cell in coordinate.cells]
    return list(map(cell_text, coordinate.cells))
