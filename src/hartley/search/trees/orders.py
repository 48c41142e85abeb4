"""Orders of tuples: by their cells, and so that those near each other are neighbours in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hartley.model.arrays import Int64s, Ints
from hartley.search.trees.first_cuts import bins_of
from hartley.search.trees.loops.layout import BINS

MOST_BITS = 60
"""Bits of a key that is still a whole number of the machine."""


def sorted_by(keys: Sequence[Ints]) -> Int64s:
    """Return the order by several keys from 0 on, the first of which counts most; of equals the first.

    One pass for each key; keys below 65,536 are counted into place and not compared.

    >>> sorted_by([np.array([1, 0, 1]), np.array([2, 5, 0])]).tolist()
    [1, 2, 0]
    """
    order: Int64s | None = None
    for key in reversed(keys):
        narrow = key.astype(np.min_scalar_type(int(key.max(initial=0))))
        if order is None:
            order = np.argsort(narrow, kind="stable")
        else:
            order = order[np.argsort(narrow[order], kind="stable")]
    assert order is not None  # noqa: S101 (a tree has a column)
    return order


def near_each_other(ranks: Int64s, root_of: Int64s) -> Int64s:
    """Return an order in which the tuples of a box stand in few runs: by the bits of their bins in turn.

    Nodes of a tree are boxes, so their tuples are then read from few places of the memory.
    """
    columns = min(ranks.shape[1], MOST_BITS)
    bits = min(BINS.bit_length() - 1, MOST_BITS // columns)
    once = np.ones(len(ranks), dtype=np.int64)
    code = np.zeros(len(ranks), dtype=np.int64)
    bins = [bins_of(ranks[:, j], int(ranks[:, j].max()) + 1, once) for j in range(columns)]
    bins = [each[ranks[:, j]].astype(np.int64) for j, each in enumerate(bins)]
    for bit in range(BINS.bit_length() - 2, BINS.bit_length() - 2 - bits, -1):
        for each in bins:
            code = 2 * code + (each >> bit & 1)
    low, high = code & 0xFFFF, code >> 16
    return sorted_by([root_of, high, low])
