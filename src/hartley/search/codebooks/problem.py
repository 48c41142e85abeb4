"""A table as the search sees it: public columns, what every combination must keep, and what bands lose.

A band loses 0 of a column's detail where the value is kept, 1 where nothing is told.

Every recoding column by column must lose what each column loses by itself, with all others merged. Merging
the other columns never makes codebooks infeasible, so what a row must lose when its column stands alone it
must lose in every release.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError
from hartley.model.arrays import Flags, Floats, Int32s, Int64s, Ints, different
from hartley.search.codebooks.column import PublicColumn
from hartley.search.codebooks.loops.cells import Elements, Layout, Scratch, poor_cells
from hartley.search.enough import Enough

NEVER = 2**60


@dataclass(frozen=True, eq=False)
class CodebookProblem:
    """The public columns of a table, and the demand on sets of its public tuples.

    What a reader sees beside the release, such as side information or an earlier release, is a last column
    that stays as it is: every combination must be enough together with each of its values. Merging bands
    merges such cells, so all that holds of codebooks holds here, as long as no row is withheld. ``published``
    is then the same table without that column.
    """

    columns: tuple[PublicColumn, ...]
    demand: Enough
    published: CodebookProblem | None = None

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("one codebook for each column needs at least one public column")
        if any(len(column.codes) != self.demand.size for column in self.columns):
            raise InputError("every public column needs one value for each public tuple")
        if not self.demand.size:
            raise InputError("a table without rows has no codebooks")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.demand.rows.sum())

    @cached_property
    def weights(self) -> Floats:
        """The columns' shares of all weights."""
        given = np.array([column.weight for column in self.columns])
        if self.published is not None:
            given[-1] = 0.0
        return np.asarray(given / given.sum())

    @cached_property
    def value_rows(self) -> list[Int64s]:
        """How many rows hold each value of each column."""
        rows = self.demand.rows
        return [
            np.bincount(column.codes, weights=rows, minlength=column.size).astype(np.int64)
            for column in self.columns
        ]

    @cached_property
    def element_tuple(self) -> Int64s:
        """The public tuple of each element; elements stand in the order of their codes."""
        return self._element_order[0]

    @cached_property
    def _element_order(self) -> tuple[Int64s, Int32s]:
        demand = self.demand
        held = np.diff(demand.value_ptr)
        owner = np.repeat(np.arange(demand.size), held)
        # A tuple without a code has an element that never counts, to carry its rows.
        bare = np.flatnonzero(held == 0)
        owner = np.r_[owner, bare]
        code = np.r_[demand.value_code, np.full(len(bare), len(demand.next_code))].astype(np.int32)
        order = np.argsort(code, kind="stable")
        return owner[order], code[order]

    @cached_property
    def elements(self) -> Elements:
        """The elements, as compiled loops see them."""
        demand = self.demand
        owner, code = self._element_order
        first = np.unique(owner, return_index=True)[1]
        rows = np.zeros(len(owner), dtype=np.int64)
        rows[first] = demand.rows[owner[first]]
        reached = np.r_[0, np.cumsum(demand.wanted)].astype(np.int64)
        lengths = np.diff(demand.offsets)
        return Elements(
            code=code,
            rows=rows,
            value=np.array([column.codes[owner] for column in self.columns], dtype=np.int32),
            next_code=np.r_[demand.next_code, NEVER].astype(np.int64),
            begin=np.r_[np.repeat(reached[:-1], lengths), NEVER].astype(np.int64),
            end=np.r_[np.repeat(reached[1:], lengths), NEVER].astype(np.int64),
            total=int(reached[-1]),
            row_k=int(demand.row_k),
        )

    @cached_property
    def layout(self) -> Layout:
        """The columns, as compiled loops see them."""
        sizes = [column.size for column in self.columns]
        base = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        position = np.zeros(base[-1])
        splits = []
        for number, column in enumerate(self.columns):
            position[base[number] : base[number] + len(column.positions)] = column.positions
            splits += [(number, base[number] + first, base[number] + end) for first, end in column.splits]
        told = np.array(splits, dtype=np.int64).reshape(-1, 3)
        missing = [
            base[number] + len(column.values) if column.has_missing else -1
            for number, column in enumerate(self.columns)
        ]
        return Layout(
            base=base,
            rows=np.concatenate(self.value_rows),
            position=position,
            is_line=np.array([column.is_line for column in self.columns]),
            missing=np.array(missing, dtype=np.int64),
            extent=np.array([column.extent if column.extent > 0 else 1.0 for column in self.columns]),
            weight=self.weights,
            split=told,
        )

    def merged(self) -> CodebookProblem:
        """Return the same problem with no column kept, but for what is seen beside the release."""
        last = len(self.columns) - (self.published is not None)
        return self.keeping({last})

    def keeping(self, places: Collection[int]) -> CodebookProblem:
        """Return the same problem with those columns kept as they are that have these places."""
        columns = (replace(column, keep=place in places) for place, column in enumerate(self.columns))
        return replace(self, columns=tuple(columns))

    def scratch(self) -> Scratch:
        """Build memory for counting cells."""
        count = len(self.element_tuple)
        size = 1 << max(int(4 * count - 1).bit_length(), 12)
        return Scratch(
            slot=np.zeros(size, dtype=np.int64),
            key=np.zeros(size, dtype=np.int64),
            mark=np.zeros(1, dtype=np.int64),
            memory=np.zeros((count + 1, 3), dtype=np.int64),
        )

    def coarsest(self) -> list[Int32s]:
        """Return the codebooks with everything merged that may be."""
        return [
            np.arange(column.size, dtype=np.int32) if column.keep else np.zeros(column.size, dtype=np.int32)
            for column in self.columns
        ]


def spared_budget(demand: Enough, rows: int) -> int:
    """Return the rows that can be withheld within a budget: none if they are too few to be enough."""
    return rows if rows >= demand.fewest_rows else 0


def band_widths(column: PublicColumn, labels: npt.NDArray[np.int32]) -> Floats:
    """Return the relative width of each band of a codebook.

    On a line it is the span of the members over the range, elsewhere one less than their number over one
    less than the number of values.
    """
    bands = int(labels.max(initial=-1)) + 1
    extent = column.extent
    if extent <= 0:
        return np.zeros(bands)
    if not column.is_line:
        return (np.bincount(labels, minlength=bands) - 1) / extent
    low, high = np.full(bands, np.inf), np.full(bands, -np.inf)
    placed = labels[: len(column.values)]
    np.minimum.at(low, placed, column.positions)
    np.maximum.at(high, placed, column.positions)
    # A band of missing cells alone has no span.
    return np.asarray(np.where(high >= low, (high - low) / extent, 0.0))


def box_width(problem: CodebookProblem, cell: Ints, is_withheld: Flags) -> float:
    """Return the mean width that the members of a row's combination span; 1 for a withheld row.

    ``cell`` is the combination of each public tuple. Never more than the loss, which takes bands as full.
    """
    cells = int(cell.max()) + 1
    width = np.zeros(len(cell))
    for column, weight in zip(problem.columns, problem.weights, strict=True):
        if column.extent <= 0:
            continue
        if column.is_line:
            at = np.r_[column.positions, np.nan][column.codes]
            low, high = np.full(cells, np.inf), np.full(cells, -np.inf)
            np.fmin.at(low, cell, at)
            np.fmax.at(high, cell, at)
            found = np.maximum(high - low, 0.0)
        else:
            pairs = different(cell.astype(np.int64) * column.size + column.codes)
            found = np.bincount(pairs // column.size, minlength=cells) - 1.0
        width += weight * found[cell] / column.extent
    rows = problem.demand.rows
    return float(rows @ np.where(is_withheld, 1.0, width)) / problem.rows


def lower_bound(problem: CodebookProblem, budget: int) -> float:
    """Return a loss below which no codebooks of these columns are, whatever their shape."""
    total = 0.0
    for number, column in enumerate(problem.columns):
        if not column.keep and column.extent > 0:
            total += problem.weights[number] * _least_width(problem, number, budget)
    return float(total) / problem.rows


def _least_width(problem: CodebookProblem, number: int, budget: int) -> float:
    """Return the least sum over rows of a column's widths when the column stands alone."""
    column, rows = problem.columns[number], problem.value_rows[number]
    cell = problem.elements.value[number]
    poor = np.zeros(column.size, dtype=bool)
    memory = np.zeros((column.size, 3), dtype=np.int64)
    poor_cells.for_size(len(cell) * 10)(cell, column.size, problem.elements, memory, poor)
    if not poor.any():
        return 0.0
    if column.is_line:
        return _without_worst(_least_spans(problem, number) / column.extent, rows, budget)
    alone = rows[poor]
    left = max(int(alone.sum()) - budget, 0)
    if column.tree is not None:
        return left / column.extent
    # Every poor category is in other, but for those whose rows are all withheld.
    spared = int(np.searchsorted(np.cumsum(np.sort(alone)), budget, side="right")) if budget else 0
    return left * max(len(alone) - spared - 1, 1) / column.extent


def _least_spans(problem: CodebookProblem, number: int) -> Floats:
    """Return, for each value of a line, the least span of a window around it that may be enough.

    Codes that are close to each other count all the same, so a window that is enough is one here. A missing
    cell has no span.
    """
    column, demand = problem.columns[number], problem.demand
    count, codes = len(column.values), max(demand.width, 1)
    owner = np.repeat(column.codes.astype(np.int64), np.diff(demand.value_ptr))
    held = different(owner * codes + demand.value_code)
    starts = np.searchsorted(held, np.arange(count + 1) * codes)
    firsts = replace(
        demand,
        value_ptr=starts,
        value_code=held[: starts[-1]] % codes,
        next_code=np.arange(1, demand.width + 1),
        rows=problem.value_rows[number][:count],
    ).latest_starts()
    ends = np.flatnonzero(firsts >= 0)
    spans = np.full(count, column.extent)
    if len(ends):
        # No window that starts as late as it can holds the first values: theirs reach to the first end.
        early = slice(0, int(firsts[ends[0]]))
        spans[early] = column.positions[ends[0]] - column.positions[early]
    # The narrowest first: a value keeps the first window that reaches it.
    width = column.positions[ends] - column.positions[firsts[ends]]
    following = np.arange(count + 1)
    for end in ends[np.argsort(width, kind="stable")].tolist():
        span = float(column.positions[end] - column.positions[firsts[end]])
        place = _next_free(following, int(firsts[end]))
        while place <= end:
            spans[place] = span
            following[place] = place + 1
            place = _next_free(following, place)
    return np.r_[spans, 0.0] if column.has_missing else spans


def _next_free(following: Int64s, place: int) -> int:
    """Return the first place from this one on that has no window yet, and remember the way."""
    end = place
    while following[end] != end:
        end = int(following[end])
    while following[place] != end:
        following[place], place = end, int(following[place])
    return end


def _without_worst(widths: Floats, rows: Int64s, budget: int) -> float:
    """Return the sum of widths over rows, without the rows of greatest width that the budget may spare."""
    order = np.argsort(-widths, kind="stable")
    spared = np.minimum(np.cumsum(rows[order]), budget)
    left = rows[order] - np.diff(np.r_[0, spared])
    return float(left @ widths[order])
