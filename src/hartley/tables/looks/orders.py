"""Categories that have an order: found where their words are common, asked for where a name sounds so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from hartley.tables.looks.identifier_names import words_of
from hartley.tables.looks.identifiers import ColumnLook
from hartley.tables.looks.words import word_list, word_lists

SOUNDS_ORDERED = word_list("sounds_ordered")
"""Beginnings of words in names of columns whose categories are likely to have an order."""
UNORDERED = word_list("unordered")
"""Beginnings of words in names of columns whose categories have none, though numbers may stand before."""
MOST_CATEGORIES = 15
LONGEST_CATEGORY = 1_000
"""Letters of a category; longer texts have no known order."""
Ordered = Literal["known", "asked"]
"""Whether the order of a column's categories is known, or the curator has to say it."""
_PLACES = tuple(
    {word: place for place, words in enumerate(scale.split("|")) for word in words.split()}
    for scale in word_lists()["scales"]
)
_BELOW = r"under|less than|fewer than|below|up to|unter|bis|moins de|menos de|meno di|<=?"
_ABOVE = r"over|above|more than|at least|uber|über|ab|plus de|mas de|más de|>=?"
_BAND = re.compile(rf"\s*(?:({_BELOW})|({_ABOVE}))?\s*[£$€]?(\d[\d,.]*)(.*)", re.IGNORECASE | re.DOTALL)
_GOES_ON = re.compile(r"\s*(\+|-|–|\.? |to\b|and\b|or\b|bis\b|years?\b|yrs?\b|ou\b|a\b|y\b|e\b|hours?\b)")


def known_order(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Return categories from least to greatest where their words are common or they are bands of numbers.

    >>> known_order(["high", "low", "medium"]), known_order(["Realschule", "Abitur", "kein Abschluss"])
    (('low', 'medium', 'high'), ('kein Abschluss', 'Realschule', 'Abitur'))
    >>> known_order(["2,600 to 5,200", "Under 2,600", "Above 36,400"])
    ('Under 2,600', '2,600 to 5,200', 'Above 36,400')
    >>> known_order(["red", "green", "low"]) is None, known_order(["01067", "04109", "80331"]) is None
    (True, True)
    """
    if not 3 <= len(cells) <= MOST_CATEGORIES or max(map(len, cells)) > LONGEST_CATEGORY:
        return None
    words = {cell: "_".join(words_of(cell)) for cell in cells}
    for scale in _PLACES:
        if all(word in scale for word in words.values()):
            return _one_by_one({cell: (scale[word], 0.0) for cell, word in words.items()})
    bands = {cell: _band(cell) for cell in cells}
    if any(place is None for place in bands.values()):
        return None
    return _one_by_one({cell: place for cell, place in bands.items() if place is not None})


def is_ordered(name: str, cells: Sequence[str]) -> bool:
    """Tell whether the order of categories is known, and the column's name does not say that they have none.

    >>> [is_ordered(name, ["1. First", "2. Second", "3. Third"]) for name in ("stage", "maritl", "race")]
    [True, False, False]
    """
    return known_order(cells) is not None and not any(word.startswith(UNORDERED) for word in words_of(name))


def order_of(column: ColumnLook) -> Ordered | None:
    """Tell whether the order of a column of text is known, or has to be asked for.

    >>> order_of(ColumnLook("education", True, False, 90, 3, ["degree", "no degree", "other"]))
    'asked'
    """
    if not column.is_text or not 3 <= column.values <= MOST_CATEGORIES:
        return None
    if len(column.cells) == column.values and is_ordered(column.name, column.cells):
        return "known"
    return "asked" if any(word.startswith(SOUNDS_ORDERED) for word in words_of(column.name)) else None


def _band(cell: str) -> tuple[float, float] | None:
    """Return where a band of numbers begins; nothing where a cell is none, or a plain number or code."""
    found = _BAND.fullmatch(cell)
    if found is None:
        return None
    below, above, digits, rest = found.groups()
    if not (below or above or _GOES_ON.match(rest)):
        return None
    number = digits.rstrip(".,").replace(",", "")
    try:
        return float(number), -1.0 if below else 1.0 if above else 0.0
    except ValueError:
        return None


def _one_by_one(places: dict[str, tuple[float, float]]) -> tuple[str, ...] | None:
    """Return cells in the order of their places; nothing where two have the same."""
    if len(set(places.values())) < len(places):
        return None
    return tuple(sorted(places, key=lambda cell: places[cell]))
