"""Sorting many pairs of codes, and numbering keys."""

from __future__ import annotations

import numpy as np

from hartley.model.arrays import Int64s, Ints, code_type

MOST_MARKED = 4
"""Where there are up to so many possible keys for each key, they are marked and not sorted."""


def rows_of_pairs(
    observed: Ints, sensitive: Ints, rows: Ints | None, size: int, width: int
) -> tuple[Int64s, Ints, Ints]:
    """Sort pairs of codes, join equal ones, and give the row starts, sensitive codes and row counts.

    ``observed`` runs below ``size`` and ``sensitive`` below ``width``; ``rows`` is how many rows each
    pair stands for, one where it is not given.

    >>> starts, codes, counts = rows_of_pairs(np.array([1, 0, 1]), np.array([0, 1, 0]), None, 2, 2)
    >>> starts.tolist(), codes.tolist(), counts.tolist()
    ([0, 1, 2], [1, 0], [1, 2])
    """
    key = observed.astype(np.int64)
    key *= width
    key += sensitive
    if rows is None:
        key.sort()
    else:
        order = np.argsort(key)
        key, rows = key[order], rows[order]
        del order
    begins = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    kind = code_type(len(key) if rows is None else int(rows.sum()))
    counts: Ints
    if rows is None:
        counts = np.diff(begins, append=len(key)).astype(kind)
    else:
        counts = np.add.reduceat(rows, begins, dtype=np.int64).astype(kind)
    key = key[begins]
    del begins
    indices: Ints = (key % width).astype(code_type(width))
    key //= width
    indptr = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(key, minlength=size), out=indptr[1:])
    return indptr, indices, counts


def numbered_keys(keys: Ints, bound: int) -> tuple[Int64s, Ints]:
    """Return the different keys below a bound in their order, and the place of each key among them.

    >>> different, places = numbered_keys(np.array([7, 2, 7]), 10)
    >>> different.tolist(), places.tolist()
    ([2, 7], [1, 0, 1])
    """
    if bound > MOST_MARKED * max(len(keys), 1):
        different, places = np.unique(keys, return_inverse=True)
        return different.astype(np.int64, copy=False), places
    occurs = np.zeros(bound, dtype=np.bool_)
    occurs[keys] = True
    number: Ints = np.cumsum(occurs).astype(code_type(bound), copy=False)
    return np.flatnonzero(occurs).astype(np.int64, copy=False), number[keys] - number.dtype.type(1)
