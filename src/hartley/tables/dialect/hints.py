"""Columns of text that would be numbers if the file were read another way: said, never done unasked."""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hartley.errors import option, quoted
from hartley.notes import is_heard, note
from hartley.tables.dialect.cells import COMMA_NUMBER
from hartley.tables.engine import literal, one_row
from hartley.tables.text_types import NUMBER

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MISSING_WORDS = (
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "none",
    "missing",
    ".",
    "-",
    "?",
)
MOST_NAMED = 4
LOOKED_AT = 100_000
"""Rows from the start that are looked at: a hint is no more than that."""


def note_other_reading(
    connection: DuckDBPyConnection, source: str, columns: Sequence[tuple[str, str]]
) -> None:
    """Note how columns of text, given as (name, SQL of the cell), would be read as numbers."""
    if not is_heard() or not columns:
        return
    listed = ", ".join(map(literal, MISSING_WORDS))
    hints: dict[str, list[str]] = {}
    for name, cell in columns:
        found = one_row(
            connection,
            f"""
            SELECT count(v), count(*) FILTER (v IN ({listed})),
                   count(*) FILTER (regexp_full_match(v, '{NUMBER}')),
                   count(*) FILTER (regexp_full_match(v, '{COMMA_NUMBER}')),
                   list_sort(list(DISTINCT v) FILTER (v IN ({listed})))
            FROM (SELECT nullif({cell}, '') AS v FROM {source} LIMIT {LOOKED_AT})
            """,
        )
        said = _hint(*found)
        if said:
            hints.setdefault(said, []).append(name)
    for said, alike in hints.items():
        more = len(alike) - MOST_NAMED
        some = f"{quoted(alike[:MOST_NAMED])} and {more} more" if more > 0 else quoted(alike, last=" and ")
        note(
            f"column {some} is read as text; it looks like numbers {said}"
            if len(alike) == 1
            else f"columns {some} are read as text; they look like numbers {said}"
        )


def _hint(cells: int, missing: int, numbers: int, commas: int, words: Sequence[str] | None) -> str:
    """Say how a column would be one of numbers; nothing where it would not.

    >>> _hint(10, 0, 4, 10, None).replace(chr(30), "").replace(chr(31), "")
    'with a decimal comma: decimal=,'
    """
    options = [option("missing_words", word) for word in words or ()]
    if missing and numbers and missing + numbers == cells:
        return f"with words for empty cells: {', '.join(options)}"
    if commas > numbers and missing + commas == cells:
        also = f", and words for empty cells: {', '.join(options)}" if missing else ""
        return f"with a decimal comma: {option('decimal', ',')}{also}"
    return ""
