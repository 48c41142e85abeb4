r"""Least distortion among partitions into intervals, by dynamic programming.

At a distortion of D a prefix of the line can be cut into allowed intervals exactly
when its last interval starts after a prefix that can, no earlier than the reach of D and no
later than where enough sensitive values remain. Both limits only move forward, so one
pass decides.

Intervals are not always best: with sensitive values A, A, B, B at 1, 2, 3, 4 and two candidates wanted,
{1, 3}, {2, 4} span 2, intervals 3. They are never worse than twice the optimum (midpoint): drop
nested clusters, take disjoint spans by earliest end; every value left over lies within one span of the
last one taken. No polynomial method can promise less, unless P = NP. (part d)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.optimal.line import Places
from hartley.search.optimal.windows import Bracket, Windows, least_passing


@hot_loop
def last_starts(earliest: Places, latest: Places) -> Places:
    """Give the start of the last interval of each prefix; -1 where the prefix cannot be cut."""
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
def interval_starts(chosen: Places) -> Places:
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
    starts: Places


def intervals_within(windows: Windows, latest: Places, cost: float) -> IntervalPlan | None:
    """Cut the line into intervals of at most this cost with enough sensitive values, or say it cannot be."""
    size = len(latest)
    chosen = last_starts.for_size(size * 20)(windows.within(cost), latest)
    if chosen[-1] < 0:
        return None
    return IntervalPlan(cost, interval_starts.for_size(size)(chosen))


def best_intervals(
    windows: Windows, latest: Places, bracket: Bracket, effort: Effort = UNLIMITED
) -> IntervalPlan:
    """Cut the line into intervals of the least cost; the bracket's high end must pass."""

    def passes(earliest: Places) -> bool:
        return bool(last_starts.for_size(len(latest) * 20)(earliest, latest)[-1] >= 0)

    least = least_passing(windows, passes, bracket, effort)
    plan = intervals_within(windows, latest, least.high)
    assert plan is not None, "the high end of the bracket must pass"  # noqa: S101
    return plan
