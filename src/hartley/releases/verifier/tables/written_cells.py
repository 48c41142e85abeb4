"""Decimal commas and words for a missing cell, for the verifier: by its own reading of the rule.

A cell that is one of the words is missing. With a decimal comma, a column where every cell is a number with a
comma at most has points instead; so has one that was declared a number, in which a point is no part of a
number; one that was declared text is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hartley.releases.policy import Reading

COMMA_NUMBER = r"^-?(0|[1-9][0-9]*)(,[0-9]+)?([eE][+-]?[0-9]+)?$"


def is_plain(reading: Reading) -> bool:
    """Tell whether cells mean what they say."""
    return reading.decimal == "." and not reading.missing_words


def translated(batches: Iterable[list[Any]], names: list[str], reading: Reading) -> Iterator[list[Any]]:
    """Return Arrow columns with points for commas, and missing cells for the words that mean them."""
    if reading.decimal == ".":
        for columns in batches:
            yield [_without_words(column, reading) for column in columns]
        return
    # What a column is, its last cell may decide.
    held = [[_without_words(column, reading) for column in columns] for columns in batches]
    ways = [_way(name, [columns[place] for columns in held], reading) for place, name in enumerate(names)]
    for columns in held:
        yield [_with_points(column, way) for column, way in zip(columns, ways, strict=True)]


def _without_words(column: Any, reading: Reading) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not reading.missing_words:
        return column
    is_missing = pc.is_in(column, value_set=pa.array(reading.missing_words, pa.string()))
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), column)


def _way(name: str, columns: list[Any], reading: Reading) -> str:
    if name in reading.text:
        return "as it is"
    if name in reading.number:
        return "declared"
    return "number" if all(map(_are_numbers, columns)) else "as it is"


def _are_numbers(column: Any) -> bool:
    import pyarrow.compute as pc

    fits = pc.or_(pc.equal(column, ""), pc.match_substring_regex(column, COMMA_NUMBER))
    # A line break at the end of a cell is no part of a number, but the pattern would let it be.
    fits = pc.and_(fits, pc.invert(pc.match_substring(column, "\n")))
    return bool(pc.all(pc.fill_null(fits, True)).as_py())


def _with_points(column: Any, way: str) -> Any:
    import pyarrow.compute as pc

    if way == "as it is":
        return column
    if way == "declared":
        column = pc.replace_substring(column, ".", "?")
    return pc.replace_substring(column, ",", ".")
