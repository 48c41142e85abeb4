"""The different rows of a table, numbered and kept in the engine that has them.

Each public column is numbered by itself, and so are the sensitive values; what is asked then are counts of
numbers, box by box, in SQL that every engine speaks: DuckDB, PostgreSQL, SQLite and Spark. Nothing comes here
but the values of each column, counts, and the different rows of a box that is asked for.
"""

# ruff: noqa: S608 (names are quoted where they are not ours)

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import TableError, option
from hartley.model import Alphabet, Coordinate, RangeSummary
from hartley.model.arrays import Int64s
from hartley.tables.column_types import TypedColumn
from hartley.tables.counting.remote_summary import VALUES, EngineColumn, EngineTable, NumberedValues
from hartley.tables.counting.sql_summary import PAIRS, Columns, DuckDBCounting, RoleValues, counted_summary
from hartley.tables.roles import Roles
from hartley.tables.sources.source import Missing, Source

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_RUNS = 1_000
"""Pieces of a column at most in which our order of its values is that of the engine."""
OF_TUPLES, OF_SECRETS = -2, -1
"""What a count is of where it is of no column: of different tuples, of a sensitive value."""
Ranges = tuple[Sequence[int], Sequence[int]]
"""A box: the lowest and the highest number of each column."""


@dataclass(frozen=True, eq=False)
class NumberedColumn:
    """The values of a column, in the order of its coordinate."""

    coordinate: Coordinate
    native: Any
    """The same as Arrow, as a file would have them."""
    places: Int64s
    """The place of each value by its number in the engine."""


class DifferentRows:
    """The different rows of some roles with the number of each, in their engine."""

    def __init__(self, table: EngineTable, roles: Roles, missing: Missing) -> None:
        self._table, self._roles, self._engine = table, roles, table.engine
        self._kept: list[str] = [VALUES]
        table.keep_values(roles, missing)
        found = self._engine.fetch(f"SELECT count(*) AS m, CAST(sum(n) AS BIGINT) AS n FROM {VALUES}")
        self.different, self.rows = int(found["m"][0]), int(found["n"][0])
        self.dropped_rows = table.row_count - self.rows if missing == "drop" else 0
        self.columns: list[NumberedColumn] = []
        self.most_fetched = 0
        """The most rows that any statement brought here so far."""

    def number(self) -> None:
        """Let every column have its values numbered, and the sensitive values, and keep rows by these."""
        for place, name in enumerate(self._roles.public):
            self.columns.append(self._numbered(place, name))
        self.sensitive, self._secrets = self._numbers(self._roles.sensitive, "s", 0, "hartley_secrets")
        self.natives = [self._native(name, self._secrets) for name in self._roles.sensitive]
        self._keep_numbers()

    def _numbers(self, names: Sequence[str], mark: str, first: int, kept: str) -> tuple[Alphabet, Int64s]:
        """Let the engine number values; return them by our rules, and the place of each number."""
        values = NumberedValues(self._table, names, mark, kept, first)
        self._kept.append(kept)
        alphabet, places = values.alphabet(np.arange(self._size(kept)))
        self._note(len(places))
        return alphabet, places.astype(np.int64)

    def _size(self, kept: str) -> int:
        return int(self._engine.fetch(f"SELECT count(*) AS n FROM {kept}")["n"][0])

    def _numbered(self, place: int, name: str) -> NumberedColumn:
        alphabet, places = self._numbers([name], "x", place, f"hartley_numbers{place}")
        return NumberedColumn(alphabet.coordinates[0], self._native(name, places), places)

    def _native(self, name: str, places: Int64s) -> Any:
        """Return the values that have just been fetched as a file would have them, by our order."""
        found: Any = self._table.connection.sql(
            f"SELECT {self._table.cells_here[name]} AS v FROM hartley_fetched ORDER BY hartley_place"
        ).to_arrow_table()
        return found.column("v").combine_chunks().take(np.argsort(places))

    def _keep_numbers(self) -> None:
        """Keep the rows by the places of their values; what they were made from goes."""
        same, cells = self._engine.same, []
        joins = []
        for j, column in enumerate(self.columns):
            cells.append(f"{_mapped(f'd{j}.code', column.places)} AS x{j}")
            joins.append(f"JOIN hartley_numbers{j} d{j} ON {same(f'v.x{j}', f'd{j}.x{j}')}")
        alike = " AND ".join(same(f"v.s{j}", f"e.s{j}") for j in range(len(self._roles.sensitive)))
        self._kept.append(PAIRS)
        self._engine.keep(
            PAIRS,
            f"SELECT {', '.join(cells)}, 0 AS a, {_mapped('e.code', self._secrets)} AS s, v.n AS n "
            f"FROM {VALUES} v {' '.join(joins)} JOIN hartley_secrets e ON {alike}",
        )
        self._size(PAIRS)  # counted at once, so that what it was made from can go
        self._forget([name for name in self._kept if name != PAIRS])
        self.rank([np.arange(len(column.places)) for column in self.columns])

    def rank(self, ranks: Sequence[Int64s]) -> None:
        """Say by which numbers cells are asked for from now on: the rank of each value of each column."""
        cells = [f"{_mapped(f'x{j}', own)} AS x{j}" for j, own in enumerate(ranks)]
        self._ranked = f"(SELECT {', '.join(cells)}, s, n FROM {PAIRS}) r"

    def look(self, boxes: Sequence[Ranges]) -> Columns:
        """Count the rows of boxes.

        ``n`` rows of a ``box`` have a ``cell`` in the column ``what``, or a sensitive value; or so many are
        its different tuples.
        """
        cells = [f"x{j}" for j in range(len(self.columns))]
        cases = " ".join(f"WHEN {_inside(box)} THEN {at}" for at, box in enumerate(boxes))
        inside = f"(SELECT CASE {cases} ELSE -1 END AS box, {', '.join(cells)}, s, n FROM {self._ranked}) q"
        counted = "CAST(sum(n) AS BIGINT) AS n"
        asked = [
            f"SELECT box, {what} AS what, {cell} AS cell, {counted} FROM {inside} WHERE box >= 0 "
            f"GROUP BY box, {cell}"
            for what, cell in [*enumerate(cells), (OF_SECRETS, "s")]
        ]
        tuples = f"SELECT DISTINCT box, {', '.join(cells)} FROM {inside} WHERE box >= 0"
        asked.append(
            f"SELECT box, {OF_TUPLES} AS what, 0 AS cell, count(*) AS n FROM ({tuples}) t GROUP BY box"
        )
        return self._fetched(" UNION ALL ".join(asked))

    def fetch(self, box: Ranges) -> Columns:
        """Fetch the different rows of a box, ``x0, x1, ..., s``, and the rows ``n`` of each."""
        cells = ", ".join(f"x{j}" for j in range(len(self.columns)))
        return self._fetched(f"SELECT {cells}, s, n FROM {self._ranked} WHERE {_inside(box)}")

    def summary(self) -> RangeSummary:
        """Count what an audit needs; the rows are gone afterwards."""
        cells = [f"x{j}" for j in range(len(self.columns))]

        def witnesses() -> Alphabet:
            found = self._engine.fetch(f"SELECT {', '.join(cells)} FROM hartley_first ORDER BY w")
            taken = zip(self.columns, cells, strict=True)
            return Alphabet(tuple(one.coordinate.take(found[x].astype(np.int64)) for one, x in taken))

        values = RoleValues(
            sensitive=lambda numbers: (self.sensitive, numbers),
            public_cells=witnesses,
            side_cells=self.sensitive.take,
        )
        return counted_summary(self._engine, self._roles, values, len(cells), 0)

    def close(self) -> None:
        """Forget everything that is kept in the engine."""
        self._forget(list(self._kept))
        self._engine.drop(self._table.source)

    def _forget(self, names: Sequence[str]) -> None:
        for name in names:
            self._engine.drop(name)
            self._kept.remove(name)

    def _fetched(self, query: str) -> Columns:
        found = self._engine.fetch(query)
        self._note(len(found["n"]))
        return found

    def _note(self, rows: int) -> None:
        self.most_fetched = max(self.most_fetched, rows)


def _inside(box: Ranges) -> str:
    """Return the condition that a row is in a box."""
    return " AND ".join(
        f"x{j} BETWEEN {low} AND {high}" for j, (low, high) in enumerate(zip(*box, strict=True))
    )


def _mapped(code: str, numbers: Int64s) -> str:
    """Return the SQL of the new number of a code.

    >>> _mapped("c", np.array([1, 2, 0]))
    'CASE WHEN c < 2 THEN c + 1 ELSE c - 2 END'
    """
    ahead = numbers - np.arange(len(numbers))
    ends = np.append(np.flatnonzero(np.diff(ahead)) + 1, len(numbers))
    if len(ends) > MOST_RUNS:
        raise TableError(
            "the values of a column come in another order than the engine has them in, and are too many to "
            "be put into it; leave its hierarchy out"
        )
    shifts = [int(ahead[end - 1]) for end in ends]
    moved = [code if not by else f"{code} {'+' if by > 0 else '-'} {abs(by)}" for by in shifts]
    cases = [f"WHEN {code} < {end} THEN {each}" for end, each in zip(ends[:-1].tolist(), moved, strict=False)]
    return f"CASE {' '.join(cases)} ELSE {moved[-1]} END" if cases else moved[0]


class DuckDBHere(DuckDBCounting):
    """Our own engine, with the rows of a table in it."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        super().__init__(connection)
        self.connection = connection
        self._kept: set[str] = set()

    def keep(self, name: str, query: str) -> None:
        """Keep the outcome of a query in a temporary table."""
        super().keep(name, query)
        self._kept.add(name)

    def drop(self, name: str) -> None:
        """Drop a table that was kept; others are those of the source."""
        if name in self._kept:
            self._kept.remove(name)
            super().drop(name)

    def fetch_arrow(self, query: str) -> Any:
        """Fetch the outcome of a query as an Arrow table."""
        return self.connection.sql(query).to_arrow_table()

    def same(self, one: str, other: str) -> str:
        """Compare two values, missing ones included."""
        return f"{one} IS NOT DISTINCT FROM {other}"


_PLAIN_NAME = re.compile(r"c[0-9]+")


def own_engine(source: Source, typed: dict[str, TypedColumn]) -> EngineTable | None:
    """Return the table of a source that our engine reads by itself; nothing where cells are no values yet."""
    raw = {column.name: column for column in source.columns}
    scan = source.scan([raw[name] for name in typed])
    if scan.rows is not None or any(
        raw[name].text_rule is not None or not _PLAIN_NAME.fullmatch(raw[name].sql) for name in typed
    ):
        return None

    def column(name: str) -> EngineColumn:
        sql, kind = raw[name].sql, raw[name].duckdb_type
        value = sql
        if kind in ("FLOAT", "DOUBLE"):
            value = f"CASE WHEN isnan({sql}) THEN NULL WHEN {sql} = 0 THEN 0 ELSE {sql} END"
        return EngineColumn(value, lambda kept, place: f"{kept} AS c{place}")

    return EngineTable(
        engine=DuckDBHere(source.connection),
        source=scan.source,
        row_count=source.row_count,
        columns={name: column(name) for name in typed},
        typed=typed,
        places={name: int(raw[name].sql[1:]) for name in typed},
        connection=source.connection,
        cells_here={name: raw[name].sql for name in typed},
    )


def require_placed(name: str, ranks: Int64s) -> None:
    """Refuse a column of which different values have one number."""
    if len(np.unique(ranks)) < len(ranks):
        raise TableError(
            f"column {name!r} holds numbers that lie too near each other to be told apart on a line; round "
            f"them, or read it as text ({option('text')})"
        )
