"""One step of the sweep along a line with at most two open clusters.

The theorem behind it is in :mod:`~hartley.search.distortion.two_open_clusters`.

A state is a row of whole numbers: the columns named here, then the sensitive values that the older cluster
holds, then those of the younger one, as bits of words. A cluster that has enough holds all of them, so
that what it can do is told by the same comparison as for any other.

Rows are copied number by number: the compiler takes seconds for a slice that is assigned.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Flags, Floats, Int64s

OLDER, YOUNGER = 0, 3
"""Where a cluster begins in a row: its first rank (-1: there is no such cluster), the last member that can be
its codeword, and how many sensitive values it holds (as many as wanted where it has enough)."""
BEFORE, TAKER, HELD = 6, 7, 8
"""The row of the step before, the first rank of the cluster that took the value, and the words held."""
MOST_COMPARED = 3_000
"""States that a state is compared with at most; leaving one in costs time and no truth."""


@hot_loop
def bits_set(word: int) -> int:
    """Count the bits of a word that are set."""
    word = word - ((word >> 1) & 0x1555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 0x7F


@hot_loop
def can_anchor(row: Int64s, cluster: int, rank: int, positions: Floats, cost: float, halved: bool) -> bool:
    """Tell whether a rank can be the codeword of a cluster."""
    return not halved and positions[rank] - positions[row[cluster]] <= cost


@hot_loop
def is_within(row: Int64s, cluster: int, rank: int, positions: Floats, cost: float, halved: bool) -> bool:
    """Tell whether a cluster can take a rank at this cost."""
    if halved:
        return bool((positions[rank] - positions[row[cluster]]) / 2 <= cost)
    return can_anchor(row, cluster, rank, positions, cost, halved) or bool(
        positions[rank] - positions[row[cluster + 1]] <= cost
    )


@hot_loop
def is_useful(
    row: Int64s, cluster: int, rank: int, words: Int64s, positions: Floats, cost: float, halved: bool
) -> bool:
    """Tell whether a rank brings a cluster sensitive values or a codeword that reaches farther."""
    wide = words.shape[1]
    begin = HELD if cluster == OLDER else HELD + wide
    for word in range(wide):
        if words[rank, word] & ~row[begin + word]:
            return True
    return can_anchor(row, cluster, rank, positions, cost, halved)


@hot_loop
def take(
    row: Int64s,
    cluster: int,
    rank: int,
    words: Int64s,
    full: Int64s,
    wanted: int,
    positions: Floats,
    cost: float,
    halved: bool,
) -> bool:
    """Put a rank into a cluster of a row; tell whether the cluster has enough then."""
    wide = words.shape[1]
    begin = HELD if cluster == OLDER else HELD + wide
    if can_anchor(row, cluster, rank, positions, cost, halved):
        row[cluster + 1] = rank
    row[TAKER] = row[cluster]
    if row[cluster + 2] >= wanted:
        return True
    held = 0
    for word in range(wide):
        row[begin + word] |= words[rank, word]
        held += bits_set(row[begin + word])
    if held >= wanted:
        for word in range(wide):
            row[begin + word] = full[word]
        held = wanted
    row[cluster + 2] = held
    return held >= wanted


@hot_loop
def open_at(
    row: Int64s, cluster: int, rank: int, words: Int64s, full: Int64s, wanted: int, positions: Floats
) -> bool:
    """Open a cluster at a rank; tell whether it has enough at once."""
    wide = words.shape[1]
    begin = HELD if cluster == OLDER else HELD + wide
    row[cluster] = rank
    row[cluster + 1] = rank
    row[cluster + 2] = 0
    for word in range(wide):
        row[begin + word] = 0
    return take(row, cluster, rank, words, full, wanted, positions, 0.0, True)


@hot_loop
def older_leaves(row: Int64s, wide: int) -> None:
    """Close the older cluster: the younger one takes its place."""
    for part in range(3):
        row[OLDER + part] = row[YOUNGER + part]
        row[YOUNGER + part] = -1
    for word in range(HELD, HELD + wide):
        row[word] = row[word + wide]
        row[word + wide] = 0


@hot_loop
def has_hope(row: Int64s, wanted: int, anywhere: Int64s, once: Int64s) -> bool:
    """Tell whether the open clusters can still find enough values ahead, each alone and both together.

    ``anywhere`` and ``once`` give, for each first rank, the values ahead within its reach: all of them, and
    those that lie there once. The younger cluster reaches farther: what it sees once, nobody sees twice.
    """
    wide = anywhere.shape[1]
    spare = 0
    open_clusters = 0
    for side in range(2):
        cluster = OLDER if side == 0 else YOUNGER
        if row[cluster] < 0 or row[cluster + 2] >= wanted:
            continue
        open_clusters += 1
        found = row[cluster + 2]
        for word in range(wide):
            found += bits_set(anywhere[row[cluster], word] & ~row[HELD + side * wide + word])
        if found < wanted:
            return False
        spare += found - wanted
    if open_clusters < 2:
        return True
    contested = 0
    for word in range(wide):
        mine = anywhere[row[OLDER], word] & ~row[HELD + word]
        yours = once[row[YOUNGER], word] & ~row[HELD + wide + word]
        contested += bits_set(mine & yours)
    return spare >= contested


@hot_loop
def look_ahead(rank: int, ends: Int64s, words: Int64s, anywhere: Int64s, once: Int64s) -> None:
    """Gather, for each first rank, the values after a rank within its reach: all, and those seen once."""
    for first in range(rank + 1):
        for word in range(words.shape[1]):
            seen = np.int64(0)
            single = np.int64(0)
            for member in range(rank + 1, ends[first] + 1):
                values = words[member, word]
                single = (single & ~values) | (values & ~seen)
                seen |= values
            anywhere[first, word] = seen
            once[first, word] = single


@hot_loop
def succeed(
    states: Int64s,
    rank: int,
    positions: Floats,
    words: Int64s,
    full: Int64s,
    ends: Int64s,
    wanted: int,
    cost: float,
    halved: bool,
    anywhere: Int64s,
    once: Int64s,
    out: Int64s,
) -> int:
    """Write every state that a rank can lead to and that has hope into ``out``; give how many."""
    wide = words.shape[1]
    look_ahead(rank, ends, words, anywhere, once)
    count = 0
    for before in range(len(states)):
        row = states[before]
        alone = row[YOUNGER] < 0
        if not alone and not (
            is_within(row, YOUNGER, rank, positions, cost, halved)
            and is_within(row, OLDER, rank, positions, cost, halved)
        ):
            # A span may not lie inside the older one: the younger cluster must reach at least as far.
            continue
        to_older = alone and is_within(row, OLDER, rank, positions, cost, halved)
        to_younger = False
        if not alone:
            to_older = is_useful(row, OLDER, rank, words, positions, cost, halved)
            to_younger = not to_older or is_useful(row, YOUNGER, rank, words, positions, cost, halved)
        for choice in range(3):
            if not (to_older if choice == 0 else to_younger if choice == 1 else alone):
                continue
            after = out[count]
            for part in range(len(row)):
                after[part] = row[part]
            after[BEFORE] = before
            is_older = choice == 0 or (choice == 2 and row[OLDER + 2] >= wanted)
            cluster = OLDER if is_older else YOUNGER
            if choice == 2:
                open_at(after, cluster, rank, words, full, wanted, positions)
            else:
                has_enough = take(after, cluster, rank, words, full, wanted, positions, cost, halved)
                if has_enough and choice == 0 and not alone:
                    older_leaves(after, wide)
            if has_hope(after, wanted, anywhere, once):
                count += 1
    return count


@hot_loop
def outdone_by_free(states: Int64s, wanted: int, size: int) -> Flags:
    """Mark states that can do no more than one whose only cluster has enough and reaches farther."""
    same = np.full(size + 1, -1, dtype=np.int64)
    for row in states:
        if row[YOUNGER] < 0 and row[OLDER + 2] >= wanted:
            same[row[OLDER]] = max(same[row[OLDER]], row[OLDER + 1])
    later = np.full(size + 1, -1, dtype=np.int64)
    for first in range(size - 1, -1, -1):
        later[first] = max(later[first + 1], same[first + 1])
    outdone = np.zeros(len(states), dtype=np.bool_)
    for number in range(len(states)):
        row = states[number]
        last = OLDER if row[YOUNGER] < 0 else YOUNGER
        first = row[last]
        anchor = row[last + 1]
        is_free = row[YOUNGER] < 0 and row[OLDER + 2] >= wanted
        outdone[number] = later[first] >= anchor or (
            same[first] > anchor if is_free else same[first] >= anchor
        )
    return outdone


@hot_loop
def mark_maximal(states: Int64s, order: Int64s, kept: Flags) -> None:
    """Mark, of the states of the same first ranks, those that no other covers; ``order``: heaviest first."""
    last_word = states.shape[1]
    chosen = np.empty(len(order), dtype=np.int64)
    begin = 0
    many = 0
    for place in range(len(order)):
        row = states[order[place]]
        if place > 0:
            head = states[order[place - 1]]
            if head[OLDER] != row[OLDER] or head[YOUNGER] != row[YOUNGER]:
                begin = many
        covered = False
        for at in range(begin, min(many, begin + MOST_COMPARED)):
            other = states[chosen[at]]
            if other[OLDER + 1] < row[OLDER + 1] or other[YOUNGER + 1] < row[YOUNGER + 1]:
                continue
            covered = True
            for word in range(HELD, last_word):
                if row[word] & ~other[word]:
                    covered = False
                    break
            if covered:
                break
        if not covered:
            chosen[many] = order[place]
            many += 1
            kept[order[place]] = True
