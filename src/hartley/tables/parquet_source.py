"""Parquet files: they bring their own types."""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hartley.errors import TableError, quoted
from hartley.tables.engine import connect, one_row, path_literal
from hartley.tables.range_read import Scan
from hartley.tables.source import RawColumn
from hartley.tables.text_files import require_file


class ParquetSource:
    """A Parquet file, read where it lies."""

    def __init__(self, path: Path) -> None:
        import duckdb

        require_file(path)
        self.name = path.name
        self.connection = connect()
        where = path_literal(path)
        try:
            names = _top_names(
                self.connection.execute(
                    f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({where})"
                ).fetchall()
            )
            twice = [name for name, times in Counter(names).items() if times > 1]
            if twice:
                raise TableError(
                    f"{self.name}: column {quoted(twice)} appears twice; give each column its own name"
                )
            aliases = ", ".join(f"c{place}" for place in range(len(names)))
            self._source = f"read_parquet({where}) AS t({aliases})"
            described = self.connection.execute(f"DESCRIBE SELECT * FROM {self._source}").fetchall()
            found = one_row(self.connection, f"SELECT count(*) FROM {self._source}")
        except duckdb.Error:
            raise TableError(f"{self.name}: the file is not a Parquet file that can be read") from None
        self.columns = tuple(
            RawColumn(name, f"c{place}", row[1])
            for place, (name, row) in enumerate(zip(names, described, strict=True))
        )
        self.row_count = int(found[0])
        if not self.row_count:
            raise TableError(f"{self.name}: the file has columns but no rows")

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Give the file; only the columns that are selected are read."""
        del columns
        return Scan(self._source)

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Give the file; DuckDB keeps its order."""
        del columns
        return self._source

    def where(self, row: int) -> str:
        """Word the place of a row."""
        return f"row {row}"

    def close(self) -> None:
        """Let go of the engine."""
        self.connection.close()


def _top_names(schema: list[tuple[str, int]]) -> list[str]:
    """Give the names of the columns from the flattened tree of the file's schema."""

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
