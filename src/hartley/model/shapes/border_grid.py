"""Where the borders of bands may lie on a line: multiples of a step, a calendar, a list, or anywhere.

Positions of numbers are the numbers themselves; positions of dates are days since 1970-01-01 (a moment within
a day is a fraction of it).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Literal

import numpy as np

from hartley.errors import OptionError
from hartley.model.arrays import Flags, Floats, Int64s

Calendar = Literal["day", "week", "month", "quarter", "half-year", "year"]
CALENDARS: tuple[Calendar, ...] = ("day", "week", "month", "quarter", "half-year", "year")
MONTHS = {"month": 1, "quarter": 3, "half-year": 6, "year": 12}
"""How many months a cell of each calendar lasts."""

NEARLY = 1e-9
"""How far below a multiple, in steps, a number still counts as that multiple: 0.3 / 0.1 is less than 3."""
MOST_CELLS = 2.0**52
"""Cells of a grid are numbered exactly up to here."""

MOST_PLACES = 15
"""Decimal places of a border at most."""


Title = tuple[float | None, float | None, str]
"""Where a span begins and ends, ``None`` where it is open, and what it is called."""


@dataclass(frozen=True)
class OwnBorders:
    """Borders that a curator lists: bands are cut nowhere else, and may be joined.

    >>> OwnBorders.of("18,40,65").places
    (18.0, 40.0, 65.0)
    >>> OwnBorders.of("2020-01-01,2021-07-01").kind
    'date'
    >>> OwnBorders.of("40,18")
    Traceback (most recent call last):
    hartley.errors.OptionError: a list of borders must rise, as in 18,40,65; '40,18' does not
    """

    places: tuple[float, ...]
    """Positions of the borders, rising: numbers, or days since 1970-01-01."""
    kind: Literal["number", "date"]
    titles: tuple[Title, ...] = ()
    """What spans between borders are called, where a hierarchy names them."""

    @classmethod
    def of(cls, given: str | Sequence[float | str | dt.date]) -> OwnBorders:
        """Take a list of numbers or of dates, or its text; a comma at its end makes one border a list."""
        parts = given.removesuffix(",").split(",") if isinstance(given, str) else list(given)
        text = given if isinstance(given, str) else ",".join(map(str, parts))
        try:
            dates = [isinstance(part, dt.date) or _is_day(part) for part in parts]
            places = [
                day_of(part if isinstance(part, dt.date) else dt.date.fromisoformat(str(part).strip()))
                if is_date
                else float(part)  # type: ignore[arg-type]
                for part, is_date in zip(parts, dates, strict=True)
            ]
        except (TypeError, ValueError):
            places, dates = [], []
        if not places or len(set(dates)) > 1 or not all(map(isfinite, places)):
            raise OptionError(
                f"{text!r} is no list of borders; give numbers, as in 18,40,65, or dates, as in "
                "2020-01-01,2021-07-01"
            )
        if any(one >= other for one, other in pairwise(places)):
            raise OptionError(f"a list of borders must rise, as in 18,40,65; {text!r} does not")
        return cls(tuple(places), "date" if dates[0] else "number")

    def require_kind(self, column: str, kind: str) -> None:
        """Refuse dates on a column of numbers, and numbers on one of dates."""
        is_date = kind in ("date", "timestamp")
        if kind not in ("number", "date", "timestamp") or is_date != (self.kind == "date"):
            what = "dates" if is_date else "numbers" if kind == "number" else "text"
            listed = "dates" if self.kind == "date" else "numbers"
            raise OptionError(f"column {column!r} holds {what}, and its borders are listed as {listed}")

    def require_between(self, column: str, positions: Floats) -> None:
        """Refuse a list of which no border lies among the values: they would all be one band.

        >>> OwnBorders.of("100,200").require_between("age", np.array([18.0, 90.0]))
        Traceback (most recent call last):
        hartley.errors.OptionError: no border of 'age' lies among its values, which go from 18 to 90
        """
        there = positions[np.isfinite(positions)]
        if self.titles or len(there) < 2 or there.min() == there.max():
            return
        if not any(there.min() < place <= there.max() for place in self.places):
            ends = [float(there.min()), float(there.max())]
            low, high = (_shown(end, self.kind) for end in ends)
            raise OptionError(f"no border of {column!r} lies among its values, which go from {low} to {high}")


def _shown(place: float, kind: str) -> str:
    return f"{place:g}" if kind == "number" else str(dt.date(1970, 1, 1) + dt.timedelta(days=floor(place)))


def _is_day(part: object) -> bool:
    return isinstance(part, str) and "-" in part.strip()[1:] and "e" not in part.lower()


def is_list(borders: object) -> bool:
    """Tell whether borders are a list of their own, or the text of one."""
    return isinstance(borders, (list, tuple)) or (isinstance(borders, str) and "," in borders)


@dataclass(frozen=True)
class BorderGrid:
    """Cells of a line; a border may lie only between two of them."""

    step: float = 1.0
    """Width of a cell; for a calendar how many weeks, months, quarters, half-years or years it lasts."""
    calendar: Calendar | None = None
    own: tuple[float, ...] = ()
    """Borders that were listed, rising, in place of the above: the first and the last cell are open."""
    titles: tuple[Title, ...] = ()
    """What spans between these are called, where a hierarchy names them."""

    def __post_init__(self) -> None:
        if not (isfinite(self.step) and self.step > 0):
            raise OptionError(f"the step between borders must be a positive number, not {self.step:g}")

    def cells(self, positions: Floats) -> Int64s:
        """Return the number of the cell in which each position lies."""
        if self.own:
            return np.searchsorted(np.array(self.own), positions, side="right").astype(np.int64)
        if self.calendar is None:
            with np.errstate(over="ignore"):
                found: Floats = np.floor(positions / self.step + NEARLY)
            if (np.abs(found) >= MOST_CELLS).any():
                raise OptionError(f"a step of {self.step:g} is too small for values of this size")
            return found.astype(np.int64)
        days = np.floor(positions).astype(np.int64)
        if self.calendar in ("day", "week"):
            # 1970-01-01 was a Thursday; weeks begin on Monday.
            number = days if self.calendar == "day" else (days + 3) // 7
        else:
            months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
            # Counted from the year 0, so that spans of several years begin in round years.
            number = (months + self._origin) // MONTHS[self.calendar]
        return number // int(self.step)

    def start(self, cell: int) -> float:
        """Return the position at which a cell begins."""
        return float(self.starts(np.array([cell], dtype=np.int64))[0])

    def starts(self, cells: Int64s) -> Floats:
        """Return the position at which each cell begins.

        >>> BorderGrid(step=0.1).starts(np.array([1, 2, 3]))
        array([0.1, 0.2, 0.3])
        """
        if self.own:
            return np.array([-np.inf, *self.own, np.inf])[cells]
        if self.calendar is None:
            return np.asarray(np.round(cells * self.step, self._places))
        numbers = cells * int(self.step)
        if self.calendar == "day":
            return numbers.astype(float)
        if self.calendar == "week":
            return (numbers * 7 - 3).astype(float)
        months = (numbers * MONTHS[self.calendar] - self._origin).astype("datetime64[M]")
        return months.astype("datetime64[D]").astype(np.int64).astype(float)

    def border(self, below: float, above: float) -> float:
        """Return the border between two neighbouring values of different cells.

        Empty cells between the two belong to the band below.
        """
        border = self.start(int(self.cells(np.array([above]))[0]))
        return border if below < border <= above else above

    def allowed(self, positions: Floats) -> Flags:
        """Return, for rising positions, whether a border may lie before each; none does before the first."""
        cells = self.cells(positions)
        found = np.zeros(len(positions), dtype=bool)
        found[1:] = cells[1:] != cells[:-1]
        return found

    @property
    def _places(self) -> int:
        """How many decimal places the cells' beginnings have."""
        fitting = (places for places in range(MOST_PLACES) if round(self.step, places) == self.step)
        return next(fitting, MOST_PLACES)

    @property
    def _origin(self) -> int:
        """The months between where the cells are counted from and 1970."""
        return 1970 * 12 if self.calendar == "year" else 0


def clean(number: float) -> float:
    """Return a number without the dust of binary fractions.

    >>> clean(3 * 0.1)
    0.3
    """
    return float(f"{number:.12g}") if abs(number) < 2**53 and number != round(number) else float(number)


def round_steps(least: float, most: float, digits: tuple[float, ...] = (1.0, 2.0, 5.0)) -> Iterator[float]:
    """Yield 1, 2, 5 times powers of ten, rising, from ``least`` up to the first that is not below ``most``.

    ``digits`` are the numbers that are taken times powers of ten.

    >>> list(round_steps(3, 40))
    [5.0, 10.0, 20.0, 50.0]
    """
    power = floor(log10(least)) if least > 0 else 0
    while True:
        for digit in digits:
            step = digit * 10.0**power if power >= 0 else digit / 10.0**-power
            if step >= least * (1 - NEARLY):
                yield step
                if step >= most * (1 - NEARLY):
                    return
        power += 1


def round_grid(extent: float, bands: int = 20) -> BorderGrid:
    """Return the finest grid of round steps with at most about so many cells in an extent."""
    return BorderGrid(step=next(round_steps(extent / bands, extent))) if extent > 0 else BorderGrid()


def calendar_grid(extent: float) -> BorderGrid:
    """Return the calendar for dates that span so many days: months, or less where there are few."""
    if extent < 21:
        return BorderGrid(calendar="day")
    return BorderGrid(calendar="week" if extent < 120 else "month")


def roundest(below: float, above: float) -> float:
    """Return the roundest number that is greater than ``below`` and not greater than ``above``."""
    gap = above - below
    if not (isfinite(gap) and gap > 0):
        return above
    power = ceil(log10(max(abs(above), abs(below), gap)))
    while power > -20:
        for digit in (5, 2, 1):
            step = digit * 10.0**power if power >= 0 else digit / 10.0**-power
            number = clean(floor(above / step + NEARLY) * step)
            if below < number <= above:
                return number
        power -= 1
    return above


def roundest_day(below: float, above: float) -> float:
    """Return the first day of the longest calendar cell that begins after ``below`` and by ``above``."""
    for calendar in ("year", "quarter", "month", "week", "day"):
        grid = BorderGrid(calendar=calendar)
        border = grid.start(int(grid.cells(np.array([above]))[0]))
        if below < border <= above:
            return border
    return above


def parse_grid(borders: float | str | OwnBorders, column: str, kind: str) -> BorderGrid | None:
    """Return the grid that a curator asks for, ``None`` for borders anywhere.

    Raises OptionError for a step that is not positive, a calendar on numbers, a step on dates and borders on
    text.

    >>> parse_grid("5", "age", "number").step
    5.0
    >>> parse_grid("each", "age", "number") is None
    True
    >>> parse_grid("month", "age", "number")
    Traceback (most recent call last):
    hartley.errors.OptionError: borders by month need dates; column 'age' holds numbers
    """
    if kind not in ("number", "date", "ordered"):
        raise OptionError(f"column {column!r} is text without an order and has no borders; give it an order")
    if borders == "each":
        return None
    if isinstance(borders, OwnBorders):
        borders.require_kind(column, "text" if kind == "ordered" else kind)
        return BorderGrid(own=borders.places, titles=borders.titles)
    if borders in CALENDARS:
        if kind != "date":
            what = "numbers" if kind == "number" else "ordered text"
            raise OptionError(f"borders by {borders} need dates; column {column!r} holds {what}")
        return BorderGrid(calendar=borders)
    try:
        step = float(borders)
    except ValueError:
        choices = f"a number, 'each'{' or a calendar: ' + ', '.join(CALENDARS) if kind == 'date' else ''}"
        raise OptionError(f"borders of {column!r} cannot be {borders!r}; give {choices}") from None
    if not (isfinite(step) and step > 0):
        raise OptionError(f"the step between borders of {column!r} must be a positive number, not {borders}")
    if kind == "date" and step != round(step):
        raise OptionError(f"the step between borders of {column!r} must be whole days, not {borders}")
    return BorderGrid(step=step)


def day_of(value: dt.date) -> float:
    """Return the position of a date or of a moment, in days since 1970-01-01."""
    if isinstance(value, dt.datetime):
        moment = value if value.tzinfo is not None else value.replace(tzinfo=dt.UTC)
        return moment.timestamp() / 86_400
    return float((value - dt.date(1970, 1, 1)).days)
