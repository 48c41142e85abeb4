"""Sets of sensitive values that lie one after another in a pool, each known by a number.

A hash finds where to look for an equal set; sets are then compared value by value, so no decision rests on a
hash.

A set is sorted, or *open*: with room behind it, and sorted only within stretches, whose lengths are the
powers of two that its length is made of, the longest first. A value put into an open set makes a stretch of
one, and as long as the last two stretches are equally long they become one. So a large set that takes in
single values time and again pays for each only the logarithm of its length.

When the pool is full, sets without users are dropped: those with users never exceed the pairs there were
at the start, so a pool of thrice that many is always enough, with half as much room again behind a set and
half of a set to work in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_part
from hartley.model.arrays import Int64s, Ints

FILLED, GIVEN_OUT, IS_NUMBERED, MOVED = range(4)
"""What ``used`` holds: how much of the pool is filled, how many numbers are given out, whether equal
sets have one number, and elementary steps since the slice began."""
STRETCHES = 64
"""Into so many stretches a table is divided while all sets get their numbers."""


class Sets(NamedTuple):
    """The sets of all clusters; loops change the arrays in place."""

    pool: Ints
    starts: Ints
    lengths: Ints
    hashes: Ints
    users: Ints
    """How many clusters have each set."""
    room: Ints
    """How many values an open set has room for; 0 where the set is sorted."""
    table: Ints
    """Where each set is found by its hash, while equal sets have one number."""
    ordered: Ints
    """Room for all clusters, in the order in which their sets get numbers."""
    stretch_ends: Ints
    """Where in that order each stretch of the table begins, and ends."""
    used: Ints
    marks: Ints
    """The hash of a set is the exclusive or of its values' marks."""


def sets_for(values: int, pairs: int, width: int) -> Sets:
    """Make room for the sets of so many public values out of ``width`` sensitive ones."""
    return Sets(
        pool=np.empty(3 * pairs + 64, np.int32),
        starts=np.zeros(2 * values, np.int64),
        lengths=np.zeros(2 * values, np.int32),
        hashes=np.zeros(2 * values, np.int64),
        users=np.zeros(2 * values, np.int32),
        room=np.zeros(2 * values, np.int32),
        table=np.empty(1 << max(3, (4 * values - 1).bit_length()), np.int32),
        ordered=np.empty(values, np.int32),
        stretch_ends=np.zeros(STRETCHES + 1, np.int64),
        used=np.zeros(4, np.int64),
        marks=_marks(width),
    )


def _marks(size: int) -> Int64s:
    mixed = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


@hot_part
def drop_unused(sets: Sets) -> None:
    """Move the sets that have users together, and forget the others."""
    is_numbered = sets.used[IS_NUMBERED] == 1
    mask = len(sets.table) - 1
    if is_numbered:
        sets.table[:] = -1
    filled = 0
    for number in range(sets.used[GIVEN_OUT]):
        if sets.users[number] > 0:
            begin = sets.starts[number]
            for i in range(sets.lengths[number]):
                sets.pool[filled + i] = sets.pool[begin + i]
            sets.starts[number] = filled
            sets.room[number] = min(sets.room[number], sets.lengths[number])
            filled += sets.lengths[number]
            if is_numbered:
                slot = sets.hashes[number] & mask
                while sets.table[slot] >= 0:
                    slot = (slot + 1) & mask
                sets.table[slot] = number
    sets.used[FILLED] = filled
    sets.used[MOVED] += filled + sets.used[GIVEN_OUT]


@hot_part
def find_or_enter(number: int, sets: Sets) -> int:
    """Return the number of an equal set that is known; where there is none, make this one known."""
    if sets.used[IS_NUMBERED] == 0:
        return number
    mask = len(sets.table) - 1
    slot = sets.hashes[number] & mask
    while sets.table[slot] >= 0:
        # An open set that has grown leaves entries behind, at which its hash is another.
        known = sets.table[slot]
        if known == number or has_same_values(known, number, sets):
            return int(known)
        slot = (slot + 1) & mask
    sets.table[slot] = number
    return number


@hot_part
def has_same_values(one: int, other: int, sets: Sets) -> bool:
    """Compare two sets, whatever their numbers."""
    if sets.hashes[one] != sets.hashes[other] or sets.lengths[one] != sets.lengths[other]:
        return False
    same = True
    if sets.room[one] == 0 and sets.room[other] == 0:
        for i in range(sets.lengths[one]):
            if sets.pool[sets.starts[one] + i] != sets.pool[sets.starts[other] + i]:
                same = False
                break
        return same
    for i in range(sets.starts[one], sets.starts[one] + sets.lengths[one]):
        if not holds(other, sets.pool[i], sets):
            same = False
            break
    return same


@hot_part
def holds(number: int, value: int, sets: Sets) -> bool:
    """Tell whether a set has a value."""
    pool = sets.pool
    begin, left = sets.starts[number], sets.lengths[number]
    stretch = left
    if sets.room[number] > 0:
        stretch = 1
        while 2 * stretch <= left:
            stretch *= 2
    while left > 0:
        if stretch > left:
            stretch //= 2
            continue
        low, high = begin, begin + stretch
        while low < high:
            middle = (low + high) // 2
            if pool[middle] < value:
                low = middle + 1
            else:
                high = middle
        if low < begin + stretch and pool[low] == value:
            return True
        begin += stretch
        left -= stretch
    return False


@hot_part
def join_stretches(begin: int, middle: int, end: int, sets: Sets) -> None:
    """Make one sorted stretch of two that lie side by side; there is room behind the pool's filled part."""
    pool, spare = sets.pool, sets.used[FILLED]
    first = middle - begin
    for i in range(first):
        pool[spare + i] = pool[begin + i]
    i, j = 0, middle
    for write in range(begin, end):
        if i < first and (j == end or pool[spare + i] < pool[j]):
            pool[write] = pool[spare + i]
            i += 1
        elif i == first:
            break
        else:
            pool[write] = pool[j]
            j += 1
    sets.used[MOVED] += end - begin


@hot_part
def put_in(number: int, value: int, sets: Sets) -> None:
    """Put a value that an open set has not into it."""
    length = sets.lengths[number]
    end = sets.starts[number] + length + 1
    sets.pool[end - 1] = value
    stretch = 1
    while length & stretch:
        join_stretches(end - 2 * stretch, end - stretch, end, sets)
        stretch *= 2
    sets.lengths[number] = length + 1
    sets.hashes[number] ^= sets.marks[value]


@hot_part
def sort_set(number: int, sets: Sets) -> None:
    """Make an open set a sorted one."""
    if sets.room[number] == 0:
        return
    length = sets.lengths[number]
    if sets.used[FILLED] + length > len(sets.pool):
        drop_unused(sets)
    begin = sets.starts[number]
    end = begin + length
    sorted_from = end
    stretch = 1
    while stretch <= length:
        if length & stretch:
            if sorted_from < end:
                join_stretches(sorted_from - stretch, sorted_from, end, sets)
            sorted_from -= stretch
        stretch *= 2
    sets.room[number] = 0


@hot_part
def room_beside(length: int) -> int:
    """Return how many values an open set made from so many has room for."""
    return length + length // 2 + 8


@hot_part
def open_copy(number: int, sets: Sets) -> int:
    """Return a new open set of the same values; the pool must have room for it."""
    length = sets.lengths[number]
    copy, first = sets.used[GIVEN_OUT], sets.used[FILLED]
    for i in range(length):
        sets.pool[first + i] = sets.pool[sets.starts[number] + i]
    sets.starts[copy] = first
    sets.lengths[copy] = length
    sets.hashes[copy] = sets.hashes[number]
    sets.room[copy] = room_beside(length)
    sets.used[FILLED] = first + sets.room[copy]
    sets.used[GIVEN_OUT] = copy + 1
    sets.used[MOVED] += length
    return int(copy)
