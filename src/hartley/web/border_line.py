"""One column on a line, with the borders that a curator can move."""

from __future__ import annotations

import datetime as dt
from math import isfinite
from typing import Any

import numpy as np

from hartley.errors import OptionError
from hartley.model.shapes.band import number_text
from hartley.workflow import Point
from hartley.workflow.demands.drawn_borders import BorderLine, BorderMove, DrawnBorders

Json = dict[str, Any]
MOST_BORDERS = 60
"""More cannot be told apart, or taken hold of, on a screen."""
MOST_MARKS = 600
"""Where more values lie, neighbours share a mark, and none is left out."""


def asked_borders(asked: Json, line: BorderLine, point: Point) -> DrawnBorders | None:
    """Measure the borders of a request, or those of the point where it names none.

    Nothing where the clusters of the point are no intervals.
    """
    own = line.borders_of(point)
    given = asked.get("borders")
    if own is None:
        return None
    if given is None:
        return line.drawn(point, own)
    if not isinstance(given, list) or not all(_is_number(one) for one in given):
        raise OptionError("borders are a list of numbers")
    if asked.get("split") is True:
        return line.drawn(point, line.split(given))
    return line.drawn(point, line.settled(given, _move(asked.get("move"))))


def border_page(line: BorderLine, drawn: DrawnBorders, place: int) -> Json:
    """Return a line of values, its borders and what each band holds; ``place`` is the number of the point."""
    low, high = float(line.at[0]), float(line.at[-1])
    span = high - low
    share = (line.at - low) / span
    if len(share) > MOST_MARKS:
        share = np.round(share * MOST_MARKS) / MOST_MARKS
    at, mark = np.unique(share, return_inverse=True)
    rows = np.bincount(mark, weights=line.rows)
    kind, point = line.coordinate.kind, drawn.point
    return {
        "line": {
            "name": line.coordinate.name,
            "low": low,
            "high": high,
            "least": position_text(kind, low),
            "greatest": position_text(kind, high),
            "marks": [[float(x), int(n)] for x, n in zip(at, rows, strict=True)],
        },
        "place": place,
        "point": point.to_dict(),
        "holds": all(verdict.holds for verdict in point.verdicts),
        "borders": [{"at": one, "text": position_text(kind, one)} for one in drawn.borders],
        "bands": [
            {
                "from": (band.low - low) / span,
                "to": (band.high - low) / span,
                "values": band.values,
                "rows": band.rows,
                "candidates": band.candidates,
                "text": band.label or _ends(kind, band.low, band.high),
            }
            for band in drawn.bands
        ],
    }


def position_text(kind: str, position: float) -> str:
    """Return a position as people write it.

    >>> position_text("number", 200.0), position_text("date", 19723.0), position_text("timestamp", 90000.0)
    ('200', '2024-01-01', '1970-01-02 01:00')
    """
    if kind == "number":
        return number_text(position)
    if kind == "date":
        return (dt.date(1970, 1, 1) + dt.timedelta(days=int(position))).isoformat()
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=position)
    return moment.isoformat(" ", "minutes").removesuffix(" 00:00")


def _ends(kind: str, low: float, high: float) -> str:
    first, last = position_text(kind, low), position_text(kind, high)
    return first if first == last else f"{first} to {last}"


def _move(given: Any) -> BorderMove | None:
    if given is None:
        return None
    if not isinstance(given, dict) or not _is_whole(given.get("border")):
        raise OptionError("a move is of a border by its number")
    if given.get("to") is not None and _is_number(given["to"]):
        return BorderMove(given["border"], to=float(given["to"]))
    if _is_whole(given.get("by")):
        return BorderMove(given["border"], by=given["by"])
    raise OptionError("a border moves to a position, or past a number of places")


def _is_number(given: Any) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool) and isfinite(given)


def _is_whole(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)
