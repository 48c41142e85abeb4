"""The loops of problem (3) under any utility: how two merges compare, and one look at all pairs."""

from __future__ import annotations

from math import floor, log2

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Ints


@hot_part
def rounded(change: float) -> float:
    """Round a change of the Lagrangian to 12 decimals; beyond a few thousand it has no more than that."""
    if abs(change) >= 4096:
        return change
    return floor(change * 1e12 + 0.5) / 1e12


@hot_part
def is_better(one: Floats, other: Floats) -> bool:
    """Tell whether one row of numbers comes before another in the order of the dictionary."""
    for i in range(len(one)):
        if one[i] != other[i]:
            return bool(one[i] < other[i])
    return False


@hot_loop
def best_joint_pair(
    live: Ints,
    unions: Floats,
    costs: Floats,
    count: Ints,
    component: Ints,
    values: Ints,
    width: int,
    weight: float,
) -> tuple[int, int]:
    """Return the places of the two clusters to merge next, or (-1, -1) if there are none.

    ``live`` lists the clusters in order, ``unions`` the cost of each union, infinite where it is not
    allowed, ``costs`` the cost of each cluster, ``count`` its candidates, ``component`` its component, and
    ``values`` how many values each component has.
    """
    # The three narrowest and the three costliest clusters: one of them is left beside any union.
    narrow = np.full(3, -1, np.int64)
    worst = np.full(3, -1, np.int64)
    for place in live:
        for rank in range(3):
            if narrow[rank] < 0 or count[place] < count[narrow[rank]]:
                for later in range(2, rank, -1):
                    narrow[later] = narrow[later - 1]
                narrow[rank] = place
                break
        for rank in range(3):
            if worst[rank] < 0 or costs[place] > costs[worst[rank]]:
                for later in range(2, rank, -1):
                    worst[later] = worst[later - 1]
                worst[rank] = place
                break
    before = log2(width / count[narrow[0]]) + weight * costs[worst[0]]
    # No union can leave the narrowest cluster wider than the third narrowest, so one that costs more than
    # the limit cannot beat the best.
    leaking = log2(width / count[narrow[0]])
    least_leaking = 0.0
    if narrow[2] >= 0:
        least_leaking = log2(width / count[narrow[2]])
    limit = np.inf
    keep, join = -1, -1
    best = np.full(6, np.inf)
    trial = np.empty(6, np.float64)
    for i in range(len(live)):
        x = live[i]
        for j in range(i + 1, len(live)):
            y = live[j]
            cost = unions[x, y]
            if cost > limit or component[x] == component[y] or cost == np.inf:
                continue
            for rank in range(3):
                other = worst[rank]
                if other >= 0 and other != x and other != y:
                    cost = max(cost, costs[other])
                    break
            least = count[x] + count[y]
            for rank in range(3):
                other = narrow[rank]
                if other >= 0 and other != x and other != y:
                    least = min(least, count[other])
                    break
            after = weight * cost
            if least == count[narrow[0]]:
                after += leaking
            else:
                after += log2(width / least)
            trial[0] = rounded(after - before)
            if trial[0] > best[0]:
                continue
            one, two = values[component[x]], values[component[y]]
            trial[1] = count[x] + count[y]
            trial[2] = -max(one, two)
            trial[3] = -min(one, two)
            trial[4] = x
            trial[5] = y
            if is_better(trial, best):
                best[:] = trial
                keep, join = x, y
                if weight > 0:
                    limit = (best[0] + 1e-11 + before - least_leaking) / weight
                    limit += abs(limit) * 1e-12
    return keep, join
