"""The released table as a file: rows that are ready to be published, in the format of its name.

The rows come as ``p0, p1, ...``, one for each published column: in the types of the columns where the
format has types, as text otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hartley.errors import WriteError
from hartley.releases.formats import Format
from hartley.tables.sources.stata_spss import FileLabels

ROW_GROUP = 1 << 20
"""Cells of a Parquet file that are written together, of however many columns; they share dictionaries."""
LEAST_ROWS = 1 << 17
"""Rows that are written together at least: about as many as DuckDB takes by itself."""


@dataclass(frozen=True)
class ReadyRows:
    """Rows as they are to be published, to be read once."""

    connection: Any
    """The engine that gives them."""
    sql: str
    """What ``p0, p1, ...`` can be selected from."""
    order: Literal["given", "any"] = "given"
    """Whether they are published in the order they come in: those in a random order may come in any other."""
    interruptions: list[KeyboardInterrupt] = field(default_factory=list)
    """Ctrl-C while the rows were made: the engine that reads them words it as a failure of its own."""


@dataclass(frozen=True)
class FileColumns:
    """The columns of a released file, and what only some formats need to know of them."""

    names: Sequence[str]
    json_numbers: Collection[str]
    """Columns whose cells JSON writes without quotes."""
    has_lone_missing: bool
    """Whether it is a single column of text with missing cells."""
    labels: FileLabels | None
    untouched: Collection[str]
    """Columns that keep the labels that the file had for their values."""

    @property
    def named(self) -> str:
        """The SQL that selects every cell under its name."""
        return ", ".join(f"p{place} AS {_name(name)}" for place, name in enumerate(self.names))


def write_table(path: Path, format_: Format, rows: ReadyRows, columns: FileColumns) -> None:
    """Write a file; a failure is worded without any cell."""
    import duckdb

    try:
        if format_.name == "parquet":
            _copy(
                path,
                rows,
                f"SELECT {columns.named} FROM {rows.sql}",
                f"FORMAT parquet, ROW_GROUP_SIZE {max(LEAST_ROWS, ROW_GROUP // len(columns.names))}",
            )
        elif format_.name == "arrow":
            _write_arrow(path, rows.connection.sql(f"SELECT {columns.named} FROM {rows.sql}"))
        elif format_.is_typed:
            from hartley.releases.labelled_files import write_labelled

            cells = rows.connection.sql(f"SELECT {columns.named} FROM {rows.sql}").to_arrow_table()
            write_labelled(path, cells, columns.labels, set(columns.untouched))
        elif format_.name == "json":
            # A line is text as it is: with a quote to put around it, a line that holds # would get it.
            marks = "DELIMITER '\x01', QUOTE '', ESCAPE ''"
            query = f"SELECT {_json_line(columns)} FROM {rows.sql}"
            _copy(path, rows, query, f"FORMAT csv, HEADER false, {marks}, {_packing(format_)}")
        else:
            _write_csv(path, format_, rows, columns)
    except (duckdb.Error, RuntimeError, OSError) as error:
        if rows.interruptions or "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        if not isinstance(error, duckdb.Error):
            raise
        raise WriteError(_reason(error)) from None


def _copy(path: Path, rows: ReadyRows, query: str, options: str) -> None:
    place = str(path).replace("'", "''")
    # Where the order is free, each thread writes what it has, and nothing waits for what came before it.
    rows.connection.execute(f"SET preserve_insertion_order = {str(rows.order == 'given').lower()}")
    try:
        rows.connection.execute(f"COPY ({query}) TO '{place}' ({options})")
    finally:
        rows.connection.execute("SET preserve_insertion_order = true")


def _packing(format_: Format) -> str:
    return f"COMPRESSION {'gzip' if format_.is_packed else 'none'}"


def _write_csv(path: Path, format_: Format, rows: ReadyRows, columns: FileColumns) -> None:
    named, quoted = columns.named, ""
    if columns.has_lone_missing:
        # A line with nothing on it is no record: a missing cell stands as a pair of quotes.
        named, quoted = f"coalesce(p0, '') AS {_name(columns.names[0])}", ", FORCE_QUOTE *"
    marks = f"DELIMITER '{format_.delimiter}', QUOTE '\"', ESCAPE '\"', HEADER true{quoted}"
    _copy(path, rows, f"SELECT {named} FROM {rows.sql}", f"FORMAT csv, {marks}, {_packing(format_)}")


def _json_line(columns: FileColumns) -> str:
    parts = []
    for place, name in enumerate(columns.names):
        written = f"p{place}" if name in columns.json_numbers else f"to_json(p{place})::VARCHAR"
        parts.append(f"to_json({_literal(name)})::VARCHAR || ':' || coalesce({written}, 'null')")
    return "'{' || " + " || ',' || ".join(parts) + " || '}' AS line"


def _write_arrow(path: Path, relation: Any) -> None:
    import pyarrow as pa

    batches = pa.RecordBatchReader.from_stream(relation)
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(pa.record_batch(list(map(without_remains, batch.columns)), batch.schema))


def without_remains(column: Any) -> Any:
    """Give an Arrow column with nothing in the place of missing cells.

    Arrow has room for them as for any other, and the engine leaves there what was in memory: a
    pointer, or a cell of a row or column that is not published.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not column.null_count:
        return column
    is_missing = column.is_null().to_numpy(zero_copy_only=False)
    # What is taken from no place is zero.
    return pc.take(column, pa.array(np.arange(len(column)), mask=is_missing))


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _reason(error: Exception) -> str:
    # The engine's message may quote a cell; the system's reason does not.
    text = str(error)
    for number in (27, 28, 30, 13, 5, 122):
        if os.strerror(number) in text:
            return f"the released table cannot be written: {os.strerror(number).lower()}; nothing was changed"
    if "out of memory" in text.lower():
        return "the memory is too small to write the released table; give more (--memory-limit)"
    return "the released table cannot be written; nothing was changed"
