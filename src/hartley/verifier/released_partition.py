"""The partition that a codebook makes of the public values that occur: sizes, distances, costs."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.releases.policy import Policy
from hartley.verifier.policy_labels import ValuesFound
from hartley.verifier.proofs.problem import Ticks
from hartley.verifier.tables.plain_keys import PlainKeys
from hartley.verifier.tables.reread import as_kind, position
from hartley.verifier.tables.row_numbers import Int64s, Ints, Numbered

_WIDEST = 1 << 62
Whole = npt.NDArray[Any]
"""Whole numbers in 64 bits, or Python's."""
_ON_A_LINE = ("number", "date", "timestamp", "boolean")


class ReleasedPartition:
    """The public values that occur, and the cluster of each."""

    def __init__(self, policy: Policy, found: ValuesFound) -> None:
        self.policy = policy
        self._cells = found.cells
        self._cluster = found.cluster
        self._sizes = np.bincount(found.cluster, minlength=len(policy.clusters))

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int((self._sizes > 0).sum())

    @property
    def largest(self) -> int:
        """How many values the largest cluster has; what is withheld does not count."""
        sizes = self._sizes.copy()
        if self.policy.withheld is not None:
            sizes[self.policy.withheld] = 0
        return int(sizes.max(initial=0))

    def spread(self, place: int) -> tuple[float | None, float | None]:
        """Return how far the cells of a column lie from their label, and from each other within a cluster."""
        column = self.policy.public[place]
        if column.kind in ("text", "boolean"):
            return None, None
        farthest: float | None = 0.0 if column.released_kind == column.kind else None
        widest = 0.0
        for cluster, low, high in self._ends(place):
            if cluster == self.policy.withheld:
                continue
            widest = max(widest, _distance(low, high))
            if farthest is None:
                continue
            label = as_kind(self.policy.clusters[cluster].label[place], column.released_kind)
            reach = None if label is None else max(_distance(low, label), _distance(label, high))
            farthest = None if reach is None else max(farthest, reach)
        return farthest, widest

    def _ends(self, place: int) -> Iterator[tuple[int, Any, Any]]:
        """Return the least and the greatest cell of each cluster in a column."""
        column = self._cells[place]
        if isinstance(column.keys, PlainKeys) and column.keys.are_on_a_line:
            present = ~column.keys.is_missing[column.codes]
            groups = _Groups.of(column.keys.ticks[column.codes][present], self._cluster[present])
            low, high = column.keys.at(groups.low), column.keys.at(groups.high)
            yield from zip(groups.cluster.tolist(), low, high, strict=True)
            return
        members: dict[int, list[Any]] = defaultdict(list)
        for code, cluster in zip(column.codes.tolist(), self._cluster.tolist(), strict=True):
            if column.keys[code] is not None:
                members[cluster].append(column.keys[code])
        # Moments with and without nanoseconds have no order of their own.
        order = position if any(isinstance(cell, tuple) for cell in column.keys) else None
        for cluster, cells in members.items():
            yield cluster, min(cells, key=order), max(cells, key=order)

    def moved(self) -> float | None:
        """Return how far a value of a single column may lie from its label, or from the middle of it."""
        if len(self.policy.public) != 1:
            return None
        farthest, widest = self.spread(0)
        if farthest is not None:
            return farthest
        return None if widest is None else widest / 2

    def ticks(self, cells: Numbered) -> Ticks:
        """Return where values of the one public column lie on a line, exactly."""
        keys = cells.keys
        if isinstance(keys, PlainKeys) and keys.are_on_a_line:
            is_missing = keys.is_missing[cells.codes]
            if self.policy.choices.missing_at is None or not is_missing.any():
                return Ticks(keys.ticks[cells.codes], ~is_missing, keys.per_unit)
        return Ticks.of([self._position(keys[code]) for code in cells.codes.tolist()])

    @property
    def is_on_a_line(self) -> bool:
        """Whether the public columns have a line."""
        return len(self.policy.public) == 1 and self.policy.public[0].kind in _ON_A_LINE

    def _position(self, cell: Hashable) -> Fraction | Decimal | None:
        """Return where a cell lies; numbers as they are, which is faster."""
        if cell is None:
            given = self.policy.choices.missing_at
            return None if given is None else Decimal(repr(given))
        return cell if isinstance(cell, Decimal) else position(cell)

    def line_cost(self, codeword: str) -> Fraction | None:
        """Return the worst distance of a value from the codeword of its cluster; nothing off the line."""
        if not self.is_on_a_line:
            return None
        ticks = self.ticks(self._cells[0])
        kept = np.ones(len(self._cluster), dtype=bool)
        if self.policy.withheld is not None:
            kept = self._cluster != self.policy.withheld
        # A value without a place can only be alone.
        if (kept & ~ticks.has_place & (self._sizes[self._cluster] > 1)).any():
            return None
        kept &= ticks.has_place
        groups = _Groups.of(ticks.whole[kept], self._cluster[kept])
        return groups.exact().cost(codeword) / ticks.per_unit


@dataclass(frozen=True, eq=False)
class _Groups:
    """Whole ticks by their clusters, in 64 bits or as Python's whole numbers."""

    ticks: Whole
    """Those of one cluster after those of another."""
    starts: Int64s
    cluster: Ints
    low: Whole
    high: Whole

    @classmethod
    def of(cls, ticks: Whole, cluster: Ints) -> _Groups:
        order = np.argsort(cluster, kind="stable")
        ticks, cluster = ticks[order], cluster[order]
        starts = np.flatnonzero(np.diff(cluster, prepend=-1))
        if not len(starts):
            return cls(ticks, starts, starts, starts, starts)
        low, high = np.minimum.reduceat(ticks, starts), np.maximum.reduceat(ticks, starts)
        return cls(ticks, starts, cluster[starts], low, high)

    def exact(self) -> _Groups:
        """Return the same in Python's whole numbers where a distance or a sum of them leaves 64 bits."""
        if self.ticks.dtype == object or not len(self.starts):
            return self
        is_near = int(self.high.max()) - int(self.low.min()) < _WIDEST
        if is_near and (self.sizes * (self.high - self.low).astype(np.float64)).max() < _WIDEST // 2:
            return self
        ticks, low, high = (one.astype(object) for one in (self.ticks, self.low, self.high))
        return _Groups(ticks, self.starts, self.cluster, low, high)

    @property
    def sizes(self) -> Int64s:
        """How many ticks each cluster has."""
        return np.diff(self.starts, append=len(self.ticks))

    def cost(self, codeword: str) -> Fraction:
        """Return the worst distance from a cluster's codeword to its farthest member, in ticks."""
        if not len(self.starts):
            return Fraction(0)
        if codeword == "midpoint":
            return Fraction(int((self.high - self.low).max()), 2)
        sizes, width = self.sizes, self.high - self.low
        from_low = self.ticks - np.repeat(self.low, sizes)
        if codeword == "member":
            reach = np.maximum(from_low, np.repeat(width, sizes) - from_low)
            return Fraction(int(np.minimum.reduceat(reach, self.starts).max()))
        totals = np.add.reduceat(from_low, self.starts)
        reach = np.maximum(totals, sizes * width - totals)
        if reach.dtype == object:  # too large for floats, perhaps
            return max(map(Fraction, reach.tolist(), sizes.tolist()))
        # Floats find the clusters that may be the worst, and whole numbers the one that is.
        nearly = (reach / sizes).astype(np.float64)
        worst = np.flatnonzero(nearly >= nearly.max() * (1 - 1e-12))
        return max(Fraction(int(reach[place]), int(sizes[place])) for place in worst.tolist())


def _distance(one: Hashable, other: Hashable) -> float:
    if isinstance(one, tuple) or isinstance(other, tuple):
        return float(abs(position(other) - position(one)))
    gap = abs(other - one)  # type: ignore[operator]
    if type(one) is dt.date:
        return float(gap / dt.timedelta(days=1))
    return gap.total_seconds() if isinstance(gap, dt.timedelta) else float(gap)
