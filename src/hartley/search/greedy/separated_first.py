r"""Algorithm 1 with a tolerance: merge the clusters that leave fewest values that are apart.

Rule. The narrowest clusters are those with the least :math:`N_\tau`. Take the earliest of them and merge it
with the cluster of the cheapest union among those that raise its :math:`N_\tau`; if none does, among those
with other candidates. Strike both off; the merged cluster does not come back in this step. A cluster with
no such partner is struck off unmerged. When none is left the step ends, and a step that merged nothing ends
the run.

With a tolerance no merge need raise the number: of {0}, {1}, {2} at a tolerance of 1, {1} gains from neither
other alone. Ties are those of Algorithm 1: the earliest cluster, and the earliest partner. A tolerance of 0
gives the same merges as Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Generator
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Protocol

import numpy as np

from hartley.errors import InputError
from hartley.hot_loops import hot_loop
from hartley.measures.utility import Resolution, Utility
from hartley.model import JointRange, MergeTree
from hartley.model.arrays import Int64s, different
from hartley.model.closeness import Closeness
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.greedy.recorder import Recorder, merge_in_turn

WHAT = "merging the clusters that leave fewest values apart"
LOOKED_AT = 16
"""Partners that are looked for one by one before all are put in order."""


@hot_loop
def union_chain(one: Int64s, other: Int64s, next_code: Int64s) -> int:
    """Return how many codes of two ascending lists together are apart."""
    at, beside, length, reach = 0, 0, 0, -1
    while at < len(one) or beside < len(other):
        if beside >= len(other) or (at < len(one) and one[at] <= other[beside]):
            code = one[at]
            at += 1
        else:
            code = other[beside]
            beside += 1
        if code >= reach:
            length += 1
            reach = next_code[code]
    return length


class PartnerOrder(Protocol):
    """The other clusters from the cheapest union on, kept up to date while clusters are merged."""

    def partners(self, place: int) -> Generator[int, None, None]:
        """Yield the others by the cost of the union, the earliest of equal ones first."""

    def merge(self, kept: int, joined: int) -> None:
        """Merge two clusters."""


class OrderBySize:
    """Partners by their number of values; a heap from which those passed over are put back."""

    def __init__(self, size: int) -> None:
        self._sizes = [1] * size
        self._heap = [(1, place) for place in range(size)]
        heapify(self._heap)

    def partners(self, place: int) -> Generator[int, None, None]:
        """Yield the others, the smallest first."""
        passed = []
        try:
            while self._heap:
                entry = heappop(self._heap)
                if self._sizes[entry[1]] != entry[0]:
                    continue
                passed.append(entry)
                if entry[1] != place:
                    yield entry[1]
        finally:
            for entry in passed:
                heappush(self._heap, entry)

    def merge(self, kept: int, joined: int) -> None:
        """Add the sizes."""
        self._sizes[kept] += self._sizes[joined]
        self._sizes[joined] = 0
        heappush(self._heap, (self._sizes[kept], kept))


class OrderByCost:
    """Partners by the cost of the union under any utility."""

    def __init__(self, utility: Utility) -> None:
        self._unions = utility.union_costs()

    def partners(self, place: int) -> Generator[int, None, None]:
        """Yield the others, the cheapest first; none whose union is not allowed."""
        costs = self._unions.with_each(place).copy()
        for _ in range(LOOKED_AT):
            partner = int(costs.argmin())
            if costs[partner] == np.inf:
                return
            yield partner
            costs[partner] = np.inf
        for partner in np.argsort(costs, kind="stable").tolist():
            if costs[partner] == np.inf:
                return
            yield partner

    def merge(self, kept: int, joined: int) -> None:
        """Follow a merge."""
        self._unions.merge(kept, joined)


class SeparatedSets:
    """What every cluster holds, by its place."""

    def __init__(self, joint: JointRange, closeness: Closeness) -> None:
        codes = closeness.codes(joint.sensitive)
        starts = joint.indptr.tolist()
        self._next_code = codes.next_code
        self._values: list[Int64s] = []
        self._codes: list[Int64s] = []
        for begin, end in pairwise(starts):
            own = joint.indices[begin:end].astype(np.int64)
            self._values.append(own)
            self._codes.append(different(codes.code_of[own]))
        self._chain = union_chain.for_size(joint.pairs * 8)
        self.counts = np.array([self._chain(own, own, self._next_code) for own in self._codes])
        """How many values of each cluster are apart; very many where no cluster stands any more."""

    def best(self, place: int, order: PartnerOrder) -> int | None:
        """Return the first partner that raises the number, else the first with other values, else nothing."""
        other_values: int | None = None
        partners = order.partners(place)
        for partner in partners:
            joined = self._chain(self._codes[place], self._codes[partner], self._next_code)
            if joined > self.counts[place]:
                partners.close()
                return partner
            if other_values is None and not np.array_equal(self._values[place], self._values[partner]):
                other_values = partner
        return other_values

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        self._values[kept] = np.union1d(self._values[kept], self._values[joined])
        self._codes[kept] = np.union1d(self._codes[kept], self._codes[joined])
        self._values[joined] = self._codes[joined] = np.zeros(0, dtype=np.int64)
        self.counts[kept] = self._chain(self._codes[kept], self._codes[kept], self._next_code)
        self.counts[joined] = np.iinfo(np.int64).max


def separated_along(joint: JointRange, closeness: Closeness, run: MergeTree) -> Int64s:
    """Return, at the end of every step of a run, how many values that are apart every cluster leaves.

    >>> joint = JointRange.from_pairs([(1, 0), (2, 1), (3, 2), (4, 9)])
    >>> close = Closeness.of({"sensitive": 1})
    >>> separated_along(joint, close, separated_first(joint, close, Resolution(4))).tolist()
    [1, 2, 3]
    """
    sets = SeparatedSets(joint, closeness)
    found = [int(sets.counts.min())]
    kept, joined = run.kept.tolist(), run.joined.tolist()
    for begin, end in pairwise(run.ends.tolist()):
        for merge in range(begin, end):
            sets.merge(kept[merge], joined[merge])
        found.append(int(sets.counts.min()))
    return np.array(found, dtype=np.int64)


def separated_first(
    joint: JointRange, closeness: Closeness, utility: Utility, effort: Effort = UNLIMITED
) -> MergeTree:
    """Run Algorithm 1 with a tolerance to its end; where it is stopped, return the finished steps."""
    if joint.side is not None:
        raise InputError("Algorithm 1 with a tolerance is for tables without side information")
    sets = SeparatedSets(joint, closeness)
    order: PartnerOrder = OrderByCost(utility)
    if isinstance(utility, Resolution):
        order = OrderBySize(joint.public.size)

    def merge(kept: int, joined: int) -> None:
        sets.merge(kept, joined)
        order.merge(kept, joined)

    return merge_in_turn(
        Recorder(joint.public.size, effort, WHAT),
        lambda: sets.counts == sets.counts.min(),
        lambda place: sets.best(place, order),
        merge,
    )
