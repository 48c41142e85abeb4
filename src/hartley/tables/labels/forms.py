"""One label of a released column, read: which values of the original column it may stand for.

============================================  =====================================================
written                                       read as
============================================  =====================================================
``[20, 30)``, ``(20, 30]``, ``]20, 30[``      a band; round or turned brackets leave the end out
``20-29``, ``20~29``, ``20 to 29``              a band with both ends
``0.5 to under 1``                            a band without its upper end
``>=65``, ``65+``, ``65 and over``            a band without an upper end, which begins at 65
``>64``, ``over 64``                          the same beyond 64
``<18``, ``under 18``, ``<=17``, ``up to 17`` a band without a lower end
``2020``, ``2020-03``, ``2020-Q1`` of dates   the days of that year, month, quarter, half-year or week
``{a, b}``, ``a or b``, ``a, b or c``         a set of values; one in quotes may hold commas and ``or``
``other``, ``all others``                     what no other label of the column names
``12***``, ``ab*``                            values that begin so, as long as the label if any is
``*``, ``all``                                anything
============================================  =====================================================

A label followed by ``or missing`` may also stand for a missing cell, and so may a set with ``missing`` in it.
Bands are read in columns of numbers and dates only, sets in words and ``other`` in those of text and truth
values. Text that is a value of the column is that value, whatever it looks like.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import inf
from typing import Literal

from hartley.model import Kind

Form = Literal["value", "band", "set", "prefix", "anything", "group", "missing", "rest"]
"""How a label was read; ``group``: by a file of groups or a codebook; ``rest``: what no other label names."""

NUMBER = r"[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:\.\d+|(?<=\d)\.)?(?:[eE][-+]?\d+)?"
_DAY = r"\d{4}(?:-(?:\d{2}(?:-\d{2})?|[QH]\d|W\d{2}))?"
_OPEN_UP = r"(?:\+|(?:and|or) (?:over|more|above|older|later|up|greater|higher))"
_OPEN_DOWN = r"(?:and|or) (?:under|less|below|younger|earlier|lower|fewer)"
_ANYTHING = re.compile(r"\*+|all|any|ANY|All", re.ASCII)
_REST = re.compile(r"(?:all )?others?", re.IGNORECASE)
_QUOTED = re.compile(r"""(["'])((?:(?!\1)[^\\]|\\.)*)\1""")
_BETWEEN = {True: re.compile(r"\s*,\s*"), False: re.compile(r",\s*(?:or )?| or ")}
"""What stands between the members of a set: in braces, and in words."""
_UNIT = re.compile(r"\s*(?:years?(?: old)?|yrs?\.?)$", re.IGNORECASE)


@dataclass(frozen=True)
class LabelSpan:
    """A stretch of the line of a column; an end may be left out of it."""

    low: float = -inf
    high: float = inf
    without_low: bool = False
    without_high: bool = False


@dataclass(frozen=True)
class LabelRead:
    """A label as it was read."""

    form: Form
    span: LabelSpan | None = None
    members: tuple[str, ...] = ()
    """Of a set of numbers or dates: its members as they are written."""
    text: str = ""
    """Of a set: the label without what follows it."""
    prefix: str = ""
    length: int = 0
    """Of a prefix: how long the label is."""
    with_missing: bool = False
    """Whether it may stand for a missing cell, too."""


def read_label(text: str, kind: Kind) -> LabelRead | None:
    """Read a label that is no value of its column; return nothing where it cannot be read.

    >>> read_label("20-29", "number").span
    LabelSpan(low=20.0, high=29.0, without_low=False, without_high=False)
    >>> read_label("{Lyon, Nice}", "text").members, read_label("12***", "text").prefix
    (('Lyon', 'Nice'), '12')
    >>> read_label("middle aged", "number") is None
    True
    """
    bare = re.sub(r" #\d+$", "", text.strip())
    with_missing = bare.endswith(" or missing")
    bare = bare.removesuffix(" or missing").strip()
    if _ANYTHING.fullmatch(bare):
        return LabelRead("anything", with_missing=True)
    if bare.startswith("{") and bare.endswith("}"):
        members = tuple(part.strip(" \t\"'") for part in bare[1:-1].split(","))
        return LabelRead("set", members=members, text=bare, with_missing="missing" in members)
    if kind in ("text", "boolean"):
        if _REST.fullmatch(bare):
            return LabelRead("rest", with_missing=with_missing)
        if " or " in bare:
            return LabelRead("set", text=bare, with_missing=with_missing)
    stars = re.fullmatch(r"([^*]+?)(\*+)", bare)
    if stars:
        return LabelRead("prefix", prefix=stars[1], length=len(bare), with_missing=with_missing)
    if kind == "number":
        span = _read_span(_UNIT.sub("", bare), NUMBER, _number)
    elif kind in ("date", "timestamp"):
        span = _read_span(bare, _DAY, _days if kind == "date" else _seconds)
    else:
        span = None
    return None if span is None else LabelRead("band", span, with_missing=with_missing)


Ends = Callable[[str], LabelSpan]
"""What a number or date stands for as an end: itself, or the days up to the first one after it."""


def _read_span(text: str, cell: str, ends: Ends) -> LabelSpan | None:
    try:
        return _bracketed(text, ends) or _between(text, cell, ends) or _one_sided(text, cell, ends)
    except ValueError:  # a number without digits, a day that is none
        return None


def _bracketed(text: str, ends: Ends) -> LabelSpan | None:
    found = re.fullmatch(r"([\[\](])\s*([^,;]*(?:,\d{3})*)\s*[,;]\s*([^,;]*(?:,\d{3})*)\s*([\])\[])", text)
    if not found:
        return None
    low, high = _end(found[2], ends, -inf), _end(found[3], ends, inf)
    without_high = found[4] != "]"
    return LabelSpan(
        low.low,
        high.low if without_high else high.high,
        found[1] != "[",
        without_high or high.without_high,
    )


def _end(text: str, ends: Ends, open_end: float) -> LabelSpan:
    bare = text.strip()
    if re.fullmatch(r"[-+\u2212]?(?:inf(?:inity)?|\u221e)", bare, re.IGNORECASE) or not bare:
        return LabelSpan(open_end, open_end)
    return ends(bare)


def _between(text: str, cell: str, ends: Ends) -> LabelSpan | None:
    found = re.fullmatch(rf"({cell})\s*(?:[-\u2013\u2014~]|\bto\b( under\b)?|\.\.+|\bbis\b)\s*({cell})", text)
    if not found or not found[1] or not found[3]:
        return ends(text) if re.fullmatch(cell, text) else None
    low, high = ends(found[1]), ends(found[3])
    if low.low > high.low:
        return None
    if found[2]:
        return LabelSpan(low.low, high.low, without_high=True)
    return LabelSpan(low.low, high.high, without_high=high.without_high)


def _one_sided(text: str, cell: str, ends: Ends) -> LabelSpan | None:
    for pattern, span in _ONE_SIDED:
        found = re.fullmatch(pattern.replace("CELL", f"({cell})"), text, re.IGNORECASE)
        if found and found[1]:
            return span(ends(found[1]))
    return None


_ONE_SIDED: tuple[tuple[str, Callable[[LabelSpan], LabelSpan]], ...] = (
    (r"(?:>=|\u2265|from|at least)\s*CELL(?: on)?", lambda end: LabelSpan(end.low)),
    (rf"CELL\s*{_OPEN_UP}", lambda end: LabelSpan(end.low)),
    (
        r"(?:>|over|above|more than|after|older than)\s*CELL",
        lambda end: LabelSpan(end.high, without_low=not end.without_high),
    ),
    (
        r"(?:<=|\u2264|up to|at most|until)\s*CELL",
        lambda end: LabelSpan(high=end.high, without_high=end.without_high),
    ),
    (rf"CELL\s*{_OPEN_DOWN}", lambda end: LabelSpan(high=end.high, without_high=end.without_high)),
    (
        r"(?:<|under|below|less than|before|younger than)\s*CELL",
        lambda end: LabelSpan(high=end.low, without_high=True),
    ),
)


def _number(text: str) -> LabelSpan:
    number = float(text.replace(",", "").replace("\u2212", "-"))
    return LabelSpan(number, number)


def _days(text: str) -> LabelSpan:
    """Return the days of a year, half-year, quarter, month, week or day, up to the first day after it."""
    first, after = _stretch(text)
    return LabelSpan(_day_number(first), _day_number(after), without_high=True)


def _seconds(text: str) -> LabelSpan:
    days = _days(text)
    return LabelSpan(days.low * 86400, days.high * 86400, without_high=True)


def _day_number(day: dt.date) -> float:
    return float((day - dt.date(1970, 1, 1)).days)


def _stretch(text: str) -> tuple[dt.date, dt.date]:
    year, part = int(text[:4]), text[5:]
    if not part:
        return dt.date(year, 1, 1), dt.date(year + 1, 1, 1)
    if part[0] == "W":
        first = dt.date.fromisocalendar(year, int(part[1:]), 1)
        return first, first + dt.timedelta(days=7)
    if len(part) == 5:
        day = dt.date.fromisoformat(text)
        return day, day + dt.timedelta(days=1)
    months = {"Q": 3, "H": 6}.get(part[0], 1)
    month = (int(part[1:]) - 1) * months + 1 if months > 1 else int(part)
    after = month - 1 + months
    return dt.date(year, month, 1), dt.date(year + after // 12, after % 12 + 1, 1)


def pattern_of(text: str, most: int = 24) -> str:
    """Return the shape of a text without its letters and digits, to be named in a message.

    >>> pattern_of("Lyon 3e"), pattern_of("12 - x")
    ('aaaa 9a', '99 - a')
    """
    shown = "".join("9" if c.isdigit() else "a" if c.isalpha() else c for c in text[:most])
    return shown + ("..." if len(text) > most else "")


def split_set(text: str, values: Collection[str]) -> tuple[str, ...] | None:
    """Return the members of a set whose values may hold commas themselves; nothing where one is unknown.

    >>> split_set("{a, b, c}", {"a", "b, c"}), split_set('a, b or "c or d"', {"a", "b", "c or d"})
    (('a', 'b, c'), ('a', 'b', 'c or d'))
    """
    in_braces = text.startswith("{")
    bare = text[1:-1].strip() if in_braces else text
    between = [*((found.start(), found.end()) for found in _BETWEEN[in_braces].finditer(bare))]
    ends = [*between, (len(bare), len(bare))]
    members: list[str] = []
    start = 0
    while start < len(bare):
        for stop, after in reversed(ends):
            member = _member(bare[start:stop], values) if stop > start else None
            if member is not None:
                members.append(member)
                start = after
                break
        else:
            return None
    return tuple(members)


def _member(text: str, values: Collection[str]) -> str | None:
    """Return the value that a member of a set names, in quotes or not."""
    if text in values or text == "missing":
        return text
    quoted = _QUOTED.fullmatch(text)
    inside = re.sub(r"\\(.)", r"\1", quoted[2]) if quoted else text
    return inside if inside in values else None
