"""An index of the tuples: a tree of boxes with the codes each holds, walked from the nearest on.

Reach of a tuple: the least gap within which the tuples around it are enough together. No cluster that is enough and
holds the tuple has a smaller side, so the greatest reach bounds the worst side of every partition (Theorem 2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.search.columns.cells import Cells, Floats, Places, gap_of, gap_to_box, width_between
from hartley.search.columns.needs import Marks, Needs, is_enough, least_between

LEAF = 16
MOST_WORDS = 64
"""Words of codes kept for each box at most; with more codes than these hold, no box is skipped for its codes."""


class Tree(NamedTuple):
    """Boxes of tuples: ``order[first[b]:last[b]]`` lie in box ``b``; the root is 0; a leaf has no left child."""

    order: Places
    first: Places
    last: Places
    left: Places
    right: Places
    low: Floats
    high: Floats
    bits: npt.NDArray[np.uint64]


class Walk(NamedTuple):
    """Scratch paper of a walk: a heap of boxes and tuples by gap, the codes that are used up, tuples met."""

    gap: Floats
    item: Places
    mask: npt.NDArray[np.uint64]
    times: Places
    met: Places
    met_gap: Floats


@hot_loop
def grow_tree(cells: Cells, needs: Needs, words: int) -> Tree:
    """Build the tree: boxes are halved at the median of their widest column down to a few tuples."""
    n, columns = cells.place.shape
    most = 4 * (n // LEAF + 2)
    order = np.arange(n)
    first, last = np.zeros(most, np.int64), np.zeros(most, np.int64)
    left, right = np.full(most, -1, np.int64), np.full(most, -1, np.int64)
    low, high = np.full((most, columns), np.inf), np.full((most, columns), -np.inf)
    last[0] = n
    used, box = 1, 0
    while box < used:
        a, b = first[box], last[box]
        for i in range(a, b):
            for column in range(columns):
                cell = cells.place[order[i], column]
                low[box, column] = min(low[box, column], cell)
                high[box, column] = max(high[box, column], cell)
        if b - a > LEAF:
            widest, chosen = -1.0, 0
            for column in range(columns):
                width = width_between(cells, column, low[box, column], high[box, column])
                if cells.kind[column] != 0 and width > 0:
                    width += high[box, column] - low[box, column]
                if width > widest:
                    widest, chosen = width, column
            values = np.empty(b - a)
            for i in range(a, b):
                values[i - a] = cells.place[order[i], chosen]
            order[a:b] = order[a:b][np.argsort(values, kind="mergesort")]
            middle = (a + b) // 2
            left[box], first[used], last[used] = used, a, middle
            right[box], first[used + 1], last[used + 1] = used + 1, middle, b
            used += 2
        box += 1
    bits = np.zeros((used, words), np.uint64)
    for box in range(used - 1, -1, -1):
        if left[box] >= 0:
            for word in range(words):
                bits[box, word] = bits[left[box], word] | bits[right[box], word]
            continue
        for i in range(first[box], last[box]):
            for at in range(needs.ptr[order[i]], needs.ptr[order[i] + 1]):
                code = np.int64(needs.code[at])
                if (code >> 6) < words:
                    bits[box, code >> 6] |= np.uint64(1) << np.uint64(code & 63)
    return Tree(order, first[:used], last[:used], left[:used], right[:used], low[:used], high[:used], bits)


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
    for word in range(tree.bits.shape[1]):
        if tree.bits[box, word] & ~walk.mask[word]:
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
def open_box(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    tree: Tree,
    walk: Walk,
    size: int,
    one: int,
    box: int,
    most: float,
    stamp: int,
    per_code: int,
) -> int:
    """Put what a box holds on the heap, as far as it lies within a gap of the tuple.

    Of the tuples, only those with a code that was met less often than this under the stamp (-1: all).
    """
    n = cells.place.shape[0]
    if tree.left[box] < 0:
        for i in range(tree.first[box], tree.last[box]):
            other = tree.order[i]
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
def reach_of(
    cells: Cells, needs: Needs, marks: Marks, tree: Tree, walk: Walk, one: int, most: float
) -> float:
    """Return the least gap within which the tuples around one are enough, ``most`` where that is farther."""
    n = cells.place.shape[0]
    prune = tree.bits.shape[1] * 64 >= len(marks.kept)
    for word in range(len(walk.mask)):
        walk.mask[word] = 0
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    met, rows, check = 0, 0, 1
    left = needs.wanted[0]
    size = push(walk, 0, 0.0, n)
    while size > 0:
        gap, item = walk.gap[0], walk.item[0]
        if gap >= most:
            break
        size = drop_first(walk, size)
        if item >= n:
            if not (prune and rows >= needs.row_k and is_used_up(tree, item - n, walk)):
                only_new = stamp if rows >= needs.row_k else -1
                size = open_box(cells, needs, marks, tree, walk, size, one, item - n, most, only_new, 1)
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
                return gap
        elif helps:
            walk.met[met] = item
            walk.met_gap[met] = gap
            met += 1
            if met == check:
                found = least_between(walk.met, check // 2, met, True, needs, marks)
                if found <= met:
                    return walk.met_gap[found - 1]
                check *= 2
    if not needs.plain and met > 0:
        found = least_between(walk.met, check // 2, met, True, needs, marks)
        if found <= met:
            return walk.met_gap[found - 1]
    return most


@hot_loop
def reaches(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    tree: Tree,
    walk: Walk,
    members: Places,
    most: float,
    out: Floats,
) -> None:
    """Write the reach of every one of some tuples."""
    for i in range(len(members)):
        out[i] = reach_of(cells, needs, marks, tree, walk, members[i], most)


@hot_loop
def near_tuples(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    tree: Tree,
    walk: Walk,
    one: int,
    most_gap: float,
    nearest: int,
    per_code: int,
    most_codes: int,
    most: int,
    out: npt.NDArray[np.int32],
) -> int:
    """List tuples near one, nearest first: so many in any case, then so many holders of each code; return how many.

    It ends when so many codes were met, or so many tuples.
    """
    n = cells.place.shape[0]
    prune = tree.bits.shape[1] * 64 >= len(marks.kept)
    for word in range(len(walk.mask)):
        walk.mask[word] = 0
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    got, codes = 0, 0
    size = push(walk, 0, 0.0, n)
    while size > 0 and got < most and (got < nearest or codes < most_codes):
        item = walk.item[0]
        size = drop_first(walk, size)
        if item >= n:
            if not (prune and got >= nearest and is_used_up(tree, item - n, walk)):
                only_left = stamp if got >= nearest and needs.row_k <= 1 else -1
                size = open_box(
                    cells, needs, marks, tree, walk, size, one, item - n, most_gap, only_left, per_code
                )
            continue
        helps = got < nearest or needs.row_k > 1
        for at in range(needs.ptr[item], needs.ptr[item + 1]):
            code = needs.code[at]
            if marks.kept[code] != stamp:
                marks.kept[code] = stamp
                walk.times[code] = 0
                codes += 1
            walk.times[code] += 1
            if walk.times[code] <= per_code:
                helps = True
            if walk.times[code] == per_code and prune:
                use_up(walk, code)
        if helps and item != one:
            out[got] = item
            got += 1
    return got


@hot_loop
def nearest_tuples(
    cells: Cells, tree: Tree, walk: Walk, one: int, nearest: int, gaps: Floats, out: npt.NDArray[np.int32]
) -> int:
    """List the tuples nearest to one, nearest first; return how many."""
    n = cells.place.shape[0]
    got = 0
    size = push(walk, 0, 0.0, n)
    while size > 0 and (got < nearest or walk.gap[0] < gaps[got - 1]):
        box = walk.item[0] - n
        size = drop_first(walk, size)
        if tree.left[box] >= 0:
            for child in (tree.left[box], tree.right[box]):
                gap = gap_to_box(cells, one, tree.low[child], tree.high[child])
                if got < nearest or gap < gaps[got - 1]:
                    size = push(walk, size, gap, n + child)
            continue
        for i in range(tree.first[box], tree.last[box]):
            other = tree.order[i]
            gap = gap_of(cells, one, other)
            if other == one or (got == nearest and gap >= gaps[got - 1]):
                continue
            at = got if got < nearest else nearest - 1
            while at > 0 and (gaps[at - 1] > gap or (gaps[at - 1] == gap and out[at - 1] > other)):
                gaps[at] = gaps[at - 1]
                out[at] = out[at - 1]
                at -= 1
            gaps[at] = gap
            out[at] = other
            got = min(got + 1, nearest)
    return got


@hot_loop
def list_nearest(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    tree: Tree,
    walk: Walk,
    members: Places,
    nearest: int,
    most: int,
    start: Places,
    sizes: Places,
    pool: npt.NDArray[np.int32],
    used: int,
) -> int:
    """Write lists of near tuples into a pool from ``used`` on; return how far it is used then.

    A list holds the nearest; where these are not enough together, fewer of them and the nearest holder of each code.
    """
    gaps = np.empty(nearest)
    near = np.empty(nearest + 1, np.int64)
    for i in range(len(members)):
        one = members[i]
        out = pool[used : used + most]
        got = nearest_tuples(cells, tree, walk, one, nearest, gaps, out)
        for k in range(got):
            near[k] = out[k]
        near[got] = one
        if not is_enough(near, 0, got + 1, -1, needs, marks):
            half, codes = nearest // 2, 2 * needs.wanted[0] if needs.plain else len(marks.kept)
            got = near_tuples(cells, needs, marks, tree, walk, one, np.inf, half, 1, codes, most, out)
        start[one] = used
        sizes[one] = got
        used += got
    return used


@hot_part
def within_gap(cells: Cells, tree: Tree, walk: Walk, one: int, gap: float, out: Places, most: int) -> int:
    """List the tuples within a gap of one; one more than ``most`` where there are too many."""
    got, top = 0, 1
    walk.item[0] = 0
    while top > 0:
        top -= 1
        box = walk.item[top]
        if gap_to_box(cells, one, tree.low[box], tree.high[box]) > gap:
            continue
        if tree.left[box] >= 0:
            walk.item[top] = tree.left[box]
            walk.item[top + 1] = tree.right[box]
            top += 2
            continue
        for i in range(tree.first[box], tree.last[box]):
            if gap_of(cells, one, tree.order[i]) <= gap:
                if got == most:
                    return most + 1
                out[got] = tree.order[i]
                got += 1
    return got
