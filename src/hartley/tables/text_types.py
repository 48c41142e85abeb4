r"""What a column of text cells holds: the one rule for files without types.

A column is

* a **number** when every cell is one: an optional minus, digits without leading zeros, and
  optionally a fraction and an exponent (``-3``, ``1.10``, ``1e5``; not ``007``, ``+5``, ``.5``,
  ``1,000``, ``NaN``). Numbers are equal as numbers: 1.10 and 1.1 are one, so are 0 and -0;
* a **date** when every cell is an ISO date, ``2024-02-29``;
* a **timestamp** when every cell is an ISO date and time, with ``T`` or a space between, to the
  microsecond at most; with an offset (``Z``, ``+01:00``) in every cell it is an instant, and equal
  instants are one; with an offset in no cell it is a clock reading;
* **text** otherwise, equal character by character.

A cell with nothing in it is missing. A cell that is an empty pair of quotes is missing in a
column of numbers, dates or timestamps, where it says the same, and in a column of text it is
the empty text, which is a value. Words such as ``NA`` are text.

Numbers are never rounded into one another. Whole numbers are exact to 38 digits. A column
with fractions is carried as floats when each cell is the shortest or a longer name of its float
(so ``0.1`` and ``0.30000000000000004``), as decimals of up to 38 digits when not, and stays text
where those do not suffice.

A column that the user declares a number may also have leading zeros, a plus, ``.5``, ``5.``, and
spaces around; any other cell is an error that names the line.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from hartley.errors import ColumnError, option
from hartley.tables.column_types import TypedColumn
from hartley.tables.engine import one_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from duckdb import DuckDBPyConnection

TextRule = Literal["any", "no numbers", "number"]
"""``any``: the rule above; ``no numbers``: the source can tell numbers from text; ``number``: declared."""

_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
_WHOLE = r"-?(0|[1-9][0-9]*)"
_DECLARED = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_DECLARED_WHOLE = r"[+-]?[0-9]+"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
_ZONE = r"(Z|[+-][0-9]{2}:[0-9]{2})"

# One bit for each class of cell; the union over a column decides its kind.
WHOLE, FRACTION, DATE, READING, INSTANT, OTHER = 1, 2, 4, 8, 16, 32

_PARTS = (
    "CREATE OR REPLACE TEMP MACRO hartley_parts(v) AS regexp_extract(v, "
    "'^([+-]?)([0-9]*)\\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?$', ['minus', 'whole', 'fraction', 'exponent'])"
)
_DIGITS = "CREATE OR REPLACE TEMP MACRO hartley_digits(p) AS rtrim(ltrim(p.whole || p.fraction, '0'), '0')"
_EXPONENT = (
    "CREATE OR REPLACE TEMP MACRO hartley_exponent(p) AS "
    "try_cast(CASE WHEN p.exponent = '' THEN '0' ELSE p.exponent END AS BIGINT) - length(p.fraction) "
    "+ length(ltrim(p.whole || p.fraction, '0')) - length(hartley_digits(p))"
)
_EXACT = (
    "CREATE OR REPLACE TEMP MACRO hartley_exact(p) AS CASE WHEN hartley_digits(p) = '' THEN '0' "
    "ELSE replace(p.minus, '+', '') || hartley_digits(p) || 'e' || hartley_exponent(p) END"
)


def typed_texts(
    connection: DuckDBPyConnection,
    source: str,
    columns: Sequence[tuple[str, str, TextRule]],
    where: Callable[[int], str],
) -> list[TypedColumn]:
    """Decide the kind of text columns by looking at every cell.

    ``columns`` are (name, raw SQL, rule); ``where(row)`` words the place of a row for a message.
    """
    for macro in (_PARTS, _DIGITS, _EXPONENT, _EXACT):
        connection.execute(macro)
    looks = ", ".join(
        f"coalesce(bit_or({_class_of(_present(raw, rule), rule)}), 0), "
        f"max(length(ltrim({_present(raw, rule)}, '+-0')))"
        for _, raw, rule in columns
    )
    found = one_row(connection, f"SELECT {looks} FROM {source}")
    typed = []
    for place, (name, raw, rule) in enumerate(columns):
        seen, digits = found[2 * place], found[2 * place + 1]
        column = _by_class(connection, source, name, raw, rule, seen, digits)
        if column is None and rule == "number":
            _refuse(connection, source, name, raw, seen, where)
        typed.append(column or TypedColumn(name, "text", "text", raw))
    return typed


def _present(raw: str, rule: TextRule) -> str:
    return f"nullif(trim({raw}), '')" if rule == "number" else f"nullif({raw}, '')"


def _class_of(cell: str, rule: TextRule) -> str:
    whole, number = (_DECLARED_WHOLE, _DECLARED) if rule == "number" else (_WHOLE, _NUMBER)
    numbers = (
        f"WHEN regexp_full_match({cell}, '{whole}') THEN {WHOLE} "
        f"WHEN regexp_full_match({cell}, '{number}') THEN {FRACTION} "
    )
    times = (
        f"WHEN NOT regexp_matches({cell}, '^{_DATE}') OR {cell} < '0001' "
        f"OR try_cast({cell}[:10] AS DATE) IS NULL THEN {OTHER} "
        f"WHEN length({cell}) = 10 THEN {DATE} "
        f"WHEN regexp_full_match({cell}[11:], '{_TIME}') THEN {READING} "
        f"WHEN regexp_full_match({cell}[11:], '{_TIME}{_ZONE}') "
        f"AND try_cast({cell} AS TIMESTAMPTZ) IS NOT NULL THEN {INSTANT} "
    )
    chosen = {"any": numbers + times, "no numbers": times, "number": numbers}[rule]
    return f"CASE WHEN {cell} IS NULL THEN 0 {chosen}ELSE {OTHER} END"


def _by_class(
    connection: DuckDBPyConnection, source: str, name: str, raw: str, rule: TextRule, seen: int, digits: int
) -> TypedColumn | None:
    """Return the typed column, or nothing where only text is true to every cell."""
    cell = _present(raw, rule)
    if seen == DATE:
        days = f"date_diff('day', DATE '1970-01-01', {cell}::DATE)"
        return TypedColumn(name, "date", "integer", days, unit="day")
    if seen == READING:
        return TypedColumn(name, "timestamp", "integer", f"epoch_us({cell}::TIMESTAMP)", unit="microsecond")
    if seen == INSTANT:
        instant = f"epoch_us({cell}::TIMESTAMPTZ)"
        return TypedColumn(name, "timestamp", "integer", instant, unit="microsecond", has_zone=True)
    if seen == WHOLE and digits <= 38:
        if digits <= 18:
            return TypedColumn(name, "number", "integer", f"{cell}::BIGINT")
        return TypedColumn(name, "number", "exact", f"{cell}::HUGEINT")
    if seen and not seen & ~(WHOLE | FRACTION):
        return _with_fractions(connection, source, name, cell)
    if not seen and rule == "number":
        return TypedColumn(name, "number", "integer", f"{cell}::BIGINT")
    return None


def _with_fractions(connection: DuckDBPyConnection, source: str, name: str, cell: str) -> TypedColumn | None:
    parts = f"(SELECT {cell} AS v, hartley_parts({cell}) AS p FROM {source} WHERE {cell} IS NOT NULL)"
    # Fifteen significant digits always survive the way through a float.
    is_exact_as_float, is_sane, whole, scale = one_row(
        connection,
        f"""
        SELECT bool_and(coalesce(
                   length(hartley_digits(p)) <= 15
                   AND length(hartley_digits(p)) + hartley_exponent(p) BETWEEN -290 AND 290
                   OR hartley_exact(p) = hartley_exact(hartley_parts(try_cast(v AS DOUBLE)::VARCHAR)),
                   false)),
               bool_and(hartley_exponent(p) IS NOT NULL),
               max(length(hartley_digits(p)) + hartley_exponent(p)),
               max(-hartley_exponent(p))
        FROM {parts}
        """,
    )
    if is_exact_as_float:
        return TypedColumn(name, "number", "float", f"{cell}::DOUBLE + 0.0")
    whole, scale = max(whole or 0, 0), max(scale or 0, 0)
    if is_sane and whole + scale <= 38:
        return TypedColumn(name, "number", "exact", f"{cell}::DECIMAL(38, {scale})")
    return None


def _refuse(
    connection: DuckDBPyConnection,
    source: str,
    name: str,
    raw: str,
    seen: int,
    where: Callable[[int], str],
) -> None:
    if not seen & OTHER:
        raise ColumnError(
            f"column {name!r} holds numbers of more than 38 digits; read it as text ({option('text')})"
        )
    cell = _present(raw, "number")
    found = one_row(
        connection,
        f"SELECT min(r) FROM (SELECT row_number() OVER () AS r, * FROM {source}) "
        f"WHERE {_class_of(cell, 'number')} = {OTHER}",
    )
    raise ColumnError(f"column {name!r} is to be a number, but {where(found[0])} holds something else")
