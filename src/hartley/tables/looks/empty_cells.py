"""Sensitive columns in which cells are empty: what a reader may take for an answer is none."""

from __future__ import annotations

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
