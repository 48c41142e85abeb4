r"""What merging two clusters would cost, kept up to date while clusters are merged.

A greedy search asks over and over for the cost of a cluster's union with each of the
others. A :class:`UnionCosts` starts from single values and follows the merges; every
cluster is known by its place, the place of its first member.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hartley.model.arrays import Flags, Floats
from hartley.model.words import Codeword


class UnionCosts(Protocol):
    """The costs of all unions of two clusters, from single values on."""

    def with_each(self, place: int) -> Floats:
        """Return the cost of the union with the cluster at every place.

        Infinite at the place itself, where no cluster stands, and where the union is not allowed.
        """

    def merge(self, kept: int, joined: int) -> None:
        """Merge the cluster at ``joined`` into the one at ``kept``."""


class SizeUnions:
    """The number of values of every union.

    >>> SizeUnions(3).with_each(0)
    array([inf,  2.,  2.])
    """

    def __init__(self, size: int) -> None:
        self._sizes = np.ones(size)

    def with_each(self, place: int) -> Floats:
        """Return the sum of the sizes."""
        costs: Floats = self._sizes + self._sizes[place]
        costs[place] = np.inf
        return costs

    def merge(self, kept: int, joined: int) -> None:
        """Add the sizes; no cluster stands at ``joined`` any more."""
        self._sizes[kept] += self._sizes[joined]
        self._sizes[joined] = np.inf


class Members:
    """Which values are in the cluster at each place; a value that may not be merged is in none."""

    def __init__(self, allowed: Flags) -> None:
        self.cluster = np.where(allowed, np.arange(len(allowed)), -1)
        """The place of each value's cluster, or -1."""
        self._of: list[list[int]] = [[place] if ok else [] for place, ok in enumerate(allowed.tolist())]
        self.standing = allowed.copy()
        """Where a cluster stands that may be merged."""

    def of(self, place: int) -> list[int]:
        """Return the values of a cluster."""
        return self._of[place]

    def merge(self, kept: int, joined: int) -> None:
        """Move the values of one cluster to another."""
        self.cluster[self._of[joined]] = kept
        self._of[kept] += self._of[joined]
        self._of[joined] = []
        self.standing[joined] = False

    def with_each(self, place: int) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
        """Go through the members of the cluster's union with every other, as arrays (values, unions)."""
        partners = np.flatnonzero(self.partners(place))
        for own in self._of[place]:
            yield np.full(len(partners), own), partners
        others = np.flatnonzero((self.cluster >= 0) & (self.cluster != place))
        yield others, self.cluster[others]

    def partners(self, place: int) -> Flags:
        """Tell where a cluster stands that the one at this place may be merged with."""
        if not self.standing[place]:
            return np.zeros(len(self.standing), dtype=bool)
        partners = self.standing.copy()
        partners[place] = False
        return partners


class LineUnions:
    """The distortion of every union on one line.

    The sum of a union's positions is the sum of its two parts' sums, so that it does not depend on
    anything but the merges.

    >>> LineUnions(np.array([0.0, 9.0, 10.0]), "centroid").with_each(0)
    array([inf, 4.5, 5. ])
    """

    def __init__(self, positions: Floats, codeword: Codeword, per_unit: float = 1.0) -> None:
        self.members = Members(~np.isnan(positions))
        self._positions = positions
        self._codeword = codeword
        self._per_unit = per_unit
        self._low, self._high, self._total = positions.copy(), positions.copy(), positions.copy()
        self._count = np.ones(len(positions))

    def with_each(self, place: int) -> Floats:
        """Return the distance from each union's codeword to its farthest member."""
        if not self.members.standing[place]:
            return np.full(len(self._low), np.inf)
        low, high = self.span(place)
        if self._codeword == "midpoint":
            costs = (high - low) / 2
        elif self._codeword == "centroid":
            count, total = self._count + self._count[place], self._total + self._total[place]
            costs = np.maximum(count * high - total, total - count * low) / count
        else:
            costs = self._best_member(place, low, high)
        costs = costs / self._per_unit
        costs[~self.members.partners(place)] = np.inf
        return costs

    def span(self, place: int) -> tuple[Floats, Floats]:
        """Return the lowest and the highest position of each union."""
        return np.minimum(self._low, self._low[place]), np.maximum(self._high, self._high[place])

    def merge(self, kept: int, joined: int) -> None:
        """Join two clusters."""
        self._low[kept] = min(self._low[kept], self._low[joined])
        self._high[kept] = max(self._high[kept], self._high[joined])
        self._total[kept] += self._total[joined]
        self._count[kept] += self._count[joined]
        self.members.merge(kept, joined)

    def _best_member(self, place: int, low: Floats, high: Floats) -> Floats:
        cluster = self.members.cluster
        values = np.flatnonzero(cluster >= 0)
        at = cluster[values]
        farther = np.maximum(self._positions[values] - low[at], high[at] - self._positions[values])
        costs = np.full(len(cluster), np.inf)
        np.minimum.at(costs, at, farther)
        for own in self._positions[self.members.of(place)].tolist():
            np.minimum(costs, np.maximum(own - low, high - own), out=costs)
        return costs
