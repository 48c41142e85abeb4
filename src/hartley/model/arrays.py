"""Arrays as values: read-only, and equal when what they hold is equal."""

from __future__ import annotations

from math import prod
from mmap import mmap
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

D = TypeVar("D", bound=np.generic)

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.integer]
"""Whole numbers of any width: codes, which are kept as narrow as they can be."""
Int32s: TypeAlias = npt.NDArray[np.int32]
Int64s: TypeAlias = npt.NDArray[np.int64]
Places: TypeAlias = Int64s
"""Where things stand: numbers of values, rows or clusters."""
Flags: TypeAlias = npt.NDArray[np.bool_]


def frozen_array(array: npt.NDArray[D]) -> npt.NDArray[D]:
    """Return a read-only view of an array."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def equal_arrays(one: npt.NDArray[Any] | None, other: npt.NDArray[Any] | None) -> bool:
    """Tell whether two arrays hold the same; NaN equals NaN, ``None`` equals ``None``."""
    if one is None or other is None:
        return one is other
    if one.shape != other.shape:
        return False
    if one.dtype.kind == "f" and other.dtype.kind == "f":
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(np.array_equal(one, other))


def different(numbers: npt.NDArray[D]) -> npt.NDArray[D]:
    """Return the different numbers of an array without NaN, ascending.

    They are found by sorting. NumPy's ``unique`` finds them by hashing where nothing else is asked of it,
    which takes up to ninety times as long where most of a million numbers differ.

    >>> different(np.array([[3, 1], [1, 3]])).tolist()
    [1, 3]
    """
    ordered = np.sort(numbers, axis=None)
    is_new = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]


def totals_of(places: Ints, counts: Ints, size: int) -> Int64s:
    """Add up counts by the place that each belongs to.

    >>> totals_of(np.array([2, 0, 2]), np.array([5, 1, 7]), 3).tolist()
    [1, 0, 12]
    """
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, places, counts)
    return totals


MAPPED_FROM = 1 << 20
"""Bytes from which sparse arrays are worth a mapping of their own."""


def sparse_zeros(shape: tuple[int, ...], kind: type[D]) -> npt.NDArray[D]:
    """Return zeros that take memory only where they are written, and give it back when they are dropped.

    NumPy's own zeros do so as well, unless they reuse memory that was written before.

    >>> sparse_zeros((2, 3), np.int32).tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    size = prod(shape) * np.dtype(kind).itemsize
    if size < MAPPED_FROM:
        return np.zeros(shape, dtype=kind)
    return np.frombuffer(mmap(-1, size), dtype=kind).reshape(shape)


def code_type(size: int) -> type[np.int32] | type[np.int64]:
    """Return the smallest integer type that numbers this many things."""
    return np.int32 if size < 2**31 else np.int64
