"""What to withhold of a partition that is there.

**Worst clusters.** What is withheld must be enough itself. A union of clusters that are enough is enough,
whatever is counted and whatever the reader sees besides, and the other clusters stay as they are. So the
clusters of the greatest costs may be withheld together as far as the budget goes.

**Components.** What is withheld is one released value, and joins every component it touches. One value of
each component, the cheapest first, joins most components for the rows.

**Bound.** Take a partition with something withheld that touches w components of the untouched table, and make
every value of it a cluster of its own: no cluster costs more, and there are at most w - 1 components more. So
with c the fewest components of a cost when nothing is withheld, at least c - w + 1 are left (Theorem W4). No
budget touches more components than the cheapest value of each, the cheapest first.
"""

from __future__ import annotations

import numpy as np

from hartley.measures.overlap import components
from hartley.measures.uncertainty import rows_of_values
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Floats, Int64s


def worst_clusters(costs: Floats, rows: Int64s, budget: int) -> Int64s:
    """Return the clusters to withhold, all above some cost, so that the others cost least."""
    levels, level_of = np.unique(costs, return_inverse=True)
    of_level = np.bincount(level_of, weights=rows, minlength=len(levels))
    above = np.cumsum(of_level[::-1])[::-1] - of_level
    kept = int(np.flatnonzero(above <= budget)[0])
    return np.flatnonzero(level_of > kept).astype(np.int64)


def joining_values(
    joint: JointRange, partition: Partition, budget: int, joined: Int64s | None = None
) -> Int64s:
    """Return the values to withhold so that fewest components are left: one of each, the cheapest first.

    Values come first that leave their component in one piece. ``joined`` values were missing before and are
    part of what is withheld at no cost. Nothing is returned where too few components can be touched. A
    cluster that loses a value may fall into a component of its own, so the caller counts again.
    """
    free = np.zeros(0, dtype=np.int64) if joined is None else joined
    parts = components(joint.release(partition))
    part_of = parts.labels[partition.labels]
    rows = rows_of_values(joint)
    order = np.lexsort((np.arange(len(rows)), rows, ~_can_leave(joint, partition), part_of))
    order = order[~np.isin(part_of[order], part_of[free])]
    chosen = order[np.flatnonzero(np.diff(part_of[order], prepend=-1))]
    chosen = chosen[np.lexsort((chosen, rows[chosen]))]
    fitting = int(np.searchsorted(np.cumsum(rows[chosen]), budget, side="right"))
    return np.sort(chosen[:fitting]) if fitting + (len(free) > 0) > 1 else chosen[:0]


def most_touched(joint: JointRange, budget: int, joined: Int64s | None = None) -> int:
    """Return how many components of the untouched table what is withheld can touch within a budget.

    >>> most_touched(JointRange.from_pairs([(1, "a"), (1, "a"), (2, "b"), (3, "c")]), 3)
    2
    """
    part_of, rows = components(joint).labels, rows_of_values(joint).copy()
    if joined is not None:
        rows[joined] = 0
    cheapest = np.full(int(part_of.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(cheapest, part_of, rows)
    return int(np.searchsorted(np.cumsum(np.sort(cheapest)), budget, side="right"))


def _can_leave(joint: JointRange, partition: Partition) -> Flags:
    """Tell of each value whether its cluster stays tied to what it is tied to without it.

    It does if the value is alone in it, or another of the same component of the untouched table is there.
    """
    keys = partition.labels.astype(np.int64) * joint.public.size + components(joint).labels
    _, of_key, alike = np.unique(keys, return_inverse=True, return_counts=True)
    leaves: Flags = (alike[of_key] > 1) | (partition.sizes[partition.labels] == 1)
    return leaves


def without_values(partition: Partition, withheld: Int64s) -> Partition:
    """Return the partition with some values taken out of their clusters, as one cluster of their own."""
    labels = partition.labels.astype(np.int64).copy()
    labels[withheld] = partition.size
    return Partition(labels)
