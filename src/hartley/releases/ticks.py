"""A column of numbers, dates or timestamps as whole ticks, in which means and distances are exact.

A tick is fine enough for every cell. Labels lie on every ``step``-th tick, so that whole
numbers stay whole, dates stay dates, and other numbers get one digit more than the
finest cell has (the middle of two such cells needs no more).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import floor
from typing import Any

import numpy as np

from hartley.model import Coordinate
from hartley.releases.cell_text import Cell

_DAY_ONE = dt.datetime(1, 1, 1)
MOST_DECIMALS = 6
EXACT = 1e14
"""Floats that are below this once they are whole are told from their neighbours by 15 digits."""
_MICROSECOND = dt.timedelta(microseconds=1)


@dataclass(frozen=True)
class Scale:
    """The ticks of a column and the way back."""

    ticks: tuple[int | None, ...]
    """Where each cell lies; ``None`` where it is missing and has no place."""
    step: int
    """Labels lie on multiples of this."""
    per_unit: int
    """Ticks in one unit of distance: 1, a day, or a second."""
    value: Callable[[int], Cell]
    """The cell at a tick."""
    tick: Callable[[Cell], Decimal]
    """Where any cell of the column's kind lies, between ticks if need be."""

    def limit(self, distance: float) -> int:
        """Return the largest number of ticks that is no farther than a distance."""
        return floor(Decimal(repr(distance + 1e-9)) * self.per_unit)

    def distance(self, ticks: int) -> float:
        """Return a number of ticks as a distance."""
        return float(Decimal(ticks) / self.per_unit)


def scale_of(
    coordinate: Coordinate, missing_at: Sequence[float] | None = None, decimals: int | None = None
) -> Scale | None:
    """Return the scale of a column, or nothing for text and truth values.

    ``missing_at`` holds the position of every cell; those of missing cells give them a place.
    ``decimals`` is how many decimals the column's own type has room for.
    """
    if coordinate.kind in ("text", "boolean"):
        return None
    cells = coordinate.cells
    if coordinate.kind == "number":
        return _plain_numbers(coordinate, decimals) or _numbers(cells, missing_at, decimals)
    if coordinate.kind == "date":
        days = tuple(None if cell is None else cell.toordinal() for cell in cells)
        return Scale(days, 1, 1, dt.date.fromordinal, lambda cell: Decimal(cell.toordinal()))
    return _timestamps(cells)


def _plain_numbers(coordinate: Coordinate, most_decimals: int | None) -> Scale | None:
    """Return the scale of a column of machine numbers without missing cells, all at once.

    A float of so few digits that no other such number lies nearer is a whole number divided by a power of
    ten; where one is not, or a column is of another kind, nothing is returned.
    """
    values = coordinate.values
    if coordinate.missing.any() or values.dtype.kind not in "iuf" or not len(values):
        return None
    if values.dtype.kind != "f":
        return _scale_of_ticks(tuple(values.tolist()), 0, 0, are_floats=False)
    values = values.astype(np.float64)
    for finest in range(MOST_DECIMALS + 1):
        whole = np.rint(values * 10.0**finest)
        if not (np.abs(whole) < EXACT).all():
            return None
        if (whole / 10.0**finest == values).all():
            break
    else:
        return None
    label_decimals = finest + 1 if finest else 0
    if most_decimals is not None:
        label_decimals = min(label_decimals, most_decimals)
    decimals = max(label_decimals, finest)
    ticks = (whole.astype(np.int64) * 10 ** (decimals - finest)).tolist()
    return _scale_of_ticks(tuple(ticks), decimals, label_decimals, are_floats=True)


def _numbers(cells: list[Any], missing_at: Sequence[float] | None, most_decimals: int | None) -> Scale:
    exact: list[Decimal | None] = []
    finest_given = 0
    for place, cell in enumerate(cells):
        if cell is None:
            at = None if missing_at is None else Decimal(repr(float(missing_at[place])))
            exact.append(at)
            if at is not None:
                finest_given = max(finest_given, _decimals(at))
        else:
            exact.append(Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell))
    present = [number for number, cell in zip(exact, cells, strict=True) if cell is not None]
    finest = max((_decimals(number) for number in present if number is not None), default=0)
    label_decimals = finest + 1 if finest else 0
    if most_decimals is not None:
        label_decimals = min(label_decimals, most_decimals)
    decimals = max(label_decimals, finest, finest_given)
    floats = any(isinstance(cell, float) for cell in cells)
    with localcontext() as context:
        context.prec = 1000
        ticks = tuple(None if number is None else int(number.scaleb(decimals)) for number in exact)
    return _scale_of_ticks(ticks, decimals, label_decimals, are_floats=floats)


def _scale_of_ticks(
    ticks: tuple[int | None, ...], decimals: int, label_decimals: int, *, are_floats: bool
) -> Scale:
    """Return the scale of numbers that lie at whole ticks of so many decimals."""
    per_unit = 10**decimals

    def value(tick: int) -> Cell:
        if are_floats:
            # Rounded once, to the nearest float, however many digits there are.
            return tick / per_unit
        if tick % per_unit == 0:
            return tick // per_unit
        with localcontext() as context:
            context.prec = 1000
            return Decimal(tick).scaleb(-decimals)

    def tick_of(cell: Cell) -> Decimal:
        with localcontext() as context:
            context.prec = 1000
            return (Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell)).scaleb(decimals)

    return Scale(ticks, 10 ** (decimals - label_decimals), per_unit, value, tick_of)


def _decimals(number: Decimal) -> int:
    with localcontext() as context:
        context.prec = 1000
        exponent = number.normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _timestamps(cells: list[Any]) -> Scale:
    zone = next((cell.tzinfo for cell in cells if cell is not None), None)
    start = _DAY_ONE.replace(tzinfo=zone)
    counts = [None if cell is None else (cell - start) // _MICROSECOND for cell in cells]
    whole = all(count is None or count % 1_000_000 == 0 for count in counts)
    return Scale(
        tuple(counts),
        1_000_000 if whole else 1,
        1_000_000,
        lambda tick: start + dt.timedelta(microseconds=tick),
        lambda cell: Decimal((cell - start) // _MICROSECOND),
    )
