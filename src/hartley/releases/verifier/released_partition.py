"""The partition that a codebook makes of the public values that occur: sizes, distances, costs."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from hartley.releases.policy import Policy
from hartley.releases.verifier.policy_labels import Value, ValuesFound
from hartley.releases.verifier.proofs.problem import Ticks, cluster_cost
from hartley.releases.verifier.tables.plain_keys import PlainKeys
from hartley.releases.verifier.tables.reread import as_kind
from hartley.releases.verifier.tables.row_numbers import Int64s, Ints, Numbered

_FIRST_DAY = dt.datetime(1, 1, 1)
_WIDEST = 1 << 62
_ON_A_LINE = ("number", "date", "timestamp", "boolean")


class ReleasedPartition:
    """The public values that occur, and the cluster of each."""

    def __init__(self, policy: Policy, found: ValuesFound) -> None:
        self.policy = policy
        self._cells = found.cells
        self._cluster = found.cluster
        self._found = found
        self._sizes = np.bincount(found.cluster, minlength=len(policy.clusters))

    @cached_property
    def values(self) -> list[Value]:
        """The values one by one."""
        return self._found.listed()

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
        if isinstance(column.keys, PlainKeys) and column.keys.are_numbers:
            present = ~column.keys.is_missing[column.codes]
            groups = _Groups.of(column.keys.ticks[column.codes][present], self._cluster[present])
            ends = zip(groups.cluster.tolist(), groups.low.tolist(), groups.high.tolist(), strict=True)
            for cluster, low, high in ends:
                yield cluster, *(Decimal(end).scaleb(-column.keys.decimals) for end in (low, high))
            return
        members: dict[int, list[Any]] = defaultdict(list)
        for code, cluster in zip(column.codes.tolist(), self._cluster.tolist(), strict=True):
            if column.keys[code] is not None:
                members[cluster].append(column.keys[code])
        for cluster, cells in members.items():
            yield cluster, min(cells), max(cells)

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
        if isinstance(keys, PlainKeys) and keys.are_numbers:
            is_missing = keys.is_missing[cells.codes]
            if self.policy.choices.missing_at is None or not is_missing.any():
                return Ticks(keys.ticks[cells.codes], ~is_missing, 10**keys.decimals)
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
        keys = self._cells[0].keys
        if isinstance(keys, PlainKeys) and keys.are_numbers and not keys.cells.null_count:
            kept = np.ones(len(self._cluster), dtype=bool)
            if self.policy.withheld is not None:
                kept = self._cluster != self.policy.withheld
            groups = _Groups.of(keys.ticks[self._cells[0].codes][kept], self._cluster[kept])
            if groups.are_exact:
                return groups.cost(codeword) / int(10**keys.decimals)
        ticks = self.ticks(self._cells[0])
        members: dict[int, list[int | None]] = defaultdict(list)
        for cluster, tick in zip(self._cluster.tolist(), ticks.listed(), strict=True):
            members[cluster].append(tick)
        costs = [
            cluster_cost(codeword, inside)
            for cluster, inside in members.items()
            if cluster != self.policy.withheld
        ]
        if None in costs:
            return None
        return max((cost for cost in costs if cost is not None), default=Fraction(0)) / ticks.per_unit


@dataclass(frozen=True, eq=False)
class _Groups:
    """Whole ticks by their clusters."""

    ticks: Int64s
    """Those of one cluster after those of another."""
    starts: Int64s
    cluster: Ints
    low: Int64s
    high: Int64s

    @classmethod
    def of(cls, ticks: Int64s, cluster: Ints) -> _Groups:
        order = np.argsort(cluster, kind="stable")
        ticks, cluster = ticks[order], cluster[order]
        starts = np.flatnonzero(np.diff(cluster, prepend=-1))
        if not len(starts):
            return cls(ticks, starts, starts, starts, starts)
        low, high = np.minimum.reduceat(ticks, starts), np.maximum.reduceat(ticks, starts)
        return cls(ticks, starts, cluster[starts], low, high)

    @property
    def are_exact(self) -> bool:
        """Whether no sum of ticks leaves 64 bits."""
        return int(np.abs(self.ticks).max(initial=0)) < _WIDEST // (len(self.ticks) + 1)

    def cost(self, codeword: str) -> Fraction:
        """Return the worst distance from a cluster's codeword to its farthest member, in ticks."""
        if not len(self.starts):
            return Fraction(0)
        if codeword == "midpoint":
            return Fraction(int((self.high - self.low).max()), 2)
        sizes = np.diff(self.starts, append=len(self.ticks))
        if codeword == "member":
            low, high = np.repeat(self.low, sizes), np.repeat(self.high, sizes)
            reach = np.maximum(self.ticks - low, high - self.ticks)
            return Fraction(int(np.minimum.reduceat(reach, self.starts).max()))
        totals = np.add.reduceat(self.ticks, self.starts)
        reach = np.maximum(totals - sizes * self.low, sizes * self.high - totals)
        # Floats find the clusters that may be the worst, and whole numbers the one that is.
        nearly = reach / sizes
        worst = np.flatnonzero(nearly >= nearly.max() * (1 - 1e-12))
        return max(Fraction(int(reach[place]), int(sizes[place])) for place in worst.tolist())


def position(cell: Any) -> Fraction:
    """Return where a cell lies on a line: a number, a day, a second."""
    if isinstance(cell, Decimal | int):
        return Fraction(cell)
    if isinstance(cell, tuple):  # a moment, and nanoseconds
        return position(cell[0]) + Fraction(cell[1], 10**9)
    if isinstance(cell, dt.datetime):
        # Plain numbers of the clock: a moment of pandas has a narrower range than the difference.
        gap = dt.datetime.combine(dt.date(cell.year, cell.month, cell.day), cell.time()) - _FIRST_DAY
        finer = Fraction(getattr(cell, "nanosecond", 0), 10**9)
        return Fraction(gap.days * 86400 + gap.seconds) + Fraction(gap.microseconds, 10**6) + finer
    if isinstance(cell, dt.date):
        return Fraction(cell.toordinal())
    return Fraction(cell)


def _distance(one: Hashable, other: Hashable) -> float:
    if isinstance(one, tuple) or isinstance(other, tuple):
        return float(abs(position(other) - position(one)))
    gap = abs(other - one)  # type: ignore[operator]
    if type(one) is dt.date:
        return float(gap / dt.timedelta(days=1))
    return gap.total_seconds() if isinstance(gap, dt.timedelta) else float(gap)
