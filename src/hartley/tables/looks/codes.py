"""Whole numbers that measure nothing: codes such as race 1 to 9, postcodes, and numbers for "missing"."""

from __future__ import annotations

import re

from hartley.model import Alphabet
from hartley.model.arrays import different
from hartley.tables.looks.identifier_names import words_of
from hartley.tables.looks.identifiers import ColumnLook, is_whole_number, whole_numbers
from hartley.tables.looks.words import word_list

CODED = frozenset(word_list("coded"))
"""Words in names of columns whose numbers stand for something else."""
COUNTED = frozenset(word_list("counted"))
MOST_CODES = 12
FEWEST_ROWS_EACH = 5
_NUMBER = re.compile(r"[+-]?\d{1,15}([.,]\d{1,15})?")
MISSING_CODES = (-9, -99, -999, -9999, -8, -7, 99, 999, 9999, 99999)


def are_codes(column: ColumnLook) -> bool:
    """Tell whether whole numbers look like codes: two of them, by the name, or few from 1 that repeat often.

    >>> are_codes(ColumnLook("race", False, True, 900, 9, ["1", "2", "9"]))
    True
    >>> are_codes(ColumnLook("children", False, True, 900, 7, ["0", "1", "6"]))
    False
    """
    if not column.is_whole or column.values < 2:
        return False
    if column.values == 2:
        return True
    words = set(words_of(column.name))
    if CODED & words:
        return True
    if COUNTED & words or column.values > MOST_CODES:
        return False
    numbers = whole_numbers(column)
    return (
        bool(numbers)
        and min(numbers) == 1
        and max(numbers) < 2 * MOST_CODES
        and column.repeats >= FEWEST_ROWS_EACH
    )


def missing_code(column: ColumnLook) -> str | None:
    """Return the cell at the edge of a column of numbers that may mean "missing"; nothing where none does.

    >>> missing_code(ColumnLook("age", False, True, 200, 4, ["34", "51", "999", "18"]))
    '999'
    >>> missing_code(ColumnLook("age", False, True, 200, 4, ["34", "51", "88", "99"])) is None
    True
    >>> missing_code(ColumnLook("age", False, True, 200, 4, ["34", "51", "-8", "-9"]))
    '-9'
    """
    cells = {float(cell.replace(",", ".")): cell for cell in column.cells if _NUMBER.fullmatch(cell)}
    numbers = sorted(cells)
    if len(numbers) < 3:
        return None
    low, high = numbers[0], numbers[-1]
    if low < 0 and all(number in MISSING_CODES for number in numbers if number < 0):
        return cells[low]
    if high in MISSING_CODES and high - numbers[-2] > max(numbers[-2] - low, 1):
        return cells[high]
    return None


def missing_codes(public: Alphabet) -> dict[str, str]:
    """Return the numbers among public values that may mean "missing", by column.

    >>> missing_codes(Alphabet.of_values([34, 51, 999, 18], ["age"]))
    {'age': '999'}
    """
    found = {}
    for one in public.coordinates:
        if one.kind == "number":
            values = different(one.values[~one.missing])  # from the least; only ends tell
            cells = [f"{value:.15g}" for value in {*values[:10].tolist(), *values[-2:].tolist()}]
            code = missing_code(ColumnLook(one.name, False, False, len(one.values), len(cells), cells))
            if code is not None:
                found[one.name] = code
    return found


def coded_columns(public: Alphabet, rows: int) -> tuple[str, ...]:
    """Name the columns of numbers among public values that look like codes: they do not move.

    >>> coded_columns(Alphabet.of_values([1, 2, 3, 9], ["race"]), rows=900)
    ('race',)
    """
    found = []
    for one in public.coordinates:
        if one.kind != "number":
            continue
        values = different(one.values[~one.missing]).tolist()
        if len(values) > MOST_CODES and not CODED.intersection(words_of(one.name)):
            continue
        cells = list(map(str, values))
        is_whole = all(map(is_whole_number, cells))
        look = ColumnLook(one.name, False, is_whole, rows, len(cells), cells)
        if are_codes(look):
            found.append(one.name)
    return tuple(found)
