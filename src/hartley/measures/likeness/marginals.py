"""What marginals of two or three columns have in common: the overlap of two histograms, from 0 to 1.

The overlap is one minus half the sum of absolute differences of the shares of rows. SDNist's k-marginal
score is a thousand
times its mean over all sets of three columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from hartley.measures.likeness.binned_columns import SharedColumn
from hartley.model.arrays import Int64s

MOST_SETS = 2_000


def shares_in_common(columns: Sequence[SharedColumn], ways: int) -> dict[tuple[str, ...], float]:
    """Return, for every set of so many columns, the share of rows that both histograms have in common.

    Of very many columns the first sets are taken.

    >>> column = SharedColumn("x", True, np.array([1.0, 1, 2, 2]), np.array([1.0, 2, 2, 2]))
    >>> shares_in_common([column], 1)
    {('x',): 0.75}
    """
    binned = [column.bins() for column in columns]
    found: dict[tuple[str, ...], float] = {}
    for chosen in combinations(range(len(columns)), ways):
        if len(found) == MOST_SETS:
            break
        sizes = [binned[place][2] for place in chosen]
        one = _keys([binned[place][0] for place in chosen], sizes)
        other = _keys([binned[place][1] for place in chosen], sizes)
        found[tuple(columns[place].name for place in chosen)] = overlap(one, other)
    return found


def overlap(one: Int64s, other: Int64s) -> float:
    """Return what the histograms of two lists of keys have in common."""
    keys, codes = np.unique(np.concatenate([one, other]), return_inverse=True)
    first = np.bincount(codes[: len(one)], minlength=len(keys)) / max(len(one), 1)
    second = np.bincount(codes[len(one) :], minlength=len(keys)) / max(len(other), 1)
    return float(1 - np.abs(first - second).sum() / 2)


def _keys(columns: Sequence[Int64s], sizes: Sequence[int]) -> Int64s:
    keys = columns[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        keys = keys * size + column
    return keys
