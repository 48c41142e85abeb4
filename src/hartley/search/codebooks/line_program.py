"""The best bands of one column on a line, given the codebooks of the other columns (Theorem B4).

Exact where nothing is withheld; otherwise withheld rows are priced, which finds the best up to the
convex hull of loss and withheld rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hartley.model.arrays import Floats, Int32s, Int64s
from hartley.search.codebooks.loops.cells import split_cells
from hartley.search.codebooks.loops.windows import (
    counted_windows,
    growing_windows,
    shortest_path,
    sort_blocks,
)
from hartley.search.codebooks.problem import CodebookProblem, band_widths

MOST_BLOCKS = 1500
"""With more borders than this the windows of a column do not fit into memory."""
MOST_VISITS = 3e8
"""With more looks at an element than this the windows of a column take too long."""
HALVINGS = 14
HIGHEST_PRICE = 64.0


class LineProgram:
    """Best bands of single columns of one problem."""

    def __init__(self, problem: CodebookProblem) -> None:
        self.problem = problem
        self.visits = 0
        self._scratch = problem.scratch()
        demand = problem.demand
        width = len(demand.next_code)
        self._is_distinct = bool(np.array_equal(demand.next_code, np.arange(1, width + 1)))
        lengths = np.diff(demand.offsets)
        self._count_of = np.r_[np.repeat(np.arange(len(lengths)), lengths), -1].astype(np.int64)
        self._borders = [self._block_starts(number) for number in range(len(problem.columns))]

    def is_exact_for(self, number: int) -> bool:
        """Tell whether the best bands of a column can be found: it is a line with not too many borders."""
        column = self.problem.columns[number]
        return column.is_line and not column.keep and self._visits(len(self._borders[number])) <= MOST_VISITS

    def best_bands(self, number: int, labels: Sequence[Int32s], budget: int) -> Int32s | None:
        """Return the best bands of a column, ``None`` where there are none within the budget.

        Borders may lie where the column has a candidate or a border now.
        The demand on the withheld rows and the share of a band are not looked at.
        """
        problem = self.problem
        column = problem.columns[number]
        if not self.is_exact_for(number):
            return None
        current = np.flatnonzero(np.diff(labels[number][: len(column.values)])) + 1
        starts = np.union1d(self._borders[number], current)
        blocks = len(starts)
        block = np.searchsorted(starts, problem.elements.value[number], side="right") - 1
        if column.has_missing:
            block[problem.elements.value[number] == len(column.values)] = -1
        kept, kept_cost, withheld = self._windows(number, labels, block, blocks)
        first = column.positions[starts]
        last = column.positions[np.r_[starts[1:], len(column.values)] - 1]
        spans = (last[None, :] - first[:, None]) / (column.extent if column.extent > 0 else 1.0)
        loss = kept_cost + kept * problem.weights[number] * spans + withheld
        fixed = self._withheld_missing(number, labels) if column.has_missing else 0
        path = self._cheapest(loss, withheld, budget - fixed)
        if path is None:
            return None
        cuts = np.sort(starts[path])
        found = (np.searchsorted(cuts, np.arange(column.size), side="right") - 1).astype(np.int32)
        if column.has_missing:
            found[-1] = len(cuts)
        return found

    def _visits(self, blocks: int) -> float:
        count = len(self.problem.element_tuple)
        if blocks > MOST_BLOCKS:
            return np.inf
        return blocks * count / 2 if self._is_distinct else blocks * blocks * count / 2

    def _block_starts(self, number: int) -> Int64s:
        """Return where the blocks between borders begin, among the values that are not missing."""
        column = self.problem.columns[number]
        if not column.is_line or column.keep or not column.values:
            return np.zeros(0, dtype=np.int64)
        firsts = [first for first, _ in column.splits if first < len(column.values)]
        return np.array([0, *firsts], dtype=np.int64)

    def _others(self, number: int, labels: Sequence[Int32s]) -> tuple[Int32s, Floats]:
        """Return the cell of each element in the other columns, and what a row of each cell loses there."""
        problem = self.problem
        elements = problem.elements
        cell = np.zeros(len(elements.code), dtype=np.int32)
        lost = np.zeros(len(cell))
        cells = 1
        split = split_cells.for_size(len(cell) * 100)
        for other, (column, label) in enumerate(zip(problem.columns, labels, strict=True)):
            if other == number:
                continue
            value = elements.value[other]
            out = np.empty_like(cell)
            cells = split(cell, cells, value, label, int(label.max()) + 1, self._scratch, out)
            lost += (problem.weights[other] * band_widths(column, label)[label])[value]
            cell = out
        cost = np.zeros(cells)
        cost[cell] = lost
        return cell, cost

    def _windows(
        self, number: int, labels: Sequence[Int32s], block: Int64s, blocks: int
    ) -> tuple[Int64s, Floats, Int64s]:
        problem = self.problem
        elements = problem.elements
        other, cost = self._others(number, labels)
        kept = np.zeros((blocks, blocks), dtype=np.int64)
        kept_cost = np.zeros((blocks, blocks))
        withheld = np.zeros((blocks, blocks), dtype=np.int64)
        visits = int(self._visits(blocks))
        self.visits += visits
        if self._is_distinct:
            order, pair = np.empty(len(block), dtype=np.int64), np.empty(len(block), dtype=np.int64)
            start = np.zeros(blocks + 1, dtype=np.int64)
            sort_blocks.for_size(visits * 20)(block, other, elements.code, len(cost), start, order, pair)
            growing_windows.for_size(visits * 20)(
                start, order, other, pair, self._count_of, problem.demand.wanted, cost, elements,
                kept, kept_cost, withheld,
            )  # fmt: skip
        else:
            counted_windows.for_size(visits * 20)(
                block, blocks, other, cost, elements, self._scratch.memory, kept, kept_cost, withheld
            )
        return kept, kept_cost, withheld

    def _withheld_missing(self, number: int, labels: Sequence[Int32s]) -> int:
        """Return how many rows with a missing cell are withheld once these are set apart."""
        column = self.problem.columns[number]
        block = np.where(self.problem.elements.value[number] == len(column.values), 0, -1)
        return int(self._windows(number, labels, block, 1)[2][0, 0])

    def _cheapest(self, loss: Floats, withheld: Int64s, budget: int) -> list[int] | None:
        """Return where the windows of the best path within the budget begin."""
        blocks = len(loss)
        run = shortest_path.for_size(blocks * blocks * 20)
        back, gone = np.zeros(blocks + 1, dtype=np.int64), np.zeros(blocks + 1, dtype=np.int64)

        def path(price: float) -> tuple[float, int, list[int]] | None:
            least = run(loss, withheld, price, budget <= 0, back, gone)
            if not np.isfinite(least):
                return None
            cuts, end = [], blocks
            while end > 0:
                end = int(back[end])
                cuts.append(end)
            return float(least) - price * int(gone[blocks]), int(gone[blocks]), cuts

        if budget < 0:
            return None
        free = path(0.0)
        if free is None or free[1] <= budget:
            return None if free is None else free[2]
        low, high = 0.0, HIGHEST_PRICE
        best = path(high)
        if best is not None and best[1] > budget:
            best = None
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            found = path(middle)
            if found is not None and found[1] <= budget:
                high = middle
                if best is None or found[0] < best[0]:
                    best = found
            else:
                low = middle
        return None if best is None else best[2]
