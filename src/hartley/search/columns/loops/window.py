"""Window of a tuple: the least side of a box that holds it and is enough. Bounds for the combination max.

A box has an interval in every column of numbers and one category in every other column; no cluster that holds
the tuple has a smaller side than its window, and no window is less than the reach (Theorem 2). Whether a box
of some side exists is decided column by column: every longest run of that length around the tuple, the tuples
outside struck off, a set that is not enough given up. After too many sets the answer is yes, which leaves the
bound valid and only weaker.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Places
from hartley.search.columns.loops.cells import Cells, sort_stably, width_between
from hartley.search.columns.loops.index import Tree, Walk, reach_of
from hartley.search.columns.loops.near import within_gap
from hartley.search.columns.loops.needs import NONE, ZERO, Marks, Needs, is_enough

MOST_TUPLES = 2000
MOST_SETS = 4000
STEPS = 20


@hot_loop
def has_box(
    cells: Cells, needs: Needs, marks: Marks, one: int, side: float, near: Places, size: int, most: int
) -> bool:
    """Tell whether a box of this side holds a tuple and enough, out of ``near[:size]``."""
    columns = cells.place.shape[1]
    sets = np.empty((columns + 1, size), np.int64)
    sizes = np.zeros(columns + 1, np.int64)
    column_of = np.full(columns + 1, -1, np.int64)
    next_of = np.zeros(columns + 1, np.int64)
    end_of = np.full(columns + 1, -1, np.int64)
    other_set, key, other_key = np.empty(size, np.int64), np.empty(size), np.empty(size)
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
def window_above(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    tree: Tree,
    walk: Walk,
    one: int,
    known: float,
    side: float,
    near: Places,
) -> float:
    """Return a bound of a tuple's window, at least ``known`` and at most ``side``, which is known to do.

    First whether the known one does (most stop here), then whether anything below the side does (if not, it
    is the window), then by halving.
    """
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
    cells: Cells,
    needs: Needs,
    marks: Marks,
    tree: Tree,
    walk: Walk,
    members: Places,
    reach: Floats,
    looked: npt.NDArray[np.bool_],
    bound: float,
    side: float,
    most: float,
    windows: bool,
) -> float:
    """Raise the bound by the members of a cluster of this side that were not looked at; write their reaches.

    ``reach[x]`` is below 0 where it is not known.
    """
    near = np.empty(MOST_TUPLES + 1, np.int64)
    for i in range(len(members)):
        one = members[i]
        if looked[one]:
            continue
        looked[one] = True
        if reach[one] < 0:
            reach[one] = reach_of(cells, needs, marks, tree, walk, one, most)
        bound = max(bound, reach[one])
        if windows and side > bound:
            bound = max(bound, window_above(cells, needs, marks, tree, walk, one, bound, side, near))
    return bound
