"""The summary of a joint range counted by another engine than ours: a database, or Spark.

The engine groups by its own values, which must be equal exactly where ours are. It numbers the
sensitive and the side values, and only those and ten public values come here.
"""

# ruff: noqa: S608 (names are quoted where they are not ours)

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from hartley.errors import TableError
from hartley.model import Alphabet
from hartley.tables.column_types import TypedColumn
from hartley.tables.counting.first_look import require_complete
from hartley.tables.counting.sql_summary import (
    PAIRS,
    CountingEngine,
    RoleValues,
    SummaryRead,
    counted_summary,
)
from hartley.tables.counting.value_codes import Dictionary, numbered_values
from hartley.tables.roles import Roles
from hartley.tables.sources.source import Missing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

VALUES = "hartley_values"


@dataclass(frozen=True)
class EngineColumn:
    """A column of another engine, with the SQL of its value there."""

    value: str
    """The value over the engine's table: NULL for missing, NaN included, and texts by code point."""
    fetched: Callable[[str, int], str]
    """From the SQL of a kept value and a place to what is selected for it, as ``c<place>`` and so on."""


class ValueEngine(CountingEngine, Protocol):
    """An engine that also hands over values."""

    def fetch_arrow(self, query: str) -> Any:
        """Fetch the outcome of a query as an Arrow table."""


@dataclass(frozen=True)
class EngineTable:
    """A table inside another engine, and the DuckDB connection in which its values are typed."""

    engine: ValueEngine
    source: str
    row_count: int
    columns: Mapping[str, EngineColumn]
    typed: Mapping[str, TypedColumn]
    """By the rule of types, over the fetched ``c<place>``; the place is that among all columns."""
    places: Mapping[str, int]
    connection: DuckDBPyConnection
    cells_here: Mapping[str, str] = field(default_factory=dict)
    """The cells as a file would have them, over the fetched ``c<place>``, where they can be had."""

    def summary(self, roles: Roles, missing: Missing) -> SummaryRead:
        """Count what an audit of the roles needs."""
        engine = self.engine
        try:
            self.keep_values(roles, missing)
            sensitive = NumberedValues(self, roles.sensitive, "s", "hartley_sensitive")
            side = NumberedValues(self, roles.side, "a", "hartley_side") if roles.side else None
            public = [f"x{place}" for place in range(len(roles.public))]
            keys = ", ".join(f"v.{x} AS {x}" for x in public)
            engine.keep(
                PAIRS,
                f"SELECT {keys}, {'0' if side is None else 'hartley_side.code'} AS a, "
                f"hartley_sensitive.code AS s, v.n AS n FROM {VALUES} v"
                f"{sensitive.join}{'' if side is None else side.join}",
            )
            self._require_measurable(roles.public, "x")
            self._require_measurable(roles.side, "a")
            values = RoleValues(
                sensitive=sensitive.alphabet,
                public_cells=lambda: self.cells(roles.public, "x", "hartley_first", "w"),
                side_cells=lambda codes: side.cells().take(codes) if side is not None else Alphabet(()),
            )
            found = counted_summary(engine, roles, values, len(public), 0 if side is None else side.size())
        finally:
            for name in (PAIRS, "hartley_sensitive", "hartley_side", VALUES):
                engine.drop(name)
        return SummaryRead(found, self.row_count - found.rows if missing == "drop" else 0)

    def keep_values(self, roles: Roles, missing: Missing) -> None:
        """Keep the different rows of the roles, ``x0, ..., a0, ..., s0, ...``, and the rows ``n`` of each."""
        named = [
            f"{self.columns[name].value} AS {mark}{place}"
            for mark, names in (("x", roles.public), ("a", roles.side), ("s", roles.sensitive))
            for place, name in enumerate(names)
        ]
        outputs = [item.rsplit(" AS ", 1)[1] for item in named]
        rows = f"SELECT {', '.join(named)} FROM {self.source}"
        if missing == "drop":
            present = " AND ".join(f"{output} IS NOT NULL" for output in outputs)
            rows = f"SELECT * FROM ({rows}) t WHERE {present}"
        keys = ", ".join(outputs)
        self.engine.keep(VALUES, f"SELECT {keys}, count(*) AS n FROM ({rows}) q GROUP BY {keys}")
        # Asked for at once: where the rows cannot be computed, Spark must fail before it joins them.
        found = self.engine.fetch(f"SELECT count(*) AS n FROM {VALUES}")["n"][0]
        if missing == "drop":
            require_complete(int(found))

    def cells(self, names: Sequence[str], mark: str, table: str, order: str) -> Alphabet:
        """Fetch values that are kept in the engine, in an order."""
        dictionary, codes = self.numbered(names, mark, table, order)
        return dictionary.cells(codes)

    def numbered(
        self, names: Sequence[str], mark: str, table: str, order: str, first: int = 0
    ) -> tuple[Dictionary, npt.NDArray[Any]]:
        """Fetch kept values into DuckDB, numbered by our rules; and our number of each, in an order.

        The values are called by a mark and a place from ``first`` on. Until the next call the values stay in
        DuckDB as they came, as ``hartley_fetched``.
        """
        import pyarrow as pa

        asked = ", ".join(
            self.columns[name].fetched(f"{mark}{place}", self.places[name])
            for place, name in enumerate(names, first)
        )
        arrow = self.engine.fetch_arrow(f"SELECT {asked} FROM {table} ORDER BY {order}")
        arrow = arrow.append_column("hartley_place", pa.array(range(len(arrow)), pa.int32()))
        self.connection.register("hartley_fetched", arrow)
        columns = tuple((self.typed[name], f"v{place}") for place, name in enumerate(names))
        typed = ", ".join(f"{column.sql} AS {value}" for column, value in columns)
        source = f"(SELECT {typed}, hartley_place FROM hartley_fetched)"
        dictionary = numbered_values(self.connection, source, columns, "hartley_numbered", None)
        codes = self.connection.execute(
            f"SELECT {dictionary.sql} AS code FROM {source} AS t{dictionary.join} ORDER BY hartley_place"
        ).fetchnumpy()["code"]
        return dictionary, np.ma.getdata(codes)

    def _require_measurable(self, names: Sequence[str], mark: str) -> None:
        """Refuse infinite numbers and odd moments by their extremes, as if the values had come here."""
        for place, name in enumerate(names):
            if self.typed[name].kind in ("text", "boolean"):
                continue
            extremes = f"min({mark}{place}) AS {mark}0"
            self.engine.keep(
                "hartley_extremes",
                f"SELECT 0 AS w, {extremes} FROM {VALUES} UNION ALL "
                f"SELECT 1 AS w, {extremes.replace('min(', 'max(')} FROM {VALUES}",
            )
            try:
                self.cells([name], mark, "hartley_extremes", "w")
            finally:
                self.engine.drop("hartley_extremes")


class NumberedValues:
    """The distinct values of a role, or of one of its columns, numbered in the engine."""

    def __init__(
        self, table: EngineTable, names: Sequence[str], mark: str, kept: str, first: int = 0
    ) -> None:
        self._table = table
        self._names = names
        self._mark = mark
        self._kept = kept
        self._first = first
        values = [f"{mark}{place}" for place in range(first, first + len(names))]
        order = ", ".join(f"CASE WHEN {value} IS NULL THEN 1 ELSE 0 END, {value}" for value in values)
        keys = ", ".join(values)
        table.engine.keep(
            kept,
            f"SELECT {keys}, row_number() OVER (ORDER BY {order}) - 1 AS code "
            f"FROM (SELECT DISTINCT {keys} FROM {VALUES}) q",
        )
        same = " AND ".join(table.engine.same(f"v.{value}", f"{kept}.{value}") for value in values)
        self.join = f" JOIN {kept} ON {same}"

    def alphabet(self, numbers: npt.NDArray[Any]) -> tuple[Alphabet, npt.NDArray[Any]]:
        """Return the alphabet by our rules, and the place in it of each number of the engine."""
        dictionary, codes = self._table.numbered(self._names, self._mark, self._kept, "code", self._first)
        alphabet, _ = dictionary.sorted(codes)
        if alphabet.size != len(codes) or len(numbers) != len(codes):
            raise TableError(
                "the database tells values apart that are equal here; declare the column as text"
            )
        return alphabet, codes

    def cells(self) -> Alphabet:
        """Return the values in the order of the engine's numbers."""
        return self._table.cells(self._names, self._mark, self._kept, "code")

    def size(self) -> int:
        """Count the values."""
        return int(self._table.engine.fetch(f"SELECT count(*) AS n FROM {self._kept}")["n"][0])
