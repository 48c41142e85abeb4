"""What a search returns: the best partition known, and what nothing can beat (:class:`Answer`).

Two bounds hold for every partition, whoever made it: none that keeps as much costs less than the one, and
none that costs no more leaks less than the other. Where the partition meets both, nothing can be better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from hartley.model import Partition
from hartley.model.arrays import Int64s
from hartley.model.words import ROUNDING, SAME_COST
from hartley.search.effort import Effort
from hartley.search.line.borders import Borders

NOTHING: Int64s = np.zeros(0, dtype=np.int64)


def is_reached(cost: float, bound: float) -> bool:
    """Tell whether a cost is no more than a bound, but for rounding.

    >>> is_reached(0.1 + 0.2, 0.3), is_reached(0.3001, 0.3)
    (True, False)
    """
    return cost - bound <= SAME_COST * cost


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer:
    """The cheapest partition found that keeps what is required, and what is proven of it.

    Within a sweep costs are in the unit in which its axis reckons, elsewhere in that of the utility.
    """

    partition: Partition
    cost: float
    """What the worst cluster costs."""
    lower_bound_cost: float | None = None
    """No partition of the shape and budget asked for costs less; ``None`` where no bound is known."""
    any_bound: float | None = None
    """No partition of any shape within the budget costs less."""
    withheld: Int64s = field(default_factory=lambda: NOTHING)
    """Places of the public values that are withheld; they are one cluster."""
    withheld_rows: int = 0
    borders: Borders | None = None
    """Where the borders of bands lie; ``None``: where the shape has them."""
    loss: float | None = None
    """The mean over rows of the relative width of their cluster, over several columns."""
    leakage_bits: float | None = None
    """What leaks by the axis of a frontier; ``None`` where nobody measured it."""
    lower_bound_bits: float | None = None
    """No partition of this cost leaks less; ``None`` where the search tells of costs only."""

    @property
    def bound(self) -> float:
        """The bound on the cost; 0 where none is known."""
        return self.lower_bound_cost or 0.0

    @property
    def is_proven(self) -> bool:
        """Whether nothing of the shape and budget asked for costs less."""
        return self.lower_bound_cost is not None and is_reached(self.cost, self.lower_bound_cost)

    @property
    def leaks_least(self) -> bool:
        """Whether it is proven that nothing of this cost leaks less."""
        bits, bound = self.leakage_bits, self.lower_bound_bits
        return bits is not None and bound is not None and bits <= bound + ROUNDING

    @property
    def proven_optimal(self) -> bool:
        """Whether both bounds are met: nothing is better in one respect and as good in the other."""
        return self.leaks_least and self.is_proven

    def with_bound(self, bound: float) -> Answer:
        """Return the same answer with a higher bound; a bound that says less is left out."""
        return self if bound <= self.bound else replace(self, lower_bound_cost=min(bound, self.cost))

    def with_partition(self, cost: float, partition: Partition) -> Answer:
        """Return the same bound with a partition that serves, if it costs less."""
        return replace(self, cost=cost, partition=partition) if cost < self.cost else self


MEASURED_AT_ONCE = 1_000_000
"""Values times partitions that are measured in any case; it takes a fraction of a second."""


def in_time(
    starts: Iterable[Partition], effort: Effort, at_once: int = MEASURED_AT_ONCE
) -> Iterator[Partition]:
    """Return the partitions one by one; when the effort is over, no more than can be measured at once.

    That is, partitions of no more than ``at_once`` values in all.

    >>> over = Effort(should_stop=lambda: True)
    >>> len(list(in_time([Partition.singletons(4)] * 9, over)))
    9
    >>> len(list(in_time([Partition.singletons(400_000)] * 9, over)))
    2
    """
    values = 0
    for start in starts:
        values += len(start.labels)
        if values > at_once and effort.should_stop():
            return
        yield start
