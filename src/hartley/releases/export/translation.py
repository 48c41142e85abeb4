"""Statements in the dialects that sqlglot writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hartley.errors import OptionError
from hartley.releases.export.dialect import REFUSAL, TRANSLATED
from hartley.tables.sources.source import required

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
