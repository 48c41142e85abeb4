"""Parquet files: they bring their own types."""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from pathlib import Path

from hartley.errors import TableError
from hartley.tables.engine import blame_file, connect, one_row, path_literal, paths_literal
from hartley.tables.locations import Files
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.arrow_columns import LONG_DECIMALS
from hartley.tables.sources.source import (
    RawColumn,
    Source,
    placed_columns,
    require_names,
    require_rows,
    require_same_columns,
)

MOST_DIGITS = 38
TOO_LONG = "DECIMAL"
"""The type of decimals that no type of DuckDB holds."""


class ParquetSource(Source):
    """A Parquet file, read where it lies."""

    def __init__(self, files: Files, options: ReadOptions) -> None:
        import duckdb

        self.name = files.name
        self.connection = connect(options.memory_limit)
        described: list[list[tuple[str, str]]] = []
        try:
            for path in files.paths:
                described.append(self._described(path))
                require_same_columns(path, files.paths[0], are_same=described[-1] == described[0])
            self.relation = placed_columns(_read(paths_literal(files.paths)), len(described[0]))
            (found,) = one_row(self.connection, f"SELECT count(*) FROM {self.relation}")
        except (duckdb.Error, IndexError, UnicodeDecodeError):
            at_fault = files.paths[len(described)] if len(described) < len(files.paths) else files.paths[0]
            raise TableError(f"{at_fault.name}: the file is not a Parquet file that can be read") from None
        self.columns = tuple(
            RawColumn(name, f"c{place}", kind, refusal=LONG_DECIMALS if kind == TOO_LONG else None)
            for place, (name, kind) in enumerate(described[0])
        )
        self.row_count = int(found)
        require_rows(self.row_count, f"{self.name}: the file")
        blame_file(self.connection, self.name)

    def _described(self, path: Path) -> list[tuple[str, str]]:
        """Return names and types of the columns of one file."""
        where = path_literal(path)
        names = _top_names(
            self.connection.execute(
                f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({where})"
            ).fetchall()
        )
        require_names(names, path.name)
        # DuckDB takes decimals that it has no room for as floats, which tells different ones as one.
        long = self.connection.execute(
            f"SELECT name FROM parquet_schema({where}) WHERE precision > {MOST_DIGITS}"
        ).fetchall()
        described = f"DESCRIBE SELECT * FROM {placed_columns(_read(where), len(names))}"
        rows = self.connection.execute(described).fetchall()
        return [
            (name, TOO_LONG if row[1] == "DOUBLE" and (name,) in long else row[1])
            for name, row in zip(names, rows, strict=True)
        ]


def _read(where: str) -> str:
    """Return the SQL that reads what the files hold; folders named ``year=2020`` are not columns."""
    return f"read_parquet({where}, hive_partitioning = false)"


def _top_names(schema: list[tuple[str, int]]) -> list[str]:
    """Return the names of the columns from the flattened tree of the file's schema."""

    def end_of(place: int) -> int:
        place, children = place + 1, schema[place][1]
        for _ in range(children):
            place = end_of(place)
        return place

    names, place = [], 1
    while place < len(schema):
        names.append(schema[place][0])
        place = end_of(place)
    return names
