"""What is left of the public columns after a release: how far values move, how wide classes are, what agrees.

Measured row by row, so that what happens to many people counts more than what happens to few. A number or a
date moves to what stands in the file for it. A band or a set counts by its middle, halfway between the least
and the greatest value that share it. Cells that are missing before or after, or withheld,
move nowhere: they are left out and counted. Where nothing is written yet a value moves to the middle of its
class. The relative width of a class in a column is its span over the column's
range, or, of text, one less than the number of its values over one less than that of the column's. A withheld
row has lost everything: width 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from hartley.measures.uncertainty import rows_of_values
from hartley.model import Coordinate, JointRange, Partition
from hartley.model.arrays import Flags, Floats, Int64s, Ints, different

Counted: TypeAlias = Literal["label", "middle"]
"""By what a released cell counts as a number: by itself, or by the middle of the values that share it."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What stands in the file for each cluster, in one column."""

    codes: Int64s
    """A number for the cell of each cluster; equal cells have the same."""
    missing: Flags
    """Whether the cell of each cluster is empty."""
    positions: Floats | None
    """Where the cell of each cluster lies; ``None`` where cells are text."""
    counted: Counted
    is_unchanged: Flags
    """Whether each public value is released as it is."""


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
    counted: Counted = "label"
    """By what released cells count as numbers."""
    left_out_rows: int = 0
    """Rows whose cell is missing or withheld, and has no move; of text 0."""
    vanished: bool = False
    """Whether values that differed all have one label."""
    unit: str = ""
    """What moves are counted in where that is not the column's own number: days, of dates."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {name: value for name, value in vars(self).items() if name != "unit"}


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """How two columns of numbers go together, before and after."""

    columns: tuple[str, str]
    before: float
    after: float | None
    """``None`` where one of them is the same in every row that is left."""
    left_out_rows: int = 0
    """Rows in which one of the two is missing or withheld after."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {**vars(self), "columns": list(self.columns)}


@dataclass(frozen=True, kw_only=True)
class Usefulness:
    """What is left of the public columns after a release.

    Examples
    --------
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
    """Public values of the table."""
    values_after: int
    """Different labels of the release."""
    rows_unchanged_share: float
    """The share of rows in which every public cell says what it said."""
    withheld_rows: int
    """Rows whose public values are withheld."""
    columns: tuple[ColumnUsefulness, ...]
    """What is left of each public column."""
    correlations: tuple[Correlation, ...]
    """What is left of how two public numbers go together."""

    @classmethod
    def of(
        cls,
        joint: JointRange,
        partition: Partition,
        withheld: tuple[int, ...] = (),
        shown: Sequence[Shown] | None = None,
    ) -> Usefulness:
        """Measure a recoding of the public values of a table; ``shown`` is what stands in the file."""
        rows = rows_of_values(joint)
        gone = np.zeros(joint.public.size, dtype=np.bool_)
        gone[list(withheld)] = True
        views = [
            _View.of(column, partition, gone, None if shown is None else shown[place])
            for place, column in enumerate(joint.public.coordinates)
        ]
        unchanged = np.logical_and.reduce([view.is_unchanged for view in views])
        total = int(rows.sum())
        return cls(
            values_before=joint.public.size,
            values_after=partition.size,
            rows_unchanged_share=float(rows[unchanged].sum() / total),
            withheld_rows=int(rows[gone].sum()),
            columns=tuple(view.measured(rows) for view in views),
            correlations=tuple(
                found
                for one, other in combinations(views, 2)
                if (found := _correlation(one, other, rows)) is not None
            ),
        )

    def without_moves(self, values_before: int) -> Usefulness:
        """Return what is known where a few public values stand for all of a class: nothing of moves."""
        columns = (replace(one, mean_move=None, max_move=None) for one in self.columns)
        return replace(self, values_before=values_before, columns=tuple(columns), correlations=())

    @property
    def loss(self) -> float:
        """The mean relative width over rows and columns: 0 untouched, 1 nothing left (NCP)."""
        return float(np.mean([column.mean_relative_width for column in self.columns]))

    @property
    def vanished(self) -> tuple[str, ...]:
        """The columns of which nothing is left."""
        return tuple(column.name for column in self.columns if column.vanished)

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
    """Where each value lies in the file; NaN where it is missing there or withheld."""
    width: Floats
    """The relative width of the class of each value."""
    is_unchanged: Flags
    counted: Counted = "label"
    vanished: bool = False
    unit: str = ""

    @classmethod
    def of(cls, column: Coordinate, partition: Partition, gone: Flags, shown: Shown | None) -> _View:
        labels, size = partition.labels, partition.size
        positions = None if column.kind in ("text", "boolean") else column.positions
        codes = cell_codes(column)
        pairs = different(labels.astype(np.int64) * (int(codes.max()) + 1) + codes)
        distinct = np.bincount(pairs // (int(codes.max()) + 1), minlength=size)
        unchanged = (distinct[labels] == 1 if shown is None else shown.is_unchanged) & ~gone
        kept = labels[~gone]
        is_one = partition.size == 1 if shown is None else len(different(shown.codes[kept])) == 1
        # Where all that is not withheld is missing, what was there is gone.
        left = codes if column.missing[~gone].all() else codes[~gone]
        vanished = is_one and len(different(left)) > 1
        if positions is None:
            width = (distinct - 1) / max(int(codes.max()), 1)
            width = np.where(gone, 1.0, width[labels])
            return cls(column.name, None, None, width, unchanged, vanished=vanished)
        here = ~np.isnan(positions)
        low, high = _half_ends(positions, labels, size, here)
        filled = ~np.isnan(low)
        extent = float(np.ptp(positions[here] / 2)) if here.any() else 0.0
        mixed = np.zeros(size, dtype=np.bool_)
        mixed[labels[~here]] = True
        spans = np.where(filled, high - low, 0.0)
        width = np.where(mixed & filled, 1.0, spans / extent if extent else 0.0)
        if shown is None:
            released = (low + high)[labels]
        elif shown.positions is not None:
            released = shown.positions[labels]
        else:
            classes = shown.codes[labels]
            released = np.add(*_half_ends(positions, classes, len(shown.codes), here & ~gone))[classes]
            released[shown.missing[labels]] = np.nan
        released[gone] = np.nan
        counted = "label" if shown is None else shown.counted
        width = np.where(gone, 1.0, width[labels])
        unit = "days" if column.kind == "date" else ""
        return cls(column.name, positions, released, width, unchanged, counted, vanished, unit)

    def measured(self, rows: Int64s) -> ColumnUsefulness:
        total = float(rows.sum())
        mean = worst = None
        left_out = 0
        if self.positions is not None and self.released is not None:
            moves = np.abs(self.positions - self.released)
            kept = ~np.isnan(moves)
            moves, counted = moves[kept], rows[kept]
            left_out = int(rows.sum() - counted.sum())
            mean = float((moves * (counted / max(int(counted.sum()), 1))).sum())
            worst = float(moves.max(initial=0.0))
        return ColumnUsefulness(
            name=self.name,
            mean_move=mean,
            max_move=worst,
            mean_relative_width=float((self.width * rows).sum() / total),
            unchanged_share=float(rows[self.is_unchanged].sum() / total),
            max_relative_width=float(self.width.max(initial=0.0)),
            counted=self.counted,
            left_out_rows=left_out,
            vanished=self.vanished,
            unit=self.unit,
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


def _half_ends(positions: Floats, classes: Ints, size: int, here: Flags) -> tuple[Floats, Floats]:
    """Return half the least and half the greatest position of each class; NaN where it has none.

    Halved, because the whole span of huge numbers may be no number.
    """
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, classes[here], positions[here] / 2)
    np.maximum.at(high, classes[here], positions[here] / 2)
    empty = high < low
    low[empty] = high[empty] = np.nan
    return low, high


def _correlation(one: _View, other: _View, rows: Int64s) -> Correlation | None:
    if one.positions is None or other.positions is None or one.released is None or other.released is None:
        return None
    here = ~np.isnan(one.positions) & ~np.isnan(other.positions)
    before = _coefficient(one.positions[here], other.positions[here], rows[here])
    if before is None:
        return None
    kept = here & ~np.isnan(one.released) & ~np.isnan(other.released)
    after = _coefficient(one.released[kept], other.released[kept], rows[kept])
    left_out = int(rows.sum() - rows[kept].sum())
    return Correlation(columns=(one.name, other.name), before=before, after=after, left_out_rows=left_out)


def _coefficient(one: Floats, other: Floats, rows: Int64s) -> float | None:
    if not rows.sum() or not np.ptp(one) or not np.ptp(other):
        return None
    weights = rows / rows.sum()
    # In units of the greatest: squares of huge numbers are no numbers.
    one, other = (column / (np.abs(column).max() or 1.0) for column in (one, other))
    one, other = one - (one * weights).sum(), other - (other * weights).sum()
    spread = float(np.sqrt((one**2 * weights).sum() * (other**2 * weights).sum()))
    found = float((one * other * weights).sum()) / spread if spread > 0 else None
    return None if found is None else min(1.0, max(-1.0, found))
