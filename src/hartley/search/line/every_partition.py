"""All partitions of a few values, and which block of them is withheld: the optimum, whatever a cluster costs.

Over subsets: the least worst cost of a set is that of its best first cluster and of what this leaves.
Twelve values have half a million pairs of a subset and a cluster in it.
"""

from __future__ import annotations

from math import inf

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.measures.utility import LineDistortion, Resolution
from hartley.search.enough import Enough

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

MOST_VALUES = 12
"""Of so many values every partition is looked at."""


@hot_loop
def least_worst(cost: Floats) -> Floats:
    """Return, for each subset, the least worst cost of a partition of it; infinite where there is none."""
    best = np.full(len(cost), np.inf)
    best[0] = 0.0
    for subset in range(1, len(cost)):
        first = subset & -subset
        beside = subset ^ first
        others = beside
        least = np.inf
        while True:
            cluster = others | first
            if cost[cluster] < least:
                least = min(least, max(cost[cluster], best[subset ^ cluster]))
            if others == 0:
                break
            others = (others - 1) & beside
        best[subset] = least
    return best


@hot_loop
def finest_first(cost: Floats, width: Floats, within: float, subset_count: Places, total: Floats) -> Places:
    """Return the first cluster of each subset, for most clusters within a cost, then least total width.

    ``subset_count`` and ``total`` are filled with both; a subset that cannot be parted has a count of -1.
    Ties go to the cluster whose subset number is least.
    """
    chosen = np.zeros(len(cost), dtype=np.int64)
    subset_count[0] = 0
    total[0] = 0.0
    for subset in range(1, len(cost)):
        first = subset & -subset
        beside = subset ^ first
        others = beside
        subset_count[subset] = -1
        while True:
            cluster = others | first
            rest = subset ^ cluster
            if cost[cluster] <= within and subset_count[rest] >= 0:
                count = subset_count[rest] + 1
                wide = total[rest] + width[cluster]
                if count > subset_count[subset] or (count == subset_count[subset] and wide <= total[subset]):
                    subset_count[subset] = count
                    total[subset] = wide
                    chosen[subset] = cluster
            if others == 0:
                break
            others = (others - 1) & beside
    return chosen


def costs_of_subsets(utility: LineDistortion | Resolution) -> Floats:
    """Return the cost of every subset of the values as a cluster; the empty one costs nothing."""
    inside = members_of_subsets(utility.size)
    count = inside.sum(axis=1)
    if isinstance(utility, Resolution):
        return np.asarray(count, dtype=float)
    positions = utility.positions
    low, high = _ends(inside, positions)
    with np.errstate(invalid="ignore"):
        if utility.codeword == "midpoint":
            costs = (high - low) / 2
        elif utility.codeword == "centroid":
            total = np.where(inside, positions, 0.0).sum(axis=1)
            costs = np.maximum(count * high - total, total - count * low) / np.maximum(count, 1)
        else:
            farther = np.maximum(positions - low[:, np.newaxis], high[:, np.newaxis] - positions)
            costs = np.where(inside, farther, inf).min(axis=1)
    found: Floats = np.where(count > 1, costs, 0.0)
    return found


def widths_of_subsets(utility: LineDistortion | Resolution) -> Floats:
    """Return how far apart the ends of every subset are on its line; 0 where there is no line."""
    if isinstance(utility, Resolution):
        return np.zeros(1 << utility.size)
    inside = members_of_subsets(utility.size)
    low, high = _ends(inside, utility.positions)
    with np.errstate(invalid="ignore"):
        widths: Floats = np.where(inside.any(axis=1), high - low, 0.0)
    return widths


def _ends(inside: Flags, positions: Floats) -> tuple[Floats, Floats]:
    low: Floats = np.where(inside, positions, inf).min(axis=1)
    high: Floats = np.where(inside, positions, -inf).max(axis=1)
    return low, high


def members_of_subsets(size: int) -> Flags:
    """Return which values are in which subset."""
    return (np.arange(1 << size)[:, np.newaxis] >> np.arange(size) & 1).astype(bool)


def counts_of_subsets(enough: Enough, joined: Places | None = None) -> Places:
    """Return what every subset holds with the places ``joined``: each count, then the rows."""
    size = enough.size
    inside = members_of_subsets(size)
    if joined is not None:
        inside = inside.copy()
        inside[:, joined] = True
    # Every subset is a cluster of its own; a value is in many of them, so it is taken as often.
    subset, place = np.nonzero(inside)
    return enough.take(place).counts_of_clusters(subset, 1 << size)


def enough_subsets(enough: Enough, joined: Places | None = None) -> Flags:
    """Tell of every subset whether it may be a cluster, together with the places that are ``joined``."""
    return np.asarray((counts_of_subsets(enough, joined) >= enough.least).all(axis=1))


def clusters_of_first(chosen: Places, subset: int, size: int) -> Places:
    """Return the cluster of each value of a subset, -1 for values outside it."""
    labels = np.full(size, -1, dtype=np.int64)
    number = 0
    while subset:
        cluster = int(chosen[subset])
        labels[(cluster >> np.arange(size) & 1).astype(bool)] = number
        subset ^= cluster
        number += 1
    return labels
