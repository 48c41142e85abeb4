"""Bands: a line cut at borders, and what each piece is called.

A band holds the positions from its lower border on, up to but without its upper border. The first and the
last are open unless ends are given, so the bands tile the line and every new value finds one. Bands are named
by their borders, never by the least and greatest value that occurs: these are cells of the table.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from hartley.errors import InputError
from hartley.model.arrays import Floats, Int64s
from hartley.model.shapes.border_grid import MONTHS, Calendar, Title, day_of

Scale = Literal["number", "whole", "date", "ordered"]
"""Numbers, whole numbers, dates, or categories with an order; a category lies at its rank."""

ALL = "all"
"""The label of a band that holds everything."""


@dataclass(frozen=True)
class Bands:
    """A line cut at borders.

    >>> ages = Bands("whole", (35.0, 55.0))
    >>> ages.labels
    ('under 35', '35 to 54', '55 and over')
    >>> ages.place(54)
    1
    >>> Bands("number", (0.5, 1.0), low=0.0, high=2.0).labels
    ('0 to under 0.5', '0.5 to under 1', '1 to under 2')
    >>> Bands("number", (0.5, 1.0), style="interval").labels
    ('(-inf, 0.5)', '[0.5, 1)', '[1, inf)')
    """

    scale: Scale
    borders: tuple[float, ...]
    """Where one band ends and the next begins, rising."""
    low: float | None = None
    """Where the first band begins; ``None`` where it is open."""
    high: float | None = None
    """Where the last band ends; ``None`` where it is open."""
    names: tuple[str, ...] = ()
    """The categories in their order; only of the scale ``ordered``."""
    calendar: Calendar | None = None
    """In which words dates are told; the coarsest that fits where there is none."""
    style: Literal["words", "interval"] = "words"
    """Whether numbers are told in words or as mathematics writes intervals."""
    titles: tuple[Title, ...] = ()
    """What bands of certain borders are called, in place of that."""

    def __post_init__(self) -> None:
        edges = [edge for edge in (self.low, *self.borders, self.high) if edge is not None]
        if any(one >= other for one, other in pairwise(edges)):
            raise InputError("the borders of bands must rise")
        if (self.scale == "ordered") != bool(self.names):
            raise InputError("bands of ordered categories, and only these, need the categories' names")

    @property
    def size(self) -> int:
        """How many bands there are."""
        return len(self.borders) + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """What the bands are called, from the lowest."""
        return tuple(self.label(band) for band in range(self.size))

    def edges(self, band: int) -> tuple[float | None, float | None]:
        """Return the borders of a band, ``None`` where it is open."""
        low = self.borders[band - 1] if band > 0 else self.low
        return low, self.borders[band] if band < len(self.borders) else self.high

    def label(self, band: int) -> str:
        """Return what a band is called."""
        low, high = self.edges(band)
        title = next((name for first, end, name in self.titles if (first, end) == (low, high)), None)
        if title is not None:
            return title
        if self.scale == "ordered":
            return _ordered_label(self.names, low, high)
        if low is None and high is None:
            return ALL
        if self.scale == "date":
            return _date_label(low, high, self.calendar)
        if self.style == "interval":
            start = "(-inf" if low is None else f"[{number_text(low)}"
            return f"{start}, {'inf' if high is None else number_text(high)})"
        if low is None:
            return f"under {number_text(_present(high))}"
        if high is None:
            return f"{number_text(low)} and over"
        if self.scale == "whole" and low == round(low) and high == round(high):
            return _whole_label(low, high - 1)
        return f"{number_text(low)} to under {number_text(high)}"

    def position(self, value: Any) -> float:
        """Return where a value lies on the line; NaN for a category that the order does not hold."""
        if self.scale == "ordered":
            return float(self.names.index(value)) if value in self.names else float("nan")
        return day_of(value) if isinstance(value, dt.date) else float(value)

    def place(self, value: Any) -> int:
        """Return the band of a value, seen or not; -1 where it lies beyond the ends or nowhere."""
        return int(self.places(np.array([self.position(value)]))[0])

    def places(self, positions: Floats) -> Int64s:
        """Return the band of each position; -1 beyond the ends and for NaN."""
        found = np.searchsorted(np.array(self.borders, dtype=float), positions, side="right").astype(np.int64)
        outside = np.isnan(positions)
        if self.low is not None:
            outside |= positions < self.low
        if self.high is not None:
            outside |= positions >= self.high
        found[outside] = -1
        return found

    def to_list(self) -> list[dict[str, Any]]:
        """Return the bands as JSON has them: label, and ``from`` and ``to`` where they are not open.

        >>> Bands("whole", (35.0, 55.0)).to_list()[:2]
        [{'label': 'under 35', 'to': 35}, {'label': '35 to 54', 'from': 35, 'to': 55}]
        """
        return [self._to_dict(band) for band in range(self.size)]

    def _to_dict(self, band: int) -> dict[str, Any]:
        low, high = self.edges(band)
        told: dict[str, Any] = {"label": self.label(band)}
        if self.scale == "ordered":
            told["values"] = list(self.names[_rank(low, 0) : _rank(high, len(self.names))])
            return told
        if low is not None:
            told["from"] = self._edge_to_json(low)
        if high is not None:
            told["to"] = self._edge_to_json(high)
        return told

    def _edge_to_json(self, edge: float) -> float | int | str:
        if self.scale == "date":
            return _day(edge).isoformat()
        return int(edge) if edge == round(edge) else edge


def number_text(number: float) -> str:
    """Return a number as a label has it: no decimals where there are none, no exponent where it is readable.

    >>> number_text(150.0), number_text(0.1), number_text(1e6)
    ('150', '0.1', '1000000')
    """
    if number == round(number) and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.12g}"


def _present(edge: float | None) -> float:
    if edge is None:
        raise InputError("only the first and the last band may be open")
    return edge


def _rank(edge: float | None, otherwise: int) -> int:
    return otherwise if edge is None else int(np.ceil(edge))


def _whole_label(first: float, last: float) -> str:
    if first == last:
        return number_text(first)
    return f"{number_text(first)} to {number_text(last)}"


def _ordered_label(names: tuple[str, ...], low: float | None, high: float | None) -> str:
    first, last = _rank(low, 0), _rank(high, len(names)) - 1
    if first == last:
        return names[first]
    if low is None and high is None:
        return ALL
    return f"up to {names[last]}" if low is None else f"{names[first]} to {names[last]}"


def _day(edge: float) -> dt.date:
    return dt.date(1970, 1, 1) + dt.timedelta(days=int(np.floor(edge)))


def _date_label(low: float | None, high: float | None, calendar: Calendar | None) -> str:
    edges = [_day(edge) for edge in (low, high) if edge is not None]
    unit = _unit(edges, calendar)
    if low is None:
        return f"before {_date_text(edges[0], unit)}"
    if high is None:
        return f"{_date_text(edges[0], unit)} and later"
    first, last = _date_text(edges[0], unit), _date_text(edges[1] - dt.timedelta(days=1), unit)
    return first if first == last else f"{first} to {last}"


def _unit(edges: list[dt.date], calendar: Calendar | None) -> Calendar:
    """Return the calendar to speak in: the one asked for where all edges fit, else the coarsest that fits."""
    if calendar is not None and all(_fits(edge, calendar) for edge in edges):
        return calendar
    fitting: list[Calendar] = ["year", "quarter", "month"]
    return next((unit for unit in fitting if all(_fits(edge, unit) for edge in edges)), "day")


def _fits(edge: dt.date, unit: Calendar) -> bool:
    if unit == "day":
        return True
    if unit == "week":
        return edge.weekday() == 0
    return edge.day == 1 and (edge.month - 1) % MONTHS[unit] == 0


def _date_text(day: dt.date, unit: Calendar) -> str:
    """Return the cell of a calendar in which a day lies."""
    if unit == "year":
        return f"{day.year:04d}"
    if unit in ("quarter", "half-year"):
        return f"{day.year:04d}-{'Q' if unit == 'quarter' else 'H'}{(day.month - 1) // MONTHS[unit] + 1}"
    if unit == "month":
        return f"{day.year:04d}-{day.month:02d}"
    if unit == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04d}-W{week:02d}"
    return day.isoformat()
