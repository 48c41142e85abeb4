"""From typed columns to a joint range: DuckDB numbers the values, and only numbers come out.

Values are sorted for good, row order plays no part, and what is fetched is one small integer for
each role and row, or for each distinct pair where the rows are so many that DuckDB must count
them first.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.model import Alphabet, JointRange
from hartley.model.arrays import Ints
from hartley.tables.counting.first_look import FirstLook
from hartley.tables.counting.value_codes import CodedRows, coded_rows

COUNTED_FROM = 1 << 24
"""Number of rows from which DuckDB counts equal rows before they are fetched, however many differ: codes
of more rows, and what is made of them, would not fit into two gigabytes."""


@dataclass(frozen=True)
class RangeRead:
    """A joint range as read from a table, and what was left out."""

    joint: JointRange
    dropped_rows: int
    """Rows left out because a value is missing; none when missing counts as a value."""


def read_range(look: FirstLook, missing_at: float | None) -> RangeRead:
    """Read the joint range of the roles."""
    with coded_rows(look, missing_at) as rows:
        return RangeRead(_fetch(rows), look.dropped_rows)


def _fetch(rows: CodedRows) -> JointRange:
    codes = ", ".join(f"{role.sql} AS {name}_code" for name, role in rows.roles.items())
    is_counted = rows.look.is_counted or rows.look.records >= COUNTED_FROM
    if rows.look.records >= COUNTED_FROM:
        keys = ", ".join(f"{name}_code" for name in rows.roles)
        query = f"SELECT {codes}, sum(n)::BIGINT AS n FROM {rows.source} GROUP BY {keys}"
    elif is_counted:
        query = f"SELECT {codes}, n::BIGINT AS n FROM {rows.source}"
    else:
        query = f"SELECT {codes} FROM {rows.source}"
    arrays = rows.look.connection.execute(query).fetchnumpy()
    found = {name: np.ma.getdata(arrays[f"{name}_code"]) for name in rows.roles}
    places: dict[str, Ints] = {}
    alphabets: dict[str, Alphabet] = {}
    for name, role in rows.roles.items():
        alphabets[name], places[name] = role.sorted(found[name])
    return JointRange.from_codes(
        public_codes=places["public"],
        sensitive_codes=places["sensitive"],
        public=alphabets["public"],
        sensitive=alphabets["sensitive"],
        side_codes=places.get("side"),
        side=alphabets.get("side"),
        rows=np.ma.getdata(arrays["n"]) if is_counted else None,
    )
