"""Data frames, through narwhals: frames in memory are scanned where they lie, lazy ones count first.

A frame in memory is handed to DuckDB as Arrow columns, most of them without a copy. A lazy
frame or a relation stays in its own engine: it counts its distinct rows over the columns that
are asked for, and only those come here.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hartley.errors import ColumnError, HartleyError, TableError
from hartley.tables.engine import connect
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.arrow_columns import OBJECTS, UNKNOWN, as_arrow
from hartley.tables.sources.source import RawColumn, Scan, Source, require_names, require_rows

if TYPE_CHECKING:
    import narwhals as nw

CHANGED_BY_ARROW = ("TIME WITH TIME ZONE", "BIT", "VARIANT")
"""Types of DuckDB that come out of Arrow as something else."""
ROWS = "hartley_row_count"


class EagerFrame(Source):
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
        require_rows(self.row_count, name)
        self.connection = connect(options.memory_limit)
        _require_text_names(frame.columns)
        names = _by_number(frame.columns)
        arrays = {place: as_arrow(frame.get_column(name)) for place, name in names.items()}
        self.columns = tuple(
            replace(column, refusal=refusals[column.name]) if column.name in refusals else column
            for column in registered(self.connection, "hartley_rows", names, arrays)
        )


class LazyFrame(Source):
    """A frame or relation that stays in its own engine."""

    name = "the table"

    def __init__(self, frame: nw.LazyFrame[Any], options: ReadOptions) -> None:
        import narwhals as nw

        self._library = frame.implementation.name.lower()
        with self._computed():
            names = _names(frame)
            placed = self._by_place(frame, names)
            schema = placed.collect_schema()
        # No Arrow type holds 128-bit integers in every library; their digits do.
        wide = [place for place, kind in schema.items() if kind in (nw.Int128, nw.UInt128)]
        self._frame = placed.with_columns(nw.col(*wide).cast(nw.String)) if wide else placed
        with self._computed():
            # Dask brings its index along, so the count is asked for by name.
            counted = placed.select(nw.len().alias(ROWS)).collect("pyarrow")
            empty = self._frame.head(0).collect("pyarrow")
        self.row_count = int(counted.get_column(ROWS)[0])
        require_rows(self.row_count, self.name)
        self.connection = connect(options.memory_limit)
        lost = _lost_in_arrow(placed)
        arrays = {place: lost.get(place) or as_arrow(empty.get_column(place)) for place in schema}
        found = registered(self.connection, "hartley_schema", _by_number(names), arrays)
        self.columns = tuple(
            RawColumn(column.name, column.sql, column.duckdb_type, "number") if column.sql in wide else column
            for column in found
        )

    def _by_place(self, frame: nw.LazyFrame[Any], names: Sequence[str]) -> nw.LazyFrame[Any]:
        """Return the frame with its columns called ``c0, c1, ...`` by their place.

        Engines read names in their own ways: ``a`` and ``A`` as one, a dot as a step into a structure.
        """
        import narwhals as nw

        native, kind = frame.to_native(), frame.implementation
        places = [f"c{place}" for place in range(len(names))]
        if kind.is_duckdb():
            cells = ", ".join(f"#{number} AS {place}" for number, place in enumerate(places, start=1))
            native = native.project(cells)
        elif kind.is_ibis():
            if len({name.casefold() for name in names}) < len(names):
                raise TableError("two columns have names that differ in capitals only; rename one of them")
            native = native.rename(dict(zip(places, names, strict=True)))
        else:
            return frame.rename(dict(zip(names, places, strict=True)))
        by_place: nw.LazyFrame[Any] = nw.from_native(native)
        return by_place

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Have the distinct rows counted where the data lives, and give those."""
        with self._computed():
            counted = self._counted(columns)
        arrays = {column.sql: given(counted.get_column(column.sql), column.name) for column in columns}
        arrays["n"] = counted.get_column(ROWS).to_arrow()
        register(self.connection, "hartley_scanned", arrays)
        return Scan("hartley_scanned", "n")

    def _counted(self, columns: Sequence[RawColumn]) -> nw.DataFrame[Any]:
        """Return the distinct rows of some columns, with the number of each."""
        import narwhals as nw

        places = [column.sql for column in columns]
        return self._frame.group_by(*places).agg(nw.len().alias(ROWS)).collect("pyarrow")

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Fetch the rows of these columns, in their order."""
        places = [column.sql for column in columns]
        with self._computed():
            fetched = self._frame.select(places).collect("pyarrow")
        arrays = {column.sql: given(fetched.get_column(column.sql), column.name) for column in columns}
        register(self.connection, "hartley_rows", arrays)
        return "hartley_rows"

    def _computed(self) -> AbstractContextManager[None]:
        return computed(self._library)

    def where(self, row: int) -> str:
        """Say that a row has no place of its own."""
        del row
        return "a row"


@contextmanager
def computed(library: str) -> Iterator[None]:
    """Word what a frame's own engine cannot do; its message may hold a cell."""
    try:
        yield
    except (HartleyError, MemoryError):
        raise
    except Exception as error:
        raise TableError(
            f"the frame of {library} cannot be computed ({type(error).__name__}); "
            "try it there, and leave out columns that it cannot hand over as Arrow"
        ) from None


def _names(frame: nw.LazyFrame[Any]) -> list[str]:
    """Return the names of the columns; refuse what no column can be told by."""
    kind = frame.implementation
    by_engine = kind.is_pyspark() or kind.is_duckdb() or kind.is_ibis()
    names = list(frame.to_native().columns if by_engine else frame.collect_schema())
    _require_text_names(names)
    require_names(names)
    return names


def _by_number(names: Sequence[str]) -> dict[str, str]:
    """Return the names of columns by their places, ``c0, c1, ...``."""
    return {f"c{number}": name for number, name in enumerate(names)}


def _lost_in_arrow(frame: nw.LazyFrame[Any]) -> dict[str, str]:
    """Say of some columns why they cannot be handed over: Arrow would hold something else."""
    import narwhals as nw

    if frame.implementation.is_polars():
        return {place: OBJECTS for place, kind in frame.collect_schema().items() if kind == nw.Object}
    if not frame.implementation.is_duckdb():
        return {}
    native = frame.to_native()
    kinds = dict(zip(native.columns, map(str, native.types), strict=True))
    return {place: UNKNOWN for place, kind in kinds.items() if kind in CHANGED_BY_ARROW}


def given(series: nw.Series[Any], name: str) -> Any:
    """Return a column as Arrow, or refuse it with the reason."""
    found = as_arrow(series)
    if isinstance(found, str):
        raise ColumnError(f"column {name!r} {found}")
    return found


def registered(
    connection: Any, view: str, names: Mapping[str, str], arrays: dict[str, Any]
) -> tuple[RawColumn, ...]:
    """Hand the columns to DuckDB, and say what it takes them for; ``names`` are theirs, by their places."""
    usable = {place: array for place, array in arrays.items() if not isinstance(array, str)}
    types = _described(connection, view, usable)
    if types is None:
        usable = {place: one for place, one in usable.items() if _described(connection, view, {place: one})}
        types = _described(connection, view, usable) or {}
    return tuple(
        RawColumn(name, place, types[place])
        if place in types
        else RawColumn(
            name, place, "UNKNOWN", refusal=arrays[place] if isinstance(arrays[place], str) else UNKNOWN
        )
        for place, name in names.items()
    )


def _described(connection: Any, view: str, arrays: dict[str, Any]) -> dict[str, str] | None:
    """Hand columns to DuckDB and give the types it takes them for; nothing where it cannot take them."""
    import duckdb

    if not arrays:
        return {}
    try:
        register(connection, view, arrays)
        return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {view}").fetchall()}
    except duckdb.Error:
        return None


def register(connection: Any, view: str, arrays: dict[str, Any]) -> None:
    """Hand columns to DuckDB under a name."""
    import pyarrow as pa

    connection.register(view, pa.table(arrays))


def _require_text_names(names: Sequence[Any]) -> None:
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise TableError(f"column name {odd[0]!r} is not text; rename the columns to text")
