"""Intervals under the centroid: their radius is not monotone, so every interval within reach is looked at.

Intervals are not always best here, and the bound is that of the midpoint, which never costs more.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.search.line.borders import Borders
from hartley.search.line.loops import NEVER, centroid_choices, clusters_of_choices, least_radius
from hartley.search.line.ordered_values import OrderedValues

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def prefix_sums(values: OrderedValues) -> Floats:
    """Return the sums of the positions of each number of first ranks."""
    return np.concatenate(([0.0], np.cumsum(values.positions)))


def steps_within(values: OrderedValues, cost: float) -> int:
    """Return how many intervals must be looked at for a cost."""
    earliest = values.windows.within(cost)
    return int(np.maximum(values.latest - earliest + 1, 0).sum()) + values.size


def centroid_intervals_within(values: OrderedValues, borders: Borders, cost: float, rows: Places) -> Places:
    """Return the rows withheld, ``NEVER`` where there is no way, and then the interval of each rank.

    Intervals are counted from the end; -1 is for values that are withheld. A value with ``NEVER`` rows is
    kept.
    """
    loop = centroid_choices.for_size(steps_within(values, cost) * 4)
    choice = loop(
        values.positions,
        prefix_sums(values),
        values.latest,
        borders.allowed,
        rows,
        borders.low,
        borders.high,
        cost,
    )
    withheld = int(choice[0, 1])
    if withheld >= NEVER:
        return np.array([NEVER])
    return np.concatenate(([withheld], clusters_of_choices.for_size(values.size)(choice)))


def least_centroid_cost(values: OrderedValues, borders: Borders) -> float:
    """Return the least worst radius of intervals that are enough."""
    sums = prefix_sums(values)
    steps = steps_within(values, values.windows.widest)
    loop = least_radius.for_size(min(steps, 20 * values.size) * 4)
    return float(loop(values.positions, sums, values.latest, borders.allowed))
