"""The candidates of every cluster, each set a hash table of its own, and which clusters have the same ones.

The tables lie one after another in a pool. A table has a power of two of slots, at most three quarters of
them filled; before its slots stands whose it is, or minus their number where nobody's. Where two clusters
merge, the values of the smaller set are put into the larger one's table; a table without room moves to the
end of the pool, and when the pool is full, all tables in use move together. No table has more slots than 8/3
of the pairs that its cluster began with, so a pool of eight times the pairs is always enough.

Equal sets are told by their *kinds*: numbers that only equal sets share. A new set has a kind of its own;
where two sets with equal hashes have the same values, their kinds become one, and nobody compares them again.
So no decision rests on a hash.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_part
from hartley.model.arrays import Int64s, Ints
from hartley.model.disjoint_sets import root_of

FILLED, KINDS, MOVED = range(3)
"""What ``used`` holds: how much of the pool is filled, how many kinds are given out, and elementary steps
since the slice began."""
SPREAD = 0x9E3779B1
"""Neighbouring values go to slots that lie far apart."""


class Sets(NamedTuple):
    """The sets of all clusters, by place; loops change the arrays in place."""

    pool: Ints
    """All tables, one after another; an empty slot is -1."""
    starts: Int64s
    """Where the slots of each cluster's table begin."""
    rooms: Ints
    """How many slots it has."""
    counts: Ints
    hashes: Int64s
    kinds: Ints
    alias: Ints
    """What each kind has become part of."""
    marks: Int64s
    """The hash of a set is the exclusive or of its values' marks."""
    used: Int64s


def sets_for(values: int, pairs: int, width: int) -> Sets:
    """Make room for the sets of so many public values out of ``width`` sensitive ones."""
    return Sets(
        pool=np.empty(8 * pairs + 64, np.int32),
        starts=np.zeros(values, np.int64),
        rooms=np.zeros(values, np.int32),
        counts=np.zeros(values, np.int32),
        hashes=np.zeros(values, np.int64),
        kinds=np.arange(values, dtype=np.int32),
        alias=np.arange(2 * values, dtype=np.int32),
        marks=_marks(width),
        used=np.array([0, values, 0]),
    )


def _marks(size: int) -> Int64s:
    mixed = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


@hot_part
def slot_of(value: int, begin: int, room: int, pool: Ints) -> int:
    """Return where in the pool the table of so many slots has a value, or has an empty slot for it."""
    at = ((np.int64(value) * SPREAD) >> 12) & (room - 1)
    while pool[begin + at] >= 0 and pool[begin + at] != value:
        at = (at + 1) & (room - 1)
    return int(begin + at)


@hot_part
def has_all_of(one: int, one_room: int, other: int, other_room: int, pool: Ints) -> bool:
    """Tell whether the table at ``other`` has all values of the table at ``one``."""
    for slot in range(one, one + one_room):
        if pool[slot] >= 0 and pool[slot_of(pool[slot], other, other_room, pool)] < 0:
            return False
    return True


@hot_part
def pour(
    source: Ints, first: int, end: int, begin: int, room: int, pool: Ints, marks: Int64s
) -> tuple[int, int]:
    """Put what stands between two places of ``source`` into a table; return how much was new, and its hash.

    Here and in the two above arrays stand alone, for to hand all of them on would take longer than the work.
    """
    many, mark = 0, marks[0] ^ marks[0]
    for at in range(first, end):
        value = source[at]
        if value >= 0:
            slot = slot_of(value, begin, room, pool)
            is_new = pool[slot] < 0
            pool[slot] = value
            many += is_new
            mark ^= marks[value] * is_new
    return many, mark


@hot_part
def move_together(sets: Sets) -> None:
    """Close the gaps that tables left behind."""
    pool, read, filled = sets.pool, 0, 0
    while read < sets.used[FILLED]:
        owner = pool[read]
        if owner < 0:
            read += 1 - owner
            continue
        sets.starts[owner] = filled + 1
        for _ in range(1 + sets.rooms[owner]):
            pool[filled] = pool[read]
            filled += 1
            read += 1
    sets.used[MOVED] += read
    sets.used[FILLED] = filled


@hot_part
def make_room(place: int, many: int, sets: Sets) -> None:
    """Move a cluster's table, if it has one, to the end of the pool, with room for so many values."""
    room = 2
    while 3 * room < 4 * many:
        room *= 2
    if sets.used[FILLED] + 1 + room > len(sets.pool):
        move_together(sets)
    pool, begin, slots = sets.pool, sets.starts[place], sets.rooms[place]
    first = sets.used[FILLED] + 1
    sets.used[FILLED] += 1 + room
    sets.starts[place], sets.rooms[place] = first, room
    pool[first - 1] = place
    for slot in range(first, first + room):
        pool[slot] = -1
    if slots > 0:
        pour(pool, begin, begin + slots, first, room, pool, sets.marks)
        pool[begin - 1] = -slots
    sets.used[MOVED] += room


@hot_part
def add_row(place: int, indptr: Ints, indices: Ints, sets: Sets) -> int:
    """Fill in the candidates of a public value; return how many there are."""
    first, end = indptr[place], indptr[place + 1]
    make_room(place, end - first, sets)
    sets.counts[place], sets.hashes[place] = pour(
        indices, first, end, sets.starts[place], sets.rooms[place], sets.pool, sets.marks
    )
    return int(end - first)


@hot_part
def is_same_set(one: int, other: int, sets: Sets) -> bool:
    """Tell whether two clusters have the same candidates; hashes and kinds nearly always settle it."""
    if sets.hashes[one] != sets.hashes[other]:
        return False
    return sets.kinds[one] == sets.kinds[other] or has_same_values(one, other, sets)


@hot_part
def has_same_values(one: int, other: int, sets: Sets) -> bool:
    """Compare the candidates of two clusters; where they are the same, their kinds become one."""
    mine, yours = root_of(sets.alias, sets.kinds[one]), root_of(sets.alias, sets.kinds[other])
    if mine != yours:
        starts, rooms = sets.starts, sets.rooms
        if sets.counts[one] != sets.counts[other]:
            return False
        if not has_all_of(starts[one], rooms[one], starts[other], rooms[other], sets.pool):
            return False
        sets.alias[yours] = mine
    sets.kinds[one] = sets.kinds[other] = mine
    return True


@hot_part
def unite_sets(keep: int, join: int, sets: Sets) -> None:
    """Let the first of two clusters have the candidates of both, and the other one none."""
    big, small = keep, join
    if sets.counts[keep] < sets.counts[join]:
        big, small = join, keep
    most = min(sets.counts[big] + sets.counts[small], len(sets.marks))
    if 3 * sets.rooms[big] < 4 * most:
        make_room(big, most, sets)
    pool, first, slots = sets.pool, sets.starts[small], sets.rooms[small]
    many, mark = pour(pool, first, first + slots, sets.starts[big], sets.rooms[big], pool, sets.marks)
    sets.used[MOVED] += slots
    pool[first - 1] = -slots
    pool[sets.starts[big] - 1] = keep
    if many > 0:
        sets.kinds[big] = sets.used[KINDS]
        sets.used[KINDS] += 1
    sets.kinds[keep] = sets.kinds[big]
    sets.starts[keep], sets.rooms[keep] = sets.starts[big], sets.rooms[big]
    sets.counts[keep], sets.hashes[keep] = sets.counts[big] + many, sets.hashes[big] ^ mark
