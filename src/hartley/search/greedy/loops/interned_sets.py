"""Sets of sensitive values, each known by a number: how clusters take them and join them.

Once the sets are *numbered once* two clusters have the same candidates exactly when they have the same
number; before that, equal sets may have two (see :func:`is_same_set`).
"""

from __future__ import annotations

from hartley.hot_loops import hot_part
from hartley.model.arrays import Ints
from hartley.search.greedy.loops.set_pool import (
    FILLED,
    GIVEN_OUT,
    IS_NUMBERED,
    MOVED,
    Sets,
    drop_unused,
    find_or_enter,
    has_same_values,
    holds,
    open_copy,
    put_in,
    room_beside,
    sort_set,
)

OPEN_FROM = 64
"""Smaller sets are always sorted."""
LOPSIDED = 8
"""A set that is so many times smaller is put into the other value by value."""


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
    """Return the number of the sorted set that lies at ``first`` in the pool; if it is new it stays there."""
    number = sets.used[GIVEN_OUT]
    sets.starts[number] = first
    sets.lengths[number] = length
    sets.hashes[number] = mark
    known = find_or_enter(number, sets)
    if known == number:
        sets.used[FILLED] = first + length
        sets.used[GIVEN_OUT] = number + 1
    return known


@hot_part
def is_same_set(one: int, other: int, sets: Sets) -> bool:
    """Tell whether two numbers stand for equal sets; a hash only says where not to look further."""
    if one == other:
        return True
    if sets.used[IS_NUMBERED] == 1:
        return False
    return has_same_values(one, other, sets)


@hot_part
def number_once(set_of: Ints, sets: Sets) -> None:
    """Assign equal sets one number, now and from now on; clusters that are no more have none below 0."""
    mask = len(sets.table) - 1
    sets.table[:] = -1
    for place in range(order_by_stretch(set_of, sets)):
        cluster = sets.ordered[place]
        number = set_of[cluster]
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
def order_by_stretch(set_of: Ints, sets: Sets) -> int:
    """Put clusters in ``ordered`` whose sets belong into one stretch of the table together; tell how many.

    A large table is then filled stretch by stretch, each of which a processor's cache can hold.
    """
    ordered, ends = sets.ordered, sets.stretch_ends
    mask = len(sets.table) - 1
    width = mask // (len(ends) - 1) + 1
    ends[:] = 0
    for number in set_of:
        if number >= 0:
            ends[(sets.hashes[number] & mask) // width + 1] += 1
    for stretch in range(1, len(ends)):
        ends[stretch] += ends[stretch - 1]
    many = ends[-1]
    for cluster in range(len(set_of)):
        number = set_of[cluster]
        if number >= 0:
            stretch = (sets.hashes[number] & mask) // width
            ordered[ends[stretch]] = cluster
            ends[stretch] += 1
    return int(many)


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
    if small * LOPSIDED < size:
        # A large set that already holds the small one costs no more than looking that up.
        inside = True
        for i in range(starts[other], starts[other] + small):
            if not holds(one, pool[i], sets):
                inside = False
                break
        sets.used[MOVED] += 2 * small
        if inside:
            return int(one)
        if size >= OPEN_FROM:
            return union_of_lopsided(one, other, sets)
    sort_set(one, sets)
    sort_set(other, sets)
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
    sets.used[MOVED] += size + small
    if write - first == size:
        return int(one)
    return find_or_add(first, write - first, mark, sets)


@hot_part
def union_of_lopsided(one: int, other: int, sets: Sets) -> int:
    """Return the number of the union of a large set with a small one that has other values too."""
    size, small = sets.lengths[one], sets.lengths[other]
    is_grown = sets.users[one] == 1 and size + small <= sets.room[one]
    needed = (size + small) // 2
    if not is_grown:
        needed += room_beside(size)
    if sets.used[FILLED] + needed > len(sets.pool):
        # That leaves an open set no room behind it.
        drop_unused(sets)
        is_grown = False
    number = one
    if not is_grown:
        number = open_copy(one, sets)
    for i in range(small):
        value = sets.pool[sets.starts[other] + i]
        if not holds(number, value, sets):
            put_in(number, value, sets)
    return find_or_enter(number, sets)
