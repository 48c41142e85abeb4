"""Where the borders of bands may lie: anywhere, on a grid of equal steps, in a calendar, or on a list.

A border may lie between two neighbours on the line if they are in different cells of the grid. What a band
costs is decided by its members; how wide it is, by the cells that hold its first and its last member.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from hartley.errors import OptionError
from hartley.model import Coordinate
from hartley.model.arrays import Flags, Floats, Int64s, Ints, frozen_array
from hartley.model.shapes.border_grid import CALENDARS, BorderGrid, Calendar, OwnBorders
from hartley.model.shapes.border_grid import round_steps as steps_between
from hartley.model.shapes.shape import Shape

ROUND = (1.0, 2.0, 2.5, 5.0)
"""Steps that people call round, times a power of ten."""
MOST_PLACES = 6
"""Decimal places that a unit has at most."""


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
    def on_grid(cls, positions: Floats, step: float) -> Borders:
        """Let borders lie at the multiples of a step."""
        grid = BorderGrid(step=step)
        return cls._of_cells(grid, grid.cells(positions), 1.0, f"{step:g}")

    @classmethod
    def in_calendar(cls, positions: Floats, calendar: Calendar, unit: Literal["day", "second"]) -> Borders:
        """Let borders lie between weeks (from Monday), months, quarters or years.

        Positions are days or seconds since 1970, as dates and timestamps have them.
        """
        if calendar not in CALENDARS:
            raise OptionError.unknown("calendar", calendar, CALENDARS)
        scale = 1.0 if unit == "day" else 86_400.0
        grid = BorderGrid(calendar=calendar)
        return cls._of_cells(grid, grid.cells(positions / scale), scale, calendar)

    @classmethod
    def listed(cls, positions: Floats, own: OwnBorders, unit: Literal["day", "second"] = "day") -> Borders:
        """Let borders lie where a list has them; the outer cells end with the values."""
        scale = 1.0 if unit == "day" else 86_400.0
        grid = BorderGrid(own=own.places)
        found = cls._of_cells(grid, grid.cells(positions / scale), scale, "own")
        ends = (positions[0], np.nextafter(positions[-1], np.inf)) if len(positions) else (0.0, 0.0)
        return cls(found.allowed, np.maximum(found.low, ends[0]), np.minimum(found.high, ends[1]), found.name)

    @classmethod
    def of_shape(cls, shape: Shape, positions: Floats, column: Coordinate) -> Borders | None:
        """Return the borders that a shape asks for along the positions of a column; ``None``: anywhere."""
        if shape.borders is None or shape.borders == "auto":
            return None
        if shape.borders in CALENDARS:
            if column.kind not in ("date", "timestamp"):
                raise OptionError(
                    f"borders by {shape.borders} are of dates; column {column.name!r} is a {column.kind}"
                )
            return cls.in_calendar(positions, shape.borders, "day" if column.kind == "date" else "second")
        if isinstance(shape.borders, OwnBorders):
            shape.borders.require_kind(column.name, column.kind)
            shape.borders.require_between(
                column.name, positions / (86_400.0 if column.kind == "timestamp" else 1.0)
            )
            return cls.listed(positions, shape.borders, "second" if column.kind == "timestamp" else "day")
        return cls.on_grid(positions, cast("float", shape.borders))

    @classmethod
    def calendars(cls, positions: Floats, unit: Literal["day", "second"]) -> Iterator[Borders]:
        """Yield the calendars from the finest that joins any two values on, the finest first."""
        for calendar in CALENDARS:
            found = cls.in_calendar(positions, calendar, unit)
            if not found.allowed.all():
                yield found

    def ends_of(self, cluster_of: Ints) -> tuple[Floats, Floats]:
        """Return where the bands of clusters of ranks begin and end, in order; -1 is in no cluster."""
        kept = np.flatnonzero(cluster_of >= 0)
        numbers, inverse = np.unique(cluster_of[kept], return_inverse=True)
        low, high = np.full(len(numbers), np.inf), np.full(len(numbers), -np.inf)
        np.minimum.at(low, inverse, self.low[kept])
        np.maximum.at(high, inverse, self.high[kept])
        order = np.argsort(low, kind="stable")
        return low[order], high[order]

    @classmethod
    def _of_cells(cls, grid: BorderGrid, cells: Int64s, scale: float, name: str) -> Borders:
        """Build from the cell of each rank; ``scale`` is how many units of the line make one of the grid."""
        allowed = np.ones(len(cells) + 1, dtype=bool)
        allowed[1:-1] = cells[1:] != cells[:-1]
        return cls(allowed, grid.starts(cells) * scale, grid.starts(cells + 1) * scale, name)


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
    """
    unit = unit_of(positions)
    gaps = np.diff(positions)
    gaps = gaps[gaps > 0]
    if not len(gaps):
        return
    finest = float(gaps.min()) if least is None else least
    span = float(positions[-1] - positions[0])
    yield from (step for step in steps_between(finest, span, ROUND) if is_multiple(step, unit))
