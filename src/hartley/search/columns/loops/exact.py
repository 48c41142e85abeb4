"""All partitions of a few tuples: the least worst cost, then the least loss within it."""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.search.columns.loops.cells import Cells, Floats, Places, combined, width_between
from hartley.search.columns.loops.losses import Losses, loss_of
from hartley.search.columns.loops.needs import NONE, ZERO, Marks, Needs, is_enough
from hartley.search.columns.loops.parts import inner_part

SLACK = 1e-12


@inner_part
def centre_of(cells: Cells, column: int, members: Places, size: int) -> int:
    """Return the category that stands for the members of a cluster: the least worst, then the earliest."""
    best, least = ZERO, np.inf
    for i in range(size):
        category = int(cells.place[members[i], column])
        farthest = 0.0
        for k in range(size):
            at = cells.gap_at[column] + int(cells.place[members[k], column]) * cells.size[column] + category
            farthest = max(farthest, cells.table[at])
        if farthest < least:
            best, least = category, farthest
    return best


@inner_part
def cost_of(cells: Cells, members: Places, size: int, distance: Floats) -> float:
    """Return the cost of a cluster; its members are sorted, ``distance`` is scratch paper."""
    for i in range(size):
        distance[i] = 0.0
    for column in range(cells.place.shape[1]):
        low, high = np.inf, -np.inf
        for i in range(size):
            low = min(low, cells.place[members[i], column])
            high = max(high, cells.place[members[i], column])
        kind = cells.kind[column]
        node = width_between(cells, column, low, high) / 2
        centre = centre_of(cells, column, members, size) if kind == 3 else ZERO
        for i in range(size):
            cell = cells.place[members[i], column]
            if kind == 0:
                far = abs(cell - (low + high) / 2)
            elif kind == 1:
                far = 0.0 if cell == cells.place[members[0], column] else node
            elif kind == 2:
                far = node
            else:
                far = cells.table[cells.gap_at[column] + int(cell) * cells.size[column] + centre]
            distance[i] = combined(cells.norm, distance[i], far)
    farthest = 0.0
    for i in range(size):
        farthest = max(farthest, distance[i])
    return float(farthest**0.5 if cells.norm == 2 else farthest)


@hot_loop
def best_division(
    cells: Cells, needs: Needs, marks: Marks, losses: Losses, members: Places, out: Places
) -> float:
    """Write the cluster of each member in the best division; return its worst cost, infinite if none is.

    Best is the least worst cost, then the least loss within it. Sets of members are bits of a number.
    """
    size = len(members)
    sets = 1 << size
    cost, loss = np.full(sets, np.inf), np.zeros(sets)
    some, distance = np.empty(size, np.int64), np.empty(size)
    for bits in range(1, sets):
        count = ZERO
        for i in range(size):
            if bits >> i & 1:
                some[count] = members[i]
                count += 1
        if is_enough(some, ZERO, count, NONE, needs, marks):
            cost[bits] = cost_of(cells, some, count, distance)
            loss[bits] = loss_of(cells, needs, losses, some, count, np.inf)
    least = np.full(sets, np.inf)
    least[0] = 0.0
    for whole in range(1, sets):
        rest = whole & (whole - 1)
        lowest = whole ^ rest
        part = rest
        while True:
            bits = part | lowest
            least[whole] = min(least[whole], max(cost[bits], least[whole ^ bits]))
            if part == 0:
                break
            part = (part - 1) & rest
    worst = least[sets - 1]
    if worst == np.inf:
        return np.inf
    total = np.full(sets, np.inf)
    chosen = np.zeros(sets, np.int64)
    total[0] = 0.0
    for whole in range(1, sets):
        rest = whole & (whole - 1)
        lowest = whole ^ rest
        part = rest
        while True:
            bits = part | lowest
            if cost[bits] <= worst * (1 + SLACK):
                sum_of = loss[bits] + total[whole ^ bits]
                if sum_of < total[whole]:
                    total[whole] = sum_of
                    chosen[whole] = bits
            if part == 0:
                break
            part = (part - 1) & rest
    whole, number = sets - 1, 0
    while whole > 0:
        for i in range(size):
            if chosen[whole] >> i & 1:
                out[i] = number
        whole ^= chosen[whole]
        number += 1
    return float(worst)
