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
the empty text, which is a value. Words such as ``NA`` are text, unless the user says that they
mean a missing cell.

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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hartley.errors import ColumnError, option
from hartley.tables.column_types import TypedColumn
from hartley.tables.engine import one_row, with_statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from duckdb import DuckDBPyConnection

TextRule = Literal["any", "no numbers", "number"]
"""``any``: the rule above; ``no numbers``: the source can tell numbers from text; ``number``: declared."""

NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
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


DIGITS_OF_A_FLOAT = 15
"""So many significant digits always survive the way through a float."""
SAMPLED = 20_000
"""Rows from the start that tell whether the cells of a column repeat."""
FEW_COLUMNS = 16
"""Up to so many columns, an expression for each costs less than turning the rows."""
COLUMNS_BELOW = 500
"""So many columns are looked at below one another at most: planning grows with their square."""


@dataclass(frozen=True)
class _Fractions:
    """What the numbers of a column need."""

    are_exact_as_floats: bool
    are_sane: bool
    whole: int | None
    """Digits before the point of the longest number."""
    scale: int | None
    """Digits after it."""


_FLOATS = _Fractions(are_exact_as_floats=True, are_sane=True, whole=None, scale=None)
"""What short numbers need, and those that are written as floats are."""


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
    cells = [_present(raw, rule) for _, raw, rule in columns]
    looks = _looks(connection, source, cells, [rule for _, _, rule in columns])
    wanting = [place for place, look in enumerate(looks) if _needs_a_closer_look(*look)]
    numbers = dict(zip(wanting, _fractions(connection, source, [cells[k] for k in wanting]), strict=True))
    typed = []
    for place, (name, raw, rule) in enumerate(columns):
        seen, digits = looks[place]
        if place in numbers:
            column = _with_fractions(name, cells[place], numbers[place])
        else:
            column = _by_class(name, cells[place], rule, seen, digits)
        if column is None and rule == "number":
            _refuse(connection, source, name, raw, seen, where)
        typed.append(column or TypedColumn(name, "text", "text", raw))
    return typed


def _looks(
    connection: DuckDBPyConnection, source: str, cells: Sequence[str], rules: Sequence[TextRule]
) -> list[tuple[int, int]]:
    """Return the classes of cells that each column holds, and the digits of its longest number."""
    if len(cells) <= FEW_COLUMNS:
        repeat = _repeating(connection, source, cells)
        # Of a column whose cells repeat, each different cell is looked at once.
        inner = ", ".join(
            f"list(DISTINCT {cell}) AS l{k}" if repeat[k] else f"row({_look(cell, rules[k])}) AS l{k}"
            for k, cell in enumerate(cells)
        )
        outer = ", ".join(
            f"(SELECT row({_look('v', rules[k])}) FROM (SELECT unnest(l{k}) AS v))" if repeat[k] else f"l{k}"
            for k in range(len(cells))
        )
        with with_statistics(connection):
            return list(one_row(connection, f"SELECT {outer} FROM (SELECT {inner} FROM {source})"))
    looks: dict[int, tuple[int, int]] = {}
    for rule in dict.fromkeys(rules):
        every = [place for place, own in enumerate(rules) if own == rule]
        for start in range(0, len(every), COLUMNS_BELOW):
            below = _below_one_another(source, cells, every[start : start + COLUMNS_BELOW])
            query = f"SELECT k, {_look('v', rule)} FROM {below} GROUP BY k"
            looks |= {place: (seen, digits) for place, seen, digits in connection.execute(query).fetchall()}
    return [looks.get(place, (0, 0)) for place in range(len(cells))]


def _repeating(connection: DuckDBPyConnection, source: str, cells: Sequence[str]) -> list[bool]:
    """Tell of each column whether its first cells repeat, so that the different ones are likely few."""
    asked = ", ".join(f"count(DISTINCT v{k}) < {SAMPLED // 2}" for k in range(len(cells)))
    first = ", ".join(f"{cell} AS v{k}" for k, cell in enumerate(cells))
    return list(one_row(connection, f"SELECT {asked} FROM (SELECT {first} FROM {source} LIMIT {SAMPLED})"))


def _look(cell: str, rule: TextRule) -> str:
    """Write what classes of cells there are, and the most digits of one; up to 18, at most so many."""
    digits = f"CASE WHEN length({cell}) <= 18 THEN length({cell}) ELSE length(ltrim({cell}, '+-0')) END"
    return f"coalesce(bit_or({_class_of(cell, rule)}), 0), max({digits})"


def _below_one_another(source: str, cells: Sequence[str], places: Sequence[int]) -> str:
    """Select the cells ``v`` of many columns as one, with the place ``k`` of each.

    An expression for each of a thousand columns takes DuckDB a minute to plan; one for all takes none.
    """
    listed = ", ".join(cells[place] for place in places)
    numbers = ", ".join(map(str, places))
    return f"(SELECT unnest([{listed}]) AS v, unnest([{numbers}]) AS k FROM {source})"


def _present(raw: str, rule: TextRule) -> str:
    return f"nullif(trim({raw}), '')" if rule == "number" else f"nullif({raw}, '')"


def _class_of(cell: str, rule: TextRule) -> str:
    whole, number = (_DECLARED_WHOLE, _DECLARED) if rule == "number" else (_WHOLE, NUMBER)
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
        f"AND try_cast({_with_seconds(cell)} AS TIMESTAMPTZ) IS NOT NULL THEN {INSTANT} "
    )
    chosen = {"any": numbers + times, "no numbers": times, "number": numbers}[rule]
    return f"CASE WHEN {cell} IS NULL THEN 0 {chosen}ELSE {OTHER} END"


def _with_seconds(cell: str) -> str:
    """Return an instant with its seconds: before DuckDB 2, one that ends with minutes was none."""
    return f"(CASE WHEN {cell}[17] = ':' THEN {cell} ELSE {cell}[:16] || ':00' || {cell}[17:] END)"


def _by_class(name: str, cell: str, rule: TextRule, seen: int, digits: int) -> TypedColumn | None:
    """Return the typed column, or nothing where only text is true to every cell."""
    if seen == DATE:
        days = f"date_diff('day', DATE '1970-01-01', {cell}::DATE)"
        return TypedColumn(name, "date", "integer", days, unit="day")
    if seen == READING:
        return TypedColumn(name, "timestamp", "integer", f"epoch_us({cell}::TIMESTAMP)", unit="microsecond")
    if seen == INSTANT:
        instant = f"epoch_us({_with_seconds(cell)}::TIMESTAMPTZ)"
        return TypedColumn(name, "timestamp", "integer", instant, unit="microsecond", has_zone=True)
    if seen == WHOLE and digits <= 38:
        if digits <= 18:
            return TypedColumn(name, "number", "integer", f"{cell}::BIGINT")
        return TypedColumn(name, "number", "exact", f"{cell}::HUGEINT")
    if not seen and rule == "number":
        return TypedColumn(name, "number", "integer", f"{cell}::BIGINT")
    return None


def _needs_a_closer_look(seen: int, digits: int) -> bool:
    """Tell whether a column holds numbers that are not all whole and short."""
    return seen != 0 and not seen & ~(WHOLE | FRACTION) and (seen != WHOLE or digits > 38)


def _fractions(connection: DuckDBPyConnection, source: str, cells: Sequence[str]) -> list[_Fractions]:
    """Say of columns of numbers what they need: of floats at a glance, of the others in one reading."""
    if not cells:
        return []
    are_floats = _are_floats(connection, source, cells)
    others = [cell for cell, is_float in zip(cells, are_floats, strict=True) if not is_float]
    looked_at = iter(_looked_at_closely(connection, source, others) if others else ())
    return [_FLOATS if is_float else next(looked_at) for is_float in are_floats]


def _are_floats(connection: DuckDBPyConnection, source: str, cells: Sequence[str]) -> list[bool]:
    """Tell of columns of numbers whether all are short and without an exponent, or written as floats are."""
    below = _below_one_another(source, cells, range(len(cells)))
    is_short = f"length(v) <= {DIGITS_OF_A_FLOAT} AND NOT contains(v, 'e') AND NOT contains(v, 'E')"
    is_float = "coalesce(try_cast(v AS DOUBLE)::VARCHAR = v, false)"
    found = connection.execute(
        f"SELECT bool_and(CASE WHEN {is_short} THEN true ELSE {is_float} END) "
        f"FROM {below} WHERE v IS NOT NULL GROUP BY k ORDER BY k"
    ).fetchall()
    return [bool(one[0]) for one in found]


def _looked_at_closely(connection: DuckDBPyConnection, source: str, cells: Sequence[str]) -> list[_Fractions]:
    """Return what the fractions of columns of numbers have in common, read digit by digit."""
    below = _below_one_another(source, cells, range(len(cells)))
    found = connection.execute(
        f"""
        SELECT bool_and(coalesce(
                   length(hartley_digits(p)) <= {DIGITS_OF_A_FLOAT}
                   AND length(hartley_digits(p)) + hartley_exponent(p) BETWEEN -290 AND 290
                   OR hartley_exact(p) = hartley_exact(hartley_parts(try_cast(v AS DOUBLE)::VARCHAR)),
                   false)),
               bool_and(hartley_exponent(p) IS NOT NULL),
               max(length(hartley_digits(p)) + hartley_exponent(p)),
               max(-hartley_exponent(p))
        FROM (SELECT k, v, hartley_parts(v) AS p FROM {below} WHERE v IS NOT NULL) GROUP BY k ORDER BY k
        """
    ).fetchall()
    return [_Fractions(*one) for one in found]


def _with_fractions(name: str, cell: str, found: _Fractions) -> TypedColumn | None:
    if found.are_exact_as_floats:
        return TypedColumn(name, "number", "float", f"{cell}::DOUBLE + 0.0")
    whole, scale = max(found.whole or 0, 0), max(found.scale or 0, 0)
    if found.are_sane and whole + scale <= 38:
        return TypedColumn(name, "number", "exact", f"{cell}::DECIMAL(38, {scale})")
    return None


def _refuse(
    connection: DuckDBPyConnection, source: str, name: str, raw: str, seen: int, where: Callable[[int], str]
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
