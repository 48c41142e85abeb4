"""Files of DuckDB: what a query gives there is copied into our engine, which keeps to its memory limit."""

# ruff: noqa: S608 (the query is the user's own, and runs where nothing can be written)

from __future__ import annotations

from pathlib import Path

from hartley.errors import TableError
from hartley.tables.engine import connect, literal, one_row
from hartley.tables.other_databases import database_file, shown_other, statement_of
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.database_session import quoted_name
from hartley.tables.sources.source import RawColumn, Source, placed_columns, require_names, require_rows

TAKEN = ("memory", "temp", "system", "")
"""Names of databases that every engine has."""


class DuckdbFile(Source):
    """The rows of a query or a table; the file is closed as soon as they are copied."""

    def __init__(self, url: str, options: ReadOptions) -> None:
        import duckdb

        self.name = shown_other(url)
        query = statement_of(options.query, self.name)
        path = database_file(url)
        stem = Path(path).name.partition(".")[0]
        own = quoted_name("hartley_file" if stem in TAKEN else stem)  # as DuckDB calls it, and queries may
        self.connection = connect(options.memory_limit)
        try:
            self.connection.execute(f"ATTACH {literal(path)} AS {own} (TYPE duckdb, READ_ONLY)")
            self.connection.execute(f"USE {own}")
        except duckdb.Error:
            raise TableError(
                f"{self.name}: cannot connect; look at the URL, and at what you may read"
            ) from None
        try:
            described = self.connection.execute(f"DESCRIBE SELECT * FROM (\n{query}\n)").fetchall()
            require_names([row[0] for row in described])
            rows = placed_columns(f"(\n{query}\n)", len(described))
            self.connection.execute(f"CREATE TEMP TABLE hartley_rows AS SELECT * FROM {rows}")
        except duckdb.Error:
            raise TableError(f"{self.name}: the query fails; look at it, and at what you may read") from None
        self.connection.execute("USE memory")
        self.connection.execute(f"DETACH {own}")
        self.columns = tuple(RawColumn(row[0], f"c{place}", row[1]) for place, row in enumerate(described))
        (self.row_count,) = one_row(self.connection, f"SELECT count(*) FROM {self.relation}")
        require_rows(self.row_count, f"{self.name}: the query", "gives")
