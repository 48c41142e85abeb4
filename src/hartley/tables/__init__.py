"""Where data lives: files, databases, data frames and engines; the only code that meets rows.

Read ``table`` first: what can be asked of a source once it is open. ``sources`` has a module for each kind of
source, ``counting`` the ways to count, ``text_types`` the rule by which text becomes numbers and dates.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hartley.errors import HartleyError, OptionError, TableError, option
from hartley.tables.counting.fetch_range import RangeRead
from hartley.tables.counting.sql_summary import SummaryRead
from hartley.tables.locations import DELIMITERS, Files, find_files, is_database
from hartley.tables.other_databases import is_other_database, scheme_of, shown_other
from hartley.tables.read_options import AS_IT_IS, ReadOptions
from hartley.tables.roles import Roles
from hartley.tables.sources.source import Source, require_names
from hartley.tables.table import Table, TableColumn

if TYPE_CHECKING:
    from hartley.tables.sources.frames import EagerFrame, LazyFrame

__all__ = ["RangeRead", "ReadOptions", "Roles", "SummaryRead", "Table", "TableColumn", "open_table"]


def open_table(source: Any, options: ReadOptions | None = None) -> Table:
    """Open a file, several files, a database or a data frame as a table.

    A path names a CSV, TSV, JSON-lines, Parquet, Arrow, Excel, Stata or SPSS file, or by a pattern
    (``part-*.parquet``) several of one kind; text files may be packed. A URL
    (``postgresql://…``, ``sqlite:///…``, ``duckdb:///…``, or that of another ADBC driver) names a database,
    and ``options.query`` what to select there.
    A frame is one of pandas, polars (eager or lazy), pyarrow, DuckDB, PySpark, Dask or Ibis.
    """
    options = options or AS_IT_IS
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
    return Table(_frame_source(source, options), options)


def _other_database(url: str, options: ReadOptions) -> Table:
    """Open what a database gives that is read through another driver: rows come here, and are a frame."""
    if scheme_of(url) == "duckdb":
        from hartley.tables.sources.duckdb_file import DuckdbFile

        return Table(DuckdbFile(url, options), options)
    from hartley.tables.other_databases import read_other

    frame = _frame_source(read_other(url, options.query), options)
    frame.name = shown_other(url)
    return Table(frame, options)


def _frame_source(frame: Any, options: ReadOptions) -> EagerFrame | LazyFrame:
    """Return the source for a data frame of any supported library."""
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    from hartley.tables.sources import frames

    try:
        if not hasattr(frame, "collect"):  # a lazy frame has no name twice, and is slow to tell
            require_names(
                [str(name) for name in getattr(frame, "column_names", getattr(frame, "columns", ()))]
            )
        wrapped = nw.from_native(frame)
    except (TypeError, NarwhalsError):
        raise TableError(
            f"a {type(frame).__module__}.{type(frame).__name__} is no table; give a path, or a data frame of "
            "pandas, polars, pyarrow (a Table), DuckDB, PySpark, Dask or Ibis"
        ) from None
    except HartleyError:
        raise
    except Exception as error:
        raise TableError(
            f"the {type(frame).__module__}.{type(frame).__name__} cannot be read ({type(error).__name__}); "
            "is its connection still open?"
        ) from None
    if isinstance(wrapped, nw.LazyFrame):
        if wrapped.implementation.is_dask():
            from hartley.tables.sources.dask import DaskFrame

            return DaskFrame(wrapped, options)
        if wrapped.implementation.is_pyspark():
            from hartley.tables.sources.spark import SparkFrame

            return SparkFrame(wrapped, options)
        return frames.LazyFrame(wrapped, options)
    if isinstance(wrapped, nw.DataFrame):
        return frames.EagerFrame(wrapped, options)
    raise TableError("one column is no table; give a data frame")


def _require_typed(name: str, options: ReadOptions) -> None:
    """Refuse what only the cells of text files need."""
    said = {"decimal": options.decimal != ".", "missing_words": options.missing_words, "dates": options.dates}
    given = next((name for name, value in said.items() if value), None)
    if given is not None:
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
