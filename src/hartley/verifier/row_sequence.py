"""Whether the rows of a release stand in the order of the original, where that order was to be kept.

Both tables are read side by side, a stretch at a time; what a cell must become is asked once for each
different cell.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from hartley.releases.policy import Policy
from hartley.verifier.expected_cells import CellKeys
from hartley.verifier.policy_labels import PolicyLabels
from hartley.verifier.row_checks import left_out
from hartley.verifier.tables.reread import RereadTable
from hartley.verifier.tables.row_numbers import Ints, Numbered
from hartley.verifier.tally import RowTally, numbered_batches


def is_in_order(policy: Policy, source: RereadTable, out: RereadTable) -> bool:
    """Tell whether the release has the rows of the original, recoded, one after the other."""
    # The keys of each column have the same numbers in both tables.
    numbers: list[dict[Hashable, int]] = [{} for _ in policy.published]
    expected = _flowing(_expected(policy, source, out), numbers)
    found = _flowing(_found(policy, source, out), numbers)
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


def _flowing(
    batches: Iterator[Sequence[Numbered]], numbers: Sequence[dict[Hashable, int]]
) -> Iterator[list[Ints]]:
    """Return the number of the key of each row, column by column."""
    for batch in batches:
        if len(batch[0].codes):
            own = (
                np.array([known.setdefault(key, len(known)) for key in column.keys], dtype=np.int64)
                for known, column in zip(numbers, batch, strict=True)
            )
            yield [codes[column.codes] for codes, column in zip(own, batch, strict=True)]


def _expected(policy: Policy, source: RereadTable, out: RereadTable) -> Iterator[list[Numbered]]:
    book, keys = PolicyLabels.of(policy), CellKeys(policy, source, out)
    sensitive = [column.name for column in (*policy.sensitive, *policy.side)]
    names = list(dict.fromkeys((*policy.public_names, *policy.keep, *policy.harmless, *sensitive)))
    place_of = {name: place for place, name in enumerate(policy.public_names)}
    for columns, _ in numbered_batches(source, names):
        rows = RowTally(columns, np.ones(len(columns[names[0]].codes), dtype=np.int64))
        rows = rows.where(~left_out(rows, policy))
        clusters = book.clusters(rows)
        yield [
            Numbered(
                clusters.codes,
                [keys.label(place_of[name], cluster) for cluster in clusters.keys],  # type: ignore[arg-type]
            )
            if name in place_of
            else Numbered(
                rows.columns[name].codes, [keys.published(name, cell) for cell in rows.columns[name].keys]
            )
            for name in policy.published
        ]


def _found(policy: Policy, source: RereadTable, out: RereadTable) -> Iterator[list[Numbered]]:
    keys = CellKeys(policy, source, out)
    for columns, _ in numbered_batches(out, list(policy.published)):
        yield [
            Numbered(columns[name].codes, [keys.found(name, cell) for cell in columns[name].keys])
            for name in policy.published
        ]
