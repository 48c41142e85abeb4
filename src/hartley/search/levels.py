"""What a search returns: the best partition known, and what nothing can beat.

An answer is for one problem. Where nothing but the axis is asked for, there is one for each utility level.

A level is a worst cluster cost that is allowed. Two bounds go with it, and hold for every
partition, whoever made it: none whose worst cluster costs no more leaks less than the one, and none
that leaks no more costs less than the other. Where the partition found meets both, nothing can be better.

A search also starts from known partitions: as many as there is time to measure (:func:`in_time`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from hartley.model import Partition
from hartley.model.arrays import Int64s
from hartley.model.words import ROUNDING, SAME_COST
from hartley.search.effort import Effort
from hartley.search.line.borders import Borders

NOTHING: Int64s = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Level:
    """The best partition known whose worst cluster costs no more than ``cost``."""

    cost: float
    """The worst cluster cost allowed: values in the largest cluster (resolution), or distortion."""
    leakage_bits: float
    """What the partition leaks, as the measures give it."""
    lower_bound_bits: float
    """No partition of this utility or better leaks less."""
    lower_bound_cost: float | None = None
    """No partition that leaks as little costs less; ``None`` where no such bound is known."""
    cut: Callable[[], Partition] = field(repr=False, compare=False)
    """Builds the partition when it is asked for."""

    @property
    def partition(self) -> Partition:
        """The partition itself."""
        return self.cut()

    @property
    def leaks_least(self) -> bool:
        """Whether it is proven that nothing of this utility leaks less."""
        return self.leakage_bits <= self.lower_bound_bits + ROUNDING

    @property
    def costs_least(self) -> bool:
        """Whether it is proven that nothing that leaks as little costs less."""
        return self.lower_bound_cost is not None and is_reached(self.cost, self.lower_bound_cost)

    @property
    def proven_optimal(self) -> bool:
        """Whether both bounds are met: nothing is better in one respect and as good in the other."""
        return self.leaks_least and self.costs_least


def as_it_is(partition: Partition) -> Partition:
    """Build a partition that is there already, for those that are built when they are asked for."""
    return partition


def is_reached(cost: float, bound: float) -> bool:
    """Tell whether a cost is no more than a bound, but for rounding.

    >>> is_reached(0.1 + 0.2, 0.3), is_reached(0.3001, 0.3)
    (True, False)
    """
    return cost - bound <= SAME_COST * cost


@dataclass(frozen=True, kw_only=True)
class Levels:
    """Levels from the least cost to the greatest."""

    levels: tuple[Level, ...]
    complete: bool
    """Whether the search came to its end. Each level stands for itself: where it is proven, nothing better
    has its cost or its leakage, and between two proven ones a level may be missing that was not found."""


def without_doubles(levels: Iterable[Level]) -> tuple[Level, ...]:
    """Keep the levels at which less leaks than at any cheaper one; what differs by rounding only is one.

    >>> def level(cost, bits):
    ...     return Level(cost=cost, leakage_bits=bits, lower_bound_bits=0.0, cut=lambda: Partition.whole(1))
    >>> [kept.cost for kept in without_doubles([level(1, 2.0), level(1 + 1e-12, 1.0), level(3, 1.0)])]
    [1.000000000001]
    """
    kept: list[Level] = []
    for level in sorted(levels, key=lambda level: (level.cost, level.leakage_bits)):
        if kept and level.leakage_bits >= kept[-1].leakage_bits - ROUNDING:
            continue
        if kept and is_reached(level.cost, kept[-1].cost):
            kept.pop()
        kept.append(level)
    return tuple(kept)


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer:
    """The cheapest partition found that keeps what is required, and what is proven of it."""

    partition: Partition
    cost: float
    lower_bound_cost: float | None
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
    lower_bound_bits: float | None = None
    """No partition of this cost leaks less; ``None`` where the search tells of costs only."""

    @classmethod
    def of_level(cls, level: Level) -> Answer:
        """Take a level of a frontier."""
        return cls(
            partition=level.partition,
            cost=level.cost,
            lower_bound_cost=level.lower_bound_cost,
            any_bound=level.lower_bound_cost,
            lower_bound_bits=level.lower_bound_bits,
        )

    @property
    def is_proven(self) -> bool:
        """Whether nothing of the shape and budget asked for costs less."""
        return self.lower_bound_cost is not None and self.cost <= self.lower_bound_cost * (1 + 1e-12)


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
