r"""Most candidates that clusters of at most m values can keep: best partition and bound per m.

Each size is searched by :mod:`~hartley.search.resolution.one_size`; which sizes are, is decided by
:mod:`~hartley.search.resolution.layout`. A partition serves every larger m, and a bound
every smaller one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log2

from hartley.errors import InputError, UnreachableError
from hartley.measures.uncertainty import distinct_l
from hartley.model import JointRange, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels, in_time
from hartley.search.resolution.layout import CandidateSets, size_ranges, staircase
from hartley.search.resolution.one_size import SizeSearch, SizeStanding, fewest_candidates


def l0_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()) -> Levels:
    """Return the least worst-case leakage found for every size of the largest cluster that matters.

    No level is worse than the best of ``starts`` that fits it.

    >>> from hartley.examples import toy
    >>> from hartley.measures.uncertainty import distinct_l
    >>> [(level.cost, distinct_l(toy(), level.partition)) for level in l0_levels(toy()).levels]
    [(1, 1), (2, 2), (3, 2), (4, 4), (7, 6)]
    """
    search = search_of(joint, effort)
    given = Given.of(joint, starts, effort)

    def best(largest: int, before: SizeStanding | None) -> SizeStanding:
        return search.best(largest, *given.better(largest, *_floor(joint, before)))

    ranges = size_ranges(joint.public.size)
    standings: list[SizeStanding] = []
    for done, steps in enumerate(staircase(ranges, best, search.is_settled)):
        standings.extend(steps)
        effort.progress(done + 1, len(ranges), f"clusters of at most {steps[-1].largest} values")
        effort.found(lambda: levels_of(joint, standings).levels)
        if steps[-1].kept == joint.sensitive.size:
            break
        if effort.should_stop():
            standings.extend(unsearched(joint, search, given, steps[-1]))
            break
    return levels_of(joint, standings)


def l0_level(
    joint: JointRange, largest: int, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Level:
    """Return the least worst-case leakage found for clusters of at most ``largest`` values.

    >>> from hartley.examples import toy
    >>> l0_level(toy(), 5)
    Level(cost=5, leakage_bits=0.5849625007211562, lower_bound_bits=0.5849625007211562)
    """
    size = joint.public.size
    if not 1 <= largest <= size:
        raise InputError(f"the largest cluster holds between 1 and {size} values")
    known, kept = Given.of(joint, starts, effort).better(largest, *_floor(joint, None))
    return _level(joint, search_of(joint, effort).best(largest, known, kept))


@dataclass(frozen=True, kw_only=True)
class ReachedLevel:
    """The least cost found at which a target is met."""

    level: Level
    proven_least: bool
    """Whether every smaller cost is excluded."""


def least_largest_cluster(
    joint: JointRange, wanted: int, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> ReachedLevel:
    """Return the smallest clusters found that keep ``wanted`` candidates each.

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
    given = Given.of(joint, starts, effort)
    size = joint.public.size
    excluded = 0

    def enough(largest: int, before: SizeStanding | None) -> SizeStanding:
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
    return ReachedLevel(level=_level(joint, final), proven_least=excluded == reached.largest - 1)


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


def levels_of(joint: JointRange, standings: Sequence[SizeStanding]) -> Levels:
    """Return standings as levels, each with its own bound or a coarser one's where that is sharper."""
    return Levels(
        levels=tuple(_level(joint, standing) for standing in _with_shared_bounds(standings)),
        complete=all(standing.finished for standing in standings),
    )


def _level(joint: JointRange, standing: SizeStanding) -> Level:
    return Level(
        cost=standing.largest,
        # By Lemma 1 this is what the partition measures; a thousand levels often share one partition.
        leakage_bits=log2(joint.sensitive.size / standing.kept),
        lower_bound_bits=log2(joint.sensitive.size / standing.most),
        certificate=standing.certificate,
        cut=lambda: standing.partition,
    )


def _with_shared_bounds(standings: Sequence[SizeStanding]) -> list[SizeStanding]:
    """Let every level have the bound of a coarser one where that is sharper."""
    shared: list[SizeStanding] = []
    for standing in reversed(standings):
        if shared and shared[-1].most < standing.most:
            standing = replace(standing, most=shared[-1].most, certificate=shared[-1].certificate)
        shared.append(standing)
    return shared[::-1]
