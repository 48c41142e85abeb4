"""How far counts on a released table are off: the median relative error of random counts over two columns.

A count asks how many rows lie in a range of a column of numbers, or have one of some categories, in two
columns at once. A reader of the release spreads the rows of a class evenly over the cells that the class
may stand for: all of its range, or all of its categories. A withheld row may stand for anything.

The counts are drawn once for a table, so that all releases of it answer the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hartley.measures.uncertainty import rows_of_values
from hartley.measures.usefulness import cell_codes
from hartley.model import Coordinate, JointRange, Partition
from hartley.model.arrays import Flags, Floats, Int64s, different

QUERIES = 600
TRIES = 12_000
WORK = 4_000_000_000
"""Tries times public values that drawing the counts may take."""
SHARE = 0.3
"""The share of a column's cells that a count asks for."""
LEAST_ANSWER = 0.005
"""A count of a smaller share of the rows says nothing and is drawn again."""


@dataclass(frozen=True, eq=False)
class CountQuery:
    """A count: in each of its columns, which cells are asked for, and how many rows there are."""

    asked: tuple[tuple[int, Flags], ...]
    """The number of a column, and of each of its cells whether it is asked for."""
    answer: int


@dataclass(frozen=True, eq=False)
class CountQueries:
    """Random counts over the public columns of a table.

    >>> from hartley.examples import toy
    >>> queries = CountQueries.draw(toy(), seed=0)
    >>> queries.median_error(Partition.singletons(7))
    0.0
    """

    columns: tuple[CellColumn, ...]
    rows: Int64s
    queries: tuple[CountQuery, ...]

    @classmethod
    def draw(cls, joint: JointRange, seed: int, queries: int = QUERIES) -> CountQueries:
        """Draw random queries that count rows of a table; fewer where too few rows answer most of them."""
        return cls.of_columns(joint.public.coordinates, rows_of_values(joint), seed, queries)

    @classmethod
    def of_columns(
        cls, coordinates: Sequence[Coordinate], rows: Int64s, seed: int, queries: int = QUERIES
    ) -> CountQueries:
        """Draw the counts of different rows, given by column, and how many there are of each."""
        return cls.of_cells([CellColumn.of(column) for column in coordinates], rows, seed, queries)

    @classmethod
    def of_cells(
        cls, cells: Sequence[CellColumn], rows: Int64s, seed: int, queries: int = QUERIES
    ) -> CountQueries:
        """Draw the counts of different rows whose cells are numbered, and how many there are of each."""
        columns = tuple(cells)
        least = LEAST_ANSWER * float(rows.sum())
        source = np.random.default_rng(seed)
        drawn: list[CountQuery] = []
        for _ in range(min(TRIES, max(queries, WORK // max(len(rows), 1)))):
            if len(drawn) == queries:
                break
            chosen = source.choice(len(columns), min(2, len(columns)), replace=False)
            asked = tuple((number, columns[number].range_of_cells(source)) for number in chosen.tolist())
            here = np.ones(len(rows), dtype=np.bool_)
            for number, cells in asked:
                here &= cells[columns[number].codes]
            answer = int(rows[here].sum())
            if answer and answer >= least:
                drawn.append(CountQuery(asked, answer))
        return cls(columns, rows, tuple(drawn))

    def errors(self, partition: Partition, withheld: Sequence[int] = ()) -> Floats:
        """Return the relative error of each count on a release."""
        rows = np.bincount(partition.labels, weights=self.rows, minlength=partition.size)
        gone = np.zeros(partition.size, dtype=np.bool_)
        gone[partition.labels[list(withheld)]] = True
        classes = [column.classes(partition, gone) for column in self.columns]
        errors = np.empty(len(self.queries))
        for place, query in enumerate(self.queries):
            guess: Floats = rows.astype(np.float64)
            for number, cells in query.asked:
                guess = guess * classes[number].share(cells)
            errors[place] = abs(float(guess.sum()) - query.answer) / query.answer
        return errors

    def median_error(self, partition: Partition, withheld: Sequence[int] = ()) -> float | None:
        """Return the median relative error of the counts on a release; ``None`` where there are none."""
        errors = self.errors(partition, withheld)
        return float(np.median(errors)) if len(errors) else None


@dataclass(frozen=True, eq=False)
class CellColumn:
    """The cells of a column: in order where they have one, a missing cell last."""

    codes: Int64s
    size: int
    """How many cells there are, a missing one among them."""
    ordered: int
    """How many of them lie on a line, and come first; 0 of text."""

    @classmethod
    def of(cls, column: Coordinate) -> CellColumn:
        """Return the numbered cells of a public column."""
        positions = None if column.kind in ("text", "boolean") else column.positions
        if positions is None:
            codes = cell_codes(column)
            return cls(codes, int(codes.max()) + 1, 0)
        here = ~np.isnan(positions)
        found, inverse = np.unique(positions[here], return_inverse=True)
        codes = np.full(len(positions), len(found), dtype=np.int64)
        codes[here] = inverse
        return cls(codes, len(found) + int(not here.all()), len(found))

    @classmethod
    def of_places(cls, places: Floats, is_line: bool) -> CellColumn:
        """Return the numbered cells of a column in which each value has a place, none missing."""
        found, codes = np.unique(places, return_inverse=True)
        return cls(codes.astype(np.int64), len(found), len(found) if is_line else 0)

    def range_of_cells(self, source: np.random.Generator) -> Flags:
        """Draw the cells that a count asks for."""
        cells = np.zeros(self.size, dtype=np.bool_)
        if self.ordered:
            width = max(1, int(self.ordered * SHARE))
            first = int(source.integers(0, self.ordered - width + 1))
            cells[first : first + width] = True
        else:
            cells[source.choice(self.size, max(1, int(np.ceil(self.size * SHARE))), replace=False)] = True
        return cells

    def classes(self, partition: Partition, gone: Flags) -> _ClassCells:
        """Return the cells that each class of a release may stand for."""
        pairs = different(partition.labels.astype(np.int64) * self.size + self.codes)
        owner, code = pairs // self.size, pairs % self.size
        on_line = code < self.ordered
        low = np.full(partition.size, self.size, dtype=np.int64)
        high = np.full(partition.size, -1, dtype=np.int64)
        np.minimum.at(low, owner[on_line], code[on_line])
        np.maximum.at(high, owner[on_line], code[on_line])
        low[gone], high[gone] = 0, self.size - 1
        single = ~on_line & ~gone[owner]
        return _ClassCells(low, high, owner[single], code[single])


@dataclass(frozen=True, eq=False)
class _ClassCells:
    """For every class a range of cells, and cells one by one."""

    low: Int64s
    high: Int64s
    owner: Int64s
    code: Int64s

    def share(self, cells: Flags) -> Floats:
        """Return which share of the cells of each class is among those asked for."""
        before = np.concatenate([[0], np.cumsum(cells)])
        width = np.maximum(self.high - self.low + 1, 0)
        inside = np.where(width > 0, before[self.high + 1] - before[np.minimum(self.low, len(cells))], 0)
        alone = np.bincount(self.owner, minlength=len(self.low))
        alone_inside = np.bincount(self.owner, weights=cells[self.code], minlength=len(self.low))
        share: Floats = (inside + alone_inside) / (width + alone)
        return share
