r"""What is learnt for certain, under distortion, one numeric column: fewest components for each distortion.

The leakage is ``log2`` of the number of components (:func:`~hartley.measures.overlap.components`), and a
cluster joins the components of its members. For midpoint and member intervals are enough (see
:mod:`~hartley.search.line.components.forest_bound`); the problem is NP-hard all the same; prices on windows
bound it from below, breaks found with them from above. For the centroid, a radius of D means a span of at
most 2D, so the midpoint's bound holds for it; its breaks leave intervals whose mean is near every member.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf, log2

import numpy as np

from hartley.errors import OptionError, UnreachableError
from hartley.measures.overlap import components, overlap_partition
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, different
from hartley.search.any_utility import least_leakage_of_any_utility
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import NOTHING, Level, Levels, as_it_is, in_time
from hartley.search.line.components.forest_bound import Links, price_windows
from hartley.search.line.ordered_values import OrderedValues

SETTLED_UP_TO = 400
"""Lines up to this many values get every distortion at which the number of components changes."""
COVERING_LEVELS = 48
"""Longer lines get this many distortions, spread from nothing to everything merged."""
MOST_EXCHANGED = 60
"""Up to this many values, centroid clusters are also improved by exchanging members."""
MOST_PRICE_STEPS = 4000
CHEAP_SHARE = 20
"""At first every distortion gets this part of the steps."""


@dataclass(frozen=True, eq=False)
class _Answer:
    """What is known at one distortion, in ticks."""

    cost: float
    components: int
    fewest: int
    """No partition within this distortion leaves fewer components."""
    cut: Callable[[], Partition]


def fewest_components_within(
    joint: JointRange,
    utility: LineDistortion,
    max_distortion: float,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Level:
    """Return the partition with the fewest components among those that distort no more than this."""
    if not max_distortion >= 0:
        raise OptionError(f"a distortion is 0 or more, not {max_distortion:g}")
    search = istar_search(joint, utility, effort, starts)
    most = search.line.ticks_within(max_distortion)
    left = search.solve(most).components
    # Less distortion may leave as few.
    search.narrow(left)
    return search.level(most)


def least_distortion_for_components(
    joint: JointRange,
    utility: LineDistortion,
    most_components: int,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Level:
    """Return the least distortion found at which no more than this many components remain."""
    search = istar_search(joint, utility, effort, starts)
    if most_components < search.least_components:
        raise UnreachableError(
            f"no release leaves {most_components} components; the fewest that can be reached is "
            f"{search.least_components}"
        )
    search.narrow(most_components)
    return search.level(search.cheapest(most_components))


def istar_search(
    joint: JointRange,
    utility: LineDistortion,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> IstarSearch:
    """Return the search for the components of a table, with nothing else required."""
    return IstarSearch(joint, OrderedValues.of(joint, utility, ()), effort, starts)


class IstarSearch:
    """What is known so far about the costs looked at, in ticks."""

    def __init__(
        self, joint: JointRange, line: OrderedValues, effort: Effort, starts: Sequence[Partition]
    ) -> None:
        self.joint = joint
        self.line = line
        self.effort = effort
        self.windows = line.windows
        groups = components(joint)
        self.count = groups.size
        self.groups = groups.labels[line.order].astype(np.int64)
        self.least_components = self.count - max(len(different(self.groups)) - 1, 0)
        self.answers: list[_Answer] = []
        self.given: list[tuple[int, float, Callable[[], Partition]]] = []
        self.offer(Partition.singletons(joint.public.size))
        if line.size:
            self.offer(line.partition_of_starts(NOTHING))
        for start in in_time(starts, effort):
            self.offer(start)

    @property
    def widest(self) -> float:
        """The cost at which the whole line can be one cluster."""
        whole = self.line.partition_of_starts(NOTHING)
        return self.line.ticks_of(whole) if self.line.size else 0.0

    def offer(self, partition: Partition) -> None:
        """Take note of a partition known from elsewhere."""
        cost = self.line.ticks_of(partition)
        if cost < inf:
            left = overlap_partition(self.joint, partition).size
            self.given.append((left, cost, partial(as_it_is, partition)))

    def solve(self, cost: float, share: int = 1) -> _Answer:
        """Search at one distortion, with this part of the steps."""
        left, _, cut = self.reach(cost)
        answer = _Answer(cost, left, self.fewest(cost), cut)
        if self.line.size > 1 and answer.components > answer.fewest:
            answer = self.searched(answer, share)
        self.answers.append(answer)
        return answer

    def searched(self, answer: _Answer, share: int) -> _Answer:
        """Bound and improve what is known at a distortion."""
        line, count = self.line, self.count
        links = Links.within(self.groups, count, self.windows.within(answer.cost + line.rounding))
        steps = min(100 * line.size, MOST_PRICE_STEPS) // share
        priced = price_windows(line, links, answer.cost, self.effort, steps)
        fewest = max(answer.fewest, count - priced.most_joined)
        best, cut = answer.components, answer.cut
        better = line.cut_at(priced.broken)
        if count - priced.joined < best and line.ticks_of(better()) <= answer.cost:
            best, cut = count - priced.joined, better
        if line.cost_name == "centroid" and best > fewest and line.size <= MOST_EXCHANGED and share == 1:
            # Means can be pulled from afar: clusters that are no intervals may do better.
            level = least_leakage_of_any_utility(
                self.joint, line.utility, "istar", line.in_units(answer.cost), self.effort, [cut()]
            )
            if round(2**level.leakage_bits) < best and line.ticks_of(level.partition) <= answer.cost:
                best, cut = round(2**level.leakage_bits), level.cut
        return _Answer(answer.cost, best, fewest, cut)

    def fewest(self, cost: float) -> int:
        """Return the bound that holds at a distortion: that of any greater distortion does."""
        return max((a.fewest for a in self.answers if a.cost >= cost), default=self.least_components)

    def least_cost(self, most_components: int) -> float:
        """Return a cost that no partition with so few components goes below.

        Where more components must remain within a distortion, they must up to the next one that any cluster
        can have.
        """
        refuted = [a for a in self.answers if a.fewest > most_components]
        if not refuted or not self.line.size:
            return 0.0
        last = max(answer.cost for answer in refuted)
        return max(self.windows.next_cost(last + self.line.rounding) - self.line.rounding, 0.0)

    def reach(self, cost: float) -> tuple[int, float, Callable[[], Partition]]:
        """Return the fewest components known within a distortion, at the least cost known."""
        return min((k for k in self.known() if k[1] <= cost), key=lambda k: (k[0], k[1]))

    def cheapest(self, most_components: int) -> float:
        """Return the least cost known that leaves no more than this many components."""
        return min(cost for left, cost, _ in self.known() if left <= most_components)

    def known(self) -> list[tuple[int, float, Callable[[], Partition]]]:
        """Return all partitions known: components left, a distortion they keep, and how to build them."""
        return [*self.given, *((a.components, a.cost, a.cut) for a in self.answers)]

    def narrow(self, most_components: int, share: int = 1) -> None:
        """Bisect for the least distortion that leaves no more than this many components."""
        low, high = 0.0, self.cheapest(most_components)
        self.solve(low, share)
        high = min(high, self.cheapest(most_components))
        while (middle := self.between(low, high)) is not None and not self.effort.should_stop():
            if self.solve(middle, share).components <= most_components:
                high = middle
            else:
                low = middle

    def between(self, low: float, high: float) -> float | None:
        """Return a distortion between two, about halfway, at which more can be reached than just below it."""
        if high <= low:
            return None
        middle = low + (high - low) / 2
        if self.line.cost_name == "centroid":
            if self.line.size > SETTLED_UP_TO:
                return middle if low < middle < high else None
            first, last = np.searchsorted(self.centroid_costs, (low, high), side="right").tolist()
            last -= int(last > 0 and self.centroid_costs[last - 1] == high)
            return float(self.centroid_costs[(first + last) // 2]) if first < last else None
        reach = self.windows.within(middle)
        for cost in (self.windows.below(reach), self.windows.above(reach)):
            if low < cost < high:
                return cost
        return None

    @cached_property
    def centroid_costs(self) -> Floats:
        """Distortions at which centroids can reach more: costs of intervals, and where the bound falls."""
        positions = self.line.ticks
        shifted = positions - np.rint(positions[self.line.size // 2])
        sums = np.concatenate(([0.0], np.cumsum(shifted)))
        start, end = np.triu_indices(self.line.size, 1)
        count, total = end - start + 1, sums[end + 1] - sums[start]
        costs = np.maximum(shifted[end] * count - total, total - shifted[start] * count) / count
        halves = (positions[end] - positions[start]) / 2 + 2 * self.line.rounding
        return np.unique(np.concatenate([costs, halves]))

    def frontier(self) -> Levels:
        """Search the distortions that matter, first a covering set in short.

        Up to ``SETTLED_UP_TO`` values ``complete`` says that between any two levels no distortion was left
        out at which another number of components may be reached; for the centroid, at which intervals may.
        On longer lines a covering set is searched, and ``complete`` says that all of it was.
        """
        self._solve_all(CHEAP_SHARE, COVERING_LEVELS)
        complete = self._solve_all(1, None if self.line.size <= SETTLED_UP_TO else COVERING_LEVELS)
        return Levels(levels=tuple(self.levels()), complete=complete)

    def _solve_all(self, share: int, most: int | None) -> bool:
        """Search distortions from coarse to fine, no more than so many; tell whether it came to an end."""
        self.solve(self.widest, share)
        self.solve(0.0, share)
        ranges = deque([(0.0, self.widest)])
        done = 2
        while ranges:
            low, high = ranges.popleft()
            if self.reach(low)[0] <= self.fewest(high) or (middle := self.between(low, high)) is None:
                continue
            if most is not None and done >= most:
                break
            if self.effort.should_stop():
                return False
            self.solve(middle, share)
            done += 1
            self.effort.progress(len(self.answers), 0, "fewest components for each distortion")
            self.effort.found(self.levels)
            ranges += [(low, middle), (middle, high)]
        return not self.effort.should_stop()

    def levels(self) -> Iterable[Level]:
        """Return the levels that no other dominates, from the least cost to the greatest."""
        costs = sorted({a.cost for a in self.answers} | {cost for _, cost, _ in self.given})
        # A partition may cost less than the distortion it was searched at; of equal costs the last is best.
        levels: dict[float, Level] = {}
        reached = self.count + 1
        for cost in costs:
            left = self.reach(cost)[0]
            if left < reached:
                reached = left
                level = self.level(cost)
                levels = {known: kept for known, kept in levels.items() if known < level.cost}
                levels[level.cost] = level
        return levels.values()

    def level(self, cost: float) -> Level:
        """Return the best partition known within a cost, and what no partition can beat."""
        left, _, cut = self.reach(cost)
        return Level(
            cost=self.line.in_units(self.line.ticks_of(cut())),
            leakage_bits=log2(left),
            lower_bound_bits=log2(max(self.fewest(cost), self.least_components)),
            lower_bound_cost=self.line.in_units(self.least_cost(left)),
            cut=cut,
        )
