"""Words that mean the same everywhere: leakages, searches, codewords; what numbers and columns are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

Leakage: TypeAlias = Literal["l0", "istar", "joint"]
LEAKAGES: tuple[Leakage, ...] = get_args(Leakage)


def leakage_named(text: str) -> str:
    """Return our name of a leakage that is written as in the paper; other texts as they are.

    >>> leakage_named("L_0"), leakage_named("I*"), leakage_named("I")
    ('l0', 'istar', 'I')
    """
    spelled = text.lower().replace("_", "").replace("*", "star")
    return spelled if spelled in LEAKAGES else text


SingleLeakage: TypeAlias = Literal["l0", "istar"]
"""One leakage by itself, which is all that other methods know; ``joint`` asks for both."""
SINGLE_LEAKAGES: tuple[SingleLeakage, ...] = get_args(SingleLeakage)
ObjectiveName: TypeAlias = Literal["mean", "worst"]
"""What is to be small over several columns: the mean loss, or the worst class and then the mean loss."""
OBJECTIVES: tuple[ObjectiveName, ...] = get_args(ObjectiveName)
SearchName: TypeAlias = Literal["optimal", "greedy"]
SEARCHES: tuple[SearchName, ...] = get_args(SearchName)
Ties: TypeAlias = Literal["order", "random"]
"""Which of equally good merges a greedy search takes: of the earliest values, or as a seed decides."""
TIES: tuple[Ties, ...] = get_args(Ties)
Codeword: TypeAlias = Literal["centroid", "midpoint", "member"]
CODEWORDS: tuple[Codeword, ...] = get_args(Codeword)
Labels: TypeAlias = Literal["midpoint", "centroid", "member", "range", "interval", "set"]
"""What a cluster is written as."""
LABELS: tuple[Labels, ...] = get_args(Labels)
FileLabel: TypeAlias = Labels | Literal["bounds"]
"""What a file shows for a cluster: one of these, or where it begins and ends, in two columns."""
FILE_LABELS: tuple[FileLabel, ...] = (*LABELS, "bounds")
LikeInput: TypeAlias = Literal["yes", "no", "bom"]
"""Whether a CSV file is written as the input was; in UTF-8 with a byte order mark instead of its encoding."""
LIKE_INPUT: tuple[LikeInput, ...] = get_args(LikeInput)
Consent: TypeAlias = Literal["refuse", "accept"]
"""What to do with something that is dangerous to publish."""
SLACK = 1e-9
"""Targets typed by people are met up to this much."""
SAME_COST = 1e-9
"""Two costs that differ by no more than this part of them are one cost, computed in two ways."""
MOST_BITS = 62.0
"""No table has so many values that more bits could leak; two to a higher power may be no number."""
ROUNDING = 1e-13
"""Two leakages this close are the same number, computed in two ways.

Leakages are logarithms of ratios of small integers; different ones are farther apart.
"""
LARGEST = 2**62
"""No table has so many values, and loops have no numbers for many more."""
MOST_ASKED_BITS = 64
"""No table leaks so much: its rows would be too many to count. A limit beyond it asks for nothing."""
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
