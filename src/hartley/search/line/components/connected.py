r"""Problem (3) under distortion, one numeric column: least worst-case leakage with :math:`I_* = 0`.

Every released value must leave ``distinct_l`` candidates, and all of them together must leave one
component. No partition does that below the least distortion of either demand alone, and often none is
needed above it. Partitions come from those two searches and from intervals that meet both demands: the
cheapest breaks with prices on links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from hartley.errors import UnreachableError
from hartley.measures.overlap import overlap_partition
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.axis import AxisSearch, LeastCost, Stage
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.axis import STAGES, LineAxis, line_search
from hartley.search.line.components.fewest import CHEAP_SHARE, IstarSearch, istar_search
from hartley.search.line.components.forest_bound import Links, price_windows
from hartley.search.line.ordered_values import OrderedValues

PRICE_STEPS = 400
TARGETS = 12
"""Distortions tried between bound and partition for one number of candidates."""


def connected_search(
    joint: JointRange,
    utility: LineDistortion,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> AxisSearch:
    """Return the search for every number of candidates among partitions that leave one component."""
    istar = istar_search(joint, utility, effort, starts)
    if istar.least_components > 1:
        raise UnreachableError(
            f"no release leaves one component: values without a position stay alone, and at least "
            f"{istar.least_components} components remain"
        )
    istar.narrow(1, CHEAP_SHARE)
    values = OrderedValues.of(joint, utility, [Requirement("distinct-l", 1)])
    stages = _ConnectedStages(istar).all()
    search = line_search(LineAxis(values, also=partial(_is_connected, joint)), effort, starts, stages)
    for left, _, cut in istar.known():
        if left == 1:
            search.offer(cut())
    return search


def _is_connected(joint: JointRange, partition: Partition) -> bool:
    return overlap_partition(joint, partition).size == 1


@dataclass(frozen=True, eq=False)
class _ConnectedStages:
    """Improve what is known for one number of candidates, given what one component alone costs."""

    istar: IstarSearch

    def all(self) -> tuple[Stage, ...]:
        """Return the cheap stage of the search without the condition, then the dear ones."""
        cheap, *dear = (partial(self._free, stage) for stage in STAGES[self.istar.line.cost_name])
        return (cheap, self._by_components, *dear, self._by_intervals)

    @cached_property
    def narrowed(self) -> IstarSearch:
        """What one component alone costs, searched at length."""
        self.istar.narrow(1)
        return self.istar

    def _by_components(self, line: OrderedValues, known: LeastCost, effort: Effort) -> LeastCost:
        """Take bounds and partitions of the search for one component at length, which is made once."""
        del effort
        for left, cost, cut in self.narrowed.known():
            if left == 1 and cost < known.cost:
                known = self._offered(line, known, cut)
        return self._bounded(line, known)

    def _free(self, stage: Stage, line: OrderedValues, known: LeastCost, effort: Effort) -> LeastCost:
        """Take the bound of a stage without the condition, and its partition where that is met."""
        # What is known here is a valid start there: only partitions below the bound of both demands are lost.
        free = stage(line, known, effort)
        known = known.with_bound(free.bound)
        return self._offered(line, self._bounded(line, known), free.cut)

    def _bounded(self, line: OrderedValues, known: LeastCost) -> LeastCost:
        # One component alone is proven to cost more than every distortion at which more remain.
        for answer in self.istar.answers:
            if answer.fewest > 1:
                known = known.with_bound(line.windows.next_cost(answer.cost) - line.rounding)
        return known

    def _offered(self, line: OrderedValues, known: LeastCost, cut: Callable[[], Partition]) -> LeastCost:
        partition = cut()
        cost = line.ticks_of(partition)
        if cost < known.cost and line.whole.is_met_by(partition) and self._is_connected(partition):
            return replace(known, cost=cost, cut=cut)
        return known

    def _is_connected(self, partition: Partition) -> bool:
        return _is_connected(self.istar.joint, partition)

    def _by_intervals(self, line: OrderedValues, known: LeastCost, effort: Effort) -> LeastCost:
        """Bisect for the least distortion at which intervals are found that meet both demands."""
        low = target = known.bound
        for _ in range(TARGETS):
            if known.is_settled or low >= known.cost or effort.should_stop():
                break
            cut = self._intervals(line, target, effort)
            before = known.cost
            known = known if cut is None else self._offered(line, known, cut)
            if known.cost == before:
                low = line.windows.next_cost(target)
            target = low + (known.cost - low) / 2
        return known

    def _intervals(self, line: OrderedValues, cost: float, effort: Effort) -> Callable[[], Partition] | None:
        """Look for intervals within a distortion that leave enough candidates and one component."""
        istar = self.istar
        earliest = istar.windows.within(cost + line.rounding)
        links = Links.within(istar.groups, istar.count, earliest, line.latest)
        if bool((links.latest < 0).all()) or line.size < 2:
            return None
        priced = price_windows(line, links, cost, effort, min(20 * line.size, PRICE_STEPS))
        return None if priced.broken.all() else line.cut_at(priced.broken)
