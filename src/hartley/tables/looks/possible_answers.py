"""Sensitive cells that a reader takes for an answer and are none: empty ones, and spellings of one value."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hartley.errors import option
from hartley.model import Alphabet
from hartley.notes import note
from hartley.tables.looks.identifier_names import words_of
from hartley.tables.looks.words import word_list

UNKNOWN = frozenset(word_list("unknown"))
"""Words of six languages that say that nothing is known."""


MOST_LOOKED_AT = 1_000


def note_empty_secrets(sensitive: Alphabet) -> None:
    """Note that empty cells of a sensitive column, and words for "nothing is known", count as its values."""
    for one in sensitive.coordinates:
        cells = one.cells if one.kind == "text" and len(one.cells) <= MOST_LOOKED_AT else ()
        unknown = sum(cell is not None and "_".join(words_of(str(cell))) in UNKNOWN for cell in cells)
        if unknown:
            some, count, them = (
                ("a word", "counts", "it") if unknown == 1 else (f"{unknown} words", "count", "them")
            )
            word = option("missing_words", f"{one.name}=WORD")
            note(
                f"{some} in {one.name!r} for answers that are not known still {count} as one that remains "
                f"possible; read {them} as empty ({word}) and leave such rows out "
                f"({option('missing', 'drop')})"
            )
        if one.missing.any() and len(one.missing) > 1:
            note(
                f"an empty cell of {one.name!r} counts as one of the values that remain possible; where it "
                f"only means that nothing is known, leave such rows out ({option('missing', 'drop')})"
            )


def alike_values(cells: Iterable[str]) -> int:
    """Count the different values that are another one but for spaces and capital letters.

    >>> alike_values(["m", "w", "m ", "W"]), alike_values(["A01", "A02"])
    (2, 0)
    """
    different = set(cells)
    return len(different) - len({" ".join(cell.casefold().split()) for cell in different})


def note_alike_secrets(sensitive: Alphabet, grouped: Collection[str]) -> None:
    """Note where spellings of one sensitive value count as several; columns that are ``grouped`` do not."""
    for one in sensitive.coordinates:
        if one.kind != "text" or one.name in grouped:
            continue
        alike = alike_values(str(cell) for cell in one.cells if cell is not None)
        if alike:
            some = "1 value" if alike == 1 else f"{alike:,} values"
            note(
                f"{some} of {one.name!r} differ{'s' if alike == 1 else ''} from others in spaces or capital "
                f"letters alone and still count{'s' if alike == 1 else ''} as possible answers; write "
                f"them alike, or count them as one ({option('groups')})"
            )
