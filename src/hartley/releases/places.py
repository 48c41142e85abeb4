"""The place of a row's public value in a codebook, computed row by row where a join would mix the rows up.

Each public column is an axis: whole numbers of a modest range lie on it as they are, other values in
the order of a list. Missing has a place of its own. Several columns span a grid, of which the codebook
fills some places with labels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hartley.errors import TableError

if TYPE_CHECKING:
    from hartley.releases.rows import Column

MOST_PLACES = 1 << 22
MOST_LISTED = 1 << 16
"""Values that are looked up in a list; the list is prepared anew for each batch of rows."""
_WHOLE = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)")
_LISTED = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|VARCHAR|DECIMAL\(\d+,\s*\d+\)")


class _Axis(Protocol):
    @property
    def size(self) -> int:
        """How many places there are, that of missing with them."""

    def sql(self, value: str) -> str:
        """Give what the engine has to give of a value."""

    def places(self, given: Any) -> Any:
        """Give the places of values, as Arrow whole numbers of 32 bits; null where there is none."""


@dataclass(frozen=True)
class _Numbers:
    """Whole numbers, each in its own place."""

    low: int
    high: int

    @property
    def size(self) -> int:
        return self.high - self.low + 2

    def sql(self, value: str) -> str:
        return f"coalesce({value} - {self.low}, {self.size - 1})::INTEGER"

    def places(self, given: Any) -> Any:
        import pyarrow.compute as pc

        ends = pc.min_max(given).as_py()
        if len(given) and not 0 <= ends["min"] <= ends["max"] < self.size:
            raise TableError(
                "the table holds public values that the codebook lacks; it has changed meanwhile"
            )
        return given


@dataclass(frozen=True)
class _Values:
    """Values in the order of a list, which ends with missing."""

    listed: Any

    @property
    def size(self) -> int:
        return len(self.listed)

    def sql(self, value: str) -> str:
        return value

    def places(self, given: Any) -> Any:
        import pyarrow.compute as pc

        return pc.index_in(given, value_set=self.listed)


class Places:
    """The places of a codebook's values, and what stands there."""

    def __init__(self, connection: Any, table: str, axes: Sequence[_Axis]) -> None:
        self._axes = axes
        asked = ", ".join(f"{axis.sql(f'k{number}')} AS a{number}" for number, axis in enumerate(axes))
        self._book = connection.sql(f"SELECT {asked}, * FROM {table}").to_arrow_table().combine_chunks()
        size = int(np.prod([axis.size for axis in axes]))
        filled = self.found([self._book.column(f"a{number}").combine_chunks() for number in range(len(axes))])
        self._row_at = np.full(size, -1, dtype=np.int32)
        self._row_at[filled.to_numpy()] = np.arange(len(filled), dtype=np.int32)

    def sql(self, keys: Sequence[Column]) -> list[str]:
        """Give what has to be asked of each row."""
        return [axis.sql(f"q.{key.value}") for axis, key in zip(self._axes, keys, strict=True)]

    def found(self, given: Sequence[Any]) -> Any:
        """Give the places of rows, from what was asked of them."""
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

    def labels(self, column: str) -> Any:
        """Give a column of labels, by place; null where the codebook has no value."""
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = self._book.column(column).combine_chunks()
        return pc.take(cells, pa.array(self._row_at, mask=self._row_at < 0))


def places_for(connection: Any, table: str, keys: Sequence[Column]) -> Places | None:
    """Give the places of a codebook's values ``k0, k1, ...``; nothing where the grid would be too large."""
    axes: list[_Axis] = []
    size = 1
    for number, key in enumerate(keys):
        axis = _axis(connection, table, f"k{number}", key.value_type or "")
        if axis is None or size * axis.size > MOST_PLACES:
            return None
        axes.append(axis)
        size *= axis.size
    return Places(connection, table, axes)


def _axis(connection: Any, table: str, key: str, kind: str) -> _Axis | None:
    if _WHOLE.fullmatch(kind):
        ((low, high),) = connection.execute(f"SELECT min({key}), max({key}) FROM {table}").fetchall()
        if low is None:
            low = high = 0
        if high - low < MOST_PLACES:
            return _Numbers(int(low), int(high))
    if not _LISTED.fullmatch(kind):
        return None
    import pyarrow as pa

    query = f"SELECT DISTINCT {key} FROM {table} WHERE {key} IS NOT NULL LIMIT {MOST_LISTED + 1}"
    values = connection.sql(query).to_arrow_table().column(0).combine_chunks()
    if len(values) > MOST_LISTED:
        return None
    return _Values(pa.concat_arrays([values, pa.nulls(1, values.type)]))
