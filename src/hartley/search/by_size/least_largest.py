r"""Clusters of fewest values that are enough, for any requirements.

Lemma. Among partitions into clusters of at most m values one that is enough has exactly :math:`\lceil n / m
\rceil` clusters, if there is any: one of more can be dealt out over the room that the others leave, and
none of them holds less.

Bounds: no more clusters than counting allows (:mod:`~hartley.search.cluster_count`); what values show
by themselves adds up at most. Where every value shows one sensitive value, counting is attained: the
longest spaced sequence is dealt out in turn. Else a swap search tries to reach the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from hartley.measures.utility import Resolution
from hartley.model.arrays import Places
from hartley.search.by_size.swaps import EnoughSwaps, dealt_places
from hartley.search.cluster_count import most_clusters, sequence_of
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.line.every_partition import (
    MOST_VALUES,
    clusters_of_first,
    costs_of_subsets,
    enough_subsets,
    finest_first,
    least_worst,
)
from hartley.search.line.ordered_values import LineAnswer
from hartley.search.resolution.cut_bound import CutBound
from hartley.search.resolution.l0 import Given, least_size_keeping
from hartley.search.resolution.layout import CandidateSets
from hartley.search.resolution.matching import match_some
from hartley.search.resolution.one_size import SizeSearch
from hartley.search.resolution.price_bound import is_excluded_by_sizes, is_excluded_by_values

MOVES = 3_000
"""Moves of a swap search for each value."""
MOST_MOVES = 20_000_000
MOST_PAIRED = 600
"""Values that are matched in twos; all pairs of them are looked at."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is known of one size: clusters that are enough, or the proof that there are none, or neither."""

    labels: Places | None
    is_excluded: bool = False


NONE_FOUND = Outcome(None)
EXCLUDED = Outcome(None, True)


@dataclass(frozen=True, eq=False)
class SizeDemand:
    """A demand on clusters of at most so many values, with what bounds each of its counts by itself."""

    enough: Enough

    @cached_property
    def parts(self) -> tuple[tuple[CutBound, int], ...]:
        """The bounds of each count whose codes are all apart, and how many of it are wanted."""
        found = []
        for count, wanted in enumerate(self.enough.wanted.tolist()):
            if self.enough.demand.is_plain[count] and wanted > 1:
                alone = self.enough.of_count(count)
                zero = np.zeros(alone.width, dtype=np.int64)
                codes = alone.value_code.astype(np.int64)
                sets = CandidateSets(alone.value_ptr, codes, zero, np.array([alone.width]))
                found.append((CutBound.of(sets), wanted))
        return tuple(found)

    @property
    def is_of_candidates(self) -> bool:
        """Whether one count is all that is asked for, and all its codes are apart."""
        return len(self.enough.wanted) == len(self.parts) == 1 and self.enough.row_k <= 1

    @cached_property
    def most_clusters(self) -> int:
        """The most clusters that counting allows."""
        return max(1, most_clusters(self.enough))

    def is_excluded(self, largest: int) -> bool:
        """Tell whether counting excludes clusters of at most so many values."""
        if -(-self.enough.size // largest) > self.most_clusters:
            return True
        return any(cuts.most(largest) < wanted for cuts, wanted in self.parts)

    def is_excluded_at_length(self, largest: int, effort: Effort) -> bool:
        """Tell whether prices exclude them, of a count by itself."""
        return any(
            is_excluded_by_sizes(cuts.sets, largest, wanted, effort)
            or is_excluded_by_values(cuts.sets, largest, wanted, effort)
            for cuts, wanted in self.parts
        )

    def least_size(self) -> int:
        """Return the least size that counting does not exclude."""
        low, high = 1, self.enough.size
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.is_excluded(middle) else (low, middle)
        return low


def least_largest_cluster(enough: Enough, effort: Effort = UNLIMITED) -> LineAnswer:
    """Return the partition with the smallest largest cluster found that is enough everywhere, and the bound.

    >>> from hartley.examples import toy
    >>> from hartley.model.requirement import Requirement
    >>> answer = least_largest_cluster(Enough.of(toy(), [Requirement("distinct-l", 3)]))
    >>> answer.cost, answer.proven
    (4.0, True)
    """
    enough.require_reachable()
    demand, size = SizeDemand(enough), enough.size
    if demand.is_of_candidates and size > MOST_VALUES:
        (cuts, wanted) = demand.parts[0]
        found, least = least_size_keeping(SizeSearch(cuts.sets, effort), wanted, Given(()))
        return _answer(found.partition.labels.astype(np.int64), least)
    bound = low = largest = demand.least_size()
    outcome = of_size(demand, largest, effort)
    while outcome.labels is None:
        if outcome.is_excluded:
            bound = largest + 1
        low = largest + 1
        largest = min(size, 2 * largest)
        outcome = of_size(demand, largest, effort)
    labels, high = outcome.labels, largest
    while low < high and not effort.should_stop():
        middle = (low + high) // 2
        outcome = of_size(demand, middle, effort)
        if outcome.labels is None:
            low = middle + 1
            bound = max(bound, middle + 1) if outcome.is_excluded else bound
        else:
            high, labels = middle, outcome.labels
    return _answer(labels, bound)


def _answer(labels: Places, bound: int) -> LineAnswer:
    cost = float(np.bincount(labels).max())
    return LineAnswer(labels=labels, cost=cost, lower_bound=float(bound), any_bound=float(bound))


def of_size(demand: SizeDemand, largest: int, effort: Effort = UNLIMITED) -> Outcome:
    """Return clusters of at most so many values that are enough, or that there are none, or neither."""
    enough = demand.enough
    size = enough.size
    clusters = -(-size // largest)
    if clusters == 1 or largest == 1:
        labels = np.zeros(size, dtype=np.int64) if clusters == 1 else np.arange(size, dtype=np.int64)
        holds = bool(enough.are_enough(labels, clusters).all())
        return Outcome(labels) if holds else EXCLUDED
    if demand.is_excluded(largest):
        return EXCLUDED
    if size <= MOST_VALUES:
        return _of_few(enough, largest)
    dealt = _dealt(enough, largest, clusters)
    if dealt is not None:
        return Outcome(dealt)
    if largest == 2 and size <= MOST_PAIRED:
        return _paired(enough)
    if not EnoughSwaps.fits(enough, clusters):
        return NONE_FOUND
    search = EnoughSwaps(enough, largest, dealt_places(enough, largest, clusters), effort.seed + largest)
    if search.run(min(MOVES * size, MOST_MOVES), effort):
        return Outcome(search.labels)
    return EXCLUDED if demand.is_excluded_at_length(largest, effort) else NONE_FOUND


def _of_few(enough: Enough, largest: int) -> Outcome:
    """Look at all partitions."""
    size = enough.size
    cost = costs_of_subsets(Resolution(size))
    cost[~enough_subsets(enough)] = inf
    cost[0] = 0.0
    full = (1 << size) - 1
    if least_worst.for_size(3**size)(cost)[full] > largest:
        return EXCLUDED
    count, total = np.zeros(len(cost), dtype=np.int64), np.zeros(len(cost))
    chosen = finest_first.for_size(3**size)(cost, np.zeros(len(cost)), float(largest), count, total)
    return Outcome(clusters_of_first(chosen, full, size))


def _paired(enough: Enough) -> Outcome:
    """Match values in twos: those that are enough by themselves may stay alone, the others need a mate."""
    size = enough.size
    even = size + size % 2
    rich = np.ones(even, dtype=bool)
    rich[:size] = enough.are_enough(np.arange(size), size)
    fits = rich[:, np.newaxis] & rich
    one, other = np.triu_indices(size, 1)
    pairs = np.column_stack((one, other)).ravel()
    holds = enough.take(pairs).are_enough(np.repeat(np.arange(len(one)), 2), len(one))
    fits[one, other] |= holds
    fits[other, one] |= holds
    np.fill_diagonal(fits, False)
    mates, odd = np.full(even, -1, dtype=np.int64), np.zeros(even, dtype=bool)
    if int(match_some.for_size(fits.size)(0, even + 1, fits, mates, odd)) < 0:
        return EXCLUDED
    values = np.arange(size)
    alone = rich[values] & rich[mates[values]]
    return Outcome(
        np.unique(np.where(alone, values, np.minimum(values, mates[values])), return_inverse=True)[1]
    )


def _dealt(enough: Enough, largest: int, clusters: int) -> Places | None:
    """Deal the longest spaced sequence out in turn, then the rest into the room; ``None`` if not enough."""
    if len(enough.wanted) != 1:
        return None
    wanted = int(enough.wanted[0])
    codes, values = sequence_of(enough, 0, clusters)
    labels = np.full(enough.size, -1, dtype=np.int64)
    room = np.full(clusters, largest, dtype=np.int64)
    if len(codes) < wanted * clusters or len(set(values[: wanted * clusters].tolist())) < wanted * clusters:
        return None
    labels[values[: wanted * clusters]] = np.arange(wanted * clusters) % clusters
    room -= np.bincount(labels[labels >= 0], minlength=clusters)
    if bool((room < 0).any()):
        return None
    rest = np.flatnonzero(labels < 0)
    labels[rest] = np.repeat(np.arange(clusters), room)[: len(rest)]
    return labels if bool(enough.are_enough(labels, clusters).all()) else None
