"""What is left of the public columns after a release: how far values move, how wide classes are, what agrees.

Measured row by row, so that what happens to many people counts more than what happens to few. A number or a
date moves to the middle of its class; the relative width of a class in a column is its span over the column's
range, or, of text, one less than the number of its values over one less than that of the column's. A withheld
row has lost everything: width 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from hartley.measures.uncertainty import rows_of_values
from hartley.model import Coordinate, JointRange, Partition
from hartley.model.arrays import Floats, Int64s


@dataclass(frozen=True, kw_only=True)
class ColumnUsefulness:
    """What is left of one public column."""

    name: str
    mean_move: float | None
    """How far a row moves on average, in the column's unit (days, for dates); ``None`` of text."""
    max_move: float | None
    mean_relative_width: float
    unchanged_share: float
    """The share of rows whose value is released as it is."""
    max_relative_width: float
    """That of the widest class; 1 where rows are withheld."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "name": self.name,
            "mean_move": self.mean_move,
            "max_move": self.max_move,
            "mean_relative_width": self.mean_relative_width,
            "unchanged_share": self.unchanged_share,
            "max_relative_width": self.max_relative_width,
        }


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """How two columns of numbers go together, before and after."""

    columns: tuple[str, str]
    before: float
    after: float | None
    """``None`` where one of them is the same in every row that is left."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {"columns": list(self.columns), "before": self.before, "after": self.after}


@dataclass(frozen=True, kw_only=True)
class Usefulness:
    """What is left of the public columns after a release.

    >>> from hartley.model import Alphabet
    >>> public = Alphabet.of_values([(20, "m"), (30, "m"), (40, "f")], columns=("age", "sex"))
    >>> joint = JointRange.from_codes(
    ...     public_codes=np.arange(3), sensitive_codes=np.array([0, 1, 0]), public=public
    ... )
    >>> found = Usefulness.of(joint, Partition.from_clusters([[0, 1], [2]]))
    >>> [(c.name, c.mean_relative_width) for c in found.columns]
    [('age', 0.3333333333333333), ('sex', 0.0)]
    """

    values_before: int
    values_after: int
    rows_unchanged_share: float
    withheld_rows: int
    columns: tuple[ColumnUsefulness, ...]
    correlations: tuple[Correlation, ...]

    @classmethod
    def of(cls, joint: JointRange, partition: Partition, withheld: tuple[int, ...] = ()) -> Usefulness:
        """Measure a recoding of the public values of a table."""
        rows = rows_of_values(joint)
        gone = np.zeros(joint.public.size, dtype=np.bool_)
        gone[list(withheld)] = True
        views = [_View.of(column, partition, rows, gone) for column in joint.public.coordinates]
        unchanged = np.logical_and.reduce([view.is_unchanged for view in views])
        total = int(rows.sum())
        return cls(
            values_before=joint.public.size,
            values_after=partition.size,
            rows_unchanged_share=float(rows[unchanged].sum() / total),
            withheld_rows=int(rows[gone].sum()),
            columns=tuple(view.measured(rows, gone) for view in views),
            correlations=tuple(
                found
                for one, other in combinations(views, 2)
                if (found := _correlation(one, other, rows, gone)) is not None
            ),
        )

    @property
    def loss(self) -> float:
        """The mean relative width over rows and columns: 0 untouched, 1 nothing left (NCP)."""
        return float(np.mean([column.mean_relative_width for column in self.columns]))

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "values_before": self.values_before,
            "values_after": self.values_after,
            "rows_unchanged_share": self.rows_unchanged_share,
            "withheld_rows": self.withheld_rows,
            "loss": self.loss,
            "columns": [column.to_dict() for column in self.columns],
            "correlations": [one.to_dict() for one in self.correlations],
        }


@dataclass(frozen=True, eq=False)
class _View:
    """One column before and after."""

    name: str
    positions: Floats | None
    """Where each value lies; ``None`` of text."""
    released: Floats | None
    """The middle of its class."""
    width: Floats
    """The relative width of the class of each value."""
    is_unchanged: Any

    @classmethod
    def of(cls, column: Coordinate, partition: Partition, rows: Int64s, gone: Any) -> _View:
        del rows
        labels, size = partition.labels, partition.size
        positions = None if column.kind in ("text", "boolean") else column.positions
        codes = cell_codes(column)
        pairs = np.unique(labels.astype(np.int64) * (int(codes.max()) + 1) + codes)
        distinct = np.bincount(pairs // (int(codes.max()) + 1), minlength=size)
        unchanged = (distinct[labels] == 1) & ~gone
        if positions is None:
            width = (distinct - 1) / max(int(codes.max()), 1)
            return cls(column.name, None, None, np.where(gone, 1.0, width[labels]), unchanged)
        here = ~np.isnan(positions)
        low, high = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(low, labels[here], positions[here])
        np.maximum.at(high, labels[here], positions[here])
        filled = high >= low
        # Halved, because the whole span of huge numbers may be no number.
        low, high = np.where(filled, low, 0.0) / 2, np.where(filled, high, 0.0) / 2
        extent = float(np.ptp(positions[here] / 2)) if here.any() else 0.0
        mixed = np.zeros(size, dtype=np.bool_)
        mixed[labels[~here]] = True
        width = np.where(mixed & filled, 1.0, (high - low) / extent if extent else 0.0)
        middle = np.where(filled, low + high, np.nan)
        return cls(column.name, positions, middle[labels], np.where(gone, 1.0, width[labels]), unchanged)

    def measured(self, rows: Int64s, gone: Any) -> ColumnUsefulness:
        total = float(rows.sum())
        mean = worst = None
        if self.positions is not None and self.released is not None:
            kept = ~gone & ~np.isnan(self.positions)
            moves = np.abs(self.positions - self.released)[kept]
            counted = rows[kept]
            mean = float((moves * (counted / max(int(counted.sum()), 1))).sum())
            worst = float(moves.max(initial=0.0))
        return ColumnUsefulness(
            name=self.name,
            mean_move=mean,
            max_move=worst,
            mean_relative_width=float((self.width * rows).sum() / total),
            unchanged_share=float(rows[self.is_unchanged].sum() / total),
            max_relative_width=float(self.width.max(initial=0.0)),
        )


def cell_codes(column: Coordinate) -> Int64s:
    """Return a number for each value: equal cells of a column have the same, a missing one has its own."""
    if column.values.dtype.kind in "biuf":
        found = np.unique(column.values, return_inverse=True)[1].astype(np.int64) + 1
        found[column.missing] = 0
        return np.unique(found, return_inverse=True)[1].astype(np.int64)
    number: dict[Any, int] = {}
    cells = column.values.tolist()
    for place in np.flatnonzero(column.missing).tolist():
        cells[place] = None
    return np.array([number.setdefault(cell, len(number)) for cell in cells], dtype=np.int64)


def _correlation(one: _View, other: _View, rows: Int64s, gone: Any) -> Correlation | None:
    if one.positions is None or other.positions is None or one.released is None or other.released is None:
        return None
    here = ~np.isnan(one.positions) & ~np.isnan(other.positions)
    before = _coefficient(one.positions[here], other.positions[here], rows[here])
    kept = here & ~gone
    if before is None:
        return None
    after = _coefficient(one.released[kept], other.released[kept], rows[kept])
    return Correlation(columns=(one.name, other.name), before=before, after=after)


def _coefficient(one: Floats, other: Floats, rows: Int64s) -> float | None:
    if not rows.sum():
        return None
    weights = rows / rows.sum()
    # In units of the greatest: squares of huge numbers are no numbers.
    one, other = (column / (np.abs(column).max() or 1.0) for column in (one, other))
    one, other = one - (one * weights).sum(), other - (other * weights).sum()
    spread = float(np.sqrt((one**2 * weights).sum() * (other**2 * weights).sum()))
    return float((one * other * weights).sum()) / spread if spread > 0 else None
