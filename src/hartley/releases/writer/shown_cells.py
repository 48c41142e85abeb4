"""What stands in a released file for each cluster, column by column, to be measured beside the original."""

from __future__ import annotations

import numpy as np

from hartley.measures.usefulness import Shown
from hartley.model import Alphabet, Coordinate
from hartley.model.arrays import Flags
from hartley.releases.cell_text import Cell, cell_text
from hartley.releases.codebook import Codebook
from hartley.releases.policy import TEXT_CODINGS, Coding


def shown_columns(public: Alphabet, book: Codebook) -> tuple[Shown, ...]:
    """Return the cells of a codebook as a file has them.

    >>> from hartley.model import Partition
    >>> from hartley.releases.codebook import codebook
    >>> ages = Alphabet.of_values([30, 33, 41], ("age",))
    >>> (age,) = shown_columns(ages, codebook(ages, Partition.from_clusters([[0, 1], [2]])))
    >>> age.positions, age.is_unchanged
    (array([31.5, 41. ]), array([False, False,  True]))
    """
    return tuple(
        _shown(coordinate, [label[place] for label in book.labels], book, book.columns[place].coding)
        for place, coordinate in enumerate(public.coordinates)
    )


def _shown(column: Coordinate, labels: list[Cell], book: Codebook, coding: Coding) -> Shown:
    number: dict[str | None, int] = {}
    is_text = coding in TEXT_CODINGS
    is_line = column.kind not in ("text", "boolean")
    return Shown(
        codes=np.array([number.setdefault(cell_text(label), len(number)) for label in labels]),
        missing=np.array([label is None for label in labels]),
        positions=np.array(list(map(column.position_of, labels))) if is_line and not is_text else None,
        counted="middle" if is_line and is_text else "label",
        is_unchanged=_unchanged(column, labels, book, is_text=is_text),
    )


def _unchanged(column: Coordinate, labels: list[Cell], book: Codebook, *, is_text: bool) -> Flags:
    """Return for each value whether the file has the cell that the table has."""
    pairs = zip(column.cells, book.partition.labels.tolist(), strict=True)
    if is_text:
        return np.array([labels[cluster] == cell_text(cell) for cell, cluster in pairs])
    return np.array([labels[cluster] == cell for cell, cluster in pairs])
