r"""One table with side information under resolution: what its clusters can keep, and a search for them.

A cluster shows a side value as soon as one of its members does, with the candidates of
that member alone. So to deal a cluster out over others can leak more, the fewest clusters need
not be best, and the closed forms do not hold. What stays:

* Merging whole clusters never leaks more, so a partition serves every larger m.
* The rows of one side value are a table of their own, and a partition into clusters of at most
  m cuts it into clusters of at most m. The bounds without side information hold for each.
* Components: clusters tie the observations of a side value to one another as in a table of its own,
  so at most :math:`\sum_a (N_a - \lceil N_a/m \rceil)` components vanish; and merging everything
  leaves the fewest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import log2

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import candidate_counts, max_uncertainty_reduction, prior_counts
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s
from hartley.model.words import ROUNDING
from hartley.search.effort import Effort
from hartley.search.levels import Level
from hartley.search.resolution.cut_bound import CutBound
from hartley.search.resolution.layout import CandidateSets, least_clusters
from hartley.search.resolution.price_bound import is_excluded_by_sizes
from hartley.search.resolution.swaps import QUICK, SwapSearch, places_of_partition

SHORT = 1_500
LONG = 4_000
"""Moves per place of a first search and of a longer one."""
DEALS = 3
"""Beginnings by chance, with as few clusters as there must be."""
MOST_MOVES = 20_000_000


@dataclass(frozen=True, eq=False)
class SideSearch:
    """The search for one table with side information."""

    joint: JointRange
    effort: Effort
    _bits: dict[Partition, float] = field(default_factory=dict)
    _parts: dict[Partition, int] = field(default_factory=dict)
    _excluded: dict[int, float] = field(default_factory=dict)
    """Bits that were excluded at length, by the largest cluster."""

    def bits(self, partition: Partition) -> float:
        """Return what a partition leaks at worst; each is measured once."""
        if partition not in self._bits:
            self._bits[partition] = max_uncertainty_reduction(self.joint, partition)
        return self._bits[partition]

    def parts(self, partition: Partition) -> int:
        """Return how many components a partition leaves; each is measured once."""
        if partition not in self._parts:
            self._parts[partition] = overlap_partition(self.joint, partition).size
        return self._parts[partition]

    @cached_property
    def sets(self) -> CandidateSets:
        """The table laid out for the search."""
        return CandidateSets.of(self.joint)

    @cached_property
    def cuts(self) -> tuple[CutBound, ...]:
        """The bounds by counting for the rows of every side value."""
        return tuple(CutBound.of(part) for part in self.sets.slices())

    @cached_property
    def floor(self) -> float:
        """What leaks when everything is merged; no partition leaks less."""
        return self.bits(Partition.whole(self.joint.public.size))

    def bound(self, largest: int) -> float:
        """Return the sharpest bound on bits: by counting among the side values, or excluded at length."""
        best = self.floor
        for side, cuts in enumerate(self.cuts):
            if largest < cuts.sets.size:
                most = cuts.most(largest)
                if most < cuts.sets.kinds:
                    best = max(best, log2(int(self.sets.before[side]) / most))
        excluded = [known for size, known in self._excluded.items() if size >= largest]
        return max((best, *excluded))

    def least_size(self, bits: float) -> int:
        """Return a size below which no clusters leak as little."""
        low, high = 1, self.joint.public.size
        while low < high:
            middle = (low + high) // 2
            if self.bound(middle) > bits + ROUNDING:
                low = middle + 1
            else:
                high = middle
        return low

    def fewest_components(self, largest: int) -> int:
        """Return a number of components that clusters of at most ``largest`` values cannot go below."""
        size = self.joint.public.size
        ties = int((self._shown - -(-self._shown // largest)).sum())
        return max(
            self.parts(Partition.singletons(size)) - ties,
            self.parts(Partition.whole(size)),
        )

    def least_joining_size(self, parts: int) -> int:
        """Return a size below which no clusters leave so few components."""
        sizes = range(1, self.joint.public.size + 1)
        return 1 + bisect_left(sizes, -parts, key=lambda largest: -self.fewest_components(largest))

    @cached_property
    def _shown(self) -> Int64s:
        """How many public values show each side value."""
        sides = len(self.sets.before)
        shown = np.unique(self.sets.value_of * sides + self.sets.side_of[self.sets.candidates]) % sides
        return np.bincount(shown, minlength=sides)

    def excluded(self, largest: int, need: Int64s) -> int | None:
        """Return a side value under which clusters cannot keep what is needed, where one is found."""
        for side, cuts in enumerate(self.cuts):
            if largest >= cuts.sets.size or self.effort.should_stop():
                continue
            wanted = int(need[side])
            if is_excluded_by_sizes(cuts.sets, largest, wanted, self.effort):
                return side
        return None

    def glance(self, largest: int, known: Partition) -> Partition:
        """Return the best clusters of at most ``largest`` values that a short search finds."""
        return self._searched(largest, known, at_length=False)

    def best(self, largest: int, known: Partition) -> Partition:
        """Return the best clusters of at most ``largest`` values found, from a partition that fits."""
        return self._searched(largest, known, at_length=True)

    def _searched(self, largest: int, known: Partition, *, at_length: bool) -> Partition:
        search = self._swaps(largest, known)
        while search is not None and self.bits(known) > self.bound(largest) + ROUNDING:
            need = self._less_leaking(known)
            if self.effort.should_stop() or bool((need > self.sets.shown).any()):
                break
            if self._reached(search, need, largest, at_length=at_length):
                known = search.partition()
                continue
            found = self._in_fewest(need, largest) if at_length else None
            if found is None:
                break
            known, search = found, self._swaps(largest, found)
        return known

    def _in_fewest(self, need: Int64s, largest: int) -> Partition | None:
        """Return as few clusters as there must be that keep what is needed, where that is not excluded."""
        excluded = self._excluded.get(largest)
        least = least_clusters(self.sets.size, largest)
        if excluded is not None or least == 1 or not SwapSearch.fits(self.sets, least):
            return None
        chance = np.random.default_rng([self.effort.seed, largest])
        for _ in range(DEALS):
            order = Partition(chance.permutation(np.arange(self.sets.size) % least))
            dealt = places_of_partition(order, largest, least)
            search = SwapSearch(self.sets, largest, dealt, self.effort.seed + largest)
            search.ask(need)
            if search.anneal(min(SHORT * len(dealt), MOST_MOVES // 10), self.effort):
                return search.partition()
            if self.effort.should_stop():
                break
        return None

    def _reached(self, search: SwapSearch, need: Int64s, largest: int, *, at_length: bool) -> bool:
        """Swap until every cluster keeps what is needed; where that fails, exclude it or search on."""
        search.ask(need)
        places = len(search.places)
        if search.run(min(SHORT * places, MOST_MOVES), QUICK, self.effort):
            return True
        if not at_length:
            return False
        side = self.excluded(largest, need)
        if side is not None:
            # Some cluster keeps one candidate less than is needed, or fewer still.
            bits = log2(int(self.sets.before[side]) / max(int(need[side]) - 1, 1))
            self._excluded[largest] = bits
            return False
        return search.anneal(min(LONG * places, MOST_MOVES), self.effort)

    def cheaper(self, partition: Partition, fitting: Callable[[int], Partition]) -> list[Partition]:
        """Return partitions of smaller clusters, found by bisection, that leak no more than this one."""
        need, most = self.needs(partition), self.bits(partition)
        low, high = self.least_size(most), int(partition.sizes.max())
        found: list[Partition] = []
        while low < high and not self.effort.should_stop():
            middle = (low + high) // 2
            search = self._swaps(middle, fitting(middle))
            reached = search is not None and self._reached(search, need, middle, at_length=True)
            if reached and search is not None and self.bits(search.partition()) <= most + ROUNDING:
                found.append(search.partition())
                high = middle
            else:
                low = middle + 1
        return found

    def keeping(self, need: Int64s, largest: int, starts: Sequence[Partition]) -> Partition | None:
        """Return clusters of at most so many values that keep what is needed, where they are found."""
        known = min((*starts, Partition.singletons(self.joint.public.size)), key=self.bits)
        search = self._swaps(largest, known)
        if search is None or not self._reached(search, need, largest, at_length=True):
            return None
        return search.partition()

    def _swaps(self, largest: int, known: Partition) -> SwapSearch | None:
        least = least_clusters(self.sets.size, largest)
        # More clusters than must be can leak less here; empty ones are room for that.
        clusters = min(self.sets.size, max(known.size, least) + least // 2 + 1)
        if not SwapSearch.fits(self.sets, clusters):
            return None
        places = places_of_partition(known, largest, clusters)
        return SwapSearch(self.sets, largest, places, self.effort.seed + largest)

    def _worst(self, partition: Partition) -> tuple[int, int]:
        """Return the candidates before and after of the observation that leaks most."""
        released = self.joint.release(partition)
        before, after = prior_counts(released), candidate_counts(released)
        worst = int((before / after).argmax())
        return int(before[worst]), int(after[worst])

    def _less_leaking(self, partition: Partition) -> Int64s:
        """Return how many candidates every side value must keep for less leakage than this."""
        before, after = self._worst(partition)
        return self.sets.before * after // before + 1

    def needs(self, partition: Partition) -> Int64s:
        """Return how many candidates every side value must keep for no more leakage than this."""
        before, after = self._worst(partition)
        return -(-self.sets.before * after // before)

    def needs_between(self, least: float, most: float) -> list[Int64s]:
        """Return what every side value must keep for each leakage between two, the least leakage first.

        A leakage is one of the ratios of candidates before to candidates after that a side value can have.
        """
        ratios: dict[float, tuple[int, int]] = {}
        for before in np.unique(self.sets.before).tolist():
            first, last = int(before / 2 ** (most - ROUNDING)) + 1, int(before / 2 ** (least + ROUNDING))
            ratios |= {before / after: (before, after) for after in range(max(1, first), last + 1)}
        return [-(-self.sets.before * after // before) for _, (before, after) in sorted(ratios.items())]

    def level(self, largest: int, partition: Partition) -> Level:
        """Return a partition as a level of worst-case leakage."""
        return Level(
            cost=largest,
            leakage_bits=self.bits(partition),
            lower_bound_bits=self.bound(largest),
            lower_bound_cost=self.least_size(self.bits(partition)),
            cut=partial(same, partition),
        )


def same(partition: Partition) -> Partition:
    """Return the partition."""
    return partition
