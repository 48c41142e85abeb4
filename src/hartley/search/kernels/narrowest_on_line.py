"""Algorithm 1 under distortion on a line: the partner has other candidates and the cheapest union."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.compilation import hot_loop
from hartley.measures.member_runs import join_runs, single_runs
from hartley.search.kernels.cheapest_partner import (
    CENTROID,
    EMPTY,
    MEMBER,
    NEIGHBOURS,
    cheapest_partner,
    union_cost,
)
from hartley.search.kernels.interned_sets import find_or_add, is_same_set, number_once, union_of

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]


@hot_loop
def near_partner(
    slot: int,
    body: Floats,
    label: Ints,
    set_of: Ints,
    after: Ints,
    before: Ints,
    codeword: int,
    slack: float,
    runs: Ints,
    links: Ints,
    values: Floats,
    pool: Ints,
    starts: Ints,
    lengths: Ints,
    hashes: Ints,
) -> tuple[int, bool]:
    """Look for the cheapest partner among a few neighbours; tell whether none farther off can be cheaper.

    The same look as the first of :func:`~hartley.search.kernels.cheapest_partner.cheapest_partner`, for
    sets that have not been numbered once.
    """
    m = len(after)
    own = set_of[slot]
    low, high = body[slot, 0], body[slot, 1]
    found = -1
    best = np.inf
    right, left, budget = after[slot], before[slot], NEIGHBOURS
    while budget > 0 and (right < m or left >= 0):
        if right < m:
            budget -= 1
            if (max(high, body[right, 0]) - low) / 2 > best + slack:
                right = m
            else:
                if not is_same_set(own, set_of[right], pool, starts, lengths, hashes):
                    cost = union_cost(slot, right, body, codeword, runs, links, values)
                    if cost < best or (cost == best and label[right] < label[found]):
                        best, found = cost, right
                right = after[right]
        if left >= 0:
            budget -= 1
            if (high - body[left, 0]) / 2 > best + slack:
                left = -1
            else:
                if not is_same_set(own, set_of[left], pool, starts, lengths, hashes):
                    cost = union_cost(slot, left, body, codeword, runs, links, values)
                    if cost < best or (cost == best and label[left] < label[found]):
                        best, found = cost, left
                left = before[left]
    return found, right >= m and left < 0


@hot_loop
def narrowest_on_line(
    indptr: Ints,
    indices: Ints,
    marks: Ints,
    width: int,
    places: Ints,
    positions: Floats,
    codeword: int,
    is_exact: bool,
) -> tuple[Ints, Ints, Ints]:
    """Give the merges (kept, joined) and where the steps end.

    ``places`` lists the values in line order, those without a position last; ``positions`` holds the
    positions of the others.
    """
    n = len(places)
    m = len(positions)
    pool = np.empty(3 * len(indices) + 64, np.int32)
    set_starts = np.zeros(2 * n, np.int64)
    set_lengths = np.zeros(2 * n, np.int32)
    hashes = np.zeros(2 * n, np.int64)
    users = np.zeros(2 * n, np.int32)
    # Equal sets get one number only when the search of the tree first asks for it.
    table = np.empty(0, np.int32)
    used = np.zeros(2, np.int64)
    # Clusters on the line: see cheapest_partner.
    body = np.empty((m, 4), np.float64)
    kind = np.empty(m, np.int32)
    label = places.astype(np.int32)
    alias = np.empty(0, np.int32)
    after = np.arange(1, m + 1).astype(np.int32)
    before = np.arange(-1, m - 1).astype(np.int32)
    half = 1
    while half < m:
        half *= 2
    bounds = np.empty((2 * half, 9), np.float64)
    labels = np.empty(2 * half, np.int32)
    kinds = np.full(2 * half, EMPTY, np.int32)
    changed = np.empty(2 * n + 2, np.int32)
    state = np.zeros(2, np.int64)
    stack = np.empty((256, 2), np.float64)
    largest, reach = 1.0, 0.0
    for slot in range(m):
        reach = max(reach, abs(positions[slot]))
        body[slot, 0] = positions[slot]
        body[slot, 1] = positions[slot]
        body[slot, 2] = positions[slot]
        body[slot, 3] = 1.0
    # Runs of members' positions, for the member codeword.
    runs = np.arange(m if codeword == MEMBER else 0)
    links, values, run_used = single_runs(positions[: len(runs)])
    set_of = np.empty(n, np.int32)
    slot_at = np.empty(n, np.int32)
    heads = np.full(width + 2, -1, np.int32)
    next_entry = np.full(2 * n, -1, np.int32)
    slot_of = np.zeros(2 * n, np.int32)
    entry_of = np.zeros(n, np.int32)
    entries = 0
    for slot in range(n):
        place = places[slot]
        slot_at[place] = slot
        first = used[0]
        length = indptr[place + 1] - indptr[place]
        mark = marks[0] ^ marks[0]
        for i in range(length):
            value = indices[indptr[place] + i]
            pool[first + i] = value
            mark ^= marks[value]
        number = find_or_add(first, length, mark, pool, set_starts, set_lengths, hashes, table, used)
        users[number] += 1
        set_of[slot] = number
        if slot < m:
            kind[slot] = number
        slot_of[entries] = slot
        entry_of[slot] = entries
        next_entry[entries] = heads[length]
        heads[length] = entries
        entries += 1
    kept = np.empty(n, np.int32)
    joined = np.empty(n, np.int32)
    ends = np.zeros(width + 2, np.int64)
    merges, steps = 0, 0
    waiting = np.zeros(n, np.bool_)
    narrowest = np.empty(n, np.int32)
    count = 1
    while count <= width:
        found = 0
        entry = heads[count]
        heads[count] = -1
        while entry >= 0:
            slot = slot_of[entry]
            if entry_of[slot] == entry:
                narrowest[found] = label[slot]
                found += 1
            entry = next_entry[entry]
        if found == 0:
            count += 1
            continue
        order = np.sort(narrowest[:found])
        for place in order:
            waiting[slot_at[place]] = True
        stranded = False
        for place in order:
            slot = slot_at[place]
            if not waiting[slot] or label[slot] != place:
                continue
            waiting[slot] = False
            partner, settled = -1, True
            if slot < m:
                slack = 0.0
                mean_slack = 32 * 2.3e-16 * reach
                if codeword == CENTROID and not is_exact:
                    slack = 2.3e-16 * reach * (4 * largest + 8)
                    mean_slack += 2 * slack
                settled = False
                if len(table) == 0:
                    partner, settled = near_partner(
                        slot,
                        body,
                        label,
                        set_of,
                        after,
                        before,
                        codeword,
                        slack,
                        runs,
                        links,
                        values,
                        pool,
                        set_starts,
                        set_lengths,
                        hashes,
                    )
            if not settled:
                if len(table) == 0:
                    slots = 8
                    while slots < 4 * n:
                        slots *= 2
                    table = np.full(slots, -1, np.int32)
                    number_once(set_of, pool, set_starts, set_lengths, hashes, users, table)
                    for other in range(m):
                        kind[other] = set_of[other] if kind[other] != EMPTY else EMPTY
                partner, _ = cheapest_partner(
                    slot,
                    body,
                    label,
                    kind,
                    alias,
                    after,
                    before,
                    codeword,
                    slack,
                    mean_slack,
                    runs,
                    links,
                    values,
                    bounds,
                    labels,
                    kinds,
                    changed,
                    state,
                    stack,
                )
            if partner < 0:
                stranded = True
                continue
            waiting[partner] = False
            stays, leaves = min(slot, partner), max(slot, partner)
            number = union_of(
                set_of[slot],
                set_of[partner],
                marks,
                pool,
                set_starts,
                set_lengths,
                hashes,
                users,
                table,
                used,
            )
            users[set_of[slot]] -= 1
            users[set_of[partner]] -= 1
            users[number] += 1
            set_of[stays] = number
            set_of[leaves] = -1
            kind[stays] = number
            kind[leaves] = EMPTY
            body[stays, 1] = max(body[slot, 1], body[partner, 1])
            body[stays, 2] += body[leaves, 2]
            body[stays, 3] += body[leaves, 3]
            largest = max(largest, body[stays, 3])
            if after[leaves] < m:
                before[after[leaves]] = before[leaves]
            after[before[leaves]] = after[leaves]
            if codeword == MEMBER:
                runs[stays] = join_runs(runs[stays], runs[leaves], links, values, run_used)
            if state[1] == 1:
                if state[0] + 2 > len(changed):
                    state[1] = 0
                    state[0] = 0
                else:
                    changed[state[0]] = stays
                    changed[state[0] + 1] = leaves
                    state[0] += 2
            keep = min(label[slot], label[partner])
            join = max(label[slot], label[partner])
            label[stays] = keep
            slot_at[keep] = stays
            entry_of[leaves] = -1
            length = set_lengths[number]
            slot_of[entries] = stays
            entry_of[stays] = entries
            next_entry[entries] = heads[length]
            heads[length] = entries
            entries += 1
            kept[merges] = keep
            joined[merges] = join
            merges += 1
        if merges == ends[steps]:
            break
        steps += 1
        ends[steps] = merges
        if stranded:
            # A cluster that found no partner is as narrow as before: the next step would have no other.
            break
    return kept[:merges], joined[:merges], ends[: steps + 1]
