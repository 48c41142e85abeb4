r"""What is learnt for certain along a line: the least cost for each number of components.

The leakage is ``log2`` of the number of components (:func:`~hartley.measures.overlap.components`), and a
cluster joins the components of its members. For midpoint and member intervals are enough (see
:mod:`~hartley.search.line.components.forest_bound`); the problem is NP-hard all the same; prices on windows
bound it from below, breaks found with them from above. For the centroid, a radius of D means a span of at
most 2D, so the midpoint's bound holds for it; its breaks leave intervals whose mean is near every member.

Prices tell of one cost how few components it can leave. So a level is searched by bisecting for its cost, and
every cost that is looked at tells of all levels.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from math import log2

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.overlap import components, overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, different
from hartley.search.answer import NOTHING, Answer
from hartley.search.effort import Effort
from hartley.search.line.components.forest_bound import Links, price_windows
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.polish import finer_on_line
from hartley.search.problem import too_many_components
from hartley.search.sweep import Axis, Reached

SETTLED_UP_TO = 400
"""Lines up to this many values get every cost at which the number of components changes."""
MOST_LOOKED_AT = 48
"""On longer lines so many costs are looked at,"""
NEAR = 0.1
"""and none between two that differ by no more than this part of them."""
MOST_PRICE_STEPS = 4000
CHEAP_SHARE = 20
"""At first every cost gets this part of the steps."""


class ComponentAxis(Axis):
    """The numbers of components of a table that a line can leave, from all of them on; costs are in ticks."""

    is_of_components = True
    what = "least cost for each number of components"

    def __init__(self, joint: JointRange, line: OrderedValues) -> None:
        self.joint, self.line, self.windows = joint, line, line.windows
        groups = components(joint)
        self.count = groups.size
        self.groups = groups.labels[line.order].astype(np.int64)
        self.fewest_possible = self.count - max(len(different(self.groups)) - 1, 0)
        self.most = self.level_of(self.fewest_possible)
        self.stages = (partial(self._narrowed, CHEAP_SHARE), partial(self._narrowed, 1))
        self.looked_at: dict[float, tuple[int, int]] = {}
        """Of each cost the fewest components that are not excluded, and with which part of the steps."""
        self._met: list[Reached] = []

    def level_of(self, left: int) -> int:
        """Return the level of so many components."""
        return self.count - left + 1

    def beyond(self, level: int) -> UnreachableError:
        """Return the refusal of so few components."""
        return too_many_components(max(self.level_of(level), 1))

    def begin(self) -> Iterable[Partition]:
        """Return everything apart, and the whole line as one cluster."""
        yield Partition.singletons(self.joint.public.size)
        if self.line.size:
            yield self.line.partition_of_starts(NOTHING)

    def met(self) -> Iterable[Reached]:
        """Return what was found for other levels."""
        return self._met

    def reached_by(self, partition: Partition) -> int:
        """Return the level of the components that a partition leaves."""
        return self.level_of(overlap_partition(self.joint, partition).size)

    def cost_of(self, partition: Partition) -> float:
        """Return the worst cluster cost of a partition in ticks."""
        return self.line.ticks_of(partition)

    def bits(self, level: int) -> float:
        """Return what is learnt for certain at a level."""
        return log2(self.level_of(level))

    def in_units(self, cost: float) -> float:
        """Return a cost in ticks as the utility gives it."""
        return self.line.in_units(cost)

    def within(self, cost: float) -> float:
        """Return the greatest cost in ticks that is no more than this one."""
        return self.line.ticks_within(cost)

    def counting_bound(self, level: int) -> float:
        """Return a cost that no partition with so few components goes below.

        Where more components must remain within a cost, they must up to the next one that any cluster can
        have.
        """
        last = self._refuted(level)
        if last is None or not self.line.size:
            return 0.0
        return max(self.windows.next_cost(last + self.line.rounding) - self.line.rounding, 0.0)

    def _refuted(self, level: int) -> float | None:
        """Return the greatest cost looked at that is proven to leave more components."""
        left = self.level_of(level)
        return max((cost for cost, (fewest, _) in self.looked_at.items() if fewest > left), default=None)

    def look_within(self, cost: float, known: Answer, effort: Effort) -> bool:
        """Look at a cost itself."""
        self.look(cost, known, 1, effort)
        return True

    def look(self, cost: float, known: Answer, share: int, effort: Effort) -> None:
        """Bound and improve what is known at a cost, with this part of the steps; ``known`` costs no more."""
        line, count = self.line, self.count
        fewest, before = self.looked_at.get(cost, (self.fewest_possible, share + 1))
        fewest = max([fewest, *(other for at, (other, _) in self.looked_at.items() if at >= cost)])
        left = self.level_of(self.reached_by(known.partition))
        if line.size > 1 and left > fewest and before > share:
            links = Links.within(self.groups, count, self.windows.within(cost + line.rounding))
            priced = price_windows(line, links, cost, effort, min(100 * line.size, MOST_PRICE_STEPS) // share)
            fewest = max(fewest, count - priced.most_joined)
            if count - priced.joined < left:
                found = line.cut_at(priced.broken)
                if (ticks := line.ticks_of(found)) <= cost:
                    self._met.append(
                        (self.level_of(count - priced.joined), Answer(partition=found, cost=ticks))
                    )
        self.looked_at[cost] = fewest, min(share, before)

    def _narrowed(self, share: int, level: int, known: Answer, effort: Effort) -> Answer:
        """Bisect for the least cost of a level."""
        low, high = self._refuted(level), known.cost
        if low is None:
            low = 0.0
            known = self._looked(level, 0.0, known, share, effort)
        while (middle := self.between_costs(low, min(high, known.cost))) is not None:
            if effort.should_stop():
                break
            known = self._looked(level, middle, known, share, effort)
            if known.cost <= middle:
                high = known.cost
            else:
                low = middle
        return known.with_bound(self.counting_bound(level))

    def _looked(self, level: int, cost: float, known: Answer, share: int, effort: Effort) -> Answer:
        """Look at one cost for the sake of a level, from the best that is known within it."""
        alone = Answer(partition=Partition.singletons(self.joint.public.size), cost=0.0)
        within = [(reached, one) for reached, one in self._met if one.cost <= cost]
        nearest = max(within, key=lambda one: one[0], default=(1, alone))[1]
        self.look(cost, nearest, share, effort)
        best = min((one for reached, one in self._met if reached >= level), key=_cost, default=known)
        return known.with_partition(best.cost, best.partition)

    def finer(self, answer: Answer, effort: Effort | None) -> Answer:
        """Return a finer answer that costs no more, and leaves as few components and as many candidates."""
        return finer_on_line(self.line.asking_as(answer.partition), answer, effort, self.joint)

    def between_costs(self, low: float, high: float) -> float | None:
        """Return a cost between two, about halfway, at which more can be reached than just below it."""
        if high <= low:
            return None
        middle, is_long = low + (high - low) / 2, self.line.size > SETTLED_UP_TO
        if is_long and (len(self.looked_at) >= MOST_LOOKED_AT or high - low < NEAR * high):
            return None
        if self.line.cost_name == "centroid":
            if is_long:
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
        """Costs at which centroids can reach more: those of intervals, and where the bound falls."""
        positions = self.line.ticks
        shifted = positions - np.rint(positions[self.line.size // 2])
        sums = np.concatenate(([0.0], np.cumsum(shifted)))
        start, end = np.triu_indices(self.line.size, 1)
        count, total = end - start + 1, sums[end + 1] - sums[start]
        costs = np.maximum(shifted[end] * count - total, total - shifted[start] * count) / count
        halves = (positions[end] - positions[start]) / 2 + 2 * self.line.rounding
        return np.unique(np.concatenate([costs, halves]))


def _cost(answer: Answer) -> float:
    return answer.cost
