"""What an optimal search gives: the best partition known at each utility level, and a bound.

A level is a worst cluster cost that is allowed. Its lower bound holds for every
partition whose worst cluster costs no more than that, whoever made it; where the
partition found leaks no more than the bound, nothing can be better.

Partitions that a search starts from, as many as there is time to measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from hartley.model import Partition
from hartley.model.words import ROUNDING
from hartley.search.effort import Effort


@dataclass(frozen=True, kw_only=True)
class Level:
    """The best partition known whose worst cluster costs no more than ``cost``."""

    cost: float
    """The worst cluster cost allowed: values in the largest cluster (resolution), or distortion."""
    leakage_bits: float
    """What the partition leaks, as the measures give it."""
    lower_bound_bits: float
    """No partition of this utility or better leaks less."""
    certificate: object = field(default=None, repr=False, compare=False)
    """Why the bound holds, for a checker that shares no code with the search; ``None`` for a bound that
    follows from the definitions alone."""
    cut: Callable[[], Partition] = field(repr=False, compare=False)
    """Builds the partition when it is asked for."""

    @property
    def partition(self) -> Partition:
        """The partition itself."""
        return self.cut()

    @property
    def proven_optimal(self) -> bool:
        """Whether partition and bound meet: nothing of this utility leaks less."""
        return self.leakage_bits <= self.lower_bound_bits + ROUNDING


@dataclass(frozen=True, kw_only=True)
class Levels:
    """Levels from the least cost to the greatest."""

    levels: tuple[Level, ...]
    complete: bool
    """Whether every level that matters is there and was searched to the end."""


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
