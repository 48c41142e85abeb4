"""From the carriers inside DuckDB to the values that people know, and one form for equal values.

The same numbers come from different sources as integers, floats or decimals. Here they get
one form: integers where all are whole and fit 64 bits, floats where all are floats by their
shortest names, and otherwise whole numbers and decimals of any size as Python has them.
"""

from __future__ import annotations

import datetime as dt
from decimal import Context, Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.errors import ColumnError
from hartley.model import Coordinate
from hartley.model.arrays import Flags
from hartley.tables.column_types import AS_TEXT, TypedColumn

EPOCH = dt.datetime(1970, 1, 1)
_PER_DAY = {"day": 1, "microsecond": 86_400_000_000, "nanosecond": 86_400_000_000_000}
_ALL_DIGITS = Context(prec=100)
_FIRST_DAY = (dt.datetime.min - EPOCH).days
_LAST_DAY = (dt.datetime.max - EPOCH).days


def fetched(column: TypedColumn, value: str) -> str:
    """Return the SQL that hands a carried value over without loss."""
    return f"{value}::VARCHAR" if column.carrier == "exact" else value


def coordinate(column: TypedColumn, carried: npt.NDArray[Any], missing: Flags) -> Coordinate:
    """Build the coordinate of an alphabet from carried values; what stands at a missing place is ignored."""
    if column.carrier == "text":
        values = carried.astype(object)
        values[missing] = ""
    elif column.unit != "1":
        values = _moments(column, carried, missing)
    elif column.kind == "boolean":
        values = np.where(missing, 0, carried).astype(bool)
    elif column.carrier == "exact":
        values = _exact_numbers(carried, missing)
    elif column.carrier == "float":
        values = _floats(column, carried, missing)
    else:
        values = np.where(missing, 0, carried).astype(np.int64)
    return Coordinate(column.name, column.kind, values, missing)


def _floats(column: TypedColumn, carried: npt.NDArray[Any], missing: Flags) -> npt.NDArray[Any]:
    values = np.where(missing, 0.0, carried)
    if not np.isfinite(values).all():
        raise ColumnError(f"column {column.name!r} holds infinite numbers; {AS_TEXT}, or take them out")
    # Beyond 2^53 a float stands for the number that its shortest name says, not for its last digits.
    if bool((np.trunc(values) == values).all()) and bool((np.abs(values) <= 2.0**53).all()):
        return values.astype(np.int64)
    return values


def _exact_numbers(texts: npt.NDArray[Any], missing: Flags) -> npt.NDArray[Any]:
    numbers = [Decimal(0) if gone else Decimal(text) for text, gone in zip(texts, missing, strict=True)]
    whole = [number == number.to_integral_value() for number in numbers]
    if all(whole) and all(-(2**63) <= number < 2**63 for number in numbers):
        return np.array([int(number) for number in numbers], dtype=np.int64)
    if all(Decimal(repr(float(number))) == number for number in numbers):
        return np.array([float(number) for number in numbers])
    values = np.empty(len(numbers), dtype=object)
    values[:] = [
        int(number) if is_whole else number.normalize(_ALL_DIGITS)
        for number, is_whole in zip(numbers, whole, strict=True)
    ]
    return values


def _moments(column: TypedColumn, carried: npt.NDArray[Any], missing: Flags) -> npt.NDArray[Any]:
    counts = np.where(missing, 0, carried).astype(np.int64)
    per_day = _PER_DAY[column.unit]
    days = counts // per_day
    if len(days) and (int(days.min()) < _FIRST_DAY or int(days.max()) > _LAST_DAY):
        raise ColumnError(f"column {column.name!r} holds a date outside the years 1 to 9999; {AS_TEXT}")
    if column.unit == "nanosecond":
        if bool((counts % 1000).any()):
            raise ColumnError(f"column {column.name!r} holds times finer than a microsecond; {AS_TEXT}")
        counts = counts // 1000
    values = np.empty(len(counts), dtype=object)
    if column.kind == "date":
        values[:] = [(EPOCH + dt.timedelta(days=count)).date() for count in counts.tolist()]
    else:
        start = EPOCH.replace(tzinfo=dt.UTC) if column.has_zone else EPOCH
        values[:] = [start + dt.timedelta(microseconds=count) for count in counts.tolist()]
    return values
