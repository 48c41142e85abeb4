"""Cells in which people stand by their names: with common first names, titles or initials."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hartley.tables.looks.identifier_cells import MOST
from hartley.tables.looks.identifier_names import words_of
from hartley.tables.looks.words import word_list

GIVEN = frozenset(word_list("given"))
"""Common first names of six languages and of people who came to where they are spoken, without accents."""
FEWEST = 0.2
"""The share of cells with a common first name from which cells written as names are those of people."""
FEWEST_ALONE = 0.5
"""The same of cells of one word."""
_SAINT = frozenset(word_list("saint"))
_TITLE = r"(?:Dr|Mr|Mrs|Ms|Mme|Mlle|Prof|Herr|Frau|Hr|Fr|Dott|Dra|Sig|Sra?|Dhr|Mevr)\b\.?"
_CAPITAL = r"[A-ZÀ-Ý][\w'’-]+"
_INITIALS = r"(?:[A-ZÀ-Ý]\.[ -]?)+"
_ADDRESSED = re.compile(
    rf"(?:{_TITLE} ?)+.*{_CAPITAL}.*"
    rf"|{_INITIALS} ?{_CAPITAL}(?: {_CAPITAL})?"
    rf"|{_CAPITAL}(?: {_CAPITAL})?,? {_INITIALS}"
)
_WORDS = re.compile(r"[^\W\d_][\w'’.-]*(?:,? [^\W\d_][\w'’.-]*){1,4}")


def are_people(cells: Sequence[str]) -> bool:
    """Tell whether different cells are people: with titles, initials or common first names.

    >>> are_people(["Dr. Xhaka", "Dr. Ek", "Prof. Ito"]), are_people(["Moretti, X.", "J. R. Ewing"])
    (True, True)
    >>> are_people(["ANNA EK", "JUN ITO"]), are_people(["House Sparrow", "San Pedro"])
    (True, False)
    """
    stripped = [cell.strip() for cell in cells]
    if sum(_ADDRESSED.fullmatch(cell) is not None for cell in stripped) >= MOST * len(stripped):
        return True
    words = [words_of(cell) for cell in stripped]
    if all(len(one) == 1 for one in words):
        return sum(one[0] in GIVEN for one in words) >= FEWEST_ALONE * len(words)
    written = sum(_WORDS.fullmatch(cell) is not None for cell in stripped)
    named = sum(one[:1] != [] and one[0] not in _SAINT and not GIVEN.isdisjoint(one) for one in words)
    return written >= MOST * len(words) and named >= FEWEST * len(words)
