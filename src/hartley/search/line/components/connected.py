r"""Problem (3) along a line: least worst-case leakage with :math:`I_* = 0`.

Every released value must keep what is required, and all of them together must leave one
component. No partition does that below the least cost of either demand alone, and often none is
needed above it. Partitions come from those two searches and from intervals that meet both demands: the
cheapest breaks with prices on links.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hartley.errors import UnreachableError
from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange, Partition
from hartley.search.answer import Answer
from hartley.search.effort import Effort
from hartley.search.line.axis import LineAxis
from hartley.search.line.components.fewest import ComponentAxis
from hartley.search.line.components.forest_bound import Links, price_windows
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.sweep import Stage, Sweep

PRICE_STEPS = 400
TARGETS = 12
"""Distortions tried between bound and partition for one number of candidates."""


class ConnectedAxis(LineAxis):
    """The levels of one count among partitions of a line that leave one component of a linked table."""

    def __init__(
        self,
        linked: JointRange,
        values: OrderedValues,
        count: int,
        effort: Effort,
        starts: Sequence[Partition] = (),
    ) -> None:
        super().__init__(values, count)
        self.joint, self.ties = linked, ComponentAxis(linked, values)
        if self.ties.fewest_possible > 1:
            raise UnreachableError(
                f"no release leaves one component: values without a position stay alone, and at least "
                f"{self.ties.fewest_possible} components remain"
            )
        self.tied = Sweep(self.ties, effort, starts)
        """What one component alone costs."""
        self.tied.solve(self.ties.most, stages=1)
        cheap, *dear = (partial(self._free, stage) for stage in self.stages)
        self.stages = (cheap, self._by_components, *dear, self._by_intervals)

    def begin(self) -> list[Partition]:
        """Return everything apart, the whole line, and what leaves one component at the least cost known."""
        alone = self.tied.known(self.ties.most)
        return [*super().begin(), *([] if alone is None else [alone.partition])]

    def admits(self, partition: Partition) -> bool:
        """Tell whether a partition meets the other requirements and leaves one component."""
        return super().admits(partition) and overlap_partition(self.joint, partition).size == 1

    def finer(self, answer: Answer, effort: Effort | None) -> Answer:
        """Return a finer answer that costs no more, keeps as much and leaves one component."""
        return self.finer_of(answer, effort, self.joint)

    def _by_components(self, line: OrderedValues, known: Answer, effort: Effort) -> Answer:
        """Take bounds and partitions of the search for one component at length, which is made once."""
        del effort
        alone = self.tied.solve(self.ties.most)
        return self._bounded(line, self._offered(line, known, alone.partition))

    def _free(self, stage: Stage, line: OrderedValues, known: Answer, effort: Effort) -> Answer:
        """Take the bound of a stage without the condition, and its partition where that is met."""
        # What is known here is a valid start there: only partitions below the bound of both demands are lost.
        free = stage(line, known, effort)
        return self._offered(line, self._bounded(line, known.with_bound(free.bound)), free.partition)

    def _bounded(self, line: OrderedValues, known: Answer) -> Answer:
        # One component alone is proven to cost more than every distortion at which more remain.
        del line
        return known.with_bound(self.ties.counting_bound(self.ties.most))

    def _offered(self, line: OrderedValues, known: Answer, partition: Partition) -> Answer:
        cost = line.ticks_of(partition)
        serves = cost < known.cost and line.whole.is_met_by(partition) and self.admits(partition)
        return known.with_partition(cost, partition) if serves else known

    def _by_intervals(self, line: OrderedValues, known: Answer, effort: Effort) -> Answer:
        """Bisect for the least distortion at which intervals are found that meet both demands."""
        low = target = known.bound
        for _ in range(TARGETS):
            if known.is_proven or low >= known.cost or effort.should_stop():
                break
            found = self._intervals(line, target, effort)
            before = known.cost
            known = known if found is None else self._offered(line, known, found)
            if known.cost == before:
                low = line.windows.next_cost(target)
            target = low + (known.cost - low) / 2
        return known

    def _intervals(self, line: OrderedValues, cost: float, effort: Effort) -> Partition | None:
        """Look for intervals within a distortion that keep what is required and leave one component."""
        earliest = line.windows.within(cost + line.rounding)
        links = Links.within(self.ties.groups, self.ties.count, earliest, line.latest)
        if bool((links.latest < 0).all()) or line.size < 2:
            return None
        priced = price_windows(line, links, cost, effort, min(20 * line.size, PRICE_STEPS))
        return None if priced.broken.all() else line.cut_at(priced.broken)
