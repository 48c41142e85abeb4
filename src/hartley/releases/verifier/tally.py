"""The different rows of a table and how often each occurs, for the verifier: cells numbered, rows in arrays.

A table has few different cells. What a cell means is asked once for each of them, in plain Python;
the rows are whole numbers that stand for their cells, and are counted as such. Where different rows are too
many to be held, they go to a file on disk, part by part, and are counted one part after the other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import prod
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hartley.releases.verifier.tables.arrow_arrays import arrow_numbers, whole_numbers
from hartley.releases.verifier.tables.plain_keys import PlainKeys, distinct, meaning
from hartley.releases.verifier.tables.reread import RereadTable, python_cells

Ints = npt.NDArray[np.integer]
Int64s = npt.NDArray[np.int64]

AT_ONCE = 1 << 26
"""Cells of rows that are collected before equal rows become one."""
PARTS = 64
"""Parts that rows on disk are in."""
_NEAR = 1 << 22
"""Whole numbers of a column that lie within so many have a place for each."""
_WIDEST = 1 << 62


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
        return ascending[_differs(ascending)].astype(np.int64)

    def examples(self) -> Int64s:
        """Return a row for each number that occurs, in the order of the numbers."""
        if self.size > 4 * len(self.codes) + 1024:
            return np.unique(self.codes, return_index=True)[1]
        row_at = np.full(self.size, -1, dtype=np.int64)
        row_at[self.codes] = np.arange(len(self.codes))
        return row_at[row_at >= 0]

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
        found, sums = _summed(self.codes, counts, "quicksort")
        return found[sums != 0], sums[sums != 0]


def packed_codes(columns: Sequence[Ints], sizes: Sequence[int], rows: int) -> tuple[Ints, int]:
    """Return one number for the codes of each row, in the order of the codes, and how many there may be."""
    is_narrow = prod(max(1, choices) for choices in sizes) < 1 << 31
    packed: Any = np.zeros(rows, dtype=np.int32 if is_narrow else np.int64)
    size = 1
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
    of_keys: dict[Hashable, tuple[Ints, Sequence[Hashable]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """What was worked out for the keys of columns so far; rows of the same columns share it."""
    of_rows: dict[Hashable, Numbered] = field(default_factory=dict, compare=False, repr=False)
    """What was worked out for each row so far."""

    def renumbered(
        self,
        name: str,
        what: Hashable,
        work: Callable[[Sequence[Hashable]], tuple[Ints, Sequence[Hashable]]],
    ) -> Numbered:
        """Return what becomes of the key of each row in a column: the first time by ``work``."""

        def once(keys: Sequence[Hashable]) -> tuple[Ints, Sequence[Hashable]]:
            if (name, what) not in self.of_keys:
                self.of_keys[name, what] = work(keys)
            return self.of_keys[name, what]

        return self.columns[name].renumbered(once)

    def meaning(self, name: str, kind: str | None) -> Numbered:
        """Return what the cells of a column mean."""
        return self.renumbered(name, ("meaning", kind), lambda keys: meaning(keys, kind))

    def once(self, what: Hashable, work: Callable[[], Numbered]) -> Numbered:
        """Return what is to be worked out for each row: the first time by ``work``, then from memory."""
        if what not in self.of_rows:
            self.of_rows[what] = work()
        return self.of_rows[what]

    def __len__(self) -> int:
        return len(self.counts)

    def where(self, wanted: npt.NDArray[np.bool_]) -> RowTally:
        """Return some of the rows."""
        if wanted.all():
            return self
        kept = {name: Numbered(one.codes[wanted], one.keys) for name, one in self.columns.items()}
        return RowTally(kept, self.counts[wanted], self.of_keys)


def tally(source: RereadTable, names: list[str], told: Callable[[int], None] | None = None) -> RowTally:
    """Count the rows of a table by their cells in some columns; ``told`` hears how many have come."""
    return next(iter(TalliedParts(source, names, None, told)))


class TalliedParts:
    """The different rows of a table: all of them, or where they are too many part by part, from disk."""

    def __init__(
        self,
        source: RereadTable,
        names: list[str],
        part_of: Callable[[RowTally], Ints] | None,
        told: Callable[[int], None] | None = None,
    ) -> None:
        """``part_of`` returns the part of each row, below ``PARTS``; without it all rows stay here.

        ``told`` hears how many rows have come.
        """
        self._names = names
        self._part_of = part_of
        self._cells = [_Cells(name) for name in names]
        self._waiting = _Waiting(len(names))
        self._disk: _RowsOnDisk | None = None
        for codes, counts in _coded(source, names, self._cells):
            self._waiting.add(codes, counts)
            if self._waiting.cells > AT_ONCE:
                self._waiting.count(self._sizes())
                if part_of is not None and self._waiting.cells > AT_ONCE // 2:
                    self.to_disk()
            if told is not None:
                told(len(codes[0]))
        self._waiting.count(self._sizes())
        if self._disk is not None:
            self.to_disk()
        self._keys = self._keys_so_far()
        self._of_keys: dict[Hashable, tuple[Ints, Sequence[Hashable]]] = {}

    @property
    def is_on_disk(self) -> bool:
        """Whether the rows come in parts."""
        return self._disk is not None

    def to_disk(self) -> None:
        """Write the rows that are here to their parts on disk."""
        assert self._part_of is not None  # noqa: S101 (whoever asks for parts says which)
        self._disk = self._disk or _RowsOnDisk(len(self._names))
        codes, counts = self._waiting.taken()
        part = self._part_of(self._rows(codes, counts, self._keys_so_far(), {}))
        self._disk.write(codes, counts, part)

    def __iter__(self) -> Iterator[RowTally]:
        if self._disk is None:
            yield self._rows(*self._waiting.counted, self._keys, self._of_keys)
            return
        for part in range(PARTS):
            counted = _rows_counted(*self._disk.read(part), self._sizes())
            yield self._rows(*counted, self._keys, self._of_keys)

    def _sizes(self) -> list[int]:
        return [len(cells) for cells in self._cells]

    def _keys_so_far(self) -> list[Sequence[Hashable]]:
        return [cells.keys() for cells in self._cells]

    def _rows(
        self,
        codes: list[Ints],
        counts: Int64s,
        keys: list[Sequence[Hashable]],
        of_keys: dict[Hashable, tuple[Ints, Sequence[Hashable]]],
    ) -> RowTally:
        numbered = map(Numbered, codes, keys)
        return RowTally(dict(zip(self._names, numbered, strict=True)), counts, of_keys)


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
        self._near: _NearNumbers | None = _NearNumbers()
        """The cells as long as all are whole numbers that lie close together."""
        self._seen: Any = None
        """The different Arrow cells that have come."""
        self._codes: Ints = np.zeros(0, dtype=np.int32)
        """The number of each; each has its own place as number while cells are held as an array."""
        self._is_array = True

    def __len__(self) -> int:
        if self._near is not None:
            return self._near.size
        return len(self._seen) if self._is_array and self._seen is not None else len(self._found)

    def keys(self) -> Sequence[Hashable]:
        """Return the different cells in the order of their numbers."""
        if self._near is not None and self._near.size:
            return PlainKeys(arrow_numbers(self._near.cells()))
        return PlainKeys(self._seen) if self._is_array and self._seen is not None else list(self._found)

    def listed(self, cells: Iterable[Any]) -> Ints:
        """Return the numbers of cells."""
        self._list()
        found = self._found
        return np.array([found.setdefault(_key(cell), len(found)) for cell in cells], dtype=np.int32)

    def _list(self) -> None:
        """Hold the cells one by one from now on."""
        self._leave_near()
        if self._is_array:
            self._is_array = False
            if self._seen is not None:
                self.listed(python_cells(self._seen, self._name))

    def _leave_near(self) -> None:
        if self._near is not None and self._near.size:
            self._seen = arrow_numbers(self._near.cells())
            self._codes = np.arange(len(self._seen), dtype=np.int32)
        self._near = None

    def codes(self, column: Any) -> Ints:
        """Return the numbers of the cells of an Arrow column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = column.type
        plain = _plain_cells(column)
        if self._near is not None:
            is_whole = plain is not None and plain.type == pa.int64() and not plain.null_count
            near = self._near.codes(whole_numbers(plain)) if is_whole else None
            if near is not None:
                return near
            self._leave_near()
        if plain is None:
            self._list()
        # By its bits, for Arrow takes -0.0 and 0.0 for the same.
        bits = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}.get(kind)
        if plain is None and bits is None and not _is_plain(kind):
            return self.listed(python_cells(column, self._name))
        if plain is None:
            plain = column if bits is None else column.view(bits)
        if self._seen is None:
            self._seen = pa.nulls(0, plain.type)
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
        found = whole_numbers(places)
        numbers: Ints = found.astype(np.int32, copy=False) if self._is_array else self._codes[found]
        return numbers


class _NearNumbers:
    """Whole numbers that lie so close together that each has a place of its own."""

    def __init__(self) -> None:
        self.size = 0
        self._low = 0
        self._number_at: Ints = np.zeros(0, dtype=np.int32)

    def cells(self) -> Int64s:
        """Return the whole numbers in the order of the numbers that they have."""
        places = np.flatnonzero(self._number_at >= 0)
        found = np.empty(self.size, dtype=np.int64)
        found[self._number_at[places]] = places + self._low
        return found

    def codes(self, cells: Int64s) -> Ints | None:
        """Return the numbers of cells; nothing where they lie too far apart."""
        if not len(cells):
            return np.zeros(0, dtype=np.int32)
        low, high = int(cells.min()), int(cells.max())
        if len(self._number_at):
            low, high = min(low, self._low), max(high, self._low + len(self._number_at) - 1)
        if high - low >= _NEAR:
            return None
        if high - low >= len(self._number_at):
            wider = np.full(high - low + 1, -1, dtype=np.int32)
            wider[self._low - low :][: len(self._number_at)] = self._number_at
            self._low, self._number_at = low, wider
        places = cells - self._low
        codes: Ints = self._number_at[places]
        if int(codes.min()) < 0:
            fresh = np.unique(places[codes < 0])
            self._number_at[fresh] = np.arange(self.size, self.size + len(fresh), dtype=np.int32)
            self.size += len(fresh)
            codes = self._number_at[places]
        return codes


class _Waiting:
    """Rows that have come so far: those of which equal ones are one, and fresh ones."""

    def __init__(self, columns: int) -> None:
        nothing: Ints = np.zeros(0, dtype=np.int32)
        self._nothing: tuple[list[Ints], Int64s] = [nothing] * columns, np.zeros(0, dtype=np.int64)
        self.counted = self._nothing
        self._fresh: list[list[Ints]] = []
        self._weighed: list[tuple[list[Ints], Int64s]] = []
        """Fresh rows that come with how often each occurs."""
        self.cells = 0

    def add(self, codes: list[Ints], counts: Int64s | None) -> None:
        """Take rows, each once or as often as counted."""
        if counts is None:
            self._fresh.append(codes)
        else:
            self._weighed.append((codes, counts))
        self.cells += len(codes) * len(codes[0])

    def count(self, sizes: list[int]) -> None:
        """Let equal rows be one."""
        found = [*self._weighed, self.counted] if len(self.counted[1]) else self._weighed
        if self._fresh:
            codes = [np.concatenate(column) for column in zip(*self._fresh, strict=True)]
            self._fresh = []
            found = [*found, _rows_counted(codes, None, sizes)]
        if len(found) > 1 or self._weighed:
            columns, counts = zip(*found, strict=True)
            codes = [np.concatenate(column) for column in zip(*columns, strict=True)]
            found = [_rows_counted(codes, np.concatenate(counts), sizes)]
        self._weighed = []
        self.counted = found[0] if found else self._nothing
        self.cells = len(self.counted[0]) * len(self.counted[1])

    def taken(self) -> tuple[list[Ints], Int64s]:
        """Return the counted rows, and forget them."""
        found, self.counted, self.cells = self.counted, self._nothing, 0
        return found


class _RowsOnDisk:
    """Rows in a file without a name, which is gone when nobody reads it any more."""

    def __init__(self, columns: int) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (it is read for as long as this is there)
        self._columns = columns
        self._pieces: list[tuple[int, Int64s]] = []
        """Where each piece begins, and the first row of each part in it."""

    def write(self, codes: list[Ints], counts: Int64s, part: Ints) -> None:
        """Write rows, those of one part together."""
        order = np.argsort(part.astype(np.uint8), kind="stable")
        starts = np.zeros(PARTS + 1, dtype=np.int64)
        np.cumsum(np.bincount(part, minlength=PARTS), out=starts[1:])
        self._pieces.append((self._file.seek(0, 2), starts))
        for column in codes:
            self._file.write(column[order].astype(np.int32, copy=False).data)
        self._file.write(counts[order].data)

    def read(self, part: int) -> tuple[list[Ints], Int64s]:
        """Return the rows of a part; one may come several times."""
        pieces = []
        for begin, starts in self._pieces:
            rows, first, many = int(starts[-1]), int(starts[part]), int(starts[part + 1] - starts[part])
            codes = [
                self._numbers(begin + 4 * (column * rows + first), np.int32, many)
                for column in range(self._columns)
            ]
            place = begin + 4 * self._columns * rows + 8 * first
            pieces.append([*codes, self._numbers(place, np.int64, many)])
        *columns, counts = (np.concatenate(column) for column in zip(*pieces, strict=True))
        return columns, counts

    def _numbers(self, place: int, kind: Any, many: int) -> Any:
        self._file.seek(place)
        return np.frombuffer(self._file.read(many * np.dtype(kind).itemsize), dtype=kind)


def _rows_counted(codes: list[Ints], counts: Int64s | None, sizes: list[int]) -> tuple[list[Ints], Int64s]:
    """Return different rows and how often each occurs, by sorting."""
    rows = len(codes[0])
    packed, size = packed_codes(codes, sizes, rows)
    if size < _WIDEST and not _is_renumbered(sizes):
        if counts is None:
            packed.sort()
            starts = np.flatnonzero(_differs(packed))
            keys, totals = packed[starts], np.diff(starts, append=rows)
        else:
            # Ascending runs, which this way of sorting only has to merge.
            keys, totals = _summed(packed, counts, "stable")
        return _unpacked(keys, sizes), totals
    order = np.argsort(packed, kind="stable")
    starts = np.flatnonzero(_differs(packed[order]))
    if counts is None:
        return [one[order[starts]] for one in codes], np.diff(starts, append=rows)
    totals = np.add.reduceat(counts[order], starts) if rows else counts
    return [one[order[starts]] for one in codes], totals


def _is_renumbered(sizes: Sequence[int]) -> bool:
    """Whether numbers for rows of columns of these sizes cannot be taken apart again."""
    size = 1
    for choices in sizes:
        if size * choices >= _WIDEST:
            return True
        size *= max(1, choices)
    return False


def _unpacked(packed: Ints, sizes: Sequence[int]) -> list[Ints]:
    """Return the codes of rows, column by column, from one number for each row."""
    found: list[Ints] = []
    for choices in reversed(sizes[1:]):
        packed, code = np.divmod(packed, max(1, choices))
        found.append(code.astype(np.int32))
    return [packed.astype(np.int32), *reversed(found)]


def _summed(packed: Ints, counts: Int64s, sort: Literal["stable", "quicksort"]) -> tuple[Ints, Int64s]:
    """Return different numbers, ascending, and the sum of counts for each."""
    if not len(packed):
        return packed, counts
    order = np.argsort(packed, kind=sort)
    ascending = packed[order]
    starts = np.flatnonzero(_differs(ascending))
    return ascending[starts], np.add.reduceat(counts[order], starts)


def _differs(ascending: Ints) -> npt.NDArray[np.bool_]:
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
