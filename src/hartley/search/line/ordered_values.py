"""Public values in the order of a line, with what a cluster of them costs and must hold.

Neighbours are neighbours in the order of positions. Values without a position are set aside, since each stays
alone under every partition that is allowed. Searches reckon in ticks
(:class:`~hartley.measures.utility.line.LineGrid`), in which sums of decimals are exact;
:meth:`OrderedValues.in_units` gives a cost as the utility does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from hartley.errors import InputError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.measures.utility.line import costs_in_ticks
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Floats, Ints, Places
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.search.enough import Enough
from hartley.search.line.sweeps.held_codes import HeldDemand, held_demand
from hartley.search.line.windows import Windows

LineUtility: TypeAlias = LineDistortion | Resolution
CostName: TypeAlias = Literal["midpoint", "member", "centroid", "size"]


@dataclass(frozen=True, eq=False)
class OrderedValues:
    """Public values along a line; ranks number them in order, places in their alphabet.

    >>> joint = JointRange.from_pairs([(7, "a"), (3, "b"), (None, "a")])
    >>> values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 2)])
    >>> values.order.tolist(), values.positions.tolist(), values.alone.tolist()
    ([1, 0], [3.0, 7.0], [2])
    """

    whole: Enough
    """The demand on all public values, by place."""
    enough: Enough
    """The demand on the values of the line, by rank."""
    utility: LineUtility
    order: Places
    """The place of each rank."""
    positions: Floats
    """Where each rank lies, ascending, in the unit of the column."""
    alone: Places
    """Places of the values that have no position; each stays a cluster of its own."""

    @classmethod
    def of(
        cls,
        joint: JointRange,
        utility: LineUtility,
        requirements: Iterable[Requirement],
        closeness: Closeness = NO_CLOSENESS,
        positions: Floats | None = None,
    ) -> OrderedValues:
        """Sort the public values of a table; ``positions`` order them where the cost is their number."""
        given = utility.positions if isinstance(utility, LineDistortion) else positions
        if given is None:
            given = joint.public.positions
        if given is None:
            raise InputError(
                f"{', '.join(map(repr, joint.public.columns))} has no order; intervals need numbers, dates "
                "or an order of the values"
            )
        if len(given) != joint.public.size:
            raise InputError(f"{len(given)} positions do not fit {joint.public.size} public values")
        placed = np.flatnonzero(~np.isnan(given))
        order = placed[np.argsort(given[placed], kind="stable")]
        alone = np.flatnonzero(np.isnan(given))
        at = np.ascontiguousarray(given[order], dtype=float)
        enough = Enough.of(joint, requirements, closeness)
        return cls(enough, enough.take(order), utility, order, at, alone)

    @property
    def size(self) -> int:
        """How many values lie on the line."""
        return len(self.order)

    @property
    def cost_name(self) -> CostName:
        """What a cluster costs: its reach under a codeword, or its number of values."""
        return self.utility.codeword if isinstance(self.utility, LineDistortion) else "size"

    @cached_property
    def ticks(self) -> Floats:
        """Where each rank lies, in ticks; where clusters cost their number of values, its number."""
        if not isinstance(self.utility, LineDistortion):
            return np.arange(self.size, dtype=float)
        return np.ascontiguousarray(self.utility.grid.ticks[self.order])

    @cached_property
    def windows(self) -> Windows:
        """The windows of the line; for the centroid, by the least that a cluster between two ends costs."""
        return Windows(self.ticks, "member" if self.cost_name == "member" else "midpoint")

    def in_units(self, cost: float) -> float:
        """Return a cost in ticks as the utility gives it."""
        if isinstance(self.utility, LineDistortion):
            return self.utility.grid.in_units(cost)
        return 2 * cost + 1

    def ticks_within(self, cost: float) -> float:
        """Return the greatest cost in ticks that is no more than what the utility calls this cost."""
        if isinstance(self.utility, LineDistortion):
            return self.utility.grid.ticks_within(cost)
        # Where all is withheld nothing costs 0.
        return max((cost - 1) / 2, 0.0)

    @cached_property
    def rounding(self) -> float:
        """How far a centroid's cost can be from its real value by rounding, in ticks; 0 where sums are exact.

        One division rounds then, and rounding a division keeps order. The other codewords need one
        subtraction, which keeps the order of the real values as well.
        """
        utility = self.utility
        if not isinstance(utility, LineDistortion) or utility.codeword != "centroid" or not self.size:
            return 0.0
        greatest = float(np.abs(self.ticks).max())
        return 0.0 if utility.grid.is_exact else 4.0 * (self.size + 2) * greatest * float(np.finfo(float).eps)

    @cached_property
    def latest(self) -> Places:
        """For each last rank the latest start of a window that is enough; -1 where none is."""
        return self.enough.latest_starts()

    @cached_property
    def held(self) -> HeldDemand:
        """The demand on the values of the line as bits of words, for searches that try many small sets."""
        return held_demand(self.enough)

    @cached_property
    def can_be_met(self) -> bool:
        """Whether some partition is enough everywhere: the whole line is, and each value apart from it."""
        is_line_enough = not self.size or bool(self.latest[-1] >= 0)
        return is_line_enough and all(self.whole.is_enough([int(place)]) for place in self.alone)

    def asking(self, count: int, wanted: int) -> OrderedValues:
        """Return the same line with another number wanted of one count."""
        return replace(self, whole=self.whole.asking(count, wanted), enough=self.enough.asking(count, wanted))

    def asking_as(self, partition: Partition) -> OrderedValues:
        """Return the same line with as much wanted of every count as a partition holds."""
        whole, enough = self.whole, self.enough
        for count in range(len(whole.wanted)):
            held = whole.reached_by(partition, count)
            whole, enough = whole.asking(count, held), enough.asking(count, held)
        return replace(self, whole=whole, enough=enough)

    def keeping(self, ranks: Places) -> OrderedValues:
        """Return the line with some of its values only, in their order."""
        return OrderedValues(
            self.whole,
            self.enough.take(ranks),
            self.utility,
            self.order[ranks],
            self.positions[ranks],
            self.alone,
        )

    def most_of(self, count: int) -> int:
        """Return the most of one count that every cluster of some partition allowed can hold."""
        apart = np.zeros(self.whole.size, dtype=np.int64)
        apart[self.alone] = np.arange(len(self.alone)) + 1
        return self.whole.reached_by(Partition(apart), count)

    def require_reachable(self) -> None:
        """Raise where no partition is enough."""
        if not self.can_be_met:
            self.whole.require_reachable([[int(place)] for place in self.alone])

    def labels_of_ranks(self, cluster_of: Ints) -> Places:
        """Turn the cluster of each rank into the cluster of each place."""
        labels = np.empty(self.whole.size, dtype=np.int64)
        labels[self.order] = cluster_of
        labels[self.alone] = np.arange(len(self.alone)) + (int(cluster_of.max(initial=-1)) + 1)
        return labels

    def partition_of_ranks(self, cluster_of: Ints) -> Partition:
        """Turn the cluster of each rank into a partition of the alphabet."""
        return Partition(self.labels_of_ranks(cluster_of))

    def partition_of_starts(self, starts: Ints) -> Partition:
        """Turn intervals, given by their first ranks, into a partition of the alphabet."""
        begins = np.zeros(self.size, dtype=np.int64)
        begins[starts[starts > 0]] = 1
        return self.partition_of_ranks(np.cumsum(begins))

    def cut_at(self, broken: Flags) -> Partition:
        """Return the intervals that end where links between neighbours are broken."""
        return self.partition_of_starts(np.flatnonzero(broken) + 1)

    def ticks_of(self, partition: Partition) -> float:
        """Return the worst cluster cost of a partition of all public values, in ticks."""
        if isinstance(self.utility, LineDistortion):
            costs = costs_in_ticks(self.utility.grid.ticks, self.utility.codeword, partition)
            return float(costs.max())
        return (float(partition.sizes.max()) - 1) / 2

    def cost_of_labels(self, labels: Places, exempt: Places | None = None) -> float:
        """Return the worst cost of a cluster, as the utility measures it; ``exempt`` places cost nothing."""
        if exempt is None or not len(exempt):
            return float(self.utility.costs(Partition(labels)).max())
        kept = np.ones(len(labels), dtype=bool)
        kept[exempt] = False
        if not kept.any():
            return 0.0
        utility = self.utility
        if isinstance(utility, LineDistortion):
            utility = LineDistortion(utility.positions[kept], utility.codeword)
        return float(utility.costs(Partition(labels[kept])).max())
