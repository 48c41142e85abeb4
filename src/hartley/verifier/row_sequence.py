"""Whether the rows of a release stand in the order of the original, where that order was to be kept.

Both tables are read side by side, a stretch at a time; what a cell must become is asked once for each
different cell.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np

from hartley.verifier.row_checks import RowCounter
from hartley.verifier.tables.reread import RereadTable
from hartley.verifier.tables.row_numbers import Ints, Numbered
from hartley.verifier.tally import RowTally, numbered_batches


def is_in_order(counter: RowCounter) -> bool:
    """Tell whether the release has the rows of the original, recoded, one after the other."""
    published = counter.policy.published
    # The keys of each column have the same numbers in both tables.
    numbers: list[dict[Hashable, int]] = [{} for _ in published]
    expected = _flowing(
        map(counter.kept, _batches(counter.source, counter.needed())),
        lambda rows: [counter.expected(rows, name) for name in published],
        numbers,
    )
    found = _flowing(
        _batches(counter.out, list(published)),
        lambda rows: [counter.found(rows, name) for name in published],
        numbers,
    )
    ahead: list[Ints] = []
    behind: list[Ints] = []
    while True:
        if not ahead or not len(ahead[0]):
            ahead = next(expected, [])
        if not behind or not len(behind[0]):
            behind = next(found, [])
        if not ahead or not behind:
            return not ahead and not behind
        rows = min(len(ahead[0]), len(behind[0]))
        if any((one[:rows] != other[:rows]).any() for one, other in zip(ahead, behind, strict=True)):
            return False
        ahead, behind = [one[rows:] for one in ahead], [one[rows:] for one in behind]


def _batches(source: RereadTable, names: list[str]) -> Iterator[RowTally]:
    """Return the rows of a table in their order, batch by batch."""
    for columns, _ in numbered_batches(source, names):
        yield RowTally(columns, np.ones(len(columns[names[0]].codes), dtype=np.int64))


def _flowing(
    batches: Iterator[RowTally],
    cells: Callable[[RowTally], Sequence[Numbered]],
    numbers: Sequence[dict[Hashable, int]],
) -> Iterator[list[Ints]]:
    """Return the number of the key of each row, column by column."""
    for rows in batches:
        batch = cells(rows)
        if len(batch[0].codes):
            own = (
                np.array([known.setdefault(key, len(known)) for key in column.keys], dtype=np.int64)
                for known, column in zip(numbers, batch, strict=True)
            )
            yield [codes[column.codes] for codes, column in zip(own, batch, strict=True)]
