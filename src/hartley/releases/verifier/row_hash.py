"""Different rows, counted as they come, for the verifier: however many batches they come in.

A row is a code for each column. The first two codes of a row are a pair, which gets a number; this number
and the third code are a pair again. The last pair stands for the row, and is counted. Pairs are kept in hash
tables that grow: in each slot a pair as one number, plus one so that it is not zero, and beside it its own
number or its count, so that a pair costs one look into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop

Ints = npt.NDArray[np.integer]
Int64s = npt.NDArray[np.int64]

FIRST_SLOTS = 1 << 4
_LOW = (1 << 32) - 1


class RowNumbers:
    """The different rows so far."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._inner = [_HashedPairs() for _ in range(columns - 2)]
        self._last = _HashedPairs()

    def add(self, codes: Sequence[Ints], counts: Int64s) -> None:
        """Take rows, from their codes in each column, each as often as counted."""
        left, *others = codes if self._columns > 1 else (np.zeros_like(codes[0]), codes[0])
        for pairs, right in zip(self._inner, others, strict=False):
            numbers = np.empty(len(left), dtype=np.int32)
            pairs.fill(number_pairs.for_size(len(left)), left, right, numbers)
            left = numbers
        self._last.fill(count_pairs.for_size(len(left)), left, others[-1], counts)

    def counted(self) -> tuple[list[Ints], Int64s]:
        """Return the codes of each different row, column by column, and how often each occurs."""
        keys, counts = self._last.filled()
        found: list[Ints] = []
        for pairs in reversed(self._inner):
            found.append((keys & _LOW).astype(np.int32))
            left = (keys >> 32).astype(np.int32)
            keys, numbers = pairs.filled()
            by_number = np.empty_like(keys)
            by_number[numbers] = keys
            keys = by_number[left]
        found += [(keys & _LOW).astype(np.int32), (keys >> 32).astype(np.int32)]
        return found[::-1][-self._columns :], counts


class _HashedPairs:
    """A hash table of pairs of numbers below 2^31, with a number beside each."""

    def __init__(self) -> None:
        self._used = 0
        self._slots = np.zeros((FIRST_SLOTS, 2), dtype=np.int64)

    def fill(self, loop: Callable[..., Any], left: Ints, right: Ints, beside: Ints) -> None:
        """Take pairs by a loop, which stops where there is no room left."""
        done = 0
        while True:
            done, self._used = loop(self._slots, self._used, left, right, beside, done)
            if done == len(left):
                return
            larger = np.zeros((2 * len(self._slots), 2), dtype=np.int64)
            move_slots.for_size(len(self._slots))(self._slots, larger)
            self._slots = larger

    def filled(self) -> tuple[Int64s, Int64s]:
        """Return each pair as one number, and what stands beside it."""
        used = np.flatnonzero(self._slots[:, 0])
        return self._slots[used, 0] - 1, self._slots[used, 1]


@hot_loop
def slot_of(slots, one, other):  # type: ignore[no-untyped-def]
    """Return the slot of a pair: where it stands, or could stand."""
    last = len(slots) - 1
    key = one * 4294967296 + other + 1
    # The numbers and both factors are below 2^31, so that the sum stays below 2^63.
    mixed = one * 1640531527 + other * 1013904223
    slot = (mixed ^ (mixed >> 15) ^ (mixed >> 31)) & last
    while slots[slot, 0] != key and slots[slot, 0] != 0:
        slot = (slot + 1) & last
    return slot


@hot_loop
def number_pairs(slots, used, left, right, numbers, start):  # type: ignore[no-untyped-def]
    """Assign numbers to the pairs from a place on; stop where there is no room for a new one."""
    # Three quarters, so that a free slot is always near.
    room = len(slots) * 3 // 4
    for place in range(start, len(left)):
        one, other = int(left[place]), int(right[place])
        slot = slot_of(slots, one, other)
        if slots[slot, 0] == 0:
            if used == room:
                return place, used
            slots[slot, 0] = one * 4294967296 + other + 1
            slots[slot, 1] = used
            used += 1
        numbers[place] = slots[slot, 1]
    return len(left), used


@hot_loop
def count_pairs(slots, used, left, right, counts, start):  # type: ignore[no-untyped-def]
    """Add the counts of pairs from a place on; stop where there is no room for a new one."""
    room = len(slots) * 3 // 4
    for place in range(start, len(left)):
        one, other = int(left[place]), int(right[place])
        slot = slot_of(slots, one, other)
        if slots[slot, 0] == 0:
            if used == room:
                return place, used
            slots[slot, 0] = one * 4294967296 + other + 1
            used += 1
        slots[slot, 1] += counts[place]
    return len(left), used


@hot_loop
def move_slots(slots, larger):  # type: ignore[no-untyped-def]
    """Put what a table holds into a larger one."""
    for place in range(len(slots)):
        key = int(slots[place, 0]) - 1
        if key >= 0:
            slot = slot_of(larger, key >> 32, key & 4294967295)
            larger[slot, 0] = key + 1
            larger[slot, 1] = slots[place, 1]
