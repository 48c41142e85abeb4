"""What the loops of this package are made of: how their parts are marked, and how they sort.

The compiler's own sorts take seconds to compile and make arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import HotLoop

P = ParamSpec("P")
R = TypeVar("R")

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

RUN = 12
"""Runs of so many items are sorted by insertion before they are merged."""


def inner_part(function: Callable[P, R]) -> HotLoop[P, R]:
    """Mark a plain function that only loops call and that makes no array.

    Like :func:`~hartley.hot_loops.hot_part`, and without the compiled door for callers from outside, which
    takes a third of the compiler's time where many arrays are handed over. Called from outside it runs as
    written.
    """
    return HotLoop(function, {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True})


@inner_part
def sort_codes(codes: Places, size: int) -> None:
    """Sort the first codes of an array in place (Shell's method)."""
    step = 1
    while step < size // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, size):
            code = codes[i]
            j = i
            while j >= step and codes[j - step] > code:
                codes[j] = codes[j - step]
                j -= step
            codes[j] = code
        step //= 3


@inner_part
def sort_stably(items: Places, keys: Floats, size: int, other_items: Places, other_keys: Floats) -> None:
    """Sort items by their keys in place, equal ones as they stood; the other arrays are scratch paper."""
    for start in range(0, size, RUN):
        for i in range(start + 1, min(start + RUN, size)):
            item, key = items[i], keys[i]
            j = i
            while j > start and keys[j - 1] > key:
                items[j] = items[j - 1]
                keys[j] = keys[j - 1]
                j -= 1
            items[j] = item
            keys[j] = key
    width = RUN
    while width < size:
        for start in range(0, size, 2 * width):
            middle, end = min(start + width, size), min(start + 2 * width, size)
            if middle >= end or keys[middle - 1] <= keys[middle]:
                continue
            for i in range(start, middle):
                other_items[i] = items[i]
                other_keys[i] = keys[i]
            left, right = start, middle
            for i in range(start, end):
                if left == middle:
                    break
                if right < end and keys[right] < other_keys[left]:
                    items[i] = items[right]
                    keys[i] = keys[right]
                    right += 1
                else:
                    items[i] = other_items[left]
                    keys[i] = other_keys[left]
                    left += 1
        width *= 2
