"""Where the borders of bands may lie: anywhere, on a grid of equal steps, or in a calendar.

A border may lie between two neighbours on the line if they are in different cells of the grid. What a band
costs is decided by its members; how wide it is, by the cells that hold its first and its last member.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import floor, log10
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from hartley.errors import OptionError
from hartley.model.alphabet import EPOCH
from hartley.model.arrays import frozen_array

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

Calendar: TypeAlias = Literal["week", "month", "quarter", "year"]
CALENDARS: tuple[Calendar, ...] = get_args(Calendar)

ROUND = (1.0, 2.0, 2.5, 5.0)
"""Steps that people call round, times a power of ten."""
MOST_PLACES = 6
"""Decimal places that a unit has at most."""
MOST_CELLS = 2.0**52
"""Cells of a grid are numbered exactly up to here."""


@dataclass(frozen=True, eq=False)
class Borders:
    """The cell of each rank, and after how many ranks a border may lie."""

    allowed: Flags
    """For each number of ranks before it, whether a border may lie there; the first and the last are."""
    low: Floats
    """Where the cell of each rank begins."""
    high: Floats
    """Where it ends; the cell does not hold this number itself."""
    name: str = "each"
    """The step, or the calendar, as people write it."""

    def __post_init__(self) -> None:
        for name in ("allowed", "low", "high"):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))

    @property
    def are_anywhere(self) -> bool:
        """Whether borders may lie between any two values, so that bands have no nominal ends."""
        return self.name == "each"

    @classmethod
    def anywhere(cls, positions: Floats) -> Borders:
        """Let a border lie between any two neighbours; a band is as wide as its members are apart."""
        return cls(np.ones(len(positions) + 1, dtype=bool), positions, positions)

    @classmethod
    def on_grid(cls, positions: Floats, step: float, offset: float = 0.0) -> Borders:
        """Let borders lie at ``offset`` and whole numbers of steps from it.

        >>> grid = Borders.on_grid(np.array([1.0, 9.0, 10.0, 31.0]), 10)
        >>> grid.allowed.tolist(), grid.low.tolist()
        ([True, False, True, True, True], [0.0, 0.0, 10.0, 30.0])
        """
        if not 0 < step < float("inf"):
            raise OptionError(f"borders need a step above 0, not {step:g}")
        cells = np.floor((positions - offset) / step)
        if len(cells) and np.abs(cells).max() >= MOST_CELLS:
            raise OptionError(f"a step of {step:g} is too small for values of this size")
        # Division rounds: a value at a border must lie in the cell that begins there.
        cells += offset + (cells + 1) * step <= positions
        cells -= offset + cells * step > positions
        low = offset + cells * step
        return cls(_between(cells), low, offset + (cells + 1) * step, f"{step:g}")

    @classmethod
    def in_calendar(cls, positions: Floats, calendar: Calendar, unit: Literal["day", "second"]) -> Borders:
        """Let borders lie between weeks (from Monday), months, quarters or years.

        Positions are days or seconds since 1970, as dates and timestamps have them.
        """
        if calendar not in CALENDARS:
            raise OptionError.unknown("calendar", calendar, CALENDARS)
        scale = 1.0 if unit == "day" else 86_400.0
        days = np.floor(positions / scale).astype(np.int64)
        found, inverse = np.unique(days, return_inverse=True)
        cells = [PERIODS[calendar](EPOCH + dt.timedelta(days=int(day))) for day in found]
        low = np.array([(begin - EPOCH).days for begin, _ in cells], dtype=float)[inverse] * scale
        high = np.array([(end - EPOCH).days for _, end in cells], dtype=float)[inverse] * scale
        return cls(_between(low), low, high, calendar)


def _between(cells: npt.NDArray[np.float64]) -> Flags:
    allowed = np.ones(len(cells) + 1, dtype=bool)
    allowed[1:-1] = cells[1:] != cells[:-1]
    return allowed


def _week(day: dt.date) -> tuple[dt.date, dt.date]:
    monday = day - dt.timedelta(days=day.weekday())
    return monday, monday + dt.timedelta(days=7)


def _months(day: dt.date, length: int) -> tuple[dt.date, dt.date]:
    begin = dt.date(day.year, (day.month - 1) // length * length + 1, 1)
    after = begin.month + length
    return begin, dt.date(begin.year + (after > 12), after - 12 if after > 12 else after, 1)


PERIODS: dict[str, Callable[[dt.date], tuple[dt.date, dt.date]]] = {
    "week": _week,
    "month": lambda day: _months(day, 1),
    "quarter": lambda day: _months(day, 3),
    "year": lambda day: _months(day, 12),
}
"""The period that holds a day: its first day, and the first day after it."""


def unit_of(positions: Floats) -> float:
    """Return the power of ten of which all positions are multiples; 0 where they have many decimal places.

    >>> unit_of(np.array([3.0, 7.5])), unit_of(np.array([0.1234567]))
    (0.1, 0.0)
    """
    for places in range(MOST_PLACES + 1):
        if bool((np.round(positions, places) == positions).all()):
            return float(f"1e-{places}")
    return 0.0


def is_multiple(number: float, unit: float) -> bool:
    """Tell whether a number is a whole number of units, up to rounding; of no unit every number is."""
    return unit == 0 or abs(number / unit - round(number / unit)) < 1e-6


def round_steps(positions: Floats, least: float | None = None) -> Iterator[float]:
    """Yield the round steps for a line, ascending, from the finest that joins anything to the whole length.

    Values of few decimal places have steps of no more, so that a step of whole numbers is whole.

    >>> list(round_steps(np.array([0.0, 1.0, 17.0])))
    [1.0, 2.0, 5.0, 10.0, 20.0]
    """
    unit = unit_of(positions)
    gaps = np.diff(positions)
    gaps = gaps[gaps > 0]
    if not len(gaps):
        return
    finest = float(gaps.min()) if least is None else least
    span = float(positions[-1] - positions[0])
    power = floor(log10(finest))
    while True:
        for factor in ROUND:
            # Powers of ten below 1 are no floats: the step is the float nearest to the decimal number.
            step = factor * 10.0**power if power >= 0 else float(f"{factor:g}e{power}")
            if step >= finest and is_multiple(step, unit):
                yield step
            if step >= span:
                return
        power += 1
