"""Cut boxes in two, again and again, while both halves are enough.

Columns are tried from the widest (ties: the first); tuples are sorted by the column (ties: as they stand).
The cuts with enough on both sides lie in one run, found from both ends. Among those between different cells
the rule chooses; where no column has one, cuts between equal cells are allowed, ordered by the widest other
column, nearest the median. A column without a cut has none in any part of the box (Theorem C5) and is not
tried again. Beside side information neither is so: every cut is looked at, and every column again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Flags, Floats, Int32s, Places
from hartley.search.columns.loops.boxes import box_into
from hartley.search.columns.loops.cells import (
    NONE,
    ONE,
    ZERO,
    Cells,
    Marks,
    Needs,
    is_enough,
    needed_from_one_end,
    sort_stably,
    width_between,
)

MIDDLE, MEDIAN, GAP, ROWS, PUBLISHED = 0, 1, 2, 3, 4
"""Rules: nearest the middle of the box, the median tuple, the widest gap, the median row of the column that
is widest beside its whole extent (Mondrian's); the last is Mondrian as published, which cuts no column whose
cut nearest the median row is not allowed."""


class Segments(NamedTuple):
    """Segments of an order of the tuples: a stack of those still to be cut, and the clusters done."""

    order: Int32s
    first: Places
    last: Places
    spent: Flags
    """The columns of each segment that have no cut left."""
    label: Int32s
    counts: Places
    """How many segments are on the stack, and how many clusters are done."""
    line: Int32s
    key: Floats
    other_line: Int32s
    other_key: Floats
    """Scratch paper to sort a segment on."""


@hot_part
def rank_columns(cells: Cells, low: Floats, high: Floats, rule: int, width: Floats, ranked: Places) -> None:
    """Order the columns from the widest; of equal ones the first."""
    columns = len(width)
    for column in range(columns):
        if rule >= 3:
            width[column] = (high[column] - low[column]) * cells.share[column]
        else:
            width[column] = width_between(cells, column, low[column], high[column])
        at = column
        while at > 0 and width[ranked[at - 1]] < width[column]:
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = column


@hot_part
def sort_line(cells: Cells, segments: Segments, size: int, column: int) -> None:
    """Sort the first tuples of the line by a column, equal ones as they stand."""
    for i in range(size):
        segments.key[i] = cells.place[segments.line[i], column]
    sort_stably(segments.line, segments.key, size, segments.other_line, segments.other_key)


@hot_part
def fitting_cuts(line: Int32s, size: int, needs: Needs, marks: Marks, fits: Flags) -> None:
    """Tell of each cut of the line whether both sides hold enough codes of every count that they touch."""
    for i in range(size + 1):
        fits[i] = True
    for backward in range(2):
        marks.stamp[0] += 1
        stamp = marks.stamp[0]
        short = 0
        for i in range(size):
            one = line[size - 1 - i if backward else i]
            for at in range(needs.ptr[one], needs.ptr[one + 1]):
                code = needs.code[at]
                if marks.seen[code] == stamp:
                    continue
                marks.seen[code] = stamp
                count = needs.count_of[code]
                marks.tally[count] += 1
                if marks.tally[count] == needs.wanted[count]:
                    short -= 1
                if marks.tally[count] == 1:
                    short += 1
            if short > 0:
                fits[size - 1 - i if backward else i + 1] = False
        for i in range(size):
            for at in range(needs.ptr[line[i]], needs.ptr[line[i] + 1]):
                marks.tally[needs.count_of[needs.code[at]]] = 0


@hot_part
def chosen_cut(
    cells: Cells, needs: Needs, line: Int32s, size: int, column: int, start: int, stop: int, middle: float,
    rule: int, ties: int, fits: Flags,
) -> int:  # fmt: skip
    """Return how many tuples of the line lie below the best cut, -1 where there is none.

    Where a count is wanted only of sets that touch it, cuts must fit as well.
    """
    best, cut = np.inf, -1
    total, below = 0, 0
    first, last = start, stop
    if rule == 4:
        start, stop = 1, size - 1
    if rule >= 3:
        for i in range(size):
            total += needs.rows[line[i]]
        for i in range(start - 1):
            below += needs.rows[line[i]]
    for i in range(start, stop + 1):
        if rule >= 3:
            below += needs.rows[line[i - 1]]
        left = cells.place[line[i - 1], column]
        right = cells.place[line[i], column]
        if (left == right and not ties) or (needs.beside and rule != 4 and not fits[i]):
            continue
        if rule >= 3:
            key = abs(2.0 * below - total)
        elif ties or rule == 1 or cells.kind[column] != 0:
            key = abs(2.0 * i - size)
        elif rule == 0:
            key = abs(0.5 * (left + right) - middle)
        else:
            key = left - right
        if key < best:
            best = key
            cut = i
    if cut < first or cut > last or (needs.beside and not fits[cut]):
        return -1
    return cut


@hot_loop
def split_segments(
    cells: Cells, needs: Needs, marks: Marks, segments: Segments, rule: int, tie_cuts: bool, budget: int
) -> None:
    """Cut segments from the stack until it is empty or about so many tuples were looked at."""
    columns = cells.place.shape[1]
    low, high, width = np.empty(columns), np.empty(columns), np.empty(columns)
    ranked = np.zeros(columns, np.int64)
    spent = np.zeros(columns, np.bool_)
    fits = np.ones(len(segments.line) + 1 if needs.beside else 1, np.bool_)
    top, done = segments.counts[0], segments.counts[1]
    order, line = segments.order, segments.line
    while top > 0 and budget > 0:
        top -= 1
        first, last = segments.first[top], segments.last[top]
        size = last - first
        budget -= size + 8
        for column in range(columns):
            spent[column] = segments.spent[top, column]
        cut = -1
        if size > 1:
            box_into(cells, order, first, last, low, high)
            rank_columns(cells, low, high, rule, width, ranked)
            for ties in range(2 if tie_cuts else 1):
                for c in range(columns):
                    column = ranked[c]
                    if low[column] == high[column] or (spent[column] and ties == 0):
                        continue
                    budget -= size
                    for i in range(size):
                        line[i] = order[first + i]
                    if ties == 1 and columns > 1:
                        sort_line(cells, segments, size, ranked[1] if c == 0 else ranked[0])
                    sort_line(cells, segments, size, column)
                    if needs.beside:
                        fitting_cuts(line, size, needs, marks, fits)
                        start, stop = 1, size - 1
                    else:
                        start, stop = needed_from_one_end(line, size, ONE, needs, marks), -1
                        if start < size:
                            stop = size - needed_from_one_end(line, size, ZERO, needs, marks)
                    if start <= stop:
                        middle = 0.5 * (low[column] + high[column])
                        cut = chosen_cut(
                            cells, needs, line, size, column, start, stop, middle, rule, ties, fits
                        )
                    if (
                        cut > 0
                        and needs.beside
                        and needs.tolerant
                        and not (
                            is_enough(line, ZERO, cut, NONE, needs, marks)
                            and is_enough(line, cut, size, NONE, needs, marks)
                        )
                    ):
                        cut = -1
                    if cut > 0:
                        for i in range(size):
                            order[first + i] = line[i]
                        break
                    spent[column] = not needs.beside and rule != 4
                if cut > 0:
                    break
        if cut < 0:
            for i in range(first, last):
                segments.label[order[i]] = done
            done += 1
            continue
        for half in range(2):
            segments.first[top] = first + cut if half == 0 else first
            segments.last[top] = last if half == 0 else first + cut
            for column in range(columns):
                segments.spent[top, column] = spent[column]
            top += 1
    segments.counts[0] = top
    segments.counts[1] = done
