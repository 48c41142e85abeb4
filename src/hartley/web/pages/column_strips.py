"""Each public column before and after, as a strip: where its values lie, and what they are released as."""

from __future__ import annotations

from typing import Any

import numpy as np

from hartley.model import Coordinate, JointRange, Partition
from hartley.model.arrays import Flags, Int64s
from hartley.report.figures.value_text import shown_label
from hartley.workflow import Point
from hartley.workflow.show_release import Usefulness, rows_of_values

Json = dict[str, Any]
MOST_MARKS = 600
"""No screen shows more: where more values lie, neighbours share a mark, and none is left out."""
MOST_CLASSES = 400
MOST_CATEGORIES = 30


def column_pages(joint: JointRange, point: Point) -> Json:
    """Return a strip for each public column, and what is left of their use."""
    partition, rows = point.partition, rows_of_values(joint)
    is_withheld = np.zeros(joint.public.size, dtype=np.bool_)
    is_withheld[list(point.withheld)] = True
    use = Usefulness.of(joint, partition, point.withheld)
    strips = []
    for column, kept in zip(joint.public.coordinates, use.columns, strict=True):
        is_line = column.kind not in ("text", "boolean")
        drawn = (_line if is_line else _categories)(column, partition, rows, is_withheld)
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


def _line(column: Coordinate, partition: Partition, rows: Int64s, is_withheld: Flags) -> Json:
    """Lay the values of a column between 0 and 1, and each class from its least to its greatest."""
    assert column.positions is not None  # noqa: S101 (asked of numbers and dates only)
    here = ~np.isnan(column.positions)
    if not here.any():
        return {"line": {"low": None, "high": None, "marks": [], "classes": []}, "before": 0, "after": 0}
    placed = column.positions[here]
    low, span = float(placed.min()), float(np.ptp(placed)) or 1.0
    share = (placed - low) / span
    is_crowded = len(np.unique(share)) > MOST_MARKS
    at, of = np.unique(
        np.round(share * MOST_MARKS) / MOST_MARKS if is_crowded else share, return_inverse=True
    )
    counts = np.bincount(of, weights=rows[here])
    held = np.bincount(of, weights=np.where(is_withheld[here], rows[here], 0))
    order = np.argsort(placed, kind="stable")
    places = np.flatnonzero(here)[order]
    classes = _classes(partition, share[order], rows[places], is_withheld[places], places)
    return {
        "line": {
            "low": shown_label(column.cell(int(places[0]))),
            "high": shown_label(column.cell(int(places[-1]))),
            "marks": [[float(x), int(n), int(w)] for x, n, w in zip(at, counts, held, strict=True)],
            "classes": [
                {
                    "from": float(first),
                    "to": float(last),
                    "rows": int(count),
                    "said": _span(column, int(least), int(greatest)),
                }
                for first, last, count, least, greatest in classes[:MOST_CLASSES]
            ],
            "left_out": max(0, len(classes) - MOST_CLASSES),
        },
        "before": len(np.unique(placed)),
        "after": len(classes),
    }


def _classes(
    partition: Partition, share: Any, rows: Int64s, is_withheld: Flags, places: Any
) -> list[tuple[float, float, float, int, int]]:
    """Return each class of a column once, largest first: its ends, its rows, and the places of its ends."""
    found: dict[tuple[float, float], list[float]] = {}
    ends: dict[int, list[float]] = {}
    labels = partition.labels[places]
    kept = np.flatnonzero(~is_withheld)
    for number in kept.tolist():
        label, x, place = int(labels[number]), float(share[number]), int(places[number])
        # In the order of the line: the first is the least, the last the greatest.
        end = ends.setdefault(label, [x, x, 0, place, place])
        end[1], end[4] = x, place
        end[2] += int(rows[number])
    for first, last, count, least, greatest in ends.values():
        known = found.setdefault((first, last), [0, least, greatest])
        known[0] += count
    listed = [(a, b, n, int(least), int(most)) for (a, b), (n, least, most) in found.items()]
    return sorted(listed, key=lambda one: (-one[2], one[0], one[1]))


def _span(column: Coordinate, least: int, greatest: int) -> str:
    low, high = shown_label(column.cell(least)), shown_label(column.cell(greatest))
    return low if low == high else f"{low} to {high}"


def _categories(column: Coordinate, partition: Partition, rows: Int64s, is_withheld: Flags) -> Json:
    """Count the rows of each category, and those that are still told from the other categories."""
    number: dict[Any, int] = {}
    cells = [column.cell(place) for place in range(len(rows))]
    codes = np.array([number.setdefault(cell, len(number)) for cell in cells])
    pairs = np.unique(partition.labels.astype(np.int64) * len(number) + codes)
    mixed = np.bincount(pairs // len(number), minlength=partition.size)
    is_alone = (mixed[partition.labels] == 1) & ~is_withheld
    counts = np.bincount(codes, weights=rows)
    alone = np.bincount(codes, weights=np.where(is_alone, rows, 0))
    order = np.argsort(-counts, kind="stable")
    names = list(number)
    sets = {frozenset(codes[partition.labels == label].tolist()) for label in range(partition.size)}
    return {
        "categories": [
            {"text": shown_label(names[code]), "rows": int(counts[code]), "alone": int(alone[code])}
            for code in order[:MOST_CATEGORIES].tolist()
        ],
        "left_out": max(0, len(names) - MOST_CATEGORIES),
        "before": len(names),
        "after": len(sets),
    }
