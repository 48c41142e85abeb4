r"""Resolution with side information: the best partition found for every size, and the bounds that stay valid.

The search for one size is in :mod:`~hartley.search.resolution.side_search`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, log2

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.overlap import components
from hartley.model import JointRange, Partition
from hartley.model.words import ROUNDING
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Level, Levels, without_doubles
from hartley.search.resolution.istar import Joiner
from hartley.search.resolution.joining_swaps import joined, settled
from hartley.search.resolution.layout import size_ranges
from hartley.search.resolution.side_search import SideSearch, same

EVERY_SIZE_TO = 16
"""Up to here every size of the largest cluster is searched; every one could matter."""
TRIES = 400
"""Moves per place of swaps that join components."""


def side_l0_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()) -> Levels:
    """Return the least worst-case leakage found for a table with side information.

    The sizes are the small ones, the first for each least number of clusters, and those of ``starts``; all
    are glanced at before any is searched at length. Where smaller clusters than were found may leak as
    little, sizes between are searched for them.

    >>> joint = JointRange.from_pairs([("a", 1, 0), ("b", 2, 0), ("c", 1, 1), ("d", 2, 1)])
    >>> [(level.cost, level.leakage_bits, level.proven_optimal) for level in side_l0_levels(joint).levels]
    [(1, 1.0, True), (2, 0.0, True)]
    """
    search = SideSearch(joint, effort)
    for found in _l0_by_size(search, tuple(starts)):
        levels = _l0_levels(search, found)
    return Levels(levels=levels, complete=not effort.should_stop())


def _l0_levels(search: SideSearch, found: Mapping[int, Partition]) -> tuple[Level, ...]:
    return without_doubles(search.level(largest, partition) for largest, partition in sorted(found.items()))


def _l0_by_size(search: SideSearch, given: Sequence[Partition]) -> Iterator[dict[int, Partition]]:
    """Yield the best partition found for every size looked at: after a glance at all, and at the end."""
    joint, effort = search.joint, search.effort
    sizes = _sizes(joint, given)
    found: dict[int, Partition] = {}

    def fitting(largest: int) -> Partition:
        """Return the best partition known for a size."""
        smaller = [partition for size, partition in found.items() if size <= largest]
        known = (Partition.singletons(joint.public.size), *_fitting(given, largest), *_whole(joint, largest))
        return min((*known, *smaller), key=search.bits)

    def levels() -> tuple[Level, ...]:
        return _l0_levels(search, found)

    for find in (search.glance, search.best):
        for done, largest in enumerate(sizes):
            effort.progress(done, len(sizes), f"clusters of at most {largest} values")
            found[largest] = find(largest, fitting(largest))
            effort.found(levels)
            if search.bits(found[largest]) <= search.floor + ROUNDING:
                break
        if find == search.glance:
            yield found
    for level in levels():
        if not level.costs_least:
            for partition in search.cheaper(level.partition, fitting):
                largest = int(partition.sizes.max())
                found[largest] = min((fitting(largest), partition), key=search.bits)
            effort.found(levels)
    yield found


def least_side_cluster(
    joint: JointRange,
    wanted: int,
    effort: Effort = UNLIMITED,
    starts: Iterable[Partition] = (),
    *,
    one_component: bool = False,
) -> Level:
    """Return the smallest clusters found that keep ``wanted`` candidates under every side value they show.

    The leakage of the level is that of a reader who knew nothing: what counts is the candidates left. With
    ``one_component`` nothing may be learnt for certain, either.

    >>> joint = JointRange.from_pairs([("a", 1, 0), ("b", 2, 0), ("c", 1, 1), ("d", 2, 1)])
    >>> level = least_side_cluster(joint, 2)
    >>> level.cost, level.lower_bound_cost
    (2, 2)
    """
    search = SideSearch(joint.knowing(0), effort)
    size = joint.public.size
    whole = Partition.whole(size)
    if wanted > int(search.sets.shown.min()):
        raise UnreachableError(
            f"no release leaves {wanted} candidates for every released value; the most that can be "
            f"reached is {int(search.sets.shown.min())}"
        )
    bits = log2(joint.sensitive.size / wanted)
    need = np.full(len(search.sets.before), wanted, dtype=np.int64)

    if one_component and search.parts(whole) > 1:
        raise UnreachableError("no release leaves a single group of sensitive values (I* = 0)")

    def serves(partition: Partition) -> bool:
        is_joined = not one_component or search.parts(partition) == 1
        return search.bits(partition) <= bits + ROUNDING and is_joined

    known = [start for start in (*starts, Partition.singletons(size), whole) if serves(start)]
    best = min(known, key=lambda start: int(start.sizes.max()))
    low = search.least_size(bits)
    if one_component:
        low = max(low, search.least_joining_size(1))
    lowest, high = low, int(best.sizes.max())
    while lowest < high and not effort.should_stop():
        middle = (lowest + high) // 2
        found = search.keeping(need, middle, [start for start in starts if start.sizes.max() <= middle])
        if found is not None and one_component:
            found = joined(joint, search.sets, found, middle, need, TRIES * size, effort)
        if found is not None and serves(found):
            best, high = found, int(found.sizes.max())
        else:
            lowest = middle + 1
    low = max(low, search.least_size(bits))
    bound = search.bound(high)
    return Level(
        cost=high,
        leakage_bits=search.bits(best),
        lower_bound_bits=bound,
        lower_bound_cost=low,
        cut=partial(same, best),
    )


def side_istar_levels(
    joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Levels:
    """Return the least maximin information found for a table with side information.

    >>> joint = JointRange.from_pairs([("a", 1, 0), ("b", 2, 0), ("c", 3, 1), ("d", 2, 1)])
    >>> [(level.cost, level.leakage_bits, level.proven_optimal) for level in side_istar_levels(joint).levels]
    [(1, 1.584962500721156, True), (2, 0.0, True)]
    """
    search = SideSearch(joint, effort)
    given = tuple(starts)
    joiner = Joiner.of(components(joint))
    levels: list[Level] = []
    known = Partition.singletons(joint.public.size)
    nothing = np.zeros(len(search.sets.before), dtype=np.int64)
    sizes = _sizes(joint, given)
    for done, largest in enumerate(sizes):
        effort.progress(done, len(sizes), f"clusters of at most {largest} values")
        fewest = search.fewest_components(largest)
        known = min(
            (known, joiner.partition(largest), *_fitting(given, largest), *_whole(joint, largest)),
            key=search.parts,
        )
        if search.parts(known) > fewest and not effort.should_stop():
            tries = TRIES * joint.public.size
            known = settled(joint, search.sets, known, largest, nothing, tries, effort)
        least = search.least_joining_size(search.parts(known))
        levels.append(
            Level(
                cost=largest,
                leakage_bits=log2(search.parts(known)),
                lower_bound_bits=log2(fewest),
                lower_bound_cost=least,
                cut=partial(same, known),
            )
        )
        effort.found(lambda: tuple(levels))
        if search.parts(known) == search.fewest_components(joint.public.size):
            break
    return Levels(levels=without_doubles(levels), complete=not effort.should_stop())


def side_joint_levels(
    joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()
) -> Levels:
    """Return the least worst-case leakage found with I* = 0, for a table with side information.

    Sizes at which no such partition is found are left out.

    >>> joint = JointRange.from_pairs([("a", 1, 0), ("b", 2, 0), ("c", 3, 1), ("d", 2, 1)])
    >>> [(level.cost, level.leakage_bits, level.proven_optimal) for level in side_joint_levels(joint).levels]
    [(2, 0.0, True)]
    """
    starts = tuple(starts)
    # What these two find need not have I* = 0, so it is not offered as found.
    silent = replace(effort, found=UNLIMITED.found)
    repair = _Repair(SideSearch(joint, silent), effort)
    certain: Levels | None = None
    for free in _l0_by_size(repair.search, starts):
        certain = certain or side_istar_levels(joint, silent, starts)
        known = (*starts, *(level.partition for level in certain.levels), *free.values())
        levels, everywhere = repair.levels(free, known)
    complete = everywhere and certain is not None and certain.complete and not effort.should_stop()
    return Levels(levels=without_doubles(levels), complete=complete)


@dataclass(frozen=True, eq=False)
class _Repair:
    """Partitions made to have one component by swaps, each once."""

    search: SideSearch
    effort: Effort
    repaired: dict[tuple[int, Partition], Partition | None] = field(default_factory=dict)

    def levels(
        self, free: Mapping[int, Partition], known: Sequence[Partition]
    ) -> tuple[tuple[Level, ...], bool]:
        """Return the levels with one component, and whether every size has one."""
        search = self.search
        given = [partition for partition in known if search.parts(partition) == 1]
        least_joining = search.least_joining_size(1)
        levels: list[Level] = []
        everywhere = True
        for largest, partition in sorted(free.items()):
            if largest < least_joining:
                continue
            fitting = [*_fitting(given, largest)]
            if levels:
                fitting.append(levels[-1].partition)
            joined_up = self._joined(largest, partition, min(map(search.bits, fitting), default=inf))
            if joined_up is not None:
                fitting.append(joined_up)
            if fitting:
                level = search.level(largest, min(fitting, key=search.bits))
                least = max(level.lower_bound_cost or 1, least_joining)
                levels.append(replace(level, lower_bound_cost=least))
                self.effort.found(lambda: tuple(levels))
            else:
                everywhere = False
        return tuple(levels), everywhere

    def _joined(self, largest: int, partition: Partition, known: float) -> Partition | None:
        if (largest, partition) not in self.repaired:
            self.repaired[largest, partition] = _joined_as_well_as_can_be(
                self.search, partition, largest, known, self.effort
            )
        return self.repaired[largest, partition]


def _joined_as_well_as_can_be(
    search: SideSearch, partition: Partition, largest: int, known: float, effort: Effort
) -> Partition | None:
    """Return a partition of one component that leaks as little as the given one, or else less than is known.

    Where the given one cannot be joined at its own leakage, what leaks more is found by bisection.
    """
    joint, tries = search.joint, TRIES * search.joint.public.size
    found = joined(joint, search.sets, partition, largest, search.needs(partition), tries, effort)
    if found is not None or search.bits(partition) > known - ROUNDING:
        return found
    needs = search.needs_between(search.bits(partition), min(known, log2(int(search.sets.before.max())) + 1))
    low, high = 0, len(needs)
    while low < high and not effort.should_stop():
        middle = (low + high) // 2
        here = joined(joint, search.sets, partition, largest, needs[middle], tries, effort)
        if here is None:
            low = middle + 1
        else:
            found, high = here, middle
    return found


def _sizes(joint: JointRange, given: Sequence[Partition]) -> list[int]:
    size = joint.public.size
    return sorted(
        {
            *range(1, min(size, EVERY_SIZE_TO) + 1),
            *(sizes[0] for sizes in size_ranges(size)),
            *(int(start.sizes.max()) for start in given),
        }
    )


def _fitting(given: Sequence[Partition], largest: int) -> list[Partition]:
    return [start for start in given if start.sizes.max() <= largest]


def _whole(joint: JointRange, largest: int) -> list[Partition]:
    size = joint.public.size
    return [Partition.whole(size)] if largest == size else []
