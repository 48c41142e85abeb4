r"""How many clusters there can be at all, and what so few must cost.

q clusters that hold ``distinct_l`` sensitive values each need
:math:`\sum_s \min(f_s, q) \ge q \cdot distinct\_l`, where :math:`f_s` counts the public values that
occur with s: a sensitive value is in no more clusters than that. Merging clusters keeps the demand, so what q
clusters cannot do more cannot either. And few clusters must be wide: they are windows that cover the line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.optimal.line import Line, Places
from hartley.search.optimal.windows import Bracket, Windows, least_passing


@hot_loop
def windows_needed(earliest: Places) -> int:
    """Give how many windows within reach cover the line, going back from its end."""
    count = 0
    end = len(earliest) - 1
    while end >= 0:
        count += 1
        end = earliest[end] - 1
    return count


@dataclass(frozen=True)
class CountBound:
    """No more than so many clusters can hold enough sensitive values, and so few cost at least ``cost``."""

    clusters: int
    cost: float


def most_clusters(line: Line, distinct_l: int) -> int:
    """Give the most clusters that can hold this many sensitive values each.

    >>> from hartley.model import JointRange
    >>> from hartley.measures.utility import LineDistortion
    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B"), (5, "C")])
    >>> line = Line.of(joint, LineDistortion.of(joint.public))
    >>> most_clusters(line, 2), most_clusters(line, 3)
    (2, 1)
    """
    seen = np.bincount(line.indices, minlength=line.sensitive_size)
    low, high = 1, line.size
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(seen, middle).sum()) >= middle * distinct_l:
            low = middle
        else:
            high = middle - 1
    return low


def count_bound(line: Line, distinct_l: int, known: float, effort: Effort = UNLIMITED) -> CountBound:
    """Give the least cost of as few windows over the line as enough sensitive values allow."""
    clusters = most_clusters(line, distinct_l)
    if clusters == 1:
        whole = line.cost_of(line.partition_of_starts(np.zeros(0, dtype=np.int64)))
        return CountBound(1, whole)
    windows = Windows.of(line)
    loop = windows_needed.for_size(line.size * 20)
    bracket = Bracket(min(known, windows.widest), windows.widest)
    least = least_passing(windows, lambda earliest: int(loop(earliest)) <= clusters, bracket, effort)
    return CountBound(clusters, least.low - line.rounding)
