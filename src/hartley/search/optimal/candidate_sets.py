"""What each public value shows, laid out for a search over partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hartley.model import JointRange

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CandidateSets:
    """The candidates of every public value, one flat list after another.

    With side information a candidate is a sensitive value *under a side value*, and
    a cluster is judged for each side value it shows; without, there is one side value.
    """

    starts: Codes
    """Value x shows ``candidates[starts[x]:starts[x + 1]]``."""
    candidates: Codes
    side_of: Codes
    """The side value of every candidate."""
    before: Codes
    """How many candidates there are under each side value before anything is released."""

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
        return cls(starts, candidates.astype(np.int64), side_of, np.bincount(side_of))

    @property
    def size(self) -> int:
        """How many public values there are."""
        return len(self.starts) - 1

    @property
    def kinds(self) -> int:
        """How many different candidates there are."""
        return len(self.side_of)

    @cached_property
    def counts(self) -> Codes:
        """How many candidates each public value shows."""
        return np.diff(self.starts)

    @cached_property
    def value_of(self) -> Codes:
        """The public value of every pair."""
        return np.repeat(np.arange(self.size), self.counts)

    def slices(self) -> list[CandidateSets]:
        """Give what is shown under each side value as a table of its own.

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
