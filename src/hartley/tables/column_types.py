"""How the columns of a source become values: the rule of types, in one place.

Inside DuckDB every value is carried in one of four forms, with NULL for missing:

=========  ==================  ==========================================================
carrier    DuckDB type         kinds
=========  ==================  ==========================================================
integer    BIGINT              number; truth value as 0 or 1; date as day since 1970-01-01;
                               timestamp as microsecond since then
float      DOUBLE              number
exact      HUGEINT or DECIMAL  number that a float would change
text       VARCHAR             text
=========  ==================  ==========================================================

NaN is missing and -0.0 is 0.0, everywhere. Nothing is rounded: what no carrier holds
exactly is refused with a reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hartley.errors import option
from hartley.model import Kind

Carrier = Literal["integer", "float", "exact", "text"]
Unit = Literal["1", "day", "microsecond", "nanosecond"]


@dataclass(frozen=True)
class TypedColumn:
    """A column with its kind, and the SQL that gives its value in a carrier."""

    name: str
    kind: Kind
    carrier: Carrier
    sql: str
    """An expression over the raw columns of the source."""
    unit: Unit = "1"
    """What an integer counts."""
    has_zone: bool = False
    """Whether a timestamp is an instant, in UTC, rather than a reading of some clock."""


@dataclass(frozen=True)
class RefusedColumn:
    """A column that cannot stand in a role, and why."""

    name: str
    reason: str
    """Reads on from the column's name: ``is a list; ...``."""


_SIGNED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
_WIDE = {"UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"}
_NESTED = re.compile(r"(\]|^(STRUCT|MAP|UNION|LIST|VARIANT)\b.*)$", re.DOTALL)
AS_TEXT = f"read it as text ({option('text')})"


def typed_native(name: str, raw: str, duckdb_type: str) -> TypedColumn | RefusedColumn:
    """Return the value of a column that its source has typed already.

    >>> typed_native("age", "c0", "SMALLINT").carrier
    'integer'
    >>> typed_native("tags", "c1", "VARCHAR[]").reason
    'is a list or a structure; only columns of single values can be measured'
    """
    if duckdb_type in _SIGNED:
        return TypedColumn(name, "number", "integer", f"{raw}::BIGINT")
    if duckdb_type in _WIDE or duckdb_type.startswith("DECIMAL"):
        return TypedColumn(name, "number", "exact", raw)
    if duckdb_type in ("FLOAT", "DOUBLE"):
        return TypedColumn(name, "number", "float", _plain_float(raw))
    if duckdb_type == "BOOLEAN":
        return TypedColumn(name, "boolean", "integer", f"{raw}::BIGINT")
    if duckdb_type == "DATE":
        return TypedColumn(name, "date", "integer", f"date_diff('day', DATE '1970-01-01', {raw})", unit="day")
    if duckdb_type in ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"):
        return TypedColumn(name, "timestamp", "integer", f"epoch_us({raw})", unit="microsecond")
    if duckdb_type == "TIMESTAMP_NS":
        return TypedColumn(name, "timestamp", "integer", f"epoch_ns({raw})", unit="nanosecond")
    if duckdb_type == "TIMESTAMPTZ_NS":
        return TypedColumn(name, "timestamp", "integer", f"epoch_ns({raw})", unit="nanosecond", has_zone=True)
    if duckdb_type == "TIMESTAMP WITH TIME ZONE":
        return TypedColumn(
            name, "timestamp", "integer", f"epoch_us({raw})", unit="microsecond", has_zone=True
        )
    if duckdb_type in ("VARCHAR", "UUID", '"NULL"', "NULL") or duckdb_type.startswith("ENUM"):
        return TypedColumn(name, "text", "text", f"{raw}::VARCHAR")
    return RefusedColumn(name, _refusal(duckdb_type))


def as_text(name: str, raw: str, duckdb_type: str) -> TypedColumn | RefusedColumn:
    """Return the value of a column as text, as the user asked."""
    if duckdb_type == "BLOB" or _NESTED.search(duckdb_type):
        return RefusedColumn(name, _refusal(duckdb_type))
    if duckdb_type in ("FLOAT", "DOUBLE"):
        raw = _plain_float(raw)
    return TypedColumn(name, "text", "text", f"{raw}::VARCHAR")


def _plain_float(raw: str) -> str:
    # Adding zero turns -0.0 into 0.0 and leaves every other number.
    return f"CASE WHEN isnan({raw}) THEN NULL ELSE {raw}::DOUBLE + 0.0 END"


def _refusal(duckdb_type: str) -> str:
    if _NESTED.search(duckdb_type):
        return "is a list or a structure; only columns of single values can be measured"
    if duckdb_type == "BLOB":
        return "holds binary data; only numbers, text, dates and truth values can be measured"
    words = {"TIME": "holds times of day", "INTERVAL": "holds durations"}
    for start, words_for in words.items():
        if duckdb_type.startswith(start):
            return f"{words_for}; {AS_TEXT}"
    return f"is of type {duckdb_type}; {AS_TEXT}"
