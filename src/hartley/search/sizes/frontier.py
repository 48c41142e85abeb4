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
from functools import partial
from math import log2

import numpy as np

from hartley.measures.overlap import components, overlap_partition
from hartley.measures.uncertainty import (
    candidate_counts,
    max_uncertainty_reduction,
    prior_counts,
    prior_counts_of_side,
)
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.model.words import ROUNDING
from hartley.search.answer import Answer
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.problem import too_many_components
from hartley.search.sizes.components import Joiner, least_joining_size
from hartley.search.sizes.joining_swaps import settled
from hartley.search.sizes.search import JOINING_TRIES, SizeSearch, Tables, smallest_serving
from hartley.search.sweep import Axis, Reached


class SizesAxis(Axis):
    """Levels that cost the number of values of the largest cluster."""

    joint: JointRange

    def begin(self) -> Iterable[Partition]:
        """Return everything apart, and everything as one cluster."""
        return [Partition.singletons(self.joint.public.size), Partition.whole(self.joint.public.size)]

    def cost_of(self, partition: Partition) -> float:
        """Return the number of values of the largest cluster."""
        return int(partition.sizes.max())

    def in_units(self, cost: float) -> int:
        """Return a number of values."""
        return round(cost)

    def within(self, cost: float) -> float:
        """Return a whole number of values."""
        return float(int(cost))


class CountAxis(SizesAxis):
    """The levels of the first count of a demand, for a reader who sees nothing besides."""

    def __init__(
        self, joint: JointRange, enough: Enough, count: int = 0, linked: JointRange | None = None
    ) -> None:
        """Lay one count of a demand out; ``linked``: a table of which one component must be left."""
        self.joint, self.count, self.linked = joint, count, linked
        if linked is not None and overlap_partition(linked, self._whole).size > 1:
            raise too_many_components(1)
        self.search = SizeSearch(
            enough=enough,
            tables=Tables(enough),
            joint=linked,
            most_components=None if linked is None else 1,
            least_size=1 if linked is None else fewest_joining(linked, 1),
        )
        self.stages = (partial(_narrowed, at_length=False), partial(_narrowed, at_length=True))
        self._searches: dict[int, SizeSearch] = {}
        self._bounds: dict[int, float] = {}
        self._lay_out()

    def _lay_out(self) -> None:
        """Say which levels there are."""
        enough = self.search.enough
        self.least = max(1, int(enough.wanted[self.count]))
        self.most = enough.reached_by(self._whole, self.count)

    @property
    def _whole(self) -> Partition:
        return Partition.whole(self.joint.public.size)

    def begin(self) -> Iterable[Partition]:
        """Return everything apart and together, and what joins all components at the least size."""
        yield from super().begin()
        if self.linked is not None and self.linked.side is None:
            yield Joiner.of(components(self.linked)).partition(self.search.least_size)

    def wanted(self, level: int) -> np.ndarray:
        """Return what is wanted of each count at a level."""
        return self.search.enough.asking(self.count, level).wanted

    def asking(self, level: int) -> SizeSearch:
        """Return the search for a level."""
        if level not in self._searches:
            self._searches[level] = self.search.asking(self.wanted(level))
        return self._searches[level]

    def admits(self, partition: Partition) -> bool:
        """Tell whether a partition meets whatever else is required."""
        return self.search.is_met_by(partition)

    def reached_by(self, partition: Partition) -> int:
        """Return the least that a cluster of a partition holds of the count."""
        return self.search.enough.reached_by(partition, self.count)

    def counting_bound(self, level: int) -> float:
        """Return the least size that counting does not exclude."""
        if level not in self._bounds:
            self._bounds[level] = float(self.asking(level).least())
        return self._bounds[level]

    def bits(self, level: int) -> float:
        """Return what leaks at a level."""
        return log2(self.search.enough.all_held[self.count] / level)


class RatioAxis(CountAxis):
    """The levels of worst-case leakage for a reader who sees something besides, from the most leakage on."""

    def __init__(self, joint: JointRange, linked: JointRange | None = None) -> None:
        super().__init__(joint, Enough.beside(joint, [Requirement("distinct-l", 1)]), linked=linked)

    def _lay_out(self) -> None:
        """Say which levels there are."""
        self.before = prior_counts_of_side(self.joint)
        self.ratios = ratios_of_levels(self.joint)
        self.bits_of_level = [log2(before / after) for before, after in self.ratios]
        self.most = len(self.ratios)
        self._reached: dict[Partition, int] = {}

    def wanted(self, level: int) -> np.ndarray:
        """Return what every side value must keep at a level; no more than one cluster of everything keeps."""
        before, after = self.ratios[level - 1]
        return np.asarray(-(-self.before * after // before))

    def reached_by(self, partition: Partition) -> int:
        """Return the highest level at which a partition leaks no more."""
        if partition not in self._reached:
            bits = max_uncertainty_reduction(self.joint, partition)
            self._reached[partition] = level_within(self.bits_of_level, bits)
        return self._reached[partition]

    def bits(self, level: int) -> float:
        """Return what leaks at a level."""
        return self.bits_of_level[level - 1]


def _narrowed(search: SizeSearch, known: Answer, effort: Effort, *, at_length: bool) -> Answer:
    """Search for smaller clusters, or exclude them: by counting, deals and a few swaps, or with patience."""
    low = max(1, int(known.bound))
    found, bound = smallest_serving(search, low, known.partition, effort, at_length=at_length)
    known = known.with_bound(float(bound))
    return known.with_partition(int(found.sizes.max()), found).with_bound(float(bound))


def ratios_of_levels(joint: JointRange) -> list[tuple[int, int]]:
    """Return candidates before and after of every ratio that can occur, from the most leakage on.

    >>> ratios_of_levels(JointRange.from_pairs([(1, "a"), (2, "b"), (3, "c"), (3, "a")]))
    [(3, 1), (3, 2), (3, 3)]
    """
    whole = joint.release(Partition.whole(joint.public.size))
    least = float((prior_counts(whole) / candidate_counts(whole)).max())
    ratios: dict[float, tuple[int, int]] = {}
    for before in np.unique(prior_counts(joint)).tolist():
        ratios |= {before / after: (before, after) for after in range(1, int(before / least + ROUNDING) + 1)}
    return [pair for _, pair in sorted(ratios.items(), reverse=True)]


def level_within(bits_of_level: Sequence[float], bits: float) -> int:
    """Return the highest level of no fewer bits than these.

    >>> level_within([2.0, 1.0, 0.5], 1.0), level_within([2.0, 1.0, 0.5], 0.7)
    (2, 2)
    """
    return max(1, bisect_left(bits_of_level, ROUNDING - bits, key=lambda level: -level))


class TieAxis(SizesAxis):
    """The numbers of components that clusters can leave, from all of them on."""

    is_of_components = True
    what = "smallest clusters for each number of components"

    def __init__(self, joint: JointRange) -> None:
        self.joint, self.joiner = joint, Joiner.of(components(joint))
        self.nothing = Enough.beside(joint, ())
        self.count = overlap_partition(joint).size
        self.most = self.reached_by(Partition.whole(joint.public.size))
        self.stages = (self._joined,)
        self._met: list[Reached] = []

    def met(self) -> Iterable[Reached]:
        """Return what was found for other levels."""
        return self._met

    def reached_by(self, partition: Partition) -> int:
        """Return the level of the components that a partition leaves."""
        return self.count - overlap_partition(self.joint, partition).size + 1

    def counting_bound(self, level: int) -> float:
        """Return a size below which no clusters leave so few components."""
        return fewest_joining(self.joint, self.count - level + 1)

    def bits(self, level: int) -> float:
        """Return what is learnt for certain at a level."""
        return log2(self.count - level + 1)

    def _joined(self, level: int, known: Answer, effort: Effort) -> Answer:
        """Swap what is joined already until few enough components are left, in ever larger clusters."""
        low, high, step = int(known.bound), int(known.cost), 1
        while low < high and not effort.should_stop():
            found = self._of_size(low, self.count - level + 1, effort)
            reached = self.reached_by(found)
            self._met.append((reached, Answer(partition=found, cost=int(found.sizes.max()))))
            if reached >= level:
                return known.with_partition(int(found.sizes.max()), found)
            low, step = low + step, step + (low >= EVERY_SIZE_TO)
        return known

    def _of_size(self, largest: int, most: int, effort: Effort) -> Partition:
        begin = self.joiner.partition(largest)
        known = max(
            ((reached, one.partition) for reached, one in self._met if one.cost <= largest),
            key=lambda one: one[0],
            default=(0, begin),
        )
        first = begin if self.reached_by(begin) >= known[0] else known[1]
        if overlap_partition(self.joint, first).size <= most:
            return first
        tries = JOINING_TRIES * self.joint.public.size
        return settled(self.joint, self.nothing, first, largest, most, tries, effort)


EVERY_SIZE_TO = 16
"""Up to here every size of the largest cluster is searched for components beside side information."""


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
