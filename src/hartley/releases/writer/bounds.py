"""Bounds: a released column of numbers or dates as two, where each class or band begins and where it ends.

The words of a class (``35 to 39``) stay its label in the policy and the codebooks; a file has 35 in
``age_from`` and 39 in ``age_to``. A value alone has itself in both; an open end and what is missing or
withheld are empty. Both ends belong to a class or band, as its words say: ``30 to 34`` and ``under 35`` of
whole numbers end at 34, ``2020-Q1`` on 31 March. Bands of other numbers and of moments end where the next one
begins, which does not belong to them: ``0.5 to under 1``.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from hartley.errors import OptionError, option
from hartley.releases.cell_text import Kind, cell_text, parse_cell
from hartley.releases.column_recoding import ON_A_LINE, ColumnBounds, ColumnRecoding, LabelEnds

_MONTHS = {"Q": 3, "H": 6}
_CALENDAR = re.compile(r"(\d{4})(?:-(?:(\d{2})|([QH])(\d)|W(\d{2})))?")
"""A year, month, quarter, half-year or week."""


def column_bounds(
    name: str,
    kind: Kind,
    coding: str,
    labels: Sequence[str | None],
    recoding: ColumnRecoding | None,
    *,
    is_whole: bool,
) -> ColumnBounds | None:
    """Return the bounds of a released column; nothing where words stay: of text, named groups, and ``all``.

    >>> column_bounds("age", "number", "range", ["30 to 33", "41"], None, is_whole=True).ends[0].end
    '33'
    """
    if kind not in ON_A_LINE or coding in ("groups", "set"):
        return None
    if coding == "unchanged":
        return ColumnBounds(column=name)
    if recoding is not None and recoding.form == "bands":
        if len(recoding.bands) == 1 and recoding.bands[0].begin is recoding.bands[0].end is None:
            return None
        ends = _band_ends(recoding, kind, is_whole=is_whole)
    else:
        ends = tuple(_class_ends(name, label, kind) for label in dict.fromkeys(labels) if label is not None)
    made = ColumnBounds(column=name, ends=ends)
    if any(one.label.endswith(" or missing") for one in ends):
        raise _no_bounds(name, "some of its missing cells share a label with values, which bounds cannot say")
    if not made.is_sound(kind, set(labels), is_unchanged=False):
        raise _no_bounds(name, "two of its labels would have the same bounds")
    return made


def _no_bounds(name: str, reason: str) -> OptionError:
    return OptionError(
        f"column {name!r} has no {option('labels', 'bounds')}: {reason}; use {option('labels', 'range')}"
    )


def _band_ends(recoding: ColumnRecoding, kind: Kind, *, is_whole: bool) -> tuple[LabelEnds, ...]:
    borders = [parse_cell(band.begin, kind) for band in recoding.bands[1:]]
    borders += [parse_cell(recoding.bands[0].begin, kind), parse_cell(recoding.bands[-1].end, kind)]
    step: int | dt.timedelta = 0
    if kind == "number" and is_whole and all(edge is None or isinstance(edge, int) for edge in borders):
        step = 1
    elif kind == "date":
        step = dt.timedelta(days=1)
    return tuple(
        LabelEnds(
            label=band.label,
            begin=band.begin,
            end=band.end if not step or band.end is None else cell_text(parse_cell(band.end, kind) - step),
        )
        for band in recoding.bands
    )


def _class_ends(name: str, label: str, kind: Kind) -> LabelEnds:
    """Read the words of a class that is no band: its least and its greatest value, or the only one."""
    low, _, high = label.removesuffix(" or missing").partition(" to ")
    begin, end = (low, high or low) if kind != "date" else (_days(low)[0], _days(high or low)[1])
    try:
        for text in (begin, end):
            parse_cell(text, kind)
    except (ValueError, KeyError):
        raise _no_bounds(name, "one of its labels has no ends") from None
    return LabelEnds(label=label, begin=begin, end=end)


def _days(text: str) -> tuple[str, str]:
    """Return the first and the last day of a piece of the calendar.

    >>> _days("2020"), _days("2020-02"), _days("2020-Q4"), _days("2020-02-03")[0]
    (('2020-01-01', '2020-12-31'), ('2020-02-01', '2020-02-29'), ('2020-10-01', '2020-12-31'), '2020-02-03')
    """
    found = _CALENDAR.fullmatch(text)
    if found is None:
        return text, text
    year = int(found[1])
    if found[5]:
        monday = dt.date.fromisocalendar(year, int(found[5]), 1)
        return monday.isoformat(), (monday + dt.timedelta(days=6)).isoformat()
    months = _MONTHS.get(found[3] or "", 1 if found[2] else 12)
    first = int(found[2]) if found[2] else (int(found[4]) - 1) * months + 1 if found[4] else 1
    last = first + months - 1
    # The day before the first of the next month, which the last year has none of.
    end = dt.date(year, 12, 31) if last == 12 else dt.date(year, last + 1, 1) - dt.timedelta(days=1)
    return dt.date(year, first, 1).isoformat(), end.isoformat()
