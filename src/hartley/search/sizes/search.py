r"""Clusters of at most m values that hold what is required: found, excluded, or left open; and the least m.

Theorem S1. Among the partitions of N values into clusters of at most m that are enough there is one with
exactly :math:`q = \lceil N/m \rceil` clusters, if there is any: while there are more, one of them can be
dealt out over the room that the others have left, and no cluster loses anything. So all sizes fall into
:math:`O(\sqrt N)` ranges, one for each q, and bounds that depend on q alone hold for a whole range. Within a
range a larger m can still do more: of the values {a}, {b}, {c}, {a, b, c}, clusters of at most two keep two
candidates, the last value alone and the others together keep three, both in two clusters.

With side information the lemma fails: a cluster shows a side value as soon as one member does, with the
candidates of that member alone. What stays: merging whole clusters is harmless, so a partition serves every
larger m; and the rows of one side value are a table of their own, whose bounds hold.

What is tried for one size, the cheap before the dear: counting excludes it; dealing values out like cards,
which reaches the counting bound where every value shows one code, or two are wanted; matching where m = 2;
swaps; prices by size and by value exclude it; swaps at falling temperature. Where few components are asked
for as well, clusters that are enough are swapped until so few are left.

Tables too large for one swap search are searched block by block of clusters: values dealt out evenly make
every block a smaller table much like the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s, Places, different
from hartley.search.answer import Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.sizes.cluster_count import most_clusters, spaced_length
from hartley.search.sizes.components import least_clusters
from hartley.search.sizes.cut_bound import CandidateSets, CutBound
from hartley.search.sizes.joining_swaps import settled
from hartley.search.sizes.matching import MOST_VALUES, pair_up
from hartley.search.sizes.price_bound import is_excluded_by_sizes, is_excluded_by_values
from hartley.search.sizes.swaps import (
    MOST_CELLS,
    QUICK,
    SwapSearch,
    dealt_places,
    partition_of_places,
    places_of_partition,
)

GLANCE, SHORT = 150, 1_500
"""Moves per place before asking for a quick proof, and for a long one, that what is wanted cannot be."""
LONG = (20_000, 40_000, 80_000)
"""Moves per place of the longer tries, each at falling temperature."""
LONG_BESIDE = (4_000,)
DEALS = 3
"""Beside side information, beginnings by chance with as few clusters as there must be."""
MOST_MOVES = 50_000_000
"""Moves of one try at most."""
JOINING_TRIES = 400
"""Swaps per place that join components."""
BLOCK_MOVES = 1_000
"""Moves per place in each block."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is known of one size: clusters that are enough, or the proof that there are none, or neither."""

    partition: Partition | None
    is_excluded: bool = False


NONE_FOUND = Outcome(None)
EXCLUDED = Outcome(None, True)


@dataclass(frozen=True, eq=False)
class Tables:
    """What bounds each plain count of a demand by itself, whatever is wanted of it; worked out once."""

    enough: Enough

    @cached_property
    def cuts(self) -> tuple[tuple[int, CutBound], ...]:
        """The bounds of each count whose codes are all apart."""
        plain = np.flatnonzero(self.enough.is_plain).tolist()
        return tuple((count, CutBound.of(CandidateSets.of(self.enough, count))) for count in plain)

    @cached_property
    def pairs(self) -> tuple[Int64s, Int64s]:
        """All codes in ascending order, and the value of each."""
        order = np.argsort(self.enough.value_code, kind="stable")
        values = np.repeat(np.arange(self.enough.size), np.diff(self.enough.value_ptr))
        return self.enough.value_code[order].astype(np.int64), values[order]


@dataclass(frozen=True, eq=False, kw_only=True)
class SizeSearch:
    """The search for clusters of few values under one demand, and at most so many components."""

    enough: Enough
    tables: Tables
    joint: JointRange | None = None
    """The table whose components count, where their number is limited."""
    most_components: int | None = None
    least_size: int = 1
    """No smaller clusters leave so few components."""
    found: list[Partition] = field(default_factory=list)
    """What was found for all demands on the same values; beside side information swaps begin there."""
    _tried: dict[tuple[int, bool], Outcome] = field(default_factory=dict)

    @classmethod
    def of(cls, enough: Enough) -> SizeSearch:
        """Search for a demand alone."""
        return cls(enough=enough, tables=Tables(enough))

    def asking(self, wanted: Places) -> SizeSearch:
        """Return the search with other numbers wanted of the counts."""
        return replace(self, enough=replace(self.enough, wanted=wanted), _tried={})

    @cached_property
    def _most_clusters(self) -> int:
        """The most clusters that rows and counts with a tolerance allow; plain counts have other bounds."""
        is_plain = bool(self.enough.is_plain.all())
        if self.enough.is_beside or (is_plain and self.enough.row_k <= 1):
            return self.enough.size
        return max(1, most_clusters(self.enough))

    def is_excluded(self, largest: int) -> bool:
        """Tell whether counting excludes clusters of at most so many values."""
        if largest < self.least_size or least_clusters(self.enough.size, largest) > self._most_clusters:
            return True
        return any(cuts.most(largest) < wanted for cuts, wanted in self._cuts(largest))

    def _cuts(self, largest: int) -> Iterator[tuple[CutBound, int]]:
        """Yield the bounds of the counts that clusters of at most so many values must share out."""
        for count, cuts in self.tables.cuts:
            wanted = int(self.enough.wanted[count])
            if wanted > 1 and largest < cuts.sets.size:
                yield cuts, wanted

    def least(self, low: int = 1) -> int:
        """Return the least size from ``low`` on that counting does not exclude."""
        high = self.enough.size
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.is_excluded(middle) else (low, middle)
        return low

    def is_met_by(self, partition: Partition) -> bool:
        """Tell whether a partition is enough and leaves few enough components."""
        return self.enough.is_met_by(partition) and self._parts(partition) <= (self.most_components or 1)

    def _parts(self, partition: Partition) -> int:
        return 1 if self.joint is None else overlap_partition(self.joint, partition).size

    def of_size(self, largest: int, effort: Effort = UNLIMITED, *, at_length: bool = True) -> Outcome:
        """Return clusters of at most so many values that serve, or that there are none, or neither."""
        for tried_at_length in (True, at_length):
            if (largest, tried_at_length) in self._tried:
                return self._tried[largest, tried_at_length]
        found = self._of_size(largest, effort, at_length=at_length)
        if found.partition is not None and self.joint is not None:
            found = self._joined(found.partition, largest, effort)
        if found.partition is not None and self.enough.is_beside:
            self.found.append(found.partition)
        if not effort.should_stop():
            self._tried[largest, at_length] = found
        return found

    def _joined(self, partition: Partition, largest: int, effort: Effort) -> Outcome:
        assert self.joint is not None  # noqa: S101 (asked only where components count)
        most = self.most_components or 1
        if self._parts(partition) > most:
            tries = JOINING_TRIES * self.enough.size
            partition = settled(self.joint, self.enough, partition, largest, most, tries, effort)
        return Outcome(partition) if self.is_met_by(partition) else NONE_FOUND

    def _of_size(self, largest: int, effort: Effort, *, at_length: bool) -> Outcome:
        enough = self.enough
        clusters = least_clusters(enough.size, largest)
        if self.is_excluded(largest):
            return EXCLUDED
        if clusters == 1 or largest == 1:
            all_there_is = (
                Partition.whole(enough.size) if clusters == 1 else Partition.singletons(enough.size)
            )
            return Outcome(all_there_is) if enough.is_met_by(all_there_is) else EXCLUDED
        if not enough.is_beside:
            dealt = self._dealt(largest, clusters)
            if dealt is not None:
                return Outcome(dealt)
            if largest == 2 and enough.size <= MOST_VALUES and at_length:
                paired = pair_up(enough, effort)
                if paired is not None:
                    return EXCLUDED if paired == "impossible" else Outcome(paired)
        if effort.should_stop():
            return NONE_FOUND
        return self._swapped(largest, clusters, effort, at_length=at_length)

    def _swapped(self, largest: int, clusters: int, effort: Effort, *, at_length: bool) -> Outcome:
        """Swap values until every cluster is enough; where that fails, exclude it or search on."""
        enough, seed = self.enough, effort.seed + largest
        known = [found for found in self.found if found.sizes.max() <= largest]
        if enough.is_beside and known:
            first = max(known, key=lambda found: int(found.sizes.max()))
            # More clusters than must be can serve here; empty ones are room for that.
            places = places_of_partition(first, largest, min(enough.size, first.size + clusters // 2 + 1))
        else:
            places = dealt_places(enough, largest, clusters)
        if not SwapSearch.fits(enough, len(places) // largest):
            return NONE_FOUND if enough.is_beside else self._in_blocks(largest, places, effort)
        search = SwapSearch(enough, largest, places, seed)

        def moves(per_place: int) -> int:
            return min(per_place * len(places), MOST_MOVES)

        was_glanced_at = (largest, False) in self._tried
        if not was_glanced_at and search.run(moves(GLANCE), QUICK, effort):
            return self._checked(search)
        if at_length and self._is_excluded_by(is_excluded_by_sizes, largest, effort):
            return EXCLUDED
        if not was_glanced_at and search.run(moves(SHORT), QUICK, effort):
            return self._checked(search)
        if not at_length:
            return NONE_FOUND
        if not enough.is_beside and self._is_excluded_by(is_excluded_by_values, largest, effort):
            return EXCLUDED
        if any(search.anneal(moves(many), effort) for many in (LONG_BESIDE if enough.is_beside else LONG)):
            return self._checked(search)
        return self._dealt_by_chance(largest, clusters, effort) if enough.is_beside else NONE_FOUND

    def _checked(self, search: SwapSearch) -> Outcome:
        found = search.partition
        return Outcome(found) if self.enough.is_met_by(found) else NONE_FOUND

    def _dealt_by_chance(self, largest: int, clusters: int, effort: Effort) -> Outcome:
        """Anneal as few clusters as there must be, dealt out by chance."""
        chance = np.random.default_rng([effort.seed, largest])
        for _ in range(DEALS):
            order = Partition(chance.permutation(np.arange(self.enough.size) % clusters))
            places = places_of_partition(order, largest, clusters)
            search = SwapSearch(self.enough, largest, places, effort.seed + largest)
            if search.anneal(min(SHORT * len(places), MOST_MOVES // 25), effort):
                return self._checked(search)
            if effort.should_stop():
                break
        return NONE_FOUND

    def _is_excluded_by(self, test: object, largest: int, effort: Effort) -> bool:
        """Tell whether prices exclude a size, of a count by itself."""
        return any(test(cuts.sets, largest, wanted, effort) for cuts, wanted in self._cuts(largest))  # type: ignore[operator]

    def _dealt(self, largest: int, clusters: int) -> Partition | None:
        """Deal out: a value that is enough alone to a cluster each, to the others a longest spaced sequence.

        The codes of the sequence come in ascending order and in turn, so none comes close to another of its
        cluster (:mod:`~hartley.search.sizes.cluster_count`). ``None`` where that is not enough.
        """
        enough = self.enough
        if len(enough.wanted) != 1:
            return None
        wanted = int(enough.wanted[0])
        labels = np.full(enough.size, -1, dtype=np.int64)
        is_rich = np.diff(enough.value_ptr) >= wanted
        if is_rich.any():
            is_rich[is_rich] = enough.take(np.flatnonzero(is_rich)).are_enough(
                np.arange(is_rich.sum()), is_rich.sum()
            )
        rich = np.flatnonzero(is_rich)[:clusters]
        labels[rich] = np.arange(len(rich))
        left = clusters - len(rich)
        if left:
            codes, values = self.tables.pairs
            if len(rich):
                is_poor = ~is_rich[values]
                codes, values = codes[is_poor], values[is_poor]
            taken = np.empty(len(codes), dtype=np.int64)
            loop = spaced_length.for_size(len(codes) * 4)
            length = int(loop(codes, enough.next_code, left, taken))
            if length < wanted * left:
                return None
            dealt = values[taken[: wanted * left]]
            if len(different(dealt)) < len(dealt):
                return None
            labels[dealt] = len(rich) + np.arange(len(dealt)) % left
        room = largest - np.bincount(labels[labels >= 0], minlength=clusters)
        if bool((room < 0).any()):
            return None
        rest = np.flatnonzero(labels < 0)
        labels[rest] = np.repeat(np.arange(clusters), room)[: len(rest)]
        found = Partition(labels)
        return found if enough.is_met_by(found) else None

    def _in_blocks(self, largest: int, places: Int64s, effort: Effort) -> Outcome:
        """Search every block of clusters; nothing is found where one block has none."""
        enough = self.enough
        if self._is_excluded_by(is_excluded_by_sizes, largest, effort):
            return EXCLUDED
        width = max(1, MOST_CELLS // 4 // max(enough.width, 1))
        for first in range(0, len(places) // largest, width):
            block = slice(first * largest, (first + width) * largest)
            here = places[block]
            is_value = here < enough.size
            order = np.concatenate((here[is_value], here[~is_value]))
            inside = np.empty(len(here), dtype=np.int64)
            inside[is_value] = np.arange(is_value.sum())
            inside[~is_value] = np.arange(is_value.sum(), len(here))
            search = SwapSearch(enough.take(here[is_value]), largest, inside, effort.seed + first)
            if not search.run(BLOCK_MOVES * len(here), QUICK, effort):
                return NONE_FOUND
            places[block] = order[search.places]
        found = partition_of_places(places, largest, enough.size)
        return Outcome(found) if enough.is_met_by(found) else NONE_FOUND


def smallest_serving(
    search: SizeSearch,
    low: int,
    known: Partition,
    effort: Effort,
    *,
    at_length: bool = True,
) -> tuple[Partition, int]:
    """Return clusters as small as are found that serve, and a size below which none do.

    ``known`` serves; nothing is looked for below ``low``, which is proven. Sizes are tried from the bound on,
    each time twice as far, then between by halves.
    """
    best, high = known, int(known.sizes.max())
    bound = low = min(search.least(low), high)
    step = 1
    # Beside side information the bound is far away, and what is near it is searched in vain.
    is_above = not (at_length and search.enough.is_beside)
    trial = low if is_above else (low + high) // 2
    while low < high and not effort.should_stop():
        outcome = search.of_size(trial, effort, at_length=at_length)
        if outcome.partition is not None:
            best, high, is_above = outcome.partition, int(outcome.partition.sizes.max()), False
        else:
            bound = max(bound, trial + 1) if outcome.is_excluded else bound
            low, step = trial + 1, 2 * step
        trial = min(low + step - 1, high - 1) if is_above else (low + high) // 2
    return best, min(bound, high)


def least_largest_cluster(enough: Enough, effort: Effort = UNLIMITED) -> Answer:
    """Return the partition with the smallest largest cluster found that is enough everywhere."""
    enough.require_reachable()
    search = SizeSearch.of(enough)
    found, bound = smallest_serving(search, 1, Partition.whole(enough.size), effort)
    cost = float(found.sizes.max())
    return Answer(partition=found, cost=cost, lower_bound_cost=float(bound), any_bound=float(bound))
