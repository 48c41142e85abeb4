"""The rows of a table inside DuckDB: joined to codebooks, and shown as they will be published.

Every published cell has a text. It is the text of the file where the file is text, and the
engine's text of the value where the file has types. What a reader can tell apart is what differs in
that text, so that is what is measured: a kept 1.10 and 1.1 in a CSV file are two values.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hartley.errors import ColumnError
from hartley.model.arrays import Ints
from hartley.releases.cell_text import Cell
from hartley.releases.formats import Format
from hartley.tables import Table

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

    from hartley.tables.column_types import TypedColumn

_WITHOUT_TEXT = re.compile(
    r"(\]|^(STRUCT|MAP|UNION|LIST|VARIANT)\b.*|^BLOB|^INTERVAL|^TIME WITH TIME ZONE)$", re.DOTALL
)
_WIDENED = ("FLOAT", "ENUM", "UUID")
_WIDE = ("HUGEINT", "UHUGEINT")
"""Whole numbers that Parquet has no type for; DuckDB would write them as floats."""
_WHOLE = "DECIMAL(38, 0)"
EXACT = 1 << 53
"""Whole numbers below this are floats without rounding."""


@dataclass(frozen=True)
class RowColumn:
    """A column of a query over the rows."""

    name: str
    typed: TypedColumn | None
    """How its cells become values; nothing where they cannot."""
    value: str | None
    """The SQL name of the value in its carrier."""
    value_type: str | None
    cell: str
    """The SQL name of the untouched cell."""
    cell_type: str

    @property
    def is_untyped(self) -> bool:
        """Whether the source has only text where the column is a number or date."""
        return self.cell_type == "VARCHAR" and self.typed is not None and self.typed.kind != "text"

    def natural(self) -> str:
        """Return the SQL of the value in the type that fits its kind."""
        if self.typed is None or self.value is None:
            return self.cell
        if self.typed.kind == "boolean":
            return f"{self.value}::BOOLEAN"
        if self.typed.kind == "date":
            return f"(DATE '1970-01-01' + {self.value}::INTEGER)"
        if self.typed.kind == "timestamp":
            micros = f"({self.value} // 1000)" if self.typed.unit == "nanosecond" else self.value
            return (
                f"(make_timestamp({micros}) AT TIME ZONE 'UTC')"
                if self.typed.has_zone
                else f"make_timestamp({micros})"
            )
        return self.value

    def natural_type(self, *, recoded: bool) -> str:
        """Return the type of the column in a file that has types."""
        kind = "text" if self.typed is None else self.typed.kind
        if set(_WIDE) & {self.cell_type, self.value_type if self.is_untyped else ""}:
            return _WHOLE
        if not self.is_untyped:
            widened = recoded and self.cell_type.startswith(_WIDENED)
            return {"FLOAT": "DOUBLE"}.get(self.cell_type, "VARCHAR") if widened else self.cell_type
        names = {"boolean": "BOOLEAN", "date": "DATE", "timestamp": "TIMESTAMP"}
        if kind == "timestamp" and self.typed is not None and self.typed.has_zone:
            return "TIMESTAMP WITH TIME ZONE"
        return names.get(kind, self.value_type or "VARCHAR")

    def untouched(self, format_: Format) -> str:
        """Return the SQL of the cell as it is published where it is not recoded."""
        if format_.is_typed:
            if self.natural_type(recoded=False) == _WHOLE:
                return f"{self.natural()}::{_WHOLE}"
            return self.natural() if self.is_untyped else self.cell
        if _WITHOUT_TEXT.search(self.cell_type):
            raise ColumnError(
                f"column {self.name!r} is a list, a structure, an interval, a time with a zone or binary; "
                "only a Parquet file can hold it"
            )
        if (
            format_.name == "json"
            and self.is_untyped
            and self.typed is not None
            and self.typed.kind == "number"
        ):
            return f"{self.natural()}::VARCHAR"
        return f"{self.cell}::VARCHAR"

    def is_json_number(self) -> bool:
        """Whether JSON writes the cells without quotes."""
        return self.typed is not None and self.typed.kind in ("number", "boolean")


class Rows:
    """The rows of a table with some of its columns; rows that lack a needed value can be left out."""

    def __init__(self, table: Table, names: Sequence[str], *, present: Iterable[str] = ()) -> None:
        names = list(dict.fromkeys(names))
        table.require_columns(names)
        table.require_cells(names)
        self.connection: DuckDBPyConnection = table.connection
        self.labels = table.source.labels
        self._table = table
        typed = _typed(table, names)
        measured = [name for name in names if typed[name] is not None]
        query = table.rows_sql(names, typed=measured)
        types = {row[0]: row[1] for row in self.connection.execute(f"DESCRIBE {query}").fetchall()}
        self.columns: dict[str, RowColumn] = {}
        for place, name in enumerate(names):
            value = f"v{measured.index(name)}" if name in measured else None
            self.columns[name] = RowColumn(
                name,
                typed[name],
                value,
                None if value is None else types[value],
                f"o{place}",
                types[f"o{place}"],
            )
        lacking = " OR ".join(f"{self.present(name)} IS NULL" for name in present)
        self.sql = f"(SELECT * FROM ({query}) WHERE NOT ({lacking}))" if lacking else f"({query})"

    @property
    def most_rows(self) -> int:
        """How many rows there are, with those that are left out."""
        return self._table.row_count

    def present(self, name: str) -> str:
        """Return the SQL that is NULL where the cell is missing."""
        column = self.columns[name]
        return column.value or column.cell

    def count(self) -> int:
        """Count the rows."""
        (found,) = self.connection.execute(f"SELECT count(*) FROM {self.sql}").fetchall()
        return int(found[0])

    def keyed(
        self,
        table: str,
        names: Sequence[str],
        keys: Sequence[Sequence[Cell]],
        **more: tuple[str, Sequence[int]],
    ) -> str:
        """Make a small table that rows can be joined to by their values; give the SQL of the join.

        ``keys`` are the cells of the values, column by column, and ``more`` the columns to be joined:
        (type, whole numbers). A key that no row can have is left out.
        """
        import pyarrow as pa

        columns = [self.columns[name] for name in names]
        held = {name: arrow_numbers(np.asarray(cells)) for name, (_, cells) in more.items()}
        lost: set[int] = set()
        for j, (column, cells) in enumerate(zip(columns, keys, strict=True)):
            texts = _all_carried(column, cells)
            if False in texts:
                lost.update(place for place, text in enumerate(texts) if text is False)
                texts = [None if text is False else text for text in texts]
            held[f"k{j}"] = arrow_texts(texts)
        table_of_keys = pa.table(held)
        if lost:
            usable = np.delete(np.arange(len(table_of_keys)), list(lost))
            table_of_keys = table_of_keys.take(arrow_numbers(usable))
        self.connection.register("hartley_keys", table_of_keys)
        # A number beyond the carrier is a key that no row can have.
        tried = [f"TRY_CAST(k{j} AS {column.value_type})" for j, column in enumerate(columns)]
        fits = " AND ".join(f"(k{j} IS NULL) = ({one} IS NULL)" for j, one in enumerate(tried))
        casts = [f"{one} AS k{j}" for j, one in enumerate(tried)]
        casts += [f"{name}::{kind} AS {name}" for name, (kind, _) in more.items()]
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS "
            f"SELECT {', '.join(casts)} FROM hartley_keys WHERE {fits}"
        )
        self.connection.unregister("hartley_keys")
        on = " AND ".join(
            f"q.{column.value} IS NOT DISTINCT FROM {table}.k{j}" for j, column in enumerate(columns)
        )
        return f" LEFT JOIN {table} ON {on}"

    def unmatched(self, join: str, table: str, column: str, *, unless: str = "FALSE") -> int:
        """Count the rows that a join does not find; rows of which ``unless`` is true need not be found."""
        (found,) = self.connection.execute(
            f"SELECT count(*) FROM {self.sql} AS q{join} WHERE {table}.{column} IS NULL AND NOT ({unless})"
        ).fetchall()
        return int(found[0])


def arrow_texts(texts: Sequence[str | None]) -> pa.Array:
    """Return texts as an Arrow column; Arrow's own way from a list loads pandas wherever it is installed."""
    import pyarrow as pa

    column = pa.lib.StringBuilder()
    column.append_values(texts)
    return column.finish()


def arrow_numbers(numbers: Ints) -> pa.Array:
    """Return whole numbers as an Arrow column, without pandas as well."""
    import pyarrow as pa

    own = np.ascontiguousarray(numbers, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(own), [None, pa.py_buffer(own)])


def _typed(table: Table, names: Sequence[str]) -> dict[str, TypedColumn | None]:
    found: dict[str, TypedColumn | None] = {}
    for name in names:
        try:
            (found[name],) = table.typed_columns([name])
        except ColumnError:
            found[name] = None
    return found


def _all_carried(column: RowColumn, cells: Sequence[Cell]) -> list[Any]:
    """Return the texts of cells in the carrier of a column: whole numbers all at once, equal numbers once."""
    typed = column.typed
    are_whole = typed is not None and typed.kind == "number" and set(map(type, cells)) == {int}
    if typed is not None and are_whole and min(cells) > -EXACT and max(cells) < EXACT:
        return list(map(repr, map(float, cells) if typed.carrier == "float" else cells))
    if typed is not None and typed.kind == "number" and typed.carrier == "float":
        return [None if cell is None else _as_float(cell) for cell in cells]
    if typed is not None and typed.kind == "number":
        carried = {cell: _carried(column, cell) for cell in dict.fromkeys(cells)}
        return [carried[cell] for cell in cells]
    if typed is not None and typed.kind == "timestamp" and None not in cells:
        zone = dt.UTC if typed.has_zone else None
        if {cell.tzinfo for cell in cells} == {zone}:
            start, microsecond = dt.datetime(1970, 1, 1, tzinfo=zone), dt.timedelta(microseconds=1)
            times = 1000 if typed.unit == "nanosecond" else 1
            return [str((cell - start) // microsecond * times) for cell in cells]
    return [_carried(column, cell) for cell in cells]


def _carried(column: RowColumn, cell: Cell) -> str | bool | None:
    """Return the text of a cell in the carrier of a column; ``False`` where the carrier cannot hold it."""
    if cell is None:
        return None
    typed = column.typed
    if typed is None:
        raise ColumnError(f"column {column.name!r} cannot be recoded")
    if typed.kind == "text":
        return str(cell)
    if typed.kind == "boolean":
        return str(int(cell))
    if typed.kind == "date":
        return str((cell - dt.date(1970, 1, 1)).days)
    if typed.kind == "timestamp":
        if typed.has_zone != (cell.tzinfo is not None):
            zones = "no time zone there and one here" if typed.has_zone else "a time zone there and none here"
            raise ColumnError(f"the policy was made for other columns: {column.name!r} has {zones}")
        start = dt.datetime(1970, 1, 1, tzinfo=cell.tzinfo)
        micros = (cell - start) // dt.timedelta(microseconds=1)
        return str(micros * 1000 if typed.unit == "nanosecond" else micros)
    if type(cell) is int and abs(cell) < EXACT:
        return repr(float(cell)) if typed.carrier == "float" else str(cell)
    number = Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell)
    if typed.carrier == "float":
        return _as_float(number)
    decimals = -int(number.normalize().as_tuple().exponent)
    room = re.fullmatch(r"DECIMAL\(\d+,\s*(\d+)\)", column.value_type or "")
    return format(number, "f") if decimals <= (int(room[1]) if room else 0) else False


def _as_float(cell: Cell) -> str | Literal[False]:
    """Return the text of a number as a float; ``False`` where no float is written so."""
    try:
        text = repr(float(cell))
    except OverflowError:
        return False
    # Most are written with the digits that Python writes, which is told faster than that numbers are equal.
    return text if isinstance(cell, float) or text == str(cell) or Decimal(text) == cell else False
