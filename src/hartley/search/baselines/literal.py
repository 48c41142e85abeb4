"""Generalisation as the paper's experiment describes it: one merge of everything that is too rare.

"Search for all x associated with less than k values of s and merge them to a new but
less specific value" (Section VII). No hierarchy, no control of utility.

Ties: the merged class, when it still counts too few, takes in the class with the smallest
count, of equals the earliest.
"""

from __future__ import annotations

import numpy as np

from hartley.model import JointRange, Partition
from hartley.search.baselines.class_counts import ClassDemand, Count
from hartley.search.baselines.generalisation import Generalisation, precision


def literal_generalisation(joint: JointRange, *, at_least: int, count: Count = "distinct") -> Generalisation:
    """Merge all public values that count too few into one.

    The level of a value is 1 where it was merged and 0 where it was left alone.

    >>> from hartley.examples import toy
    >>> literal_generalisation(toy(), at_least=2).partition
    Partition({0}, {1, 2, 3, 4, 5, 6})
    """
    demand = ClassDemand(at_least, count)
    demand.require_possible(joint)
    alone = Partition.singletons(joint.public.size)
    counts = demand.counts(joint, alone)
    merged = counts < at_least
    partition = alone
    while merged.any():
        partition = Partition(np.where(merged, joint.public.size, np.arange(joint.public.size)))
        here = partition.labels[int(np.argmax(merged))]
        if demand.counts(joint, partition)[here] >= at_least:
            break
        rest = np.flatnonzero(~merged)
        merged[rest[np.argmin(counts[rest])]] = True
    return Generalisation(
        partition=partition,
        suppressed=(),
        levels=(int(merged.any()),),
        precision=precision(joint, merged.astype(np.int64)[:, None], [1]),
    )
