"""Whole numbers that measure nothing: codes such as race 1 to 9, postcodes, and numbers for "missing"."""

# ruff: noqa: SIM905 (words are read as words)

from __future__ import annotations

from hartley.tables.looks.identifier_names import words_of
from hartley.tables.looks.identifiers import ColumnLook, whole_numbers

CODED = frozenset(
    """zip zipcode plz postcode postal postleitzahl cap cp race ethnicity ethnic marital region sex gender
    geschlecht sexe sexo sesso geslacht familienstand occupation occ industry icd fips county state district
    type typ category kategorie code ward station religion nationality citizenship""".split()
)
"""Words in names of columns whose numbers stand for something else."""
COUNTED = frozenset(
    """age year years month day week hour number count children kids visits score grade points level stage
    size rooms cyl gear n num anzahl alter jahr nombre edad anni stars rating likert parity tests""".split()
)
MOST_CODES = 12
FEWEST_ROWS_EACH = 5
MISSING_CODES = (-9, -99, -999, -9999, -8, -7, 99, 999, 9999, 99999)


def are_codes(column: ColumnLook) -> bool:
    """Tell whether whole numbers look like codes: by the name, or few that begin at 1 and repeat often.

    >>> are_codes(ColumnLook("race", False, True, 900, 9, ["1", "2", "9"]))
    True
    >>> are_codes(ColumnLook("children", False, True, 900, 7, ["0", "1", "6"]))
    False
    """
    if not column.is_whole or column.values < 3:
        return False
    words = set(words_of(column.name))
    if CODED & words:
        return True
    numbers = whole_numbers(column)
    if not numbers or COUNTED & words or column.values > MOST_CODES:
        return False
    return min(numbers) == 1 and max(numbers) < 2 * MOST_CODES and column.repeats >= FEWEST_ROWS_EACH


def missing_code(column: ColumnLook) -> int | None:
    """Return a number at the edge of a column that may mean "missing"; nothing where there is none.

    >>> missing_code(ColumnLook("age", False, True, 200, 4, ["34", "51", "999", "18"]))
    999
    >>> missing_code(ColumnLook("age", False, True, 200, 4, ["34", "51", "88", "99"])) is None
    True
    """
    numbers = sorted(whole_numbers(column))
    if len(numbers) < 3:
        return None
    low, high = numbers[0], numbers[-1]
    if low in MISSING_CODES and low < 0 <= numbers[1]:
        return low
    if high in MISSING_CODES and high - numbers[-2] > max(numbers[-2] - low, 1):
        return high
    return None
