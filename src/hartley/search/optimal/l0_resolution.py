r"""Most candidates that clusters of at most m values can keep: best partition and bound per m.

For each m at which more can be kept: bound the candidates from above by counting; try to reach the
bound, in closed form where there is one (one candidate per value; two candidates wanted), by
matching where m = 2, else by swap search. What swap search does not reach soon it tries
to exclude, by a flow, by prices of sizes, by prices of values; what it can neither reach nor exclude it
searches longer, and leaves open if that fails.

A partition serves every larger m, and a bound every smaller one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2

import numpy as np

from hartley.errors import InputError, UnreachableError
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.model import JointRange, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.optimal.candidate_sets import CandidateSets
from hartley.search.optimal.certificates import CandidateCertificate
from hartley.search.optimal.cluster_sizes import least_clusters, size_ranges, staircase
from hartley.search.optimal.cut_bound import CutBound, flow_cut
from hartley.search.optimal.dealing import dealt_partition, paired_partition
from hartley.search.optimal.level import Level, Levels
from hartley.search.optimal.packing import packing
from hartley.search.optimal.pairing import MOST_VALUES, pair_up
from hartley.search.optimal.price_bound import size_prices, value_prices
from hartley.search.optimal.swap_search import QUICK, SwapSearch, dealt_places, partition_of_places

GLANCE, SHORT = 150, 1_500
"""Moves per place before asking for a quick proof, and for a long one, that what is wanted cannot be."""
LONG = (20_000, 40_000, 80_000)
"""Moves per place of the longer tries, each from a fresh start."""
MOST_MOVES = 50_000_000
"""Moves of one try at most."""


@dataclass(frozen=True)
class Standing:
    """What is known for one size of the largest cluster."""

    largest: int
    kept: int
    """Candidates that every cluster of the partition keeps."""
    partition: Partition
    most: int
    """No partition keeps more."""
    certificate: CandidateCertificate | None
    """Why not; nothing where it is all candidates there are."""
    finished: bool = True

    @property
    def is_closed(self) -> bool:
        """Whether partition and bound meet."""
        return self.kept >= self.most


@dataclass(frozen=True, eq=False)
class CandidateSearch:
    """The search for one table without side information."""

    sets: CandidateSets
    effort: Effort

    @cached_property
    def cuts(self) -> CutBound:
        """The bounds by counting."""
        return CutBound.of(self.sets)

    def is_settled(self, standing: Standing) -> bool:
        """Tell whether no size that allows as few clusters keeps more: the bound by counting is reached."""
        return standing.kept >= self.cuts.most(standing.largest)[0]

    def bounded(self, largest: int, known: Partition, kept: int) -> Standing:
        """Give what is known without a search: a partition handed over, and the bound by counting."""
        most, certificate = self.cuts.most(largest)
        return Standing(largest, kept, known, most, certificate)

    def best(self, largest: int, known: Partition, kept: int) -> Standing:
        """Give the best clusters of at most ``largest`` values found; never worse than those known."""
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

    def _closed_form(self, standing: Standing) -> Standing | None:
        if bool((self.sets.counts == 1).all()):
            return self._improved(standing, dealt_partition(self.sets, standing.largest))
        if standing.most == 2:
            paired = paired_partition(self.sets, standing.largest)
            return None if paired is None else self._improved(standing, paired)
        return None

    def _matched(self, standing: Standing) -> Standing:
        while not standing.is_closed and not self.effort.should_stop():
            # Bisection: the number of candidates that can be kept is a threshold.
            wanted = (standing.kept + standing.most + 1) // 2
            result = pair_up(self.sets, wanted)
            if isinstance(result, Partition):
                standing = self._improved(standing, result)
            else:
                standing = replace(standing, most=wanted - 1, certificate=result)
        return replace(standing, finished=standing.is_closed)

    def _searched(self, standing: Standing) -> Standing:
        largest = standing.largest
        clusters = least_clusters(self.sets.size, largest)
        places = dealt_places(self.sets, largest, clusters)
        standing = self._improved(standing, partition_of_places(places, largest, self.sets.size))
        if not SwapSearch.fits(self.sets, clusters):
            return replace(standing, finished=standing.is_closed)
        search = SwapSearch(self.sets, largest, places, self.effort.seed + largest)
        wanted = standing.most
        while wanted > standing.kept and not self.effort.should_stop():
            search.ask(np.array([wanted], dtype=np.int64))
            certificate = self._reached_or_excluded(search, wanted, is_bound=wanted == standing.most)
            standing = self._improved(standing, search.partition())
            wanted -= 1
            if certificate is not None:
                standing = replace(standing, most=wanted, certificate=certificate)
        stopped = self.effort.should_stop() and not standing.is_closed
        return replace(standing, finished=not stopped)

    def _reached_or_excluded(
        self, search: SwapSearch, wanted: int, *, is_bound: bool
    ) -> CandidateCertificate | None:
        """Search until the goal is reached, or excluded, or the patience for it has run out.

        Where the bound is higher still, to exclude the goal is not worth the time: what
        is open then has already been searched long.
        """
        certificate: CandidateCertificate | None = None
        if self._runs(search, GLANCE):
            return None
        if is_bound:
            certificate = flow_cut(self.sets, search.largest, wanted) or size_prices(
                self.sets, search.largest, wanted, self.effort
            )
        if certificate is None and not self._runs(search, SHORT):
            if is_bound:
                certificate = value_prices(self.sets, search.largest, wanted, self.effort)
                packed = certificate or packing(self.sets, search.largest, wanted, self.effort)
                if isinstance(packed, Partition):
                    search.resume(packed)
                    return None
                certificate = packed
            if certificate is None:
                any(search.anneal(self._moves(search, moves), self.effort) for moves in LONG)
        return certificate

    def _runs(self, search: SwapSearch, moves: int) -> bool:
        return search.run(self._moves(search, moves), QUICK, self.effort)

    @staticmethod
    def _moves(search: SwapSearch, per_place: int) -> int:
        return min(per_place * len(search.places), MOST_MOVES)

    def _improved(self, standing: Standing, partition: Partition) -> Standing:
        kept = fewest_candidates(self.sets, partition)
        if kept <= standing.kept:
            return standing
        return replace(standing, kept=kept, partition=partition)


def fewest_candidates(sets: CandidateSets, partition: Partition) -> int:
    """Give the fewest candidates that a cluster shows."""
    cluster = partition.labels[sets.value_of].astype(np.int64)
    shown = np.unique(cluster * sets.kinds + sets.candidates)
    return int(np.bincount(shown // sets.kinds, minlength=partition.size).min())


def l0_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()) -> Levels:
    """Give the least worst-case leakage found for every size of the largest cluster that matters.

    No level is worse than the best of ``starts`` that fits it.

    >>> from hartley.examples import toy
    >>> from hartley.measures.uncertainty import distinct_l
    >>> [(level.cost, distinct_l(toy(), level.partition)) for level in l0_levels(toy()).levels]
    [(1, 1), (2, 2), (3, 2), (4, 4), (7, 6)]
    """
    search = search_of(joint, effort)
    given = Given.of(joint, starts)

    def best(largest: int, before: Standing | None) -> Standing:
        return search.best(largest, *given.better(largest, *_floor(joint, before)))

    ranges = size_ranges(joint.public.size)
    standings: list[Standing] = []
    for done, steps in enumerate(staircase(ranges, best, search.is_settled)):
        standings.extend(steps)
        effort.progress(done + 1, len(ranges), f"clusters of at most {steps[-1].largest} values")
        effort.found(lambda: levels_of(joint, standings).levels)
        if steps[-1].kept == joint.sensitive.size:
            break
    return levels_of(joint, standings)


def l0_level(
    joint: JointRange, largest: int, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Level:
    """Give the least worst-case leakage found for clusters of at most ``largest`` values.

    >>> from hartley.examples import toy
    >>> l0_level(toy(), 5)
    Level(cost=5, leakage_bits=0.5849625007211562, lower_bound_bits=0.5849625007211562)
    """
    size = joint.public.size
    if not 1 <= largest <= size:
        raise InputError(f"the largest cluster holds between 1 and {size} values")
    known, kept = Given.of(joint, starts).better(largest, *_floor(joint, None))
    return _level(joint, search_of(joint, effort).best(largest, known, kept))


@dataclass(frozen=True, kw_only=True)
class Reached:
    """The least cost found at which a target is met."""

    level: Level
    proven_least: bool
    """Whether every smaller cost is excluded."""


def least_largest_cluster(
    joint: JointRange, wanted: int, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Reached:
    """Give the smallest clusters found that keep ``wanted`` candidates each.

    >>> from hartley.examples import toy
    >>> reached = least_largest_cluster(toy(), 3)
    >>> reached.level.cost, reached.proven_least
    (4, True)
    """
    if wanted > joint.sensitive.size:
        raise UnreachableError(
            f"no release leaves {wanted} candidates for every released value; the most that can be "
            f"reached is {joint.sensitive.size}"
        )
    search = search_of(joint, effort)
    given = Given.of(joint, starts)
    size = joint.public.size
    excluded = 0

    def enough(largest: int, before: Standing | None) -> Standing:
        """Search a size for what is wanted only; to keep less is of no use here."""
        nonlocal excluded
        if largest == size:
            return search.bounded(size, Partition.whole(size), joint.sensitive.size)
        known, kept = given.better(largest, *_floor(joint, before))
        standing = search.best(largest, known, max(kept, wanted - 1))
        if standing.most < wanted:
            excluded = max(excluded, largest)
        return replace(standing, kept=min(standing.kept, wanted), finished=True)

    ranges = size_ranges(size)
    first = bisect_left(ranges, wanted, key=lambda sizes: search.cuts.most(sizes[0])[0])
    if first:
        excluded = ranges[first - 1][-1]
    for steps in staircase(ranges[first:], enough, lambda step: step.kept >= wanted):
        reached = next((step for step in steps if step.kept >= wanted), None)
        if reached is not None:
            break
    assert reached is not None  # noqa: S101 - one cluster of everything keeps every candidate
    final = search.best(reached.largest, reached.partition, fewest_candidates(search.sets, reached.partition))
    return Reached(level=_level(joint, final), proven_least=excluded == reached.largest - 1)


def _floor(joint: JointRange, before: Standing | None) -> tuple[Partition, int]:
    """Give what is known from a smaller size."""
    if before is None:
        return Partition.singletons(joint.public.size), distinct_l(joint)
    return before.partition, before.kept


@dataclass(frozen=True)
class Given:
    """Partitions handed over, each with its largest cluster and the candidates it keeps."""

    partitions: tuple[tuple[int, int, Partition], ...]

    @classmethod
    def of(cls, joint: JointRange, starts: Iterable[Partition]) -> Given:
        """Measure them."""
        return cls(tuple((int(start.sizes.max()), distinct_l(joint, start), start) for start in starts))

    def better(self, largest: int, known: Partition, kept: int) -> tuple[Partition, int]:
        """Give the best of these that fits, if it is better than what is known."""
        for cost, candidates, partition in self.partitions:
            if cost <= largest and candidates > kept:
                known, kept = partition, candidates
        return known, kept


def search_of(joint: JointRange, effort: Effort) -> CandidateSearch:
    """Lay a table out for the search; refuse one with side information."""
    if joint.side is not None:
        raise InputError("this search is for tables without side information; use side_resolution")
    return CandidateSearch(CandidateSets.of(joint), effort)


def levels_of(joint: JointRange, standings: Sequence[Standing]) -> Levels:
    """Give standings as levels, each with its own bound or a coarser one's where that is sharper."""
    return Levels(
        levels=tuple(_level(joint, standing) for standing in _with_shared_bounds(standings)),
        complete=all(standing.finished for standing in standings),
    )


def _level(joint: JointRange, standing: Standing) -> Level:
    return Level(
        cost=standing.largest,
        leakage_bits=max_uncertainty_reduction(joint, standing.partition),
        lower_bound_bits=log2(joint.sensitive.size / standing.most),
        certificate=standing.certificate,
        cut=lambda: standing.partition,
    )


def _with_shared_bounds(standings: Sequence[Standing]) -> list[Standing]:
    """Let every level have the bound of a coarser one where that is sharper."""
    shared: list[Standing] = []
    for standing in reversed(standings):
        if shared and shared[-1].most < standing.most:
            standing = replace(standing, most=shared[-1].most, certificate=shared[-1].certificate)
        shared.append(standing)
    return shared[::-1]
