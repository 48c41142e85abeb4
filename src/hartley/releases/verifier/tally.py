"""The different rows of a table and how often each occurs, for the verifier: cells numbered, rows in arrays.

A table has few different cells. What a cell means is asked once for each of them, in plain Python;
the rows are whole numbers that stand for their cells, and are counted as such.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.releases.verifier.row_hash import RowNumbers
from hartley.releases.verifier.tables.plain_keys import PlainKeys, distinct, meaning
from hartley.releases.verifier.tables.reread import RereadTable, python_cells

Ints = npt.NDArray[np.integer]
Int64s = npt.NDArray[np.int64]

AT_ONCE = 1 << 22
"""Rows up to which they are collected and sorted to be counted; more are counted as they come."""
_WIDEST = 1 << 62


@dataclass(frozen=True)
class Numbered:
    """A key for each row, as a number into the different keys."""

    codes: Ints
    keys: Sequence[Hashable]

    @classmethod
    def of(cls, codes: Ints, keys: Iterable[Hashable]) -> Numbered:
        """Return, for each row, the key that its code stands for; equal keys become one."""
        renumbered, found = distinct(list(keys))
        return cls(renumbered[codes], found)

    def meaning(self, kind: str | None) -> Numbered:
        """Return what the cells of each row mean in a column of a kind."""
        renumbered, found = meaning(self.keys, kind)
        return Numbered(renumbered[self.codes], found)

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
        found: npt.NDArray[np.bool_] = is_it[self.codes]
        return found


@dataclass(frozen=True)
class Combined:
    """Combinations of keys: the number of each row's, and for each number a row that has it."""

    codes: Ints
    example: Ints

    @classmethod
    def of(cls, parts: Sequence[Numbered], rows: int) -> Combined:
        """Find the combinations of keys that occur, and number them in the order of the keys' numbers."""
        packed, size = packed_codes([part.codes for part in parts], [len(part.keys) for part in parts], rows)
        if size > 4 * rows + 1024:
            order = np.argsort(packed)
            is_first = _differs(packed[order])
            codes = np.empty(rows, dtype=np.int32)
            codes[order] = np.cumsum(is_first, dtype=np.int32) - 1
            return cls(codes, order[is_first])
        # Few enough to have a place for each combination.
        row_at = np.full(size, -1, dtype=np.int32)
        row_at[packed] = np.arange(rows, dtype=np.int32)
        occurs = row_at >= 0
        return cls((np.cumsum(occurs, dtype=np.int32) - 1)[packed], row_at[occurs])

    @property
    def size(self) -> int:
        """How many different combinations there are."""
        return len(self.example)

    def totals(self, counts: Int64s) -> Int64s:
        """Add up counts of rows by combination."""
        # Exact: sums of whole numbers stay far below 2^53.
        return np.bincount(self.codes, weights=counts, minlength=self.size).astype(np.int64)

    def keys(self, parts: Sequence[Numbered]) -> list[tuple[Hashable, ...]]:
        """Return the keys of each combination."""
        columns = ([part.keys[code] for code in part.codes[self.example].tolist()] for part in parts)
        return list(zip(*columns, strict=True)) if parts else [()] * self.size


def packed_codes(columns: Sequence[Ints], sizes: Sequence[int], rows: int) -> tuple[Int64s, int]:
    """Return one number for the codes of each row, in the order of the codes, and how many there may be."""
    packed, size = np.zeros(rows, dtype=np.int64), 1
    for codes, choices in zip(columns, sizes, strict=True):
        if size * choices >= _WIDEST:
            found, packed = np.unique(packed, return_inverse=True)
            size = len(found)
        packed *= max(1, choices)
        packed += codes
        size *= max(1, choices)
    return packed, size


@dataclass(frozen=True)
class RowTally:
    """Different rows of some columns, and how often each occurs."""

    columns: dict[str, Numbered]
    counts: Int64s
    worked_out: dict[Hashable, Numbered] = field(default_factory=dict, compare=False, repr=False)
    """What was worked out for each row so far, by what it is."""

    def once(self, what: Hashable, work: Callable[[], Numbered]) -> Numbered:
        """Return what is to be worked out for each row: the first time by ``work``, then from memory."""
        if what not in self.worked_out:
            self.worked_out[what] = work()
        return self.worked_out[what]

    def __len__(self) -> int:
        return len(self.counts)

    def where(self, wanted: npt.NDArray[np.bool_]) -> RowTally:
        """Return some of the rows."""
        if wanted.all():
            return self
        kept = {name: Numbered(one.codes[wanted], one.keys) for name, one in self.columns.items()}
        return RowTally(kept, self.counts[wanted])


def tally(source: RereadTable, names: list[str], told: Callable[[int], None] | None = None) -> RowTally:
    """Count the rows of a table by their cells in some columns; ``told`` hears how many have come."""
    collected = _Collected(names)
    for codes, counts in _coded(source, names, collected.cells):
        collected.add(codes, counts)
        if told is not None:
            told(len(codes[0]))
    return collected.tally()


def numbered_batches(source: RereadTable, names: list[str]) -> Iterator[dict[str, Numbered]]:
    """Return the rows of a table in their order, batch by batch, their cells numbered."""
    cells = [_Cells(name) for name in names]
    for codes, _ in _coded(source, names, cells):
        yield {
            name: Numbered(one, known.keys()) for name, one, known in zip(names, codes, cells, strict=True)
        }


def _coded(
    source: RereadTable, names: list[str], known: Sequence[_Cells]
) -> Iterator[tuple[list[Ints], Int64s | None]]:
    """Return the rows of a table as numbers of their cells, batch by batch, and how often each occurs."""
    if source.has_batches:
        for columns, counts in source.batches(names):
            yield [one.codes(column) for one, column in zip(known, columns, strict=True)], counts
        return
    rows = source.rows(names)
    while batch := list(islice(rows, 1 << 16)):
        cells = zip(*batch, strict=True)
        yield [one.listed(column) for one, column in zip(known, cells, strict=True)], None


class _Cells:
    """The different cells of a column, numbered as they come."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: dict[Hashable, int] = {}
        self._seen: Any = None
        """The different Arrow cells that have come."""
        self._codes: Ints = np.zeros(0, dtype=np.int32)
        """The number of each; each has its own place as number while cells are held as an array."""
        self._is_array = True

    def __len__(self) -> int:
        return len(self._seen) if self._is_array and self._seen is not None else len(self._found)

    def keys(self) -> Sequence[Hashable]:
        """Return the different cells in the order of their numbers."""
        return PlainKeys(self._seen) if self._is_array and self._seen is not None else list(self._found)

    def listed(self, cells: Iterable[Any]) -> Ints:
        """Return the numbers of cells."""
        self._list()
        found = self._found
        return np.array([found.setdefault(_key(cell), len(found)) for cell in cells], dtype=np.int32)

    def _list(self) -> None:
        """Hold the cells one by one from now on."""
        if self._is_array:
            self._is_array = False
            if self._seen is not None:
                self.listed(python_cells(self._seen, self._name))

    def codes(self, column: Any) -> Ints:
        """Return the numbers of the cells of an Arrow column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = column.type
        plain = _plain_cells(column)
        if plain is None:
            self._list()
        # By its bits, for Arrow takes -0.0 and 0.0 for the same.
        bits = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}.get(kind)
        if plain is None and bits is None and not _is_plain(kind):
            return self.listed(python_cells(column, self._name))
        if plain is None:
            plain = column if bits is None else column.view(bits)
        if self._seen is None:
            self._seen = pa.array([], plain.type)
        if not len(self._seen):
            coded = plain.dictionary_encode(null_encoding="encode")
            fresh, places = coded.dictionary, coded.indices
        else:
            places = pc.index_in(plain, value_set=self._seen)
            fresh = None
            if places.null_count:
                fresh = pc.unique(plain.filter(pc.is_null(places)))
        if fresh is not None:
            held = len(self._seen)
            self._seen = pa.concat_arrays([self._seen, fresh]) if held else fresh
            more: Ints
            if self._is_array:
                more = np.arange(held, held + len(fresh), dtype=np.int32)
            else:
                cells = fresh if bits is None else fresh.view(kind)
                more = self.listed(python_cells(cells, self._name))
            self._codes = np.concatenate([self._codes, more])
            if places.null_count:
                places = pc.index_in(plain, value_set=self._seen)
        found = places.to_numpy(zero_copy_only=False)
        numbers: Ints = found.astype(np.int32, copy=False) if self._is_array else self._codes[found]
        return numbers


class _Collected:
    """Rows that have come so far."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self.cells = [_Cells(name) for name in names]
        self._fresh: list[tuple[list[Ints], Int64s]] = []
        self._waiting = 0
        self._counted: RowNumbers | None = None
        """The different rows of those that do not wait any more."""

    def add(self, codes: list[Ints], counts: Int64s | None = None) -> None:
        """Take rows, each once or as often as counted."""
        rows = len(codes[0])
        self._fresh.append((codes, np.ones(rows, dtype=np.int64) if counts is None else counts))
        self._waiting += rows
        if self._waiting > AT_ONCE:
            self._count()

    def _count(self) -> None:
        if self._counted is None:
            self._counted = RowNumbers(len(self._names))
        for codes, counts in self._fresh:
            self._counted.add(codes, counts)
        self._fresh, self._waiting = [], 0

    def tally(self) -> RowTally:
        """Return the different rows."""
        if self._counted is None:
            codes, counts = self._sorted()
        else:
            self._count()
            codes, counts = self._counted.counted()
        numbered = [Numbered(one, cells.keys()) for one, cells in zip(codes, self.cells, strict=True)]
        return RowTally(dict(zip(self._names, numbered, strict=True)), counts)

    def _sorted(self) -> tuple[list[Ints], Int64s]:
        if not self._fresh:
            return [np.zeros(0, dtype=np.int32) for _ in self._names], np.zeros(0, dtype=np.int64)
        columns, counts = zip(*self._fresh, strict=True)
        codes = [np.concatenate(column) for column in zip(*columns, strict=True)]
        return _counted_together(codes, np.concatenate(counts), [len(cells) for cells in self.cells])


def _counted_together(codes: list[Ints], counts: Int64s, sizes: list[int]) -> tuple[list[Ints], Int64s]:
    """Return different rows and how often each occurs, by sorting."""
    packed, _ = packed_codes(codes, sizes, len(counts))
    order = np.argsort(packed, kind="stable")
    starts = np.flatnonzero(_differs(packed[order]))
    return [one[order[starts]] for one in codes], np.add.reduceat(counts[order], starts)


def _differs(ascending: Int64s) -> npt.NDArray[np.bool_]:
    """Tell where another number begins."""
    differs = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=differs[1:])
    return differs


def _is_plain(kind: Any) -> bool:
    """Whether Arrow tells the cells of a type apart as they are."""
    import pyarrow as pa

    tests = ("integer", "string", "large_string", "date", "boolean", "timestamp", "decimal128")
    return any(getattr(pa.types, f"is_{test}")(kind) for test in tests)


def _plain_cells(column: Any) -> Any:
    """Return whole numbers in one type, and texts in one type; nothing of other cells."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column.cast(pa.string())
    is_whole = pa.types.is_integer(kind) and not pa.types.is_uint64(kind)
    return column.cast(pa.int64()) if is_whole else None


def _key(cell: Any) -> Hashable:
    """Make equal cells equal keys: -0.0 is not 0.0 here, and NaN is itself."""
    if isinstance(cell, float):
        return _NAN if cell != cell else _Float(cell)
    return cell if isinstance(cell, Hashable) else repr(cell)


class _Float(float):
    """A float that tells -0.0 from 0.0 as a key."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and repr(float(self)) == repr(float(other))

    def __hash__(self) -> int:
        return hash(repr(float(self)))

    def __repr__(self) -> str:
        return repr(float(self))


_NAN = float("nan")
