"""Rows of several coded columns: which different ones there are, how often, and which fit which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Flags, Int64s, Ints
from hartley.model.label_fit import LabelFit

LARGEST_KEY = 2**62
SMALL = 1 << 16
"""A table of so many possible keys is always worth it."""
MARKED = 8
"""Where there are up to so many possible keys for each key, they are looked up in a table."""
AT_ONCE = 1 << 21
"""Rows of the original whose fits are looked for at a time, and how many fits at most, but for one row."""


@dataclass(frozen=True, eq=False)
class RowTuples:
    """The different rows of some columns, in their order, and how many rows each stands for."""

    columns: tuple[Int64s, ...]
    sizes: tuple[int, ...]
    """How many values each column has."""
    counts: Int64s

    @classmethod
    def of(cls, codes: Sequence[Ints], sizes: Sequence[int], rows: Ints | None = None) -> RowTuples:
        """Count the different rows.

        >>> found = RowTuples.of([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3])
        >>> [one.tolist() for one in found.columns], found.counts.tolist()
        ([[0, 1], [2, 2]], [1, 2])
        """
        keys, radices, bound = _joined(codes, sizes)
        if bound <= max(2 * len(keys), SMALL):  # a table of all possible rows is no larger than the rows
            table = np.bincount(keys, rows)
            keys = np.flatnonzero(table)
            counts = table[keys]
        else:
            order = np.argsort(keys, kind="stable") if rows is not None else None
            keys = np.sort(keys) if order is None else keys[order]
            first = np.flatnonzero(_starts(keys))
            counts = (
                np.diff(np.append(first, len(keys)))
                if rows is None or order is None
                else np.add.reduceat(np.asarray(rows, dtype=np.int64)[order], first)
            )
            keys = keys[first]
        return cls(_parted(keys, radices), tuple(sizes), counts.astype(np.int64))

    @property
    def size(self) -> int:
        """How many different rows there are."""
        return len(self.counts)

    def head(self, width: int) -> tuple[RowTuples, Int64s]:
        """Return the different rows of the first columns, and for each row here its number among them.

        >>> nothing = RowTuples.of([np.array([], dtype=np.int64)] * 2, [3, 2])
        >>> [one.tolist() for one in (*nothing.head(1)[0].columns, nothing.head(1)[1])]
        [[], []]
        """
        if not self.size:
            return RowTuples(self.columns[:width], self.sizes[:width], self.counts), self.counts
        is_new = np.zeros(self.size, dtype=np.bool_)
        is_new[0] = True
        for column in self.columns[:width]:
            is_new[1:] |= column[1:] != column[:-1]
        first = np.flatnonzero(is_new)
        counts = np.add.reduceat(self.counts, first)
        head = RowTuples(tuple(one[first] for one in self.columns[:width]), self.sizes[:width], counts)
        return head, np.cumsum(is_new) - 1

    def take(self, rows: Flags) -> RowTuples:
        """Return some of the rows."""
        return RowTuples(tuple(one[rows] for one in self.columns), self.sizes, self.counts[rows])


def fitting_pairs(
    people: RowTuples, released: RowTuples, fits: Sequence[LabelFit]
) -> Iterator[tuple[Int64s, Int64s]]:
    """Yield the pairs of a row of the original and a released row whose labels may all stand for its values.

    Pairs come in blocks, in the order of the original's rows, all of one of them in one block. Released rows
    are a
    tree of labels, column by column; the rows of the original walk down to every leaf that fits them.

    >>> plain = LabelFit.of_pairs([0, 1], [0, 1], values=2, labels=2)
    >>> rows = RowTuples.of([np.array([0, 1])], [2])
    >>> [(a.tolist(), b.tolist()) for a, b in fitting_pairs(rows, rows, [plain])]
    [([0, 1], [0, 1])]
    """
    levels = _tree(released)
    waiting = [(start, min(start + AT_ONCE, people.size)) for start in range(0, people.size, AT_ONCE)][::-1]
    while waiting:
        start, stop = waiting.pop()
        row = np.arange(start, stop)
        node = np.zeros(len(row), dtype=np.int64)
        for place, (fit, level) in enumerate(zip(fits, levels, strict=True)):
            value = people.columns[place][row]
            first = fit.indptr[value]
            if fit.is_single:
                has_one = first < fit.indptr[value + 1]
                row, node, first = row[has_one], node[has_one], first[has_one]
                label = fit.indices[first]
            else:
                times = fit.indptr[value + 1] - first
                if times.sum() > AT_ONCE and stop - start > 1:
                    middle = (start + stop) // 2
                    waiting += [(middle, stop), (start, middle)]
                    break
                row, node = np.repeat(row, times), np.repeat(node, times)
                offset = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
                label = fit.indices[np.repeat(first, times) + offset]
            node, is_there = level.find(node * fit.labels + label)
            row, node = row[is_there], node[is_there]
        else:
            yield row, node


@dataclass(frozen=True, eq=False)
class _Level:
    """The nodes of one level of the tree, by the key of their parent and label."""

    keys: Int64s
    table: Int64s | None

    def find(self, keys: Int64s) -> tuple[Int64s, Flags]:
        if self.table is not None:
            found = self.table[keys]
            return found, found >= 0
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return places, self.keys[places] == keys


def _tree(released: RowTuples) -> list[_Level]:
    """Return the levels; the leaves are the released rows in their order."""
    levels = []
    node, nodes = np.zeros(released.size, dtype=np.int64), 1
    for column, size in zip(released.columns, released.sizes, strict=True):
        keys = node * size + column
        is_new = _starts(keys)  # released rows are in order, so are the keys of each level
        first = keys[is_new]
        table = None
        if nodes * size <= MARKED * max(len(first), SMALL):
            table = np.full(nodes * size, -1, dtype=np.int64)
            table[first] = np.arange(len(first))
        levels.append(_Level(first, table))
        node, nodes = np.cumsum(is_new) - 1, len(first)
    return levels


def rows_present(rows: RowTuples, others: RowTuples, same: Sequence[Int64s]) -> Flags:
    """Tell which rows stand among others, where ``same`` is the code of each value there, or -1."""
    translated = [one[column] for one, column in zip(same, rows.columns, strict=True)]
    known: Flags = np.logical_and.reduce([one >= 0 for one in translated])
    node = np.zeros(rows.size, dtype=np.int64)
    for column, size, level in zip(translated, others.sizes, _tree(others), strict=True):
        node, is_there = level.find(np.where(known, node * size + column, 0))
        known &= is_there
        node = np.where(known, node, 0)
    return known


def _starts(keys: Int64s) -> Flags:
    is_new = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return is_new


def _joined(
    codes: Sequence[Ints], sizes: Sequence[int]
) -> tuple[Int64s, list[tuple[int, Int64s | None]], int]:
    """Return one key for each row, the size and the meaning of each step that takes it apart, and a bound.

    Where the keys of all columns together would be no number, what the first ones say is numbered anew.
    """
    key = np.asarray(codes[0], dtype=np.int64)
    bound = max(sizes[0], 1)
    steps: list[tuple[int, Int64s | None]] = []
    for column, size in zip(codes[1:], sizes[1:], strict=True):
        meaning = None
        if bound * max(size, 1) >= LARGEST_KEY:
            meaning, key = np.unique(key, return_inverse=True)
            bound = len(meaning)
        key = key * max(size, 1) + column
        bound *= max(size, 1)
        steps.append((max(size, 1), meaning))
    return key, steps, bound


def _parted(keys: Int64s, steps: list[tuple[int, Int64s | None]]) -> tuple[Int64s, ...]:
    columns: list[Int64s] = []
    if len(keys) and keys[-1] < 2**31:  # in order, so the last is the largest; short numbers divide faster
        keys = keys.astype(np.int32)
    for size, meaning in reversed(steps):
        rest = keys // size
        columns.append((keys - rest * size).astype(np.int64))
        keys = rest
        keys = keys if meaning is None else meaning[keys]
    return (keys.astype(np.int64), *reversed(columns))
