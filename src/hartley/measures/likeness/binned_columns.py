"""Two files side by side, column by column, as numbers that both share.

A number keeps its place on the line and lies in one of a few bins of the original; a category is its own bin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Floats, Int64s

BINS = 20
"""Bins of a column of numbers at most, of about equally many rows of the original each."""


@dataclass(frozen=True, eq=False)
class SharedColumn:
    """One column of both files.

    Of numbers, where each row lies (NaN where it is missing); of categories, a number for each, in both
    files the same.
    """

    name: str
    is_number: bool
    original: Floats
    released: Floats
    categories: tuple[str, ...] = ()
    """The names of categories, by their numbers."""

    def bins(self) -> tuple[Int64s, Int64s, int]:
        """Return the bin of each row of the original and of the release, and how many bins there are."""
        if not self.is_number:
            one, other = self.original.astype(np.int64), self.released.astype(np.int64)
            return one, other, int(max(one.max(initial=-1), other.max(initial=-1))) + 1
        here = self.original[~np.isnan(self.original)]
        values = np.unique(here)
        edges = values[1:]
        if len(values) > BINS:
            edges = np.unique(np.quantile(here, np.arange(1, BINS) / BINS))
        last = len(edges) + 1
        found = []
        for cells in (self.original, self.released):
            bins = np.searchsorted(edges, cells, side="right").astype(np.int64)
            bins[np.isnan(cells)] = last
            found.append(bins)
        return found[0], found[1], last + 1
