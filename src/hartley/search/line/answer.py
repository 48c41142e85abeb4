"""What a search over one column returns: a partition, what it costs, and what nothing can beat."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hartley.model import Partition
from hartley.model.arrays import Places, frozen_array

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
