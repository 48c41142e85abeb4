"""Public values in the order of a line: what every search under distortion works on.

Theorems about clusters on a line speak of neighbours. Here neighbours are neighbours in
the order of positions; public values without a position are set aside, since they
stay alone under every partition that is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hartley.errors import InputError
from hartley.hot_loops import hot_loop
from hartley.measures.utility import LineDistortion
from hartley.measures.utility.line import costs_in_ticks
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Int64s, Ints
from hartley.model.words import Codeword

WORD_BITS = 62
"""Bits of a word that are used: signs stay out of it."""


@hot_loop
def fewest_candidates(order: Int64s, sizes: Int64s, indptr: Int64s, indices: Ints, width: int) -> int:
    """Return the fewest distinct sensitive values of a cluster; clusters are stretches of ``order``."""
    seen_in = np.full(width, -1, dtype=np.int64)
    fewest = width
    begin = 0
    for cluster in range(len(sizes)):
        count = 0
        for at in range(begin, begin + sizes[cluster]):
            for entry in range(indptr[order[at]], indptr[order[at] + 1]):
                if seen_in[indices[entry]] != cluster:
                    seen_in[indices[entry]] = cluster
                    count += 1
        begin += sizes[cluster]
        fewest = min(fewest, count)
    return fewest


@dataclass(frozen=True, eq=False)
class Line:
    """Public values sorted by position, with the sensitive values of each.

    Ranks number the values along the line; places number them in the alphabet.

    >>> from hartley.examples import toy
    >>> joint = toy()
    >>> line = Line.of(joint, LineDistortion.of(joint.public))
    >>> line.order.tolist(), line.positions.tolist()
    ([1, 0, 3, 2, 4, 6, 5], [-7.0, -6.0, -5.0, -4.0, -2.0, 2.0, 7.0])
    """

    joint: JointRange
    utility: LineDistortion
    order: Int64s
    """The place of each rank."""
    positions: Floats
    """The position of each rank, ascending, in ticks (:class:`~hartley.measures.utility.line.LineGrid`).

    All costs on the line are in ticks too; :meth:`in_units` gives them as the utility does.
    """
    indptr: Int64s
    indices: Ints
    """Sensitive values of rank ``i``: ``indices[indptr[i]:indptr[i + 1]]``."""
    alone: Int64s
    """Places of the values that have no position."""

    @classmethod
    def of(cls, joint: JointRange, utility: LineDistortion) -> Line:
        """Sort the public values of a joint range without side information."""
        if joint.side is not None:
            raise InputError("a search on a line takes no side information; use the search for any utility")
        if utility.size != joint.public.size:
            raise InputError(f"{utility.size} positions do not fit {joint.public.size} public values")
        placed = np.flatnonzero(~np.isnan(utility.positions))
        order = placed[np.argsort(utility.positions[placed], kind="stable")]
        counts = np.diff(joint.indptr)[order]
        indptr = np.zeros(len(order) + 1, dtype=np.int64)
        np.cumsum(counts, out=indptr[1:])
        shift = np.repeat(joint.indptr[:-1][order] - indptr[:-1], counts)
        return cls(
            joint,
            utility,
            order,
            np.ascontiguousarray(utility.grid.ticks[order]),
            indptr,
            np.ascontiguousarray(joint.indices[np.arange(indptr[-1]) + shift]),
            np.flatnonzero(np.isnan(utility.positions)),
        )

    @property
    def size(self) -> int:
        """How many values lie on the line."""
        return len(self.order)

    @property
    def codeword(self) -> Codeword:
        """How a released value is chosen."""
        return self.utility.codeword

    @property
    def sensitive_size(self) -> int:
        """How many sensitive values there are."""
        return self.joint.sensitive.size

    @cached_property
    def most_candidates(self) -> int:
        """The greatest ``distinct_l`` that any partition allowed can reach."""
        reach = [int(count) for count in np.diff(self.joint.indptr)[self.alone]]
        if self.size:
            reach.append(len(np.unique(self.indices)))
        return min(reach)

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The sensitive values of each rank as the bits of one number; for short lines only."""
        bits = [0] * self.size
        rank = np.repeat(np.arange(self.size), np.diff(self.indptr))
        for i, value in zip(rank.tolist(), self.indices.tolist(), strict=True):
            bits[i] |= 1 << value
        return tuple(bits)

    @cached_property
    def words(self) -> Int64s:
        """The sensitive values of each rank as the bits of words, for loops that are compiled."""
        words = np.zeros((self.size, self.sensitive_size // WORD_BITS + 1), dtype=np.int64)
        ranks = np.repeat(np.arange(self.size), np.diff(self.indptr))
        bits = np.int64(1) << (self.indices.astype(np.int64) % WORD_BITS)
        np.bitwise_or.at(words, (ranks, self.indices // WORD_BITS), bits)
        return words

    def partition_of_ranks(self, cluster_of: Ints) -> Partition:
        """Turn the cluster of each rank into a partition of the alphabet."""
        labels = np.empty(self.joint.public.size, dtype=np.int64)
        labels[self.order] = cluster_of
        labels[self.alone] = np.arange(len(self.alone)) + self.size
        return Partition(labels)

    def partition_of_starts(self, starts: Ints) -> Partition:
        """Turn intervals, given by their first ranks, into a partition of the alphabet."""
        begins = np.zeros(self.size, dtype=np.int64)
        begins[starts[starts > 0]] = 1
        return self.partition_of_ranks(np.cumsum(begins))

    def cost_of(self, partition: Partition) -> float:
        """Return the worst cluster cost of a partition, in ticks."""
        return float(costs_in_ticks(self.utility.grid.ticks, self.codeword, partition).max())

    def in_units(self, cost: float) -> float:
        """Return a cost in ticks as the utility gives it."""
        return self.utility.grid.in_units(cost)

    def ticks_within(self, cost: float) -> float:
        """Return the greatest cost in ticks that is no more than what the utility calls this cost."""
        return self.utility.grid.ticks_within(cost)

    def distinct_l_of(self, partition: Partition) -> int:
        """Return the fewest candidates that a cluster leaves."""
        joint = self.joint
        order = np.argsort(partition.labels, kind="stable")
        loop = fewest_candidates.for_size(joint.pairs)
        return int(loop(order, partition.sizes, joint.indptr, joint.indices, joint.sensitive.size))

    @cached_property
    def rounding(self) -> float:
        """How far a centroid's cost can be from its real value by rounding; 0 where sums are exact.

        One division rounds then, and rounding a division keeps order. The other codewords need one
        subtraction, which keeps the order of the real values as well.
        """
        if self.codeword != "centroid" or not self.size or self.utility.grid.is_exact:
            return 0.0
        greatest = float(np.abs(self.positions).max())
        return 4.0 * (self.size + 2) * greatest * float(np.finfo(float).eps)
