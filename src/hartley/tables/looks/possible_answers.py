"""Sensitive cells that a reader takes for an answer and are none: empty ones, and spellings of one value."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hartley.errors import option
from hartley.model import Alphabet
from hartley.notes import note


def note_empty_secrets(sensitive: Alphabet) -> None:
    """Note that an empty cell of a sensitive column counts as one of its values."""
    for one in sensitive.coordinates:
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
