"""A table or a query in a database: groups are counted there, and only distinct values come here."""

# ruff: noqa: S608 (names are quoted where they are not ours)

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hartley.errors import TableError, option
from hartley.tables.column_types import TypedColumn
from hartley.tables.counting.remote_summary import EngineColumn, EngineTable
from hartley.tables.counting.sql_summary import SummaryRead
from hartley.tables.engine import connect
from hartley.tables.read_options import ReadOptions
from hartley.tables.roles import Roles
from hartley.tables.sources.database_session import Database, quoted_name, selected
from hartley.tables.sources.source import Missing, RawColumn, Scan, Source, require_names, require_rows


@dataclass(frozen=True)
class DatabaseColumn:
    """A column of a database: the cell as it is fetched, and the value as it is grouped there."""

    raw: RawColumn
    grouped: EngineColumn
    cell: str
    """The cell over the table, before it is fetched."""
    summarised_kinds: tuple[str, ...]
    """The kinds by our rule of types under which values are equal there exactly where they are here."""

    def grouped_as(self, kind: str) -> EngineColumn:
        """Return the value as it is grouped under a kind: the empty text is a missing date."""
        if kind != "date" or self.raw.text_rule is None:
            return self.grouped
        return replace(self.grouped, value=f"NULLIF({self.grouped.value}, '')")


class DatabaseSource(Source):
    """A table or a query in a database, as of the moment it was opened."""

    is_remote = True

    def __init__(self, url: str, options: ReadOptions) -> None:
        self._from = selected(options.query, url)
        self._database = Database(url)
        weakref.finalize(self, self._database.close)
        self.name = self._database.name
        try:
            self._columns, self.row_count = self._described()
            require_rows(self.row_count, f"{self.name}: the query", "gives")
        except TableError:
            self._database.close()
            raise
        self.columns = tuple(column.raw for column in self._columns)
        self.connection = connect(options.memory_limit)
        self._by_name = {column.raw.name: column for column in self._columns}
        self._places = {column.raw.name: place for place, column in enumerate(self._columns)}
        self._fetched: tuple[str, ...] = ()

    def _described(self) -> tuple[list[DatabaseColumn], int]:
        """Say how each column is fetched and grouped, and how many rows there are."""
        schema = self._database.fetch_arrow(f"SELECT * FROM {self._from} LIMIT 0").schema
        require_names(schema.names, self.name)
        is_postgresql = self._database.product == "postgresql"
        looks = _infinite_looks(schema) if is_postgresql else _class_looks(schema.names)
        asked = ", ".join(["count(*) AS n", *looks])
        found = self._database.fetch_arrow(f"SELECT {asked} FROM {self._from}").to_pylist()[0]
        if is_postgresql:
            columns = [
                _postgresql(field, place, has_infinite=bool(found.get(f"i{place}")))
                for place, field in enumerate(schema)
            ]
            return columns, int(found["n"])
        columns = [
            _sqlite(name, place, set(found[f"t{place}"].split(",")) - {"null", ""}, bool(found[f"w{place}"]))
            for place, name in enumerate(schema.names)
        ]
        return columns, int(found["n"])

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Have the distinct rows counted in the database, and fetch those."""
        named = [(self._by_name[column.name], self._places[column.name]) for column in columns]
        cells = ", ".join(f"{column.cell} AS g{place}" for column, place in named)
        keys = ", ".join(f"g{place}" for _, place in named)
        shown = ", ".join(column.grouped.fetched(f"g{place}", place) for column, place in named)
        query = (
            f"SELECT {shown}, n FROM (SELECT {keys}, count(*) AS n FROM "
            f"(SELECT {cells} FROM {self._from}) AS t GROUP BY {keys}) AS q"
        )
        self._land("hartley_counted", query)
        return Scan("hartley_counted", "n")

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Fetch the rows of these columns once; they stay in DuckDB, on disk where they are many."""
        names = tuple(column.name for column in columns)
        if not self._fetched or not set(names) <= set(self._fetched):
            self._fetched = tuple(dict.fromkeys((*self._fetched, *names)))
            shown = ", ".join(
                self._by_name[name].grouped.fetched(f"g{self._places[name]}", self._places[name])
                for name in self._fetched
            )
            cells = ", ".join(
                f"{self._by_name[name].cell} AS g{self._places[name]}" for name in self._fetched
            )
            query = f"SELECT {shown} FROM (SELECT {cells} FROM {self._from}) AS t"
            self._land("hartley_rows", query, rows=self.row_count)
        return "hartley_rows"

    def _land(self, table: str, query: str, *, rows: int | None = None) -> None:
        def use(batches: Any) -> None:
            self.connection.register("hartley_batches", batches)
            try:
                self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS FROM hartley_batches")
            finally:
                self.connection.unregister("hartley_batches")

        self._database.stream(query, use, rows=rows)

    def where(self, row: int) -> str:
        """Say that a row has no place of its own."""
        del row
        return "a row"

    def summary(
        self, columns: Mapping[str, TypedColumn], roles: Roles, missing: Missing
    ) -> SummaryRead | None:
        """Count in the database, where its values are equal exactly where ours are."""
        table = self.engine_table(columns, roles)
        return None if table is None else table.summary(roles, missing)

    def engine_table(self, columns: Mapping[str, TypedColumn], roles: Roles) -> EngineTable | None:
        """Return the table in the database, where that can keep tables and tells values apart as we do."""
        for name in roles.columns:
            if columns[name].kind not in self._by_name[name].summarised_kinds:
                return None
        if not self._database.can_keep():
            return None
        return EngineTable(
            engine=self._database,
            source=self._from,
            row_count=self.row_count,
            columns={name: self._by_name[name].grouped_as(columns[name].kind) for name in roles.columns},
            typed=columns,
            places=self._places,
            connection=self.connection,
            cells_here={
                # Decimals come as text, and are numbers again by the rule of types.
                name: columns[name].sql if columns[name].kind == "number" else self._by_name[name].raw.sql
                for name in roles.columns
            },
        )

    def close(self) -> None:
        """Let go of both engines; temporary tables go with the connection."""
        super().close()
        self._database.close()


_PLAIN = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "bool": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "time": "TIME",
}
_TEXT = {"text", "varchar", "bpchar", "name", "uuid", "citext"}
_KIND = {"bool": "boolean", "date": "date", "timestamp": "timestamp", "timestamptz": "timestamp"}


FAR = dict.fromkeys(("timestamp", "timestamptz"), " OR {} >= '294247-01-01'")
"""From where on moments do not fit into 64 bits, counted in microseconds from 1970 on."""


def _own_type(field: Any) -> str:
    return str((field.metadata or {}).get(b"POSTGRESQL:type", b"").decode())


def _infinite_looks(schema: Any) -> list[str]:
    """Ask whether dates of PostgreSQL are infinite, or too far off: the driver would make others of those."""
    return [
        f"bool_or(NOT isfinite({cell}){FAR.get(own, '').format(cell)}) AS i{place}"
        for place, cell, own in (
            (place, quoted_name(field.name), _own_type(field)) for place, field in enumerate(schema)
        )
        if own in ("date", "timestamp", "timestamptz")
    ]


def _class_looks(names: list[str]) -> list[str]:
    """Ask for the storage classes of all cells: in SQLite it is the cell that has a type."""
    return [
        f"coalesce(group_concat(DISTINCT typeof({cell})), '') AS t{place}, "
        f"coalesce(max(CASE WHEN typeof({cell}) = 'integer' THEN {cell} > 9007199254740992 "
        f"OR {cell} < -9007199254740992 END), 0) AS w{place}"
        for place, cell in enumerate(map(quoted_name, names))
    ]


def _postgresql(field: Any, place: int, *, has_infinite: bool) -> DatabaseColumn:
    """Say how a column of PostgreSQL is fetched and grouped."""
    own = _own_type(field)
    name, cell = field.name, quoted_name(field.name)
    raw = RawColumn(name, f"c{place}", "VARCHAR")

    def plainly(value: str, place: int) -> str:
        return f"{value} AS c{place}"

    def as_text(value: str, place: int) -> str:
        return f"{value}::text AS c{place}"

    if has_infinite:
        value = f'{cell}::text COLLATE "C"'
        refused = replace(
            raw,
            refusal="holds infinite dates, or some after the year 294246; read it as text "
            f"({option('text')}), or take them out",
        )
        return DatabaseColumn(refused, EngineColumn(value, plainly), value, ("text",))
    if own in _PLAIN:
        value = f"NULLIF({cell}, 'NaN')" if own.startswith("float") else cell
        kinds = () if own == "time" else (_KIND.get(own, "number"),)
        # To PostgreSQL 0.0 and -0.0 are equal, and NaN is a value like another.
        column = EngineColumn(value, plainly)
        return DatabaseColumn(replace(raw, duckdb_type=_PLAIN[own]), column, cell, kinds)
    if own == "numeric":
        # 1.10 and 1.1 are equal there and different as text: rows are counted by the text.
        value = f"NULLIF({cell}, 'NaN')"
        column = EngineColumn(value, as_text)
        return DatabaseColumn(replace(raw, text_rule="number"), column, f"{value}::text", ("number",))
    if own in _TEXT:
        value = f'{cell}::text COLLATE "C"'
        return DatabaseColumn(raw, EngineColumn(value, plainly), value, ("text",))
    import pyarrow as pa

    if pa.types.is_nested(field.type):
        return DatabaseColumn(
            replace(raw, duckdb_type="VARCHAR[]"), EngineColumn(cell, as_text), f"{cell}::text", ()
        )
    if own == "bytea":
        return DatabaseColumn(replace(raw, duckdb_type="BLOB"), EngineColumn(cell, plainly), cell, ())
    value = f'{cell}::text COLLATE "C"'
    is_structure = own in ("json", "jsonb", "xml")
    if not is_structure and (pa.types.is_string(field.type) or isinstance(field.type, pa.BaseExtensionType)):
        # An enumeration, say: its labels.
        return DatabaseColumn(raw, EngineColumn(value, plainly), value, ("text",))
    refusal = f"is of type {own}; read it as text ({option('text')})"
    return DatabaseColumn(replace(raw, refusal=refusal), EngineColumn(value, plainly), value, ())


def _sqlite(name: str, place: int, classes: set[str], has_wide: bool) -> DatabaseColumn:
    """Say how a column of SQLite is fetched and grouped, by the storage classes of its cells."""
    cell = quoted_name(name)

    def column(kind: str, zero: str, value: str, **more: Any) -> DatabaseColumn:
        # The driver guesses a column's type by its first cells; none of them must be NULL for that.
        raw = RawColumn(name, f"CASE WHEN m{place} = 0 THEN c{place} END", kind, **more)

        def fetched(value: str, place: int) -> str:
            return f"coalesce({value}, {zero}) AS c{place}, {value} IS NULL AS m{place}"

        kinds = {"BIGINT": ("number",), "DOUBLE": ("number",), "VARCHAR": ("text", "date")}.get(kind, ())
        return DatabaseColumn(raw, EngineColumn(value, fetched), value, kinds)

    if classes == {"integer"}:
        return column("BIGINT", "0", cell)
    if classes <= {"integer", "real"} and classes and not has_wide:
        return column("DOUBLE", "0.0", f"CAST({cell} AS REAL)")
    text = f"CAST({cell} AS TEXT) COLLATE BINARY"
    if classes <= {"text"}:
        return column("VARCHAR", "''", text, text_rule="no numbers")
    if "blob" in classes:
        return column("BLOB", "''", text)
    if "real" in classes and classes != {"integer", "real"}:
        # As text SQLite shows fifteen digits of a fraction, which would make different numbers one.
        return column("UNKNOWN", "''", text, refusal="mixes fractions and text; make them one kind first")
    reason = (
        "holds whole numbers beyond 2^53 beside fractions; make them one kind first"
        if classes == {"integer", "real"}
        else f"mixes kinds of values; read it as text ({option('text')})"
    )
    kind = "UNKNOWN" if classes == {"integer", "real"} else "VARCHAR"
    return column(kind, "''", text, refusal=reason)
