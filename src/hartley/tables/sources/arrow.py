"""Arrow and Feather files: they bring their own types, and are read batch by batch where they lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hartley.errors import TableError
from hartley.tables.engine import blame_file, connect
from hartley.tables.locations import Files
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.arrow_columns import is_odd
from hartley.tables.sources.frames import EagerFrame
from hartley.tables.sources.source import (
    RawColumn,
    Scan,
    Source,
    placed_columns,
    require_names,
    require_rows,
    require_same_columns,
)

T = TypeVar("T")


def arrow_source(files: Files, options: ReadOptions) -> ArrowSource | EagerFrame:
    """Return the source for Arrow files; one with types that DuckDB cannot scan is taken into memory."""
    import duckdb
    import narwhals as nw
    from pyarrow import dataset

    schemas = [_schema(path) for path in files.paths]
    for path, schema in zip(files.paths, schemas, strict=True):
        require_names(schema.names, path.name)
        require_same_columns(path, files.paths[0], are_same=schema.equals(schemas[0]))
    rows = dataset.dataset([str(path) for path in files.paths], schema=schemas[0], format="ipc")
    if not any(map(is_odd, schemas[0].types)):
        with suppress(duckdb.NotImplementedException, duckdb.InternalException):
            return ArrowSource(files, rows, options)
    table = _undamaged(files.name, lambda: _validated(rows.to_table()))
    return EagerFrame(nw.from_native(table, eager_only=True), options, name=files.name)


def _validated(table: Any) -> Any:
    table.validate(full=True)
    return table


def _undamaged(name: str, read: Callable[[], T]) -> T:
    """Read something of an Arrow file; what fails is the file's fault."""
    import pyarrow as pa

    try:
        return read()
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        raise TableError(f"{name}: the file is damaged") from None


def _schema(path: Path) -> Any:
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as stream:
            schema = pa.ipc.open_file(stream).schema
        if schema.names:  # which are not in UTF-8 in some files that are damaged
            return schema
    except (pa.ArrowException, OSError, ValueError):
        raise TableError(
            f"{path.name}: the file is not an Arrow file that can be read (Feather version 2)"
        ) from None
    raise TableError(f"{path.name}: the file has no columns")


class ArrowSource(Source):
    """Arrow files, scanned batch by batch."""

    def __init__(self, files: Files, rows: Any, options: ReadOptions) -> None:
        self.name = files.name
        self.connection = connect(options.memory_limit)
        self._paths = files.paths
        self._validated: set[int] = set()
        self.row_count = int(_undamaged(self.name, rows.count_rows))
        require_rows(self.row_count, f"{self.name}: the file")
        self.connection.register("hartley_file", rows)
        described = self.connection.execute("DESCRIBE SELECT * FROM hartley_file").fetchall()
        # Names that differ in their capitals are one to DuckDB; it gives the later ones another name.
        self.columns = tuple(
            RawColumn(name, f"c{place}", row[1])
            for place, (name, row) in enumerate(zip(rows.schema.names, described, strict=True))
        )
        self.relation = placed_columns("hartley_file", len(self.columns))
        blame_file(self.connection, self.name)

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Return the files; only the columns that are selected are read."""
        self._validate(columns)
        return super().scan(columns)

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Return the files; DuckDB keeps their order."""
        self._validate(columns)
        return super().rows(columns)

    def _validate(self, columns: Sequence[RawColumn]) -> None:
        """Look through columns before the engine does, which believes every offset and index in a file."""
        import pyarrow as pa

        places = {self.columns.index(column) for column in columns} - self._validated
        if not places:
            return
        options = pa.ipc.IpcReadOptions(included_fields=sorted(places))

        def look_through(path: Path) -> None:
            with pa.memory_map(str(path)) as stream:
                file = pa.ipc.open_file(stream, options=options)
                for number in range(file.num_record_batches):
                    file.get_batch(number).validate(full=True)

        for path in self._paths:
            _undamaged(path.name, partial(look_through, path))
        self._validated |= places
