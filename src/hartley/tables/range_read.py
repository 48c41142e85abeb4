"""From typed columns to a joint range: DuckDB numbers the values, and only numbers come out.

Each role gets a code for each of its values, in their order. A single column of whole
numbers, dates or truth values over a short stretch is its own code, less the least value; any
other role gets a dictionary, a small table inside DuckDB of its distinct values in order, and
rows are joined to it. Values are then sorted for good, row order plays no part, and what is
fetched is one small integer for each role and row, or for each distinct pair where the rows
are so many that DuckDB must count them first.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from hartley.errors import ColumnError, OptionError, TableError
from hartley.model import Alphabet, JointRange
from hartley.tables.columns import TypedColumn
from hartley.tables.engine import one_row
from hartley.tables.roles import Roles
from hartley.tables.values import coordinate, fetched

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Missing = Literal["value", "drop"]
Codes = npt.NDArray[np.integer]

COUNTED_FROM = 1 << 24
"""Number of rows from which DuckDB counts equal rows before they are fetched."""
SHORT_STRETCH = 1 << 16
LONGEST_STRETCH = 1 << 26


@dataclass(frozen=True)
class Scan:
    """What SQL can select raw columns from; each record stands for ``rows`` rows."""

    source: str
    rows: str | None = None
    """The column with the number of rows, or nothing where each record is one row."""


@dataclass(frozen=True)
class RangeRead:
    """A joint range as read from a table, and what was left out."""

    joint: JointRange
    dropped_rows: int
    """Rows left out because a value is missing; none when missing counts as a value."""


@dataclass(frozen=True)
class _Coded:
    """The code of a role in SQL, and the way from codes to places in the sorted alphabet."""

    sql: str
    join: str
    alphabet: Alphabet | None
    stretch: tuple[TypedColumn, int, int] | None = None
    """For a column that is its own code: the column, its least value, and the code of missing."""


def read_range(
    connection: DuckDBPyConnection,
    scan: Scan,
    columns: Mapping[str, TypedColumn],
    roles: Roles,
    missing: Missing,
    missing_at: float | None,
) -> RangeRead:
    """Read the joint range of the roles."""
    if missing not in ("value", "drop"):
        raise OptionError.unknown("way to treat missing values", missing, ("value", "drop"))
    if missing_at is not None and not isfinite(missing_at):
        raise OptionError(f"missing_at must be a finite number, not {missing_at}")
    if missing_at is not None and not any(columns[name].kind == "number" for name in roles.public):
        raise ColumnError("missing_at is the place of a missing number, but no public column is a number")
    value = {name: f"v{place}" for place, name in enumerate(roles.columns)}
    typed = ", ".join(f"{columns[name].sql} AS {value[name]}" for name in roles.columns)
    rows = scan.rows or "1"
    source = f"(SELECT {typed}, {rows} AS n FROM {scan.source})"
    present = " AND ".join(f"{v} IS NOT NULL" for v in value.values())
    stretched = [name for name in roles.columns if columns[name].carrier == "integer"]
    bounds = "".join(f", min({value[name]}), max({value[name]})" for name in stretched)
    kept = f" FILTER ({present})"
    found = one_row(
        connection,
        f"SELECT {'count(*)' if scan.rows is None else 'coalesce(sum(n), 0)'}, "
        f"{f'count(*){kept}' if scan.rows is None else f'coalesce(sum(n){kept}, 0)'}, "
        f"count(*){bounds} FROM {source}",
    )
    total, complete, records = int(found[0]), int(found[1]), int(found[2])
    stretches = {name: (found[3 + 2 * place], found[4 + 2 * place]) for place, name in enumerate(stretched)}
    if missing == "drop":
        if not complete:
            raise TableError(
                "every row has a missing value in one of the columns; nothing is left to measure"
            )
        source = f"(SELECT * FROM {source} WHERE {present})"

    coded: dict[str, _Coded] = {}
    try:
        for role in ("public", "sensitive", "side"):
            names = getattr(roles, role)
            if not names:
                continue
            own = _own_code(names, columns, value, stretches, records)
            coded[role] = own or _dictionary(
                connection,
                source,
                [(columns[name], value[name]) for name in names],
                f"hartley_{role}",
                missing_at if role == "public" else None,
            )
        joint = _fetch(connection, source, coded, records, scan.rows is not None, missing_at)
    finally:
        for role in ("public", "sensitive", "side"):
            connection.execute(f"DROP TABLE IF EXISTS hartley_{role}")
    return RangeRead(joint, total - complete if missing == "drop" else 0)


def _own_code(
    names: tuple[str, ...],
    columns: Mapping[str, TypedColumn],
    value: Mapping[str, str],
    stretches: Mapping[str, tuple[int | None, int | None]],
    records: int,
) -> _Coded | None:
    if len(names) > 1 or names[0] not in stretches:
        return None
    least, most = stretches[names[0]]
    length = 0 if least is None or most is None else most - least + 1
    if length > min(max(SHORT_STRETCH, 4 * records), LONGEST_STRETCH):
        return None
    code = f"coalesce(t.{value[names[0]]} - ({least or 0}), {length})::INTEGER"
    return _Coded(code, "", None, (columns[names[0]], least or 0, length))


def _dictionary(
    connection: DuckDBPyConnection,
    source: str,
    role: list[tuple[TypedColumn, str]],
    table: str,
    missing_at: float | None,
) -> _Coded:
    """Give numbers to the distinct values of a role in their order, in a table of its own."""
    values = ", ".join(value for _, value in role)
    order = ", ".join(
        f"coalesce({value}, {float(missing_at)!r}::DOUBLE), {value} IS NULL, {value}"
        if missing_at is not None and column.kind == "number"
        else f"{value} NULLS LAST"
        for column, value in role
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {values}, "
        f"(row_number() OVER (ORDER BY {order}) - 1)::INTEGER AS code "
        f"FROM (SELECT DISTINCT {values} FROM {source})"
    )
    cells = ", ".join(f"{fetched(column, value)} AS {value}" for column, value in role)
    arrays = connection.execute(f"SELECT {cells} FROM {table} ORDER BY code").fetchnumpy()
    coordinates = []
    for column, value in role:
        carried = arrays[value]
        missing = _missing(carried)
        coordinates.append(coordinate(column, np.ma.getdata(carried), missing))
    alphabet = _placed(Alphabet(tuple(coordinates)), missing_at)
    on = " AND ".join(f"t.{value} IS NOT DISTINCT FROM {table}.{value}" for _, value in role)
    return _Coded(f"{table}.code", f" JOIN {table} ON {on}", alphabet)


def _missing(carried: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if carried.dtype == object and not np.ma.isMaskedArray(carried):
        return np.array([cell is None for cell in carried], dtype=bool)
    return np.ma.getmaskarray(carried)


def _fetch(
    connection: DuckDBPyConnection,
    source: str,
    coded: Mapping[str, _Coded],
    records: int,
    is_counted: bool,
    missing_at: float | None,
) -> JointRange:
    codes = ", ".join(f"{role.sql} AS {name}_code" for name, role in coded.items())
    joins = "".join(role.join for role in coded.values())
    if records >= COUNTED_FROM:
        keys = ", ".join(f"{name}_code" for name in coded)
        query = f"SELECT {codes}, sum(n)::BIGINT AS n FROM {source} AS t{joins} GROUP BY {keys}"
        is_counted = True
    elif is_counted:
        query = f"SELECT {codes}, n::BIGINT AS n FROM {source} AS t{joins}"
    else:
        query = f"SELECT {codes} FROM {source} AS t{joins}"
    arrays = connection.execute(query).fetchnumpy()
    places: dict[str, Codes] = {}
    alphabets: dict[str, Alphabet] = {}
    for name, role in coded.items():
        found = np.ma.getdata(arrays.pop(f"{name}_code"))
        if role.stretch is not None:
            at = missing_at if name == "public" else None
            alphabets[name], places[name] = _sorted_stretch(found, *role.stretch, at)
        elif role.alphabet is not None:
            alphabets[name], places[name] = role.alphabet, found
    return JointRange.from_codes(
        public_codes=places["public"],
        sensitive_codes=places["sensitive"],
        public=alphabets["public"],
        sensitive=alphabets["sensitive"],
        side_codes=places.get("side"),
        side=alphabets.get("side"),
        rows=np.ma.getdata(arrays["n"]) if is_counted else None,
    )


def _sorted_stretch(
    codes: Codes, column: TypedColumn, least: int, gone: int, missing_at: float | None
) -> tuple[Alphabet, Codes]:
    """Give the alphabet of a column that is its own code, and the place of each code in it."""
    seen = np.zeros(gone + 1, dtype=bool)
    seen[codes] = True
    values = np.flatnonzero(seen)
    missing = values == gone
    if missing_at is not None and column.kind == "number" and missing[-1]:
        place = int(np.searchsorted(values[:-1] + least, missing_at, side="right"))
        values, missing = np.insert(values[:-1], place, gone), np.insert(missing[:-1], place, True)
    else:
        missing_at = None
    alphabet = _placed(Alphabet((coordinate(column, values + least, missing),)), missing_at)
    if (len(values) == gone + 1 and missing_at is None) or (len(values) == gone and not seen[gone]):
        return alphabet, codes
    place_of = np.empty(gone + 1, dtype=np.int32)
    place_of[values] = np.arange(len(values), dtype=np.int32)
    return alphabet, place_of[codes]


def _placed(alphabet: Alphabet, missing_at: float | None) -> Alphabet:
    """Put missing where the user wants it on the line, where there is a line and something missing."""
    positions = alphabet.positions
    if missing_at is None or positions is None or not alphabet.missing.any():
        return alphabet
    if alphabet.coordinates[0].kind != "number":
        return alphabet
    return Alphabet(alphabet.coordinates, np.where(alphabet.missing, missing_at, positions))
