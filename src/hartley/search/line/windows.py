r"""Windows: stretches of neighbours on a line, what they cost, and which of them hold enough.

**Window bound** (Theorem L1). A cluster that holds the value x has its first and last member
somewhere; everything between them is a window that contains x, costs no more than
the cluster (midpoint: equal ends; member: more members to choose a codeword from; centroid: a radius of
D means a span of at most 2D) and holds no less. So at a cost of D every x needs a window of cost at most D
that is enough, and an x that has none proves that no partition, contiguous or not, reaches D.

Costs are monotone: a window inside another costs no more, also in floating point. Windows are ranks
``start..end``, both included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Int64s
from hartley.search.effort import UNLIMITED, Effort

WindowCost = Literal["midpoint", "member"]


@hot_loop
def earliest_starts(positions: Floats, cost: float, halved: bool) -> Int64s:
    """Return, for each end, the earliest start so that half the span, or the span, is within ``cost``."""
    size = len(positions)
    earliest = np.zeros(size, dtype=np.int64)
    start = 0
    for end in range(size):
        if halved:
            while (positions[end] - positions[start]) / 2 > cost:
                start += 1
        else:
            while positions[end] - positions[start] > cost:
                start += 1
        earliest[end] = start
    return earliest


@hot_loop
def window_cost(positions: Floats, start: int, end: int, halved: bool) -> Any:
    """Return the cost of a window: half its span, or the reach of its best member."""
    low = positions[start]
    high = positions[end]
    if halved:
        return (high - low) / 2
    first = start
    last = end
    while first < last:
        middle = (first + last) // 2
        if positions[middle] - low < high - positions[middle]:
            first = middle + 1
        else:
            last = middle
    best = max(positions[first] - low, high - positions[first])
    if first > start:
        best = min(best, max(positions[first - 1] - low, high - positions[first - 1]))
    return best


@hot_loop
def cost_below(positions: Floats, earliest: Int64s, halved: bool) -> float:
    """Return the greatest cost of a window that is within reach."""
    best = 0.0
    for end in range(len(positions)):
        best = max(best, window_cost(positions, earliest[end], end, halved))
    return best


@hot_loop
def cost_above(positions: Floats, earliest: Int64s, halved: bool) -> float:
    """Return the least cost of a window that is out of reach; infinite where all are within."""
    best = np.inf
    for end in range(len(positions)):
        if earliest[end] > 0:
            best = min(best, window_cost(positions, earliest[end] - 1, end, halved))
    return best


@hot_loop
def uncovered(earliest: Int64s, latest: Int64s) -> int:
    """Return a rank that no window within reach with enough values contains; -1 where there is none."""
    size = len(earliest)
    opened = np.zeros(size + 1, dtype=np.int64)
    for end in range(size):
        if latest[end] >= earliest[end]:
            opened[earliest[end]] += 1
            opened[end + 1] -= 1
    covering = 0
    for rank in range(size):
        covering += opened[rank]
        if covering == 0:
            return rank
    return -1


@dataclass(frozen=True, eq=False)
class Windows:
    """The windows of a line under one way of costing them.

    Midpoint and member windows cost what such a cluster costs; for the centroid, half the span
    is the least that any cluster between the same ends can cost.
    """

    positions: Floats
    cost: WindowCost

    @property
    def _halved(self) -> bool:
        return self.cost == "midpoint"

    def within(self, cost: float) -> Int64s:
        """Return the earliest start, for each end, of a window that costs no more than this."""
        size = len(self.positions)
        earliest = earliest_starts.for_size(size * 20)(self.positions, cost, self._halved)
        # A member serves both ends: the farthest codeword to the left, then what it reaches.
        return earliest if self._halved else earliest[earliest]

    def below(self, earliest: Int64s) -> float:
        """Return the greatest cost of a window within reach."""
        size = len(self.positions)
        return float(cost_below.for_size(size * 20)(self.positions, earliest, self._halved))

    def above(self, earliest: Int64s) -> float:
        """Return the least cost of a window out of reach."""
        size = len(self.positions)
        return float(cost_above.for_size(size * 20)(self.positions, earliest, self._halved))

    def next_cost(self, cost: float) -> float:
        """Return the least cost above this one that a cluster can have, whatever lies between its ends."""
        size = len(self.positions)
        # A member-coded cluster costs the distance of two values, and half of none.
        earliest = earliest_starts.for_size(size * 20)(self.positions, cost, self._halved)
        outside = np.flatnonzero(earliest > 0)
        if not len(outside):
            return float("inf")
        spans = self.positions[outside] - self.positions[earliest[outside] - 1]
        return float(spans.min()) / (2 if self._halved else 1)

    @property
    def widest(self) -> float:
        """The cost of the whole line."""
        return float(window_cost(self.positions, 0, len(self.positions) - 1, self._halved))


@dataclass(frozen=True)
class Bracket:
    """Where the least cost that passes a monotone test lies; both ends are costs of windows."""

    low: float
    """Nothing below passes."""
    high: float
    """This passes."""


def least_passing(
    windows: Windows, passes: Callable[[Int64s], bool], low: float, effort: Effort = UNLIMITED
) -> Bracket:
    """Return the least window cost from ``low`` on whose reach passes a monotone test; the widest must pass.

    Looks near ``low`` first, then twice as far each time: mostly the least cost is near; then between by
    halves. Only costs of windows are ever its ends, so the result is exact: bisection jumps to the next cost
    that occurs. Stops early, with a valid bracket, when told to.
    """
    trial = low = min(low, windows.widest)
    high, step = windows.widest, 0.0
    while low < high and not effort.should_stop():
        earliest = windows.within(trial)
        if passes(earliest):
            high = windows.below(earliest)
            break
        low = min(windows.above(earliest), windows.widest)
        step = max(2 * step, low - trial, low / 64)
        trial = min(low if step == low - trial else low + step, windows.widest)
    while low < high and not effort.should_stop():
        middle = low + (high - low) / 2
        earliest = windows.within(middle if middle < high else low)
        if passes(earliest):
            high = windows.below(earliest)
        else:
            low = windows.above(earliest)
    return Bracket(min(low, high), high)
