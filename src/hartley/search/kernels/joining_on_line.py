"""Algorithm 2 under distortion on a line: of all pairs from different components, the cheapest union.

Every cluster knows the cheapest union it saw when it was last asked; a tournament holds the cheapest
of all. Unions only drop out (a cluster is merged, two components become one) or come in with a
merged cluster, which is asked at once. So what a cluster knows is never dearer than what it
could have, and the winner of the tournament is right if its partner is still as it was; if not, its
cluster is asked again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.compilation import hot_loop
from hartley.measures.member_runs import join_runs, single_runs
from hartley.search.kernels.cheapest_partner import (
    CENTROID,
    EMPTY,
    MEMBER,
    cheapest_partner,
    representative,
)

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]


@hot_loop
def replay(slot: int, winners: Ints, costs: Floats, pairs: Ints) -> None:
    """Play the tournament again above a slot whose entry has changed."""
    node = (len(winners) // 2 + slot) // 2
    while node > 0:
        one, two = winners[2 * node], winners[2 * node + 1]
        winner = one
        if two >= 0 and (
            one < 0 or costs[two] < costs[one] or (costs[two] == costs[one] and pairs[two] < pairs[one])
        ):
            winner = two
        if winner == winners[node] and winner != slot:
            break
        winners[node] = winner
        node //= 2


@hot_loop
def joining_on_line(
    component: Ints, places: Ints, positions: Floats, codeword: int, is_exact: bool
) -> tuple[Ints, Ints]:
    """Give the merges (kept, joined).

    ``places`` lists the values in line order, those without a position last; ``positions`` holds the
    positions of the others; ``component`` gives the component of each place.
    """
    m = len(positions)
    body = np.empty((m, 4), np.float64)
    kind = np.empty(m, np.int32)
    label = places[:m].astype(np.int32)
    alias = np.arange(component.max() + 1).astype(np.int32)
    weight = np.zeros(len(alias), np.int32)
    after = np.arange(1, m + 1).astype(np.int32)
    before = np.arange(-1, m - 1).astype(np.int32)
    half = 1
    while half < m:
        half *= 2
    bounds = np.empty((2 * half, 9), np.float64)
    labels = np.empty(2 * half, np.int32)
    kinds = np.full(2 * half, EMPTY, np.int32)
    changed = np.empty(2 * m + 2, np.int32)
    state = np.zeros(2, np.int64)
    stack = np.empty((256, 2), np.float64)
    largest, reach = 1.0, 0.0
    components = 0
    for slot in range(m):
        reach = max(reach, abs(positions[slot]))
        body[slot, 0] = positions[slot]
        body[slot, 1] = positions[slot]
        body[slot, 2] = positions[slot]
        body[slot, 3] = 1.0
        kind[slot] = component[places[slot]]
        if weight[kind[slot]] == 0:
            components += 1
        weight[kind[slot]] += 1
    runs = np.arange(m if codeword == MEMBER else 0)
    links, values, run_used = single_runs(positions[: len(runs)])
    # What each cluster knows: the cheapest union, its two labels as one number, the partner and its age.
    costs = np.full(m, np.inf)
    pairs = np.zeros(m, np.int64)
    partners = np.full(m, -1, np.int32)
    ages = np.zeros(m, np.int32)
    age = np.zeros(m, np.int32)
    winners = np.full(2 * half, -1, np.int32)
    kept = np.empty(max(components - 1, 0), np.int32)
    joined = np.empty(max(components - 1, 0), np.int32)
    merges = 0
    asked = 0
    while components > 1:
        if asked < m:
            slot = asked
            asked += 1
        else:
            slot = winners[1]
            if slot < 0:
                break
            partner = partners[slot]
            one = representative(alias, kind[slot])
            two = one
            if kind[partner] != EMPTY and age[partner] == ages[slot]:
                two = representative(alias, kind[partner])
            if one != two:
                kept[merges] = pairs[slot] >> 32
                joined[merges] = pairs[slot] & 0xFFFFFFFF
                merges += 1
                components -= 1
                if components == 1:
                    break
                stays, leaves = min(slot, partner), max(slot, partner)
                body[stays, 1] = max(body[slot, 1], body[partner, 1])
                body[stays, 2] += body[leaves, 2]
                body[stays, 3] += body[leaves, 3]
                largest = max(largest, body[stays, 3])
                label[stays] = kept[merges - 1]
                if after[leaves] < m:
                    before[after[leaves]] = before[leaves]
                after[before[leaves]] = after[leaves]
                if weight[one] < weight[two]:
                    one, two = two, one
                alias[two] = one
                weight[one] += weight[two]
                kind[stays] = one
                kind[leaves] = EMPTY
                age[stays] += 1
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
                winners[half + leaves] = -1
                replay(leaves, winners, costs, pairs)
                slot = stays
        slack = 0.0
        mean_slack = 32 * 2.3e-16 * reach
        if codeword == CENTROID and not is_exact:
            slack = 2.3e-16 * reach * (4 * largest + 8)
            mean_slack += 2 * slack
        partner, cost = cheapest_partner(
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
            winners[half + slot] = -1
        else:
            first, second = np.int64(label[slot]), np.int64(label[partner])
            costs[slot] = cost
            pairs[slot] = (min(first, second) << 32) + max(first, second)
            partners[slot] = partner
            ages[slot] = age[partner]
            winners[half + slot] = slot
        replay(slot, winners, costs, pairs)
    return kept[:merges], joined[:merges]
