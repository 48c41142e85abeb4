"""What is left of each sensitive column by itself: candidates, how close they lie, the likeliest guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from hartley.model import Coordinate, JointRange
from hartley.model.arrays import Ints, different
from hartley.model.closeness import cell_numbers

CLOSE = 0.05
"""The share of a column's range within which all candidates of a row count as close."""


@dataclass(frozen=True, kw_only=True)
class ColumnLeft:
    """What a reader leaves possible of one sensitive column.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 180, 214, 214]})
    >>> (left,) = hartley.audit(table, sensitive="age", public="chol").by_sensitive
    >>> left.column, left.values, left.distinct_l, left.guess_share
    ('age', 3, 2, 0.5)
    """

    column: str
    """Its name."""
    values: int
    """Its different values, a missing one counted."""
    rows: int
    """Rows of the table."""
    people: int
    """People in it: its rows, unless those of one person are linked."""
    distinct_l: int
    """Fewest of its values that an observation leaves possible."""
    narrowest_rows: int
    """People who are left with so few: rows, unless those of one person are linked."""
    guess_share: float
    """Of the rows of the worst class, the share that has the commonest value."""
    guess_rows: int
    """Rows of that class."""
    close_rows: int | None
    """Rows whose candidates all lie within 5 % of the range; ``None`` where it is no number."""
    close_width: float | None
    """Five per cent of the range: the tolerance to ask for."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "column": self.column,
            "values": self.values,
            "distinct_l": self.distinct_l,
            "narrowest_rows": self.narrowest_rows,
            "likeliest_guess": {"share": self.guess_share, "rows": self.guess_rows},
            "close_candidates": None
            if self.close_rows is None
            else {
                "rows": self.close_rows,
                "share": self.close_rows / self.rows,
                "tolerance": self.close_width,
            },
        }


def guess_to_dict(found: Sequence[ColumnLeft]) -> dict[str, Any] | None:
    """Return the likeliest guess as it stands in JSON: the worst, and that of each column."""
    if not found:
        return None
    worst = max(found, key=lambda one: (one.guess_share, one.guess_rows))
    return {
        "share": worst.guess_share,
        "rows": worst.guess_rows,
        "columns": {one.column: {"share": one.guess_share, "rows": one.guess_rows} for one in found},
    }


def left_by_column(joint: JointRange, persons: Sequence[Ints] | None = None) -> tuple[ColumnLeft, ...]:
    """Measure each sensitive column by itself; where rows are linked, beside the persons of each observation.

    >>> joint = JointRange.from_pairs([("x", 1), ("x", 1), ("x", 2), ("y", 2), ("y", 9)])
    >>> (found,) = left_by_column(joint)
    >>> found.distinct_l, round(found.guess_share, 2), found.guess_rows
    (2, 0.67, 3)
    """
    return tuple(map(partial(_left_of_column, joint, persons), joint.sensitive.coordinates))


def _width(coordinate: Coordinate) -> float | None:
    there = coordinate.values[~coordinate.missing]
    if coordinate.kind != "number" or len(there) < 2:
        return None
    # As Python's numbers: where the range is no number, nothing is within a part of it.
    width = CLOSE * (float(there.max()) - float(there.min()))
    return width if isfinite(width) else None


def _left_of_column(joint: JointRange, persons: Sequence[Ints] | None, coordinate: Coordinate) -> ColumnLeft:
    width = _width(coordinate)
    seen, numbers = joint.observation_of, cell_numbers(coordinate)
    codes, size = numbers[joint.indices], int(numbers.max()) + 1
    of, rows = seen, joint.rows.astype(float)
    if size < joint.sensitive.size:  # else no two pairs show the same
        keys, inverse = np.unique(seen.astype(np.int64) * size + codes, return_inverse=True)
        of, rows = keys // size, np.bincount(inverse.ravel(), weights=joint.rows)
    counts = np.bincount(of, minlength=joint.observations)
    totals = np.bincount(of, weights=rows, minlength=joint.observations)
    commonest = np.zeros(joint.observations)
    np.maximum.at(commonest, of, rows)
    shares = commonest / totals
    worst = np.lexsort((totals, shares))[-1]
    fewest = int(counts.min())
    close = None
    if width is not None:
        least, most = np.full(joint.observations, np.inf), np.full(joint.observations, -np.inf)
        cells = np.where(coordinate.missing, np.nan, coordinate.values.astype(float))[joint.indices]
        np.fmin.at(least, seen, cells)
        np.fmax.at(most, seen, cells)
        has_missing = np.bincount(seen, weights=np.isnan(cells), minlength=joint.observations) > 0
        close = int(totals[(most - least <= width) & ~has_missing].sum())
    rows_left, people = int(totals[counts == fewest].sum()), int(totals.sum())
    if persons is not None:
        narrowest = np.flatnonzero(counts == fewest).tolist()
        rows_left = len(different(np.concatenate([persons[one] for one in narrowest])))
        people = len(different(np.concatenate(persons)))
    return ColumnLeft(
        column=coordinate.name,
        values=size,
        rows=int(totals.sum()),
        people=people,
        distinct_l=fewest,
        narrowest_rows=rows_left,
        guess_share=float(shares[worst]),
        guess_rows=int(totals[worst]),
        close_rows=close,
        close_width=width,
    )
