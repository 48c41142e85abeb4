"""The pairs of a large table counted on a grid: a byte for each public value beside each sensitive one.

Ints stream by, and each row adds one at its place. A hash table of pairs costs an engine several times as
much, in time and memory. A byte counts to 255; where it is full, that is put down and counting begins anew.
"""

# ruff: noqa: S608 (every name in a query is ours)

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Int64s, Ints
from hartley.tables.coding import CodedRows, coded_rows
from hartley.tables.columns import TypedColumn
from hartley.tables.engine import batches
from hartley.tables.first_look import FirstLook
from hartley.tables.range_read import RangeRead, coded_range
from hartley.tables.roles import Roles
from hartley.tables.scan import Scan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FULL = 255


def read_range_on_grid(
    connection: DuckDBPyConnection,
    scan: Scan,
    columns: Mapping[str, TypedColumn],
    roles: Roles,
    look: FirstLook,
    missing_at: float | None,
    room: int,
) -> RangeRead | None:
    """Read the joint range of the roles by a grid; nothing where there is no room for its cells.

    The records of the scan are rows, each counted once.
    """
    if look.cells_at_least(connection) > room:
        return None
    with coded_rows(connection, scan, columns, roles, look, missing_at) as rows:
        if prod(role.size for role in rows.roles.values()) > room:
            return None
        cells, counts = _counted(connection, rows)
        return RangeRead(coded_range(rows, _codes(rows, cells), counts), rows.dropped_rows)


def _counted(connection: DuckDBPyConnection, rows: CodedRows) -> tuple[Int64s, Int64s]:
    """Give the cells that occur, in their order, and how many rows each has."""
    named = _in_order(rows)
    codes = ", ".join(f"({rows.roles[name].sql})::INTEGER AS c{number}" for number, name in enumerate(named))
    sizes = [rows.roles[name].size for name in named]
    grid = np.zeros(prod(sizes), dtype=np.uint8)
    overflow = []
    for batch in batches(connection, f"SELECT {codes} FROM {rows.source}", rows.records):
        cells = batch["c0"].astype(np.int64)
        for number, size in enumerate(sizes[1:], 1):
            cells *= size
            cells += batch[f"c{number}"]
        full = np.empty(len(cells), dtype=np.int64)
        overflow.append(full[: add_rows.for_size(len(cells))(grid, cells, full)].copy())
    occurring = np.flatnonzero(grid)
    counts = grid[occurring].astype(np.int64)
    full, times = np.unique(np.concatenate(overflow), return_counts=True)
    counts[np.searchsorted(occurring, full)] += FULL * times
    return occurring, counts


def _codes(rows: CodedRows, cells: Int64s) -> dict[str, Ints]:
    """Give the code of each role in each cell."""
    codes: dict[str, Ints] = {}
    for name in reversed(_in_order(rows)):
        cells, code = np.divmod(cells, rows.roles[name].size)
        codes[name] = code.astype(np.int32)
    return codes


def _in_order(rows: CodedRows) -> list[str]:
    """Name the roles as cells are ordered: those of a public value lie together."""
    return [name for name in ("public", "side", "sensitive") if name in rows.roles]


@hot_loop
def add_rows(grid, cells, full):  # type: ignore[no-untyped-def]
    """Count one more in each cell; put down the cells that were full, and give how many those are."""
    overflow = 0
    for cell in cells:
        if grid[cell] == 255:
            full[overflow] = cell
            overflow += 1
            grid[cell] = 1
        else:
            grid[cell] += 1
    return overflow
