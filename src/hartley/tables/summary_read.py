"""From typed columns to the summary of a joint range, counted inside DuckDB."""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hartley.model import RangeSummary
from hartley.tables.coding import coded_rows
from hartley.tables.columns import TypedColumn
from hartley.tables.first_look import FirstLook
from hartley.tables.pair_counting import PAIRS, Columns, RoleValues, counted_summary
from hartley.tables.roles import Roles
from hartley.tables.scan import Scan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class SummaryRead:
    """The summary of a joint range as counted in an engine, and what was left out."""

    summary: RangeSummary
    dropped_rows: int
    """Rows left out because a value is missing; none when missing counts as a value."""


def read_summary(
    connection: DuckDBPyConnection,
    scan: Scan,
    columns: Mapping[str, TypedColumn],
    roles: Roles,
    look: FirstLook,
) -> SummaryRead:
    """Count what an audit of the roles needs; neither rows nor pairs leave DuckDB."""
    with coded_rows(connection, scan, columns, roles, look, None) as rows:
        public, sensitive, side = (rows.roles.get(role) for role in ("public", "sensitive", "side"))
        assert public is not None  # noqa: S101 (no roles without it)
        assert sensitive is not None  # noqa: S101
        for role in rows.roles.values():
            role.require_measurable()
        engine = DuckDBCounting(connection)
        codes = f"{public.sql} AS x0, {'0' if side is None else side.sql} AS a, {sensitive.sql} AS s"
        if rows.is_distinct:
            engine.keep(PAIRS, f"SELECT {codes}, n FROM {rows.source}")
        else:
            keys = "x0, s" if side is None else "x0, a, s"
            counts = "sum(n)::BIGINT" if rows.is_counted else "count(*)"
            engine.keep(PAIRS, f"SELECT {codes}, {counts} AS n FROM {rows.source} GROUP BY {keys}")
        side_values = 0
        if side is not None:
            side_values = len(engine.fetch(f"SELECT DISTINCT a FROM {PAIRS}")["a"])
        values = RoleValues(
            sensitive=sensitive.sorted,
            public_cells=lambda: public.cells(engine.fetch("SELECT x0 FROM hartley_first ORDER BY w")["x0"]),
            side_cells=lambda codes: (side or public).cells(codes),
        )
        return SummaryRead(counted_summary(engine, roles, values, 1, side_values), rows.dropped_rows)


class DuckDBCounting:
    """DuckDB with a table of pairs, every public value a number."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        self._connection = connection

    def keep(self, name: str, query: str) -> None:
        """Keep the outcome of a query in a temporary table."""
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}")

    def fetch(self, query: str) -> Columns:
        """Fetch the outcome of a query."""
        arrays = self._connection.execute(query).fetchnumpy()
        return {name: np.ma.getdata(array) for name, array in arrays.items()}

    def same(self, one: str, other: str) -> str:
        """Compare two numbers."""
        return f"{one} = {other}"

    def drop(self, name: str) -> None:
        """Drop a table."""
        self._connection.execute(f"DROP TABLE IF EXISTS {name}")
