"""Costs on a line below which no partition, of any shape, is enough everywhere; all in ticks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Places
from hartley.search.answer import NOTHING
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.windows import Windows, least_passing, uncovered
from hartley.search.sizes.cluster_count import most_clusters

STEPS = 20
"""Elementary steps of a pass, for each value."""


@hot_loop
def windows_needed(earliest: Places) -> int:
    """Return how many windows within reach cover the line, going back from its end."""
    count = 0
    end = len(earliest) - 1
    while end >= 0:
        count += 1
        end = earliest[end] - 1
    return count


@dataclass(frozen=True)
class WindowBound:
    """No cluster that holds ``rank`` and is enough costs less than ``cost``; -1: no such rank was met."""

    cost: float
    rank: int


def window_bound(
    windows: Windows, latest: Places, known: float = 0.0, effort: Effort = UNLIMITED
) -> WindowBound:
    """Return the greatest cost below which some value has no window that is enough.

    Every value has one at the cost of the whole line. Stopped early, it returns a lower bound.
    """
    witness = -1
    loop = uncovered.for_size(len(latest) * STEPS)

    def passes(earliest: Places) -> bool:
        nonlocal witness
        rank = int(loop(earliest, latest))
        witness = rank if rank >= 0 else witness
        return rank < 0

    return WindowBound(least_passing(windows, passes, known, effort).low, witness)


def counting_bound(
    values: OrderedValues, clusters: int, known: float = 0.0, effort: Effort = UNLIMITED
) -> float:
    """Return the least cost of so few windows over the line."""
    if clusters <= 1:
        return values.ticks_of(values.partition_of_starts(NOTHING))
    loop = windows_needed.for_size(values.size * STEPS)
    return least_passing(values.windows, lambda earliest: int(loop(earliest)) <= clusters, known, effort).low


def line_bound(values: OrderedValues, effort: Effort = UNLIMITED, known: float = 0.0) -> float:
    """Return a cost below which no partition is enough everywhere; ``known`` is one that holds already.

    Every value needs a window that is cheap enough and holds enough; and no more than so many clusters can
    hold enough at all, so that few windows must cover the line.
    """
    if not values.size:
        return known
    most = most_clusters(values.enough)
    if values.cost_name == "size":
        # Clusters of few values may lie far apart, so windows say nothing.
        return max(known, values.ticks_within(float(np.ceil(values.size / max(most, 1)))))
    bound = known
    if most > 1:
        bound = window_bound(values.windows, values.latest, known, effort).cost
    if most < values.size:
        bound = max(bound, counting_bound(values, most, bound, effort))
    return max(known, bound - values.rounding)
