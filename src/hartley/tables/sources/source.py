"""What every source of rows offers, whether file or frame, and what it hands to DuckDB to be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from hartley.tables.column_types import RefusedColumn, TypedColumn, as_text, typed_native
from hartley.tables.roles import Roles
from hartley.tables.text_types import TextRule

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from hartley.tables.counting.sql_summary import SummaryRead

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


class CountedHere:
    """A source whose rows DuckDB counts here."""

    is_remote = False

    def summary(
        self, columns: Mapping[str, TypedColumn], roles: Roles, missing: Missing
    ) -> SummaryRead | None:
        """Leave the counting to DuckDB."""
        del columns, roles, missing
        return None


class Source(Protocol):
    """Rows that DuckDB can reach."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def connection(self) -> DuckDBPyConnection:
        """The connection in which the rows can be selected."""

    @property
    def columns(self) -> tuple[RawColumn, ...]:
        """The columns in order."""

    @property
    def row_count(self) -> int:
        """How many rows there are."""

    @property
    def is_remote(self) -> bool:
        """Whether the rows are in another engine, which had better count them itself."""

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Return what these columns can be counted from; the order of rows is free, equal rows may be one."""

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Return what these columns can be selected from row by row, in the order of the source."""

    def where(self, row: int) -> str:
        """Word the place of a row, counted from 1, for a message."""

    def summary(
        self, columns: Mapping[str, TypedColumn], roles: Roles, missing: Missing
    ) -> SummaryRead | None:
        """Count what an audit needs where the rows are; nothing where DuckDB is to count it here."""

    def close(self) -> None:
        """Let go of files and memory."""


def typed_without_looking(column: RawColumn, is_text: bool) -> TypedColumn | RefusedColumn | None:
    """Return the typed column where no cell must be seen for it, and nothing where the cells decide."""
    if column.refusal is not None and not (is_text and column.duckdb_type == "VARCHAR"):
        return RefusedColumn(column.name, column.refusal)
    if is_text:
        return as_text(column.name, column.sql, column.duckdb_type)
    if column.text_rule is not None:
        return None
    return typed_native(column.name, column.sql, column.duckdb_type)
