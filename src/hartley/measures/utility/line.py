"""Distortion on one line: how far a released value may lie from the true one.

Means of numbers far from zero, or with decimals, are rounded at every addition, and two costs that are one
number come out as two. Counted from a near origin in a unit in which they are whole, they add up exactly:
one division by the number of members, and one by the unit, round, and both keep the order of the real costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import ClassVar, Literal

import numpy as np

from hartley.errors import InputError, OptionError, option
from hartley.measures.utility.union_costs import LineUnions
from hartley.model import Alphabet, Coordinate, Partition
from hartley.model.arrays import Floats, equal_arrays, frozen_array
from hartley.model.words import CODEWORDS, Codeword

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


def require_summable(positions: Floats) -> None:
    """Refuse positions whose sums or differences a floating-point number cannot hold."""
    farthest = float(np.abs(positions).max(initial=0.0, where=~np.isnan(positions)))
    if 2 * farthest * len(positions) == inf:
        raise InputError(
            "distortion needs finite positions, small enough to be added; use "
            f"{option('utility', 'resolution')}"
        )


def require_distances(column: Coordinate) -> None:
    """Refuse numbers whose distances a floating-point number cannot hold."""
    if column.is_blurred:
        raise InputError(
            f"column {column.name!r} holds numbers too close to each other for their size: "
            f"their distances get lost; use {option('utility', 'resolution')}"
        )


def costs_in_ticks(ticks: Floats, codeword: Codeword, partition: Partition) -> Floats:
    """Return the distance from the codeword to the farthest member, in the unit of the ticks."""
    order = np.argsort(partition.labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(partition.sizes)[:-1]))
    placed = ticks[order]
    low = np.minimum.reduceat(placed, starts)
    high = np.maximum.reduceat(placed, starts)
    if codeword == "midpoint":
        costs = (high - low) / 2
    elif codeword == "centroid":
        total = np.add.reduceat(placed, starts)
        count = partition.sizes
        costs = np.maximum(count * high - total, total - count * low) / count
    else:
        farther = np.maximum(
            placed - np.repeat(low, partition.sizes), np.repeat(high, partition.sizes) - placed
        )
        costs = np.minimum.reduceat(farther, starts)
    costs[(partition.sizes > 1) & np.isnan(costs)] = np.inf
    costs[partition.sizes == 1] = 0.0
    return costs


class Distortion:
    """What utilities have in common that fall as far as the worst cluster costs."""

    name: ClassVar[Literal["distortion"]] = "distortion"

    def of_cost(self, worst: float) -> float:
        """Return minus the cost, so that more is better."""
        return 0.0 - worst  # never minus zero


@dataclass(frozen=True, eq=False)
class LineDistortion(Distortion):
    r"""How far a released value may lie from the true one, :math:`U_2 = -\max d(x, \hat x)`, on one line.

    The cost of a cluster is the distance from its codeword to its farthest member, reckoned exactly where
    positions are whole numbers or decimals (:mod:`~hartley.measures.utility.line`). A
    public value without a position stays alone: any cluster of it and others is infinitely
    costly. Most callers build one with :meth:`of`.

    Parameters
    ----------
    positions : numpy.ndarray
        Where each public value lies; NaN where it has no place.
    codeword : {"midpoint", "centroid", "member"}
        What stands for a cluster: the middle of its range, the mean of its values, or the best of them.

    Raises
    ------
    InputError
        If the positions are too large to be added.
    OptionError
        If there is no such codeword.

    Examples
    --------
    >>> import hartley, numpy
    >>> everything = hartley.Partition.whole(3)
    >>> hartley.LineDistortion(numpy.array([0.0, 9.0, 10.0]), "centroid").costs(everything)
    array([6.33333333])
    >>> hartley.LineDistortion(numpy.array([0.0, 9.0, 10.0]), "midpoint").costs(everything)
    array([5.])
    """

    positions: Floats
    codeword: Codeword = "midpoint"

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", frozen_array(np.asarray(self.positions, dtype=float) + 0.0))
        if self.codeword not in CODEWORDS:
            raise OptionError.unknown("codeword", self.codeword, CODEWORDS)
        require_summable(self.positions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LineDistortion):
            return NotImplemented
        return self.codeword == other.codeword and equal_arrays(self.positions, other.positions)

    def __hash__(self) -> int:
        return hash((self.codeword, self.positions.tobytes()))

    @classmethod
    def of(cls, public: Alphabet, codeword: Codeword = "midpoint") -> LineDistortion:
        """Build for an alphabet on a line; refuse one that has none."""
        if public.positions is None:
            raise InputError(
                f"distortion needs positions, and {', '.join(map(repr, public.columns))} has none; "
                f"use {option('utility', 'resolution')}, or give a dissimilarity"
            )
        if public.given_positions is None:
            require_distances(public.coordinates[0])
        return cls(public.positions, codeword)

    @property
    def size(self) -> int:
        """How many public values it is about."""
        return len(self.positions)

    @cached_property
    def grid(self) -> LineGrid:
        """The positions in whole numbers, where there is a unit for that."""
        return LineGrid.of(self.positions)

    def costs(self, partition: Partition) -> Floats:
        """Return the distance from the codeword to the farthest member, for every cluster."""
        return costs_in_ticks(self.grid.ticks, self.codeword, partition) / self.grid.per_unit

    def union_costs(self) -> LineUnions:
        """Return the distortions of all unions of two values."""
        return LineUnions(self.grid.ticks, self.codeword, self.grid.per_unit)
