r"""Least maximin information for clusters of at most m values: closed form and construction.

Theorem I1. With N public values in c components, the fewest components that clusters of at
most m values can leave is :math:`\max(1, c - N + \lceil N/m \rceil)`. Only N and c matter.

No fewer: draw a graph with a node for every component and every cluster and an edge
for every public value. It has N edges and :math:`c + q` nodes, so at least :math:`c + q - N` parts, and
:math:`q \ge \lceil N/m \rceil`.

No more: put the components in descending order of size. Every cluster takes one *spare* value of a
component already tied to the others, and the *first* values of m - 1 components that are
not. A cluster then joins as many components as it can. Spares run out only when
every component left is a single value; those fill clusters of their own, and then every
cluster but the last is full and the graph has no cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import log2

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError
from hartley.measures.overlap import components
from hartley.model import JointRange, Partition
from hartley.search.levels import Level, Levels


def least_clusters(size: int, largest: int) -> int:
    r"""Return the least number of clusters of at most ``largest`` values, :math:`\lceil N/m \rceil`."""
    return -(-size // largest)


def size_ranges(size: int) -> list[range]:
    """Return, in ascending order, the sizes that allow the same least number of clusters."""
    ranges = []
    first = 1
    while first <= size:
        clusters = least_clusters(size, first)
        after = size + 1 if clusters == 1 else least_clusters(size, clusters - 1)
        ranges.append(range(first, after))
        first = after
    return ranges


def least_components(size: int, parts: int, largest: int) -> int:
    """Return the fewest components that clusters of at most ``largest`` values can leave."""
    return max(1, parts - size + least_clusters(size, largest))


def least_joining_size(size: int, parts: int) -> int:
    r"""Return the smallest m that can leave a single component, :math:`\lceil N/(N - c + 1) \rceil`."""
    return least_clusters(size, size - parts + 1)


@dataclass(frozen=True, eq=False)
class Joiner:
    """The values of every component, in the order in which clusters take them."""

    size: int
    parts: int
    spares: npt.NDArray[np.intp]
    """All values of the largest component, then what the others have beside their first."""
    firsts: npt.NDArray[np.intp]
    """The first value of every other component, the largest component first."""

    @classmethod
    def of(cls, groups: Partition) -> Joiner:
        """Build from the components, as groups of public values."""
        order = np.argsort(-groups.sizes, kind="stable")
        rank = np.empty(groups.size, dtype=np.intp)
        rank[order] = np.arange(groups.size)
        rank_of_value = rank[groups.labels]
        by_rank = np.argsort(rank_of_value, kind="stable")
        starts_a_part = np.zeros(len(by_rank), dtype=bool)
        starts_a_part[1:] = np.diff(rank_of_value[by_rank]) > 0
        return cls(len(by_rank), groups.size, by_rank[~starts_a_part], by_rank[starts_a_part])

    def partition(self, largest: int) -> Partition:
        """Return a partition into clusters of at most ``largest`` values with the fewest components."""
        labels = np.arange(self.size)
        fresh = len(self.firsts)
        if largest == 1 or not fresh:
            return Partition(labels)
        tied = min(len(self.spares), least_clusters(fresh, largest - 1))
        split = min(tied * (largest - 1), fresh)
        labels[self.spares] = np.arange(len(self.spares))
        labels[self.firsts[:split]] = np.arange(split) // (largest - 1)
        # Either firsts or spares are used up here; numbers of the rest must not meet the others'.
        labels[self.firsts[split:]] = len(self.spares) + np.arange(fresh - split) // largest
        return Partition(labels)


def istar_level(joint: JointRange, largest: int) -> Level:
    """Return the least maximin information that clusters of at most ``largest`` values leave, proven.

    The clusters are no larger than it takes.
    """
    _require_no_side(joint)
    if not 1 <= largest <= joint.public.size:
        raise InputError(f"the largest cluster holds between 1 and {joint.public.size} values")
    joiner = Joiner.of(components(joint))
    left = least_components(joiner.size, joiner.parts, largest)
    return _level(joiner, least_clusters(joiner.size, left + joiner.size - joiner.parts))


def istar_levels(joint: JointRange) -> Levels:
    """Return the least maximin information for every size of the largest cluster that lowers it, proven."""
    _require_no_side(joint)
    joiner = Joiner.of(components(joint))
    levels: list[Level] = []
    fewest = joiner.parts + 1
    for sizes in size_ranges(joiner.size):
        largest = sizes[0]
        left = least_components(joiner.size, joiner.parts, largest)
        if left < fewest:
            levels.append(_level(joiner, largest))
            fewest = left
        if left == 1:
            break
    return Levels(levels=tuple(levels), complete=True)


def _level(joiner: Joiner, largest: int) -> Level:
    """Return the level of a size below which more components remain."""
    # Measuring a million values for each of a thousand levels would take minutes; by the theorem
    # the partition measures exactly this, which the tests confirm on the partitions themselves.
    bits = log2(least_components(joiner.size, joiner.parts, largest))
    return Level(
        cost=largest,
        leakage_bits=bits,
        lower_bound_bits=bits,
        lower_bound_cost=largest,
        cut=partial(joiner.partition, largest),
    )


def _require_no_side(joint: JointRange) -> None:
    if joint.side is not None:
        raise InputError("the closed form holds without side information only; use side_istar_levels")
