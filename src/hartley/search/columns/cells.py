"""The public columns as the search sees them: positions, categories, and how far apart two of them lie.

A number lies where it lies, in units of its column's scale. The categories of a column are numbered so that
similar ones stand side by side, and the *width* of a run of them is that of a tree above them: no category of
the run lies farther from another. For categories that are 0 or 1 apart the tree is a star; for a table of
dissimilarities it is the tree of complete linkage, whose widths are never too small. So a box (a lowest and a
highest number in each column) tells how wide a cluster is, and no wider cluster has a narrower box. All
widths are *sides*: twice the cost.

Beside the width there is the *gap* of two cells, which never exceeds the side of a cluster that holds both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError, OptionError
from hartley.measures.utility.several_columns import ColumnsDistortion, NumberColumn
from hartley.model.arrays import Floats, Places, different, sparse_zeros
from hartley.model.words import SAME_COST
from hartley.search.columns.loops.cells import Cells

Combination: TypeAlias = Literal["max", "sum"]
"""The side of a box: its greatest in any column, or their sum (what holds of it then: Theorem C10)."""
NORMS: dict[str, int] = {"max": 0, "sum": 1}
NUMBER, CATEGORY, TABLE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class NumberCells:
    """A column of numbers: where each tuple lies, in units of the column's scale; NaN where it is missing."""

    positions: Floats
    importance: float = 1.0
    """How much its relative width counts in the loss."""


@dataclass(frozen=True, eq=False)
class CategoryCells:
    """A column of categories: the code of each tuple, -1 where the cell is missing.

    Two categories are 1 apart, or as ``table[i, j]`` says (symmetric, 0 on the diagonal), and one of the
    cluster's stands for it.
    """

    codes: npt.NDArray[np.integer]
    table: Floats | None = None
    importance: float = 1.0

    @property
    def size(self) -> int:
        """How many categories there are."""
        return len(self.table) if self.table is not None else int(self.codes.max(initial=-1)) + 1


Column: TypeAlias = NumberCells | CategoryCells


def cells_of(columns: Sequence[Column], combination: Combination = "max") -> Cells:
    """Build the cells of tuples without a missing cell.

    Raises
    ------
    InputError
        There is no column, one has another length than the others, a cell is missing, or a table is not
        square, not symmetric, or holds a number that is no dissimilarity.
    OptionError
        The combination is not known.
    """
    if combination not in NORMS:
        raise OptionError.unknown("combination", combination, NORMS)
    if not columns:
        raise InputError("a search over columns needs at least one column")
    norm = NORMS[combination]
    sizes_of = {len(c.positions) if isinstance(c, NumberCells) else len(c.codes) for c in columns}
    if len(sizes_of) != 1:
        raise InputError("the public columns must have the same length")
    place = sparse_zeros((sizes_of.pop(), len(columns)), np.float64)
    parts: list[_Part] = []
    for number, column in enumerate(columns):
        part = _number_part(column) if isinstance(column, NumberCells) else _category_part(column, norm)
        place[:, number] = part.place
        parts.append(replace(part, place=_nothing()))
    sizes = np.array([part.size for part in parts], dtype=np.int64)
    rises, gaps = [part.rise for part in parts], [part.gap for part in parts]
    longest = max(int(sizes.max()), 2)
    log = np.zeros(longest + 1, dtype=np.int64)
    log[1:] = np.floor(np.log2(np.arange(1, longest + 1)) + 1e-12).astype(np.int64)
    share = np.array([part.share for part in parts])
    return Cells(
        place=place,
        kind=np.array([part.kind for part in parts], dtype=np.int64),
        mixed=np.array([part.mixed for part in parts]),
        apart=np.array([part.apart for part in parts]),
        share=share / sum(column.importance for column in columns),
        base=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        size=sizes,
        rise=np.concatenate([*rises, np.zeros(1)]),
        rise_at=np.cumsum([0, *map(len, rises[:-1])]).astype(np.int64),
        gap=np.concatenate([*gaps, np.zeros(1)]),
        table=np.concatenate([*(part.table for part in parts), np.zeros(1)]),
        gap_at=np.cumsum([0, *map(len, gaps[:-1])]).astype(np.int64),
        log=log,
        norm=norm,
    )


def _nothing() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class _Part:
    """One column of the cells."""

    place: Floats
    kind: int
    share: float
    mixed: float = 0.0
    apart: float = 1.0
    size: int = 0
    rise: Floats = field(default_factory=_nothing)
    gap: Floats = field(default_factory=_nothing)
    table: Floats = field(default_factory=_nothing)


def _number_part(column: NumberCells) -> _Part:
    place = np.asarray(column.positions, dtype=np.float64)
    if not np.isfinite(place).all():
        raise InputError("a tuple with a missing cell stays alone and must be taken out before the search")
    extent = float(place.max() - place.min()) if len(place) else 0.0
    return _Part(place, NUMBER, column.importance / extent if extent > 0 else 0.0)


def _category_part(column: CategoryCells, norm: int) -> _Part:
    codes = np.asarray(column.codes)
    size = column.size
    if len(codes) and (codes.min() < 0 or codes.max() >= size):
        raise InputError("a tuple with a missing cell stays alone and must be taken out before the search")
    seen = len(different(codes))
    share = column.importance / (seen - 1) if seen > 1 else 0.0
    if column.table is not None:
        order, heights = _table_tree(column.table)
        return _Part(
            place=_ranks(order)[codes].astype(np.float64),
            kind=TABLE,
            share=share,
            size=size,
            rise=_runs(2 * heights, size),
            gap=_table_gaps(column.table, norm)[np.ix_(order, order)].ravel(),
            table=np.asarray(column.table, dtype=np.float64)[np.ix_(order, order)].ravel(),
        )
    return _Part(codes.astype(np.float64), CATEGORY, share, 2.0, 2.0 if norm == 0 else 1.0, size)


def _ranks(order: npt.NDArray[np.integer]) -> Places:
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _runs(heights: Floats, size: int) -> Floats:
    """Return the greatest of 1, 2, 4, ... neighbouring heights from every place on."""
    level = np.append(heights, 0.0)[:size] if size else np.zeros(0)
    levels, step = [level], 1
    while 2 * step < size:
        level = level.copy()
        level[: size - step] = np.maximum(level[: size - step], level[step:])
        levels.append(level)
        step *= 2
    return np.concatenate(levels)


def _table_tree(table: Floats) -> tuple[Places, Floats]:
    """Return an order of the categories, and the height at which complete linkage joins neighbours."""
    # Loaded only for such a table: it takes longer than a small audit.
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    table = np.asarray(table, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.isfinite(table).all():
        raise InputError("a table of dissimilarities must be square and finite")
    if (table < 0).any() or (table != table.T).any() or np.diagonal(table).any():
        raise InputError(
            "a table of dissimilarities must be symmetric, none below zero, zero on the diagonal"
        )
    if len(table) < 2:
        return np.arange(len(table)), np.zeros(0)
    joined = linkage(squareform(table, checks=False), method="complete")
    order = leaves_list(joined).astype(np.int64)
    return order, _heights_between(joined, order)


def _heights_between(joined: Floats, order: Places) -> Floats:
    """Return the height at which each leaf and the next one in the order come together."""
    size = len(order)
    first, last = np.empty(2 * size - 1, dtype=np.int64), np.empty(2 * size - 1, dtype=np.int64)
    first[:size] = last[:size] = _ranks(order)
    heights = np.zeros(size - 1)
    for number, (left, right, height, _) in enumerate(joined):
        runs = sorted(((first[int(left)], last[int(left)]), (first[int(right)], last[int(right)])))
        heights[runs[0][1]] = height
        first[size + number], last[size + number] = runs[0][0], runs[1][1]
    return heights


def _table_gaps(table: Floats, norm: int) -> Floats:
    """Return twice the least worst dissimilarity of two categories from a third (max), or the least sum."""
    gaps = np.empty_like(table, dtype=np.float64)
    for one, row in enumerate(np.asarray(table, dtype=np.float64)):
        gaps[one] = 2 * np.maximum(row, table).min(axis=1) if norm == 0 else (row + table).min(axis=1)
    return gaps


def cells_of_utility(utility: ColumnsDistortion) -> list[Column]:
    """Return the columns of a utility as the search over columns takes them."""
    columns: list[Column] = []
    for column in utility.columns:
        if isinstance(column, NumberColumn):
            here = column.positions[~np.isnan(column.positions)]
            columns.append(
                NumberCells(column.positions, importance=_importance(np.ptp(here) if len(here) else 0.0))
            )
        else:
            table = column.table
            widest = 1.0 if column.is_plain or table is None else float(table.max(initial=0.0))
            columns.append(
                CategoryCells(
                    column.codes, table=None if column.is_plain else table, importance=_importance(widest)
                )
            )
    return columns


def _importance(widest: float) -> float:
    """Return how much the relative width of a column counts: as much as its values lie apart at most."""
    return float(widest) if widest > 0 and abs(widest - 1) > SAME_COST else 1.0
