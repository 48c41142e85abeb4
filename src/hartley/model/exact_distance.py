"""Distances of numbers and dates compared as exact decimals, not as floats."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from math import floor, isfinite, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.model.alphabet import EPOCH, Coordinate
from hartley.model.arrays import Floats, Int64s

MOST_PLACES = 15
"""Decimal places that floats are tried to be scaled by at once."""
EXACT_DIGITS = 10**15
"""Numbers of so many digits are told apart by their floats."""
MOST_WHOLE = 2**62
"""Whole numbers below this can be added without a thought."""
SECOND = 1_000_000
DAY = 86_400 * SECOND
"""In microseconds."""


def first_beyond(column: Coordinate, limit: Fraction) -> tuple[Int64s, Int64s]:
    """Return the rank of each cell, and for each rank the first one that is more than ``limit`` above.

    Ranks count the different cells in ascending order; that of a missing cell is 0 and has no meaning. The
    limit is in the unit of the numbers, in days for dates. An infinite number is apart from every other.

    >>> cells = Coordinate("dose", "number", np.array([0.4, 0.3, 0.2]), np.zeros(3, dtype=bool))
    >>> [array.tolist() for array in first_beyond(cells, Fraction(1, 10))]
    [[2, 1, 0], [2, 3, 3]]
    """
    here = ~column.missing
    ranks = np.zeros(len(here), dtype=np.int64)
    if not here.any():
        return ranks, np.array([1], dtype=np.int64)
    numbers, unit = _whole_numbers(column, limit)
    found, inverse = np.unique(numbers, return_inverse=True)
    ranks[here] = inverse
    reach = floor(limit / unit)
    if found.dtype != object and abs(int(found[0])) + abs(int(found[-1])) + reach < MOST_WHOLE:
        beyond = np.searchsorted(found, found + reach, side="right")
    else:
        beyond = _by_two_fingers(found.tolist(), reach)
    return ranks, beyond.astype(np.int64)


def spread(column: Coordinate, places: npt.NDArray[np.intp]) -> float:
    """Return how far the largest and the smallest of some cells are apart, in days for dates, or NaN."""
    present = places[~column.missing[places]]
    if not len(present):
        return float("nan")
    cells = [column.values[place] for place in present]
    low, high = min(cells), max(cells)
    if column.kind == "date":
        return float((high - low).days)
    if column.kind == "timestamp":
        return float((high - low).total_seconds()) / 86_400
    if not (isfinite(low) and isfinite(high)):
        return float("inf")
    return float(_fraction(high) - _fraction(low))


_ABOVE, _BELOW = 10**400, -(10**400)
"""Where infinite numbers stand: so far beyond every finite float that no tolerance reaches them."""


def _whole_numbers(column: Coordinate, limit: Fraction) -> tuple[npt.NDArray[Any], Fraction]:
    """Return the present cells as whole numbers of a unit, and the unit."""
    present = column.values[~column.missing]
    if column.kind == "date":
        return np.array([(cell - EPOCH).days for cell in present], dtype=np.int64), Fraction(1)
    if column.kind == "timestamp":
        return np.array([_microseconds(cell) for cell in present], dtype=np.int64), Fraction(1, DAY)
    if present.dtype.kind in "iu":
        is_small = max(-int(present.min()), int(present.max())) < MOST_WHOLE
        return present.astype(np.int64 if is_small else object), Fraction(1)
    if present.dtype.kind == "f":
        scaled = _scaled_floats(present)
        if scaled is not None:
            return scaled
    exact = [_fraction(cell) for cell in present.tolist()]
    unit = Fraction(1, lcm(*(number.denominator for number in exact), limit.denominator))
    whole = np.empty(len(exact), dtype=object)
    whole[:] = [int(number / unit) for number in exact]
    if max(map(abs, whole), default=0) < MOST_WHOLE:
        return whole.astype(np.int64), unit
    return whole, unit


def _scaled_floats(numbers: Floats) -> tuple[Int64s, Fraction] | None:
    """Return floats of few decimal places as whole numbers; ``None`` where they have too many digits."""
    if not np.isfinite(numbers).all():
        return None
    for places in range(MOST_PLACES + 1):
        scale = 10.0**places
        whole = np.rint(numbers * scale)
        if np.abs(whole).max(initial=0.0) >= EXACT_DIGITS:
            return None
        if bool((whole / scale == numbers).all()):
            return whole.astype(np.int64), Fraction(1, 10**places)
    return None


def _fraction(cell: Any) -> Fraction:
    """Return the decimal number that a cell is written as."""
    if isinstance(cell, float):
        if not isfinite(cell):
            return Fraction(_ABOVE if cell > 0 else _BELOW)
        return Fraction(Decimal(repr(float(cell))))
    if isinstance(cell, Decimal) and not cell.is_finite():
        return Fraction(_ABOVE if cell > 0 else _BELOW)
    return Fraction(cell)


def _microseconds(moment: dt.datetime) -> int:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds


def _by_two_fingers(ascending: list[int], reach: int) -> Int64s:
    beyond = np.empty(len(ascending), dtype=np.int64)
    above = 0
    for at, number in enumerate(ascending):
        while above < len(ascending) and ascending[above] - number <= reach:
            above += 1
        beyond[at] = above
    return beyond
