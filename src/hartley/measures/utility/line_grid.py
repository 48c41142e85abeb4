"""Positions on a line as whole numbers, so that sums and costs of clusters are exact.

Means of numbers far from zero, or with decimals, are rounded at every addition, and two costs that are one
number come out as two. Counted from a near origin in a unit in which they are whole, they add up exactly:
one division by the number of members, and one by the unit, round, and both keep the order of the real costs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Floats, frozen_array

MOST_DECIMALS = 9
"""Positions with more decimals than this are taken as they are."""
EXACT_SUMS = 2.0**52
"""Whole numbers that stay below this when added are added exactly."""
SAMPLE = 64
"""Positions that are looked at before all are."""


@dataclass(frozen=True, eq=False)
class LineGrid:
    """Positions counted in ticks from an origin; a cost in ticks, divided by ``per_unit``, is the cost.

    >>> grid = LineGrid.of(np.array([0.1, 0.4, np.nan, 0.3]))
    >>> grid.ticks, grid.per_unit, grid.is_exact
    (array([-1.,  2., nan,  1.]), 10.0, True)
    """

    ticks: Floats
    """Where each value lies; NaN where it has no place."""
    per_unit: float
    is_exact: bool
    """Whether ticks are whole numbers, small enough for all of them to be added."""

    @classmethod
    def of(cls, positions: Floats) -> LineGrid:
        """Find the coarsest grid of decimals that holds all positions; without one, count from an origin."""
        here = positions[~np.isnan(positions)]
        if not len(here):
            return cls(frozen_array(positions.copy()), 1.0, True)
        for decimals in range(MOST_DECIMALS + 1):
            per_unit = 10.0**decimals
            if not _is_on_grid(here[:SAMPLE], per_unit):
                continue
            whole = np.rint(here * per_unit)
            origin = np.rint(whole.min() + (whole.max() - whole.min()) / 2)
            ticks = whole - origin
            farthest = float(np.abs(ticks).max())
            if not np.isfinite(farthest) or farthest * (len(here) + 1) >= EXACT_SUMS:
                break
            if _is_on_grid(here, per_unit) and bool((ticks + origin == whole).all()):
                return cls(_placed(positions, ticks), per_unit, True)
        middle = here.min() + (here.max() - here.min()) / 2
        return cls(_placed(positions, here - middle), 1.0, False)

    def in_units(self, cost: float) -> float:
        """Return what a cost in ticks is in units of the positions."""
        return cost / self.per_unit

    def ticks_within(self, cost: float) -> float:
        """Return the greatest cost in ticks that is no more than a cost in units."""
        ticks = cost * self.per_unit
        while ticks / self.per_unit > cost:
            ticks = float(np.nextafter(ticks, 0.0))
        while (further := float(np.nextafter(ticks, np.inf))) / self.per_unit <= cost and further > ticks:
            ticks = further
        return ticks


def _is_on_grid(positions: Floats, per_unit: float) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        return bool((np.rint(positions * per_unit) / per_unit == positions).all())


def _placed(positions: Floats, ticks: Floats) -> Floats:
    """Put ticks where positions are."""
    placed = np.full(len(positions), np.nan)
    placed[~np.isnan(positions)] = ticks + 0.0
    return frozen_array(placed)
