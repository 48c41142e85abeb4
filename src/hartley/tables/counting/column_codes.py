"""Columns of a table, row by row in its order, as codes: the places of their cells among their values.

:func:`column_codes` lets the rows of a table stream by in batches, so that only codes stay: text is numbered
where it arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hartley.model import Coordinate
from hartley.model.arrays import Flags, Ints, code_type
from hartley.model.pair_sort import MOST_MARKED, numbered_keys
from hartley.tables.counting.value_codes import coordinate, fetched
from hartley.tables.engine import streamed

if TYPE_CHECKING:
    from hartley.tables.column_types import TypedColumn
    from hartley.tables.table import Table


@dataclass(frozen=True, eq=False)
class ColumnCodes:
    """A column with the codes of its rows: the places of their cells among its values, missing last."""

    typed: TypedColumn
    carried: npt.NDArray[Any]
    """The values in their order; one more at the end, without meaning, stands for missing."""
    codes: Ints

    @classmethod
    def of_numbers(cls, typed: TypedColumn, cells: npt.NDArray[Any], missing: Flags) -> ColumnCodes:
        """Return the codes of a column of numbers; what stands at a missing place is ignored."""
        values, places = _different(cells[~missing])
        codes = np.full(len(cells), len(values), dtype=code_type(len(values) + 1))
        codes[~missing] = places
        return cls(typed, np.append(values, np.zeros(1, dtype=values.dtype)), codes)

    @classmethod
    def of_texts(cls, typed: TypedColumn, texts: Sequence[str], numbers: Ints) -> ColumnCodes:
        """Put different texts in order; a row has the number of its own, and a missing one the next."""
        key = Decimal if typed.carrier == "exact" else str
        order = sorted(range(len(texts)), key=lambda at: key(texts[at]))
        place = np.empty(len(texts) + 1, dtype=code_type(len(texts) + 1))
        place[order] = np.arange(len(texts))
        place[-1] = len(texts)
        carried = np.empty(len(texts) + 1, dtype=object)
        carried[:-1] = [texts[at] for at in order]
        return cls(typed, carried, place[numbers])

    @property
    def missing(self) -> Flags:
        """Which rows lack a cell."""
        found: Flags = self.codes == len(self.carried) - 1
        return found

    @cached_property
    def values(self) -> Coordinate:
        """The values in their order, a missing one last where a row has it."""
        places = np.arange(len(self.carried) - (not self.missing.any()))
        return coordinate(self.typed, self.carried[places], places == len(self.carried) - 1)

    def coordinate(self, codes: Ints) -> Coordinate:
        """Return the column that holds the cell of each of these codes."""
        values, places = np.unique(codes, return_inverse=True)
        own = coordinate(self.typed, self.carried[values], values == len(self.carried) - 1)
        return own.take(places)

    def of_rows(self, kept: Flags) -> ColumnCodes:
        """Return the column of some rows, with the values that occur there."""
        gone = len(self.carried) - 1
        places, codes = np.unique(np.append(self.codes[kept], gone), return_inverse=True)
        return ColumnCodes(self.typed, self.carried[places], codes[:-1].astype(code_type(len(places))))


def column_codes(table: Table, names: Sequence[str]) -> dict[str, ColumnCodes]:
    """Read some columns of all rows of a table, in its order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    typed = table.typed_columns(names)
    cells = ", ".join(f"{fetched(column, f'v{place}')} AS f{place}" for place, column in enumerate(typed))
    query = f"SELECT {cells} FROM ({table.rows_sql((), typed=names)})"  # noqa: S608
    parts: list[list[Any]] = [[] for _ in typed]
    for batch in streamed(table.connection, query):
        for place, column in enumerate(typed):
            part = batch.column(place)
            is_text = column.carrier in ("text", "exact")
            parts[place].append(pc.dictionary_encode(part.cast(pa.string())) if is_text else part)
    return {
        column.name: _column(column, pa.chunked_array(one)) for column, one in zip(typed, parts, strict=True)
    }


def _column(column: TypedColumn, cells: Any) -> ColumnCodes:
    if column.carrier in ("text", "exact"):
        cells = cells.unify_dictionaries()
        texts = cells.chunk(0).dictionary.to_pylist()
        numbers = [one.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False) for one in cells.chunks]
        return ColumnCodes.of_texts(column, texts, np.concatenate(numbers))
    missing = cells.is_null().to_numpy().astype(np.bool_)
    numbers = (cells.fill_null(0) if cells.null_count else cells).to_numpy()
    return ColumnCodes.of_numbers(column, numbers, missing)


def _different(cells: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    """Return the different cells in order, and the place of each cell; close whole numbers are not sorted."""
    if cells.dtype.kind == "i" and len(cells):
        low, high = int(cells.min()), int(cells.max())
        if high - low < MOST_MARKED * len(cells):
            keys, places = numbered_keys(cells.astype(np.int64) - low, high - low + 1)
            return (keys + low).astype(cells.dtype), places
    return np.unique(cells, return_inverse=True)
