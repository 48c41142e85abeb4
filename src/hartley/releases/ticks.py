"""A column of numbers, dates or timestamps as whole ticks, in which means and distances are exact.

A tick of numbers is one digit finer than the finest cell, so that the middle of two cells lies on a tick:
the middle of 0 and 3 is 1.5. Moments in whole seconds have ticks of a tenth, others of a microsecond. Dates
stay dates.

The ends of interval labels are rounded outwards: ``[58, 61.18]`` for cells from 58.00136892539357 to 61.177.
Only numbers of more than two decimals are rounded, the lower end down and the upper end up, so that a label
holds all its members. The column as a whole decides how far: to the fewest decimals whose last digit counts
at most a five-hundredth of the stretch on which the middle half of its values lies, about three digits. That
stretch, not the whole range, because a few values far away must not blur all others. Whole numbers and dates
stay as they are.

Released values that differ never become one: the columns in which they differ get further decimals.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import floor
from typing import Any, TypeAlias

import numpy as np

from hartley.model import Coordinate, Partition
from hartley.model.arrays import Floats
from hartley.releases.cell_text import Cell, cell_text

_DAY_ONE = dt.datetime(1, 1, 1)
MOST_DECIMALS = 6
EXACT = 1e14
"""Floats that are below this once they are whole are told from their neighbours by 15 digits."""
_MICROSECOND = dt.timedelta(microseconds=1)
_SECOND = 1_000_000


@dataclass(frozen=True)
class Scale:
    """The ticks of a column and the way back."""

    ticks: tuple[int | None, ...]
    """Where each cell lies; ``None`` where it is missing and has no place."""
    per_unit: int
    """Ticks in one unit of distance: 1, a day, or a second."""
    value: Callable[[int], Cell]
    """The cell at a tick."""
    tick: Callable[[Cell], Decimal]
    """Where any cell of the column's kind lies, between ticks if need be."""

    def ends(self, partition: Partition) -> Iterator[tuple[int, int, int]]:
        """Return the number, the least and the greatest tick of each cluster in which a cell has a place.

        >>> ages = Coordinate("age", "number", np.array([30, 41, 33, 52]), np.zeros(4, dtype=bool))
        >>> list(scale_of(ages).ends(Partition.from_clusters([[0, 2], [1], [3]])))
        [(0, 300, 330), (1, 410, 410), (2, 520, 520)]
        """
        present = [tick for tick in self.ticks if tick is not None]
        labels = partition.labels
        if len(present) < len(labels):
            labels = labels[[tick is not None for tick in self.ticks]]
        if not present:
            return
        try:
            ticks = np.array(present, dtype=np.int64)
        except OverflowError:
            ticks = np.array(present, dtype=object)
        order = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
        ends = (bound.reduceat(ticks[order], starts).tolist() for bound in (np.minimum, np.maximum))
        yield from zip(labels[order[starts]].tolist(), *ends, strict=True)

    def limit(self, distance: float) -> int:
        """Return the largest number of ticks that is no farther than a distance."""
        return floor(Decimal(repr(distance + 1e-9)) * self.per_unit)

    def distance(self, ticks: int) -> float:
        """Return a number of ticks as a distance."""
        return float(Decimal(ticks) / self.per_unit)


class UsedTicks:
    """Ticks that are used up, and the nearest that is not, in about constant time."""

    def __init__(self) -> None:
        self.count = 1
        """How often a text was numbered, itself included."""
        self._below: dict[int, int] = {}
        self._above: dict[int, int] = {}

    def use(self, tick: int) -> None:
        """Mark a tick as used, so that no other text gets it."""
        self._below[tick], self._above[tick] = tick - 1, tick + 1

    def nearest_free(self, best: int, low: int, high: int) -> int | None:
        """Return the free tick from ``low`` to ``high`` that is nearest to one, of two the lower.

        >>> used = UsedTicks()
        >>> used.use(5)
        >>> used.use(4)
        >>> used.nearest_free(5, 0, 9), used.nearest_free(5, 0, 5), used.nearest_free(5, 4, 5)
        (6, 3, None)
        """
        below = self._first_free(self._below, min(best, high))
        above = self._first_free(self._above, max(best, low))
        free = [tick for tick in (below, above) if low <= tick <= high]
        return min(free, key=lambda tick: (abs(tick - best), tick), default=None)

    @staticmethod
    def _first_free(onwards: dict[int, int], tick: int) -> int:
        """Return the first free tick in one direction, and remember the way."""
        passed = []
        while (after := onwards.get(tick)) is not None:
            passed.append(tick)
            tick = after
        for one in passed:
            onwards[one] = tick
        return tick


def scale_of(
    coordinate: Coordinate, missing_at: Sequence[float] | None = None, finer: int = 1
) -> Scale | None:
    """Return the scale of a column, or nothing for text and truth values.

    ``missing_at`` holds the position of every cell; those of missing cells give them a place. The
    ticks of numbers have ``finer`` digits more than the finest cell.
    """
    if coordinate.kind in ("text", "boolean"):
        return None
    cells = coordinate.cells
    if coordinate.kind == "number":
        return _plain_numbers(coordinate, finer) or _numbers(cells, missing_at, finer)
    if coordinate.kind == "date":
        days = tuple(None if cell is None else cell.toordinal() for cell in cells)
        return Scale(days, 1, dt.date.fromordinal, lambda cell: Decimal(cell.toordinal()))
    return _timestamps(cells)


def _plain_numbers(coordinate: Coordinate, finer: int) -> Scale | None:
    """Return the scale of a column of machine numbers without missing cells, all at once.

    A float of so few digits that no other such number lies nearer is a whole number divided by a power of
    ten; other floats are read from their shortest digits. Where one has an exponent, or a column is of
    another kind, nothing is returned.
    """
    values = coordinate.values
    if coordinate.missing.any() or values.dtype.kind not in "iuf" or not len(values):
        return None
    if values.dtype.kind != "f":
        return _scale_of_ticks(values.tolist(), 0, finer, are_floats=False)
    values = values.astype(np.float64)
    found = _few_digits(values) or _many_digits(values)
    if found is None:
        return None
    return _scale_of_ticks(*found, finer, are_floats=True)


def _few_digits(values: Floats) -> tuple[list[int], int] | None:
    """Return floats as whole numbers of so many decimals, where they have few digits."""
    for finest in range(MOST_DECIMALS + 1):
        whole = np.rint(values * 10.0**finest)
        if not (np.abs(whole) < EXACT).all():
            return None
        if (whole / 10.0**finest == values).all():
            return whole.astype(np.int64).tolist(), finest
    return None


def _many_digits(values: Floats) -> tuple[list[int], int] | None:
    """Return floats as whole numbers of so many decimals, where none is written with an exponent."""
    texts = list(map(repr, values.tolist()))
    joined = "".join(texts)
    if "e" in joined or "n" in joined:
        return None
    cut = [text.removesuffix(".0").partition(".") for text in texts]
    finest = max(len(fraction) for _, _, fraction in cut)
    zeros = "0" * finest
    return [int(whole + fraction + zeros[len(fraction) :]) for whole, _, fraction in cut], finest


def _numbers(cells: list[Any], missing_at: Sequence[float] | None, finer: int) -> Scale:
    exact: list[Decimal | None] = []
    for place, cell in enumerate(cells):
        if cell is None:
            exact.append(None if missing_at is None else Decimal(repr(float(missing_at[place]))))
        else:
            exact.append(Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell))
    finest = max((_decimals(number) for number in exact if number is not None), default=0)
    floats = any(isinstance(cell, float) for cell in cells)
    with localcontext() as context:
        context.prec = 1000
        whole = [None if number is None else int(number.scaleb(finest)) for number in exact]
    return _scale_of_ticks(whole, finest, finer, are_floats=floats)


def _scale_of_ticks(whole: Sequence[int | None], finest: int, finer: int, *, are_floats: bool) -> Scale:
    """Return the scale of numbers that are whole in units of so many decimals."""
    decimals = finest + finer
    per_unit = 10**decimals
    step = 10**finer
    ticks = tuple(None if number is None else step * number for number in whole)

    def value(tick: int) -> Cell:
        if are_floats:
            # Rounded once, to the nearest float, however many digits there are.
            return tick / per_unit
        if tick % per_unit == 0:
            return tick // per_unit
        with localcontext() as context:
            context.prec = 1000
            return Decimal(tick).scaleb(-decimals)

    def tick_of(cell: Cell) -> Decimal:
        with localcontext() as context:
            context.prec = 1000
            return (Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell)).scaleb(decimals)

    return Scale(ticks, per_unit, value, tick_of)


def _decimals(number: Decimal) -> int:
    with localcontext() as context:
        context.prec = 1000
        exponent = number.normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _timestamps(cells: list[Any]) -> Scale:
    zone = next((cell.tzinfo for cell in cells if cell is not None), None)
    start = _DAY_ONE.replace(tzinfo=zone)
    counts = [None if cell is None else (cell - start) // _MICROSECOND for cell in cells]
    whole = all(count is None or count % _SECOND == 0 for count in counts)
    size = _SECOND // 10 if whole else 1
    return Scale(
        tuple(None if count is None else count // size for count in counts),
        _SECOND // size,
        lambda tick: start + dt.timedelta(microseconds=tick * size),
        lambda cell: Decimal((cell - start) // _MICROSECOND) / size,
    )


FEW_DECIMALS = 2
"""Columns of no more decimals than this are written as they are."""
PARTS = 500
"""The stretch of a column's middle half has at least so many steps."""


class CalendarEnds:
    """The first and the last date of each cluster, told in whole years or months where most span several."""

    def __init__(self, step: int, spans: list[tuple[dt.date, dt.date] | None]) -> None:
        self.step = step
        """One more than the characters of an ISO date that are left out: months and days, days, or none."""
        self._spans = spans

    @classmethod
    def of(
        cls, coordinate: Coordinate, clusters: Sequence[Sequence[int]], withheld: int | None
    ) -> CalendarEnds | None:
        """Take the dates of clusters; nothing where most clusters span a few days."""
        cells = coordinate.cells
        spans: list[tuple[dt.date, dt.date] | None] = []
        for number, cluster in enumerate(clusters):
            present = [cells[place] for place in cluster if cells[place] is not None]
            is_span = number != withheld and len(set(present)) > 1
            spans.append((min(present), max(present)) if is_span else None)
        days = sorted((span[1] - span[0]).days for span in spans if span is not None)
        if not days:
            return None
        middle = days[len(days) // 2]
        steps = [step for least, step in LEAST_DAYS.items() if middle >= least]
        return cls(steps[0], spans) if steps else None

    def rounded(self, number: int) -> tuple[int, int] | None:
        """Return the ends of a cluster's label as numbers of years or months."""
        texts = self.texts(number)
        return None if texts is None else (_digits(texts[0]), _digits(texts[1]))

    def texts(self, number: int) -> tuple[str, str] | None:
        """Return the ends of a cluster's label: years, months, or days."""
        span = self._spans[number]
        if span is None:
            return None
        return span[0].isoformat()[: 11 - self.step], span[1].isoformat()[: 11 - self.step]

    def refine(self) -> None:
        """Tell months for years, and days for months."""
        self.step -= 3


def _digits(text: str) -> int:
    return int(text.replace("-", ""))


LEAST_DAYS = {1826: 7, 150: 4}
"""From so many days in the middle cluster on, years or months are told: so many characters less one."""


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

    def refine(self) -> None:
        """Round to a tenth of the step."""
        self.step //= 10

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


RoundedEnds: TypeAlias = CalendarEnds | IntervalEnds
"""The least and the greatest cell of each cluster in one column, and how they are rounded outwards."""


def rounded_ends(
    coordinate: Coordinate, scale: Scale, clusters: Sequence[Sequence[int]], withheld: int | None
) -> RoundedEnds | None:
    """Take the ends of a column's clusters; nothing where they are written as they are."""
    if coordinate.kind == "date":
        return CalendarEnds.of(coordinate, clusters, withheld)
    return IntervalEnds.of(coordinate, scale, clusters, withheld)


def keep_apart(columns: Sequence[RoundedEnds | None], plain: Sequence[tuple[str | None, ...]]) -> None:
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
            column.refine()


def _shown(column: RoundedEnds | None, number: int, text: str | None) -> Hashable:
    """Return what tells labels of a column apart: the ends and what follows them, or the text."""
    ends = None if column is None or text is None else column.rounded(number)
    return text if ends is None or text is None else (ends, text.endswith(" or missing"))
