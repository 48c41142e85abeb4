r"""Least distortion among partitions into intervals, by dynamic programming; and what few clusters must cost.

At a distortion of D a prefix of the line can be cut into allowed intervals exactly
when its last interval starts after a prefix that can, no earlier than the reach of D and no
later than where enough sensitive values remain. Both limits only move forward, so one
pass decides.

Intervals are not always best: with sensitive values A, A, B, B at 1, 2, 3, 4 and two candidates wanted,
{1, 3}, {2, 4} span 2, intervals 3. They are never worse than twice the optimum (midpoint): drop
nested clusters, take disjoint spans by earliest end; every value left over lies within one span of the
last one taken. No polynomial method can promise less, unless P = NP.

Few clusters must be wide, for they are windows that cover the line. And there cannot be many: q clusters
that hold ``distinct_l`` sensitive values each need
:math:`\sum_s \min(f_s, q) \ge q \cdot distinct\_l`, where :math:`f_s` counts the public values that
occur with s: a sensitive value is in no more clusters than that. Merging clusters keeps the demand, so what q
clusters cannot do more cannot either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Int64s
from hartley.search.distortion.line import Line
from hartley.search.distortion.windows import Bracket, Windows, least_passing
from hartley.search.effort import UNLIMITED, Effort


@hot_loop
def last_starts(earliest: Int64s, latest: Int64s) -> Int64s:
    """Return the start of the last interval of each prefix; -1 where the prefix cannot be cut."""
    size = len(earliest)
    chosen = np.full(size, -1, dtype=np.int64)
    nearest = np.zeros(size + 1, dtype=np.int64)  # the longest prefix up to here that can be cut
    for end in range(size):
        if latest[end] >= 0:
            start = nearest[latest[end]]
            if start >= earliest[end]:
                chosen[end] = start
        nearest[end + 1] = end + 1 if chosen[end] >= 0 else nearest[end]
    return chosen


@hot_loop
def interval_starts(chosen: Int64s) -> Int64s:
    """Walk back from the end and give the first rank of every interval."""
    starts = np.empty(len(chosen), dtype=np.int64)
    count = 0
    end = len(chosen) - 1
    while end >= 0:
        starts[count] = chosen[end]
        end = chosen[end] - 1
        count += 1
    return starts[:count][::-1].copy()


@dataclass(frozen=True, eq=False)
class IntervalPlan:
    """Intervals by their first ranks, and what the worst of them costs."""

    cost: float
    starts: Int64s


def intervals_within(windows: Windows, latest: Int64s, cost: float) -> IntervalPlan | None:
    """Cut the line into intervals of at most this cost with enough sensitive values, or say it cannot be."""
    size = len(latest)
    chosen = last_starts.for_size(size * 20)(windows.within(cost), latest)
    if chosen[-1] < 0:
        return None
    return IntervalPlan(cost, interval_starts.for_size(size)(chosen))


def best_intervals(
    windows: Windows, latest: Int64s, bracket: Bracket, effort: Effort = UNLIMITED
) -> IntervalPlan:
    """Cut the line into intervals of the least cost; the bracket's high end must pass."""

    def passes(earliest: Int64s) -> bool:
        return bool(last_starts.for_size(len(latest) * 20)(earliest, latest)[-1] >= 0)

    least = least_passing(windows, passes, bracket, effort)
    plan = intervals_within(windows, latest, least.high)
    assert plan is not None, "the high end of the bracket must pass"  # noqa: S101
    return plan


@hot_loop
def windows_needed(earliest: Int64s) -> int:
    """Return how many windows within reach cover the line, going back from its end."""
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
    """Return the most clusters that can hold this many sensitive values each.

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
    """Return the least cost of as few windows over the line as enough sensitive values allow."""
    clusters = most_clusters(line, distinct_l)
    if clusters == 1:
        whole = line.cost_of(line.partition_of_starts(np.zeros(0, dtype=np.int64)))
        return CountBound(1, whole)
    windows = Windows.of(line)
    loop = windows_needed.for_size(line.size * 20)
    bracket = Bracket(min(known, windows.widest), windows.widest)
    least = least_passing(windows, lambda earliest: int(loop(earliest)) <= clusters, bracket, effort)
    return CountBound(clusters, least.low - line.rounding)
