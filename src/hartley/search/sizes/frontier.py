r"""Frontiers where a cluster costs its number of values, for a reader who knows something beforehand or not.

A level says how many candidates every cluster must keep beside each side value. Without side information that
is one number. With it, leakage is the worst ratio of candidates before to candidates after, so the levels are
the ratios that occur, and each says for every side value how many candidates that is.

With one component asked for (problem (3)): such partitions exist if and only if
:math:`m \ge \lceil N/(N - c + 1) \rceil` (without side information), and keep no more than clusters without
the condition, whose bound therefore holds here too.

Components beside side information: clusters tie the observations of a side value to one another as in a
table of its own, so at most :math:`\sum_a (N_a - \lceil N_a/m \rceil)` components vanish; and merging
everything leaves the fewest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import log2

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.overlap import components, overlap_partition
from hartley.measures.uncertainty import max_uncertainty_reduction, prior_counts_of_side
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s
from hartley.model.requirement import Requirement
from hartley.model.words import ROUNDING
from hartley.search.axis import AxisSearch, LeastCost
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.levels import Level, Levels, as_it_is, in_time, without_doubles
from hartley.search.sizes.components import Joiner, least_joining_size, size_ranges
from hartley.search.sizes.joining_swaps import settled
from hartley.search.sizes.search import JOINING_TRIES, SizeSearch, Tables, smallest_serving

EVERY_SIZE_TO = 16
"""Up to here every size of the largest cluster is searched for components beside side information."""


def by_glance(search: SizeSearch, known: LeastCost, effort: Effort) -> LeastCost:
    """Bound the size by counting, and look for small clusters by deals and a few swaps."""
    return _narrowed(search, known, effort, at_length=False)


def at_length(search: SizeSearch, known: LeastCost, effort: Effort) -> LeastCost:
    """Search for smaller clusters, or exclude them, with patience."""
    return _narrowed(search, known, effort, at_length=True)


def _narrowed(search: SizeSearch, known: LeastCost, effort: Effort, *, at_length: bool) -> LeastCost:
    low = max(1, int(known.bound))
    found, bound = smallest_serving(search, low, known.cut(), effort, at_length=at_length)
    known = known.with_bound(float(bound))
    return known.with_partition(float(found.sizes.max()), partial(as_it_is, found)).with_bound(float(bound))


@dataclass(frozen=True, eq=False)
class SizeAxis:
    """The levels of worst-case leakage of one table, from the most leakage on."""

    joint: JointRange
    search: SizeSearch
    before: Int64s
    """How many candidates there were before, for each side value."""
    _searches: dict[int, SizeSearch] = field(default_factory=dict)
    _bounds: dict[int, float] = field(default_factory=dict)
    _reached: dict[Partition, int] = field(default_factory=dict)

    @classmethod
    def of(cls, joint: JointRange, *, one_component: bool = False) -> SizeAxis:
        """Lay a table out; ``one_component``: partitions that leave more are not allowed."""
        enough = Enough.beside(joint, [Requirement("distinct-l", 1)])
        before = np.array([joint.sensitive.size]) if joint.side is None else prior_counts_of_side(joint)
        search = SizeSearch.of(enough)
        if one_component:
            least = fewest_joining(joint, 1)
            search = SizeSearch(
                enough=enough, tables=Tables(enough), joint=joint, most_components=1, least_size=least
            )
        return cls(joint, search, before)

    @cached_property
    def needs(self) -> list[Int64s]:
        """What every side value must keep at each level; no more than one cluster of everything keeps."""
        shown = self.search.enough.counts_of(np.arange(self.search.enough.size))[:-1]
        most = float((self.before / shown).max())
        ratios: dict[float, tuple[int, int]] = {}
        for before in np.unique(self.before).tolist():
            ratios |= {
                before / after: (before, after) for after in range(1, int(before / most + ROUNDING) + 1)
            }
        ordered = sorted(ratios.items(), reverse=True)
        return [-(-self.before * after // before) for _, (before, after) in ordered]

    @cached_property
    def bits_of_level(self) -> list[float]:
        """What leaks at each level."""
        return [log2(float((self.before / need).max())) for need in self.needs]

    @property
    def least(self) -> int:
        """The level that everything reaches."""
        return 1

    @property
    def most(self) -> int:
        """The level of one cluster of everything."""
        return len(self.needs)

    def asking(self, level: int) -> SizeSearch:
        """Return the search for a level."""
        if level not in self._searches:
            self._searches[level] = self.search.asking(self.needs[level - 1])
        return self._searches[level]

    def admits(self, partition: Partition) -> bool:
        """Tell whether a partition leaves few enough components."""
        return self.search.is_met_by(partition)

    def reached_by(self, partition: Partition) -> int:
        """Return the highest level at which a partition leaks no more."""
        if self.joint.side is None:
            return self.search.enough.reached_by(partition, 0)
        if partition not in self._reached:
            bits = max_uncertainty_reduction(self.joint, partition)
            self._reached[partition] = bisect_left(self.bits_of_level, ROUNDING - bits, key=lambda b: -b)
        return max(1, self._reached[partition])

    def cost_of(self, partition: Partition) -> float:
        """Return the number of values of the largest cluster."""
        return float(partition.sizes.max())

    def counting_bound(self, level: int) -> float:
        """Return the least size that counting does not exclude."""
        if level not in self._bounds:
            self._bounds[level] = float(self.asking(level).least())
        return self._bounds[level]

    def bits(self, level: int) -> float:
        """Return what leaks at a level."""
        return self.bits_of_level[level - 1]

    def in_units(self, cost: float) -> int:
        """Return a number of values."""
        return round(cost)

    def within(self, cost: float) -> float:
        """Return a whole number of values."""
        return float(int(cost))


def size_search(
    joint: JointRange,
    effort: Effort = UNLIMITED,
    starts: Iterable[Partition] = (),
    *,
    one_component: bool = False,
) -> AxisSearch:
    """Return the search for every level of worst-case leakage of a table."""
    size = joint.public.size
    always = [Partition.singletons(size), Partition.whole(size)]
    if one_component and overlap_partition(joint, always[1]).size > 1:
        raise UnreachableError("no release leaves a single group of sensitive values (I* = 0)")
    if one_component and joint.side is None:
        parts = components(joint)
        always.append(Joiner.of(parts).partition(least_joining_size(size, parts.size)))
    axis = SizeAxis.of(joint, one_component=one_component)
    return AxisSearch(axis, (by_glance, at_length), effort, always, tuple(starts))


def smallest_clusters(
    joint: JointRange,
    wanted: int,
    effort: Effort = UNLIMITED,
    starts: Iterable[Partition] = (),
    *,
    one_component: bool = False,
) -> Level:
    """Return the smallest clusters found that keep ``wanted`` candidates, under every side value they show.

    The leakage of the level is that of a reader who knew nothing: what counts is the candidates left. With
    ``one_component`` nothing may be learnt for certain, either.
    """
    search = size_search(joint.knowing(0), effort, starts, one_component=one_component)
    most = round(joint.sensitive.size / 2 ** search.axis.bits(search.axis.most))
    if wanted > most:
        raise UnreachableError(
            f"no release leaves {wanted} candidates for every released value; the most that can be "
            f"reached is {most}"
        )
    return search.level(search.solve(max(wanted, 1)).cost)


def fewest_components(joint: JointRange, largest: int) -> int:
    """Return a number of components that clusters of at most ``largest`` values cannot go below."""
    size, sides = joint.public.size, 1 if joint.side is None else joint.side.size
    side = np.zeros(joint.observations, np.int64) if joint.observed_side is None else joint.observed_side
    shown = np.bincount(side, minlength=sides)
    ties = int((shown - -(-shown // largest)).sum())
    parts = overlap_partition(joint, Partition.singletons(size)).size
    return max(parts - ties, overlap_partition(joint, Partition.whole(size)).size)


def fewest_joining(joint: JointRange, parts: int) -> int:
    """Return a size below which no clusters leave so few components."""
    if joint.side is None and parts == 1:
        return least_joining_size(joint.public.size, components(joint).size)
    sizes = range(1, joint.public.size + 1)
    return 1 + bisect_left(sizes, -parts, key=lambda largest: -fewest_components(joint, largest))


def side_istar_levels(
    joint: JointRange, effort: Effort = UNLIMITED, starts: Sequence[Partition] = ()
) -> Levels:
    """Return the least maximin information found for a table with side information."""
    size = joint.public.size
    given = [Partition.singletons(size), Partition.whole(size), *in_time(starts, effort)]
    left = {start: overlap_partition(joint, start).size for start in given}
    joiner, nothing = Joiner.of(components(joint)), Enough.beside(joint, ())
    few = {*range(1, min(size, EVERY_SIZE_TO) + 1), *(sizes[0] for sizes in size_ranges(size))}
    sizes = sorted(few | {int(start.sizes.max()) for start in given})
    levels: list[Level] = []
    for done, largest in enumerate(sizes):
        effort.progress(done, len(sizes), f"clusters of at most {largest} values")
        fewest, joined = fewest_components(joint, largest), joiner.partition(largest)
        left[joined] = overlap_partition(joint, joined).size
        known = min((start for start in left if start.sizes.max() <= largest), key=lambda start: left[start])
        if left[known] > fewest and not effort.should_stop():
            known = settled(joint, nothing, known, largest, fewest, JOINING_TRIES * size, effort)
            left[known] = overlap_partition(joint, known).size
        levels.append(
            Level(
                cost=largest,
                leakage_bits=log2(left[known]),
                lower_bound_bits=log2(fewest),
                lower_bound_cost=fewest_joining(joint, left[known]),
                cut=partial(as_it_is, known),
            )
        )
        effort.found(lambda: tuple(levels))
        if left[known] == left[given[1]]:
            break
    return Levels(levels=without_doubles(levels), complete=not effort.should_stop())
