"""Numbers for values: how the roles of a table are coded inside DuckDB.

Each role gets a code for each of its values, in their order. A single column of whole
numbers, dates or truth values over a short stretch is its own code, less the least value; any
other role gets a dictionary, a small table inside DuckDB of its distinct values in order, and
rows are joined to it.

On the way back, from the carriers inside DuckDB to the values that people know, equal values get one form.
The same numbers come from different sources as integers, floats or decimals: integers where all are whole and
fit 64 bits, floats where all are floats by their shortest names, and otherwise whole numbers and decimals of
any size as Python has them.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hartley.errors import ColumnError, OptionError, option
from hartley.model import Alphabet, Coordinate
from hartley.model.arrays import Flags, Ints, different
from hartley.tables.column_types import AS_TEXT, TypedColumn
from hartley.tables.counting.first_look import FirstLook
from hartley.tables.engine import one_row
from hartley.tables.roles import ROLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


EPOCH = dt.datetime(1970, 1, 1)
_PER_DAY = {"day": 1, "microsecond": 86_400_000_000, "nanosecond": 86_400_000_000_000}
_ALL_DIGITS = Context(prec=100)
_FIRST_DAY = (dt.datetime.min - EPOCH).days
_LAST_DAY = (dt.datetime.max - EPOCH).days


def fetched(column: TypedColumn, value: str) -> str:
    """Return the SQL that hands a carried value over without loss."""
    return f"{value}::VARCHAR" if column.carrier == "exact" else value


def coordinate(column: TypedColumn, carried: npt.NDArray[Any], missing: Flags) -> Coordinate:
    """Build the coordinate of an alphabet from carried values; what stands at a missing place is ignored."""
    if column.carrier == "text":
        values = carried.astype(object)
        values[missing] = ""
    elif column.unit != "1":
        values = _moments(column, carried, missing)
    elif column.kind == "boolean":
        values = np.where(missing, 0, carried).astype(bool)
    elif column.carrier == "exact":
        values = _exact_numbers(carried, missing)
    elif column.carrier == "float":
        values = _floats(column, carried, missing)
    else:
        values = np.where(missing, 0, carried).astype(np.int64)
    return Coordinate(column.name, column.kind, values, missing)


def _floats(column: TypedColumn, carried: npt.NDArray[Any], missing: Flags) -> npt.NDArray[Any]:
    values = np.where(missing, 0.0, carried)
    if not np.isfinite(values).all():
        raise ColumnError(f"column {column.name!r} holds infinite numbers; {AS_TEXT}, or take them out")
    # Beyond 2^53 a float stands for the number that its shortest name says, not for its last digits.
    if bool((np.trunc(values) == values).all()) and bool((np.abs(values) <= 2.0**53).all()):
        return values.astype(np.int64)
    return values


def _exact_numbers(texts: npt.NDArray[Any], missing: Flags) -> npt.NDArray[Any]:
    numbers = [Decimal(0) if gone else Decimal(text) for text, gone in zip(texts, missing, strict=True)]
    whole = [number == number.to_integral_value() for number in numbers]
    if all(whole) and all(-(2**63) <= number < 2**63 for number in numbers):
        return np.array([int(number) for number in numbers], dtype=np.int64)
    if all(Decimal(repr(float(number))) == number for number in numbers):
        return np.array([float(number) for number in numbers])
    values = np.empty(len(numbers), dtype=object)
    values[:] = [
        int(number) if is_whole else number.normalize(_ALL_DIGITS)
        for number, is_whole in zip(numbers, whole, strict=True)
    ]
    return values


def _moments(column: TypedColumn, carried: npt.NDArray[Any], missing: Flags) -> npt.NDArray[Any]:
    counts = np.where(missing, 0, carried).astype(np.int64)
    per_day = _PER_DAY[column.unit]
    days = counts // per_day
    if len(days) and (int(days.min()) < _FIRST_DAY or int(days.max()) > _LAST_DAY):
        raise ColumnError(f"column {column.name!r} holds a date outside the years 1 to 9999; {AS_TEXT}")
    if column.unit == "nanosecond":
        if bool((counts % 1000).any()):
            raise ColumnError(f"column {column.name!r} holds times finer than a microsecond; {AS_TEXT}")
        counts = counts // 1000
    values = np.empty(len(counts), dtype=object)
    if column.kind == "date":
        values[:] = [(EPOCH + dt.timedelta(days=count)).date() for count in counts.tolist()]
    else:
        start = EPOCH.replace(tzinfo=dt.UTC) if column.has_zone else EPOCH
        values[:] = [start + dt.timedelta(microseconds=count) for count in counts.tolist()]
    return values


@dataclass(frozen=True)
class CodedRows:
    """The rows of a table with a code for each role, as SQL."""

    source: str
    """What to select from, joins and all: ``n`` is the number of rows that a record stands for."""
    roles: Mapping[str, CodedRole]
    look: FirstLook


@dataclass(frozen=True)
class Stretch:
    """A single column of whole numbers that is its own code, less the least value."""

    column: TypedColumn
    value: str
    least: int
    gone: int
    """The code of missing."""
    missing_at: float | None
    join: str = ""

    @property
    def sql(self) -> str:
        """The code, as an expression over the coded rows."""
        return f"coalesce(t.{self.value} - ({self.least}), {self.gone})::INTEGER"

    @property
    def size(self) -> int:
        """The length of the stretch, and one for missing; not all codes need occur."""
        return self.gone + 1

    def sorted(self, codes: Ints) -> tuple[Alphabet, Ints]:
        """Return the alphabet of the role, and the place in it of each code; all codes are given."""
        seen = np.zeros(self.size, dtype=bool)
        seen[codes] = True
        values = np.flatnonzero(seen)
        missing = values == self.gone
        missing_at = self.missing_at if self.column.kind == "number" and missing[-1] else None
        if missing_at is not None:
            place = int(np.searchsorted(values[:-1] + self.least, missing_at, side="right"))
            values, missing = np.insert(values[:-1], place, self.gone), np.insert(missing[:-1], place, True)
        alphabet = _placed(Alphabet((coordinate(self.column, values + self.least, missing),)), missing_at)
        if missing_at is None and len(values) == int(values[-1]) + 1:
            return alphabet, codes
        place_of = np.empty(self.size, dtype=np.int32)
        place_of[values] = np.arange(len(values), dtype=np.int32)
        return alphabet, place_of[codes]

    def cells(self, codes: Ints) -> Alphabet:
        """Return the values of some codes, in the order of the codes given."""
        carried = codes.astype(np.int64) + self.least
        return Alphabet((coordinate(self.column, carried, codes == self.gone),))

    def require_measurable(self) -> None:
        """Refuse dates that Python does not know, without fetching them all."""
        self.cells(np.array([0, max(self.gone - 1, 0)]))


@dataclass(frozen=True)
class Dictionary:
    """A role whose distinct values, in their order, are numbered in a table of their own."""

    connection: DuckDBPyConnection
    table: str
    columns: tuple[tuple[TypedColumn, str], ...]
    """The columns, and what the rows call their values."""
    missing_at: float | None

    @property
    def sql(self) -> str:
        """The code, as an expression over the coded rows."""
        return f"{self.table}.code"

    @property
    def join(self) -> str:
        """What the rows must be joined to for it."""
        on = " AND ".join(f"t.{value} IS NOT DISTINCT FROM {self.table}.{value}" for _, value in self.columns)
        return f" JOIN {self.table} ON {on}"

    @property
    def size(self) -> int:
        """How many values there are."""
        return int(one_row(self.connection, f"SELECT count(*) FROM {self.table}")[0])

    def sorted(self, codes: Ints) -> tuple[Alphabet, Ints]:
        """Return the alphabet of the role; codes are places already."""
        return self.alphabet(), codes

    def alphabet(self) -> Alphabet:
        """Return all values in their order."""
        return _placed(self._fetched(""), self.missing_at)

    def cells(self, codes: Ints) -> Alphabet:
        """Return the values of some codes."""
        asked = different(codes)
        found = self._fetched(f"WHERE code IN ({', '.join(map(str, asked.tolist()))})")
        return found.take(np.searchsorted(asked, codes))

    def require_measurable(self) -> None:
        """Refuse infinite numbers and odd moments by the extremes alone."""
        for column, value in self.columns:
            if column.carrier == "text":
                continue
            fine = f"max(abs({value} % 1000))" if column.unit == "nanosecond" else "0"
            least, most, rest = one_row(
                self.connection, f"SELECT min({value}), max({value}), {fine} FROM {self.table}"
            )
            if least is None or column.carrier == "exact":
                continue
            extremes = np.array([least, most]) if not rest else np.array([least, most, 1])
            coordinate(column, extremes, np.zeros(len(extremes), dtype=bool))

    def _fetched(self, where: str) -> Alphabet:
        cells = ", ".join(f"{fetched(column, value)} AS {value}" for column, value in self.columns)
        query = f"SELECT {cells} FROM {self.table} {where} ORDER BY code"
        arrays: dict[str, Any] = self.connection.execute(query).fetchnumpy()
        return Alphabet(
            tuple(
                coordinate(column, np.ma.getdata(arrays[value]), missing_cells(arrays[value]))
                for column, value in self.columns
            )
        )


CodedRole = Stretch | Dictionary
"""The code of a role in SQL, and the way from codes back to values."""


@contextmanager
def coded_rows(look: FirstLook, missing_at: float | None = None) -> Iterator[CodedRows]:
    """Return the rows with a code for each role, as long as the block lasts."""
    connection, columns, roles = look.connection, look.columns, look.roles
    if missing_at is not None and not isfinite(missing_at):
        raise OptionError(f"{option('missing_at')} must be a finite number, not {missing_at}")
    if missing_at is not None and not any(columns[name].kind == "number" for name in roles.public):
        raise ColumnError(
            f"{option('missing_at')} is the place of a missing number, but no public column is a number"
        )
    coded: dict[str, CodedRole] = {}
    try:
        for role, names in roles.named.items():
            at = missing_at if role == "public" else None
            named = tuple((columns[name], look.values[name]) for name in names)
            if (length := look.stretch(names)) is not None:
                least, _ = look.extremes[names[0]]
                coded[role] = Stretch(*named[0], least or 0, length, at)
            else:
                coded[role] = numbered_values(connection, look.source, named, f"hartley_{role}", at)
        joined = f"{look.source} AS t{''.join(role.join for role in coded.values())}"
        yield CodedRows(joined, coded, look)
    finally:
        for role in ROLES:
            connection.execute(f"DROP TABLE IF EXISTS hartley_{role}")


def numbered_values(
    connection: DuckDBPyConnection,
    source: str,
    columns: tuple[tuple[TypedColumn, str], ...],
    table: str,
    missing_at: float | None,
) -> Dictionary:
    """Assign numbers to the distinct values of a role in their order, in a table of its own."""
    values = ", ".join(value for _, value in columns)
    order = ", ".join(
        f"coalesce({value}, {float(missing_at)!r}::DOUBLE), {value} IS NULL, {value}"
        if missing_at is not None and column.kind == "number"
        else f"{value} NULLS LAST"
        for column, value in columns
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {values}, "
        f"(row_number() OVER (ORDER BY {order}) - 1)::INTEGER AS code "
        f"FROM (SELECT DISTINCT {values} FROM {source})"
    )
    return Dictionary(connection, table, columns, missing_at)


def missing_cells(carried: npt.NDArray[Any]) -> Flags:
    """Tell which cells of a fetched column are missing."""
    if carried.dtype == object and not np.ma.isMaskedArray(carried):
        return np.array([cell is None for cell in carried], dtype=bool)
    return np.ma.getmaskarray(carried)


def _placed(alphabet: Alphabet, missing_at: float | None) -> Alphabet:
    """Put missing where the user wants it on the line, where there is a line and something missing."""
    positions = alphabet.positions
    if missing_at is None or positions is None or not alphabet.missing.any():
        return alphabet
    column = alphabet.coordinates[0]
    if column.kind != "number" or column.is_blurred:
        return alphabet
    place = float(Fraction(missing_at) - column.origin)
    return Alphabet(alphabet.coordinates, np.where(alphabet.missing, place, positions))
