"""CSV and TSV files: checked strictly, read as text, typed by looking at every cell."""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

import codecs
import shutil
import weakref
from collections.abc import Sequence
from pathlib import Path

from hartley.errors import TableError
from hartley.tables.engine import connect, literal, one_row, paths_literal
from hartley.tables.locations import Files
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.csv_check import CsvShape, check_records, line_of_record
from hartley.tables.sources.source import RawColumn, Source
from hartley.tables.text_dates import date_columns
from hartley.tables.text_dialect import (
    found_delimiter,
    note_delimiter,
    note_idle_words,
    present_cells,
    translated_cells,
)
from hartley.tables.text_files import is_utf8, open_bytes, readable
from hartley.tables.text_types import TextRule

KEPT_IN_MEMORY = 1 << 27
"""Files up to this many bytes are parsed once; larger ones again for each question, at any size."""


class CsvSource(Source):
    """Delimited text files; every cell is selected as it stands, with NULL for a cell without anything."""

    is_parsed_again = True
    is_delimited = True

    def __init__(self, files: Files, usual: str, options: ReadOptions) -> None:
        """``usual`` is what separates cells in a file of this name, where nobody said."""
        self.name = files.name
        delimiter = options.delimiter
        self._paths: tuple[Path, ...] = ()
        self._shapes: list[CsvShape] = []
        for path in files.paths:
            usable = readable(path, options.encoding)
            if usable != path:
                weakref.finalize(self, shutil.rmtree, usable.parent, ignore_errors=True)
            if delimiter is None:
                with open_bytes(usable) as stream:
                    delimiter = found_delimiter(stream, usual)
                if delimiter != usual:
                    note_delimiter(path.name, delimiter, usual)
            with open_bytes(usable) as stream:
                shape = check_records(stream, delimiter, path.name)
            if self._shapes and shape.header != self._shapes[0].header:
                raise TableError(
                    f"{path.name} has other columns than {files.paths[0].name}, or in another order; "
                    "give files of the same columns"
                )
            self._paths += (usable,)
            self._shapes.append(shape)
        self._delimiter = delimiter or usual
        self.unusual_delimiter = None if options.delimiter or delimiter == usual else delimiter
        with open_bytes(files.paths[0]) as stream:
            self.has_byte_order_mark = is_utf8(options.encoding) and stream.read(3) == codecs.BOM_UTF8
        self.row_count = sum(shape.records for shape in self._shapes)
        self.connection = connect(options.memory_limit)
        header = self._shapes[0].header
        self.relation, rules = self._parsed(header, options)
        self.columns = tuple(
            RawColumn(name, f"c{place}", "VARCHAR", rule)
            for place, (name, rule) in enumerate(zip(header, rules, strict=True))
        )

    def _parsed(self, header: Sequence[str], options: ReadOptions) -> tuple[str, list[TextRule]]:
        """Return what the rows are selected from, and how the cells of each column become values."""
        import duckdb

        names = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(header)))
        has_breaks = any(shape.has_line_breaks_in_cells for shape in self._shapes)
        longest = max(shape.longest for shape in self._shapes)
        # Everything is said, so that nothing is guessed. Cells with line breaks are split wrongly by
        # parallel readers in rare places; one thread reads them as the check did.
        source = (
            f"read_csv({paths_literal(self._paths)}, auto_detect = false, header = true, "
            f"delim = {literal(self._delimiter)}, quote = '\"', escape = '\"', nullstr = '', "
            f"allow_quoted_nulls = false, strict_mode = true, columns = {{{names}}}, "
            f"max_line_size = {max(2_000_000, 2 * longest + 1024)}, "
            f"parallel = {'false' if has_breaks else 'true'})"
        )
        rules: list[TextRule] = ["any"] * len(header)
        try:
            self.date_formats = date_columns(
                self.connection, present_cells(source, header, options), header, options
            )
            if self._bytes() <= KEPT_IN_MEMORY:
                note_idle_words(self.connection, source, self.name, header, options)
            if options.decimal != "." or options.missing_words or self.date_formats:
                cells = translated_cells(self.connection, source, header, options, self.date_formats)
                rules = [rule for _, rule in cells]
                selected = ", ".join(f"{sql} AS c{place}" for place, (sql, _) in enumerate(cells))
                source = f"(SELECT {selected} FROM {source})"
            if self._bytes() <= KEPT_IN_MEMORY:
                self.connection.execute(f"CREATE TEMP TABLE hartley_rows AS SELECT * FROM {source}")
                source = "hartley_rows"
                self.is_parsed_again = False
            found = one_row(self.connection, f"SELECT count(*) FROM {source}")
        except duckdb.Error:
            # The engine's message quotes the line; no cell may reach the screen.
            raise TableError(f"{self.name}: the file cannot be read as a table of text") from None
        if found[0] != self.row_count:
            raise TableError(
                f"{self.name}: the file has {self.row_count} records but the engine reads another number; "
                "write it again with every cell in quotes"
            )
        return source, rules

    def _bytes(self) -> int:
        return sum(path.stat().st_size for path in self._paths)

    def where(self, row: int) -> str:
        """Word the place of a row by its line."""
        for path, shape in zip(self._paths, self._shapes, strict=True):
            if row <= shape.records:
                with open_bytes(path) as stream:
                    line = f"line {line_of_record(stream, row)}"
                return line if len(self._paths) == 1 else f"{line} of {path.name}"
            row -= shape.records
        raise ValueError(f"there is no row {row}")
