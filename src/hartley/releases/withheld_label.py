"""What stands in a withheld cell: nothing, or a label that no other cell can have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hartley.errors import OptionError, option
from hartley.model import Alphabet, Coordinate
from hartley.releases.cell_text import Cell, cell_text, parse_cell


def require_withheld_label(
    public: Alphabet, label: str, *, is_text: bool, dropped: Sequence[str] = ()
) -> None:
    """Raise where a label could be taken for a value of the table, or for a cell whose row is left out.

    ``is_text`` says that released values are written as intervals and sets, so that any text will do. In
    columns that stay numbers or dates the label must be one itself, outside of the column's range.
    ``dropped`` are words for missing cells whose rows are left out.

    >>> ages = Alphabet.of_values([30, 41], ("age",))
    >>> require_withheld_label(ages, "-9", is_text=False)
    >>> require_withheld_label(ages, "41", is_text=True)
    Traceback (most recent call last):
    hartley.errors.OptionError: withheld_label '41' is a value of column 'age'; choose another
    """
    if not label.strip():
        raise OptionError(f"{option('withheld_label')} needs a text; leave it out for an empty cell")
    if label in dropped:
        raise OptionError(
            f"{option('withheld_label')} {label!r} is a word for a missing cell, and "
            f"{option('missing', 'drop')} leaves rows with one out; choose another label"
        )
    for coordinate in public.coordinates:
        present = [coordinate.cell(place) for place in np.flatnonzero(~coordinate.missing).tolist()]
        if any(cell_text(cell) == label for cell in present):
            raise OptionError(
                f"{option('withheld_label')} {label!r} is a value of column {coordinate.name!r}; "
                "choose another"
            )
        if is_text or coordinate.kind == "text":
            continue
        cell = label_cell(coordinate, label)
        if not all(cell < other for other in present) and not all(cell > other for other in present):
            raise OptionError(
                f"{option('withheld_label')} {label!r} lies among the values of column {coordinate.name!r}; "
                "choose one below or above all of them"
            )


def label_cell(coordinate: Coordinate, label: str) -> Cell:
    """Return the label as a cell of a column that keeps its kind."""
    if coordinate.kind == "boolean":
        raise OptionError(
            f"column {coordinate.name!r} has room for no third value; leave {option('withheld_label')} out"
        )
    try:
        return parse_cell(label, coordinate.kind)
    except ValueError:
        raise OptionError(
            f"column {coordinate.name!r} is released as {coordinate.kind}s, and {label!r} is none; give "
            f"one as {option('withheld_label')}, or write intervals ({option('labels', 'interval')})"
        ) from None
