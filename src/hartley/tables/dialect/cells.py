"""Cells as other programs write them: decimal commas, and words for a missing cell.

A word for a missing cell makes every cell that is exactly that word missing. With a decimal comma, a column
is one of numbers where every cell is a number with a comma (``-3``, ``1,10``, ``1e5``): its commas become
points, in what is measured and in what is released. Every other column stays as it is, and points make no
number in it: ``1.234`` may be a thousand. A column that the user declares a number has commas for certain,
and a point in it is an error; one that is declared text is left alone.
"""

# ruff: noqa: S608 (every name in a query is ours, and every literal is escaped)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hartley.tables.engine import literal, one_row
from hartley.tables.read_options import ReadOptions
from hartley.tables.text_types import TextRule

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COMMA_NUMBER = r"-?(0|[1-9][0-9]*)(,[0-9]+)?([eE][+-]?[0-9]+)?"


def translated_cells(
    connection: DuckDBPyConnection, source: str, names: Sequence[str], options: ReadOptions
) -> list[tuple[str, TextRule]]:
    """Return for each column ``c0, c1, ...`` of a source its cell as SQL, and the rule that types it."""
    cells = [_present(f"c{place}", options.missing_words) for place in range(len(names))]
    if options.decimal == ".":
        return [(cell, "any") for cell in cells]
    asked = ", ".join(
        f"coalesce(bool_and({cell} = '' OR regexp_full_match({cell}, '{COMMA_NUMBER}')), true)"
        for cell in cells
    )
    are_numbers = one_row(connection, f"SELECT {asked} FROM {source}")
    return [
        _with_points(cell, name, options, is_number)
        for cell, name, is_number in zip(cells, names, are_numbers, strict=True)
    ]


def _present(cell: str, words: Sequence[str]) -> str:
    if not words:
        return cell
    return f"CASE WHEN {cell} IN ({', '.join(map(literal, words))}) THEN NULL ELSE {cell} END"


def _with_points(cell: str, name: str, options: ReadOptions, is_number: bool) -> tuple[str, TextRule]:
    if name in options.text:
        return cell, "any"
    if name in options.number:
        return f"replace(replace({cell}, '.', '?'), ',', '.')", "any"
    return (f"replace({cell}, ',', '.')", "any") if is_number else (cell, "no numbers")
