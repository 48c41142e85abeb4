"""One step of the sweep along a line with at most two open clusters.

The theorem behind it is in :mod:`~hartley.search.line.sweeps.two_open_clusters`.

A state is a row of whole numbers: the columns named here, then the codes that the older cluster holds, then
those of the younger one, as bits of words. A cluster that has enough holds all of them, so that what it can
do is told by the same comparison as for any other.

Rows are copied number by number: the compiler takes seconds for a slice that is assigned.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Flags, Floats, Int64s, Places
from hartley.search.line.sweeps.held_codes import HeldDemand, bits_set, count_lack, lack_of

FIRST, ANCHOR, LACK, ROWS = 0, 1, 2, 3
"""What a row says of a cluster: its first rank (-1: there is no such cluster), the last member that can be
its codeword, what it lacks to be enough, and its rows (no more than are wanted)."""
OLDER, YOUNGER = 0, 4
"""Where a cluster begins in a row."""
BEFORE, TAKER, HELD = 8, 9, 10
"""The row of the step before, the first rank of the cluster that took the value, and the words held."""
MOST_COMPARED = 300
"""States that a state is compared with at most; leaving one in costs time and no truth."""


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
        positions[rank] - positions[row[cluster + ANCHOR]] <= cost
    )


@hot_loop
def is_useful(
    row: Int64s, cluster: int, rank: int, demand: HeldDemand, positions: Floats, cost: float, halved: bool
) -> bool:
    """Tell whether a rank brings a cluster codes, rows, or a codeword that reaches farther."""
    wide = demand.words.shape[1]
    begin = HELD if cluster == OLDER else HELD + wide
    if row[cluster + LACK] > 0 and row[cluster + ROWS] < demand.row_k:
        return True
    for word in range(wide):
        if demand.words[rank, word] & ~row[begin + word]:
            return True
    return can_anchor(row, cluster, rank, positions, cost, halved)


@hot_loop
def take(
    row: Int64s,
    cluster: int,
    rank: int,
    demand: HeldDemand,
    full: Int64s,
    positions: Floats,
    cost: float,
    halved: bool,
) -> bool:
    """Put a rank into a cluster of a row; tell whether the cluster has enough then."""
    wide = demand.words.shape[1]
    begin = HELD if cluster == OLDER else HELD + wide
    if can_anchor(row, cluster, rank, positions, cost, halved):
        row[cluster + ANCHOR] = rank
    row[TAKER] = row[cluster]
    if row[cluster + LACK] == 0:
        return True
    row[cluster + ROWS] = min(row[cluster + ROWS] + demand.rows[rank], demand.row_k)
    for word in range(wide):
        row[begin + word] |= demand.words[rank, word]
    lack = lack_of(row, begin, row, begin, row[cluster + ROWS], demand)
    if lack == 0:
        for word in range(wide):
            row[begin + word] = full[word]
        row[cluster + ROWS] = demand.row_k
    row[cluster + LACK] = lack
    return lack == 0


@hot_loop
def open_at(
    row: Int64s, cluster: int, rank: int, demand: HeldDemand, full: Int64s, positions: Floats
) -> bool:
    """Open a cluster at a rank; tell whether it has enough at once."""
    wide = demand.words.shape[1]
    begin = HELD if cluster == OLDER else HELD + wide
    row[cluster] = rank
    row[cluster + ANCHOR] = rank
    row[cluster + LACK] = 1
    row[cluster + ROWS] = 0
    for word in range(wide):
        row[begin + word] = 0
    return take(row, cluster, rank, demand, full, positions, 0.0, True)


@hot_loop
def older_leaves(row: Int64s, wide: int) -> None:
    """Close the older cluster: the younger one takes its place."""
    for part in range(YOUNGER):
        row[OLDER + part] = row[YOUNGER + part]
        row[YOUNGER + part] = -1
    for word in range(HELD, HELD + wide):
        row[word] = row[word + wide]
        row[word + wide] = 0


@hot_loop
def has_hope(row: Int64s, demand: HeldDemand, anywhere: Int64s, once: Int64s, rows_ahead: Places) -> bool:
    """Tell whether the open clusters can still find enough ahead, each alone and both together.

    ``anywhere`` and ``once`` give, for each first rank, the codes ahead within its reach: all of them, and
    those that lie there once; ``rows_ahead`` the rows. The younger cluster reaches farther: what it sees
    once, nobody sees twice, and there are no other rows for the older one.
    """
    wide = anywhere.shape[1]
    is_open = 0
    rows_lacking = 0
    for side in range(2):
        cluster = OLDER if side == 0 else YOUNGER
        if row[cluster] < 0 or row[cluster + LACK] == 0:
            continue
        is_open += 1
        first = row[cluster]
        rows_lacking += demand.row_k - row[cluster + ROWS]
        if row[cluster + ROWS] + rows_ahead[first] < demand.row_k:
            return False
        for count in range(len(demand.wanted)):
            if count_lack(count, row, HELD + side * wide, anywhere[first], 0, demand) > 0:
                return False
    if is_open < 2:
        return True
    if rows_lacking > rows_ahead[row[YOUNGER]]:
        return False
    for count in range(len(demand.wanted)):
        if not demand.is_plain[count]:
            continue
        spare = -count_lack(count, row, HELD, anywhere[row[OLDER]], 0, demand)
        spare -= count_lack(count, row, HELD + wide, anywhere[row[YOUNGER]], 0, demand)
        for word in range(demand.first_word[count], demand.first_word[count + 1]):
            mine = anywhere[row[OLDER], word] & ~row[HELD + word]
            yours = once[row[YOUNGER], word] & ~row[HELD + wide + word]
            spare -= bits_set(mine & yours)
        if spare < 0:
            return False
    return True


@hot_loop
def look_ahead(rank: int, ends: Int64s, demand: HeldDemand, anywhere: Int64s, once: Int64s) -> None:
    """Gather, for each first rank, the codes after a rank within its reach: all, and those seen once."""
    for first in range(rank + 1):
        for word in range(demand.words.shape[1]):
            seen = np.int64(0)
            single = np.int64(0)
            for member in range(rank + 1, ends[first] + 1):
                codes = demand.words[member, word]
                single = (single & ~codes) | (codes & ~seen)
                seen |= codes
            anywhere[first, word] = seen
            once[first, word] = single


@hot_loop
def succeed(
    states: Int64s,
    rank: int,
    positions: Floats,
    demand: HeldDemand,
    full: Int64s,
    ends: Int64s,
    cost: float,
    halved: bool,
    anywhere: Int64s,
    once: Int64s,
    rows_ahead: Places,
    out: Int64s,
) -> int:
    """Write every state that a rank can lead to and that has hope into ``out``; give how many."""
    wide = demand.words.shape[1]
    look_ahead(rank, ends, demand, anywhere, once)
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
            to_older = is_useful(row, OLDER, rank, demand, positions, cost, halved)
            to_younger = not to_older or is_useful(row, YOUNGER, rank, demand, positions, cost, halved)
        for choice in range(3):
            if not (to_older if choice == 0 else to_younger if choice == 1 else alone):
                continue
            after = out[count]
            for part in range(len(row)):
                after[part] = row[part]
            after[BEFORE] = before
            is_older = choice == 0 or (choice == 2 and row[OLDER + LACK] == 0)
            cluster = OLDER if is_older else YOUNGER
            if choice == 2:
                open_at(after, cluster, rank, demand, full, positions)
            else:
                has_enough = take(after, cluster, rank, demand, full, positions, cost, halved)
                if has_enough and choice == 0 and not alone:
                    older_leaves(after, wide)
            if has_hope(after, demand, anywhere, once, rows_ahead):
                count += 1
    return count


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
            if (
                other[OLDER + ANCHOR] < row[OLDER + ANCHOR]
                or other[YOUNGER + ANCHOR] < row[YOUNGER + ANCHOR]
                or other[OLDER + ROWS] < row[OLDER + ROWS]
                or other[YOUNGER + ROWS] < row[YOUNGER + ROWS]
            ):
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
