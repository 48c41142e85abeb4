"""What readers see while clusters are merged, with or without side information.

A reader sees an observation: a released value, together with a side value where there
is some. Both classes follow the merges of a search that may use any utility; they look
at all pairs of values at every question, which suits some thousands of values.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange

Codes = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]


class Candidates:
    """The (sensitive, side) pairs of every cluster, by its place."""

    def __init__(self, joint: JointRange) -> None:
        public = joint.public_of[joint.observation_of]
        side = np.zeros(joint.pairs, np.int64) if joint.observed_side is None else joint.observed_side
        sides = 1 if joint.side is None else joint.side.size
        of_pair = side if joint.side is None else side[joint.observation_of]
        self._codes = joint.indices.astype(np.int64) * sides + of_pair
        self._cluster = public.astype(np.int64)
        self._own = np.zeros(joint.sensitive.size * sides, dtype=bool)
        self._sides = sides
        self._sets: list[set[int]] = [set() for _ in range(joint.public.size)]
        for place, code in zip(public.tolist(), self._codes.tolist(), strict=True):
            self._sets[place].add(code)
        self._entries = np.split(
            np.arange(joint.pairs), np.searchsorted(public, np.arange(1, joint.public.size))
        )
        known = np.unique(self._codes)
        self._prior = np.bincount(known % sides, minlength=sides)
        self.counts = np.array([len(codes) for codes in self._sets])
        """How many pairs each cluster has."""
        self.leakages = np.array([self._leakage(place) for place in range(joint.public.size)])
        r"""The most that a reader of the cluster learns, :math:`\max_a |[\![S|a]\!]| / |[\![S|\hat x,a]\!]|`.

        As quotients of integers below 2**26 they are equal exactly where the fractions are. Zero where
        no cluster stands any more.
        """

    def changed_by(self, place: int) -> Flags:
        """Tell which clusters would add a pair to the cluster at this place."""
        own = list(self._sets[place])
        self._own[own] = True
        adding = self._cluster[~self._own[self._codes]]
        self._own[own] = False
        return np.bincount(adding, minlength=len(self._sets)) > 0

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        self._cluster[self._entries[joined]] = kept
        self._entries[kept] = np.concatenate((self._entries[kept], self._entries[joined]))
        self._sets[kept] |= self._sets[joined]
        self._sets[joined] = set()
        self.counts[kept], self.counts[joined] = len(self._sets[kept]), 0
        self.leakages[kept], self.leakages[joined] = self._leakage(kept), 0.0

    def union_leakage(self, one: int, other: int) -> float:
        """Give the most that a reader of the union would learn."""
        return self._worst(self._sets[one] | self._sets[other])

    def _leakage(self, place: int) -> float:
        return self._worst(self._sets[place])

    def _worst(self, codes: set[int]) -> float:
        if self._sides == 1:
            return float(self._prior[0] / len(codes))
        counts = np.bincount([code % self._sides for code in codes], minlength=self._sides)
        seen = counts > 0
        return float((self._prior[seen] / counts[seen]).max())


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
        pairs = np.unique(self._component * size + self._cluster)
        self._values = [set[int]() for _ in range(int(groups.max()) + 1)]
        for pair in pairs.tolist():
            self._values[pair // size].add(pair % size)
        self.sizes = np.array([len(values) for values in self._values])
        """How many public values have an observation in each component."""
        self.firsts = np.array([min(values) for values in self._values])
        """The first public value of each component."""

    def joined_by(self, place: int) -> tuple[Flags, Codes, Codes]:
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
