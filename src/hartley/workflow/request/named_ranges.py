"""A hierarchy of numbers or dates: ranges that have names, and wider ranges that have, too.

They come from a file of ``from,to,label,...`` (an empty end is open; whole numbers and dates end with ``to``,
fractions before the next range begins) or of ``value,level1,...``. Bands are joined along them, never cut.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf, isfinite
from pathlib import Path
from typing import Literal

import numpy as np

from hartley.errors import InputError
from hartley.model import Coordinate
from hartley.model.shapes.border_grid import OwnBorders, day_of
from hartley.tables.value_files import read_hierarchy, read_ranges


@dataclass(frozen=True)
class _Range:
    low: float
    high: float
    words: tuple[str, ...]
    """Ever coarser words, its own first."""

    @property
    def shown(self) -> str:
        return repr(self.words[0])


def named_ranges(given: str | Path | Sequence[Sequence[str]], column: Coordinate) -> OwnBorders:
    """Return the borders of the ranges that a hierarchy names, with the names of all spans."""
    kind: Literal["number", "date"] = "number" if column.kind == "number" else "date"
    here = np.asarray([_position(cell, kind, column.name) for cell in column.cells if cell is not None])
    rows = read_ranges(given) if isinstance(given, (str, Path)) else None
    if rows is not None:
        ranges = _listed(rows, kind, column.name, here)
    else:
        values = read_hierarchy(given, column.name) if isinstance(given, (str, Path)) else given
        ranges = _of_values(values, kind, column.name, here)
    if len(ranges) < 2:
        raise InputError(f"the hierarchy of {column.name!r} names one range; name at least two")
    starts = tuple(one.low for one in ranges[1:])
    return OwnBorders(starts, kind, _titles(ranges, column.name))


def _position(cell: object, kind: str, column: str) -> float:
    """Return where a cell of a table or of a file lies; words that are none are refused."""
    if isinstance(cell, dt.date):
        return day_of(cell)
    text = str(cell).strip()
    try:
        found = day_of(dt.date.fromisoformat(text)) if kind == "date" else float(text.replace(",", "."))
    except ValueError:
        found = inf
    if not isfinite(found):
        what = "a date such as 2024-12-31" if kind == "date" else "a number"
        raise InputError(f"the hierarchy of {column!r} has {text[:40]!r} where {what} belongs")
    return found


def _listed(rows: Sequence[Sequence[str]], kind: str, column: str, here: np.ndarray) -> list[_Range]:
    """Return ranges in their order; refuse those that overlap, leave gaps or miss values."""
    found = []
    for first, last, *words in rows:
        low = _position(first, kind, column) if first else -inf
        high = _position(last, kind, column) if last else inf
        found.append(_Range(low, high, tuple(words)))
        if low > high:
            raise InputError(f"range {found[-1].shown} of the hierarchy of {column!r} ends before it begins")
    found.sort(key=lambda one: (one.low, one.high))
    for one, other in pairwise(found):
        if other.low < one.high:
            raise InputError(f"ranges {one.shown} and {other.shown} of the hierarchy of {column!r} overlap")
        # "0 to 17" and "18 to 39" leave nothing out, nor do 17.9 and 18, where no value lies between.
        between = (here > one.high) & (here < other.low)
        if other.low > one.high + 1 or between.any():
            raise InputError(
                f"the hierarchy of {column!r} leaves a gap between {one.shown} and {other.shown}; let each "
                "range begin where the one before ends"
            )
    if len(here) and (here.min() < found[0].low or here.max() > found[-1].high):
        side = "below" if here.min() < found[0].low else "above"
        edge = found[0] if side == "below" else found[-1]
        raise InputError(
            f"the hierarchy of {column!r} misses values {side} {edge.shown}; an empty end leaves it open"
        )
    return found


def _of_values(rows: Sequence[Sequence[str]], kind: str, column: str, here: np.ndarray) -> list[_Range]:
    """Return the ranges that values with the same word are; refuse groups that are no ranges."""
    words = {_position(value, kind, column): tuple(given) for value, *given in rows}
    absent = set(here.tolist()) - words.keys()
    if absent:
        raise InputError(
            f"the hierarchy of {column!r} misses {len(absent)} of its values; add a line for each"
        )
    runs = [list(run) for _, run in groupby(sorted(words), key=lambda position: words[position][0])]
    return [_Range(run[0], run[-1], words[run[0]]) for run in runs]


def _titles(ranges: Sequence[_Range], column: str) -> tuple[tuple[float | None, float | None, str], ...]:
    """Return what spans are called on every level; the outer ones are open, as bands are."""
    edges: list[float | None] = [None, *(one.low for one in ranges[1:]), None]
    titles: dict[tuple[float | None, float | None], str] = {}
    for level in range(min(len(one.words) for one in ranges)):
        runs = [list(run) for _, run in groupby(range(len(ranges)), key=lambda at: ranges[at].words[level])]
        names = [ranges[run[0]].words[level] for run in runs]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"{twice!r} of the hierarchy of {column!r} is not one range but several")
        for run, name in zip(runs, names, strict=True):
            titles.setdefault((edges[run[0]], edges[run[-1] + 1]), name)
    if len(set(titles.values())) < len(titles):
        raise InputError(f"the hierarchy of {column!r} gives different ranges the same name")
    return tuple((low, high, name) for (low, high), name in titles.items())
