"""Tuples near a tuple, out of the index, and the window of a tuple, a bound for the combination max.

The window is the least side of a box that holds the tuple and is enough. A box has an interval in every
column of numbers and one category in every other column; no cluster that holds the tuple has a smaller side
than its window, and no window is less than the reach (Theorem C2). Whether a box of some side exists is
decided column by column: every longest run of that length around the tuple, the tuples outside struck off, a
set that is not enough given up. After too many sets the answer is yes, which leaves the bound valid and only
weaker.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Flags, Floats, Int32s, Ints, Places
from hartley.search.columns.loops.cells import (
    NONE,
    ONE,
    ZERO,
    Cells,
    Marks,
    Needs,
    gap_of,
    gap_to_box,
    is_enough,
    sort_stably,
    width_between,
)
from hartley.search.columns.loops.index import (
    Indexed,
    Tree,
    Walk,
    drop_first,
    is_used_up,
    open_box,
    push,
    reach_of,
    use_up,
)

PAGE = cast("int", np.int64(1 << 16))


class PackedLists(NamedTuple):
    """Lists of near tuples for very many of them, in three bytes for each while there are at most 2^24.

    The list of tuple ``x`` has the numbers ``page[at] * PAGE + low[at]`` for ``size[x]`` places from
    ``start[x]`` on; start is -1 where there is none yet.
    """

    start: Ints
    size: npt.NDArray[np.int16]
    low: npt.NDArray[np.uint16]
    page: npt.NDArray[np.unsignedinteger]


@hot_loop
def near_tuples(
    table: Indexed, one: int, most_gap: float, nearest: int, per_code: int, most_codes: int, most: int,
    most_looked_at: int, out: Int32s,
) -> int:  # fmt: skip
    """List tuples near one, nearest first, and return how many.

    The nearest in any case, then so many holders of each code. It ends when so many codes were met, or so
    many tuples, or about so many tuples and boxes were looked at.
    """
    cells, needs, marks, tree, walk = table
    n = len(cells.place)
    prune = len(tree.bits[0]) * 64 >= len(marks.kept)
    for word in range(len(walk.mask)):
        walk.mask[word] = 0
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    got, codes = ZERO, ZERO
    size = push(walk, ZERO, 0.0, n)
    while size > 0 and got < most and most_looked_at > 0 and (got < nearest or codes < most_codes):
        item = walk.item[0]
        size = drop_first(walk, size)
        most_looked_at -= 1
        if item >= n:
            if tree.left[item - n] < 0:
                most_looked_at -= tree.last[item - n] - tree.first[item - n]
            if not (prune and got >= nearest and is_used_up(tree, item - n, walk)):
                only_left = stamp if got >= nearest and needs.row_k <= 1 else NONE
                size = open_box(table, size, one, item - n, most_gap, only_left, per_code)
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
    cells: Cells,
    tree: Tree,
    walk: Walk,
    one: int,
    nearest: int,
    most_looked_at: int,
    gaps: Floats,
    out: Int32s,
) -> int:
    """List the tuples nearest to one, nearest first; return how many.

    They are the nearest of those looked at, about so many tuples and boxes at most, from the nearest box on.
    """
    n = len(cells.place)
    got = 0
    size = push(walk, ZERO, 0.0, n)
    while size > 0 and (got < nearest or (walk.gap[0] < gaps[got - 1] and most_looked_at > 0)):
        box = walk.item[0] - n
        size = drop_first(walk, size)
        most_looked_at -= 2 if tree.left[box] >= 0 else tree.last[box] - tree.first[box]
        if tree.left[box] >= 0:
            for child in (tree.left[box], tree.right[box]):
                gap = gap_to_box(cells, one, tree.low[child], tree.high[child])
                if got < nearest or gap < gaps[got - 1]:
                    size = push(walk, size, gap, n + child)
            continue
        for i in range(tree.first[box], tree.last[box]):
            other = tree.order[i] + ZERO
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
    table: Indexed, members: Places, nearest: int, most: int, looks: int, lists: PackedLists, used: int
) -> int:
    """Write lists of near tuples from ``used`` on; return how far the room is used then.

    A list holds the nearest; where these are not enough together, fewer of them and the nearest holder of
    each code.
    """
    cells, needs, marks, tree, walk = table
    gaps, out = np.empty(nearest), np.empty(most, np.int32)
    near = np.empty(nearest + 1, np.int32)
    for i in range(len(members)):
        one = members[i]
        got = nearest_tuples(cells, tree, walk, one, nearest, looks, gaps, out)
        for k in range(got):
            near[k] = out[k]
        near[got] = one
        if not is_enough(near, ZERO, got + 1, NONE, needs, marks):
            half, codes = nearest // 2, 2 * needs.wanted[0] if needs.plain else len(marks.kept)
            got = near_tuples(table, one, np.inf, half, ONE, codes, most, looks, out)
        lists.start[one] = used
        lists.size[one] = got
        for k in range(got):
            lists.low[used + k] = out[k] % PAGE
            lists.page[used + k] = out[k] // PAGE
        used += got
    return used


@hot_part
def within_gap(cells: Cells, tree: Tree, walk: Walk, one: int, gap: float, out: Int32s, most: int) -> int:
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
            if gap_of(cells, one, tree.order[i] + ZERO) <= gap:
                if got == most:
                    return most + 1
                out[got] = tree.order[i]
                got += 1
    return got


MOST_TUPLES = 2000
MOST_SETS = 4000
STEPS = 20


@hot_loop
def has_box(
    cells: Cells, needs: Needs, marks: Marks, one: int, side: float, near: Int32s, size: int, most: int
) -> bool:
    """Tell whether a box of this side holds a tuple and enough, out of ``near[:size]``."""
    columns = cells.place.shape[1]
    sets = np.empty((columns + 1, size), np.int32)
    sizes = np.zeros(columns + 1, np.int64)
    column_of = np.full(columns + 1, -1, np.int64)
    next_of = np.zeros(columns + 1, np.int64)
    end_of = np.full(columns + 1, -1, np.int64)
    other_set, key, other_key = np.empty(size, np.int32), np.empty(size), np.empty(size)
    for i in range(size):
        sets[0, i] = near[i]
    sizes[0] = size
    depth = ZERO
    entering = True
    while depth >= 0:
        length = sizes[depth]
        if entering:
            most -= 1
            if most < 0:
                return True
            if not is_enough(sets[depth], ZERO, length, NONE, needs, marks):
                depth -= 1
                entering = False
                continue
            column = 0 if depth == 0 else column_of[depth - 1] + 1
            while column < columns:
                low, high = np.inf, -np.inf
                for i in range(length):
                    cell = cells.place[sets[depth, i], column]
                    low = min(low, cell)
                    high = max(high, cell)
                if width_between(cells, column, low, high) > side:
                    break
                column += 1
            if column == columns:
                return True
            for i in range(length):
                key[i] = cells.place[sets[depth, i], column]
            sort_stably(sets[depth], key, length, other_set, other_key)
            column_of[depth] = column
            next_of[depth] = 0
            end_of[depth] = -1
        column = column_of[depth]
        opened = False
        at = next_of[depth]
        while at < length:
            cell = cells.place[sets[depth, at], column]
            if cell > cells.place[one, column]:
                break
            if at > 0 and cells.place[sets[depth, at - 1], column] == cell:
                at += 1
                continue
            end = at
            while (
                end < length
                and width_between(cells, column, cell, cells.place[sets[depth, end], column]) <= side
            ):
                end += 1
            at += 1
            if end <= end_of[depth] or cells.place[sets[depth, end - 1], column] < cells.place[one, column]:
                continue
            end_of[depth] = end
            sizes[depth + 1] = end - at + 1
            for i in range(at - 1, end):
                sets[depth + 1, i - at + 1] = sets[depth, i]
            opened = True
            break
        next_of[depth] = at
        depth += 1 if opened else -1
        entering = opened
    return False


@hot_loop
def window_above(table: Indexed, one: int, known: float, side: float, near: Int32s) -> float:
    """Return a bound of a tuple's window, at least ``known`` and at most ``side``, which is known to do.

    First whether the known one does (most stop here), then whether anything below the side does (if not, it
    is the window), then by halving.
    """
    cells, needs, marks, tree, walk = table
    low, high = known, side
    for step in range(STEPS):
        tried = 0.5 * (low + high)
        if step == 0:
            tried = low
        elif step == 1:
            tried = np.nextafter(side, 0.0)
        size = within_gap(cells, tree, walk, one, tried, near, len(near) - 1)
        if size >= len(near) or has_box(cells, needs, marks, one, tried, near, size, MOST_SETS):
            if step == 0:
                return known
            high = tried
        else:
            if step == 1:
                return side
            low = tried
    return low


@hot_loop
def bound_cluster(
    table: Indexed, reach: Floats, looked: Flags, members: Places, bound: float, side: float, most: float,
    windows: bool,
) -> float:  # fmt: skip
    """Raise the bound by the members of a cluster of this side that were not looked at; write their reaches.

    ``reach[x]`` is below 0 where it is not known.
    """
    near = np.empty(MOST_TUPLES + 1, np.int32)
    for i in range(len(members)):
        one = members[i]
        if looked[one]:
            continue
        looked[one] = True
        if reach[one] < 0:
            reach[one] = reach_of(table, one, most)
        bound = max(bound, reach[one])
        if windows and side > bound:
            bound = max(bound, window_above(table, one, bound, side, near))
    return bound
