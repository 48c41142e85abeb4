r"""One size of the largest cluster: reach the bound on the candidates kept, or lower it.

Bound the candidates from above by counting; try to reach the bound, in closed form where
there is one (one candidate per value; two candidates wanted), by matching where m = 2, else by swap
search. What swap search does not reach soon it tries to exclude, by prices of
sizes, by prices of values; what it can neither reach nor exclude it searches longer, and
leaves open if that fails.

Closed forms deal values out like cards: put those that show the same candidate side by side, no more than q
of each, and deal them out to q clusters in turn. A candidate never comes to the same cluster twice, and every
cluster gets at least :math:`\lfloor \sum_s \min(f_s, q) / q \rfloor` candidates, which is the counting bound.

Tables too large for one swap search are searched block by block of clusters. Values dealt out evenly make
every block a smaller table much like the whole, so what the whole can reach each block can reach too,
nearly always; and blocks need only their own memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hartley.model import Partition
from hartley.model.arrays import Int64s
from hartley.search.effort import Effort
from hartley.search.resolution.cut_bound import CutBound
from hartley.search.resolution.layout import CandidateSets, least_clusters, size_ranges
from hartley.search.resolution.matching import MOST_VALUES, pair_up
from hartley.search.resolution.price_bound import is_excluded_by_sizes, is_excluded_by_values
from hartley.search.resolution.swaps import MOST_CELLS, QUICK, SwapSearch, dealt_places, partition_of_places

NOWHERE = -1


def dealt_partition(sets: CandidateSets, largest: int) -> Partition:
    """Return the best clusters of at most ``largest`` values where every value shows one candidate.

    >>> one_each = CandidateSets(np.arange(6), np.array([0, 0, 0, 1, 2]), np.zeros(3, int), np.array([3]))
    >>> dealt_partition(one_each, 3)
    Partition({0, 2, 3}, {1, 4})
    """
    clusters = least_clusters(sets.size, largest)
    labels = np.full(sets.size, NOWHERE, dtype=np.int64)
    dealt = _side_by_side(sets.candidates, clusters)
    labels[dealt] = np.arange(len(dealt)) % clusters
    return filled_up(labels, clusters, largest)


def paired_partition(sets: CandidateSets, largest: int) -> Partition | None:
    """Return clusters of at most ``largest`` values with two candidates each, where they exist.

    Every value with two candidates serves a cluster alone; the clusters left are
    dealt two values of one candidate each. This succeeds whenever anything does.
    """
    if largest < 2:
        return Partition.singletons(sets.size) if bool((sets.counts > 1).all()) else None
    clusters = least_clusters(sets.size, largest)
    labels = np.full(sets.size, NOWHERE, dtype=np.int64)
    rich = np.flatnonzero(sets.counts > 1)[:clusters]
    labels[rich] = np.arange(len(rich))
    left = clusters - len(rich)
    if left:
        single = np.flatnonzero(sets.counts == 1)
        dealt = single[_side_by_side(sets.candidates[sets.starts[single]], left)][: 2 * left]
        if len(dealt) < 2 * left:
            return None
        labels[dealt] = len(rich) + np.arange(len(dealt)) % left
    return filled_up(labels, clusters, largest)


def _side_by_side(candidates: Int64s, most: int) -> Int64s:
    """Return the places in order of their candidates, no more than so many of each."""
    order = np.argsort(candidates, kind="stable")
    ordered = candidates[order]
    within = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return order[within < most]


def filled_up(labels: Int64s, clusters: int, largest: int) -> Partition:
    """Put the values that are nowhere yet where there is room."""
    left = np.flatnonzero(labels == NOWHERE)
    room = largest - np.bincount(labels[labels != NOWHERE], minlength=clusters)
    labels[left] = np.repeat(np.arange(clusters), room)[: len(left)]
    return Partition(labels)


GLANCE, SHORT = 150, 1_500
"""Moves per place before asking for a quick proof, and for a long one, that what is wanted cannot be."""
LONG = (20_000, 40_000, 80_000)
"""Moves per place of the longer tries, each from a fresh start."""
MOST_MOVES = 50_000_000
"""Moves of one try at most."""


@dataclass(frozen=True)
class SizeStanding:
    """What is known for one size of the largest cluster."""

    largest: int
    kept: int
    """Candidates that every cluster of the partition keeps."""
    partition: Partition
    most: int
    """No partition keeps more."""
    finished: bool = True

    @property
    def is_closed(self) -> bool:
        """Whether partition and bound meet."""
        return self.kept >= self.most


@dataclass(frozen=True, eq=False)
class SizeSearch:
    """The search for one table without side information."""

    sets: CandidateSets
    effort: Effort

    @cached_property
    def cuts(self) -> CutBound:
        """The bounds by counting."""
        return CutBound.of(self.sets)

    @cached_property
    def ranges(self) -> list[range]:
        """The sizes that allow the same least number of clusters, in ascending order."""
        return size_ranges(self.sets.size)

    def is_settled(self, standing: SizeStanding) -> bool:
        """Tell whether no size that allows as few clusters keeps more: the bound by counting is reached."""
        return standing.kept >= self.cuts.most(standing.largest)

    def bounded(self, largest: int, known: Partition, kept: int) -> SizeStanding:
        """Return what is known without a search: a partition handed over, and the bound by counting."""
        return SizeStanding(largest, kept, known, self.cuts.most(largest))

    def glance(self, largest: int, known: Partition, kept: int) -> SizeStanding:
        """Return the best clusters found by closed forms and a short search; never worse than those known."""
        standing = self.bounded(largest, known, kept)
        if standing.is_closed or self.effort.should_stop():
            return replace(standing, finished=standing.is_closed)
        direct = self._closed_form(standing)
        if direct is not None:
            return direct
        clusters = least_clusters(self.sets.size, largest)
        places = dealt_places(self.sets, largest, clusters)
        standing = self._improved(standing, partition_of_places(places, largest, self.sets.size))
        if not standing.is_closed and SwapSearch.fits(self.sets, clusters):
            search = SwapSearch(self.sets, largest, places, self.effort.seed + largest)
            search.ask(np.array([standing.most], dtype=np.int64))
            self._runs(search, GLANCE)
            standing = self._improved(standing, search.partition())
        return replace(standing, finished=standing.is_closed)

    def best(self, largest: int, known: Partition, kept: int) -> SizeStanding:
        """Return the best clusters of at most ``largest`` values found; never worse than those known."""
        standing = self.bounded(largest, known, kept)
        if standing.is_closed:
            return standing
        if self.effort.should_stop():
            return replace(standing, finished=False)
        direct = self._closed_form(standing)
        if direct is not None:
            return direct
        if largest == 2 and self.sets.size <= MOST_VALUES:
            return self._matched(standing)
        return self._searched(standing)

    def _closed_form(self, standing: SizeStanding) -> SizeStanding | None:
        if bool((self.sets.counts == 1).all()):
            return self._improved(standing, dealt_partition(self.sets, standing.largest))
        if standing.most == 2:
            paired = paired_partition(self.sets, standing.largest)
            return None if paired is None else self._improved(standing, paired)
        return None

    def _matched(self, standing: SizeStanding) -> SizeStanding:
        while not standing.is_closed and not self.effort.should_stop():
            # Bisection: the number of candidates that can be kept is a threshold.
            wanted = (standing.kept + standing.most + 1) // 2
            result = pair_up(self.sets, wanted, self.effort)
            if result is None:
                break
            if isinstance(result, Partition):
                standing = self._improved(standing, result)
            else:
                standing = replace(standing, most=wanted - 1)
        return replace(standing, finished=standing.is_closed)

    def _searched(self, standing: SizeStanding) -> SizeStanding:
        largest = standing.largest
        clusters = least_clusters(self.sets.size, largest)
        places = dealt_places(self.sets, largest, clusters)
        standing = self._improved(standing, partition_of_places(places, largest, self.sets.size))
        if not SwapSearch.fits(self.sets, clusters):
            return self._searched_in_blocks(standing, places)
        search = SwapSearch(self.sets, largest, places, self.effort.seed + largest)
        wanted = standing.most
        while wanted > standing.kept and not self.effort.should_stop():
            search.ask(np.array([wanted], dtype=np.int64))
            is_excluded = self._is_excluded_or_reached(search, wanted, is_bound=wanted == standing.most)
            standing = self._improved(standing, search.partition())
            wanted -= 1
            if is_excluded:
                standing = replace(standing, most=wanted)
        stopped = self.effort.should_stop() and not standing.is_closed
        return replace(standing, finished=not stopped)

    def _searched_in_blocks(self, standing: SizeStanding, places: Int64s) -> SizeStanding:
        largest = standing.largest
        for wanted in range(standing.most, standing.kept, -1):
            is_bound = wanted == standing.most
            if is_bound and is_excluded_by_sizes(self.sets, largest, wanted, self.effort):
                standing = replace(standing, most=wanted - 1)
                continue
            found = searched_in_blocks(self.sets, largest, places, wanted, self.effort)
            if found is not None:
                standing = self._improved(standing, found)
                break
            if self.effort.should_stop():
                standing = self._improved(standing, partition_of_places(places, largest, self.sets.size))
                return replace(standing, finished=standing.is_closed)
        return standing

    def _is_excluded_or_reached(self, search: SwapSearch, wanted: int, *, is_bound: bool) -> bool:
        """Search until the goal is reached, or excluded, or the patience for it has run out.

        Tell whether it is excluded. Where the bound is higher still, to exclude the goal is not worth the
        time: what is open then has already been searched long.
        """
        if self._runs(search, GLANCE):
            return False
        if is_bound and is_excluded_by_sizes(self.sets, search.largest, wanted, self.effort):
            return True
        if self._runs(search, SHORT):
            return False
        if is_bound and is_excluded_by_values(self.sets, search.largest, wanted, self.effort):
            return True
        any(search.anneal(self._moves(search, moves), self.effort) for moves in LONG)
        return False

    def _runs(self, search: SwapSearch, moves: int) -> bool:
        return search.run(self._moves(search, moves), QUICK, self.effort)

    @staticmethod
    def _moves(search: SwapSearch, per_place: int) -> int:
        return min(per_place * len(search.places), MOST_MOVES)

    def _improved(self, standing: SizeStanding, partition: Partition) -> SizeStanding:
        kept = fewest_candidates(self.sets, partition)
        if kept <= standing.kept:
            return standing
        return replace(standing, kept=kept, partition=partition)


def fewest_candidates(sets: CandidateSets, partition: Partition) -> int:
    """Return the fewest candidates that a cluster shows."""
    # In place: of many pairs, every array in between counts.
    keys = np.repeat(partition.labels.astype(np.int64), sets.counts)
    keys *= sets.kinds
    keys += sets.candidates
    keys.sort()
    is_first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    keys //= sets.kinds
    return int(np.bincount(keys[is_first], minlength=partition.size).min())


MOVES = 1_000
"""Moves per place in each block."""


def searched_in_blocks(
    sets: CandidateSets,
    largest: int,
    places: Int64s,
    wanted: int,
    effort: Effort,
    most_cells: int = MOST_CELLS // 4,
) -> Partition | None:
    """Search every block for clusters that keep ``wanted`` candidates; nothing where one has none.

    ``places`` holds the values dealt out, and goes on from one call to the next. A block has
    so many clusters that it keeps at most ``most_cells`` counts.
    """
    width = max(1, most_cells // sets.kinds)
    for first in range(0, len(places) // largest, width):
        block = slice(first * largest, (first + width) * largest)
        here = places[block]
        values = here[here < sets.size]
        part = taken(sets, values)
        inside = np.empty(len(here), dtype=np.int64)
        inside[here < sets.size] = np.arange(len(values))
        inside[here >= sets.size] = np.arange(len(values), len(here))
        search = SwapSearch(part, largest, inside, effort.seed + first)
        search.ask(np.array([wanted], dtype=np.int64))
        reached = search.run(MOVES * len(here), QUICK, effort)
        names = np.concatenate((values, here[here >= sets.size]))
        places[block] = names[search.places]
        if not reached:
            return None
    return partition_of_places(places, largest, sets.size)


def taken(sets: CandidateSets, values: Int64s) -> CandidateSets:
    """Return some of the values, in this order, with all candidates."""
    counts = sets.counts[values]
    starts = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    entries = np.repeat(sets.starts[values] - starts[:-1], counts) + np.arange(starts[-1])
    return CandidateSets(starts, sets.candidates[entries], sets.side_of, sets.before)
