"""The least worst cost over all partitions of a few values, by dynamic programming over their subsets.

The cluster of a subset's first value is one of the subsets that hold it; the rest is a smaller
subset. Three to the power of the number of values, so for a dozen values at most; but it asks nothing of
the costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Int64s
from hartley.search.distortion.line import Line

MOST_VALUES = 12


@hot_loop
def solve_subsets(costs: Floats, chosen: Int64s) -> Any:
    """Return the least worst cost of a partition; ``chosen`` gets the first cluster of each subset."""
    full = len(costs) - 1
    best = np.full(full + 1, np.inf)
    best[0] = 0.0
    for subset in range(1, full + 1):
        first = subset & -subset
        rest = subset ^ first
        others = rest
        while True:
            cluster = others | first
            if costs[cluster] < best[subset]:
                worst = max(costs[cluster], best[subset ^ cluster])
                if worst < best[subset]:
                    best[subset] = worst
                    chosen[subset] = cluster
            if others == 0:
                break
            others = (others - 1) & rest
    return best[full]


def least_over_subsets(line: Line, distinct_l: int) -> tuple[float, Int64s]:
    """Return least centroid cost of all partitions with enough candidates, and the cluster of each rank."""
    size = line.size
    masks = np.arange(1 << size)
    member = (masks[:, None] >> np.arange(size)) & 1
    count = np.maximum(member.sum(axis=1), 1)
    total = member @ line.positions
    high = np.where(member, line.positions, -np.inf).max(axis=1)
    low = np.where(member, line.positions, np.inf).min(axis=1)
    with np.errstate(invalid="ignore"):
        costs = np.maximum(count * high - total, total - count * low) / count
    costs[count == 1] = 0.0
    held = np.zeros(len(masks), dtype=object)
    for rank, values in enumerate(line.masks):
        held[(masks >> rank) & 1 == 1] |= values
    too_few = np.array([values.bit_count() < distinct_l for values in held.tolist()])
    costs[too_few] = np.inf
    chosen = np.zeros(len(masks), dtype=np.int64)
    least = float(solve_subsets.for_size(3**size)(costs, chosen))
    cluster_of = np.zeros(size, dtype=np.int64)
    left, number = len(masks) - 1, 0
    while left:
        cluster = int(chosen[left])
        cluster_of[member[cluster] == 1] = number
        left, number = left ^ cluster, number + 1
    return least, cluster_of
