r"""Ties in another order: the same search over the same values, put in a random order first.

The paper leaves ties open. Every tie of the greedy searches goes in the end to the earliest value
(:mod:`~hartley.search.greedy.narrowest_first` and its neighbours), so an order of the values is a way to
break them all. A run over values in another order is told in the places of the order that was given.
"""

from __future__ import annotations

import numpy as np

from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.union_costs import UnionCosts
from hartley.model import MergeTree, Partition
from hartley.model.arrays import Floats, Int64s


def random_order(size: int, seed: int) -> Int64s:
    """Return the places 0, 1, … in an order that the seed decides.

    >>> sorted(random_order(5, 3).tolist())
    [0, 1, 2, 3, 4]
    """
    return np.random.default_rng(seed).permutation(size)


def reordered_utility(utility: Utility, order: Int64s) -> Utility:
    """Return the utility of the values in another order: ``order[i]`` is the place of the i-th in the old."""
    if isinstance(utility, Resolution):
        return utility
    if isinstance(utility, LineDistortion):
        return LineDistortion(utility.positions[order], utility.codeword)
    return _Reordered(utility, order)


def original_run(run: MergeTree, order: Int64s) -> MergeTree:
    """Return a run over values in another order in the places of the old one.

    >>> run = MergeTree.of_merges(3, np.array([0, 0]), np.array([2, 1]))
    >>> original_run(run, np.array([2, 0, 1])).merges
    [(1, 2), (0, 1)]
    """
    first = order.copy()
    kept, joined = np.empty_like(run.kept), np.empty_like(run.joined)
    for merge, (one, other) in enumerate(run.merges):
        kept[merge], joined[merge] = sorted((first[one], first[other]))
        first[one] = kept[merge]
    return MergeTree(run.size, kept, joined, run.ends, complete=run.complete)


class _Reordered:
    """Any utility, asked about the values in another order."""

    def __init__(self, utility: Utility, order: Int64s) -> None:
        self._utility, self._order = utility, order
        self.name, self.size = utility.name, utility.size
        self.of_cost = utility.of_cost

    def costs(self, partition: Partition) -> Floats:
        """Return the cost of every cluster."""
        labels = np.empty(self.size, dtype=np.int64)
        labels[self._order] = partition.labels
        old = Partition(labels)
        costs: Floats = self._utility.costs(old)[old.labels[self._order[partition.firsts]]]
        return costs

    def union_costs(self) -> _ReorderedUnions:
        """Return the costs of all unions of two values."""
        return _ReorderedUnions(self._utility.union_costs(), self._order)


class _ReorderedUnions:
    """The costs of unions by the places of another order."""

    def __init__(self, unions: UnionCosts, order: Int64s) -> None:
        self._unions, self._order = unions, order

    def with_each(self, place: int) -> Floats:
        """Return the cost of the union with the cluster at every place."""
        costs: Floats = self._unions.with_each(int(self._order[place]))[self._order]
        return costs

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        self._unions.merge(int(self._order[kept]), int(self._order[joined]))
