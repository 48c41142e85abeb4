"""Frontiers along a line: what the sweep over levels asks of ordered values, and the stages for each cost."""

from __future__ import annotations

from collections.abc import Iterable
from math import log2

from hartley.model import JointRange, Partition
from hartley.search.answer import NOTHING, Answer
from hartley.search.effort import Effort
from hartley.search.enough import OF_ROWS
from hartley.search.line.centroid import STAGES as CENTROID_STAGES
from hartley.search.line.least_cost import by_intervals, by_sweeps
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.polish import finer_on_line
from hartley.search.sweep import Axis, Stage

STAGES: dict[str, tuple[Stage, ...]] = {
    "midpoint": (by_intervals, by_sweeps),
    "member": (by_intervals, by_sweeps),
    "centroid": CENTROID_STAGES,
    "size": (by_intervals,),
}
"""What is tried for one demand, the cheap before the dear."""


class LineAxis(Axis):
    """The levels of one count of a demand on ordered values; costs are in ticks."""

    def __init__(self, values: OrderedValues, count: int = 0) -> None:
        self.values, self.count = values, count
        self.least = max(1, int(values.whole.least[count]))
        self.most = values.most_of(count)
        self.stages = STAGES[values.cost_name]

    def begin(self) -> Iterable[Partition]:
        """Return everything apart, and the whole line as one cluster."""
        yield Partition.singletons(self.values.whole.size)
        if self.values.size:
            yield self.values.partition_of_starts(NOTHING)

    def asking(self, level: int) -> OrderedValues | None:
        """Return the values with this number wanted of the count; ``None`` where none has a place."""
        return self.values.asking(self.count, level) if self.values.size else None

    def admits(self, partition: Partition) -> bool:
        """Tell whether a partition meets the other requirements."""
        return self.values.whole.is_met_by(partition)

    def reached_by(self, partition: Partition) -> int:
        """Return the least that a cluster of a partition holds of the count."""
        return self.values.whole.reached_by(partition, self.count)

    def cost_of(self, partition: Partition) -> float:
        """Return the worst cluster cost of a partition in ticks."""
        return self.values.ticks_of(partition)

    def bits(self, level: int) -> float | None:
        """Return the leakage where every cluster holds so much of the count; ``None`` for rows."""
        if self.count == OF_ROWS:
            return None
        return log2(self.values.whole.all_held[self.count] / level)

    def in_units(self, cost: float) -> float:
        """Return a cost in ticks as the utility gives it."""
        return self.values.in_units(cost)

    def within(self, cost: float) -> float:
        """Return the greatest cost in ticks that is no more than this one."""
        return self.values.ticks_within(cost)

    def finer(self, answer: Answer, effort: Effort | None) -> Answer:
        """Return a finer answer that costs no more and keeps as much."""
        return self.finer_of(answer, effort, None)

    def finer_of(self, answer: Answer, effort: Effort | None, linked: JointRange | None) -> Answer:
        """Return a finer answer, which leaves no more components of a linked table."""
        is_told = self.count != OF_ROWS
        level = max(self.least, self.reached_by(answer.partition)) if is_told else self.least
        return finer_on_line(self.values.asking(self.count, level), answer, effort, linked)
