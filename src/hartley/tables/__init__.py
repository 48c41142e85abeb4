"""Where data lives: files and data frames; the only code that meets rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hartley.errors import TableError
from hartley.tables.range_read import RangeRead
from hartley.tables.reading import ReadOptions
from hartley.tables.roles import Roles
from hartley.tables.table import Table, TableColumn

__all__ = ["RangeRead", "ReadOptions", "Roles", "Table", "TableColumn", "open_table"]

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")


def open_table(source: Any, options: ReadOptions | None = None) -> Table:
    """Open a file or a data frame as a table.

    A path names a CSV, TSV, Parquet or JSON-lines file; text files may be packed with gzip.
    A frame is one of pandas, polars (eager or lazy), pyarrow, or a DuckDB relation.
    """
    options = options or ReadOptions()
    if isinstance(source, (str, Path)):
        return _open_file(Path(source), options)
    from hartley.tables.frame_source import frame_source

    return Table(frame_source(source), options)


def _open_file(path: Path, options: ReadOptions) -> Table:
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix in DELIMITERS:
        from hartley.tables.csv_source import CsvSource

        return Table(CsvSource(path, options.delimiter or DELIMITERS[suffix], options), options)
    if suffix in JSON_LINES:
        from hartley.tables.json_source import JsonSource

        return Table(JsonSource(path, options), options)
    if suffix in PARQUET and path.suffix.lower() != ".gz":
        from hartley.tables.parquet_source import ParquetSource

        return Table(ParquetSource(path), options)
    from hartley.tables.text_files import require_file

    require_file(path)
    known = ", ".join((*DELIMITERS, *PARQUET, *JSON_LINES))
    raise TableError(f"{path.name}: unknown kind of file; the name must end in one of {known}")
