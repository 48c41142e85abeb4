"""Numbers and names of columns in the sentences of requirements."""

from __future__ import annotations

from collections.abc import Sequence

NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
NOUNS = {"age": ("ages", "years")}
"""How the values of a column are called, and their unit, where everybody knows."""


def numeral(number: float) -> str:
    """Return a whole number in words where it is small."""
    return NUMERALS[int(number)] if 0 < number < len(NUMERALS) else f"{number:g}"


def listed(names: Sequence[str]) -> str:
    """Return names as a list with a last "and"."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def values_of(columns: Sequence[str]) -> str:
    """Return what several values of some columns are called."""
    if len(columns) > 1:
        return f"combinations of {listed(columns)}"
    return NOUNS[columns[0]][0] if columns[0] in NOUNS else f"values of {columns[0]}"


def value_of(columns: Sequence[str]) -> str:
    """Return what one value of some columns is called."""
    if len(columns) > 1:
        return f"combination of {listed(columns)}"
    return columns[0] if columns[0] in NOUNS else f"value of {columns[0]}"
