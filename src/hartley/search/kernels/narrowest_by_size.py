"""Algorithm 1 under resolution: the partner is the smallest cluster with other candidates.

A tournament over the places keeps, for every block of them, the smallest cluster and the smallest one
with other candidates than that. Its top answers any question at once, and a merge replays two paths.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.compilation import hot_loop
from hartley.search.kernels.interned_sets import find_or_add, union_of

Ints = npt.NDArray[np.integer]


@hot_loop
def play(node: int, best: Ints, other: Ints, size: Ints, set_of: Ints) -> None:
    """Decide a node of the tournament from its two children; the earlier place wins ties."""
    one, two = best[2 * node], best[2 * node + 1]
    if one < 0 or two < 0:
        side = 2 * node if two < 0 else 2 * node + 1
        best[node] = best[side]
        other[node] = other[side]
        return
    winner, loser = 2 * node, 2 * node + 1
    if size[two] < size[one]:
        winner, loser = loser, winner
    first = best[winner]
    best[node] = first
    second = other[winner]
    third = best[loser]
    if set_of[third] == set_of[first]:
        third = other[loser]
    if second < 0 or (
        third >= 0 and (size[third] < size[second] or (size[third] == size[second] and third < second))
    ):
        second = third
    other[node] = second


@hot_loop
def narrowest_by_size(indptr: Ints, indices: Ints, marks: Ints, width: int) -> tuple[Ints, Ints, Ints]:
    """Give the merges (kept, joined) and where the steps end, for candidate sets given as rows."""
    n = len(indptr) - 1
    pairs = len(indices)
    pool = np.empty(3 * pairs + 64, np.int32)
    starts = np.zeros(2 * n, np.int64)
    lengths = np.zeros(2 * n, np.int32)
    hashes = np.zeros(2 * n, np.int64)
    users = np.zeros(2 * n, np.int32)
    slots = 8
    while slots < 4 * n:
        slots *= 2
    table = np.full(slots, -1, np.int32)
    used = np.zeros(2, np.int64)
    set_of = np.empty(n, np.int32)
    size = np.ones(n, np.int32)
    half = 1
    while half < n:
        half *= 2
    best = np.full(2 * half, -1, np.int32)
    other = np.full(2 * half, -1, np.int32)
    # An entry is a cluster in the list of those with as many candidates; the newest entry of a place counts.
    heads = np.full(width + 2, -1, np.int32)
    following = np.full(2 * n, -1, np.int32)
    place_of = np.zeros(2 * n, np.int32)
    entry_of = np.zeros(n, np.int32)
    entries = 0
    for place in range(n):
        first = used[0]
        length = indptr[place + 1] - indptr[place]
        mark = marks[0] ^ marks[0]
        for i in range(length):
            value = indices[indptr[place] + i]
            pool[first + i] = value
            mark ^= marks[value]
        number = find_or_add(first, length, mark, pool, starts, lengths, hashes, table, used)
        users[number] += 1
        set_of[place] = number
        best[half + place] = place
        place_of[entries] = place
        entry_of[place] = entries
        following[entries] = heads[length]
        heads[length] = entries
        entries += 1
    for node in range(half - 1, 0, -1):
        play(node, best, other, size, set_of)
    kept = np.empty(n, np.int32)
    joined = np.empty(n, np.int32)
    ends = np.zeros(width + 2, np.int64)
    merges = 0
    steps = 0
    waiting = np.zeros(n, np.bool_)
    narrowest = np.empty(n, np.int32)
    count = 1
    while count <= width:
        found = 0
        entry = heads[count]
        heads[count] = -1
        while entry >= 0:
            place = place_of[entry]
            if entry_of[place] == entry:
                narrowest[found] = place
                found += 1
            entry = following[entry]
        if found == 0:
            count += 1
            continue
        order = np.sort(narrowest[:found])
        for place in order:
            waiting[place] = True
        for place in order:
            if not waiting[place]:
                continue
            waiting[place] = False
            partner = best[1]
            if set_of[partner] == set_of[place]:
                partner = other[1]
            if partner < 0:
                continue
            waiting[partner] = False
            keep = min(place, partner)
            join = max(place, partner)
            number = union_of(
                set_of[keep], set_of[join], marks, pool, starts, lengths, hashes, users, table, used
            )
            users[set_of[keep]] -= 1
            users[set_of[join]] -= 1
            users[number] += 1
            set_of[keep] = number
            size[keep] += size[join]
            best[half + join] = -1
            entry_of[join] = -1
            one = (half + keep) // 2
            two = (half + join) // 2
            while one != two:
                play(one, best, other, size, set_of)
                play(two, best, other, size, set_of)
                one //= 2
                two //= 2
            while one > 0:
                play(one, best, other, size, set_of)
                one //= 2
            length = lengths[number]
            place_of[entries] = keep
            entry_of[keep] = entries
            following[entries] = heads[length]
            heads[length] = entries
            entries += 1
            kept[merges] = keep
            joined[merges] = join
            merges += 1
        if merges == ends[steps]:
            break
        steps += 1
        ends[steps] = merges
    return kept[:merges], joined[:merges], ends[: steps + 1]
