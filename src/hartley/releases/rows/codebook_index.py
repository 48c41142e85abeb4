"""The place of a row's public value in a codebook, computed row by row where a join would mix the rows up.

Each column is an axis: whole numbers of a modest range lie on it as they are, other values in
the order of a list. Missing has a place of its own. Several columns span a grid, of which the codebook
fills some places with labels.

The different rows that are published, counted on a grid: a number for each label beside each kept cell.

Rows stream by as Arrow, and each adds one at its place. A hash table of rows costs an engine several
times as much.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from hartley.errors import TableError
from hartley.hot_loops import hot_loop
from hartley.model.arrays import Int64s

if TYPE_CHECKING:
    from hartley.releases.rows.source_rows import RowColumn

MOST_PLACES = 1 << 22
MOST_LISTED = 1 << 16
"""Values that are looked up in a list; the list is prepared anew for each batch of rows."""
_WHOLE = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)")
_LISTED = re.compile(
    r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|VARCHAR|DECIMAL\(\d+,\s*\d+\)|BOOLEAN|DATE"
)


class Axis(Protocol):
    """A column of which each value has a place."""

    @property
    def size(self) -> int:
        """How many places there are, that of missing with them; it is the last."""

    def sql(self, key: RowColumn) -> str:
        """Return what the engine has to give of a row."""

    def places(self, given: Any) -> Any:
        """Return the places of values, as Arrow whole numbers of 32 bits; null where there is none."""

    def values(self, kind: Any) -> Any:
        """Return the value at each place, in an Arrow type."""


@dataclass(frozen=True)
class _Numbers:
    """Whole numbers, each in its own place."""

    low: int
    high: int

    @property
    def size(self) -> int:
        return self.high - self.low + 2

    def sql(self, key: RowColumn) -> str:
        # A cell as it is: the engine would spend more time on a subtraction than Arrow does.
        return f"q.{key.cell if _WHOLE.fullmatch(key.cell_type) else key.value}"

    def places(self, given: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        ends = pc.min_max(given).as_py()
        if ends["min"] is not None and not self.low <= ends["min"] <= ends["max"] <= self.high:
            raise _lacking()
        place = given if given.type in (pa.int32(), pa.uint64()) else given.cast(pa.int64())
        if self.low:
            place = pc.subtract(place, pa.scalar(self.low, place.type))
        place = place.cast(pa.int32())
        return place.fill_null(self.size - 1) if place.null_count else place

    def values(self, kind: Any) -> Any:
        import pyarrow as pa

        return pa.array([*range(self.low, self.high + 1), None], kind)


@dataclass(frozen=True)
class _Values:
    """Values in the order of a list, which ends with missing."""

    listed: Any

    @property
    def size(self) -> int:
        return len(self.listed)

    def sql(self, key: RowColumn) -> str:
        return f"q.{key.value}"

    def places(self, given: Any) -> Any:
        import pyarrow.compute as pc

        return pc.index_in(given, value_set=self.listed)

    def values(self, kind: Any) -> Any:
        return self.listed.cast(kind)


class CodebookIndex:
    """The places of a codebook's values, and what stands there."""

    def __init__(self, connection: Any, table: str, axes: Sequence[Axis]) -> None:
        self._axes = axes
        self._book = connection.sql(f"SELECT * FROM {table}").to_arrow_table().combine_chunks()
        keys = [self._book.column(f"k{number}").combine_chunks() for number in range(len(axes))]
        size = int(np.prod([axis.size for axis in axes]))
        self._row_at = np.zeros(size, dtype=np.int32)
        self._is_filled = np.zeros(size, dtype=bool)
        filled = self._numbered(keys).to_numpy()
        self._row_at[filled] = np.arange(len(filled), dtype=np.int32)
        self._is_filled[filled] = True

    def sql(self, keys: Sequence[RowColumn]) -> list[str]:
        """Return what has to be asked of each row."""
        return [axis.sql(key) for axis, key in zip(self._axes, keys, strict=True)]

    def found(self, given: Sequence[Any]) -> Any:
        """Return the places of rows, from what was asked of them; refuse a value that the codebook lacks."""
        place = self._numbered(given)
        if place.null_count or not np.take(self._is_filled, place.to_numpy()).all():
            raise _lacking()
        return place

    def _numbered(self, given: Sequence[Any]) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        place = None
        for axis, values in zip(self._axes, given, strict=True):
            here = axis.places(values)
            if place is None:
                place = here
            else:
                place = pc.add(pc.multiply(place, pa.scalar(axis.size, pa.int32())), here)
        return place

    def cluster_at(self) -> npt.NDArray[np.int32]:
        """Return the numbers of clusters, by place; where the codebook has no value, it means nothing."""
        clusters: npt.NDArray[np.int32] = self._book.column("cluster").to_numpy()
        return clusters[self._row_at] if len(clusters) else clusters


def _lacking() -> TableError:
    return TableError("the table holds public values that the codebook lacks; it has changed meanwhile")


def codebook_index_for(connection: Any, table: str, keys: Sequence[RowColumn]) -> CodebookIndex | None:
    """Return the places of a codebook's values ``k0, k1, ...``; nothing where the grid would be too large."""
    axes: list[Axis] = []
    size = 1
    for number, key in enumerate(keys):
        axis = axis_for(connection, table, f"k{number}", key.value_type or "")
        if axis is None or size * axis.size > MOST_PLACES:
            return None
        axes.append(axis)
        size *= axis.size
    return CodebookIndex(connection, table, axes)


def axis_for(connection: Any, table: str, column: str, kind: str) -> Axis | None:
    """Return the axis of a column of a table; nothing where its values are too many or of another type."""
    if _WHOLE.fullmatch(kind):
        ((low, high),) = connection.execute(f"SELECT min({column}), max({column}) FROM {table}").fetchall()
        if low is None:
            low = high = 0
        if high - low < MOST_PLACES:
            return _Numbers(int(low), int(high))
    if not _LISTED.fullmatch(kind):
        return None
    import pyarrow as pa

    query = f"SELECT DISTINCT {column} AS v FROM {table} WHERE {column} IS NOT NULL LIMIT {MOST_LISTED + 1}"
    values = connection.sql(f"SELECT v FROM ({query}) ORDER BY v").to_arrow_table().column(0).combine_chunks()
    if len(values) > MOST_LISTED:
        return None
    return _Values(pa.concat_arrays([values, pa.nulls(1, values.type)]))


if TYPE_CHECKING:
    from hartley.releases.rows.source_rows import RowColumn

MOST_CELLS = 1 << 24
"""Numbers that a grid may hold, of eight bytes each."""
AT_ONCE = 1 << 18
SIGNED = ("FLOAT", "DOUBLE")
"""Types in which equal cells need not be the same cell."""


def count_on_grid(
    connection: Any,
    rows: str,
    book: str,
    keys: Sequence[RowColumn],
    untouched: Sequence[tuple[str, str]],
) -> tuple[Int64s, list[Any], Int64s] | None:
    """Count the rows of each cluster of a codebook beside each combination of untouched cells.

    ``untouched`` holds the SQL and the type of each such cell, over the rows ``q``. Gives the clusters, the
    columns of untouched cells as Arrow, and the counts, of what occurs; nothing where there is no
    room for a grid.
    """
    if any(kind in SIGNED for _, kind in untouched):
        return None
    places = codebook_index_for(connection, book, keys)
    if places is None:
        return None
    cluster_at = places.cluster_at()
    size = int(cluster_at.max(initial=0)) + 1
    axes = []
    for sql, kind in untouched:
        axis = axis_for(connection, f"{rows} AS q", sql, kind)
        if axis is None or size * axis.size > MOST_CELLS:
            return None
        axes.append(axis)
        size *= axis.size
    asked = [*places.sql(keys), *(sql for sql, _ in untouched)]
    query = ", ".join(f"{sql} AS c{number}" for number, sql in enumerate(asked))
    reader = connection.sql(f"SELECT {query} FROM {rows} AS q").to_arrow_reader(AT_ONCE)
    counts = np.zeros(size, dtype=np.int64)
    for batch in reader:
        place = np.take(cluster_at, places.found(batch.columns[: len(keys)]).to_numpy())
        for axis, cells in zip(axes, batch.columns[len(keys) :], strict=True):
            place *= axis.size
            place += axis.places(cells).to_numpy()
        add_rows.for_size(len(place))(place, counts)
    left = np.flatnonzero(counts)
    found, kinds = counts[left], reader.schema.types[len(keys) :]
    columns = []
    for axis, kind in zip(reversed(axes), reversed(kinds), strict=True):
        left, code = np.divmod(left, axis.size)
        columns.append(axis.values(kind).take(code))
    return left, columns[::-1], found


@hot_loop
def add_rows(places, counts):  # type: ignore[no-untyped-def]
    """Count one more at each place."""
    for place in places:
        counts[place] += 1
