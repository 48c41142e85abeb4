"""Small tables, held here: every column is fetched and coded once, and any roles are made of the codes.

A question to DuckDB costs milliseconds before it begins. An audit of a table of many columns asks of each
of them alone, so where all cells are few the rows come here in one reading, whatever is asked of them.
"""

# ruff: noqa: S608 (every name in a query is ours)

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hartley.model import Alphabet, JointRange
from hartley.model.arrays import Flags, Ints
from hartley.model.pair_sort import MOST_MARKED, numbered_keys
from hartley.tables.column_types import TypedColumn
from hartley.tables.counting.column_codes import ColumnCodes
from hartley.tables.counting.fetch_range import RangeRead
from hartley.tables.counting.first_look import require_complete, require_way_with_missing
from hartley.tables.counting.value_codes import fetched, missing_cells
from hartley.tables.roles import Roles
from hartley.tables.sources.source import Missing, Scan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_CELLS = 1 << 22
"""Cells that are held here at most."""
MOST_WIDE_CELLS = 1 << 26
"""The same of a table with more than :data:`COLUMNS_AT_A_TIME` columns, which no other way counts in time."""
BLOCK = 1 << 19
"""Cells that are fetched at once: text takes many bytes until it is coded."""
COLUMNS_AT_A_TIME = 200
"""Columns of one statement at most: DuckDB plans one in time that grows with the square of its columns."""


def is_held(rows: int, columns: int) -> bool:
    """Tell whether so many rows of so many columns are counted here."""
    return rows * columns <= (MOST_CELLS if columns <= COLUMNS_AT_A_TIME else MOST_WIDE_CELLS)


class HeldRows:
    """The rows of a table, coded column by column."""

    def __init__(
        self, connection: DuckDBPyConnection, scan: Scan, columns: Sequence[TypedColumn], rows: int
    ) -> None:
        self.columns: dict[str, ColumnCodes] = {}
        self.counts: Ints | None = None
        step = max(1, min(BLOCK // max(rows, 1), COLUMNS_AT_A_TIME))
        for start in range(0, len(columns), step):
            block = columns[start : start + step]
            asked = [f"{fetched(column, f'({column.sql})')} AS v{k}" for k, column in enumerate(block)]
            asked += [] if scan.rows is None or start else [f"{scan.rows}::BIGINT AS n"]
            query = f"SELECT {', '.join(asked)} FROM {scan.source}"
            arrays: dict[str, Any] = connection.execute(query).fetchnumpy()
            for k, column in enumerate(block):
                self.columns[column.name] = _coded(column, arrays[f"v{k}"])
            if "n" in arrays:
                self.counts = np.ma.getdata(arrays["n"])
        self._whole: dict[tuple[str, ...], tuple[Alphabet, Ints]] = {}

    def joint_range(self, roles: Roles, missing: Missing) -> RangeRead:
        """Return the joint range of some roles."""
        require_way_with_missing(missing)
        kept: Flags | None = None
        dropped = 0
        if missing == "drop":
            gone = reduce(np.logical_or, (self.columns[name].missing for name in roles.columns))
            if gone.any():
                kept, counts = ~gone, np.ones(len(gone), np.int64) if self.counts is None else self.counts
                require_complete(int(counts[kept].sum()))
                dropped = int(counts[gone].sum())
        coded = {role: self._role(names, kept) for role, names in roles.named.items()}
        (public, public_codes), (sensitive, sensitive_codes) = coded["public"], coded["sensitive"]
        side, side_codes = coded.get("side", (None, None))
        joint = JointRange.from_codes(
            public_codes=public_codes,
            sensitive_codes=sensitive_codes,
            public=public,
            sensitive=sensitive,
            side_codes=side_codes,
            side=side,
            rows=self.counts if self.counts is None or kept is None else self.counts[kept],
        )
        return RangeRead(joint, dropped)

    def _role(self, names: tuple[str, ...], kept: Flags | None) -> tuple[Alphabet, Ints]:
        """Return the alphabet of a role, and the place of each row in it."""
        if kept is None and names in self._whole:
            return self._whole[names]
        codes = [self.columns[name].codes for name in names]
        if kept is not None:
            codes = [one[kept] for one in codes]
        different, places = _joint_codes(codes)
        own = (self.columns[name].coordinate(one) for name, one in zip(names, different, strict=True))
        found = Alphabet(tuple(own)), places
        if kept is None:
            self._whole[names] = found
        return found


def _coded(column: TypedColumn, carried: npt.NDArray[Any]) -> ColumnCodes:
    missing, cells = missing_cells(carried), np.ma.getdata(carried)
    if cells.dtype != object:
        return ColumnCodes.of_numbers(column, cells, missing)
    different: dict[Any, int] = {}
    found = [different.setdefault(cell, len(different)) for cell in cells[~missing]]
    numbers = np.full(len(cells), len(different), dtype=np.int32)
    numbers[~missing] = found
    return ColumnCodes.of_texts(column, list(different), numbers)


def _joint_codes(codes: Sequence[Ints]) -> tuple[list[Ints], Ints]:
    """Return the different rows in order, column by column, and for each row its number among them."""
    widths = [int(one.max(initial=0)) + 1 for one in codes]
    if prod(widths) <= MOST_MARKED * len(codes[0]):
        key: Ints = np.zeros(len(codes[0]), dtype=np.int64)
        for one, width in zip(codes, widths, strict=True):
            key = key * width + one
        different, places = numbered_keys(key, prod(widths))
        return list(np.unravel_index(different, widths)), places
    order = np.lexsort(tuple(reversed(codes)))
    is_new = np.zeros(len(order), dtype=bool)
    is_new[0] = True
    for one in codes:
        is_new[1:] |= np.diff(one[order]) != 0
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.cumsum(is_new) - 1
    first = order[is_new]
    return [one[first] for one in codes], places
