"""The ends of interval labels, rounded outwards: ``[58, 61.18]`` for cells from 58.00136892539357 to 61.177.

Only numbers of more than two decimals are rounded, the lower end down and the upper end up, so that a label
holds all its members. The column as a whole decides how far: to the fewest decimals whose last digit counts
at most a five-hundredth of the stretch on which the middle half of its values lies, about three digits. That
stretch, not the whole range, because a few values far away must not blur all others. Whole numbers and dates
stay as they are.

Released values that differ never become one: the columns in which they differ get further decimals.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal

from hartley.model import Coordinate
from hartley.releases.cell_text import cell_text
from hartley.releases.ticks import Scale

FEW_DECIMALS = 2
"""Columns of no more decimals than this are written as they are."""
PARTS = 500
"""The stretch of a column's middle half has at least so many steps."""


class IntervalEnds:
    """The least and the greatest cell of each cluster in one column of numbers, and how they are rounded."""

    def __init__(self, scale: Scale, step: int, spans: list[tuple[int, int] | None]) -> None:
        self._scale = scale
        self._spans = spans
        self._decimals = len(str(scale.per_unit)) - 1
        self.step = step
        """The ticks to whose multiples ends are rounded: a power of ten."""

    @classmethod
    def of(
        cls, coordinate: Coordinate, scale: Scale, clusters: Sequence[Sequence[int]], withheld: int | None
    ) -> IntervalEnds | None:
        """Take the ends of a column's clusters; nothing where they are written as they are."""
        if coordinate.kind != "number" or scale.per_unit <= 10**FEW_DECIMALS:
            return None
        missing = coordinate.missing.tolist()
        present = [None if gone else tick for tick, gone in zip(scale.ticks, missing, strict=True)]
        step = _first_step({tick for tick in present if tick is not None}, scale.per_unit)
        if step == 1:
            return None
        spans: list[tuple[int, int] | None] = []
        for number, cluster in enumerate(clusters):
            ticks = [tick for place in cluster if (tick := present[place]) is not None]
            spans.append((min(ticks), max(ticks)) if ticks and number != withheld else None)
        return cls(scale, step, spans)

    def rounded(self, number: int) -> tuple[int, int] | None:
        """Return the ends of a cluster's label in steps; nothing where it is no interval."""
        span = self._spans[number]
        if span is None or span[0] == span[1]:
            return None
        return span[0] // self.step, -(-span[1] // self.step)

    def texts(self, number: int) -> tuple[str, str] | None:
        """Return the ends of a cluster's label as text; nothing where it is no interval."""
        ends = self.rounded(number)
        return None if ends is None else (self._text(ends[0] * self.step), self._text(ends[1] * self.step))

    def _text(self, tick: int) -> str:
        cell = self._scale.value(tick)
        if self._scale.tick(cell) != tick:  # More digits than a float has: it may lie on the wrong side.
            cell = Decimal(f"{tick}e-{self._decimals}")
        return str(cell_text(cell))


def _first_step(ticks: set[int], per_unit: int) -> int:
    fine = per_unit // 10**FEW_DECIMALS
    if all(tick % fine == 0 for tick in ticks):
        return 1
    order = sorted(ticks)
    stretch = order[3 * len(order) // 4] - order[len(order) // 4]
    step = per_unit
    while step > 1 and step * PARTS > stretch:
        step //= 10
    return step


def keep_apart(columns: Sequence[IntervalEnds | None], plain: Sequence[tuple[str | None, ...]]) -> None:
    """Refine the steps of columns until clusters whose ``plain`` labels differ have different labels.

    ``plain`` holds for each cluster the texts of its label with no end rounded.
    """
    while True:
        coarse: set[int] = set()
        seen: dict[Hashable, int] = {}
        for number, label in enumerate(plain):
            key = tuple(_shown(column, number, text) for column, text in zip(columns, label, strict=True))
            other = plain[seen.setdefault(key, number)]
            if label != other:
                coarse.update(place for place in range(len(columns)) if label[place] != other[place])
        finer = [column for place, column in enumerate(columns) if place in coarse and column is not None]
        finer = [column for column in finer if column.step > 1]
        if not finer:
            return
        for column in finer:
            column.step //= 10


def _shown(column: IntervalEnds | None, number: int, text: str | None) -> Hashable:
    """Return what tells labels of a column apart: the ends and what follows them, or the text."""
    ends = None if column is None or text is None else column.rounded(number)
    return text if ends is None or text is None else (ends, text.rpartition("]")[2])
