r"""Most candidates that clusters of at most m values can keep: best partition and bound per m.

Each size is searched by :mod:`~hartley.search.resolution.one_size`; which sizes are, is decided by
:mod:`~hartley.search.resolution.layout`. A partition serves every larger m, and a bound
every smaller one: the bounds of smaller sizes say how large clusters that keep so many candidates must be.
All sizes are glanced at before any is searched at length.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import log2

from hartley.errors import InputError, UnreachableError
from hartley.measures.uncertainty import distinct_l
from hartley.model import JointRange, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels, in_time, without_doubles
from hartley.search.resolution.layout import CandidateSets, size_ranges, staircase
from hartley.search.resolution.one_size import SizeSearch, SizeStanding, fewest_candidates

MOST_GLANCES = 3_000_000
"""Pairs times sizes up to which every size is glanced at first."""


def l0_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()) -> Levels:
    """Return the least worst-case leakage found for every size of the largest cluster that matters.

    No level is worse than the best of ``starts`` that fits it.

    >>> from hartley.examples import toy
    >>> from hartley.measures.uncertainty import distinct_l
    >>> [(level.cost, distinct_l(toy(), level.partition)) for level in l0_levels(toy()).levels]
    [(1, 1), (2, 2), (4, 4), (7, 6)]
    """
    search = search_of(joint, effort)
    given = Given.of(joint, starts, effort)
    ranges = size_ranges(joint.public.size)
    known = Standings(search)
    if joint.pairs * len(ranges) <= MOST_GLANCES:
        given = given.with_standings(glanced(joint, search, given, ranges, known))

    def best(largest: int, before: SizeStanding | None) -> SizeStanding:
        return search.best(largest, *given.better(largest, *_floor(joint, before)))

    return climbed(joint, search, ranges, best, given, known)


def climbed(
    joint: JointRange,
    search: SizeSearch,
    ranges: Sequence[range],
    best: Callable[[int, SizeStanding | None], SizeStanding],
    given: Given,
    known: Standings,
) -> Levels:
    """Return what is best for every size, from small to large, or what is known where the effort ends."""
    effort = search.effort
    complete = True
    for done, steps in enumerate(staircase(ranges, best, search.is_settled)):
        known.note(*steps)
        complete = complete and all(step.finished for step in steps)
        effort.progress(done + 1, len(ranges), f"clusters of at most {steps[-1].largest} values")
        effort.found(lambda: known.levels(joint))
        if steps[-1].kept == joint.sensitive.size:
            break
        if effort.should_stop():
            known.note(*unsearched(joint, search, given, steps[-1]))
            complete = False
            break
    return Levels(levels=known.levels(joint), complete=complete)


def glanced(
    joint: JointRange, search: SizeSearch, given: Given, ranges: Sequence[range], known: Standings
) -> list[SizeStanding]:
    """Glance at the first size of every range, so that a search that is cut short knows of all of them."""
    standings: list[SizeStanding] = []
    before: SizeStanding | None = None
    for sizes in ranges:
        if search.effort.should_stop():
            break
        before = search.glance(sizes[0], *given.better(sizes[0], *_floor(joint, before)))
        standings.append(before)
        known.note(before)
        search.effort.found(lambda: known.levels(joint))
        if before.kept == joint.sensitive.size:
            break
    return standings


def l0_level(
    joint: JointRange, largest: int, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Level:
    """Return the least worst-case leakage found for clusters of at most ``largest`` values.

    >>> from hartley.examples import toy
    >>> l0_level(toy(), 5)
    Level(cost=5, leakage_bits=0.5849625007211562, lower_bound_bits=0.5849625007211562, lower_bound_cost=4)
    """
    size = joint.public.size
    if not 1 <= largest <= size:
        raise InputError(f"the largest cluster holds between 1 and {size} values")
    known, kept = Given.of(joint, starts, effort).better(largest, *_floor(joint, None))
    search = search_of(joint, effort)
    found = Standings(search)
    found.note(search.best(largest, known, kept))
    (level,) = found.levels(joint)
    return level


def least_largest_cluster(
    joint: JointRange, wanted: int, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Level:
    """Return the smallest clusters found that keep ``wanted`` candidates each, and a bound on their size.

    >>> from hartley.examples import toy
    >>> level = least_largest_cluster(toy(), 3)
    >>> level.cost, level.lower_bound_cost
    (4, 4)
    """
    if wanted > joint.sensitive.size:
        raise UnreachableError(
            f"no release leaves {wanted} candidates for every released value; the most that can be "
            f"reached is {joint.sensitive.size}"
        )
    standing, least = least_size_keeping(search_of(joint, effort), wanted, Given.of(joint, starts, effort))
    return level_of(joint, standing, least)


def least_size_keeping(search: SizeSearch, wanted: int, given: Given) -> tuple[SizeStanding, int]:
    """Return the smallest clusters found that keep ``wanted`` candidates, and a size below which none do."""
    size, everything = search.sets.size, search.sets.kinds
    floor = Partition.singletons(size), int(search.sets.counts.min())
    known = Standings(search)

    def enough(largest: int, before: SizeStanding | None) -> SizeStanding:
        """Search a size for what is wanted only; to keep less is of no use here."""
        if largest == size:
            return search.bounded(size, Partition.whole(size), everything)
        partition, kept = given.better(
            largest, *(floor if before is None else (before.partition, before.kept))
        )
        standing = search.best(largest, partition, max(kept, wanted - 1))
        if standing.most < wanted:
            known.note(replace(standing, partition=partition, kept=kept))
        return replace(standing, kept=min(standing.kept, wanted), finished=True)

    ranges = size_ranges(size)
    first = bisect_left(ranges, wanted, key=lambda sizes: search.cuts.most(sizes[0]))
    for steps in staircase(ranges[first:], enough, lambda step: step.kept >= wanted):
        reached = next((step for step in steps if step.kept >= wanted), None)
        if reached is not None:
            break
    assert reached is not None  # noqa: S101 - one cluster of everything keeps every candidate
    final = search.best(reached.largest, reached.partition, fewest_candidates(search.sets, reached.partition))
    # A bound on the size for what is wanted holds for what is kept, which may be more.
    return final, max(known.least_size(wanted), known.least_size(final.kept))


def unsearched(joint: JointRange, search: SizeSearch, given: Given, last: SizeStanding) -> list[SizeStanding]:
    """Return what is known without a search for larger sizes: what was handed over, and the whole merged."""
    size = joint.public.size
    standings = []
    for largest in sorted({cost for cost, _, _ in given.partitions} | {size}):
        if largest > last.largest:
            known, kept = given.better(largest, last.partition, last.kept)
            if largest == size:
                known, kept = Partition.whole(size), joint.sensitive.size
            last = replace(search.bounded(largest, known, kept), finished=False)
            standings.append(last)
    return standings


def _floor(joint: JointRange, before: SizeStanding | None) -> tuple[Partition, int]:
    """Return what is known from a smaller size."""
    if before is None:
        return Partition.singletons(joint.public.size), distinct_l(joint)
    return before.partition, before.kept


@dataclass(frozen=True)
class Given:
    """Partitions handed over, each with its largest cluster and the candidates it keeps."""

    partitions: tuple[tuple[int, int, Partition], ...]

    @classmethod
    def of(cls, joint: JointRange, starts: Iterable[Partition], effort: Effort) -> Given:
        """Measure them, as many as the effort allows."""
        measured = (
            (int(start.sizes.max()), distinct_l(joint, start), start) for start in in_time(starts, effort)
        )
        return cls(tuple(measured))

    def with_standings(self, standings: Iterable[SizeStanding]) -> Given:
        """Return these and what was found for some sizes."""
        return Given((*self.partitions, *((s.largest, s.kept, s.partition) for s in standings)))

    def better(self, largest: int, known: Partition, kept: int) -> tuple[Partition, int]:
        """Return the best of these that fits, if it is better than what is known."""
        for cost, candidates, partition in self.partitions:
            if cost <= largest and candidates > kept:
                known, kept = partition, candidates
        return known, kept


def search_of(joint: JointRange, effort: Effort) -> SizeSearch:
    """Lay a table out for the search; refuse one with side information."""
    if joint.side is not None:
        raise InputError("this search is for tables without side information; use side_resolution")
    return SizeSearch(CandidateSets.of(joint), effort)


class Standings:
    """What is known of all sizes looked at; each has the bound of a larger one where that is sharper."""

    def __init__(self, search: SizeSearch, least: int = 1) -> None:
        self.search = search
        self.least = least
        """No smaller size serves at all."""
        self._by_size: dict[int, SizeStanding] = {}

    def note(self, *standings: SizeStanding) -> None:
        """Add what is known of some sizes to what was known of them before."""
        for standing in standings:
            before = self._by_size.get(standing.largest, standing)
            if before.kept > standing.kept:
                standing = replace(standing, kept=before.kept, partition=before.partition)
            if before.most < standing.most:
                standing = replace(standing, most=before.most)
            self._by_size[standing.largest] = standing

    def levels(self, joint: JointRange) -> tuple[Level, ...]:
        """Return a level for every size that keeps more than smaller ones do."""
        standings = self._with_shared_bounds()
        return without_doubles(
            level_of(joint, standing, self._least_size(standings, standing.kept)) for standing in standings
        )

    def least_size(self, kept: int) -> int:
        """Return a size below which no clusters keep so many candidates."""
        return self._least_size(self._with_shared_bounds(), kept)

    def _least_size(self, standings: Sequence[SizeStanding], kept: int) -> int:
        excluded = self.least - 1
        place = bisect_left(standings, kept, key=lambda standing: standing.most)
        if place:
            excluded = max(excluded, standings[place - 1].largest)
        cuts, ranges = self.search.cuts, self.search.ranges
        place = bisect_left(ranges, kept, key=lambda sizes: cuts.most(sizes[0]))
        if place:
            excluded = max(excluded, ranges[place - 1][-1])
        return excluded + 1

    def _with_shared_bounds(self) -> list[SizeStanding]:
        shared: list[SizeStanding] = []
        for _, standing in sorted(self._by_size.items(), reverse=True):
            if shared and shared[-1].most < standing.most:
                standing = replace(standing, most=shared[-1].most)
            shared.append(standing)
        return shared[::-1]


def level_of(joint: JointRange, standing: SizeStanding, least: int) -> Level:
    """Return what is known of a size as a level; no smaller size than ``least`` keeps as much."""
    return Level(
        cost=standing.largest,
        # By Lemma 1 this is what the partition measures; a thousand levels often share one partition.
        leakage_bits=log2(joint.sensitive.size / standing.kept),
        lower_bound_bits=log2(joint.sensitive.size / standing.most),
        lower_bound_cost=least,
        cut=lambda: standing.partition,
    )
