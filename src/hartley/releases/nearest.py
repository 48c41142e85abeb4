"""The cluster of the nearest value that was seen, exactly: no two distances are compared as floats.

Floats only say which few values could be nearest; those are compared as fractions. Beyond 2^53 neighbouring
whole numbers are the same float, and tenths are no floats at all.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from math import inf

import numpy as np

from hartley.errors import PolicyError, option
from hartley.model.arrays import Floats
from hartley.releases.cell_text import Cell
from hartley.releases.policy import Policy

_NEARLY = 1e-9
"""More than a distance can be off as a float, in units of a column's range or of the distance itself."""
_MICROSECOND = dt.timedelta(microseconds=1)


class Nearest:
    """The cluster of the nearest value that was seen.

    Numbers and dates are as far apart as they are, in units of the column's range; text, truth values and
    missing cells are equal, or there is no distance. A value's distance is that of its worst column; ties go
    to the earlier cluster.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        entries = policy.entries()
        self._measured = [column.kind in ("number", "date", "timestamp") for column in policy.public]
        places = [[self._place(cell, column) for column, cell in enumerate(value)] for value, _ in entries]
        self._first: list[Fraction] = []
        self._range: list[Fraction] = []
        for column in range(len(policy.public)):
            at = [row[column] for row in places if isinstance(row[column], Fraction)]
            self._first.append(min(at, default=Fraction(0)))
            self._range.append((max(at, default=Fraction(0)) - self._first[column]) or Fraction(1))
        # Values that differ in text, or in what is missing, have no distance.
        self._groups: dict[tuple[Cell, ...], tuple[list[list[Fraction]], list[int], Floats]] = {}
        for row, (_, number) in zip(places, entries, strict=True):
            key, at = self._apart(row)
            exact, numbers, _ = self._groups.setdefault(key, ([], [], np.empty((0, 0))))
            exact.append(at)
            numbers.append(number)
        for key, (exact, numbers, _) in self._groups.items():
            self._groups[key] = exact, numbers, np.array([list(map(_rough, at)) for at in exact])

    def _place(self, cell: Cell, column: int) -> Cell:
        return cell if cell is None or not self._measured[column] else position(cell)

    def _apart(self, row: list[Cell]) -> tuple[tuple[Cell, ...], list[Fraction]]:
        """Part a value into what must be equal, and places in units of the ranges."""
        key = tuple(None if isinstance(cell, Fraction) else (cell,) for cell in row)
        at = [
            (cell - self._first[column]) / self._range[column]
            for column, cell in enumerate(row)
            if isinstance(cell, Fraction)
        ]
        return key, at

    def label(self, value: tuple[Cell, ...]) -> tuple[str | None, ...]:
        """Return the label of the nearest value; refuse where there is no distance to any."""
        key, at = self._apart([self._place(cell, column) for column, cell in enumerate(value)])
        if key not in self._groups:
            raise PolicyError(
                "a public value that was never seen has no nearest one, because text and missing cells have "
                f"no distance; use {option('unseen', 'suppress')}"
            )
        exact, numbers, rough = self._groups[key]
        far = np.abs(rough - np.array(list(map(_rough, at)))).max(axis=1, initial=0.0)
        near = np.flatnonzero(far <= far.min() * (1 + _NEARLY) + _NEARLY).tolist()
        best = min(
            (max((abs(a - b) for a, b in zip(at, exact[one], strict=True)), default=0), numbers[one])
            for one in near
        )
        return self._policy.clusters[best[1]].label


def _rough(at: Fraction) -> float:
    try:
        return float(at)
    except OverflowError:
        return inf if at > 0 else -inf


def position(cell: Cell) -> Fraction:
    """Return where a cell lies on its line, exactly: a number, a day, or microseconds."""
    if isinstance(cell, dt.datetime):
        start = dt.datetime(1970, 1, 1, tzinfo=cell.tzinfo and dt.UTC)
        return Fraction((cell - start) // _MICROSECOND)
    if isinstance(cell, dt.date):
        return Fraction(cell.toordinal())
    return Fraction(Decimal(repr(cell))) if isinstance(cell, float) else Fraction(cell)
