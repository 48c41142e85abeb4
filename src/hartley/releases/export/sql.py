"""The text of an exported statement: its codebook tables, and the query."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hartley.errors import OptionError, option
from hartley.releases.cell_text import Kind
from hartley.releases.export.dialect import Words, number_literal, text_literal, translate, type_name
from hartley.releases.export.recoding import JointRule, TableRecoding
from hartley.releases.export.statement import BookTable, Statement, statement_of
from hartley.releases.policy import Text

AT_ONCE = 1000
"""Rows of one INSERT; SQL Server takes no more."""


def sql_of(recoding: TableRecoding, dialect: str, table: str) -> tuple[str, Statement]:
    """Return the statement as text, and what it is made of."""
    words = Words(dialect)
    if words.is_translated and recoding.unseen == "nearest" and isinstance(recoding.rules[0], JointRule):
        raise OptionError(
            f"the nearest value of several columns cannot be found by one statement of {dialect}; "
            f"use {option('unseen', 'suppress')} or {option('unseen', 'error')}"
        )
    statement = statement_of(recoding, words, table)
    query = translate(statement.query, dialect) if words.is_translated else statement.query
    return "".join(_parts(statement, words, query)), statement


def _parts(statement: Statement, words: Words, query: str) -> Iterator[str]:
    yield "-- The recoding of a hartley policy. It holds the codebook: keep it as secret as the policy.\n"
    if statement.tables:
        yield "-- The codebook is a table, made once; the query at the end joins rows to it.\n"
    for table in statement.tables:
        yield "\n"
        yield from table_sql(table, words)
    yield f"\n{query}\n;\n"


def table_sql(table: BookTable, words: Words) -> Iterator[str]:
    """Return what makes a codebook table, piece by piece."""
    write_text = text_literal(words.dialect) if words.is_translated else words.text
    collation = {"postgres": ' COLLATE "C"'}.get(words.dialect, "")
    name = words.name(table.name)
    if words.is_translated:
        name = translate(f"SELECT 1 AS {name}", words.dialect).split(" AS ", 1)[1].strip()
    columns = ", ".join(
        f"{column.name} {_type(column.type, words)}{collation if column.kind == 'text' else ''}"
        for column in table.columns
    )
    yield f"CREATE TABLE {name} ({columns});\n"
    writers = [_cell_writer(column.kind, words, write_text) for column in table.columns]
    for start in range(0, len(table.rows), AT_ONCE):
        rows = table.rows[start : start + AT_ONCE]
        written = [
            ["NULL" if cell is None else write(cell) for cell in cells]
            for write, cells in zip(writers, zip(*rows, strict=True), strict=True)
        ]
        lines = [f"({', '.join(cells)})" for cells in zip(*written, strict=True)]
        yield f"INSERT INTO {name} VALUES\n" + ",\n".join(lines) + ";\n"


def _type(type_: str, words: Words) -> str:
    return type_name(type_, words.dialect) if words.is_translated else type_


def _cell_writer(kind: Kind, words: Words, write_text: Callable[[str], str]) -> Callable[[str], str]:
    if kind == "number":
        return number_literal
    if kind == "text":
        return write_text
    if words.is_translated and kind in ("date", "timestamp"):
        return lambda text: f"'{text}'"

    def write(text: Text) -> str:
        return words.literal(text, kind)

    return write
