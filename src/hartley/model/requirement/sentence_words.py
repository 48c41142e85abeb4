"""Numbers and names of columns in the sentences of requirements."""

from __future__ import annotations

from collections.abc import Sequence

from hartley.model.closeness import Closeness, plain_number

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


def apart(columns: Sequence[str], closeness: Closeness) -> str:
    """Return what values that count as different are called."""
    by_groups = [name for name, _ in closeness.groups if name in columns]
    if len(columns) == 1 and by_groups:
        return f"groups of {columns[0]}"
    differences = []
    for name in columns:
        limit = closeness.tolerance_of(name)
        if limit is None:
            differences.append(f"in {'the group of ' if name in by_groups else ''}{name}")
            continue
        unit = f" {NOUNS[name][1]}" if name in NOUNS else ""
        shown = f"more than {plain_number(limit):g}{unit}"
        if len(columns) == 1:
            return f"{values_of(columns)} {shown} apart"
        differences.insert(0, f"by {shown} in {name}")
    return f"{values_of(columns)} that differ {' or '.join(differences)}"
