"""Rows as whole numbers: of the keys in a column, and of combinations of keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hartley.verifier.tables.plain_keys import PlainKeys, distinct, meaning

Ints = npt.NDArray[np.integer]
Int64s = npt.NDArray[np.int64]

WIDEST = 1 << 62
"""Combinations that have no number each any more."""


@dataclass(frozen=True)
class Numbered:
    """A key for each row, as a number into the different keys."""

    codes: Ints
    keys: Sequence[Hashable]

    @classmethod
    def of(cls, codes: Ints, keys: Iterable[Hashable]) -> Numbered:
        """Return, for each row, the key that its code stands for; equal keys become one."""
        return cls(codes, list(keys)).renumbered(distinct)

    def meaning(self, kind: str | None) -> Numbered:
        """Return what the cells of each row mean in a column of a kind."""
        return self.renumbered(lambda keys: meaning(keys, kind))

    def renumbered(self, work: Callable[[Sequence[Hashable]], tuple[Ints, Sequence[Hashable]]]) -> Numbered:
        """Return what becomes of the key of each row."""
        numbers, keys = work(self.keys)
        is_same = len(keys) == len(numbers) and np.array_equal(numbers, np.arange(len(numbers)))
        return Numbered(self.codes if is_same else numbers[self.codes], keys)

    def reprs(self) -> Any:
        """Return how Python shows each key, as an Arrow array."""
        import pyarrow as pa

        if isinstance(self.keys, PlainKeys):
            return self.keys.reprs()
        return pa.array(map(repr, self.keys), pa.string())

    def are_equal(self, key: Hashable) -> npt.NDArray[np.bool_]:
        """Tell of each row whether it has a key."""
        if key is None and isinstance(self.keys, PlainKeys):
            is_it = self.keys.is_missing
        else:
            is_it = np.array([one == key for one in self.keys], dtype=bool)
        if not is_it.any():
            return np.zeros(len(self.codes), dtype=np.bool_)
        found: npt.NDArray[np.bool_] = is_it[self.codes]
        return found


@dataclass(frozen=True)
class Combined:
    """A number for each row: of the combination of keys that it has."""

    codes: Ints
    size: int
    """The numbers lie below this; not all of them need to occur."""

    @classmethod
    def of(cls, parts: Sequence[Numbered], rows: int) -> Combined:
        """Assign numbers to combinations of keys, in the order of the keys' numbers."""
        return cls(*packed_codes([part.codes for part in parts], [len(part.keys) for part in parts], rows))

    @classmethod
    def pair(cls, one: Combined, other: Combined) -> Combined:
        """Return numbers for pairs of numbers, of which there must be fewer than 2^62."""
        if other.size == 1:
            return one
        codes: Any = one.codes.astype(np.int32 if one.size * other.size < 1 << 31 else np.int64)
        codes *= other.size
        codes += other.codes
        return cls(codes, one.size * other.size)

    def dense(self) -> Combined:
        """Return numbers in the same order that all occur."""
        if self.size > 4 * len(self.codes) + 1024:
            found, codes = np.unique(self.codes, return_inverse=True)
            return Combined(codes, len(found))
        # Few enough to have a place for each combination.
        occurs = np.zeros(self.size, dtype=np.bool_)
        occurs[self.codes] = True
        number = np.cumsum(occurs, dtype=np.int32) - 1
        return Combined(number[self.codes], int(number[-1]) + 1)

    def occurring(self) -> Int64s:
        """Return the numbers that occur, ascending."""
        if self.size <= 8 * len(self.codes) + 1024:
            occurs = np.zeros(self.size, dtype=np.bool_)
            occurs[self.codes] = True
            return np.flatnonzero(occurs)
        ascending = np.sort(self.codes)
        return ascending[are_new(ascending)].astype(np.int64)

    def examples(self) -> Int64s:
        """Return a row for each number that occurs, in the order of the numbers."""
        if self.size > 4 * len(self.codes) + 1024:
            return np.unique(self.codes, return_index=True)[1]
        row_at = np.full(self.size, -1, dtype=np.int64)
        row_at[self.codes] = np.arange(len(self.codes))
        return row_at[row_at >= 0]

    def grouped(self, counts: Int64s) -> tuple[Int64s, Int64s]:
        """Return a row for each number that occurs, in the order of the numbers, and its sum of counts."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.flatnonzero(are_new(self.codes[order]))
        return order[starts], np.add.reduceat(counts[order], starts)

    def are_balanced(self, counts: Int64s) -> bool:
        """Tell, where it can be told by sorting alone, whether positive and negative counts cancel out.

        Where they do, numbers as often as they count are the same on both sides.
        """
        if self.size <= len(self.codes) + 1024 or int(np.abs(counts).sum()) > 2 * len(counts):
            return False
        lacking = np.repeat(self.codes[counts > 0], counts[counts > 0])
        extra = np.repeat(self.codes[counts < 0], -counts[counts < 0])
        lacking.sort()
        extra.sort()
        return np.array_equal(lacking, extra)

    def totals(self, counts: Int64s) -> tuple[Ints, Int64s]:
        """Return the numbers that occur, ascending, and the sums of counts; sums of nothing are left out."""
        if self.size <= len(self.codes) + 1024:
            # Exact: sums of whole numbers stay far below 2^53.
            sums = np.bincount(self.codes, weights=counts, minlength=self.size)
            occurs = np.flatnonzero(sums)
            return occurs, sums[occurs].astype(np.int64)
        found, sums = summed(self.codes, counts, "quicksort")
        return found[sums != 0], sums[sums != 0]


def packed_codes(columns: Sequence[Ints], sizes: Sequence[int], rows: int) -> tuple[Ints, int]:
    """Return one number for the codes of each row, in the order of the codes, and how many there may be."""
    is_narrow = prod(max(1, choices) for choices in sizes) < 1 << 31
    packed: Any = np.zeros(rows, dtype=np.int32 if is_narrow else np.int64)
    size = 1
    for codes, choices in zip(columns, sizes, strict=True):
        if size * choices >= WIDEST:
            found, packed = np.unique(packed, return_inverse=True)
            size = len(found)
        packed *= max(1, choices)
        packed += codes
        size *= max(1, choices)
    return packed, size


def summed(packed: Ints, counts: Int64s, sort: Literal["stable", "quicksort"]) -> tuple[Ints, Int64s]:
    """Return different numbers, ascending, and the sum of counts for each."""
    if not len(packed):
        return packed, counts
    order = np.argsort(packed, kind=sort)
    ascending = packed[order]
    starts = np.flatnonzero(are_new(ascending))
    return ascending[starts], np.add.reduceat(counts[order], starts)


def are_new(ascending: Ints) -> npt.NDArray[np.bool_]:
    """Tell where another number begins."""
    differs = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=differs[1:])
    return differs
