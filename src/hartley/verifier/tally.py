"""The different rows of a table and how often each occurs, for the verifier: cells numbered, rows in arrays.

A table has few different cells. What a cell means is asked once for each of them, in plain Python;
the rows are whole numbers that stand for their cells, and are counted as such. Where different rows are too
many to be held, they go to a file on disk, part by part, and are counted one part after the other.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.verifier.tables.cell_numbers import CellNumbers
from hartley.verifier.tables.plain_keys import meaning
from hartley.verifier.tables.reread import RereadTable
from hartley.verifier.tables.row_numbers import (
    WIDEST,
    Combined,
    Int64s,
    Ints,
    Numbered,
    are_new,
    packed_codes,
    summed,
)

AT_ONCE = 1 << 25
"""Cells of rows that are collected before equal rows become one."""
PARTS = 64
"""Parts that rows on disk are in."""
BLOCK = 1 << 18
"""Rows that are taken apart at once."""
MOST_PLACES = 1 << 22
"""Combinations that may have a place each, whether they occur or not."""


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


def tally(source: RereadTable, names: list[str]) -> RowTally:
    """Count the rows of a table by their cells in some columns."""
    return next(iter(TalliedParts(source, names, None)))


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
        self._cells = [CellNumbers(name) for name in names]
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


class AlikeNumbers:
    """Numbers for combinations of keys that are the same in every part of the rows."""

    def __init__(
        self,
        columns: Callable[[RowTally], Sequence[Numbered]],
        each: Callable[[], Iterable[RowTally]],
    ) -> None:
        self._columns = columns
        self._occurring: list[Int64s | None] = []
        """After each column the combinations so far that occur, where there could be many more."""
        sizes = next(([len(one.keys) for one in columns(rows)] for rows in each()), [])
        for _ in sizes:
            self._occurring.append(None)
            if next((self.of(rows).size for rows in each()), 0) > MOST_PLACES:
                found: Int64s = np.zeros(0, dtype=np.int64)
                for rows in each():
                    found = np.union1d(found, self.of(rows).occurring())
                self._occurring[-1] = found

    def of(self, rows: RowTally) -> Combined:
        """Return the number of each row."""
        found = Combined(np.zeros(len(rows), dtype=np.int32), 1)
        for column, occurring in zip(self._columns(rows), self._occurring, strict=False):
            found = Combined.pair(found, Combined(column.codes, len(column.keys)))
            if occurring is not None:
                found = Combined(np.searchsorted(occurring, found.codes), len(occurring))
        return found


def numbered_batches(
    source: RereadTable, names: list[str]
) -> Iterator[tuple[dict[str, Numbered], Int64s | None]]:
    """Return rows in their order, batch by batch, cells numbered, and how often each occurs if not once."""
    cells = [CellNumbers(name) for name in names]
    for codes, counts in _coded(source, names, cells):
        numbered = (Numbered(one, known.keys()) for one, known in zip(codes, cells, strict=True))
        yield dict(zip(names, numbered, strict=True)), counts


def _coded(
    source: RereadTable, names: list[str], known: Sequence[CellNumbers]
) -> Iterator[tuple[list[Ints], Int64s | None]]:
    """Return the rows of a table as numbers of their cells, batch by batch, and how often each occurs."""
    for columns, counts in source.batches(names):
        yield [one.codes(column) for one, column in zip(known, columns, strict=True)], counts


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
        """Merge the rows read so far into different ones, each with how often it occurs."""
        found = [*self._weighed, self.counted] if len(self.counted[1]) else self._weighed
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            found = [*found, _fresh_counted(fresh, sizes)]
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
        weakref.finalize(self, self._file.close)
        self._columns = columns
        self._pieces: list[tuple[int, Int64s]] = []
        """Where each piece begins, and the first row of each part in it."""

    def write(self, codes: list[Ints], counts: Int64s, part: Ints) -> None:
        """Write rows, those of one part together."""
        order = np.argsort(part.astype(np.uint8, copy=False), kind="stable")
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


def _fresh_counted(batches: list[list[Ints]], sizes: list[int]) -> tuple[list[Ints], Int64s]:
    """Return different rows and how often each occurs; a batch is let go as soon as it is taken over."""
    if _is_renumbered(sizes):
        codes = [np.concatenate(column) for column in zip(*batches, strict=True)]
        batches.clear()
        return _rows_counted(codes, None, sizes)
    rows = sum(len(batch[0]) for batch in batches)
    packed: Ints = np.empty(
        rows, dtype=np.int32 if prod(max(1, size) for size in sizes) < 1 << 31 else np.int64
    )
    while batches:
        batch = batches.pop()
        begin = sum(len(one[0]) for one in batches)
        packed[begin : begin + len(batch[0])] = packed_codes(batch, sizes, len(batch[0]))[0]
    packed.sort()
    return _counted_in_order(packed, sizes)


def _counted_in_order(packed: Ints, sizes: list[int]) -> tuple[list[Ints], Int64s]:
    """Return different rows and how often each occurs, from one number for each row in ascending order."""
    rows = len(packed)
    starts = np.flatnonzero(are_new(packed))
    if len(starts) < rows:
        packed = packed[starts]
    totals = np.empty(len(starts), dtype=np.int64)
    np.subtract(starts[1:], starts[:-1], out=totals[:-1])
    totals[-1:] = rows - starts[-1:]
    del starts
    return _unpacked(packed, sizes), totals


def _rows_counted(codes: list[Ints], counts: Int64s | None, sizes: list[int]) -> tuple[list[Ints], Int64s]:
    """Return different rows and how often each occurs, by sorting."""
    rows = len(codes[0])
    packed, size = packed_codes(codes, sizes, rows)
    if size < WIDEST and not _is_renumbered(sizes):
        if counts is None:
            packed.sort()
            return _counted_in_order(packed, sizes)
        # Ascending runs, which this way of sorting only has to merge.
        keys, totals = summed(packed, counts, "stable")
        return _unpacked(keys, sizes), totals
    order = np.argsort(packed, kind="stable")
    starts = np.flatnonzero(are_new(packed[order]))
    if counts is None:
        return [one[order[starts]] for one in codes], np.diff(starts, append=rows)
    totals = np.add.reduceat(counts[order], starts) if rows else counts
    return [one[order[starts]] for one in codes], totals


def _is_renumbered(sizes: Sequence[int]) -> bool:
    """Whether numbers for rows of columns of these sizes cannot be taken apart again."""
    size = 1
    for choices in sizes:
        if size * choices >= WIDEST:
            return True
        size *= max(1, choices)
    return False


def _unpacked(packed: Ints, sizes: Sequence[int]) -> list[Ints]:
    """Return the codes of rows, column by column, from one number for each row: block by block."""
    found: list[Ints] = [np.empty(len(packed), dtype=np.int32) for _ in sizes]
    for begin in range(0, len(packed), BLOCK):
        block = packed[begin : begin + BLOCK]
        for column, choices in reversed(list(enumerate(sizes))[1:]):
            block, found[column][begin : begin + BLOCK] = np.divmod(block, max(1, choices))
        found[0][begin : begin + BLOCK] = block
    return found
