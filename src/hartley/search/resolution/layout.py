r"""What each public value shows, laid out for a search; and which sizes of the largest cluster can matter.

Lemma. Among the partitions of N values into clusters of at most m there is a least
leaking one with exactly :math:`q = \lceil N/m \rceil` clusters: while there are more, one of them
can be dealt out over the room that the others have left, and no cluster loses a
candidate. So all sizes fall into :math:`O(\sqrt N)` ranges, one for each q, and bounds that depend
on q alone hold for a whole range.

Within a range a larger m can still leak less, because it lets clusters be of more
unequal size: of the values {a}, {b}, {c}, {a, b, c}, clusters of at most two keep two
candidates, the last value alone and the others together keep three, both in two clusters. Not
so for components, where the closed form depends on q only.

All this needs every merge to be harmless, as it is without side information.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from hartley.measures.uncertainty import prior_counts_of_side
from hartley.model import JointRange
from hartley.model.arrays import Int64s


@dataclass(frozen=True, eq=False)
class CandidateSets:
    """The candidates of every public value, one flat list after another.

    With side information a candidate is a sensitive value *under a side value*, and
    a cluster is judged for each side value it shows; without, there is one side value.
    """

    starts: Int64s
    """Value x shows ``candidates[starts[x]:starts[x + 1]]``."""
    candidates: Int64s
    side_of: Int64s
    """The side value of every candidate."""
    before: Int64s
    """How many candidates there were before for a reader of each side value, by what he knew of it."""

    @classmethod
    def of(cls, joint: JointRange) -> CandidateSets:
        """Lay a joint range out."""
        if joint.side is None or joint.observed_side is None:
            size = joint.sensitive.size
            return cls(
                joint.indptr.astype(np.int64),
                joint.indices.astype(np.int64),
                np.zeros(size, dtype=np.int64),
                np.array([size], dtype=np.int64),
            )
        side = joint.observed_side[joint.observation_of].astype(np.int64)
        kinds, candidates = np.unique(side * joint.sensitive.size + joint.indices, return_inverse=True)
        side_of = kinds // joint.sensitive.size
        # Observations are sorted by public value, so a value's candidates lie together.
        public = joint.public_of[joint.observation_of]
        starts = np.zeros(joint.public.size + 1, dtype=np.int64)
        np.cumsum(np.bincount(public, minlength=joint.public.size), out=starts[1:])
        return cls(starts, candidates.astype(np.int64), side_of, prior_counts_of_side(joint))

    @property
    def size(self) -> int:
        """How many public values there are."""
        return len(self.starts) - 1

    @property
    def kinds(self) -> int:
        """How many different candidates there are."""
        return len(self.side_of)

    @cached_property
    def counts(self) -> Int64s:
        """How many candidates each public value shows."""
        return np.diff(self.starts)

    @cached_property
    def shown(self) -> Int64s:
        """How many candidates there are under each side value when everything is merged."""
        return np.bincount(self.side_of, minlength=len(self.before))

    @cached_property
    def value_of(self) -> Int64s:
        """The public value of every pair."""
        return np.repeat(np.arange(self.size), self.counts)

    def slices(self) -> list[CandidateSets]:
        """Return what is shown under each side value as a table of its own.

        It has the public values that show the side value, and the candidates under it, each in order.
        """
        side = self.side_of[self.candidates]
        order = np.argsort(side, kind="stable")
        ends = np.cumsum(np.bincount(side, minlength=len(self.before)))[:-1]
        return [self._alone(pairs) for pairs in np.split(order, ends)]

    def _alone(self, pairs: npt.NDArray[np.intp]) -> CandidateSets:
        kinds, candidates = np.unique(self.candidates[pairs], return_inverse=True)
        counts = np.unique(self.value_of[pairs], return_counts=True)[1]
        starts = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=starts[1:])
        zeros = np.zeros(len(kinds), dtype=np.int64)
        return CandidateSets(starts, candidates.astype(np.int64), zeros, np.array([len(kinds)]))


def least_clusters(size: int, largest: int) -> int:
    r"""Return the least number of clusters of at most ``largest`` values, :math:`\lceil N/m \rceil`."""
    return -(-size // largest)


def size_ranges(size: int) -> list[range]:
    """Return, in ascending order, the sizes that allow the same least number of clusters.

    >>> size_ranges(10)
    [range(1, 2), range(2, 3), range(3, 4), range(4, 5), range(5, 10), range(10, 11)]
    """
    ranges = []
    first = 1
    while first <= size:
        clusters = least_clusters(size, first)
        after = size + 1 if clusters == 1 else least_clusters(size, clusters - 1)
        ranges.append(range(first, after))
        first = after
    return ranges


class Step(Protocol):
    """What a search knows for one size of the largest cluster."""

    @property
    def largest(self) -> int:
        """The size."""

    @property
    def kept(self) -> int:
        """The candidates kept; a larger size keeps no fewer."""


S = TypeVar("S", bound=Step)


def staircase(
    ranges: Iterable[range],
    search: Callable[[int, S | None], S],
    is_settled: Callable[[S], bool],
) -> Iterator[list[S]]:
    """Search the sizes at which more candidates are kept; give the steps of each range in order.

    ``search`` takes a size and the step before it. Where the first size of a range is settled for the
    whole range, the others are passed over; else its last is searched, and by bisection those
    between at which the number changes.
    """
    before: S | None = None
    for sizes in ranges:
        steps = [search(sizes[0], before)]
        if len(sizes) > 1 and not is_settled(steps[0]):
            last = search(sizes[-1], steps[0])
            steps += [*_between(steps[0], last, search), last]
        before = steps[-1]
        yield steps


def _between(low: S, high: S, search: Callable[[int, S | None], S]) -> list[S]:
    if low.kept == high.kept or high.largest - low.largest < 2:
        return []
    middle = search((low.largest + high.largest) // 2, low)
    return [*_between(low, middle, search), middle, *_between(middle, high, search)]
