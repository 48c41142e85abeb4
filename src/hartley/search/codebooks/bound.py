"""What every recoding column by column must lose: each column by itself, with all others merged.

Merging the other columns never makes codebooks infeasible, so what a row must lose when its column stands
alone it must lose in every release.
"""

from __future__ import annotations

import numpy as np

from hartley.model.arrays import Floats, Int64s
from hartley.search.codebooks.loops.cells import poor_cells
from hartley.search.codebooks.loops.windows import latest_starts
from hartley.search.codebooks.problem import CodebookProblem


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
    column, demand, elements = problem.columns[number], problem.demand, problem.elements
    count = len(column.values)
    value = elements.value[number]
    order = np.argsort(value, kind="stable")
    start = np.searchsorted(value[order], np.arange(count + 1))
    lengths = np.diff(demand.offsets)
    count_of = np.r_[np.repeat(np.arange(len(lengths)), lengths), -1].astype(np.int64)
    firsts = np.full(count, -1, dtype=np.int64)
    latest_starts.for_size(len(order) * 4)(start, order, count_of, demand.wanted, elements, firsts)
    ends = np.flatnonzero(firsts >= 0)
    spans = np.full(count, column.extent)
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
