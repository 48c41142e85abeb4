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

import numpy as np
import numpy.typing as npt

from hartley.model import Partition


def least_clusters(size: int, largest: int) -> int:
    r"""Return the least number of clusters of at most ``largest`` values, :math:`\lceil N/m \rceil`."""
    return -(-size // largest)


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
