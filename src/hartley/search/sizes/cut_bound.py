r"""Bounds on the candidates left, by counting how often values and candidates can be used (Theorem S2).

If q clusters keep k candidates each, choose in every cluster k candidates and for each
a value that shows it. These qk pairs use a value at most k times and a candidate at most q
times, whence two necessary conditions:

* counting, :math:`\sum_s \min(f_s, q) \ge qk`, with :math:`f_s` the values that show s;
* covering bins, :math:`\sum_x \min(|S_x|, k) \ge qk`.

Each may be applied after setting r values aside, to the :math:`q - r` clusters that hold none
of them. With the values of two candidates and more set aside and k = 2 the counting
condition is also sufficient (Theorem S3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hartley.model.arrays import Int64s, different
from hartley.search.enough import Enough
from hartley.search.sizes.components import least_clusters

MOST_THRESHOLDS = 24
"""Different numbers of candidates from which values are tried to be set aside."""


@dataclass(frozen=True, eq=False)
class CandidateSets:
    """The candidates of public values, one flat list after another: one count of a demand by itself."""

    starts: Int64s
    """Value x shows ``candidates[starts[x]:starts[x + 1]]``."""
    candidates: Int64s

    @classmethod
    def of(cls, enough: Enough, count: int = 0) -> CandidateSets:
        """Take one count of a demand; values and codes that are not of it are left out."""
        alone = enough.of_count(count)
        held = np.diff(alone.value_ptr)
        starts = np.concatenate(([0], np.cumsum(held[held > 0])))
        return cls(starts, np.unique(alone.value_code, return_inverse=True)[1].astype(np.int64))

    @property
    def size(self) -> int:
        """How many public values there are."""
        return len(self.starts) - 1

    @cached_property
    def kinds(self) -> int:
        """How many different candidates there are."""
        return int(self.candidates.max(initial=-1)) + 1

    @cached_property
    def counts(self) -> Int64s:
        """How many candidates each public value shows."""
        return np.diff(self.starts)

    @cached_property
    def value_of(self) -> Int64s:
        """The public value of every pair."""
        return np.repeat(np.arange(self.size), self.counts)


@dataclass(frozen=True, eq=False)
class Remainder:
    """The values left after setting those with most candidates aside, summed up beforehand."""

    aside: int
    """How many values are set aside."""
    occurrences: Int64s
    """How many of the values left show each candidate, ascending."""
    occurrences_below: Int64s
    """Sums of the first 0, 1, 2, ... of them."""
    counts: Int64s
    """How many candidates each of the values left shows, ascending."""
    counts_below: Int64s

    def most(self, clusters: int, above: int) -> int:
        """Return the most candidates that counting and covering bins allow, if it is less than ``above``."""
        left = clusters - self.aside
        if left < 1:
            return above
        most = min(above, _capped_sum(self.occurrences, self.occurrences_below, left) // left)
        low, high = 0, most
        # What is short of covering the bins grows with k: bisection.
        while low < high:
            middle = (low + high + 1) // 2
            if _capped_sum(self.counts, self.counts_below, middle) >= left * middle:
                low = middle
            else:
                high = middle - 1
        return low


@dataclass(frozen=True, eq=False)
class CutBound:
    """The counting bounds of one table, quick to ask for any size of cluster."""

    sets: CandidateSets
    remainders: tuple[Remainder, ...]
    _known: dict[int, int] = field(default_factory=dict)
    """What was worked out, by number of clusters."""

    @classmethod
    def of(cls, sets: CandidateSets) -> CutBound:
        """Sum up for each threshold what its remainder holds."""
        sizes = different(sets.counts)
        thresholds = [int(sizes[-1]) + 1, *sizes[::-1].tolist()[: MOST_THRESHOLDS - 1]]
        if len(sizes) > 1 and int(sizes[0]) == 1 and int(sizes[1]) not in thresholds:
            thresholds.append(int(sizes[1]))
        return cls(sets, tuple(_remainder(sets, threshold) for threshold in thresholds if threshold > 1))

    def most(self, largest: int) -> int:
        """Return the most candidates that clusters of at most ``largest`` can keep."""
        clusters = least_clusters(self.sets.size, largest)
        if clusters not in self._known:
            most = self.sets.kinds
            for remainder in self.remainders:
                most = remainder.most(clusters, most)
            self._known[clusters] = most
        return self._known[clusters]


def _remainder(sets: CandidateSets, threshold: int) -> Remainder:
    poor = sets.counts < threshold
    counts = np.sort(sets.counts[poor])
    shown = sets.candidates[poor[sets.value_of]]
    occurrences = np.sort(np.bincount(shown, minlength=sets.kinds))
    return Remainder(
        int((~poor).sum()),
        occurrences,
        np.concatenate(([0], np.cumsum(occurrences))),
        counts,
        np.concatenate(([0], np.cumsum(counts))),
    )


def _capped_sum(ascending: Int64s, sums: Int64s, cap: int) -> int:
    """Return the sum of the smaller of each number and the cap."""
    below = int(np.searchsorted(ascending, cap))
    return int(sums[below]) + cap * (len(ascending) - below)
