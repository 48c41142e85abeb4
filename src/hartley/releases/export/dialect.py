"""The words of SQL: how each database quotes a name, writes a value, and refuses a row.

DuckDB, PostgreSQL and SQLite are written here. For the others the words of DuckDB are written and sqlglot
translates them; what it has no word for stands as a function of ours and is replaced by theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hartley.errors import OptionError, PolicyError
from hartley.releases.cell_text import Kind
from hartley.releases.policy import Text
from hartley.tables.sources.source import required

NATIVE = ("duckdb", "postgres", "sqlite")
"""Dialects that are written here."""
TRANSLATED = {
    "snowflake": "snowflake",
    "bigquery": "bigquery",
    "databricks": "databricks",
    "sqlserver": "tsql",
    "trino": "trino",
    "mysql": "mysql",
}
"""Dialects that sqlglot writes, and its names for them."""
DIALECTS = (*NATIVE, *TRANSLATED)
_OTHER_NAMES = {"postgresql": "postgres", "tsql": "sqlserver", "mssql": "sqlserver"}
REFUSAL = "hartley: a public value that the policy has never seen"
_DOUBLE_DIGITS = 15
_SHORT = 18


def dialect_named(name: str) -> str:
    """Return a dialect by the name that was given; an unknown one is refused with the list."""
    found = _OTHER_NAMES.get(name.lower(), name.lower())
    if found not in DIALECTS:
        raise OptionError.unknown("dialect", name, DIALECTS)
    return found


@dataclass(frozen=True)
class Words:
    """The words of one of the dialects that are written here; ``translated`` ones start as DuckDB's."""

    dialect: str

    @property
    def is_translated(self) -> bool:
        """Whether sqlglot has the last word."""
        return self.dialect in TRANSLATED

    def name(self, name: str) -> str:
        """Return a quoted name."""
        return '"' + name.replace('"', '""') + '"'

    def text(self, text: str) -> str:
        """Return a literal of text."""
        if "\x00" not in text:
            return "'" + text.replace("'", "''") + "'"
        if self.dialect == "postgres":
            raise PolicyError("a label holds the character NUL, which no text of PostgreSQL can hold")
        joint = " || char(0) || " if self.dialect == "sqlite" else " || chr(0) || "
        return "(" + joint.join("'" + part.replace("'", "''") + "'" for part in text.split("\x00")) + ")"

    def literal(self, text: Text, kind: Kind) -> str:
        """Return a cell as a literal of its kind."""
        if text is None:
            return "NULL"
        if kind == "number":
            return number_literal(text)
        if kind == "boolean":
            return str(int(text == "true")) if self.dialect == "sqlite" else text.upper()
        if kind == "text" or self.dialect == "sqlite":
            return self.text(text)
        if kind == "date":
            return f"DATE '{text}'"
        return f"TIMESTAMPTZ '{text}'" if is_instant(text) else f"TIMESTAMP '{text}'"

    def type_for(self, texts: Sequence[Text], kind: Kind) -> str:
        """Return the type of a column that holds these cells as they are."""
        words = _TYPES.get(self.dialect, _TYPES["duckdb"])
        if kind == "number":
            return number_type([text for text in texts if text is not None], words)
        if kind == "timestamp" and any(text is not None and is_instant(text) for text in texts):
            return words["instant"]
        return words[kind]

    def cell(self, cell: str, kind: Kind | None) -> str:
        """Return a cell as it is read: text compares by code point from here on."""
        if kind != "text":
            return cell
        if self.dialect == "postgres":
            return f'CAST({cell} AS TEXT) COLLATE "C"'
        return f"{cell} COLLATE BINARY" if self.dialect == "sqlite" else f"CAST({cell} AS VARCHAR)"

    def compared(self, cell: str, kind: Kind) -> str:
        """Return a cell, of a row or of a codebook, as it is compared."""
        return f"HARTLEY_TEXT({cell})" if kind == "text" and self.is_translated else cell

    def key(self, text: str, kind: Kind) -> str:
        """Return a value as cells are compared with it."""
        return self.compared(self.literal(text, kind), kind)

    def is_missing(self, cell: str, kind: Kind | None) -> str:
        """Return the condition that a cell is missing; NaN is."""
        absent = f"{cell} IS NULL"
        if kind != "number" or self.dialect == "sqlite":
            return absent
        if self.is_translated:
            return f"({absent} OR HARTLEY_NAN({cell}))"
        if self.dialect == "postgres":
            return f"({absent} OR CAST({cell} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION))"
        # No comparison: the statistics of Parquet files leave NaN out, so DuckDB concludes that no cell is.
        return f"({absent} OR typeof({cell}) IN ('DOUBLE', 'FLOAT') AND isnan(TRY_CAST({cell} AS DOUBLE)))"

    def begins(self, cell: str, start: str) -> str:
        """Return the condition that a text begins with another."""
        beginning = self.compared(f"SUBSTR({cell}, 1, {len(start)})", "text")
        return f"{beginning} = {self.key(start, 'text')}"

    def refusal(self, cell: str, type_: str) -> str:
        """Return an expression that fails when a row reaches it, and not before."""
        if self.is_translated:
            return f"CAST(HARTLEY_REFUSE({cell}) AS {type_})"
        if self.dialect == "duckdb":
            return f"error('{REFUSAL}')"
        if self.dialect == "sqlite":
            return f"json_extract('{{}}', '{REFUSAL}' || COALESCE(substr({cell}, 1, 0), ''))"
        said = f"'{REFUSAL}' || COALESCE(LEFT(CAST({cell} AS TEXT), 0), '')"
        return f"CAST(CAST({said} AS INTEGER) AS TEXT)" if type_ == "TEXT" else f"CAST({said} AS {type_})"

    def distance(self, one: str, other: str, kind: Kind) -> str:
        """Return how far a cell lies above another, as a float: in units, days, or seconds."""
        double = {"postgres": "DOUBLE PRECISION", "sqlite": "REAL"}.get(self.dialect, "DOUBLE")
        if kind == "number":
            return f"CAST({one} - {other} AS {double})"
        if kind == "date":
            days = {
                "duckdb": f"date_diff('day', {other}, {one})",
                "postgres": f"({one} - {other})",
                "sqlite": f"(julianday({one}) - julianday({other}))",
            }[self.dialect]
            return f"CAST({days} AS {double})"
        return {
            "duckdb": f"CAST(epoch_us({one}) - epoch_us({other}) AS DOUBLE) / 1000000",
            "postgres": f"CAST(EXTRACT(EPOCH FROM ({one} - {other})) AS DOUBLE PRECISION)",
            "sqlite": f"(julianday({one}) - julianday({other})) * 86400.0",
        }[self.dialect]

    def greatest(self, parts: Sequence[str]) -> str:
        """Return the greatest of some numbers."""
        if len(parts) == 1:
            return parts[0]
        return f"{'MAX' if self.dialect == 'sqlite' else 'GREATEST'}({', '.join(parts)})"


_TYPES = {
    "duckdb": {
        "text": "VARCHAR",
        "boolean": "BOOLEAN",
        "date": "DATE",
        "timestamp": "TIMESTAMP",
        "instant": "TIMESTAMPTZ",
        "whole": "BIGINT",
        "double": "DOUBLE",
        "decimal": "DECIMAL",
    },
    "postgres": {
        "text": "TEXT",
        "boolean": "BOOLEAN",
        "date": "DATE",
        "timestamp": "TIMESTAMP",
        "instant": "TIMESTAMPTZ",
        "whole": "BIGINT",
        "double": "DOUBLE PRECISION",
        "decimal": "NUMERIC",
    },
    "sqlite": {
        "text": "TEXT",
        "boolean": "INTEGER",
        "date": "TEXT",
        "timestamp": "TEXT",
        "instant": "TEXT",
        "whole": "INTEGER",
        "double": "REAL",
        "decimal": "NUMERIC",
    },
}


def is_instant(text: str) -> bool:
    """Tell whether the text of a timestamp has an offset."""
    return text.endswith("+00:00")


def number_literal(text: str) -> str:
    """Return a number as a literal that no database rounds on the way.

    >>> number_literal("0.25"), number_literal("0.30000000000000004")
    ('0.25', '0.30000000000000004e0')
    """
    if "." not in text or "e" in text.lower():
        return text
    digits = len(text.replace("-", "").replace(".", "").lstrip("0"))
    return f"{text}e0" if digits > _DOUBLE_DIGITS and _is_double(text) else text


def number_type(texts: Sequence[str], words: dict[str, str]) -> str:
    """Return the narrowest type that holds every number as it is."""
    if all(map(_is_short, texts)):
        return words["whole"]
    numbers = [Decimal(text) for text in set(texts)]
    if all(number == number.to_integral_value() for number in numbers):
        if all(abs(number) < 2**63 for number in numbers):
            return words["whole"]
        if all(abs(number) < Decimal(10) ** 38 for number in numbers):
            return f"{words['decimal']}(38, 0)"
    if all(map(_is_double, texts)):
        return words["double"]
    decimals = max(-int(number.normalize().as_tuple().exponent) for number in numbers)
    return f"{words['decimal']}(38, {decimals})"


def _is_short(text: str) -> bool:
    """Tell whether a number is whole and of so few digits that every database has room for it."""
    return len(text) <= _SHORT and (text.isdecimal() or (text[0] == "-" and text[1:].isdecimal()))


def _is_double(text: str) -> bool:
    return Decimal(repr(float(text))) == Decimal(text)


_PLAIN = frozenset("'\\\n\r\t\b\f\v\x00{}")
_AS_TEXT = {
    "snowflake": "COLLATE(CAST({0} AS VARCHAR), 'utf8')",
    "bigquery": "COLLATE(CAST({0} AS STRING), '')",
    "databricks": "CAST({0} AS STRING) COLLATE UTF8_BINARY",
    "tsql": "CAST(CAST({0} AS NVARCHAR(MAX)) AS VARBINARY(MAX))",
    "trino": "CAST({0} AS VARCHAR)",
    "mysql": "CAST({0} AS BINARY)",
}
"""How text is compared by code point: case, accents and spaces at the end differ."""
_IS_NAN = {
    "snowflake": "CAST({0} AS DOUBLE) = CAST('NaN' AS DOUBLE)",
    "bigquery": "IS_NAN(CAST({0} AS FLOAT64))",
    "databricks": "ISNAN(CAST({0} AS DOUBLE))",
    "tsql": "1 = 0",
    "trino": "IS_NAN(CAST({0} AS DOUBLE))",
    "mysql": "FALSE",
}
"""What NaN is; SQL Server and MySQL have none."""
_REFUSE = {
    "snowflake": "CAST('" + REFUSAL + "' || LEFT(COALESCE(CAST({0} AS VARCHAR), ''), 0) AS INT)",
    "bigquery": "ERROR('" + REFUSAL + "')",
    "databricks": "RAISE_ERROR('" + REFUSAL + "')",
    "tsql": "CAST('" + REFUSAL + "' + LEFT(COALESCE(CAST({0} AS VARCHAR(1)), ''), 0) AS INT)",
    "trino": "FAIL('" + REFUSAL + "')",
    "mysql": "JSON_EXTRACT('{{}}', CONCAT('" + REFUSAL + "', LEFT(COALESCE({0}, ''), 0)))",
}
"""What fails when a row reaches it, and not before."""


def translate(query: str, dialect: str) -> str:
    """Return a query of ours in another dialect."""
    sqlglot = required("sqlglot", f"SQL for {dialect}", "export")
    name = TRANSLATED[dialect]
    tree = sqlglot.parse_one(query, dialect="duckdb").transform(_replacement(sqlglot, name))
    if name == "tsql":
        tree = tree.transform(_national(sqlglot))
    text: str = tree.sql(dialect=name, pretty=True)
    return text


def _replacement(sqlglot: Any, name: str) -> Callable[[Any], Any]:
    words = {"HARTLEY_TEXT": _AS_TEXT, "HARTLEY_NAN": _IS_NAN, "HARTLEY_REFUSE": _REFUSE}

    def replaced(node: Any) -> Any:
        if not isinstance(node, sqlglot.exp.Anonymous) or node.name.upper() not in words:
            return node
        (given,) = node.expressions
        if isinstance(given, sqlglot.exp.Literal) and name not in ("tsql", "mysql"):
            return given
        cell = given.transform(replaced).sql(dialect=name)
        return sqlglot.parse_one(words[node.name.upper()][name].format(cell), dialect=name)

    return replaced


def _national(sqlglot: Any) -> Callable[[Any], Any]:
    """Compare as bytes of UTF-16 where SQL Server compares text, and keep every character of a label."""
    exp = sqlglot.exp

    def replaced(node: Any) -> Any:
        if isinstance(node, exp.Literal) and node.is_string and not isinstance(node.parent, exp.National):
            return exp.National(this=node.this)
        if isinstance(node, exp.DataType) and node.this in exp.DataType.TEXT_TYPES - {exp.DataType.Type.NAME}:
            return exp.DataType.build("NVARCHAR(MAX)", dialect="tsql")
        return node

    return replaced


def text_literal(dialect: str) -> Callable[[str], str]:
    """Return what writes a literal of text in a dialect."""
    sqlglot = required("sqlglot", f"SQL for {dialect}", "export")
    name = TRANSLATED[dialect]
    mark = "N" if name == "tsql" else ""

    def literal(text: str) -> str:
        if _PLAIN.isdisjoint(text):
            return f"{mark}'{text}'"
        if "\x00" in text:
            raise OptionError(f"a value holds the character NUL; it cannot be written for {dialect}")
        return mark + str(sqlglot.exp.Literal.string(text).sql(dialect=name))

    return literal


def type_name(type_: str, dialect: str) -> str:
    """Return a type of DuckDB as another dialect has it."""
    sqlglot = required("sqlglot", f"SQL for {dialect}", "export")
    name = TRANSLATED[dialect]
    if name == "tsql" and type_ == "VARCHAR":
        return "NVARCHAR(4000)"
    if name == "mysql" and type_ == "VARCHAR":
        return "VARCHAR(700) CHARACTER SET utf8mb4"
    if name == "mysql" and type_ == "TIMESTAMP":
        return "DATETIME(6)"
    return str(sqlglot.exp.DataType.build(type_, dialect="duckdb").sql(dialect=name))
