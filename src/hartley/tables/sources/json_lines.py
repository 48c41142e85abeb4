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
from pathlib import Path

from hartley.errors import TableError, option
from hartley.tables.engine import connect, literal, one_row, paths_literal
from hartley.tables.locations import Files
from hartley.tables.read_options import ReadOptions
from hartley.tables.sources.source import RawColumn, Source
from hartley.tables.text_files import open_bytes, without_mark

KEPT_IN_MEMORY = 1 << 27
UNREADABLE = "the file cannot be read as JSON lines"
_NUMBERS = {"UBIGINT", "BIGINT", "DOUBLE", "HUGEINT", "UHUGEINT"}


class JsonSource(Source):
    """A file of JSON lines."""

    is_parsed_again = True

    def __init__(self, files: Files, options: ReadOptions) -> None:
        import duckdb

        self.name = files.name
        paths = tuple(without_mark(path, options.encoding) for path in files.paths)
        for path, usable in zip(files.paths, paths, strict=True):
            if usable != path:
                weakref.finalize(self, shutil.rmtree, usable.parent, ignore_errors=True)
        self.connection = connect(options.memory_limit)
        self.relation = (
            f"(SELECT json AS j, filename AS f FROM read_json_objects({paths_literal(paths)}, "
            "format = 'newline_delimited', filename = true))"
        )
        try:
            if sum(path.stat().st_size for path in paths) <= KEPT_IN_MEMORY:
                self.connection.execute(f"CREATE TEMP TABLE hartley_rows AS FROM {self.relation}")
                self.relation = "hartley_rows"
                self.is_parsed_again = False
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
            f"(SELECT f, unnest(json_keys(j)) AS k FROM {self.relation}) GROUP BY f)",
        )
        if kinds_of_files > 1:
            raise TableError(f"{self.name}: the files have different columns; give files of the same columns")

    def _checked(self) -> int:
        count, not_object, twice = one_row(
            self.connection,
            f"SELECT count(*), min(CASE WHEN json_type(j) <> 'OBJECT' THEN r END), min(CASE WHEN "
            f"len(json_keys(j)) <> len(list_distinct(json_keys(j))) THEN r END) "
            f"FROM (SELECT row_number() OVER () AS r, j FROM {self.relation})",
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
        # Key by key: an expression for each of a thousand keys takes more memory than a file of any length.
        pointer = "'/' || replace(replace(k, '~', '~0'), '/', '~1')"
        found = self.connection.execute(
            f"SELECT k, {pointer}, list(DISTINCT json_type(j, {pointer})) FROM "
            "(SELECT r, j, unnest(json_keys(j)) AS k, generate_subscripts(json_keys(j), 1) AS i "
            f"FROM (SELECT row_number() OVER () AS r, j FROM {self.relation})) "
            "GROUP BY k ORDER BY min((r, i))"
        ).fetchall()
        if not found:
            raise TableError(f"{self.name}: the objects have no keys, so there are no columns")
        return tuple(
            _column(name, f"json_extract_string(j, {literal(where)})", set(kinds or ()))
            for name, where, kinds in found
        )


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
