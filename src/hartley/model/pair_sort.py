"""Sorting many pairs of codes without comparing any: two passes of counting."""

from __future__ import annotations

from typing import Any

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Int64s, Ints, code_type

COUNTED_FROM = 500_000
"""Number of pairs from which counting, which must be compiled, beats NumPy's sort."""

MOST_MARKED = 4
"""Where there are up to so many possible keys for each key, they are marked and not sorted."""
MOST_ON_GRID = 1 << 22
"""Up to so many pairs are counted on a grid: compiling, or loading what was compiled, takes longer."""


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
    if size * width <= MOST_MARKED * min(len(observed), MOST_ON_GRID) and (rows is None or rows.min() > 0):
        return _on_grid(observed, sensitive, rows, size, width)
    if len(observed) < COUNTED_FROM:
        return _by_comparison(observed, sensitive, rows, size, width)
    return by_counting(observed, sensitive, rows, size, width)


def by_counting(
    observed: Ints, sensitive: Ints, rows: Ints | None, size: int, width: int
) -> tuple[Int64s, Ints, Ints]:
    """Do it in linear time, with a compiled loop."""
    total = len(observed) if rows is None else int(rows.sum())
    indptr = np.zeros(size + 1, dtype=np.int64)
    indices: Ints = np.empty(len(observed), dtype=code_type(width))
    counts: Ints = np.empty(len(observed), dtype=code_type(total))
    by_sensitive: Ints = np.empty(len(observed), dtype=code_type(size))
    weights: Any = np.empty(0, dtype=counts.dtype) if rows is None else rows.astype(counts.dtype)
    pairs = count_pairs.compiled(observed, sensitive, weights, width, by_sensitive, indptr, indices, counts)
    if pairs < len(observed):
        del by_sensitive
        indices, counts = indices[:pairs].copy(), counts[:pairs].copy()
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


@hot_loop
def count_pairs(
    observed: Ints,
    sensitive: Ints,
    weights: Ints,
    width: int,
    by_sensitive: Ints,
    indptr: Ints,
    indices: Ints,
    counts: Ints,
) -> int:
    """Fill ``indptr``, ``indices`` and ``counts``; give the number of distinct pairs.

    The pairs are brought into the order of their sensitive codes first. Written from there into
    the row of their observation, each row comes out sorted, and a pair equal to one before it
    finds that one at the end of its row.
    """
    size = len(indptr) - 1
    is_weighted = len(weights) > 0
    ends = np.zeros(width + 1, dtype=np.int64)
    for entry in range(len(observed)):
        ends[sensitive[entry] + 1] += 1
        indptr[observed[entry] + 1] += 1
    for code in range(width):
        ends[code + 1] += ends[code]
    for row in range(size):
        indptr[row + 1] += indptr[row]
    moved = np.empty(len(weights), dtype=weights.dtype)
    for entry in range(len(observed)):
        place = ends[sensitive[entry]]
        ends[sensitive[entry]] += 1
        by_sensitive[place] = observed[entry]
        if is_weighted:
            moved[place] = weights[entry]
    filled = indptr[:-1].copy()
    entry = 0
    for code in range(width):
        while entry < ends[code]:
            row = by_sensitive[entry]
            weight = moved[entry] if is_weighted else 1
            place = filled[row]
            if place > indptr[row] and indices[place - 1] == code:
                counts[place - 1] += weight
            else:
                indices[place] = code
                counts[place] = weight
                filled[row] += 1
            entry += 1
    # Equal pairs have left gaps at the ends of the rows.
    kept = 0
    for row in range(size):
        start = indptr[row]
        indptr[row] = kept
        for place in range(start, filled[row]):
            indices[kept] = indices[place]
            counts[kept] = counts[place]
            kept += 1
    indptr[size] = kept
    return kept


def _on_grid(
    observed: Ints, sensitive: Ints, rows: Ints | None, size: int, width: int
) -> tuple[Int64s, Ints, Ints]:
    """Count on a grid of all pairs, where they are few; nothing is sorted and nothing compiled."""
    total = len(observed) if rows is None else int(rows.sum())
    # Bins hold floating-point numbers where rows are given; they are exact, for no table has 2**53 rows.
    grid = np.bincount(observed.astype(np.int64) * width + sensitive, rows, size * width)
    occurs = np.flatnonzero(grid)
    indptr = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(grid.reshape(size, width), axis=1), out=indptr[1:])
    return indptr, (occurs % width).astype(code_type(width)), grid[occurs].astype(code_type(total))


def _by_comparison(
    observed: Ints, sensitive: Ints, rows: Ints | None, size: int, width: int
) -> tuple[Int64s, Ints, Ints]:
    key: Int64s = observed.astype(np.int64)
    key *= width
    key += sensitive
    counts: Ints
    if bool((key[1:] > key[:-1]).all()):
        counts = np.ones(len(key), dtype=np.int32) if rows is None else np.asarray(rows)
    elif rows is None:
        key, counts = np.unique(key, return_counts=True)
    else:
        key, inverse = np.unique(key, return_inverse=True)
        counts = np.zeros(len(key), dtype=np.int64)
        np.add.at(counts, inverse, rows)
    indices: Ints = (key % width).astype(code_type(width))
    key //= width
    indptr = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(key, minlength=size), out=indptr[1:])
    return indptr, indices, counts
