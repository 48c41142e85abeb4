"""Where data lives: files, databases, data frames and engines; the only code that meets rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hartley.errors import OptionError, option
from hartley.tables.counting.fetch_range import RangeRead
from hartley.tables.counting.sql_summary import SummaryRead
from hartley.tables.locations import DELIMITERS, Files, find_files, is_database
from hartley.tables.other_databases import is_other_database, shown_other
from hartley.tables.read_options import ReadOptions
from hartley.tables.roles import Roles
from hartley.tables.sources.source import Source
from hartley.tables.table import Table, TableColumn

__all__ = ["RangeRead", "ReadOptions", "Roles", "SummaryRead", "Table", "TableColumn", "open_table"]


def open_table(source: Any, options: ReadOptions | None = None) -> Table:
    """Open a file, several files, a database or a data frame as a table.

    A path names a CSV, TSV, JSON-lines, Parquet, Arrow, Excel, Stata or SPSS file, or by a pattern
    (``part-*.parquet``) several of one kind; text files may be packed. A URL
    (``postgresql://…``, ``sqlite:///…``, ``duckdb:///…``, or that of another ADBC driver) names a database,
    and ``options.query`` what to select there.
    A frame is one of pandas, polars (eager or lazy), pyarrow, DuckDB, PySpark, Dask or Ibis.
    """
    options = options or ReadOptions()
    if is_database(source):
        from hartley.tables.sources.database import DatabaseSource

        _require_typed("a database", options)
        if is_other_database(source):
            return _other_database(source, options)
        return Table(DatabaseSource(source, options), options)
    if options.query is not None:
        raise OptionError(f"a query is for databases; give the URL of one, or no query ({option('query')})")
    if isinstance(source, (str, Path)):
        return Table(_file_source(find_files(source), options), options)
    _require_typed("the table", options)
    from hartley.tables.sources.frames import frame_source

    return Table(frame_source(source, options), options)


def _other_database(url: str, options: ReadOptions) -> Table:
    """Open what a database gives that is read through another driver: rows come here, and are a frame."""
    from hartley.tables.other_databases import read_other
    from hartley.tables.sources.frames import frame_source

    frame = frame_source(read_other(url, options.query), options)
    frame.name = shown_other(url)
    return Table(frame, options)


def _require_typed(name: str, options: ReadOptions) -> None:
    """Refuse what only the cells of text files need."""
    if options.decimal != "." or options.missing_words:
        given = "decimal" if options.decimal != "." else "missing_words"
        raise OptionError(f"{option(given)} is for CSV and TSV files; the cells of {name} have types")


def _file_source(files: Files, options: ReadOptions) -> Source:
    if options.sheet is not None and files.kind != "workbook":
        raise OptionError(f"{files.name} has no sheets; {option('sheet')} is for workbooks")
    if files.kind == "csv":
        from hartley.tables.sources.csv import CsvSource

        return CsvSource(files, DELIMITERS[files.ending], options)
    _require_typed(files.name, options)
    if files.kind == "json":
        from hartley.tables.sources.json_lines import JsonSource

        return JsonSource(files, options)
    if files.kind == "parquet":
        from hartley.tables.sources.parquet import ParquetSource

        return ParquetSource(files, options)
    if files.kind == "arrow":
        from hartley.tables.sources.arrow import arrow_source

        return arrow_source(files, options)
    if files.kind == "workbook":
        from hartley.tables.sources.excel import workbook_source

        return workbook_source(files, options)
    from hartley.tables.sources.stata_spss import labelled_source

    return labelled_source(files, options)
