"""Partitions that a search starts from, as many as there is time to measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hartley.model import Partition
from hartley.search.effort import Effort

MEASURED_AT_ONCE = 1_000_000
"""Values times partitions that are measured in any case; it takes a fraction of a second."""


def in_time(
    starts: Iterable[Partition], effort: Effort, at_once: int = MEASURED_AT_ONCE
) -> Iterator[Partition]:
    """Give the partitions one by one; when the effort is over, no more than can be measured at once.

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
