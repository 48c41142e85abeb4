"""The loops of Algorithm 2: under resolution, and under distortion on a line.

**Resolution.** Join the two components with the smallest clusters. One heap of components, ordered by
smallest cluster, then most values, then earliest value; each step pops two. Inside a component the clusters
form a pairing heap ordered by size, then place.

**Distortion.** Of all pairs from different components, take the cheapest union. Every cluster knows the
cheapest union it saw when it was last asked; a tournament holds the cheapest of all. Unions only drop out (a
cluster is merged, two components become one) or come in with a merged cluster, which is asked at once. So
what a cluster knows is never dearer than what it could have, and the winner of the tournament is right if
its partner is still as it was; if not, its cluster is asked again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Ints
from hartley.model.disjoint_sets import root_of
from hartley.search.greedy.loops.candidate_sets import Sets
from hartley.search.greedy.loops.cheapest_partner import cheapest_partner
from hartley.search.greedy.loops.line_slots import EMPTY, WORK, Slots, join_slots
from hartley.search.greedy.loops.node_piles import Nodes, melded, without_first

STEPS_OF_A_MERGE = 64
"""Elementary steps that a merge takes: three ways down a heap, and what the pairing heaps put off."""
ENTERED, HEAP, MERGES = range(3)
"""What ``at`` holds: values put into their component's heap, components left, and merges so far."""


class Heaps(NamedTuple):
    """The components by smallest cluster, and the clusters of each; loops change the arrays in place."""

    component: Ints
    """The component of each place, numbered by its earliest value."""
    values: Ints
    """How many values each component has."""
    nodes: Nodes
    """The clusters; what counts as candidates is their number of values."""
    root: Ints
    """The pile of each component's clusters."""
    keys: Ints
    numbers: Ints
    """The heap of components; a key orders by smallest cluster, then by most values."""
    kept: Ints
    joined: Ints
    at: Ints


def heaps_for(component: Ints, values: Ints) -> Heaps:
    """Lay out single values, given the component of each and how many values each component has."""
    many, parts = len(component), len(values)
    # Sorted, the components make a heap.
    order = np.argsort(-values, kind="stable")
    return Heaps(
        component=component.astype(np.int32),
        values=values.astype(np.int64),
        nodes=Nodes(
            np.ones(many, np.int64),
            np.zeros(many, np.int8),
            np.arange(many, dtype=np.int32),
            *(np.full(many, -1, np.int32) for _ in range(3)),
        ),
        root=np.full(parts, -1, np.int32),
        keys=(np.int64(1) << 32) + many - values[order].astype(np.int64),
        numbers=order.astype(np.int32),
        kept=np.empty(parts - 1, np.int32),
        joined=np.empty(parts - 1, np.int32),
        at=np.array([0, parts, 0]),
    )


@hot_part
def sift_down(key: int, number: int, heaps: Heaps) -> None:
    """Put a component in at the top of the heap and let it sink to its place."""
    keys, numbers, heap = heaps.keys, heaps.numbers, heaps.at[HEAP]
    hole = 0
    while True:
        below = 2 * hole + 1
        if below >= heap:
            break
        if below + 1 < heap and (
            keys[below + 1] < keys[below]
            or (keys[below + 1] == keys[below] and numbers[below + 1] < numbers[below])
        ):
            below += 1
        if keys[below] < key or (keys[below] == key and numbers[below] < number):
            keys[hole] = keys[below]
            numbers[hole] = numbers[below]
            hole = below
        else:
            break
    keys[hole] = key
    numbers[hole] = number


@hot_loop
def joining_by_size(budget: int, heaps: Heaps) -> bool:
    """Carry the run on for about so many elementary steps; tell whether it has come to its end."""
    at, root, nodes, values = heaps.at, heaps.root, heaps.nodes, heaps.values
    size, many = nodes.shown, len(nodes.shown)
    while at[ENTERED] < many and budget > 0:
        at[ENTERED] += 1
        budget -= 2
        place = many - at[ENTERED]
        part = heaps.component[place]
        root[part] = melded(root[part], place, nodes)
    while at[HEAP] > 1:
        if budget <= 0:
            return False
        budget -= STEPS_OF_A_MERGE
        one = heaps.numbers[0]
        at[HEAP] -= 1
        sift_down(heaps.keys[at[HEAP]], heaps.numbers[at[HEAP]], heaps)
        two = heaps.numbers[0]
        x, y = root[one], root[two]
        rest = melded(without_first(x, nodes), without_first(y, nodes), nodes)
        keep, join = min(x, y), max(x, y)
        size[keep] += size[join]
        stays = min(one, two)
        values[stays] = values[one] + values[two]
        root[stays] = melded(rest, keep, nodes)
        heaps.kept[at[MERGES]] = keep
        heaps.joined[at[MERGES]] = join
        at[MERGES] += 1
        sift_down((size[root[stays]] << 32) + many - values[stays], stays, heaps)
    return True


ASKED, LEFT = range(2)
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
        one = root_of(alias, slots.kind[slot])
        two = one
        if slots.kind[partner] != EMPTY and offers.age[partner] == offers.ages[slot]:
            two = root_of(alias, slots.kind[partner])
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
