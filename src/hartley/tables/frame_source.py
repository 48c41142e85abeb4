"""Data frames, through narwhals: frames in memory are scanned where they lie, lazy ones count first.

A frame in memory is handed to DuckDB as Arrow columns, most of them without a copy. A lazy
frame or a relation stays in its own engine: it counts its distinct rows over the columns that
are asked for, and only those come here.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hartley.errors import ColumnError, HartleyError, TableError, quoted
from hartley.tables.engine import connect
from hartley.tables.reading import ReadOptions
from hartley.tables.scan import Scan
from hartley.tables.source import CountedHere, RawColumn

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

MIXED = "mixes kinds of values; make them one kind first"
LONG_DECIMALS = "holds decimals of more than 38 digits; turn it into text first"
TOO_FINE = "holds times finer than a microsecond; turn it into text first"
KNOWN_EXTENSIONS = ("arrow.uuid", "arrow.json", "arrow.bool8")
"""Types beyond Arrow's own whose values DuckDB knows; of others it would take what they are stored as."""
ROWS = "hartley_row_count"


def frame_source(frame: Any, options: ReadOptions) -> EagerFrame | LazyFrame:
    """Give the source for a data frame of any supported library."""
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    if not hasattr(frame, "collect"):  # a lazy frame has no name twice, and is slow to tell
        _require_names([str(name) for name in getattr(frame, "column_names", getattr(frame, "columns", ()))])
    try:
        wrapped = nw.from_native(frame)
    except (TypeError, NarwhalsError):
        raise TableError(
            f"a {type(frame).__module__}.{type(frame).__name__} is no table; give a path, or a data frame of "
            "pandas, polars, pyarrow, DuckDB, PySpark, Dask or Ibis"
        ) from None
    if isinstance(wrapped, nw.LazyFrame):
        if wrapped.implementation.is_dask():
            from hartley.tables.dask_source import DaskFrame

            return DaskFrame(wrapped, options)
        if wrapped.implementation.is_pyspark():
            from hartley.tables.spark_source import SparkFrame

            return SparkFrame(wrapped, options)
        return LazyFrame(wrapped, options)
    if isinstance(wrapped, nw.DataFrame):
        return EagerFrame(wrapped, options)
    raise TableError("one column is no table; give a data frame")


class EagerFrame(CountedHere):
    """A frame in memory."""

    def __init__(
        self,
        frame: nw.DataFrame[Any],
        options: ReadOptions,
        *,
        name: str = "the table",
        refusals: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Hand the frame to DuckDB; ``refusals`` says of some columns why they cannot be measured."""
        self.name = name
        self.row_count = len(frame)
        if not self.row_count:
            raise TableError(f"{name} has columns but no rows")
        self.connection = connect(options.memory_limit)
        names = frame.columns
        _require_text_names(names)
        arrays = {f"c{place}": as_arrow(frame.get_column(name)) for place, name in enumerate(names)}
        self.columns = tuple(
            replace(column, refusal=refusals[column.name]) if column.name in refusals else column
            for column in _registered(self.connection, "hartley_rows", names, arrays)
        )

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Give the frame."""
        del columns
        return Scan("hartley_rows")

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Give the frame, in its order."""
        del columns
        return "hartley_rows"

    def where(self, row: int) -> str:
        """Word the place of a row."""
        return f"row {row}"

    def close(self) -> None:
        """Let go of the engine."""
        self.connection.close()


class LazyFrame(CountedHere):
    """A frame or relation that stays in its own engine."""

    name = "the table"

    def __init__(self, frame: nw.LazyFrame[Any], options: ReadOptions) -> None:
        import narwhals as nw

        self._library = frame.implementation.name.lower()
        with self._computed():
            names, placed = _by_place(frame)
            schema = placed.collect_schema()
        # No Arrow type holds 128-bit integers in every library; their digits do.
        wide = [place for place, kind in schema.items() if kind in (nw.Int128, nw.UInt128)]
        self._frame = placed.with_columns(nw.col(*wide).cast(nw.String)) if wide else placed
        with self._computed():
            # Dask brings its index along, so the count is asked for by name.
            counted = placed.select(nw.len().alias(ROWS)).collect("pyarrow")
            empty = self._frame.head(0).collect("pyarrow")
        self.row_count = int(counted.get_column(ROWS)[0])
        if not self.row_count:
            raise TableError("the table has columns but no rows")
        self.connection = connect(options.memory_limit)
        arrays = {place: as_arrow(empty.get_column(place)) for place in schema}
        found = _registered(self.connection, "hartley_schema", names, arrays)
        self.columns = tuple(
            RawColumn(column.name, column.sql, column.duckdb_type, "number") if column.sql in wide else column
            for column in found
        )

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Have the distinct rows counted where the data lives, and give those."""
        import narwhals as nw

        places = [column.sql for column in columns]
        with self._computed():
            counted = self._frame.group_by(*places).agg(nw.len().alias(ROWS)).collect("pyarrow")
        arrays = {column.sql: given(counted.get_column(column.sql), column.name) for column in columns}
        arrays["n"] = counted.get_column(ROWS).to_arrow()
        register(self.connection, "hartley_rows", arrays)
        return Scan("hartley_rows", "n")

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Fetch the rows of these columns, in their order."""
        places = [column.sql for column in columns]
        with self._computed():
            fetched = self._frame.select(places).collect("pyarrow")
        arrays = {column.sql: given(fetched.get_column(column.sql), column.name) for column in columns}
        register(self.connection, "hartley_rows", arrays)
        return "hartley_rows"

    @contextmanager
    def _computed(self) -> Iterator[None]:
        """Word what the frame's own engine cannot do; its message may hold a cell."""
        try:
            yield
        except (HartleyError, MemoryError):
            raise
        except Exception as error:
            raise TableError(
                f"the frame of {self._library} cannot be computed ({type(error).__name__}); "
                "try it there, and leave out columns that it cannot hand over as Arrow"
            ) from None

    def where(self, row: int) -> str:
        """Say that a row has no place of its own."""
        del row
        return "a row"

    def close(self) -> None:
        """Let go of our engine; the frame's own is not ours."""
        self.connection.close()


def _by_place(frame: nw.LazyFrame[Any]) -> tuple[list[str], nw.LazyFrame[Any]]:
    """Give the names of the columns, and the frame with its columns called ``c0, c1, ...`` by their place.

    Engines read names in their own ways: ``a`` and ``A`` as one, a dot as a step into a structure.
    """
    import narwhals as nw

    native = frame.to_native()
    kind = frame.implementation
    by_engine = kind.is_pyspark() or kind.is_duckdb() or kind.is_ibis()
    names = list(native.columns if by_engine else frame.collect_schema())
    _require_text_names(names)
    _require_names(names)
    places = [f"c{place}" for place in range(len(names))]
    if kind.is_pyspark():
        from hartley.tables.spark_source import placed

        return names, nw.from_native(placed(native))
    if kind.is_duckdb():
        cells = ", ".join(f"#{number} AS {place}" for number, place in enumerate(places, start=1))
        return names, nw.from_native(native.project(cells))
    if kind.is_ibis():
        if len({name.casefold() for name in names}) < len(names):
            raise TableError("two columns have names that differ in capitals only; rename one of them")
        return names, nw.from_native(native.rename(dict(zip(places, names, strict=True))))
    return names, frame.rename(dict(zip(names, places, strict=True)))


def given(series: nw.Series[Any], name: str) -> Any:
    """Give a column as Arrow, or refuse it with the reason."""
    found = as_arrow(series)
    if isinstance(found, str):
        raise ColumnError(f"column {name!r} {found}")
    return found


def _registered(
    connection: Any, view: str, names: Sequence[str], arrays: dict[str, Any]
) -> tuple[RawColumn, ...]:
    """Hand the columns to DuckDB, and say what it takes them for."""
    usable = {place: array for place, array in arrays.items() if not isinstance(array, str)}
    types: dict[str, str] = {}
    if usable:
        register(connection, view, usable)
        types = {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {view}").fetchall()}
    return tuple(
        RawColumn(name, place, types[place])
        if place in types
        else RawColumn(name, place, "UNKNOWN", refusal=arrays[place])
        for place, name in ((f"c{number}", name) for number, name in enumerate(names))
    )


def register(connection: Any, view: str, arrays: dict[str, Any]) -> None:
    """Hand columns to DuckDB under a name."""
    import pyarrow as pa

    connection.register(view, pa.table(arrays))


def as_arrow(series: nw.Series[Any]) -> Any:
    """Give a column as Arrow that DuckDB can scan, or the reason why there is none."""
    import narwhals as nw
    import pyarrow as pa

    native = series.to_native()
    if isinstance(native, pa.ChunkedArray) and getattr(native.type, "scale", 0) < 0:
        return native.cast(pa.decimal128(38, 0))
    if series.dtype in (nw.Int128, nw.UInt128):
        return _digits(series.cast(nw.String).to_arrow())
    try:
        array = series.to_arrow()
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return _whole_numbers(series.to_list())
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name not in KNOWN_EXTENSIONS:
        return f"is of type {kind.extension_name}; turn it into text, numbers or dates first"
    if series.implementation.is_pandas_like() and (reason := _lossy_moments(native, kind)):
        return reason
    if pa.types.is_float16(kind):
        return array.cast(pa.float32())
    if pa.types.is_decimal256(kind) or pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        try:
            return array.cast(pa.decimal128(38, kind.scale))
        except pa.ArrowInvalid:
            return LONG_DECIMALS
    return array


def _lossy_moments(native: Any, kind: pa.DataType) -> str | None:
    """Say what of Python's dates and times Arrow has left away: it judges a column by its first one."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind) and hasattr(native, "cat"):
        native, kind = native.cat.categories, kind.value_type
    if native.dtype != object or not (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return None
    cells = [cell for cell in native if cell is not None and cell == cell]
    if pa.types.is_date(kind):
        return MIXED if any(isinstance(cell, dt.datetime) for cell in cells) else None
    if any((cell.tzinfo is None) != (kind.tz is None) for cell in cells):
        return MIXED
    return TOO_FINE if any(getattr(cell, "nanosecond", 0) for cell in cells) else None


def _whole_numbers(cells: list[Any]) -> Any:
    """Give a column of Python integers beyond 64 bits as decimals, or the reason why not."""
    if not all(cell is None or cell != cell or type(cell) is int for cell in cells):
        return MIXED
    return _digits([str(cell) if type(cell) is int else None for cell in cells])


def _digits(cells: Any) -> Any:
    import pyarrow as pa

    texts = cells.to_pylist() if hasattr(cells, "to_pylist") else cells
    try:
        return pa.array([None if text is None else Decimal(text) for text in texts], pa.decimal128(38, 0))
    except (pa.ArrowException, InvalidOperation):
        return "holds numbers of more than 38 digits; turn it into text first"


def _require_names(names: Sequence[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise TableError(f"column {quoted(twice)} appears twice in the table; give each column its own name")


def _require_text_names(names: Sequence[Any]) -> None:
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise TableError(f"column name {odd[0]!r} is not text; rename the columns to text")
