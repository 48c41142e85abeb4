"""One scan of the columns before any value is numbered: how many rows, and how far the values reach."""

# ruff: noqa: S608 (every name in a query is ours)

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from hartley.errors import OptionError, TableError
from hartley.tables.column_types import TypedColumn
from hartley.tables.engine import one_row
from hartley.tables.roles import Roles
from hartley.tables.sources.source import Missing, Scan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SHORT_STRETCH = 1 << 16
LONGEST_STRETCH = 1 << 26
LOOKED_AT = 1 << 20
"""Rows from which the number of values of a role is guessed."""


@dataclass(frozen=True, kw_only=True)
class FirstLook:
    """What one scan tells of the roles before any value is numbered; all ways of counting begin with it."""

    connection: DuckDBPyConnection
    columns: Mapping[str, TypedColumn]
    roles: Roles
    source: str
    """What to select the typed values ``v0, v1, ...`` and ``n`` from."""
    values: Mapping[str, str]
    """What the rows call the value of each column."""
    records: int
    dropped_rows: int
    extremes: Mapping[str, tuple[int | None, int | None]]
    """The least and the most value of each column of whole numbers."""
    is_counted: bool
    """Whether a record can stand for several rows."""
    is_distinct: bool
    """Whether no two records have the same cells."""

    def stretch(self, names: tuple[str, ...]) -> int | None:
        """Return the length of the stretch where a role is one column that can be its own code."""
        if len(names) > 1 or names[0] not in self.extremes:
            return None
        least, most = self.extremes[names[0]]
        length = 0 if least is None or most is None else most - least + 1
        return length if length <= min(max(SHORT_STRETCH, 4 * self.records), LONGEST_STRETCH) else None

    def cells_at_least(self) -> int:
        """Say how many combinations of codes there are at least, nearly.

        Where values are not their own codes, the first rows tell; of sorted rows they tell too little.
        """
        stretches = {role: self.stretch(names) for role, names in self.roles.named.items()}
        lengths = [length + 1 for length in stretches.values() if length is not None]
        others = [role for role, length in stretches.items() if length is None]
        if others:
            asked = ", ".join(self._distinct(self.roles.named[role]) for role in others)
            sample = f"(SELECT * FROM {self.source} LIMIT {LOOKED_AT})"
            lengths += one_row(self.connection, f"SELECT {asked} FROM {sample}")
        return prod(lengths)

    def pairs_nearly(self) -> int:
        """Estimate how many combinations of values occur, to a few percent."""
        query = f"SELECT {self._distinct(self.roles.columns)} FROM {self.source}"
        return int(one_row(self.connection, query)[0])

    def _distinct(self, names: tuple[str, ...]) -> str:
        return f"approx_count_distinct(hash({', '.join(self.values[name] for name in names)}))"


def require_way_with_missing(missing: Missing) -> None:
    """Refuse a word that says nothing about missing values."""
    if missing not in ("value", "drop"):
        raise OptionError.unknown("way to treat missing values", missing, ("value", "drop"))


def require_complete(rows: int) -> None:
    """Refuse a table of which no row is complete, where the others are left out."""
    if not rows:
        raise TableError("every row has a missing value in one of the columns; nothing is left to measure")


def first_look(
    connection: DuckDBPyConnection,
    scan: Scan,
    columns: Mapping[str, TypedColumn],
    roles: Roles,
    missing: Missing,
) -> FirstLook:
    """Count the rows and find how far the values reach."""
    require_way_with_missing(missing)
    value = {name: f"v{place}" for place, name in enumerate(roles.columns)}
    typed = ", ".join(f"{columns[name].sql} AS {value[name]}" for name in roles.columns)
    source = f"(SELECT {typed}, {scan.rows or '1'} AS n FROM {scan.source})"
    asked = ["count(*)", "count(*)" if scan.rows is None else "coalesce(sum(n), 0)"]
    present = " AND ".join(f"{v} IS NOT NULL" for v in value.values())
    if missing == "drop":
        asked += [f"{one} FILTER ({present})" for one in ("count(*)", "sum(n)")]
    whole = [name for name in roles.columns if columns[name].carrier == "integer"]
    asked += [f"{extreme}({value[name]})" for name in whole for extreme in ("min", "max")]
    found = list(one_row(connection, f"SELECT {', '.join(asked)} FROM {source}"))
    records, total = int(found.pop(0)), int(found.pop(0))
    dropped = 0
    if missing == "drop":
        records, complete = int(found.pop(0)), int(found.pop(0) or 0)
        require_complete(complete)
        dropped = total - complete
        source = f"(SELECT * FROM {source} WHERE {present})"
    return FirstLook(
        connection=connection,
        columns=columns,
        roles=roles,
        source=source,
        values=value,
        records=records,
        dropped_rows=dropped,
        extremes={name: (found.pop(0), found.pop(0)) for name in whole},
        is_counted=scan.rows is not None,
        is_distinct=scan.is_distinct,
    )
