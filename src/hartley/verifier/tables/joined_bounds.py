"""A released file with bounds, read as the policy speaks of it: two columns are one, whose ends they are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.releases.column_recoding import ColumnBounds
from hartley.releases.policy import Policy, Reading
from hartley.verifier.tables.reread import Digits, RereadTable, as_kind, python_cells


class JoinedBounds(RereadTable):
    """A released table in which the words of a class stand for where it begins and ends.

    Rows whose two cells are the ends of no label are counted as missing, and remembered in ``has_others``.
    """

    def __init__(self, source: Any, reading: Reading | None, policy: Policy) -> None:
        super().__init__(source, reading)
        self._file = RereadTable(source, reading)
        kinds = {column.name: column.kind for column in policy.public}
        self._policy, self._pairs = policy, policy.bounds_of
        self._joined = {
            name: _Labels(bounds, kinds[name], is_written=self.is_text)
            for name, bounds in self._pairs.items()
        }
        self.has_others = False
        if self.columns == list(policy.file_columns):
            self.columns = list(policy.published)

    def batches(self, names: list[str]) -> Iterator[tuple[list[Any], npt.NDArray[np.int64] | None]]:
        """Return columns, the two of bounds as one."""
        for columns, counts in self._file.batches(self._in_file(names)):
            found = iter(columns)
            yield [self._one(name, found) for name in names], counts

    def _in_file(self, names: list[str]) -> list[str]:
        return [file for name in names for file in self._policy.in_file(name)]

    def _one(self, name: str, columns: Iterator[Any]) -> Any:
        """Take the next column, or the next two as one."""
        import pyarrow as pa

        first = next(columns)
        if name not in self._pairs:
            return first
        if isinstance(first, list):
            return [self._label(name, begin, end) for begin, end in zip(first, next(columns), strict=True)]
        begin, end = (column.dictionary_encode(null_encoding="encode") for column in (first, next(columns)))
        cells = [python_cells(column.dictionary, name) for column in (begin, end)]
        codes = [column.indices.to_numpy(zero_copy_only=False).astype(np.int64) for column in (begin, end)]
        different, place = np.unique(codes[0] * max(len(cells[1]), 1) + codes[1], return_inverse=True)
        low, high = np.divmod(different, max(len(cells[1]), 1))
        labels = [
            self._label(name, cells[0][one], cells[1][other])
            for one, other in zip(low.tolist(), high.tolist(), strict=True)
        ]
        kind = pa.string() if self._pairs[name].ends else first.type
        return pa.array(labels, kind).take(pa.array(place))

    def _label(self, name: str, begin: Any, end: Any) -> Any:
        is_known, label = self._joined[name].label(begin, end)
        self.has_others |= not is_known
        return label


class _Labels:
    """The labels of one column by their ends."""

    def __init__(self, bounds: ColumnBounds, kind: str, *, is_written: bool) -> None:
        self._kind = kind
        self._is_written = is_written
        """Whether a cell must be written exactly as the policy has it."""
        self._is_unchanged = not bounds.ends
        self._label_of = {(self._key(one.begin), self._key(one.end)): one.label for one in bounds.ends}

    def label(self, begin: Any, end: Any) -> tuple[bool, Any]:
        """Return whether two cells are ends of a label, and which."""
        keys = self._key(begin), self._key(end)
        if keys == (None, None):
            return True, None
        if self._is_unchanged:
            return keys[0] == keys[1], begin if keys[0] == keys[1] else None
        return keys in self._label_of, self._label_of.get(keys)

    def _key(self, cell: Any) -> Hashable:
        if self._is_written:
            return cell if cell is None else str(cell)
        return as_kind(str(cell) if isinstance(cell, Digits) else cell, self._kind)


def members_within(policy: Policy) -> bool:
    """Tell whether every value of the codebook lies within the bounds that are published for it."""
    places = {column.name: place for place, column in enumerate(policy.public)}
    return all(
        _are_within(policy, places[name], bounds) for name, bounds in policy.bounds_of.items() if bounds.ends
    )


def _are_within(policy: Policy, place: int, bounds: ColumnBounds) -> bool:
    kind = policy.public[place].kind
    ends = {one.label: (as_kind(one.begin, kind), as_kind(one.end, kind)) for one in bounds.ends}
    for cluster in policy.clusters:
        label = cluster.label[place]
        if label is None:
            continue
        cells: Sequence[Any] = [as_kind(one, kind) for one in {member[place] for member in cluster.members}]
        low, high = ends[label]
        if any(
            cell is None or (low is not None and cell < low) or (high is not None and cell > high)
            for cell in cells
        ):
            return False
    return True
