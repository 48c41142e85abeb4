"""A line on which candidates are asked for, and the search for one number of them, as tests speak of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.answer import Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.ordered_values import OrderedValues
from paper_levels import candidate_search


@dataclass(frozen=True, eq=False)
class Line:
    """Public values along a line; costs are in ticks."""

    joint: JointRange
    utility: LineDistortion

    @cached_property
    def values(self) -> OrderedValues:
        return OrderedValues.of(self.joint, self.utility, [Requirement("distinct-l", 1)])

    def asking(self, wanted: int) -> OrderedValues:
        """The line with so many candidates wanted of every cluster."""
        return self.values.asking(0, wanted)

    @property
    def size(self) -> int:
        return self.values.size

    @property
    def positions(self) -> np.ndarray:
        return self.values.ticks

    @property
    def most_candidates(self) -> int:
        return self.values.most_of(0)

    @property
    def rounding(self) -> float:
        return self.values.rounding

    def held(self, rank: int) -> np.ndarray:
        """The sensitive values of a rank."""
        enough = self.values.enough
        return enough.value_code[enough.value_ptr[rank] : enough.value_ptr[rank + 1]]

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The sensitive values of each rank as the bits of one number."""
        return tuple(sum(1 << int(s) for s in self.held(rank)) for rank in range(self.size))

    def in_units(self, cost: float) -> float:
        return self.values.in_units(cost)

    def ticks_within(self, cost: float) -> float:
        return self.values.ticks_within(cost)

    def cost_of(self, partition: Partition) -> float:
        return self.values.ticks_of(partition)

    def distinct_l_of(self, partition: Partition) -> int:
        return self.values.whole.reached_by(partition, 0)

    def partition_of_ranks(self, cluster_of: np.ndarray) -> Partition:
        return self.values.partition_of_ranks(cluster_of)


def bands_of(values: OrderedValues, answer: Answer) -> list[tuple[float, float]]:
    """Where the bands of an answer begin and end, in order; none where borders lie anywhere."""
    if answer.borders is None or answer.borders.are_anywhere:
        return []
    labels = answer.partition.labels.astype(np.int64)
    labels[answer.withheld] = -1
    low, high = answer.borders.ends_of(labels[values.order])
    return list(zip(low.tolist(), high.tolist(), strict=True))


def total_width(values: OrderedValues, answer: Answer) -> float:
    """The widths of all clusters together: of their bands where there are borders, else of their members."""
    bands = bands_of(values, answer)
    if bands:
        return sum(high - low for low, high in bands)
    labels = answer.partition.labels[values.order]
    return float(sum(np.ptp(values.positions[labels == label]) for label in np.unique(labels)))


@dataclass(frozen=True, eq=False)
class Found:
    """The least cost found for one number of candidates, in units."""

    cost: float
    lower_bound: float
    proven_optimal: bool
    partition: Partition


def least_distortion(
    joint: JointRange,
    utility: LineDistortion,
    wanted: int,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Found:
    """Search for one number of candidates."""
    search = candidate_search(joint, utility, effort, starts)
    search.require(wanted)
    found = search.solve(wanted)
    units = search.axis.in_units
    return Found(units(found.cost), units(found.bound), found.is_proven, found.partition)
