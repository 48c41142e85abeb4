"""Which labels of a released column may stand for which values of the original one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.errors import InputError
from hartley.model.arrays import Flags, Int64s, Ints, different, frozen_array


@dataclass(frozen=True, eq=False)
class LabelFit:
    """For each value of a column, the labels that may stand for it.

    >>> fit = LabelFit.of_pairs([0, 1, 1], [0, 0, 1], values=2, labels=2)
    >>> fit.labels_of(1).tolist(), fit.is_single
    ([0, 1], False)
    """

    indptr: Int64s
    """Where the labels of each value begin, and at the end how many fitting pairs there are."""
    indices: Int64s
    """The labels, value by value."""
    labels: int
    """How many labels the released column has."""
    exact: Int64s
    """The label of each value that is the value itself; -1 where none is."""

    def __post_init__(self) -> None:
        for name in ("indptr", "indices", "exact"):
            object.__setattr__(self, name, frozen_array(np.asarray(getattr(self, name), dtype=np.int64)))
        if len(self.exact) != self.values or (self.pairs and int(self.indices.max()) >= self.labels):
            raise InputError("a fit names labels that there are, and says of every value which is exact")

    @classmethod
    def of_pairs(
        cls,
        value_places: Int64s | list[int],
        label_places: Int64s | list[int],
        *,
        values: int,
        labels: int,
        exact: Int64s | None = None,
    ) -> LabelFit:
        """Build from the pairs of a value and a label that fit, in any order."""
        pairs = np.asarray(value_places, dtype=np.int64) * max(labels, 1) + np.asarray(label_places, np.int64)
        pairs = different(pairs)
        indptr = np.zeros(values + 1, dtype=np.int64)
        np.cumsum(np.bincount(pairs // max(labels, 1), minlength=values), out=indptr[1:])
        none = np.full(values, -1, dtype=np.int64)
        return cls(indptr, pairs % max(labels, 1), labels, none if exact is None else exact)

    @property
    def values(self) -> int:
        """How many values the original column has."""
        return len(self.indptr) - 1

    @property
    def pairs(self) -> int:
        """How many pairs of a value and a label fit."""
        return len(self.indices)

    @property
    def is_single(self) -> bool:
        """Whether no value fits more than one label."""
        return bool((np.diff(self.indptr) <= 1).all())

    def labels_of(self, value: int) -> Int64s:
        """Return the labels that may stand for a value."""
        return self.indices[self.indptr[value] : self.indptr[value + 1]]

    def values_of_labels(self) -> tuple[Int64s, Int64s]:
        """Return for each label how many values fit it, and one of them (-1 where none does)."""
        owner = np.repeat(np.arange(self.values), np.diff(self.indptr))
        one = np.full(self.labels, -1, dtype=np.int64)
        one[self.indices] = owner
        return np.bincount(self.indices, minlength=self.labels).astype(np.int64), one

    def fits(self, value_places: Ints, label_places: Ints) -> Flags:
        """Tell of pairs of a value and a label whether they fit."""
        owner = np.repeat(np.arange(self.values), np.diff(self.indptr))
        known = owner * self.labels + self.indices
        asked = value_places.astype(np.int64) * self.labels + label_places
        if self.values * self.labels <= max(1 << 24, 2 * len(asked)):
            table = np.zeros(self.values * self.labels, dtype=np.bool_)
            table[known] = True
            found: Flags = table[asked]
            return found
        places = np.minimum(np.searchsorted(known, asked), max(len(known) - 1, 0))
        return known[places] == asked if len(known) else np.zeros(len(asked), dtype=np.bool_)
