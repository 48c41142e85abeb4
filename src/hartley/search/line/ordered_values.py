"""What a search over one column takes and returns.

It takes public values in the order of a line, with what a cluster of them costs and must hold. It returns a
partition, what that costs, and what nothing can beat.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from hartley.errors import InputError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Places, frozen_array
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.requirement import Requirement
from hartley.search.distortion.windows import Windows
from hartley.search.enough import Enough

NOTHING: Places = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Band:
    """A stretch of the line from ``low`` up to, and without, ``high``; either end may be infinite."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """How wide the band is."""
        return self.high - self.low


@dataclass(frozen=True, kw_only=True, eq=False)
class LineAnswer:
    """The best partition found for one question, and the bounds that hold for it."""

    labels: Places
    """The cluster of each public value; values that are withheld, and cells they join, are one cluster."""
    cost: float
    """What the worst cluster costs; what is withheld costs nothing."""
    lower_bound: float
    """No partition of the shape and budget that were asked for costs less."""
    any_bound: float
    """No partition of any shape within the same budget costs less."""
    total_width: float = 0.0
    """The widths of all clusters together: of their bands where there are borders, else of their members."""
    withheld: Places = field(default_factory=lambda: NOTHING)
    """Places of the values that are withheld; cells that were missing before are not among them."""
    withheld_rows: int = 0
    bands: tuple[Band, ...] = ()
    """The bands in order, where borders were asked for."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", frozen_array(self.labels))
        object.__setattr__(self, "withheld", frozen_array(self.withheld))

    @cached_property
    def partition(self) -> Partition:
        """The partition itself."""
        return Partition(self.labels)

    @property
    def proven(self) -> bool:
        """Whether nothing of the shape and budget asked for costs less."""
        return self.cost <= self.lower_bound * (1 + 1e-12)

    @property
    def clusters(self) -> int:
        """How many clusters there are, what is withheld among them."""
        return self.partition.size

    @property
    def shape_price(self) -> float:
        """How much dearer the shape is at most than any partition; 1 where it costs nothing."""
        if self.cost <= self.any_bound:
            return 1.0
        return self.cost / self.any_bound if self.any_bound > 0 else float("inf")


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
    utility: LineUtility
    order: Places
    """The place of each rank."""
    positions: Floats
    """Where each rank lies, ascending."""
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
        return cls.of_enough(joint, utility, Enough.of(joint, requirements, closeness), positions)

    @classmethod
    def of_enough(
        cls, joint: JointRange, utility: LineUtility, enough: Enough, positions: Floats | None = None
    ) -> OrderedValues:
        """Sort the public values of a table under a demand that is laid out already."""
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
        return cls(enough, utility, order, np.ascontiguousarray(given[order], dtype=float), alone)

    @property
    def size(self) -> int:
        """How many values lie on the line."""
        return len(self.order)

    @cached_property
    def enough(self) -> Enough:
        """The demand on the values of the line, by rank."""
        return self.whole.take(self.order)

    @property
    def cost_name(self) -> CostName:
        """What a cluster costs: its reach under a codeword, or its number of values."""
        return self.utility.codeword if isinstance(self.utility, LineDistortion) else "size"

    @cached_property
    def windows(self) -> Windows:
        """The windows of the line; for the centroid, by the least that a cluster between two ends costs."""
        if self.cost_name == "size":
            return Windows(np.arange(self.size, dtype=float), "midpoint")
        return Windows(self.positions, "member" if self.cost_name == "member" else "midpoint")

    def cost_of_window(self, cost: float) -> float:
        """Turn the cost of a window into the cost of a cluster."""
        return 2 * cost + 1 if self.cost_name == "size" else cost

    def window_of_cost(self, cost: float) -> float:
        """Turn the cost of a cluster into the cost of a window; where all is withheld nothing costs 0."""
        return max((cost - 1) / 2, 0.0) if self.cost_name == "size" else cost

    @cached_property
    def latest(self) -> Places:
        """For each last rank the latest start of a window that is enough; -1 where none is."""
        return self.enough.latest_starts()

    @cached_property
    def can_be_met(self) -> bool:
        """Whether some partition is enough everywhere: the whole line is, and each value apart from it."""
        is_line_enough = not self.size or bool(self.latest[-1] >= 0)
        return is_line_enough and all(self.whole.is_enough([int(place)]) for place in self.alone)

    def under(self, enough: Enough) -> OrderedValues:
        """Return the same line under another demand on all public values, by place."""
        return OrderedValues(enough, self.utility, self.order, self.positions, self.alone)

    def require_reachable(self) -> None:
        """Raise where no partition is enough."""
        if not self.can_be_met:
            self.whole.require_reachable([[int(place)] for place in self.alone])

    def labels_of_ranks(self, cluster_of: Places) -> Places:
        """Turn the cluster of each rank into the cluster of each place."""
        labels = np.empty(self.whole.size, dtype=np.int64)
        labels[self.order] = cluster_of
        labels[self.alone] = np.arange(len(self.alone)) + (int(cluster_of.max(initial=-1)) + 1)
        return labels

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
