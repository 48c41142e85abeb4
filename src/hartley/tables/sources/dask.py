"""A Dask frame: each partition is counted by itself, where it lies."""

# ruff: noqa: S608 (every name in a query is ours)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hartley.tables.engine import connect
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.arrow_columns import MIXED, as_arrow
from hartley.tables.sources.frames import LazyFrame, given, registered
from hartley.tables.sources.source import RawColumn, Scan, required

if TYPE_CHECKING:
    import narwhals as nw


class DaskFrame(LazyFrame):
    """A Dask frame: each partition is counted by itself, where it lies."""

    def __init__(self, frame: nw.LazyFrame[Any], options: ReadOptions) -> None:
        super().__init__(frame, options)
        dtypes = self._frame.to_native().dtypes
        # Only the cells say what a column of Python objects holds.
        objects = [column for column in self.columns if str(dtypes[column.sql]) == "object"]
        if objects:
            self.columns = self._looked_at(objects)

    def _looked_at(self, objects: Sequence[RawColumn]) -> tuple[RawColumn, ...]:
        import pyarrow as pa

        arrays: dict[str, Any] = {}
        partitions = self._by_partition(objects)
        for column in objects:
            found = one_type([types[column.sql] for types in partitions])
            arrays[column.sql] = found if isinstance(found, str) else pa.array([], found)
        names = {column.sql: column.name for column in objects}
        found = registered(self.connection, "hartley_objects", names, arrays)
        looked_at = {column.sql: column for column in found}
        return tuple(looked_at.get(column.sql, column) for column in self.columns)

    def _by_partition(self, columns: Sequence[RawColumn]) -> list[dict[str, Any]]:
        """Return for each partition the Arrow types of some columns, or why there is none."""
        dask = required("dask", "a Dask frame", "dask")
        places = [column.sql for column in columns]
        look = dask.delayed(_partition_types)
        with self._computed():
            partitions = self._frame.select(places).to_native().to_delayed()
            return list(dask.compute(*(look(partition, places) for partition in partitions)))

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Have the distinct rows of each partition counted, and give those of all."""
        import pyarrow as pa

        dask = required("dask", "a Dask frame", "dask")
        places, names = [column.sql for column in columns], [column.name for column in columns]
        count = dask.delayed(_counted_partition)
        with self._computed():
            partitions = self._frame.select(places).to_native().to_delayed()
            counted = dask.compute(*(count(partition, places, names) for partition in partitions))
            rows = pa.concat_tables(counted, promote_options="permissive")
        self.connection.register("hartley_scanned", rows)
        return Scan("hartley_scanned", "n")


def _partition_types(partition: Any, places: list[str]) -> dict[str, Any]:
    import narwhals as nw

    frame = nw.from_native(partition, eager_only=True)
    found = {place: as_arrow(frame.get_column(place)) for place in places}
    return {place: array if isinstance(array, str) else array.type for place, array in found.items()}


def one_type(types: Sequence[Any]) -> Any:
    """Return the one Arrow type of a column in parts, or why there is none: Arrow would change some cells.

    >>> import pyarrow as pa
    >>> one_type([pa.null(), pa.string()]), one_type([pa.string(), pa.binary()])
    (DataType(string), 'mixes kinds of values; make them one kind first')
    """
    import pyarrow as pa

    for found in types:
        if isinstance(found, str):
            return found
    present = {found for found in types if not pa.types.is_null(found)}
    if not present:
        return pa.null()
    if len(present) == 1:
        return present.pop()
    if not all(map(pa.types.is_decimal, present)):
        return MIXED
    schemas = [pa.schema([("x", found)]) for found in present]
    return pa.unify_schemas(schemas, promote_options="permissive").field("x").type


def _counted_partition(partition: Any, places: list[str], names: list[str]) -> Any:
    """Count the distinct rows of one partition."""
    import narwhals as nw
    import pyarrow as pa

    frame = nw.from_native(partition, eager_only=True)
    rows = pa.table(
        {place: given(frame.get_column(place), name) for place, name in zip(places, names, strict=True)}
    )
    connection = connect()
    connection.register("hartley_rows", rows)
    query = f"SELECT {', '.join(places)}, count(*) AS n FROM hartley_rows GROUP BY ALL"
    found = connection.sql(query).to_arrow_table()
    connection.close()
    return found
