"""Sets of sensitive values, each known by a number.

The sets lie one after another in a pool, each sorted; clusters have numbers of sets. Once
the sets are *numbered once* two clusters have the same candidates exactly when they have the same number;
before that, equal sets may have two (see :func:`is_same_set`). A hash finds where to look; sets are then
compared value by value, so no decision rests on a hash.

When the pool is full, sets without users are dropped: those with users never exceed the pairs there were
at the start, so a pool of thrice that many is always enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_part
from hartley.model.arrays import Int64s, Ints

FILLED, GIVEN_OUT, IS_NUMBERED = 0, 1, 2
"""What ``used`` holds: how much of the pool is filled, how many numbers are given out, and whether equal
sets have one number."""


class Sets(NamedTuple):
    """The sets of all clusters; loops change the arrays in place."""

    pool: Ints
    starts: Ints
    lengths: Ints
    hashes: Ints
    users: Ints
    """How many clusters have each set."""
    table: Ints
    """Where each set is found by its hash, while equal sets have one number."""
    used: Ints
    marks: Ints
    """The hash of a set is the exclusive or of its values' marks."""


def sets_for(values: int, pairs: int, width: int, *, is_numbered: bool) -> Sets:
    """Make room for the sets of so many public values out of ``width`` sensitive ones."""
    table = np.empty(1 << max(3, (4 * values - 1).bit_length()), np.int32)
    if is_numbered:
        table[:] = -1
    return Sets(
        pool=np.empty(3 * pairs + 64, np.int32),
        starts=np.zeros(2 * values, np.int64),
        lengths=np.zeros(2 * values, np.int32),
        hashes=np.zeros(2 * values, np.int64),
        users=np.zeros(2 * values, np.int32),
        table=table,
        used=np.array([0, 0, is_numbered], np.int64),
        marks=_marks(width),
    )


def _marks(size: int) -> Int64s:
    mixed = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


@hot_part
def add_row(place: int, indptr: Ints, indices: Ints, sets: Sets) -> int:
    """Put the candidates of a public value into the pool, for one more cluster; give the set's number."""
    first = sets.used[FILLED]
    length = indptr[place + 1] - indptr[place]
    mark = sets.marks[0] ^ sets.marks[0]
    for i in range(length):
        value = indices[indptr[place] + i]
        sets.pool[first + i] = value
        mark ^= sets.marks[value]
    number = find_or_add(first, length, mark, sets)
    sets.users[number] += 1
    return number


@hot_part
def find_or_add(first: int, length: int, mark: int, sets: Sets) -> int:
    """Return the number of the set that lies at ``first`` in the pool; if it is new it stays there."""
    is_numbered = sets.used[IS_NUMBERED] == 1
    mask = len(sets.table) - 1
    slot = mark & mask
    while is_numbered and sets.table[slot] >= 0:
        known = sets.table[slot]
        if sets.hashes[known] == mark and sets.lengths[known] == length:
            same = True
            begin = sets.starts[known]
            for i in range(length):
                if sets.pool[begin + i] != sets.pool[first + i]:
                    same = False
                    break
            if same:
                return int(known)
        slot = (slot + 1) & mask
    number = sets.used[GIVEN_OUT]
    if is_numbered:
        sets.table[slot] = number
    sets.starts[number] = first
    sets.lengths[number] = length
    sets.hashes[number] = mark
    sets.used[FILLED] = first + length
    sets.used[GIVEN_OUT] = number + 1
    return int(number)


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
            filled += sets.lengths[number]
            if is_numbered:
                slot = sets.hashes[number] & mask
                while sets.table[slot] >= 0:
                    slot = (slot + 1) & mask
                sets.table[slot] = number
    sets.used[FILLED] = filled


@hot_part
def is_same_set(one: int, other: int, sets: Sets) -> bool:
    """Tell whether two numbers stand for equal sets; a hash only says where not to look further."""
    if one == other:
        return True
    if (
        sets.used[IS_NUMBERED] == 1
        or sets.hashes[one] != sets.hashes[other]
        or sets.lengths[one] != sets.lengths[other]
    ):
        return False
    same = True
    for i in range(sets.lengths[one]):
        if sets.pool[sets.starts[one] + i] != sets.pool[sets.starts[other] + i]:
            same = False
            break
    return same


@hot_part
def number_once(set_of: Ints, sets: Sets) -> None:
    """Assign equal sets one number, now and from now on; clusters that are no more have none below 0."""
    mask = len(sets.table) - 1
    sets.table[:] = -1
    for cluster in range(len(set_of)):
        number = set_of[cluster]
        if number < 0:
            continue
        slot = sets.hashes[number] & mask
        while sets.table[slot] >= 0:
            if is_same_set(sets.table[slot], number, sets):
                break
            slot = (slot + 1) & mask
        if sets.table[slot] < 0:
            sets.table[slot] = number
        elif sets.table[slot] != number:
            sets.users[number] -= 1
            sets.users[sets.table[slot]] += 1
            set_of[cluster] = sets.table[slot]
    sets.used[IS_NUMBERED] = 1


@hot_part
def unite(one: int, other: int, sets: Sets) -> int:
    """Return the number of the union of two clusters' sets, which has one user in place of these two."""
    number = union_of(one, other, sets)
    sets.users[one] -= 1
    sets.users[other] -= 1
    sets.users[number] += 1
    return number


@hot_part
def union_of(one: int, other: int, sets: Sets) -> int:
    """Return the number of the union of two sets that have users."""
    pool, starts = sets.pool, sets.starts
    if sets.lengths[one] < sets.lengths[other]:
        one, other = other, one
    size, small = sets.lengths[one], sets.lengths[other]
    if small * 8 < size:
        # A large set that already holds the small one costs no more than looking that up.
        inside = True
        for i in range(starts[other], starts[other] + small):
            low, high = starts[one], starts[one] + size
            while low < high:
                middle = (low + high) // 2
                if pool[middle] < pool[i]:
                    low = middle + 1
                else:
                    high = middle
            if low == starts[one] + size or pool[low] != pool[i]:
                inside = False
                break
        if inside:
            return int(one)
    if sets.used[FILLED] + size + small > len(pool):
        drop_unused(sets)
    i, last_i = starts[one], starts[one] + size
    j, last_j = starts[other], starts[other] + small
    first = sets.used[FILLED]
    write = first
    mark = sets.marks[0] ^ sets.marks[0]
    while i < last_i or j < last_j:
        if j == last_j or (i < last_i and pool[i] < pool[j]):
            value = pool[i]
            i += 1
        elif i == last_i or pool[j] < pool[i]:
            value = pool[j]
            j += 1
        else:
            value = pool[i]
            i += 1
            j += 1
        pool[write] = value
        mark ^= sets.marks[value]
        write += 1
    if write - first == size:
        return int(one)
    return find_or_add(first, write - first, mark, sets)
