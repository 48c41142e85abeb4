"""An index of the tuples: a tree of boxes with the codes each holds, walked from the nearest on.

Reach of a tuple: the least gap within which the tuples around it are enough together. No cluster that is
enough and holds the tuple has a smaller side, so the greatest reach bounds the worst side of every partition
(Theorem C2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Int32s, Places
from hartley.search.columns.loops.boxes import box_into
from hartley.search.columns.loops.cells import (
    NONE,
    ONE,
    ZERO,
    Cells,
    Marks,
    Needs,
    gap_of,
    gap_to_box,
    least_between,
    sort_stably,
    width_between,
)

LEAF = 16
MOST_WORDS = 64
"""Words of codes kept for each box at most; with more codes than fit, no box is skipped for its codes."""


class Tree(NamedTuple):
    """Boxes of tuples: ``order[first[b]:last[b]]`` lie in box ``b``; the root is 0, a leaf has left -1."""

    order: Int32s
    first: Int32s
    last: Int32s
    left: Int32s
    right: Int32s
    low: Floats
    high: Floats
    bits: npt.NDArray[np.uint64]


class Walk(NamedTuple):
    """Scratch paper of a walk: a heap of boxes and tuples by gap, the codes that are used up, tuples met."""

    gap: Floats
    item: Int32s
    mask: npt.NDArray[np.uint64]
    times: Places
    met: Int32s
    met_gap: Floats


class Indexed(NamedTuple):
    """A table and a demand with the index of its tuples, and scratch paper."""

    cells: Cells
    needs: Needs
    marks: Marks
    tree: Tree
    walk: Walk


class Sorting(NamedTuple):
    """Scratch paper to sort tuples on."""

    key: Floats
    other_line: Int32s
    other_key: Floats


@hot_loop
def grow_tree(
    cells: Cells, needs: Needs, tree: Tree, paper: Sorting, counts: Places, leaf: int, budget: int
) -> None:
    """Build the tree, or about so many tuples' worth of it: boxes are halved down to a few tuples.

    They are halved at the median of the column that keeps their tuples farthest apart. The tree is written
    into the room that is given, of zeros; ``counts`` has how many boxes are done and how many there are.
    """
    n, columns = cells.place.shape
    order, low, high = tree.order, tree.low, tree.high
    box, used = counts[0], counts[1]
    if used == 0:
        for i in range(n):
            order[i] = i
        tree.first[0], tree.last[0] = 0, n
        used = 1
    while box < used and budget > 0:
        a, b = tree.first[box] + ZERO, tree.last[box] + ZERO
        budget -= b - a
        tree.left[box], tree.right[box] = -1, -1
        box_into(cells, order, a, b, low[box], high[box])
        if b - a > leaf:
            widest, chosen = -1.0, 0
            for column in range(columns):
                width = width_between(cells, column, low[box, column], high[box, column])
                if cells.kind[column] != 0 and width > 0:
                    # Of categories that lie as far apart, the column of more of them comes first.
                    width *= 2.0 - 1.0 / (1.0 + high[box, column] - low[box, column])
                if width > widest:
                    widest, chosen = width, column
            for i in range(a, b):
                paper.key[i - a] = cells.place[order[i], chosen]
            sort_stably(order[a:b], paper.key, b - a, paper.other_line, paper.other_key)
            middle = (a + b) // 2
            tree.left[box], tree.first[used], tree.last[used] = used, a, middle
            tree.right[box], tree.first[used + 1], tree.last[used + 1] = used + 1, middle, b
            used += 2
        box += 1
    counts[0], counts[1] = box, used
    if box < used:
        return
    words = tree.bits.shape[1]
    for box in range(used - 1, -1, -1):
        if tree.left[box] >= 0:
            for word in range(words):
                tree.bits[box, word] = tree.bits[tree.left[box], word] | tree.bits[tree.right[box], word]
            continue
        for i in range(tree.first[box], tree.last[box]):
            for at in range(needs.ptr[order[i]], needs.ptr[order[i] + 1]):
                code = np.int64(needs.code[at])
                if (code >> 6) < words:
                    tree.bits[box, code >> 6] |= np.uint64(1) << np.uint64(code & 63)


@hot_part
def push(walk: Walk, size: int, gap: float, item: int) -> int:
    """Put an item on the heap; of equal gaps the smaller item comes first."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if walk.gap[above] < gap or (walk.gap[above] == gap and walk.item[above] <= item):
            break
        walk.gap[at] = walk.gap[above]
        walk.item[at] = walk.item[above]
        at = above
    walk.gap[at] = gap
    walk.item[at] = item
    return size + 1


@hot_part
def drop_first(walk: Walk, size: int) -> int:
    """Take the first item off the heap (it is read before)."""
    size -= 1
    gap, item = walk.gap[size], walk.item[size]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and (
            walk.gap[below + 1] < walk.gap[below]
            or (walk.gap[below + 1] == walk.gap[below] and walk.item[below + 1] < walk.item[below])
        ):
            below += 1
        if gap < walk.gap[below] or (gap == walk.gap[below] and item <= walk.item[below]):
            break
        walk.gap[at] = walk.gap[below]
        walk.item[at] = walk.item[below]
        at = below
    walk.gap[at] = gap
    walk.item[at] = item
    return size


@hot_part
def is_used_up(tree: Tree, box: int, walk: Walk) -> bool:
    """Tell whether every code in a box is used up."""
    for word in range(len(tree.bits[0])):  # noqa: SIM110 - loops make no generators
        if tree.bits[box][word] & ~walk.mask[word]:
            return False
    return True


@hot_part
def use_up(walk: Walk, code: int) -> None:
    """Mark a code as used up."""
    walk.mask[code >> 6] |= np.uint64(1) << np.uint64(code & 63)


@hot_part
def has_code_left(needs: Needs, marks: Marks, walk: Walk, one: int, stamp: int, per_code: int) -> bool:
    """Tell whether a tuple holds a code that was met less often than this under the stamp."""
    for at in range(needs.ptr[one], needs.ptr[one + 1]):
        code = needs.code[at]
        if marks.kept[code] != stamp or walk.times[code] < per_code:
            return True
    return False


@hot_part
def open_box(table: Indexed, size: int, one: int, box: int, most: float, stamp: int, per_code: int) -> int:
    """Put what a box holds on the heap, as far as it lies within a gap of the tuple.

    Of the tuples, only those with a code that was met less often than this under the stamp (-1: all).
    """
    cells, needs, marks, tree, walk = table
    n = len(cells.place)
    if tree.left[box] < 0:
        for i in range(tree.first[box], tree.last[box]):
            other = tree.order[i] + ZERO
            if stamp < 0 or has_code_left(needs, marks, walk, other, stamp, per_code):
                gap = gap_of(cells, one, other)
                if gap <= most:
                    size = push(walk, size, gap, other)
        return size
    for child in (tree.left[box], tree.right[box]):
        gap = gap_to_box(cells, one, tree.low[child], tree.high[child])
        if gap <= most:
            size = push(walk, size, gap, n + child)
    return size


@hot_part
def reach_of(table: Indexed, one: int, most: float) -> float:
    """Return the least gap within which the tuples around one are enough, ``most`` where that is farther."""
    cells, needs, marks, tree, walk = table
    n = len(cells.place)
    prune = len(tree.bits[0]) * 64 >= len(marks.kept)
    for word in range(len(walk.mask)):
        walk.mask[word] = 0
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    met, rows, check = ZERO, ZERO, ONE
    left = needs.wanted[0]
    size = push(walk, ZERO, 0.0, n)
    while size > 0:
        gap, item = walk.gap[0], walk.item[0]
        if gap >= most:
            break
        size = drop_first(walk, size)
        if item >= n:
            if not (prune and rows >= needs.row_k and is_used_up(tree, item - n, walk)):
                only_new = stamp if rows >= needs.row_k else NONE
                size = open_box(table, size, one, item - n, most, only_new, ONE)
            continue
        helps = rows < needs.row_k
        rows += needs.rows[item]
        for at in range(needs.ptr[item], needs.ptr[item + 1]):
            code = needs.code[at]
            if marks.kept[code] != stamp:
                marks.kept[code] = stamp
                walk.times[code] = 1
                left -= 1
                helps = True
                if prune:
                    use_up(walk, code)
        if needs.plain:
            if left <= 0:
                return float(gap)
        elif helps:
            walk.met[met] = item
            walk.met_gap[met] = gap
            met += 1
            if met == check:
                found = least_between(walk.met, check // 2, met, ONE, needs, marks)
                if found <= met:
                    return float(walk.met_gap[found - 1])
                check *= 2
    if not needs.plain and met > 0:
        found = least_between(walk.met, check // 2, met, ONE, needs, marks)
        if found <= met:
            return float(walk.met_gap[found - 1])
    return most


@hot_loop
def reaches(table: Indexed, members: Places, most: float, out: Floats) -> None:
    """Fill ``out[i]`` with the reach of tuple ``members[i]``, ``most`` where it is farther."""
    for i in range(len(members)):
        out[i] = reach_of(table, members[i], most)
