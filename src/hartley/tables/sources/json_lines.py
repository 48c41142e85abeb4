r"""JSON lines: one object on each line, each key a column.

JSON tells numbers, text and truth values apart, so text that looks like a number stays text;
text in a column of ISO dates or timestamps becomes those. A key that an object lacks, and
``null``, are missing. A number with a fraction is a double, as JSON readers agree to take it
(RFC 8259, section 6); whole numbers are exact. A column that mixes kinds is refused
unless it is declared text.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

import json
import shutil
import weakref
from collections.abc import Sequence
from pathlib import Path

from hartley.errors import TableError, option
from hartley.tables.engine import connect, literal, one_row, paths_literal
from hartley.tables.locations import Files
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.source import CountedHere, RawColumn, Scan
from hartley.tables.text_files import open_bytes, without_mark

KEPT_IN_MEMORY = 1 << 27
UNREADABLE = "the file cannot be read as JSON lines"
_NUMBERS = {"UBIGINT", "BIGINT", "DOUBLE", "HUGEINT", "UHUGEINT"}


class JsonSource(CountedHere):
    """A file of JSON lines."""

    def __init__(self, files: Files, options: ReadOptions) -> None:
        import duckdb

        self.name = files.name
        paths = tuple(without_mark(path, options.encoding) for path in files.paths)
        for path, usable in zip(files.paths, paths, strict=True):
            if usable != path:
                weakref.finalize(self, shutil.rmtree, usable.parent, ignore_errors=True)
        self.connection = connect(options.memory_limit)
        self._source = (
            f"(SELECT json AS j, filename AS f FROM read_json_objects({paths_literal(paths)}, "
            "format = 'newline_delimited', filename = true))"
        )
        try:
            if sum(path.stat().st_size for path in paths) <= KEPT_IN_MEMORY:
                self.connection.execute(f"CREATE TEMP TABLE hartley_rows AS FROM {self._source}")
                self._source = "hartley_rows"
            self.row_count = self._checked()
            self.columns = self._columns()
            if len(paths) > 1:
                self._require_same_keys()
        except duckdb.Error:
            faults = (
                (path.name, _first_fault(usable)) for path, usable in zip(files.paths, paths, strict=True)
            )
            name, fault = next(((name, fault) for name, fault in faults if fault), (self.name, UNREADABLE))
            raise TableError(f"{name}: {fault}") from None

    def _require_same_keys(self) -> None:
        (kinds_of_files,) = one_row(
            self.connection,
            "SELECT count(DISTINCT ks) FROM (SELECT f, list_sort(list(DISTINCT k)) AS ks FROM "
            f"(SELECT f, unnest(json_keys(j)) AS k FROM {self._source}) GROUP BY f)",
        )
        if kinds_of_files > 1:
            raise TableError(f"{self.name}: the files have different columns; give files of the same columns")

    def _checked(self) -> int:
        count, not_object, twice = one_row(
            self.connection,
            f"SELECT count(*), min(CASE WHEN json_type(j) <> 'OBJECT' THEN r END), min(CASE WHEN "
            f"len(json_keys(j)) <> len(list_distinct(json_keys(j))) THEN r END) "
            f"FROM (SELECT row_number() OVER () AS r, j FROM {self._source})",
        )
        if not count:
            raise TableError(f"{self.name}: the file has no rows")
        if not_object:
            raise TableError(
                f"{self.name}: row {not_object} is not a JSON object; put one object on each line"
            )
        if twice:
            raise TableError(f"{self.name}: row {twice} has a key twice; give each column its own name")
        return int(count)

    def _columns(self) -> tuple[RawColumn, ...]:
        keys = self.connection.execute(
            f"SELECT k FROM (SELECT r, unnest(json_keys(j)) AS k, generate_subscripts(json_keys(j), 1) AS i "
            f"FROM (SELECT row_number() OVER () AS r, j FROM {self._source})) "
            "GROUP BY k ORDER BY min((r, i))"
        ).fetchall()
        names = [key for (key,) in keys]
        if not names:
            raise TableError(f"{self.name}: the objects have no keys, so there are no columns")
        pointers = [literal("/" + name.replace("~", "~0").replace("/", "~1")) for name in names]
        kinds = one_row(
            self.connection,
            f"SELECT {', '.join(f'list(DISTINCT json_type(j, {pointer}))' for pointer in pointers)} "
            f"FROM {self._source}",
        )
        return tuple(
            _column(name, f"json_extract_string(j, {pointer})", {kind for kind in seen or [] if kind})
            for name, pointer, seen in zip(names, pointers, kinds, strict=True)
        )

    def scan(self, columns: Sequence[RawColumn]) -> Scan:
        """Return the parsed file."""
        del columns
        return Scan(self._source)

    def rows(self, columns: Sequence[RawColumn]) -> str:
        """Return the parsed file; DuckDB keeps its order."""
        del columns
        return self._source

    def where(self, row: int) -> str:
        """Word the place of a row."""
        return f"row {row}"

    def close(self) -> None:
        """Let go of the engine."""
        self.connection.close()


def _first_fault(path: Path) -> str:
    """Find the line that the engine stumbled over; its own message counts lines otherwise."""
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                json.loads(line.decode())
            except UnicodeDecodeError:
                return (
                    f"line {number} is not UTF-8; name the file's encoding, for example "
                    f"{option('encoding', 'latin-1')}"
                )
            except RecursionError:
                return f"line {number} is nested too deep; put one plain object on each line"
            except ValueError:
                if line.strip():
                    return f"line {number} is not JSON; put one object on each line"
    return ""


def _column(name: str, sql: str, kinds: set[str]) -> RawColumn:
    kinds -= {"NULL"}
    if kinds & {"ARRAY", "OBJECT"}:
        return RawColumn(name, sql, "STRUCT()")
    if kinds == {"BOOLEAN"}:
        return RawColumn(name, f"({sql})::BOOLEAN", "BOOLEAN")
    if kinds and kinds <= _NUMBERS:
        return RawColumn(name, sql, "VARCHAR", "number")
    if kinds <= {"VARCHAR"}:
        return RawColumn(name, sql, "VARCHAR", "no numbers")
    return RawColumn(
        name, sql, "VARCHAR", refusal=f"mixes kinds of values; read it as text ({option('text')})"
    )
