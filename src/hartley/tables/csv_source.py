"""CSV and TSV files: checked strictly, read as text, typed by looking at every cell."""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

import shutil
import weakref
from collections.abc import Sequence
from pathlib import Path

from hartley.errors import TableError
from hartley.tables.csv_records import CsvShape, check_records, line_of_record
from hartley.tables.engine import connect, literal, one_row, path_literal
from hartley.tables.range_read import Scan
from hartley.tables.reading import ReadOptions
from hartley.tables.source import RawColumn
from hartley.tables.text_files import is_utf8, open_bytes, private_folder, require_file, translated

KEPT_IN_MEMORY = 1 << 27
"""Files up to this many bytes are parsed once; larger ones again for each question, at any size."""


class CsvSource:
    """A delimited text file; every cell is selected as it stands, with NULL for a cell without anything."""

    def __init__(self, path: Path, delimiter: str, options: ReadOptions) -> None:
        require_file(path)
        self.name = path.name
        self._path = path
        if not is_utf8(options.encoding):
            folder = private_folder()
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._path = translated(path, options.encoding, folder)
        with open_bytes(self._path) as stream:
            shape = check_records(stream, delimiter, self.name)
        self.columns = tuple(
            RawColumn(name, f"c{place}", "VARCHAR", "any") for place, name in enumerate(shape.header)
        )
        self.row_count = shape.records
        self.connection = connect()
        self._source = self._parsed(delimiter, shape)

    def _parsed(self, delimiter: str, shape: CsvShape) -> str:
        import duckdb

        names = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(shape.header)))
        # Everything is said, so that nothing is guessed. Cells with line breaks are split wrongly by
        # parallel readers in rare places; one thread reads them as the check did.
        source = (
            f"read_csv({path_literal(self._path)}, auto_detect = false, header = true, "
            f"delim = {literal(delimiter)}, quote = '\"', escape = '\"', nullstr = '', "
            f"allow_quoted_nulls = false, strict_mode = true, columns = {{{names}}}, "
            f"max_line_size = {max(2_000_000, 2 * shape.longest + 1024)}, "
            f"parallel = {'false' if shape.has_line_breaks_in_cells else 'true'})"
        )
        try:
            if self._path.suffix.lower() != ".gz" and self._path.stat().st_size <= KEPT_IN_MEMORY:
                self.connection.execute(f"CREATE TEMP TABLE hartley_rows AS SELECT * FROM {source}")
                source = "hartley_rows"
            found = one_row(self.connection, f"SELECT count(*) FROM {source}")
        except duckdb.Error:
            # The engine's message quotes the line; no cell may reach the screen.
            raise TableError(f"{self.name}: the file cannot be read as a table of text") from None
        if found[0] != shape.records:
            raise TableError(
                f"{self.name}: the file has {shape.records} records but the engine reads another number; "
                "write it again with every cell in quotes"
            )
        return source

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Give the parsed file."""
        del columns
        return Scan(self._source)

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Give the parsed file; DuckDB keeps its order."""
        del columns
        return self._source

    def where(self, row: int) -> str:
        """Word the place of a row by its line."""
        with open_bytes(self._path) as stream:
            return f"line {line_of_record(stream, row)}"

    def close(self) -> None:
        """Let go of the engine and its copy."""
        self.connection.close()
