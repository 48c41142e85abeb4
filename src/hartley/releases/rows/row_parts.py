"""Different rows on disk, in parts that have no public value in common: each part fits into memory."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import ceil
from pathlib import Path

import numpy as np

from hartley.errors import WriteError
from hartley.measures.overlap import linked_groups
from hartley.model import Alphabet, JointRange
from hartley.model.arrays import Int64s, Ints, code_type
from hartley.releases.codebook import Codebook
from hartley.releases.rows.counted_rows import CountedRows, RangePart
from hartley.releases.rows.reader_view import ObservedRows
from hartley.scratch import scratch_folder
from hartley.tables.engine import literal, paths_literal, with_less_memory

BYTES_A_ROW_OF_A_PART = 100
"""Memory that a search takes for each different row of a part, while the others are on disk."""
BYTES_AN_OBSERVATION = 1_000
"""Memory that it takes for each public value with what stands beside it: many where these tell rows apart."""
SAMPLED = 1_000_000
"""Different rows from which it is guessed how many observations there are."""
PARTS_SHARE = 0.35
"""How much of the memory that there is two neighbouring parts may take together."""
SHARE_BESIDE_A_PART = 0.35
"""How much of it the engine gets meanwhile; what is left is for all that a process has anyway."""


class PartedRows:
    """The different rows of a table, in parts on disk.

    Public values that follow each other in the given order stay together. What every released value must
    keep can be searched and measured in each part by itself as long as no cluster leaves its part.
    """

    def __init__(self, observed: ObservedRows) -> None:
        """Write the parts, and let go of the table in the engine, where there is one."""
        self._columns = observed.columns
        self._public, self._sensitive = observed.public, observed.sensitive
        self._connection = observed.connection
        self._observed = observed
        positions = observed.public.positions
        order = np.arange(observed.public.size) if positions is None else np.argsort(positions, kind="stable")
        with with_less_memory(self._connection, SHARE_BESIDE_A_PART):
            bytes_a_row = BYTES_A_ROW_OF_A_PART + BYTES_AN_OBSERVATION * self._observations_a_row()
            self.room = max(int(observed.memory * PARTS_SHARE / bytes_a_row), 1)
            """How many different rows may be searched at once."""
            self.part_of = cut_values(self._rows_of_values(), order, max(self.room // 2, 1))
            self.rows = self._write()
            """How many different rows each part has."""
        observed.let_go()
        if int(self.rows.max()) > self.room:  # a public value cannot be cut
            raise observed.refusal()
        self._join_small_parts()

    @property
    def count(self) -> int:
        """How many parts there are."""
        return int(self.part_of.max()) + 1

    def require_joined(self, parts: range) -> None:
        """Refuse to search several parts at once that are too large together."""
        if int(self.rows[parts.start : parts.stop].sum()) > self.room:
            raise self._observed.refusal(", for a part of the table cannot keep by itself what is required")

    def _observations_a_row(self) -> float:
        """Return how many observations there are for each different row, by some of the public values."""
        beside = "".join(f", {column.sql}" for column in self._columns.searched)
        every = max(self._observed.different_rows // SAMPLED, 1)
        ((found, rows),) = self._connection.execute(
            f"SELECT count(DISTINCT hash(x{beside})), count(DISTINCT hash(x, s{beside})) "
            f"FROM {self._observed.sql} WHERE hash(x) % {every} = 0"
        ).fetchall()
        return int(found) / int(rows) if rows else 1.0

    def _rows_of_values(self) -> Int64s:
        found = self._connection.execute(self._observed.rows_of_values).fetchnumpy()
        weights = np.zeros(self._public.size, dtype=np.int64)
        weights[np.ma.getdata(found["x"])] = np.ma.getdata(found["n"])
        return weights

    def _write(self) -> Int64s:
        """Write the rows of each part, then its different rows; return how many these are."""
        import duckdb
        import pyarrow as pa

        folder = scratch_folder()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        numbers = pa.table({"x": np.arange(self._public.size, dtype=np.int32), "part": self.part_of})
        self._connection.register("hartley_part_of", numbers)
        self._files: list[list[Path]] = []
        rows: list[int] = []
        try:
            self._connection.execute(
                f"COPY (SELECT o.*, p.part FROM {self._observed.sql} AS o JOIN hartley_part_of AS p "
                f"ON o.x = p.x) TO {literal(str(folder))} (FORMAT parquet, PARTITION_BY (part), OVERWRITE)"
            )
            for part in range(self.count):
                here = folder / f"part={part}"
                every = paths_literal(tuple(sorted(here.iterdir())))
                file = folder / f"{part}.parquet"
                ((found,),) = self._connection.execute(
                    f"COPY (SELECT * EXCLUDE (n), sum(n)::BIGINT AS n FROM read_parquet({every}, "
                    f"hive_partitioning = false) GROUP BY ALL) TO {literal(str(file))} (FORMAT parquet)"
                ).fetchall()
                shutil.rmtree(here)
                self._files.append([file])
                rows.append(int(found))
        except (duckdb.IOException, OSError):
            raise WriteError(
                "there is no room on disk for the different rows of the table; make some"
            ) from None
        finally:
            self._connection.unregister("hartley_part_of")
        return np.array(rows, dtype=np.int64)

    def _join_small_parts(self) -> None:
        """Let neighbouring parts be one where equal rows have left few in them."""
        number = [0]
        held = int(self.rows[0])
        for rows in self.rows[1:].tolist():
            is_full = held + rows > self.room // 2
            held = rows if is_full else held + rows
            number.append(number[-1] + is_full)
        files: list[list[Path]] = [[] for _ in range(number[-1] + 1)]
        for part, of_part in zip(number, self._files, strict=True):
            files[part] += of_part
        self._files = files
        self.part_of = np.array(number, dtype=np.int32)[self.part_of]
        self.rows = np.bincount(number, weights=self.rows).astype(np.int64)

    def _sql(self, parts: Sequence[int]) -> str:
        files = tuple(file for part in parts for file in self._files[part])
        return f"read_parquet({paths_literal(files)}, hive_partitioning = false)"

    def _counted(self, parts: Sequence[int]) -> CountedRows:
        return CountedRows(self._connection, self._sql(parts))

    def before(self) -> JointRange:
        """Return the joint range of public and sensitive values: they fit into memory without the rest."""
        return self._before

    @cached_property
    def _before(self) -> JointRange:
        found: list[tuple[Ints, Ints, Ints]] = []
        with with_less_memory(self._connection, SHARE_BESIDE_A_PART):
            for part in range(self.count):
                sql = f"(SELECT x, s, sum(n)::BIGINT AS n FROM {self._sql([part])} GROUP BY x, s)"
                x, s, n, _ = CountedRows(self._connection, sql).fetch([])
                found.append((x, s, n.astype(code_type(int(n.sum())))))
        x, s, n = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        del found
        return JointRange.from_codes(
            public_codes=x, sensitive_codes=s, public=self._public, sensitive=self._sensitive, rows=n
        )

    def for_search(self) -> JointRange:
        """Refuse: the whole does not fit into memory."""
        raise self._observed.refusal()

    def search_part(self, parts: Sequence[int]) -> RangePart:
        """Return what a search sees in some parts: columns beside the public ones are side information."""
        with with_less_memory(self._connection, SHARE_BESIDE_A_PART):
            return self._counted(parts).public_range(
                self._columns.searched, self._public, self._sensitive, is_named=False
            )

    def merged_parts(self) -> Iterator[JointRange]:
        """Return what is seen where all public values have become one, in parts by what stands beside it."""
        beside = self._columns.searched
        cells = "".join(f"{column.sql}, " for column in beside)
        every = self._sql(range(self.count))
        with with_less_memory(self._connection, SHARE_BESIDE_A_PART):
            ((different,),) = self._connection.execute(
                f"SELECT approx_count_distinct(hash({cells}s)) FROM {every}"
            ).fetchall()
        parts = ceil(int(different) / max(self.room // 2, 1)) if beside else 1
        for part in range(max(parts, 1)):
            here = f" WHERE hash({cells.rstrip(', ')}) % {parts} = {part}" if parts > 1 else ""
            with with_less_memory(self._connection, SHARE_BESIDE_A_PART):
                self._connection.execute(
                    f"CREATE OR REPLACE TEMP TABLE hartley_merged AS SELECT 0 AS x, {cells}s, "
                    f"sum(n)::BIGINT AS n FROM {every}{here} GROUP BY ALL"
                )
                ((has_rows,),) = self._connection.execute(
                    "SELECT count(*) > 0 FROM hartley_merged"
                ).fetchall()
                if not has_rows:
                    continue
                one = Alphabet.numbered(1)
                counted = CountedRows(self._connection, "hartley_merged")
                found = counted.public_range(beside, one, self._sensitive, is_named=False).joint
                self._connection.execute("DROP TABLE hartley_merged")
            yield found

    def reader_parts(
        self, book: Codebook, *, harmless: bool = False, earlier: bool = False
    ) -> Iterator[RangePart]:
        """Return what a reader of the release sees, in parts; parts that share a label are read together."""
        seen = self._columns.read(harmless=harmless, earlier=earlier)
        for parts in self._with_common_labels(book):
            if len(parts) > 1 and int(self.rows[parts].sum()) > self.room:
                raise self._observed.refusal(", even in parts, for labels of several of them coincide")
            with with_less_memory(self._connection, SHARE_BESIDE_A_PART):
                found = self._counted(parts).released_range(book, seen, [], self._sensitive)
            yield found
            del found

    def _with_common_labels(self, book: Codebook) -> list[list[int]]:
        labels = book.partition.labels
        first = np.zeros(book.partition.size, dtype=np.int64)
        first[labels[::-1]] = self.part_of[::-1]
        return linked_groups(self.count, first[labels], self.part_of).clusters()


def cut_values(weights: Int64s, order: Ints, most: int) -> Ints:
    """Return the part of each value: runs of the order of about equal weight, mostly below ``most``.

    >>> cut_values(np.array([3, 1, 1, 3]), np.array([3, 2, 1, 0]), 4).tolist()
    [1, 1, 0, 0]
    """
    ordered = weights[order]
    total = int(ordered.sum())
    parts = ceil(total / most)
    number = (np.cumsum(ordered) - ordered) * parts // total
    found = np.empty(len(weights), dtype=np.int32)
    found[order] = np.unique(number, return_inverse=True)[1]
    return found
