"""A recoding as the page shows it: the codebook to look things up in, and each column before and after.

A column on a line is shown with the borders that a curator can move.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import OptionError
from hartley.frontiers import Point
from hartley.measures.uncertainty import rows_of_values
from hartley.model import Coordinate, JointRange
from hartley.model.alphabet import label_to_json
from hartley.model.arrays import Flags, Floats, Int64s
from hartley.model.shapes.band import number_text
from hartley.releases.codebook import MISSING, Codebook
from hartley.releases.policy import Policy
from hartley.report.figures.figure import shown_label
from hartley.workflow.demands.drawn_borders import BorderLine, BorderMove, DrawnBorders
from hartley.workflow.show_release import CodebookLines

if TYPE_CHECKING:
    from hartley.measures.usefulness import Usefulness

Json = dict[str, Any]
MOST_LISTED = 300
MOST_MEMBERS = 12


@dataclass(frozen=True, kw_only=True)
class BookLine:
    """One released value."""

    released: str | None
    members: tuple[str, ...]
    rows: int | None
    candidates: int | None
    is_withheld: bool = False

    def holds(self, text: str) -> bool:
        """Tell whether a text stands in it, whatever its case."""
        return any(text in cell.lower() for cell in (self.released or "missing", *self.members))

    def to_dict(self, separator: str) -> Json:
        """Return it as the page shows it, long lists of values shortened."""
        shown = self.members
        said = separator.join(shown)
        if len(shown) > MOST_MEMBERS:
            said = f"{separator.join(shown[: MOST_MEMBERS - 1])} … {shown[-1]} ({len(shown):,} values)"
        return {
            "released": self.released,
            "members": said,
            "values": len(shown),
            "rows": self.rows,
            "candidates": self.candidates,
            "withheld": self.is_withheld,
        }


@dataclass(frozen=True)
class Book:
    """Every released value of a point."""

    lines: tuple[BookLine, ...]
    columns: int
    coded: Codebook | None = field(default=None, repr=False, compare=False)
    """The labels cell by cell, of a point that is looked at."""

    @classmethod
    def of(cls, joint: JointRange, point: Point, codeword: str | None) -> Book:
        """List the released values of a point, labelled as a release does by itself."""
        lines = CodebookLines.of_point(joint, point, codeword)
        book = lines.book
        # With side information a released value leaves different candidates beside different side values.
        held = int(book.partition.labels[point.withheld[0]]) if point.withheld else None
        return cls(
            tuple(
                BookLine(
                    released=None if number == held else cell_text(book.labels[number]),
                    members=tuple(shown_label(joint.public.label(member)) for member in cluster),
                    rows=int(lines.rows[number]),
                    candidates=int(lines.candidates[number]),
                    is_withheld=number == held,
                )
                for number, cluster in enumerate(book.partition.clusters())
            ),
            len(joint.public.columns),
            book,
        )

    def as_released(self, policy: Policy) -> Book:
        """Return the codebook as a release wrote it: its labels may be others than in the preview."""
        same = len(policy.clusters) == len(self.lines)
        lines = []
        for number, cluster in enumerate(policy.clusters):
            known = self.lines[number] if same else None
            line = known or BookLine(released=None, members=(), rows=None, candidates=None)
            members = tuple(cell_text(cells) or MISSING for cells in cluster.members)
            lines.append(replace(line, released=cell_text(cluster.label), members=members))
        return Book(tuple(lines), self.columns)

    def page(self, text: str = "") -> Json:
        """Return the first lines in which a text stands, and how many there are."""
        wanted = text.strip().lower()
        found = [line for line in self.lines if not wanted or line.holds(wanted)]
        separator = ", " if self.columns == 1 else "; "
        return {
            "lines": [line.to_dict(separator) for line in found[:MOST_LISTED]],
            "found": len(found),
            "all": len(self.lines),
        }


def cell_text(label: Sequence[Any]) -> str | None:
    """Return a label as it stands in a file; nothing where it is missing."""
    if len(label) == 1:
        return None if label[0] is None else str(label_to_json(label[0]))
    return ", ".join("missing" if cell is None else str(label_to_json(cell)) for cell in label)


MOST_MARKS = 600
"""No screen shows more: where more values lie, neighbours share a mark, and none is left out."""
MOST_CLASSES = 400
MOST_CATEGORIES = 30


def column_pages(joint: JointRange, point: Point, use: Usefulness, book: Codebook) -> Json:
    """Return a strip for each public column, and what is left of their use."""
    rows = rows_of_values(joint)
    strips = []
    for place, (column, kept) in enumerate(zip(joint.public.coordinates, use.columns, strict=True)):
        is_withheld = np.zeros(joint.public.size, dtype=np.bool_)
        is_withheld[list(point.withheld)] = True
        classes, cells = _released(book, place)
        # A cell that becomes empty is withheld, too, where it was not missing before.
        is_empty = np.array([cell is None for cell in cells])
        is_withheld |= is_empty[classes] & ~column.missing
        is_line = column.kind not in ("text", "boolean")
        drawn = (
            _line(column, classes, cells, rows, is_withheld)
            if is_line
            else _categories(column, classes, rows, is_withheld)
        )
        strips.append(
            {
                "name": column.name,
                "kind": column.kind,
                "missing": int(rows[column.missing].sum()),
                "use": kept.to_dict(),
                **drawn,
            }
        )
    return {"strips": strips, "usefulness": use.to_dict(), "rows": int(rows.sum())}


def _released(book: Codebook, place: int) -> tuple[Int64s, list[Any]]:
    """Return the class of each value in a column, and what stands for each class there."""
    number: dict[Any, int] = {}
    of_cluster = [number.setdefault(label[place], len(number)) for label in book.labels]
    return np.array(of_cluster, dtype=np.int64)[book.partition.labels], list(number)


def _line(column: Coordinate, of: Int64s, cells: list[Any], rows: Int64s, is_withheld: Flags) -> Json:
    """Lay the values of a column between 0 and 1, and each class from its least to its greatest."""
    assert column.positions is not None  # noqa: S101 (asked of numbers and dates only)
    here = ~np.isnan(column.positions)
    if not here.any():
        return {"line": {"low": None, "high": None, "marks": [], "classes": []}, "before": 0, "after": 0}
    placed = column.positions[here]
    low, span = float(placed.min()), float(np.ptp(placed)) or 1.0
    at, mark = _marks((placed - low) / span)
    counts = np.bincount(mark, weights=rows[here])
    held = np.bincount(mark, weights=np.where(is_withheld[here], rows[here], 0))
    order = np.argsort(placed, kind="stable")
    places = np.flatnonzero(here)[order]
    kept = places[~is_withheld[places]]
    of_kept = of[kept]
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for value, label in zip(kept.tolist(), of_kept.tolist(), strict=True):
        # In the order of the line: the first is the least, the last the greatest.
        first.setdefault(label, value)
        last[label] = value
    sizes = np.bincount(of_kept, weights=rows[kept], minlength=len(cells))
    largest = sorted(first, key=lambda label: (-sizes[label], first[label]))
    return {
        "line": {
            "low": shown_label(column.cell(int(places[0]))),
            "high": shown_label(column.cell(int(places[-1]))),
            "marks": [[float(x), int(n), int(w)] for x, n, w in zip(at, counts, held, strict=True)],
            "classes": [
                {
                    "from": (float(column.positions[first[label]]) - low) / span,
                    "to": (float(column.positions[last[label]]) - low) / span,
                    "rows": int(sizes[label]),
                    "said": _span(column, cells[label], first[label], last[label]),
                }
                for label in largest[:MOST_CLASSES]
            ],
            "left_out": max(0, len(largest) - MOST_CLASSES),
        },
        "before": len(np.unique(placed)),
        "after": len(largest),
    }


def _marks(share: Floats) -> tuple[Floats, Int64s]:
    """Return where marks stand between 0 and 1, and the mark of each value; close ones share one."""
    if len(np.unique(share)) > MOST_MARKS:
        share = np.round(share * MOST_MARKS) / MOST_MARKS
    at, mark = np.unique(share, return_inverse=True)
    return at, mark


def _span(column: Coordinate, released: Any, least: int, greatest: int) -> str:
    """Name a class: by its label where that is a text, or by its ends."""
    if isinstance(released, str):
        return released
    low, high = shown_label(column.cell(least)), shown_label(column.cell(greatest))
    return low if low == high else f"{low} to {high}"


def _categories(column: Coordinate, of: Int64s, rows: Int64s, is_withheld: Flags) -> Json:
    """Count the rows of each category, and those that are still told from the other categories."""
    number: dict[Any, int] = {}
    cells = [column.cell(place) for place in range(len(rows))]
    codes = np.array([number.setdefault(cell, len(number)) for cell in cells])
    pairs = np.unique(of * len(number) + codes)
    mixed = np.bincount(pairs // len(number))
    is_alone = (mixed[of] == 1) & ~is_withheld
    counts = np.bincount(codes, weights=rows)
    alone = np.bincount(codes, weights=np.where(is_alone, rows, 0))
    order = np.argsort(-counts, kind="stable")
    names = list(number)
    return {
        "categories": [
            {"text": shown_label(names[code]), "rows": int(counts[code]), "alone": int(alone[code])}
            for code in order[:MOST_CATEGORIES].tolist()
        ],
        "left_out": max(0, len(names) - MOST_CATEGORIES),
        "before": len(names),
        "after": len(np.unique(of)),
    }


MOST_BORDERS = 60
"""More cannot be told apart, or taken hold of, on a screen."""


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
    at, mark = _marks((line.at - low) / span)
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
