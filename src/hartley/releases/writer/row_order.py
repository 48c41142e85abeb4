"""The rows of a release in the order they are published in.

Their own order, where it is to be kept
    They are joined to their labels, which leaves them in any order, and sorted by their numbers again.

A random order, where few different rows are published
    They are counted, and a random order of them is made from the counts. The order of the source does not
    enter.

A random order of many different rows
    Each row gets a random number from the operating system, and the engine sorts by it. Nothing is left
    by which somebody could undo that: the numbers are not made from a seed.
    Cells that cannot go through Arrow unchanged (lists, intervals, ...) are sorted so, too.

How a random order is made from counts: rows that are published alike are alike in any order, so a shuffled
table is a random order of codes, each as often as its row occurs. The order that the rows had never enters,
and cannot be seen in what comes out.

The codes come in blocks, so that any number of rows needs the memory of one block. Each row is given a
block, independently and each block with the same chance: of rows that are alike, how many go into a
block is binomial. A block is then shuffled by itself. Blocks one after the other are a uniform order of the
whole, because that is what sorting by random numbers gives, of which the first digit is the block
(Rao 1961, Sandelius 1962).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.errors import TableError
from hartley.model.arrays import Int64s, Ints, code_type
from hartley.releases.rows.source_rows import Rows, arrow_numbers
from hartley.releases.writer.table_files import ReadyRows

LEAST_BLOCK = 1 << 18
"""Rows of a block, about: so many fit into the cache of a processor, where NumPy shuffles fastest."""
LARGEST_BLOCK = 1 << 24
ROWS_PER_CODE = 16
"""Where codes are many, blocks are larger: to draw how many rows of each go into a block costs as well."""


def shuffled(counts: Int64s, generator: np.random.Generator, *, block: int | None = None) -> Iterator[Ints]:
    """Return the codes 0, 1, ..., each as often as counted, in a uniform random order, block by block.

    >>> blocks = shuffled(np.array([2, 0, 3]), np.random.default_rng(1))
    >>> np.bincount(np.concatenate(list(blocks)), minlength=3).tolist()
    [2, 0, 3]
    """
    left = np.asarray(counts, dtype=np.int64)
    # As narrow as they can be: most of the time goes into moving them.
    codes = np.arange(len(left), dtype=np.uint16 if len(left) <= 1 << 16 else code_type(len(left)))
    block = block or min(max(LEAST_BLOCK, ROWS_PER_CODE * len(left)), LARGEST_BLOCK)
    for still in range(-(-int(left.sum()) // block), 0, -1):
        taken = left if still == 1 else generator.binomial(left, 1 / still)
        left = left - taken
        mixed: Ints = np.repeat(codes, taken)
        generator.shuffle(mixed)
        yield mixed


CHANGED = "the table has changed meanwhile; nothing was changed"
BATCH = 1 << 18
"""Cells that go through Arrow at once, of however many columns."""
LEAST_ROWS = 1 << 16
BOOK, LABELS = "hartley_codebook", "hartley_labels"
"""The tables by which rows find their labels: public values ``k0, k1, ...`` with the number of their
``cluster``, and the columns of labels of each ``cluster`` 0, 1, ..."""
COUNTED_CELLS = 1 << 22
"""Cells of different rows up to which they are counted."""
_UNCHANGED = re.compile(
    r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|DECIMAL\(\d+,\s*\d+\)|BOOLEAN|VARCHAR|BLOB|DATE|TIME"
    r"|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?"
)
"""Types that Arrow gives back as they were, and whose equal cells are the same cell (but 0.0 and -0.0)."""
_SIGNED = ("FLOAT", "DOUBLE")


@dataclass(frozen=True)
class PublishedCell:
    """The cell of one published column."""

    sql: str
    """Its SQL, over the rows ``q`` and the labels."""
    label: str | None
    """The column of labels that it is; nothing where it is published as it is."""


class Arrangement:
    """Rows and what is published of them, ready to be put in an order."""

    def __init__(self, rows: Rows, join: str, cells: Sequence[PublishedCell]) -> None:
        """``join`` puts codebook and labels beside the rows."""
        self._rows = rows
        self._join = join
        self._cells = cells
        # A value that the codebook lacks has no label: the table has changed since it was read.
        self._known = f"WHERE CASE WHEN {BOOK}.cluster IS NULL THEN error('{CHANGED}') ELSE true END"
        self._source = f"{rows.sql} AS q{join} {self._known}"

    @property
    def sql(self) -> str:
        """What the cells can be selected from as ``p0, p1, ...``, in any order."""
        return f"(SELECT {self._selected()} FROM {self._source})"

    def kept(self) -> ReadyRows:
        """Return the rows in their own order."""
        query = f"(SELECT {self._selected()} FROM {self._source} ORDER BY q.r)"
        return ReadyRows(self._rows.connection, query)

    def shuffled(self, generator: np.random.Generator, cluster_rows: Int64s | None = None) -> ReadyRows:
        """Return the rows in a random order.

        ``cluster_rows`` is how many rows each cluster has, where that is known already.
        """
        counted = self._counted(cluster_rows)
        if counted is None:
            return self._sorted_by_secrets()
        cells, counts = counted
        batches = shuffled_cells(cells, counts, generator)
        types = [column.type for column in cells]
        return replace(_streamed(self._rows.connection, types, batches), order="any")

    def _counted(self, cluster_rows: Int64s | None) -> tuple[list[Any], Int64s] | None:
        """Return different rows, column by column, and how often each occurs; nothing if they are many."""
        import duckdb

        if not self._passes_unchanged():
            return None
        if cluster_rows is not None and all(cell.label is not None for cell in self._cells):
            clusters, labels = self._labels_by_cluster()
            if len(clusters) == len(cluster_rows):
                return [labels[cell.label] for cell in self._cells if cell.label is not None], cluster_rows
        most = COUNTED_CELLS // len(self._cells)
        if self._rows.count() > most and self._estimated() > most:
            return None
        signs = [f"signbit({cell.sql}) AS z{n}" for n, cell in enumerate(self._cells) if self._is_signed(n)]
        try:
            self._rows.connection.execute(
                f"CREATE OR REPLACE TEMP TABLE hartley_published AS SELECT "
                f"{', '.join([self._selected(), *signs])}, count(*) AS n FROM {self._source} GROUP BY ALL"
            )
        except duckdb.InvalidInputException:
            raise TableError(CHANGED) from None
        # In an order of their own, so that not even their numbers depend on the order of the rows.
        table = self._rows.connection.sql("SELECT * FROM hartley_published ORDER BY ALL").to_arrow_table()
        return _arrays(table)[: len(self._cells)], table.column("n").to_numpy()

    def _labels_by_cluster(self) -> tuple[npt.NDArray[np.int32], dict[str, Any]]:
        """Return the clusters that stand in the codebook, and each published column of labels, one for each.

        A cluster stands there if the rows can hold one of its values: whole numbers cannot be 1.5.
        """
        import pyarrow.compute as pc

        known = f"SELECT DISTINCT cluster FROM {BOOK} ORDER BY cluster"
        clusters = np.asarray(self._rows.connection.sql(known).fetchnumpy()["cluster"])
        places = arrow_numbers(clusters)
        return clusters, {name: pc.take(cells, places) for name, cells in self._labels().items()}

    def _labels(self) -> dict[str, Any]:
        """Return each published column of labels, by the number of the cluster."""
        names = [cell.label for cell in self._cells if cell.label is not None]
        asked = ", ".join([*names, "cluster"])
        table = self._rows.connection.sql(f"SELECT {asked} FROM {LABELS} ORDER BY cluster").to_arrow_table()
        return dict(zip(names, _arrays(table), strict=False))

    def _estimated(self) -> int:
        """Estimate how many different rows are published."""
        cells = ", ".join(cell.sql for cell in self._cells)
        (found,) = self._rows.connection.execute(
            f"SELECT approx_count_distinct(hash({cells})) FROM {self._source}"
        ).fetchall()
        return int(found[0])

    def _sorted_by_secrets(self) -> ReadyRows:
        import pyarrow as pa

        count = self._rows.count()
        rows = _rows_at_once(1)
        sizes = (min(rows, count - start) for start in range(0, count, rows))
        numbers = (
            [pa.Array.from_buffers(pa.uint64(), size, [None, pa.py_buffer(os.urandom(8 * size))])]
            for size in sizes
        )
        secret = _streamed(self._rows.connection, [pa.uint64()], numbers, "hartley_secrets")
        keyed = f"(SELECT * FROM {self._rows.sql} POSITIONAL JOIN {secret.sql})"
        source = f"{keyed} AS q{self._join} {self._known}"
        return ReadyRows(secret.connection, f"(SELECT {self._selected()} FROM {source} ORDER BY q.p0)")

    def _selected(self) -> str:
        return ", ".join(f"{cell.sql} AS p{number}" for number, cell in enumerate(self._cells))

    @cached_property
    def _types(self) -> list[str]:
        described = self._rows.connection.execute(f"DESCRIBE SELECT * FROM {self.sql}").fetchall()
        return [row[1] for row in described]

    def _is_signed(self, number: int) -> bool:
        return self._types[number] in _SIGNED

    def _passes_unchanged(self) -> bool:
        return all(map(_UNCHANGED.fullmatch, self._types))


def shuffled_cells(
    cells: Sequence[Any], counts: Int64s, generator: np.random.Generator
) -> Iterator[list[Any]]:
    """Return rows in a random order, batch by batch, from different rows and how often each occurs."""
    import pyarrow.compute as pc

    rows = _rows_at_once(len(cells))
    for block in shuffled(counts, generator):
        for start in range(0, len(block), rows):
            codes = arrow_numbers(block[start : start + rows])
            yield [pc.take(column, codes, boundscheck=False) for column in cells]


def _rows_at_once(columns: int) -> int:
    return max(LEAST_ROWS, BATCH // columns)


def _arrays(table: Any) -> list[Any]:
    return [column.combine_chunks() for column in table.columns]


def _streamed(
    connection: Any, types: Sequence[Any], batches: Iterable[list[Any]], name: str = "hartley_ready"
) -> ReadyRows:
    """Register batches of columns with an engine, which reads them once, as a table of ``p0, p1, ...``."""
    import pyarrow as pa

    schema = pa.schema([(f"p{number}", kind) for number, kind in enumerate(types)])
    ready = ReadyRows(connection, name)

    def given() -> Iterator[Any]:
        try:
            for columns in batches:
                yield pa.record_batch(columns, schema=schema)
        except KeyboardInterrupt as interruption:
            ready.interruptions.append(interruption)
            raise

    connection.register(name, pa.RecordBatchReader.from_batches(schema, given()))
    return ready
