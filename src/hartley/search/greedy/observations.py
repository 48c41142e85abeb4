"""What readers see while clusters are merged, with or without side information.

A reader sees an observation: a released value, together with a side value where there
is some. These classes follow the merges of a search that may use any utility.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange
from hartley.model.arrays import Flags, Floats, Int64s, Ints, different
from hartley.model.closeness import Closeness

LOOKED_AT = 32
"""Partners that are looked at one by one."""


class Candidates:
    """The (sensitive, side) pairs of every cluster, by its place."""

    def __init__(self, joint: JointRange) -> None:
        public = joint.public_of[joint.observation_of]
        self._sides = 1 if joint.side is None else joint.side.size
        codes = joint.indices.astype(np.int64) * self._sides
        if joint.observed_side is not None:
            codes += joint.observed_side[joint.observation_of]
        size = joint.public.size
        self._codes: list[Ints] = list(np.split(codes, np.searchsorted(public, np.arange(1, size))))
        self._is_marked = np.zeros(joint.sensitive.size * self._sides, dtype=bool)
        self._prior = np.bincount(different(codes) % self._sides, minlength=self._sides)
        self.counts = np.array([len(own) for own in self._codes])
        """How many pairs each cluster has."""
        self.leakages = np.array([self._worst(own) for own in self._codes])
        r"""The most that a reader of the cluster learns, :math:`\max_a |[\![S|a]\!]| / |[\![S|\hat x,a]\!]|`.

        As quotients of integers below 2**26 they are equal exactly where the fractions are. Zero where
        no cluster stands any more.
        """

    def cheapest_change(self, place: int, costs: Floats) -> int | None:
        """Return the cluster with the least cost that would add a pair to the one at this place.

        The earliest where several cost the same, and nothing where there is none of finite cost. Mostly
        the first that is looked at is it; where it is not for long, all are looked at together.
        """
        with self._marked(place):
            for _ in range(LOOKED_AT):
                partner = int(costs.argmin())
                if costs[partner] == np.inf:
                    return None
                if not self._is_marked[self._codes[partner]].all():
                    return partner
                costs[partner] = np.inf
            adds = ~self._is_marked[np.concatenate(self._codes)]
        owner = np.repeat(np.arange(len(self.counts)), self.counts)
        costs[np.bincount(owner[adds], minlength=len(self.counts)) == 0] = np.inf
        partner = int(costs.argmin())
        return None if costs[partner] == np.inf else partner

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        self._codes[kept] = self._union(kept, joined)
        self._codes[joined] = self._codes[joined][:0]
        self.counts[kept], self.counts[joined] = len(self._codes[kept]), 0
        self.leakages[kept], self.leakages[joined] = self._worst(self._codes[kept]), 0.0

    def union_leakage(self, one: int, other: int) -> float:
        """Return the most that a reader of the union would learn."""
        return self._worst(self._union(one, other))

    def _union(self, one: int, other: int) -> Ints:
        with self._marked(one):
            fresh = self._codes[other][~self._is_marked[self._codes[other]]]
        return np.concatenate((self._codes[one], fresh))

    @contextmanager
    def _marked(self, place: int) -> Iterator[None]:
        """Mark the pairs of a cluster."""
        self._is_marked[self._codes[place]] = True
        yield
        self._is_marked[self._codes[place]] = False

    def _worst(self, codes: Ints) -> float:
        if self._sides == 1:
            return float(self._prior[0] / len(codes))
        counts = np.bincount(codes % self._sides, minlength=self._sides)
        seen = counts > 0
        return float((self._prior[seen] / counts[seen]).max())


class SeparatedCandidates(Candidates):
    """The candidates of every cluster with a tolerance or groups: what counts is how many are apart.

    No merge need raise that number: of {0}, {1}, {2} at a tolerance of 1, {1} gains from neither other alone.
    """

    def __init__(self, joint: JointRange, closeness: Closeness) -> None:
        super().__init__(joint)
        codes = closeness.codes(joint.sensitive)
        self._next_code = codes.next_code
        self._chain = union_chain.for_size(joint.pairs * 8)
        self._ascending: list[Int64s] = [different(codes.code_of[own]) for own in self._codes]
        self.leakages = np.array([1 / self._apart(place, place) for place in range(len(self._codes))])

    @property
    def fewest_apart(self) -> int:
        """How many values every cluster leaves that are apart."""
        return round(1 / float(self.leakages.max()))

    def cheapest_change(self, place: int, costs: Floats) -> int | None:
        """Return the cluster with the least cost that raises the number of values apart at this place.

        Where none does, the first with other candidates; nothing where there is none of finite cost.
        """
        other_values = None
        for partner in _by_cost(costs):
            if 1 / self._apart(place, partner) < self.leakages[place]:
                return partner
            if other_values is None and set(self._codes[place]) != set(self._codes[partner]):
                other_values = partner
        return other_values

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        super().merge(kept, joined)
        self._ascending[kept] = np.union1d(self._ascending[kept], self._ascending[joined])
        self.leakages[kept] = 1 / self._apart(kept, kept)

    def _apart(self, one: int, other: int) -> int:
        """Return how many values of two clusters together are apart."""
        return int(self._chain(self._ascending[one], self._ascending[other], self._next_code))


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


def _by_cost(costs: Floats) -> Iterator[int]:
    """Go through the clusters from the least cost up, the earliest of equals first; none of infinite cost."""
    costs = costs.copy()
    for _ in range(LOOKED_AT):
        partner = int(costs.argmin())
        if costs[partner] == np.inf:
            return
        yield partner
        costs[partner] = np.inf
    order = np.argsort(costs, kind="stable")
    yield from order[: int(np.isfinite(costs).sum())].tolist()


class Components:
    """The connected parts of the graph of observations, joined where they share a sensitive value."""

    def __init__(self, joint: JointRange) -> None:
        groups = overlap_partition(joint).labels
        self._component = groups[joint.indices[joint.indptr[:-1]]].astype(np.int64)
        self._cluster = joint.public_of.astype(np.int64)
        self._side = (
            np.zeros(joint.observations, np.int64)
            if joint.observed_side is None
            else joint.observed_side.astype(np.int64)
        )
        self._seen_with = np.full(1 if joint.side is None else joint.side.size, -1)
        size = joint.public.size
        self._entries = np.split(
            np.arange(joint.observations), np.searchsorted(self._cluster, np.arange(1, size))
        )
        pairs = different(self._component * size + self._cluster)
        self._values = [set[int]() for _ in range(int(groups.max()) + 1)]
        for pair in pairs.tolist():
            self._values[pair // size].add(pair % size)
        self.sizes = np.array([len(values) for values in self._values])
        """How many public values have an observation in each component."""
        self.firsts = np.array([min(values) for values in self._values])
        """The first public value of each component."""

    def joined_by(self, place: int) -> tuple[Flags, Ints, Ints]:
        """Tell which clusters a merge with this one would join components of, and which they bring.

        Merging identifies the two observations of every side value that both clusters occur with. A merge
        may so join several components at once; of those each cluster brings, the largest speaks for it,
        the one with the first public value where several are as large.
        """
        own = self._entries[place]
        self._seen_with[self._side[own]] = self._component[own]
        mine = self._seen_with[self._side]
        self._seen_with[self._side[own]] = -1
        entries = np.flatnonzero((mine >= 0) & (mine != self._component) & (self._cluster != place))
        size = len(self._entries)
        joins = np.zeros(size, dtype=bool)
        joins[self._cluster[entries]] = True
        brought = []
        for component in (mine[entries], self._component[entries]):
            chosen = np.full(size, -1)
            order = np.lexsort((self.firsts[component], -self.sizes[component]))[::-1]
            chosen[self._cluster[entries[order]]] = component[order]
            brought.append(chosen)
        return joins, brought[0], brought[1]

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters, and the components that this joins."""
        self._cluster[self._entries[joined]] = kept
        both = np.concatenate((self._entries[kept], self._entries[joined]))
        self._entries[kept], self._entries[joined] = both, both[:0]
        first_seen: dict[int, int] = {}
        for entry in both.tolist():
            one = int(self._component[first_seen.setdefault(int(self._side[entry]), entry)])
            other = int(self._component[entry])
            if one != other:
                self._component[self._component == other] = one
                self._values[one] |= self._values[other]
                self.sizes[one] = len(self._values[one])
                self.firsts[one] = min(self.firsts[one], self.firsts[other])
