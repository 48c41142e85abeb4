"""Peel small clusters off large ones that no cut divides, from the ends of their widest column in turn.

A part starts at the extreme tuple. It takes the tuple that brings something new and gives the least side
(ties: the least relative width, then the place) and whose loss leaves the rest enough, until the part is
enough. Two failures in a row end it. Where every tuple holds one code and nothing but different codes count,
a cluster that can be divided at all is divided (Theorem 9).
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Places
from hartley.search.columns.loops.cells import Cells, inner_part, side_of, side_with, width_between
from hartley.search.columns.loops.needs import NONE, ONE, ZERO, Marks, Needs, is_enough

MOST_PEELED = 400
"""Clusters of more tuples are not peeled where more is wanted than one plain count: each test is long."""


@inner_part
def added_share(cells: Cells, low: Floats, high: Floats, one: int) -> float:
    """Return how much relative width a box gains with a tuple; a category outside its run is one more."""
    gain = 0.0
    for column in range(cells.place.shape[1]):
        cell = cells.place[one, column]
        if cells.kind[column] == 0:
            gain += cells.share[column] * (max(low[column] - cell, 0.0) + max(cell - high[column], 0.0))
        elif cell < low[column] or cell > high[column]:
            gain += cells.share[column]
    return gain


@inner_part
def lost_codes(one: int, times: Places, needs: Needs) -> int:
    """Return how many codes a set loses with a tuple, given how often it holds each."""
    lost = 0
    for at in range(needs.ptr[one], needs.ptr[one + 1]):
        if times[needs.code[at]] == 1:
            lost += 1
    return lost


@inner_part
def new_codes(one: int, stamp: int, needs: Needs, marks: Marks) -> int:
    """Return how many codes of a tuple are not yet kept under this stamp."""
    new = 0
    for at in range(needs.ptr[one], needs.ptr[one + 1]):
        if marks.kept[needs.code[at]] != stamp:
            new += 1
    return new


@inner_part
def take_into(cells: Cells, one: int, low: Floats, high: Floats) -> None:
    """Widen a box by a tuple."""
    for column in range(cells.place.shape[1]):
        cell = cells.place[one, column]
        low[column] = min(low[column], cell)
        high[column] = max(high[column], cell)


@inner_part
def extreme_tuple(cells: Cells, line: Places, size: int, upper: int, low: Floats, high: Floats) -> int:
    """Return the place in the line of the tuple at an end of the widest column; -1 if all are the same."""
    for column in range(cells.place.shape[1]):
        low[column] = np.inf
        high[column] = -np.inf
    for i in range(size):
        take_into(cells, line[i], low, high)
    if side_of(cells, low, high) <= 0:
        return -1
    widest, column = -1.0, 0
    for other in range(cells.place.shape[1]):
        width = width_between(cells, other, low[other], high[other])
        if width > widest:
            widest, column = width, other
    extreme = 0
    for i in range(1, size):
        cell, known = cells.place[line[i], column], cells.place[line[extreme], column]
        if (cell > known) if upper else (cell < known):
            extreme = i
    return extreme


@inner_part
def next_to_peel(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    line: Places,
    size: int,
    taken: int,
    held: int,
    times: Places,
    low: Floats,
    high: Floats,
    stamp: int,
) -> int:
    """Return the place in the line of the tuple to take next; -1 where none can be taken."""
    best, least, least_share = -1, np.inf, np.inf
    for i in range(taken, size):
        one = line[i]
        if needs.row_k <= 1 and new_codes(one, stamp, needs, marks) == 0:
            continue
        side = side_with(cells, low, high, one)
        if side > least:
            continue
        share = added_share(cells, low, high, one)
        if side == least and (share > least_share or (share == least_share and one > line[best])):
            continue
        if needs.plain:
            if held - lost_codes(one, times, needs) < needs.wanted[0]:
                continue
        elif not is_enough(line, taken, size, one, needs, marks):
            continue
        best, least, least_share = i, side, share
    return best


@inner_part
def peel_part(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    line: Places,
    size: int,
    upper: int,
    times: Places,
    low: Floats,
    high: Floats,
) -> int:
    """Bring a part to the front of the line; return how many tuples it has, 0 where none can be had."""
    chosen = extreme_tuple(cells, line, size, upper, low, high)
    if chosen < 0:
        return 0
    held = ZERO
    for i in range(size):
        for at in range(needs.ptr[line[i]], needs.ptr[line[i] + 1]):
            times[needs.code[at]] += 1
            if times[needs.code[at]] == 1:
                held += 1
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    for column in range(cells.place.shape[1]):
        low[column] = np.inf
        high[column] = -np.inf
    taken, left = ZERO, needs.wanted[0]
    while True:
        one = line[chosen]
        if taken == 0:
            fits = (
                held - lost_codes(one, times, needs) >= needs.wanted[0]
                if needs.plain
                else is_enough(line, ZERO, size, one, needs, marks)
            )
            if not fits:
                break
        line[chosen] = line[taken]
        line[taken] = one
        taken += 1
        take_into(cells, one, low, high)
        for at in range(needs.ptr[one], needs.ptr[one + 1]):
            code = needs.code[at]
            times[code] -= 1
            if times[code] == 0:
                held -= 1
            if marks.kept[code] != stamp:
                marks.kept[code] = stamp
                left -= 1
        if (left <= 0) if needs.plain else is_enough(line, ZERO, taken, NONE, needs, marks):
            break
        chosen = next_to_peel(cells, needs, marks, line, size, taken, held, times, low, high, stamp)
        if chosen < 0:
            taken = 0
            break
    for i in range(size):
        for at in range(needs.ptr[line[i]], needs.ptr[line[i] + 1]):
            times[needs.code[at]] = 0
    return taken


@hot_loop
def peel_clusters(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    members: Places,
    starts: Places,
    from_cluster: int,
    budget: int,
    label: Places,
    counts: Places,
) -> int:
    """Peel clusters, from one on, until about so many tuples were looked at; return the next one.

    ``members[starts[c]:starts[c + 1]]`` are the tuples of a cluster. The parts get new labels from
    ``counts[0]`` on.
    """
    columns = cells.place.shape[1]
    low, high = np.empty(columns), np.empty(columns)
    times = np.zeros(len(marks.kept), np.int64)
    for cluster in range(from_cluster, len(starts) - 1):
        if budget <= 0:
            return cluster
        line = members[starts[cluster] : starts[cluster + 1]]
        size = len(line)
        if not needs.plain and size > MOST_PEELED:
            continue
        failures, upper = 0, ZERO
        while size >= 2 and failures < 2:
            budget -= size * (1 + needs.wanted[0])
            part = peel_part(cells, needs, marks, line, size, upper, times, low, high)
            if part == 0:
                failures += 1
                upper = ONE - upper
                continue
            failures = 0
            for i in range(part):
                label[line[i]] = counts[0]
            counts[0] += 1
            line = line[part:]
            size -= part
    return len(starts) - 1
