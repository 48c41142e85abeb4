"""Sets of sensitive values, each kept once and known by a number.

Two clusters have the same candidates exactly when their sets have the same number. A hash
finds where to look; sets are then compared value by value, so no decision rests on a hash.

The sets lie one after another in ``pool``, each sorted. ``used`` holds how much of the pool
is filled and how many numbers are given out; ``users`` how many clusters have each set. When the
pool is full, sets without users are dropped: those with users never exceed the pairs there were
at the start, so a pool of thrice that many is always enough.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.compilation import hot_loop

Ints = npt.NDArray[np.integer]


def marks(size: int) -> npt.NDArray[np.int64]:
    """Give each sensitive value a mark; the hash of a set is the exclusive or of its values' marks."""
    mixed = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


@hot_loop
def find_or_add(
    first: int,
    length: int,
    mark: int,
    pool: Ints,
    starts: Ints,
    lengths: Ints,
    hashes: Ints,
    table: Ints,
    used: Ints,
) -> int:
    """Give the number of the set that lies at ``first`` in the pool; if it is new it stays there.

    With an empty table every set gets a number of its own; see :func:`is_same_set`.
    """
    mask = len(table) - 1
    slot = mark & mask
    while mask >= 0 and table[slot] >= 0:
        known = table[slot]
        if hashes[known] == mark and lengths[known] == length:
            same = True
            begin = starts[known]
            for i in range(length):
                if pool[begin + i] != pool[first + i]:
                    same = False
                    break
            if same:
                return int(known)
        slot = (slot + 1) & mask
    number = used[1]
    if mask >= 0:
        table[slot] = number
    starts[number] = first
    lengths[number] = length
    hashes[number] = mark
    used[0] = first + length
    used[1] = number + 1
    return int(number)


@hot_loop
def drop_unused(
    pool: Ints, starts: Ints, lengths: Ints, hashes: Ints, users: Ints, table: Ints, used: Ints
) -> None:
    """Move the sets that have users together, and forget the others."""
    mask = len(table) - 1
    table[:] = -1
    filled = 0
    for number in range(used[1]):
        if users[number] > 0:
            begin = starts[number]
            for i in range(lengths[number]):
                pool[filled + i] = pool[begin + i]
            starts[number] = filled
            filled += lengths[number]
            if mask >= 0:
                slot = hashes[number] & mask
                while table[slot] >= 0:
                    slot = (slot + 1) & mask
                table[slot] = number
    used[0] = filled


@hot_loop
def is_same_set(one: int, other: int, pool: Ints, starts: Ints, lengths: Ints, hashes: Ints) -> bool:
    """Tell whether two numbers stand for equal sets; a hash only says where not to look further."""
    if one == other:
        return True
    if hashes[one] != hashes[other] or lengths[one] != lengths[other]:
        return False
    same = True
    for i in range(lengths[one]):
        if pool[starts[one] + i] != pool[starts[other] + i]:
            same = False
            break
    return same


@hot_loop
def number_once(
    set_of: Ints, pool: Ints, starts: Ints, lengths: Ints, hashes: Ints, users: Ints, table: Ints
) -> None:
    """Give equal sets one number, from now on kept in the table; clusters without a set have none below 0."""
    mask = len(table) - 1
    for cluster in range(len(set_of)):
        number = set_of[cluster]
        if number < 0:
            continue
        slot = hashes[number] & mask
        while table[slot] >= 0:
            known = table[slot]
            if is_same_set(known, number, pool, starts, lengths, hashes):
                break
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = number
        elif table[slot] != number:
            users[number] -= 1
            users[table[slot]] += 1
            set_of[cluster] = table[slot]


@hot_loop
def union_of(
    one: int,
    other: int,
    marks: Ints,
    pool: Ints,
    starts: Ints,
    lengths: Ints,
    hashes: Ints,
    users: Ints,
    table: Ints,
    used: Ints,
) -> int:
    """Give the number of the union of two sets that have users."""
    if lengths[one] < lengths[other]:
        one, other = other, one
    size, small = lengths[one], lengths[other]
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
    if used[0] + size + small > len(pool):
        drop_unused(pool, starts, lengths, hashes, users, table, used)
    i, last_i = starts[one], starts[one] + size
    j, last_j = starts[other], starts[other] + small
    first = used[0]
    write = first
    mark = marks[0] ^ marks[0]
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
        mark ^= marks[value]
        write += 1
    if write - first == size:
        return int(one)
    return find_or_add(first, write - first, mark, pool, starts, lengths, hashes, table, used)
