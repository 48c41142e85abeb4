"""What to withhold of a partition that is there.

**Worst clusters.** What is withheld must be enough itself. A union of clusters that are enough is enough,
whatever is counted and whatever the reader sees besides, and the other clusters stay as they are. So the
clusters of the greatest costs may be withheld together as far as the budget goes.

**Components.** What is withheld is one released value, and joins every component it touches. One value of
each component, the cheapest first, joins most components for the rows.
"""

from __future__ import annotations

import numpy as np

from hartley.measures.overlap import components
from hartley.measures.uncertainty import rows_of_values
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Int64s


def worst_clusters(costs: Floats, rows: Int64s, budget: int) -> Int64s:
    """Return the clusters to withhold so that the others cost least: all above some cost, within the budget.

    >>> worst_clusters(np.array([3.0, 1.0, 3.0, 2.0]), np.array([2, 9, 2, 4]), 7).tolist()
    [0, 2]
    """
    levels, level_of = np.unique(costs, return_inverse=True)
    of_level = np.bincount(level_of, weights=rows, minlength=len(levels))
    above = np.cumsum(of_level[::-1])[::-1] - of_level
    kept = int(np.flatnonzero(above <= budget)[0])
    return np.flatnonzero(level_of > kept).astype(np.int64)


def joining_values(joint: JointRange, partition: Partition, budget: int) -> Int64s:
    """Return the values to withhold so that fewest components are left: one of each, the cheapest first.

    Nothing is returned where fewer than two components can be touched. A cluster that loses a value may fall
    into a component of its own, so the caller counts again.
    """
    parts = components(joint.release(partition))
    part_of = parts.labels[partition.labels]
    rows = rows_of_values(joint)
    order = np.lexsort((np.arange(len(rows)), rows, part_of))
    cheapest = order[np.flatnonzero(np.diff(part_of[order], prepend=-1))]
    cheapest = cheapest[np.lexsort((cheapest, rows[cheapest]))]
    fitting = int(np.searchsorted(np.cumsum(rows[cheapest]), budget, side="right"))
    return np.sort(cheapest[:fitting]) if fitting > 1 else cheapest[:0]


def without_values(partition: Partition, withheld: Int64s) -> Partition:
    """Return the partition with some values taken out of their clusters, as one cluster of their own."""
    labels = partition.labels.astype(np.int64).copy()
    labels[withheld] = partition.size
    return Partition(labels)
