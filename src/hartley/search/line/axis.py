"""Frontiers along a line: what the sweep over levels asks of ordered values, and the stages for each cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.axis import AxisSearch, Stage
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import NOTHING
from hartley.search.line.centroid import STAGES as CENTROID_STAGES
from hartley.search.line.least_cost import by_intervals, by_sweeps
from hartley.search.line.ordered_values import OrderedValues

STAGES: dict[str, tuple[Stage, ...]] = {
    "midpoint": (by_intervals, by_sweeps),
    "member": (by_intervals, by_sweeps),
    "centroid": CENTROID_STAGES,
    "size": (by_intervals,),
}
"""What is tried for one demand, the cheap before the dear."""


def any_partition(partition: Partition) -> bool:
    """Admit every partition."""
    del partition
    return True


@dataclass(frozen=True, eq=False)
class LineAxis:
    """The levels of one count of a demand on ordered values; costs are in ticks."""

    values: OrderedValues
    count: int = 0
    also: Callable[[Partition], bool] = any_partition
    """What must be true of a partition besides."""

    @property
    def least(self) -> int:
        """What is required of the count in any case."""
        return max(1, int(self.values.whole.least[self.count]))

    @cached_property
    def most(self) -> int:
        """The most that every cluster of some partition allowed can hold."""
        return self.values.most_of(self.count)

    def asking(self, level: int) -> OrderedValues | None:
        """Return the values with this number wanted of the count; ``None`` where none has a place."""
        return self.values.asking(self.count, level) if self.values.size else None

    def admits(self, partition: Partition) -> bool:
        """Tell whether a partition meets the other requirements."""
        return self.values.whole.is_met_by(partition) and self.also(partition)

    def reached_by(self, partition: Partition) -> int:
        """Return the least that a cluster of a partition holds of the count."""
        return self.values.whole.reached_by(partition, self.count)

    def cost_of(self, partition: Partition) -> float:
        """Return the worst cluster cost of a partition in ticks."""
        return self.values.ticks_of(partition)

    def counting_bound(self, level: int) -> float:
        """Return nothing that is known at once: bounds are the first stage."""
        del level
        return 0.0

    def bits(self, level: int) -> float:
        """Return the leakage where every cluster holds so much of the count."""
        begin, end = self.values.whole.offsets[self.count : self.count + 2].tolist()
        return log2((end - begin) / level)

    def in_units(self, cost: float) -> float:
        """Return a cost in ticks as the utility gives it."""
        return self.values.in_units(cost)

    def within(self, cost: float) -> float:
        """Return the greatest cost in ticks that is no more than this one."""
        return self.values.ticks_within(cost)


def line_search(
    axis: LineAxis, effort: Effort, starts: Sequence[Partition] = (), stages: Sequence[Stage] | None = None
) -> AxisSearch:
    """Return the search along one count of ordered values."""
    values = axis.values
    always = [Partition.singletons(values.whole.size)]
    if values.size:
        always.append(values.partition_of_starts(NOTHING))
    return AxisSearch(axis, STAGES[values.cost_name] if stages is None else stages, effort, always, starts)


def candidate_search(
    joint: JointRange,
    utility: LineDistortion,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> AxisSearch:
    """Return the search for every number of candidates of a table, with nothing else required."""
    values = OrderedValues.of(joint, utility, [Requirement("distinct-l", 1)])
    return line_search(LineAxis(values), effort, starts)
