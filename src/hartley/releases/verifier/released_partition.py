"""The partition that a codebook makes of the public values that occur: sizes, distances, costs."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from hartley.releases.policy import Policy
from hartley.releases.verifier.proofs.problem import Ticks, cluster_cost
from hartley.releases.verifier.row_checks import PolicyLabels, Value
from hartley.releases.verifier.tables.reread import as_kind

_FIRST_DAY = dt.datetime(1, 1, 1)
_ON_A_LINE = ("number", "date", "timestamp", "boolean")


class ReleasedPartition:
    """The public values that occur, and the cluster of each."""

    def __init__(self, policy: Policy, values: set[Value], book: PolicyLabels) -> None:
        self.policy = policy
        self._book = book
        self.values = sorted(values, key=lambda value: (self._book.cluster[value], repr(value)))
        self.sizes = Counter(self._book.cluster[value] for value in values)

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(self.sizes)

    @property
    def largest(self) -> int:
        """How many values the largest cluster has; what is withheld does not count."""
        sizes = (size for cluster, size in self.sizes.items() if cluster != self.policy.withheld)
        return max(sizes, default=0)

    def cluster_of(self, value: Value) -> int:
        """Return the cluster of a value."""
        return self._book.cluster[value]

    def spread(self, place: int) -> tuple[float | None, float | None]:
        """Return how far the cells of a column lie from their label, and from each other within a cluster."""
        column = self.policy.public[place]
        if column.kind in ("text", "boolean"):
            return None, None
        members: dict[int, list[Any]] = defaultdict(list)
        for value in self.values:
            if value[place] is not None and self._book.cluster[value] != self.policy.withheld:
                members[self._book.cluster[value]].append(value[place])
        farthest: float | None = 0.0 if column.released_kind == column.kind else None
        widest = 0.0
        for cluster, cells in members.items():
            widest = max(widest, _distance(min(cells), max(cells)))
            label = as_kind(self.policy.clusters[cluster].label[place], column.released_kind)
            if farthest is None or label is None:
                farthest = None
            else:
                farthest = max(farthest, _distance(min(cells), label), _distance(label, max(cells)))
        return farthest, widest

    def moved(self) -> float | None:
        """Return how far a value of a single column may lie from its label, or from the middle of it."""
        if len(self.policy.public) != 1:
            return None
        farthest, widest = self.spread(0)
        if farthest is not None:
            return farthest
        return None if widest is None else widest / 2

    @cached_property
    def positions(self) -> dict[Value, Fraction | None] | None:
        """Where each value lies on a line, exactly; nothing where the public columns have no line."""
        if not self._is_on_a_line:
            return None
        exact = ((value, self._position(value)) for value in self.values)
        return {value: None if at is None else Fraction(at) for value, at in exact}

    @property
    def _is_on_a_line(self) -> bool:
        return len(self.policy.public) == 1 and self.policy.public[0].kind in _ON_A_LINE

    def _position(self, value: Value) -> Fraction | Decimal | None:
        """Return where a value lies; numbers as they are, which is faster."""
        cell = value[0]
        if cell is None:
            given = self.policy.choices.missing_at
            return None if given is None else Decimal(repr(given))
        return cell if isinstance(cell, Decimal) else position(cell)

    def line_cost(self, codeword: str) -> Fraction | None:
        """Return the worst distance of a value from the codeword of its cluster; nothing off the line."""
        if not self._is_on_a_line:
            return None
        ticks = Ticks.of([self._position(value) for value in self.values])
        members: dict[int, list[int | None]] = defaultdict(list)
        for value, tick in zip(self.values, ticks.at, strict=True):
            members[self._book.cluster[value]].append(tick)
        costs = [
            cluster_cost(codeword, inside)
            for cluster, inside in members.items()
            if cluster != self.policy.withheld
        ]
        if None in costs:
            return None
        return max((cost for cost in costs if cost is not None), default=Fraction(0)) / ticks.per_unit


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
