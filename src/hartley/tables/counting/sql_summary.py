"""The counts of an audit, asked of the engine that has the rows, in SQL that every engine speaks.

The engine keeps a table ``hartley_pairs`` with the distinct pairs: columns ``x0, x1, ...`` for the public
value, ``a`` for the number of the side value (0 without), ``s`` for the number of the sensitive
value, and ``n`` for the rows. What leaves it are totals, ten witnesses, and the distinct links
between sensitive values: neither rows nor pairs.

DuckDB is one such engine, with the table of pairs made from typed columns; others are in
:mod:`~hartley.tables.counting.remote_summary`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from hartley.model import Alphabet, RangeSummary
from hartley.model.arrays import Int64s, totals_of
from hartley.model.range_summary import MOST_LISTED, MOST_NARROWEST, NarrowObservation, Span
from hartley.tables.counting.first_look import FirstLook
from hartley.tables.counting.value_codes import coded_rows
from hartley.tables.roles import Roles

# ruff: noqa: S608 (every name in a query is ours)


Columns = dict[str, npt.NDArray[Any]]
PAIRS = "hartley_pairs"
KEPT = ("hartley_first", "hartley_priors", "hartley_observed", PAIRS)


class CountingEngine(Protocol):
    """An engine with a table of pairs that runs SQL."""

    def keep(self, name: str, query: str) -> None:
        """Keep the outcome of a query under a name, inside the engine."""

    def fetch(self, query: str) -> Columns:
        """Fetch the outcome of a query."""

    def same(self, one: str, other: str) -> str:
        """Return the SQL that tells whether two public cells are equal, two missing ones included."""

    def drop(self, name: str) -> None:
        """Forget what was kept under a name, if anything was."""


@dataclass(frozen=True, kw_only=True)
class RoleValues:
    """How the numbers of the roles become values."""

    sensitive: Callable[[npt.NDArray[Any]], tuple[Alphabet, npt.NDArray[Any]]]
    """From all numbers of sensitive values to their alphabet, and the place of each."""
    public_cells: Callable[[], Alphabet]
    """The public values of the witnesses in ``hartley_first``, by their number ``w``."""
    side_cells: Callable[[npt.NDArray[Any]], Alphabet]


def counted_summary(
    engine: CountingEngine, roles: Roles, values: RoleValues, width: int, side_values: int
) -> RangeSummary:
    """Count what an audit needs; ``width`` is the number of columns ``x0, x1, ...``."""
    try:
        return _Counting(
            engine, roles, values, [f"x{place}" for place in range(width)], side_values
        ).summary()
    finally:
        for name in KEPT:
            engine.drop(name)


@dataclass(frozen=True)
class _Counting:
    engine: CountingEngine
    roles: Roles
    values: RoleValues
    x: list[str]
    side_values: int

    def summary(self) -> RangeSummary:
        keep, keys = self.engine.keep, ", ".join(self.x)
        numbers = self.engine.fetch(f"SELECT DISTINCT s FROM {PAIRS} ORDER BY s")["s"].astype(np.int64)
        sensitive, places = self.values.sensitive(numbers)
        keep(
            "hartley_observed",
            f"SELECT {keys}, a, count(*) AS c, CAST(sum(n) AS BIGINT) AS r, min(s) AS anchor "
            f"FROM {PAIRS} GROUP BY {keys}, a",
        )
        totals = self._totals(sensitive.size)
        observations = int(totals["observations"].sum())
        public_values = observations
        if self.roles.side:
            distinct = f"SELECT DISTINCT {keys} FROM hartley_observed"
            public_values = int(self.engine.fetch(f"SELECT count(*) AS n FROM ({distinct}) q")["n"][0])
        fewest = int(totals["fewest"].min())
        counts = "count(*) AS observations, CAST(sum(r) AS BIGINT) AS rws"
        narrow = self.engine.fetch(f"SELECT {counts} FROM hartley_observed WHERE c = {fewest}")
        anchored = self.engine.fetch(f"SELECT anchor, {counts} FROM hartley_observed GROUP BY anchor")
        links = self._links()

        def place_of(some: npt.NDArray[Any]) -> Int64s:
            """Return the places in the alphabet of numbers of sensitive values."""
            found = places[np.searchsorted(numbers, some.astype(np.int64))]
            return found.astype(np.int64)

        anchors = place_of(anchored["anchor"])
        return RangeSummary(
            rows=int(totals["rws"].sum()),
            pairs=int(totals["pairs"].sum()),
            sensitive=sensitive,
            public_columns=self.roles.public,
            public_values=public_values,
            side_columns=self.roles.side or None,
            side_values=self.side_values,
            observations=observations,
            spans=tuple(
                Span(int(prior), int(low), int(high))
                for prior, low, high in zip(totals["prior"], totals["fewest"], totals["most"], strict=True)
            ),
            row_k=int(totals["fewest_rows"].min()),
            narrowest_count=int(narrow["observations"][0]),
            narrowest_rows=int(narrow["rws"][0]),
            narrowest=self._narrowest(fewest, place_of),
            anchors=place_of(links["anchor"]),
            linked=place_of(links["s"]),
            anchored_observations=totals_of(
                anchors, anchored["observations"].astype(np.int64), sensitive.size
            ),
            anchored_rows=totals_of(anchors, anchored["rws"].astype(np.int64), sensitive.size),
        )

    def _totals(self, sensitive_values: int) -> Columns:
        asked = (
            "min(c) AS fewest, max(c) AS most, count(*) AS observations, CAST(sum(c) AS BIGINT) AS pairs, "
            "CAST(sum(r) AS BIGINT) AS rws, min(r) AS fewest_rows FROM hartley_observed"
        )
        if not self.roles.side:
            return self.engine.fetch(f"SELECT {sensitive_values} AS prior, {asked}")
        distinct = f"SELECT DISTINCT a, s FROM {PAIRS}"
        self.engine.keep("hartley_priors", f"SELECT a, count(*) AS p FROM ({distinct}) q GROUP BY a")
        return self.engine.fetch(
            f"SELECT p AS prior, {asked} o JOIN hartley_priors q ON o.a = q.a GROUP BY p ORDER BY p"
        )

    def _links(self) -> Columns:
        same = " AND ".join([*(self.engine.same(f"p.{x}", f"o.{x}") for x in self.x), "p.a = o.a"])
        return self.engine.fetch(
            f"SELECT DISTINCT o.anchor AS anchor, p.s AS s FROM {PAIRS} p JOIN hartley_observed o ON {same}"
        )

    def _narrowest(
        self, fewest: int, place_of: Callable[[npt.NDArray[Any]], Int64s]
    ) -> tuple[NarrowObservation, ...]:
        keys = ", ".join(self.x)
        order = ", ".join([*(f"CASE WHEN {x} IS NULL THEN 1 ELSE 0 END, {x}" for x in self.x), "a"])
        first = (
            f"SELECT {keys}, a, r FROM hartley_observed WHERE c = {fewest} ORDER BY {order} "
            f"LIMIT {MOST_NARROWEST}"
        )
        self.engine.keep(
            "hartley_first",
            f"SELECT row_number() OVER (ORDER BY {order}) AS w, {keys}, a, r FROM ({first}) q",
        )
        found = self.engine.fetch("SELECT a, r FROM hartley_first ORDER BY w")
        same = " AND ".join([*(self.engine.same(f"p.{x}", f"f.{x}") for x in self.x), "p.a = f.a"])
        candidates = self.engine.fetch(
            "SELECT w, s FROM (SELECT f.w AS w, p.s AS s, "
            "row_number() OVER (PARTITION BY f.w ORDER BY p.s) AS i "
            f"FROM {PAIRS} p JOIN hartley_first f ON {same}) q WHERE i <= {MOST_LISTED} ORDER BY w, s"
        )
        public = self.values.public_cells()
        side = self.values.side_cells(found["a"].astype(np.int64)) if self.roles.side else None
        listed = place_of(candidates["s"])
        return tuple(
            NarrowObservation(
                public=public.cells(place),
                side=None if side is None else side.cells(place),
                candidates=fewest,
                rows=int(found["r"][place]),
                listed=tuple(sorted(map(int, listed[candidates["w"].astype(np.int64) == place + 1]))),
            )
            for place in range(len(found["r"]))
        )


if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class SummaryRead:
    """The summary of a joint range as counted in an engine, and what was left out."""

    summary: RangeSummary
    dropped_rows: int
    """Rows left out because a value is missing; none when missing counts as a value."""


def read_summary(look: FirstLook) -> SummaryRead:
    """Count what an audit of the roles needs; neither rows nor pairs leave DuckDB."""
    with coded_rows(look) as rows:
        public, sensitive, side = rows.roles["public"], rows.roles["sensitive"], rows.roles.get("side")
        for role in rows.roles.values():
            role.require_measurable()
        engine = DuckDBCounting(look.connection)
        codes = f"{public.sql} AS x0, {'0' if side is None else side.sql} AS a, {sensitive.sql} AS s"
        if look.is_distinct:
            engine.keep(PAIRS, f"SELECT {codes}, n FROM {rows.source}")
        else:
            keys = "x0, s" if side is None else "x0, a, s"
            counts = "sum(n)::BIGINT" if look.is_counted else "count(*)"
            engine.keep(PAIRS, f"SELECT {codes}, {counts} AS n FROM {rows.source} GROUP BY {keys}")
        side_values = 0
        if side is not None:
            side_values = len(engine.fetch(f"SELECT DISTINCT a FROM {PAIRS}")["a"])
        values = RoleValues(
            sensitive=sensitive.sorted,
            public_cells=lambda: public.cells(engine.fetch("SELECT x0 FROM hartley_first ORDER BY w")["x0"]),
            side_cells=lambda codes: (side or public).cells(codes),
        )
        return SummaryRead(counted_summary(engine, look.roles, values, 1, side_values), look.dropped_rows)


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
