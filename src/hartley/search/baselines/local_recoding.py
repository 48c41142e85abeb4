"""Bottom-up local recoding: only what is too rare rises in the hierarchy.

Level by level, a class that counts too few is lifted to the next level; with it rises every
value that shares the coarser word, so that the classes stay a partition. Nothing is
suppressed. There are no ties.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hartley.model import JointRange, Partition
from hartley.search.baselines.class_counts import ClassDemand, Count
from hartley.search.baselines.generalisation import Generalisation, precision
from hartley.search.baselines.hierarchy import Hierarchy, hierarchies_for, in_step


def local_recoding(
    joint: JointRange,
    *,
    at_least: int,
    count: Count = "distinct",
    hierarchies: Sequence[Hierarchy] | None = None,
) -> Generalisation:
    """Return, for every class, the lowest level at which it counts enough, from the bottom up.

    The hierarchies of several columns rise in step.

    >>> ages = JointRange.from_pairs([(31, "a"), (34, "b"), (37, "c"), (52, "d"), (52, "e")])
    >>> tree = Hierarchy.of_intervals(ages.public, width=5)
    >>> local_recoding(ages, at_least=2, hierarchies=[tree]).partition
    Partition({0, 1, 2}, {3})
    """
    demand = ClassDemand(at_least, count)
    demand.require_possible(joint)
    trees = hierarchies_for(joint.public, hierarchies)
    chain = in_step(trees)
    partition = chain.partition(0)
    levels = np.zeros(joint.public.size, dtype=np.int64)
    for level in range(1, chain.height + 1):
        failing = demand.failing(joint, partition)[partition.labels]
        if not failing.any():
            break
        coarser = chain.partition(level).labels
        lifted = np.isin(coarser, coarser[failing])
        levels[lifted] = level
        partition = Partition(np.where(lifted, coarser + joint.public.size, partition.labels))
    heights = [tree.height for tree in trees]
    cells = np.minimum(levels[:, None], heights)
    return Generalisation(
        partition=partition,
        suppressed=(),
        levels=tuple(int(level) for level in cells.max(axis=0)),
        precision=precision(joint, cells, heights),
    )
