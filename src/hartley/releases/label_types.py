"""The type of a recoded column in files and frames that have types: one that holds every label as it is.

The column's own type comes first. New data may have a narrower one than the data of the policy (whole
numbers where labels have decimals, bytes where labels are in the thousands), and the middle of two
milliseconds lies between them: then the type is the next wider one, for a label is never rounded.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from hartley.model import Kind
from hartley.releases.cells import parse_cell

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
_WIDEST = 38
"""Digits that a column of fixed decimals has room for."""
_MICROSECONDS = {"TIMESTAMP_S": 1_000_000, "TIMESTAMP_MS": 1000}
_FIRST_NANOSECOND, _LAST_NANOSECOND = 1678, 2261
"""The years that a count of nanoseconds in 64 bits has whole."""


def type_for_labels(own: str, kind: Kind, labels: Sequence[str | None]) -> str:
    """Give the first type, from the column's own on, that holds all labels; text where none does.

    >>> type_for_labels("TINYINT", "number", ["1", "100"]), type_for_labels("TINYINT", "number", ["1", "999"])
    ('TINYINT', 'BIGINT')
    >>> type_for_labels("BIGINT", "number", ["1.25", None])
    'DOUBLE'
    """
    cells = [parse_cell(text, kind) for text in set(labels) if text is not None]
    if kind == "number":
        return next(
            (wide for wide in _wider(own, cells) if all(_holds(wide, cell) for cell in cells)), "VARCHAR"
        )
    if kind == "timestamp" and not all(_keeps(own, cell) for cell in cells):
        return "TIMESTAMP"
    return own


def _wider(own: str, numbers: Sequence[int | Decimal]) -> Iterator[str]:
    yield own
    yield "BIGINT"
    yield f"DECIMAL({_WIDEST}, 0)"
    yield "DOUBLE"
    yield f"DECIMAL({_WIDEST}, {max(map(_decimals, numbers), default=0)})"


def _holds(kind: str, number: int | Decimal) -> bool:
    exact = Decimal(number)
    if found := _DECIMAL.fullmatch(kind):
        digits, room = int(found[1]), int(found[2])
        return _decimals(number) <= room and exact.copy_abs() < Decimal(10) ** (digits - room)
    if kind in ("DOUBLE", "FLOAT"):
        return Decimal(repr(float(exact))) == exact
    bits = _BITS.get(kind.removeprefix("U"))
    if bits is None or not isinstance(number, int):
        return False
    low, high = (0, 1 << bits) if kind.startswith("U") else (-1 << (bits - 1), 1 << (bits - 1))
    return low <= number < high


def _decimals(number: int | Decimal) -> int:
    return 0 if isinstance(number, int) else max(0, -int(number.as_tuple().exponent))


def _keeps(kind: str, moment: dt.datetime) -> bool:
    if kind == "TIMESTAMP_NS":
        return _FIRST_NANOSECOND <= moment.year <= _LAST_NANOSECOND
    return moment.microsecond % _MICROSECONDS.get(kind, 1) == 0
