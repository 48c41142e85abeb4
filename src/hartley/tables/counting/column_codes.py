"""Columns of a table, row by row in its order, as codes: the places of their cells among their values.

Rows stream by in batches and only codes stay: text is numbered where it arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.model import Coordinate
from hartley.model.arrays import Flags, Ints, code_type
from hartley.tables.counting.value_codes import coordinate, fetched
from hartley.tables.engine import streamed

if TYPE_CHECKING:
    from hartley.tables.column_types import TypedColumn
    from hartley.tables.table import Table

SHORT_STRETCH = 1 << 22
"""Whole numbers over a stretch this short are marked; over a longer one they are sorted."""


@dataclass(frozen=True, eq=False)
class ColumnCodes:
    """A column: its values in their order, a missing one last, and the place of each row's cell."""

    values: Coordinate
    codes: Ints

    @property
    def missing(self) -> Flags:
        """Which rows lack a cell."""
        found: Flags = self.values.missing[self.codes]
        return found

    def of_rows(self, kept: Flags) -> ColumnCodes:
        """Return the column of some rows, with the values that occur there."""
        places, codes = np.unique(self.codes[kept].astype(np.int64), return_inverse=True)
        return ColumnCodes(self.values.take(places), codes.astype(code_type(len(places))))


def column_codes(table: Table, names: Sequence[str]) -> dict[str, ColumnCodes]:
    """Read some columns of all rows of a table, in its order."""
    typed = table.typed_columns(names)
    cells = ", ".join(f"{fetched(column, f'v{place}')} AS f{place}" for place, column in enumerate(typed))
    query = f"SELECT {cells} FROM ({table.rows_sql((), typed=names)})"  # noqa: S608
    parts: list[list[Any]] = [[] for _ in typed]
    for batch in streamed(table.connection, query):
        for place, column in enumerate(typed):
            parts[place].append(_numbered(batch.column(place), column))
    return {column.name: _column(column, parts[place]) for place, column in enumerate(typed)}


def _is_text(column: TypedColumn) -> bool:
    return column.carrier in ("text", "exact")


def _numbered(array: Any, column: TypedColumn) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.dictionary_encode(array.cast(pa.string())) if _is_text(column) else array


def _column(column: TypedColumn, parts: list[Any]) -> ColumnCodes:
    import pyarrow as pa

    if not _is_text(column):
        joined = pa.chunked_array(parts, type=None if parts else pa.int64())
        return _of_numbers(column, joined)
    whole = pa.chunked_array(parts, type=None if parts else pa.dictionary(pa.int32(), pa.string()))
    whole = whole.unify_dictionaries()
    texts: list[str] = whole.chunk(0).dictionary.to_pylist() if whole.num_chunks else []
    key = Decimal if column.carrier == "exact" else str
    order = sorted(range(len(texts)), key=lambda at: key(texts[at]))
    place = np.empty(len(texts) + 1, dtype=code_type(len(texts) + 1))
    place[order] = np.arange(len(texts))
    place[-1] = len(texts)  # missing, which Arrow has no number for
    codes = np.concatenate(
        [place[chunk.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)] for chunk in whole.chunks]
        or [np.empty(0, dtype=place.dtype)]
    )
    missing = np.zeros(len(texts) + bool(whole.null_count), dtype=np.bool_)
    missing[len(texts) :] = True
    carried = np.empty(len(missing), dtype=object)
    carried[: len(texts)] = [texts[at] for at in order]
    carried[len(texts) :] = "0" if column.carrier == "exact" else ""
    return ColumnCodes(coordinate(column, carried, missing), codes)


def _of_numbers(column: TypedColumn, whole: Any) -> ColumnCodes:
    gone = np.zeros(len(whole), dtype=np.bool_)
    if whole.null_count:
        gone = whole.is_null().to_numpy().astype(np.bool_)
        whole = whole.fill_null(0)
    cells = whole.to_numpy()
    if column.carrier == "float":
        cells = cells.astype(np.float64)
    present = cells[~gone] if gone.any() else cells
    values, found = _places(present)
    codes = np.full(len(cells), len(values), dtype=code_type(len(values) + 1))
    codes[~gone] = found
    carried = np.append(values, np.zeros(1, dtype=values.dtype)) if gone.any() else values
    missing = np.zeros(len(carried), dtype=np.bool_)
    missing[len(values) :] = True
    return ColumnCodes(coordinate(column, carried, missing), codes)


def _places(cells: Any) -> tuple[Any, Ints]:
    """Return the different cells in their order, and the place of each."""
    if len(cells) and cells.dtype.kind in "iu":
        least, most = int(cells.min()), int(cells.max())
        if most - least < SHORT_STRETCH:
            shifted = cells - least
            occurs = np.zeros(most - least + 1, dtype=np.bool_)
            occurs[shifted] = True
            number = (np.cumsum(occurs) - 1).astype(code_type(most - least + 1))
            return np.flatnonzero(occurs) + least, number[shifted]
    values, places = np.unique(cells, return_inverse=True)
    return values, places.ravel()
