"""What the definitions say of a small table: every release there is, what it costs and what it leaks.

Pure Python, for reading, and slow on purpose; it shares no code with hartley. Numbers are exact: costs are
fractions, a leakage in the worst case is the ratio of candidates before and after, and one for certain is the
number of components. Bits are their logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import floor, log2
from typing import Any

Cell = str | int | float | None
Value = tuple[Cell, ...]
"""The public cells of a row."""
Block = frozenset[Value]

NEAR = 1e-9
"""Bits and costs as floats are compared up to this part of them."""


@dataclass(frozen=True)
class Row:
    """One row of a table: what is published, what is protected, and what the reader has besides."""

    x: Value
    s: tuple[Cell, ...]
    kept: Cell = None
    side: Cell = None
    earlier: Cell = None
    person: Cell = None


@dataclass(frozen=True)
class Wanted:
    """A requirement: its name, the number, and the sensitive column that is counted by itself."""

    name: str
    number: float
    column: int | None = None


@dataclass(frozen=True)
class Asked:
    """What is asked of a table."""

    cost: str = "size"
    """``size``, ``midpoint``, ``member``, ``centroid``, ``table``, ``columns`` (of several of them),
    or ``widths`` (the mean relative width of bands, where every column has a codebook of its own)."""
    shape: str = "any"
    """``any``, ``intervals``, ``borders`` or ``columns``."""
    step: Fraction = Fraction(1)
    """Borders lie at the multiples of this number."""
    budget: int = 0
    wanted: tuple[Wanted, ...] = ()
    axis: str = "l0"
    tolerance: Fraction | None = None
    groups: Mapping[Cell, str] | None = None
    distances: Mapping[tuple[Cell, Cell], Fraction] = field(default_factory=dict)
    has_side: bool = False


@dataclass(frozen=True)
class Release:
    """Which public values share a label, and which are withheld."""

    clusters: tuple[Block, ...]
    withheld: Block = frozenset()


@dataclass(frozen=True)
class Measured:
    """What a release costs and leaks."""

    cost: Fraction
    ratio: Fraction
    """Candidates before over candidates after, at worst."""
    components: int
    holds: bool
    """Whether every requirement holds."""

    def leakage(self, axis: str) -> Fraction | None:
        """Return what leaks along an axis; ``None`` where the axis does not allow the release."""
        if axis == "istar":
            return Fraction(self.components)
        return self.ratio if axis == "l0" or self.components == 1 else None


def is_missing(value: Value) -> bool:
    """Tell whether nothing of a public value is there."""
    return all(cell is None for cell in value)


def exact(cell: Cell) -> Fraction:
    """Return a number as it is written."""
    return Fraction(str(cell))


def in_order(value: Value) -> tuple[tuple[bool, Fraction, str], ...]:
    """Return what public values are sorted by: numbers, then text, missing cells last."""
    return tuple(
        (cell is None, Fraction(0) if cell is None or isinstance(cell, str) else exact(cell), str(cell))
        for cell in value
    )


def partitions(values: tuple[Value, ...]) -> Iterator[tuple[Block, ...]]:
    """Yield every partition of some values."""
    if not values:
        yield ()
        return
    first, rest = values[0], values[1:]
    for parts in partitions(rest):
        yield (frozenset({first}), *parts)
        for place, part in enumerate(parts):
            yield (*parts[:place], part | {first}, *parts[place + 1 :])


def subsets(values: tuple[Value, ...]) -> Iterator[Block]:
    """Yield every set of some values."""
    for size in range(len(values) + 1):
        for some in combinations(values, size):
            yield frozenset(some)


Seen = list[tuple[tuple[Any, ...], list[Row]]]
"""What is seen of some rows, the side value last, and these rows."""


class Truth:
    """Everything that can be released of a table, measured."""

    def __init__(self, rows: tuple[Row, ...], asked: Asked) -> None:
        self.rows, self.asked = rows, asked
        self.values = tuple(sorted({row.x for row in rows}, key=in_order))
        self._blocks: dict[Block, dict[tuple[Cell, ...], list[Row]]] = {}
        self._costs: dict[Block, Fraction | None] = {}
        self._numbers: dict[frozenset[tuple[Cell, ...]], int] = {}

    @property
    def is_partial(self) -> bool:
        """Whether only what a release keeps is told, not which is best: codebooks that lose or move cells."""
        has_gaps = self.asked.budget > 0 or any(None in value for value in self.values)
        return self.asked.shape == "columns" and has_gaps

    # Which releases there are.

    def releases(self) -> Iterator[Release]:
        """Yield every release of the shape and within the budget, whatever it leaks."""
        for withheld in self._withheld():
            # Cells that were missing before show the same as what is withheld.
            gone = withheld | {one for one in self.values if is_missing(one)} if withheld else withheld
            for clusters in self._parted(tuple(one for one in self.values if one not in gone)):
                yield Release((*clusters, gone) if gone else clusters, withheld)

    def _withheld(self) -> Iterator[Block]:
        for some in subsets(tuple(one for one in self.values if not is_missing(one))):
            if sum(row.x in some for row in self.rows) <= self.asked.budget:
                yield some

    def _parted(self, values: tuple[Value, ...]) -> Iterator[tuple[Block, ...]]:
        shape = self.asked.shape
        if shape == "any":
            yield from partitions(values)
        elif shape == "columns":
            yield from self._codebooks(values)
        else:
            placed = tuple(one for one in values if not is_missing(one))
            alone = tuple(frozenset({one}) for one in values if is_missing(one))
            for bands in self._bands(placed):
                yield (*bands, *alone)

    def _bands(self, values: tuple[Value, ...]) -> Iterator[tuple[Block, ...]]:
        """Yield the ways to cut a sorted line where borders may lie."""
        if not values:
            yield ()
            return
        step = self.asked.step
        for end in range(1, len(values) + 1):
            if self.asked.shape == "borders" and end < len(values):
                low, high = exact(values[end - 1][0]), exact(values[end][0])
                if floor(low / step) == floor(high / step):
                    continue
            for rest in self._bands(values[end:]):
                yield (frozenset(values[:end]), *rest)

    def _codebooks(self, values: tuple[Value, ...]) -> Iterator[tuple[Block, ...]]:
        """Yield what one codebook for each column makes of the values: bands of numbers, one group of texts.

        A missing cell stays by itself.
        """
        chosen: list[list[dict[Cell, object]]] = []
        for column in range(len(self.values[0])):
            cells = sorted({one[column] for one in self.values} - {None}, key=lambda cell: in_order((cell,)))
            books: list[dict[Cell, object]] = []
            if any(isinstance(cell, str) for cell in cells):
                books = [
                    {cell: "other" if (cell,) in some else (cell,) for cell in cells}
                    for some in subsets(tuple((cell,) for cell in cells))
                    if len(some) != 1
                ]
            else:
                for cuts in subsets(tuple((place,) for place in range(1, len(cells)))):
                    band = [sum((cut,) in cuts for cut in range(1, place + 1)) for place in range(len(cells))]
                    books.append(dict(zip(cells, band, strict=True)))
            chosen.append([{**book, None: "missing"} for book in books])
        for books_of_columns in _product(chosen):
            together: dict[tuple[object, ...], set[Value]] = {}
            for value in values:
                shown = tuple(book[cell] for book, cell in zip(books_of_columns, value, strict=True))
                together.setdefault(shown, set()).add(value)
            self.books = books_of_columns
            yield tuple(frozenset(block) for block in together.values())

    # What a release costs.

    def cost(self, release: Release) -> Fraction | None:
        """Return the cost of the worst cluster that is not withheld; ``None`` where one is not allowed."""
        if self.asked.cost == "widths":
            return self._mean_width()
        worst = Fraction(1 if self.asked.cost == "size" else 0)
        for block in release.clusters:
            if release.withheld and release.withheld <= block:
                continue
            if block not in self._costs:
                self._costs[block] = self._cost(block)
            cost = self._costs[block]
            if cost is None:
                return None
            worst = max(worst, cost)
        return worst

    def _cost(self, block: Block) -> Fraction | None:
        cost = self.asked.cost
        if cost == "size":
            return Fraction(len(block))
        if len(block) == 1:
            return Fraction(0)
        if cost == "columns":
            return max(self._in_column(block, column) for column in range(len(self.values[0])))
        if any(is_missing(value) for value in block):
            # A missing number has no place among the others.
            return None
        if cost == "table":
            words = [value[0] for value in block]
            return min(max(self._distance(one, codeword) for one in words) for codeword in words)
        places = [exact(value[0]) for value in block]
        low, high = min(places), max(places)
        if cost == "midpoint":
            return (high - low) / 2
        if cost == "centroid":
            mean = sum(places, Fraction(0)) / len(places)
            return max(high - mean, mean - low)
        return min(max(high - one, one - low) for one in places)

    def _distance(self, one: Cell, codeword: Cell) -> Fraction:
        return Fraction(0) if one == codeword else self.asked.distances[one, codeword]

    def _in_column(self, block: Block, column: int) -> Fraction:
        """Return how far the farthest cell lies from the codeword of one column, in units of its range."""
        cells = {value[column] for value in block}
        every = {value[column] for value in self.values} - {None}
        if len(cells) == 1:
            return Fraction(0)
        if None in cells or any(isinstance(cell, str) for cell in every):
            return Fraction(1)
        numbers, places = [exact(cell) for cell in cells], [exact(cell) for cell in every]
        return (max(numbers) - min(numbers)) / 2 / ((max(places) - min(places)) or 1)

    def _mean_width(self) -> Fraction:
        """Return the mean over rows and columns of the relative width of the band that a cell is in."""
        total = Fraction(0)
        for row in self.rows:
            for column, book in enumerate(self.books):
                every = [cell for cell in book if cell is not None]
                inside = [cell for cell in every if book[cell] == book[row.x[column]]]
                if row.x[column] is None or len(every) < 2:
                    continue
                if any(isinstance(cell, str) for cell in every):
                    total += Fraction(len(inside) - 1, len(every) - 1)
                else:
                    places = [exact(cell) for cell in every]
                    spans = [exact(cell) for cell in inside]
                    total += (max(spans) - min(spans)) / (max(places) - min(places))
        # A kept column is one of those that are published, and loses nothing.
        columns = len(self.books) + any(row.kept is not None for row in self.rows)
        return total / len(self.rows) / columns

    # What a release leaks.

    def measure(self, release: Release) -> Measured | None:
        """Measure a release; ``None`` where it is not allowed."""
        cost = self.cost(release)
        if cost is None:
            return None
        label = {value: place for place, block in enumerate(release.clusters) for value in block}
        seen = [shown for block in release.clusters for shown in self._seen(block).items()]
        return self._measured(cost, seen, {row: label[row.x] for row in self.rows})

    def measure_labels(self, cost: Fraction, labels: tuple[object, ...], gone: frozenset[object]) -> Measured:
        """Measure a release by the label of every row; those with a ``gone`` one lose what is kept, too."""
        found: dict[tuple[object, ...], list[Row]] = {}
        for row, label in zip(self.rows, labels, strict=True):
            kept = None if label in gone else row.kept
            found.setdefault((label, kept, row.earlier, row.side), []).append(row)
        return self._measured(cost, list(found.items()), dict(zip(self.rows, labels, strict=True)))

    def _measured(self, cost: Fraction, seen: Seen, label: dict[Row, Any]) -> Measured:
        return Measured(
            cost=cost,
            ratio=max(Fraction(self._before(side), self.count(_values(rows))) for (*_, side), rows in seen),
            components=self._components([_values(rows) for _, rows in seen]),
            holds=self._holds(seen) and self._holds_for_persons(label),
        )

    def _seen(self, block: Block) -> dict[tuple[Cell, ...], list[Row]]:
        """Return the rows of a cluster by what else is seen of them and known beforehand."""
        if block not in self._blocks:
            found: dict[tuple[Cell, ...], list[Row]] = {}
            for row in self.rows:
                if row.x in block:
                    found.setdefault((row.kept, row.earlier, row.side), []).append(row)
            self._blocks[block] = found
        return self._blocks[block]

    def _before(self, side: Cell) -> int:
        """Return how many sensitive values are possible for a reader who knows only the side value."""
        return self.count(_values([row for row in self.rows if not self.asked.has_side or row.side == side]))

    def count(self, values: frozenset[tuple[Cell, ...]], column: int | None = None) -> int:
        """Return how many values there are, or with a tolerance how many that are pairwise further apart."""
        if column is not None:
            return len({value[column] for value in values})
        if self.asked.tolerance is None and self.asked.groups is None:
            return len(values)
        if values not in self._numbers:
            self._numbers[values] = next(
                size
                for size in range(len(values), 0, -1)
                if any(self._are_apart(some) for some in combinations(values, size))
            )
        return self._numbers[values]

    def _are_apart(self, values: tuple[tuple[Cell, ...], ...]) -> bool:
        return not any(self._are_close(one, other) for one, other in combinations(values, 2))

    def _are_close(self, one: tuple[Cell, ...], other: tuple[Cell, ...]) -> bool:
        if self.asked.groups is not None:
            return self.asked.groups[one[0]] == self.asked.groups[other[0]]
        if self.asked.tolerance is not None:
            return abs(exact(one[0]) - exact(other[0])) <= self.asked.tolerance
        return one == other

    def _components(self, observations: list[frozenset[tuple[Cell, ...]]]) -> int:
        """Return how many parts the observations fall into, linked by candidates in common, or close."""
        parts: list[frozenset[tuple[Cell, ...]]] = []
        for candidates in observations:
            linked = [
                part
                for part in parts
                if any(self._are_close(one, other) for one in part for other in candidates)
            ]
            parts = [part for part in parts if part not in linked]
            parts.append(candidates.union(*linked))
        return len(parts)

    # What is required.

    def _holds(self, seen: Seen) -> bool:
        for wanted in self.asked.wanted:
            if wanted.name == "istar":
                if self._components([_values(rows) for _, rows in seen]) > 2**wanted.number * (1 + NEAR):
                    return False
                continue
            for (*_, side), rows in seen:
                if not self._is_kept(wanted, rows, len(rows), side):
                    return False
        return True

    def _is_kept(self, wanted: Wanted, rows: list[Row], number: int, side: Cell) -> bool:
        values = _values(rows)
        if wanted.name == "row-k":
            return number >= wanted.number
        if wanted.name == "distinct-l":
            counted = values if wanted.column is None else {value[wanted.column] for value in values}
            return len(counted) >= wanted.number
        if wanted.name == "separated-l":
            return self.count(values) >= wanted.number
        return Fraction(self._before(side), self.count(values)) <= 2**wanted.number * (1 + NEAR)

    def _holds_for_persons(self, label: dict[Row, Any]) -> bool:
        """Tell whether a reader who links the rows of each person is left with what is required."""
        if all(row.person is None for row in self.rows):
            return True
        seen: dict[Cell, set[tuple[object, ...]]] = {}
        for row in self.rows:
            seen.setdefault(row.person, set()).add((label[row], row.kept, row.earlier))
        values: dict[Cell, set[object]] = {}
        for row in self.rows:
            values.setdefault(row.person, set()).add(tuple(_values([row])))
        # Where values change from row to row, the row is seen beside the set that the person has.
        changes = any(len(some) > 1 for some in values.values())
        alike: dict[object, list[Row]] = {}
        for row in self.rows:
            own = (label[row], row.kept, row.earlier) if changes else None
            alike.setdefault((own, frozenset(seen[row.person])), []).append(row)
        for wanted in self.asked.wanted:
            if wanted.name == "istar":
                if self._components([_values(rows) for rows in alike.values()]) > 2**wanted.number * (
                    1 + NEAR
                ):
                    return False
                continue
            for rows in alike.values():
                if not self._is_kept(wanted, rows, len({row.person for row in rows}), None):
                    return False
        return True

    # What is best.

    @cached_property
    def feasible(self) -> list[tuple[Fraction, Fraction]]:
        """Cost and leakage of every release that meets the requirements."""
        found = set()
        for release in self.releases():
            measured = self.measure(release)
            if measured is not None and measured.holds:
                leakage = measured.leakage(self.asked.axis)
                if leakage is not None:
                    found.add((measured.cost, leakage))
        return sorted(found)

    @cached_property
    def frontier(self) -> list[tuple[Fraction, Fraction]]:
        """The pairs of cost and leakage that none beats in both, the cheapest first."""
        kept: list[tuple[Fraction, Fraction]] = []
        for cost, leakage in self.feasible:
            if not kept or leakage < kept[-1][1]:
                kept.append((cost, leakage))
        return kept

    def least_leakage(self, cost: float) -> Fraction | None:
        """Return the least leakage within a cost, or ``None`` where nothing is within it."""
        limit = cost + NEAR * max(1.0, abs(cost))
        return min((leakage for one, leakage in self.frontier if one <= limit), default=None)

    def least_cost(self, bits: float) -> Fraction | None:
        """Return the least cost of what leaks no more bits, or ``None`` where everything leaks more."""
        return min((cost for cost, leakage in self.frontier if log2(leakage) <= bits + NEAR), default=None)


def _values(rows: list[Row]) -> frozenset[tuple[Cell, ...]]:
    return frozenset(row.s for row in rows)


def _product(chosen: list[list[dict[Cell, object]]]) -> Iterator[list[dict[Cell, object]]]:
    if not chosen:
        yield []
        return
    for book in chosen[0]:
        for rest in _product(chosen[1:]):
            yield [book, *rest]
