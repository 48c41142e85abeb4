"""What every source of rows offers, whether file or frame, and what it hands to DuckDB to be counted."""

# ruff: noqa: S608 (every name in a query is ours)

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from hartley.errors import TableError, quoted
from hartley.tables.column_types import RefusedColumn, TypedColumn, as_text, typed_native
from hartley.tables.roles import Roles
from hartley.tables.text_types import TextRule

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from hartley.tables.counting.sql_summary import SummaryRead
    from hartley.tables.sources.stata_spss import FileLabels

Missing = Literal["value", "drop"]
"""Whether a missing cell is a value of its own, or its row is left out and counted."""


@dataclass(frozen=True)
class Scan:
    """What SQL can select raw columns from; each record stands for ``rows`` rows."""

    source: str
    rows: str | None = None
    """The column with the number of rows, or nothing where each record is one row."""
    is_distinct: bool = False
    """Whether no two records have the same values."""


@dataclass(frozen=True)
class RawColumn:
    """A column as its source has it, before the rule of types."""

    name: str
    sql: str
    """The cell, as an expression over what the source's scan selects from."""
    duckdb_type: str
    text_rule: TextRule | None = None
    """How text cells become values; nothing where the source has types of its own."""
    refusal: str | None = None
    """Why the source cannot give this column; reads on from its name."""


class Source:
    """Rows that DuckDB can reach: here and in their own order, where a kind says nothing else."""

    name: str
    """What messages call it."""
    connection: DuckDBPyConnection
    """The connection in which the rows can be selected."""
    columns: tuple[RawColumn, ...]
    """The columns in order."""
    row_count: int
    relation = "hartley_rows"
    """What SQL selects the rows from."""
    is_remote = False
    """Whether the rows are in another engine, which had better count them itself."""
    gives_distinct_rows = False
    """Whether a scan fetches distinct rows with their counts, so that counting them here is cheap."""
    is_parsed_again = False
    """Whether each question reads all columns of all rows, whatever it asks for."""

    is_delimited = False
    """Whether it is a text file, whose cells have no types: what they mean is for us to find out."""
    unusual_delimiter: str | None = None
    """What was found to separate the cells of a text file, where that is not what its name says."""
    has_byte_order_mark = False
    """Whether it is a text file that begins with the mark of UTF-8."""
    date_formats: Mapping[str, str] = MappingProxyType({})
    """The columns of a text file whose dates are not written as ISO has them, and how they are."""
    labels: FileLabels | None = None
    """What a Stata or SPSS file says of its columns."""

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Return what these columns can be counted from; the order of rows is free, equal rows may be one."""
        del columns
        return Scan(self.relation)

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Return what these columns can be selected from row by row, in the order of the source."""
        del columns
        return self.relation

    def where(self, row: int) -> str:
        """Word the place of a row, counted from 1, for a message."""
        return f"row {row}"

    def summary(
        self, columns: Mapping[str, TypedColumn], roles: Roles, missing: Missing
    ) -> SummaryRead | None:
        """Count what an audit needs where the rows are; nothing where DuckDB is to count it here."""
        del columns, roles, missing
        return None

    def close(self) -> None:
        """Let go of files and memory."""
        self.connection.close()


class KeptRows(Source):
    """The typed cells of another source, kept in a table of its engine."""

    relation = "hartley_kept"

    def __init__(self, origin: Source, columns: Sequence[TypedColumn]) -> None:
        self.name, self.row_count, self.connection = origin.name, origin.row_count, origin.connection
        cells = ", ".join(f"{column.sql} AS c{place}" for place, column in enumerate(columns))
        by_name = {raw.name: raw for raw in origin.columns}
        scan = origin.scan([by_name[column.name] for column in columns])
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {self.relation} AS SELECT {cells} FROM {scan.source}"
        )
        types = {"integer": "BIGINT", "float": "DOUBLE", "exact": "DECIMAL", "text": "VARCHAR"}
        self.columns = tuple(
            RawColumn(column.name, f"c{place}", types[column.carrier]) for place, column in enumerate(columns)
        )

    def close(self) -> None:
        """Let go of the copy; the engine is the other source's."""
        self.connection.execute(f"DROP TABLE IF EXISTS {self.relation}")


def typed_without_looking(column: RawColumn, is_text: bool) -> TypedColumn | RefusedColumn | None:
    """Return the typed column where no cell must be seen for it, and nothing where the cells decide."""
    if column.refusal is not None and not (is_text and column.duckdb_type == "VARCHAR"):
        return RefusedColumn(column.name, column.refusal)
    if is_text:
        return as_text(column.name, column.sql, column.duckdb_type)
    if column.text_rule is not None:
        return None
    return typed_native(column.name, column.sql, column.duckdb_type)


def require_names(names: Sequence[str], where: str = "") -> None:
    """Refuse names of columns that stand twice."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        found = f"{where}: column {quoted(twice)} appears twice"
        if not where:
            found = f"column {quoted(twice)} appears twice in the table"
        raise TableError(f"{found}; give each column its own name")


def require_rows(count: int, what: str, verb: str = "has") -> None:
    """Refuse a table of columns alone."""
    if not count:
        raise TableError(f"{what} {verb} columns but no rows")


def placed_columns(relation: str, count: int) -> str:
    """Return what is selected from with its columns called ``c0, c1, ...`` by their place."""
    return f"{relation} AS t({', '.join(f'c{place}' for place in range(count))})"


def require_same_columns(path: Path, first: Path, *, are_same: bool) -> None:
    """Refuse a file whose columns are not those of the first one that is read with it."""
    if not are_same:
        raise TableError(
            f"{path.name} has other columns than {first.name}, in another order or of other types; give "
            "files of the same columns"
        )


def required(module: str, what: str, extra: str) -> Any:
    """Import a package, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise TableError(
            f"{what} needs a package that is not installed; pip install 'hartley[{extra}]'"
        ) from None
