"""Cells and a demand as the loops take them; how parts of loops are marked and sort.

Of cells: widths of boxes, gaps of tuples; what they mean is said in :mod:`hartley.search.columns.cells`. Of
a demand: whether a set of tuples is enough.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from hartley.hot_loops import hot_part
from hartley.model.arrays import Floats, Int32s, Places

RUN = 12
"""Runs of so many items are sorted by insertion before they are merged."""


@hot_part
def sort_codes(codes: Places, size: int) -> None:
    """Sort the first codes of an array in place (Shell's method)."""
    step = 1
    while step < size // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, size):
            code = codes[i]
            j = i
            while j >= step and codes[j - step] > code:
                codes[j] = codes[j - step]
                j -= step
            codes[j] = code
        step //= 3


@hot_part
def sort_stably(items: Int32s, keys: Floats, size: int, other_items: Int32s, other_keys: Floats) -> None:
    """Sort items by their keys in place, equal ones as they stood; the other arrays are scratch paper."""
    for start in range(0, size, RUN):
        for i in range(start + 1, min(start + RUN, size)):
            item, key = items[i], keys[i]
            j = i
            while j > start and keys[j - 1] > key:
                items[j] = items[j - 1]
                keys[j] = keys[j - 1]
                j -= 1
            items[j] = item
            keys[j] = key
    width = RUN
    while width < size:
        for start in range(0, size, 2 * width):
            middle, end = min(start + width, size), min(start + 2 * width, size)
            if middle >= end or keys[middle - 1] <= keys[middle]:
                continue
            for i in range(start, middle):
                other_items[i - start] = items[i]
                other_keys[i - start] = keys[i]
            left, right, end_of_left = 0, middle, middle - start
            for i in range(start, end):
                if left == end_of_left:
                    break
                if right < end and keys[right] < other_keys[left]:
                    items[i] = items[right]
                    keys[i] = keys[right]
                    right += 1
                else:
                    items[i] = other_items[left]
                    keys[i] = other_keys[left]
                    left += 1
        width *= 2


class Cells(NamedTuple):
    """All cells, as the loops take them."""

    place: Floats
    """The position, or the number of the category, of each tuple in each column."""
    kind: Places
    mixed: Floats
    """The side of a column of plain categories where they are mixed."""
    apart: Floats
    """The gap of two plain categories."""
    share: Floats
    """What a unit of span, or a further category, adds to the relative width of a cluster."""
    base: Places
    """Where the categories of each column begin when those of all columns are numbered through."""
    size: Places
    """How many categories each column has."""
    rise: Floats
    """Widths of all runs of 2^k + 1 neighbouring categories of the trees, one k after the other."""
    rise_at: Places
    gap: Floats
    """The gaps of the tables, row by row."""
    table: Floats
    """The dissimilarities of the tables, row by row."""
    gap_at: Places
    """Where the gaps and dissimilarities of each column begin."""
    log: Places
    """The greatest k with 2^k at most the index."""
    norm: int


@hot_part
def width_between(cells: Cells, column: int, low: float, high: float) -> float:
    """Return the side of a column whose cells lie between these two."""
    if low >= high:
        return 0.0
    kind = cells.kind[column]
    if kind == 0:
        return high - low
    if kind == 1:
        return float(cells.mixed[column])
    first = int(low)
    length = int(high) - first
    level = cells.log[length]
    at = cells.rise_at[column] + level * cells.size[column]
    return float(max(cells.rise[at + first], cells.rise[at + first + length - (1 << level)]))


@hot_part
def gap_between(cells: Cells, column: int, one: float, other: float) -> float:
    """Return the gap of two cells of a column."""
    if one == other:
        return 0.0
    kind = cells.kind[column]
    if kind == 0:
        return abs(one - other)
    if kind == 1:
        return float(cells.apart[column])
    return float(cells.gap[cells.gap_at[column] + int(one) * cells.size[column] + int(other)])


@hot_part
def gap_to_run(cells: Cells, column: int, cell: float, low: float, high: float) -> float:
    """Return a gap that the cell has at least from every cell between these two."""
    if low <= cell <= high:
        return 0.0
    if cells.kind[column] == 2 and low < high:
        return 0.0
    return gap_between(cells, column, cell, low if cell < low else high)


@hot_part
def combined(norm: int, total: float, more: float) -> float:
    """Add a column to a combination that is under way."""
    return max(total, more) if norm == 0 else total + more


@hot_part
def gap_of(cells: Cells, one: int, other: int) -> float:
    """Return the gap of two tuples."""
    total, norm = 0.0, cells.norm
    row, its = cells.place[one], cells.place[other]
    for column in range(len(row)):
        cell, other_cell = row[column], its[column]
        if cell == other_cell:
            continue
        gap = gap_between(cells, column, cell, other_cell)
        if norm == 0:
            if gap > total:
                total = gap
        else:
            total += gap
    return total


@hot_part
def gap_to_box(cells: Cells, one: int, low: Floats, high: Floats) -> float:
    """Return a gap that a tuple has at least from every tuple in a box."""
    total = 0.0
    for column in range(len(cells.kind)):
        gap = gap_to_run(cells, column, cells.place[one][column], low[column], high[column])
        total = combined(cells.norm, total, gap)
    return total


@hot_part
def side_of(cells: Cells, low: Floats, high: Floats) -> float:
    """Return the side of a box; a box inside it has no greater one (Theorem C1)."""
    total = 0.0
    for column in range(len(cells.kind)):
        total = combined(cells.norm, total, width_between(cells, column, low[column], high[column]))
    return total


@hot_part
def side_with(cells: Cells, low: Floats, high: Floats, one: int) -> float:
    """Return the side of a box that also takes a tuple."""
    total = 0.0
    for column in range(len(cells.kind)):
        cell = cells.place[one][column]
        width = width_between(cells, column, min(low[column], cell), max(high[column], cell))
        total = combined(cells.norm, total, width)
    return total


NONE = cast("int", np.int64(-1))
ZERO = cast("int", np.int64(0))
ONE = cast("int", np.int64(1))
"""Numbers that loops hand to loops; for each one written out, the compiler makes a version of the callee.

It makes one more for a number out of a narrow array, unless ``ZERO`` is added to it.
"""


class Needs(NamedTuple):
    """A demand, as the loops take it."""

    ptr: Places
    code: Int32s
    next_code: Places
    offsets: Places
    count_of: Places
    """The count of each code."""
    wanted: Places
    rows: Places
    row_k: int
    plain: bool
    """Whether it is one count of different codes and nothing else."""
    tolerant: bool
    """Whether some codes are too near each other to count as two."""
    beside: bool
    """Whether a count is wanted only of sets that hold a code of it; a set that is enough may then not be
    enough with a tuple more."""


class Marks(NamedTuple):
    """Scratch paper: which codes were met under the stamp of now."""

    seen: Places
    kept: Places
    """Like ``seen``, for a set that is built up while others are looked at."""
    codes: Places
    tally: Places
    stamp: Places


@hot_part
def is_enough(members: Int32s, start: int, stop: int, without: int, needs: Needs, marks: Marks) -> bool:
    """Tell whether ``members[start:stop]`` without one of them (-1: with all) hold what is wanted."""
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    if needs.plain:
        left = needs.wanted[0]
        for i in range(start, stop):
            one = members[i]
            if one != without:
                for at in range(needs.ptr[one], needs.ptr[one + 1]):
                    code = needs.code[at]
                    if marks.seen[code] != stamp:
                        marks.seen[code] = stamp
                        left -= 1
                if left <= 0:
                    return True
        return bool(left <= 0)
    rows, met = ZERO, ZERO
    for i in range(start, stop):
        one = members[i]
        if one == without:
            continue
        rows += needs.rows[one]
        for at in range(needs.ptr[one], needs.ptr[one + 1]):
            code = needs.code[at]
            if marks.seen[code] != stamp:
                marks.seen[code] = stamp
                marks.tally[needs.count_of[code]] += 1
                marks.codes[met] = code
                met += 1
    short = met == 0 if needs.beside else rows < needs.row_k
    for count in range(len(needs.wanted)):
        # Beside side information a count is wanted only of sets that hold a code of it.
        if marks.tally[count] < needs.wanted[count] and (marks.tally[count] > 0 or not needs.beside):
            short = True
        marks.tally[count] = 0
    if short or not needs.tolerant:
        return not short
    sort_codes(marks.codes, met)
    at = 0
    while at < met:
        count = needs.count_of[marks.codes[at]]
        length, least = 0, ZERO
        while at < met and marks.codes[at] < needs.offsets[count + 1]:
            if marks.codes[at] >= least:
                length += 1
                least = needs.next_code[marks.codes[at]]
            at += 1
        if length < needs.wanted[count]:
            return False
    return True


@hot_part
def needed_from_one_end(members: Int32s, size: int, forward: int, needs: Needs, marks: Marks) -> int:
    """Return how many members from one end are enough, or one more than there are if all of them are not.

    They are the first ones where ``forward`` is 1, else the last ones.
    """
    if needs.plain:
        marks.stamp[0] += 1
        stamp = marks.stamp[0]
        left = needs.wanted[0]
        for i in range(size):
            one = members[i if forward else size - 1 - i]
            for at in range(needs.ptr[one], needs.ptr[one + 1]):
                code = needs.code[at]
                if marks.seen[code] != stamp:
                    marks.seen[code] = stamp
                    left -= 1
            if left <= 0:
                return i + 1
        return size + 1
    return least_between(members, ZERO, size, forward, needs, marks)


@hot_part
def least_between(members: Int32s, low: int, size: int, forward: int, needs: Needs, marks: Marks) -> int:
    """Return the least number of members from one end that is enough, by doubling and halving."""
    high = low + 1
    while True:
        high = min(high, size)
        start = ZERO if forward else size - high
        if is_enough(members, start, start + high, NONE, needs, marks):
            break
        if high >= size:
            return size + 1
        low = high
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        start = ZERO if forward else size - middle
        if is_enough(members, start, start + middle, NONE, needs, marks):
            high = middle
        else:
            low = middle
    return high
