r"""What is known about the least distortion for one number of candidates, and how it is found on windows.

For midpoint and member: the window bound from below, intervals by dynamic programming from above, and where
they do not meet, the sweep over chains between them.

At a distortion of D a prefix of the line can be cut into allowed intervals exactly when its last interval
starts after a prefix that can, no earlier than the reach of D and no later than where enough sensitive values
remain. Both limits only move forward, so one pass decides.

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

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model import Partition
from hartley.model.arrays import Int64s, Ints
from hartley.search.distortion.line import Line
from hartley.search.distortion.two_open_clusters import chain_within
from hartley.search.distortion.windows import (
    Bracket,
    WindowBound,
    Windows,
    latest_starts,
    least_passing,
    window_bound,
)
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import is_reached
from hartley.search.proofs import (
    CountCertificate,
    DistortionCertificate,
    SweepCertificate,
    WindowCertificate,
)


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


LONGEST_SWEEP = 400
"""Lines up to this many values are swept where bound and intervals do not meet."""
NARROW_STATES = 250
MOST_STATES = 2500
"""States that a narrow and a wide sweep keep at a time; more proves more and takes longer."""
WIDE_SWEEPS = 2
"""Wide sweeps for one number of candidates, at most."""


@dataclass(frozen=True, kw_only=True)
class LeastDistortion:
    """The least distortion that leaves ``distinct_l`` candidates everywhere, as far as it is known.

    Searches reckon in ticks of the line; :meth:`in_units` is for whoever asked.
    """

    distinct_l: int
    cost: float
    """What the worst cluster of the partition found costs."""
    lower_bound: float
    """No partition that leaves this many candidates costs less."""
    certificate: DistortionCertificate | None = field(default=None, repr=False, compare=False)
    """Why the bound holds; ``None`` for a bound of 0."""
    cut: Callable[[], Partition] = field(repr=False, compare=False)
    """Builds the partition when it is asked for."""

    @property
    def partition(self) -> Partition:
        """The partition itself."""
        return self.cut()

    @property
    def proven_optimal(self) -> bool:
        """Whether partition and bound meet."""
        return is_reached(self.cost, self.lower_bound)

    def in_units(self, line: Line) -> LeastDistortion:
        """Return the same with costs as the utility gives them."""
        return replace(self, cost=line.in_units(self.cost), lower_bound=line.in_units(self.lower_bound))

    def with_partition(self, cost: float, cut: Callable[[], Partition]) -> LeastDistortion:
        """Return the same knowledge with a partition that costs less."""
        return replace(self, cost=cost, cut=cut)

    def with_bound(self, cost: float, certificate: DistortionCertificate) -> LeastDistortion:
        """Return the same knowledge with a higher bound; a bound that says less is left out."""
        if cost <= self.lower_bound:
            return self
        return replace(self, lower_bound=min(cost, self.cost), certificate=certificate)


def cut_of_starts(line: Line, starts: Int64s) -> Callable[[], Partition]:
    """Keep intervals by their starts, and build the partition when it is asked for."""
    kept = starts.astype(np.int32)
    return lambda: line.partition_of_starts(kept)


def cut_of_ranks(line: Line, cluster_of: Ints) -> Callable[[], Partition]:
    """Keep the cluster of each rank, and build the partition when it is asked for."""
    kept = cluster_of.astype(np.int32)
    return lambda: line.partition_of_ranks(kept)


def latest_of(line: Line, distinct_l: int) -> Int64s:
    """Return, for each last rank, the latest start of a window with this many sensitive values."""
    loop = latest_starts.for_size(len(line.indices))
    return loop(line.indptr, line.indices, line.sensitive_size, distinct_l)


def window_bounded(
    line: Line, latest: Int64s, known: LeastDistortion, passing: float, effort: Effort
) -> LeastDistortion:
    """Raise the bound of what is known by the window bound."""
    bound = window_bound(Windows.of(line), latest, WindowBound(known.lower_bound, -1), passing, effort)
    if bound.rank < 0:
        return known
    lowered = bound.cost - line.rounding
    return known.with_bound(
        lowered, WindowCertificate(int(line.order[bound.rank]), known.distinct_l, line.in_units(lowered))
    )


def count_bounded(line: Line, known: LeastDistortion, effort: Effort) -> LeastDistortion:
    """Raise the bound of what is known by the number of clusters there can be."""
    bound = count_bound(line, known.distinct_l, known.lower_bound, effort)
    certificate = CountCertificate(known.distinct_l, bound.clusters, line.in_units(bound.cost))
    return known.with_bound(bound.cost, certificate)


def by_intervals(line: Line, known: LeastDistortion, effort: Effort) -> LeastDistortion:
    """Bound the least distortion for midpoint or member by windows, and cut the line into intervals."""
    windows = Windows.of(line)
    latest = latest_of(line, known.distinct_l)
    known = window_bounded(line, latest, known, windows.widest, effort)
    known = count_bounded(line, known, effort)
    if known.proven_optimal or effort.should_stop():
        return known
    plan = intervals_within(windows, latest, known.lower_bound)
    if plan is None and intervals_within(windows, latest, known.cost) is not None:
        plan = best_intervals(windows, latest, Bracket(known.lower_bound, known.cost), effort)
    if plan is not None and plan.cost < known.cost:
        known = known.with_partition(plan.cost, cut_of_starts(line, plan.starts))
    return known


def by_sweeps(line: Line, known: LeastDistortion, effort: Effort) -> LeastDistortion:
    """Bisect between bound and partition with narrow sweeps; then ask wide ones just below the partition."""
    if line.size > LONGEST_SWEEP:
        return known
    windows = Windows.of(line)
    low = known.lower_bound
    middle = low
    while low < known.cost and not effort.should_stop():
        known, found = _swept(line, windows, known, middle, NARROW_STATES, effort)
        if not found:
            # Not settled where the sweep was cut: a partition may still be found above, the bound stays.
            low = windows.next_cost(middle)
        middle = min(low + (known.cost - low) / 2, float(np.nextafter(known.cost, 0)))
    for _ in range(WIDE_SWEEPS):
        if known.proven_optimal or effort.should_stop():
            break
        known, found = _swept(line, windows, known, float(np.nextafter(known.cost, 0)), MOST_STATES, effort)
        if not found:
            break
    return known


def _swept(
    line: Line, windows: Windows, known: LeastDistortion, cost: float, most_states: int, effort: Effort
) -> tuple[LeastDistortion, bool]:
    """Ask one sweep about a cost; give what is known then, and whether it found a partition."""
    answer = chain_within(line, windows, known.distinct_l, cost, most_states, effort)
    if answer.cluster_of is not None:
        cut = cut_of_ranks(line, answer.cluster_of)
        return known.with_partition(line.cost_of(cut()), cut), True
    if answer.exhausted:
        bound = windows.next_cost(cost)
        known = known.with_bound(bound, SweepCertificate(known.distinct_l, line.in_units(bound)))
    return known, False
