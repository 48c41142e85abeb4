"""Algorithm 2 under distortion on a line: of all pairs from different components, the cheapest union.

Every cluster knows the cheapest union it saw when it was last asked; a tournament holds the cheapest
of all. Unions only drop out (a cluster is merged, two components become one) or come in with a
merged cluster, which is asked at once. So what a cluster knows is never dearer than what it
could have, and the winner of the tournament is right if its partner is still as it was; if not, its
cluster is asked again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.search.kernels.cheapest_partner import cheapest_partner
from hartley.search.kernels.interned_sets import Sets
from hartley.search.kernels.line_slots import EMPTY, WORK, Slots, join_slots, representative

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]

ASKED, LEFT, MERGES = range(3)
"""What ``at`` holds: how many clusters were asked for the first time, how many components are left, and
merges so far."""
STEPS_OF_A_QUESTION = 32
"""Elementary steps that a question takes beside those for finding the partner."""


class Offers(NamedTuple):
    """The cheapest union that each cluster knows, and the tournament over them; changed in place."""

    costs: Floats
    pairs: Ints
    """The two labels of the union as one number."""
    partners: Ints
    ages: Ints
    """How old the partner was."""
    age: Ints
    """How many merges each cluster has behind it."""
    winners: Ints
    weight: Ints
    """How many values on the line each component has."""
    kept: Ints
    joined: Ints
    at: Ints


def offers_for(component: Ints, parts: int) -> Offers:
    """Make room for the offers of clusters, given the component of each slot out of so many components."""
    many = len(component)
    weight = np.bincount(component, minlength=parts).astype(np.int32)
    left = int((weight > 0).sum())
    return Offers(
        costs=np.full(many, np.inf),
        pairs=np.zeros(many, np.int64),
        partners=np.full(many, -1, np.int32),
        ages=np.zeros(many, np.int32),
        age=np.zeros(many, np.int32),
        winners=np.full(2 << max(many - 1, 0).bit_length(), -1, np.int32),
        weight=weight,
        kept=np.empty(max(left - 1, 0), np.int32),
        joined=np.empty(max(left - 1, 0), np.int32),
        at=np.array([0, left, 0]),
    )


@hot_part
def replay(slot: int, offers: Offers) -> None:
    """Play the tournament again above a slot whose entry has changed."""
    winners, costs, pairs = offers.winners, offers.costs, offers.pairs
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


@hot_part
def ask(slot: int, slots: Slots, sets: Sets, offers: Offers) -> None:
    """Have a cluster look for its cheapest union, and enter that into the tournament."""
    leaf = len(offers.winners) // 2 + slot
    partner, cost = cheapest_partner(slot, slots, sets)
    if partner < 0:
        offers.winners[leaf] = -1
    else:
        first, second = np.int64(slots.label[slot]), np.int64(slots.label[partner])
        offers.costs[slot] = cost
        offers.pairs[slot] = (min(first, second) << 32) + max(first, second)
        offers.partners[slot] = partner
        offers.ages[slot] = offers.age[partner]
        offers.winners[leaf] = slot
    replay(slot, offers)


@hot_loop
def joining_on_line(budget: int, slots: Slots, sets: Sets, offers: Offers) -> bool:
    """Carry the run on for about so many elementary steps; tell whether it has come to its end.

    There are no sets here, and ``sets`` is empty: classes are components.
    """
    at, alias, weight = offers.at, slots.alias, offers.weight
    slots.state[WORK] = 0
    while slots.state[WORK] < budget:
        if at[LEFT] <= 1:
            return True
        slots.state[WORK] += STEPS_OF_A_QUESTION
        if at[ASKED] < len(slots.after):
            ask(at[ASKED], slots, sets, offers)
            at[ASKED] += 1
            continue
        slot = offers.winners[1]
        if slot < 0:
            return True
        partner = offers.partners[slot]
        one = representative(alias, slots.kind[slot])
        two = one
        if slots.kind[partner] != EMPTY and offers.age[partner] == offers.ages[slot]:
            two = representative(alias, slots.kind[partner])
        if one != two:
            keep = offers.pairs[slot] >> 32
            offers.kept[at[MERGES]] = keep
            offers.joined[at[MERGES]] = offers.pairs[slot] & 0xFFFFFFFF
            at[MERGES] += 1
            at[LEFT] -= 1
            if weight[one] < weight[two]:
                one, two = two, one
            alias[two] = one
            weight[one] += weight[two]
            stays, leaves = min(slot, partner), max(slot, partner)
            join_slots(stays, leaves, one, keep, slots)
            offers.age[stays] += 1
            offers.winners[len(offers.winners) // 2 + leaves] = -1
            replay(leaves, offers)
            slot = stays
        ask(slot, slots, sets, offers)
    return False
