"""Tuples near a tuple, out of the index."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Places
from hartley.search.columns.loops.cells import Cells, gap_of, gap_to_box, inner_part
from hartley.search.columns.loops.index import Tree, Walk, drop_first, is_used_up, open_box, push, use_up
from hartley.search.columns.loops.needs import NONE, ONE, ZERO, Marks, Needs, is_enough


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
    """List tuples near one, nearest first, and return how many.

    The nearest in any case, then so many holders of each code. It ends when so many codes were met, or so
    many tuples.
    """
    n = len(cells.place)
    prune = len(tree.bits[0]) * 64 >= len(marks.kept)
    for word in range(len(walk.mask)):
        walk.mask[word] = 0
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    got, codes = ZERO, ZERO
    size = push(walk, ZERO, 0.0, n)
    while size > 0 and got < most and (got < nearest or codes < most_codes):
        item = walk.item[0]
        size = drop_first(walk, size)
        if item >= n:
            if not (prune and got >= nearest and is_used_up(tree, item - n, walk)):
                only_left = stamp if got >= nearest and needs.row_k <= 1 else NONE
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
    n = len(cells.place)
    got = 0
    size = push(walk, ZERO, 0.0, n)
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

    A list holds the nearest; where these are not enough together, fewer of them and the nearest holder of
    each code.
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
        if not is_enough(near, ZERO, got + 1, NONE, needs, marks):
            half, codes = nearest // 2, 2 * needs.wanted[0] if needs.plain else len(marks.kept)
            got = near_tuples(cells, needs, marks, tree, walk, one, np.inf, half, ONE, codes, most, out)
        start[one] = used
        sizes[one] = got
        used += got
    return used


@inner_part
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
