"""The loop of problem (3) under resolution: which two clusters to merge, without looking at all pairs.

Sets of different components share nothing, so a union has as many candidates as its two parts together.
Unless a pair holds all narrowest clusters, merging it leaves the leakage as it is, and its change of the
Lagrangian depends only on the sum of the two sizes, and never falls as that grows. So the pairs that change
it least are those whose sizes add up to at most some number, and among them the fewest candidates, the
largest components and the earliest places win: it is enough to know, for every size, the best cluster, and
the best of another component. Pairs that hold all narrowest clusters are few, and are looked at one by one.

Clusters of one component and one size are a *kin*: a pile that knows its best. The kins of one size are a
pile again, so its second is the best of another component. A merge of two components melds their kins size by
size; what else they hold is not looked at. So a merge costs about as much as there are different sizes.
"""

from __future__ import annotations

from math import isqrt, log2
from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Int64s, Ints, code_type
from hartley.search.greedy.loops.joint import is_better, rounded
from hartley.search.greedy.loops.node_piles import (
    Nodes,
    comes_first,
    melded,
    second,
    without,
    without_first,
)

KINS, MERGES, LARGEST, SIZES, COUNTS = range(5)
"""What ``at`` holds: kins made, merges so far, the largest cluster, how many sizes and counts occur."""


class Standing(NamedTuple):
    """All clusters of a run under way; loops change the arrays in place."""

    nodes: Nodes
    """The clusters, and after them the kins; the place of a kin is that of its best cluster."""
    size: Ints
    """Of a cluster or of the clusters of a kin."""
    values: Ints
    """How many values each component has."""
    top: Ints
    """The best cluster of each kin, by its number among the kins; -1 where none is left."""
    component: Ints
    """The component of each kin."""
    next_kin: Ints
    """The next kin of the same component."""
    first_kin: Ints
    """Of each component."""
    pile: Ints
    """The kins of each size."""
    slot: Ints
    """The kin of each size in the component that is being melded; -1 between two merges."""
    sizes: Ints
    """The sizes that occur, from the smallest."""
    first_up_to: Ints
    """The best kin up to each of these sizes."""
    second_up_to: Ints
    """The best of another component."""
    counts: Ints
    """The numbers of candidates that occur, from the fewest."""
    alive: Ints
    """How many clusters have each number of candidates."""
    trial: Floats
    """How good the pair is that is looked at."""
    best: Floats
    """How good the best one is."""
    pair: Int64s
    """The kins of the best one."""
    kept: Int64s
    joined: Int64s
    at: Int64s


def standing_for(component: Ints, values: Ints, candidates: Ints, width: int) -> Standing:
    """Lay out single values: the component and candidates of each, and how many values each component has.

    ``width`` is how many sensitive values there are. The values of a component lie side by side, and the
    largest component, which is the first to grow, comes first: so what is read together lies together.
    """
    many, parts = len(component), len(values)
    every = many + 2 * parts
    kind = code_type(max(every, width))

    def none(length: int) -> Ints:
        return np.full(length, -1, kind)

    largest_first = np.argsort(-values, kind="stable")
    rank = np.empty(parts, kind)
    rank[largest_first] = np.arange(parts)
    alive: Ints = np.bincount(candidates, minlength=width + 1).astype(kind)
    present = np.flatnonzero(alive)
    counts = np.empty(max(len(present), isqrt(2 * int(candidates.sum()))) + 2, kind)
    counts[: len(present)] = present
    most_sizes = isqrt(2 * many) + 2
    standing = Standing(
        nodes=Nodes(none(every), np.zeros(every, kind), none(every), none(every), none(every), none(every)),
        size=np.ones(every, kind),
        values=values[largest_first].astype(kind),
        top=none(2 * parts),
        component=none(2 * parts),
        next_kin=none(2 * parts),
        first_kin=np.arange(many, many + parts, dtype=kind),
        pile=none(many + 1),
        slot=none(many + 1),
        sizes=np.ones(most_sizes, kind),
        first_up_to=none(most_sizes),
        second_up_to=none(most_sizes),
        counts=counts,
        alive=alive,
        trial=np.empty(6),
        best=np.empty(6),
        pair=np.empty(2, np.int64),
        kept=np.empty(parts - 1, np.int64),
        joined=np.empty(parts - 1, np.int64),
        at=np.array([parts, 0, 1, 1, len(present)]),
    )
    standing.component[:parts] = np.arange(parts)
    pile_up.for_size(every)(rank, component, candidates, standing)
    return standing


@hot_loop
def pile_up(rank: Ints, component: Ints, candidates: Ints, standing: Standing) -> None:
    """Make a kin of each component, which come in the order of ``rank``, and a pile of all kins."""
    nodes, top, pile, values = standing.nodes, standing.top, standing.pile, standing.values
    many = len(component)
    cluster = np.zeros(len(values), np.int64)
    for part in range(1, len(values)):
        cluster[part] = cluster[part - 1] + values[part - 1]
    for place in range(many):
        part = rank[component[place]]
        nodes.shown[cluster[part]] = candidates[place]
        nodes.place[cluster[part]] = place
        cluster[part] += 1
    for part in range(len(values)):
        for node in range(cluster[part] - values[part], cluster[part]):
            top[part] = melded(top[part], node, nodes)
        renew(many + part, standing)
        pile[1] = melded(pile[1], many + part, nodes)


@hot_part
def renew(kin: int, standing: Standing) -> None:
    """Let a kin be known by its best cluster and by its component as they are now."""
    nodes = standing.nodes
    many = len(standing.size) - len(standing.component)
    best = standing.top[kin - many]
    nodes.shown[kin] = nodes.shown[best]
    nodes.place[kin] = nodes.place[best]
    nodes.many[kin] = standing.values[standing.component[kin - many]]


@hot_part
def insert(number: int, numbers: Ints, many: int) -> int:
    """Insert a number into so many that ascend; return how many there are then."""
    at = many
    while at > 0 and numbers[at - 1] > number:
        numbers[at] = numbers[at - 1]
        at -= 1
    numbers[at] = number
    return many + 1


@hot_part
def remove(number: int, numbers: Ints, many: int) -> int:
    """Remove a number from so many that ascend; return how many there are then."""
    at = 0
    while numbers[at] != number:
        at += 1
    for later in range(at, many - 1):
        numbers[later] = numbers[later + 1]
    return many - 1


@hot_part
def count_cluster(shown: int, standing: Standing) -> None:
    """Note that one more cluster has so many candidates."""
    if standing.alive[shown] == 0:
        standing.at[COUNTS] = insert(shown, standing.counts, standing.at[COUNTS])
    standing.alive[shown] += 1


@hot_part
def discount_cluster(shown: int, standing: Standing) -> None:
    """Note that one cluster less has so many candidates."""
    standing.alive[shown] -= 1
    if standing.alive[shown] == 0:
        standing.at[COUNTS] = remove(shown, standing.counts, standing.at[COUNTS])


@hot_part
def fewest_beside(one: int, other: int, standing: Standing) -> int:
    """Return the fewest candidates of the clusters beside two that have so many; 0 if there are no others."""
    for rank in range(min(3, standing.at[COUNTS])):
        shown = standing.counts[rank]
        if standing.alive[shown] > (shown == one) + (shown == other):
            return int(shown)
    return 0


@hot_part
def find_best_kins(standing: Standing) -> None:
    """Note for each size that occurs the best kin up to it, and the best of another component."""
    many = len(standing.size) - len(standing.component)
    one, two = -1, -1
    for rank in range(standing.at[SIZES]):
        kin = standing.pile[standing.sizes[rank]]
        # The first of this size, then its second: no third can be among the best two.
        for _ in range(2):
            if kin < 0:
                break
            if one < 0 or standing.component[kin - many] == standing.component[one - many]:
                if one < 0 or comes_first(kin, one, standing.nodes):
                    one = kin
            elif comes_first(kin, one, standing.nodes):
                one, two = kin, one
            elif two < 0 or comes_first(kin, two, standing.nodes):
                two = kin
            kin = second(standing.pile[standing.sizes[rank]], standing.nodes)
        standing.first_up_to[rank] = one
        standing.second_up_to[rank] = two


@hot_part
def consider(one: int, other: int, before: float, width: int, weight: float, standing: Standing) -> None:
    """Note the pair of the best clusters of two kins, where there are two and no better pair is known.

    ``before`` is the Lagrangian as it stands.
    """
    if one < 0 or other < 0:
        return
    nodes, size, trial = standing.nodes, standing.size, standing.trial
    many = len(size) - len(standing.component)
    together = nodes.shown[one] + nodes.shown[other]
    least = fewest_beside(nodes.shown[one], nodes.shown[other], standing)
    if least == 0 or together < least:
        least = together
    largest = max(standing.at[LARGEST], size[one] + size[other])
    trial[0] = rounded(log2(width / least) - weight * log2(many / largest) - before)
    trial[1] = together
    trial[2] = -max(nodes.many[one], nodes.many[other])
    trial[3] = -min(nodes.many[one], nodes.many[other])
    trial[4] = min(nodes.place[one], nodes.place[other])
    trial[5] = max(nodes.place[one], nodes.place[other])
    if is_better(trial, standing.best):
        for rank in range(len(trial)):
            standing.best[rank] = trial[rank]
        standing.pair[0], standing.pair[1] = one, other


@hot_part
def join_kins(one: int, other: int, standing: Standing) -> tuple[int, int]:
    """Merge the best clusters of two kins, and their components; return the place kept and the one not."""
    nodes, size, at = standing.nodes, standing.size, standing.at
    component, next_kin, first_kin = standing.component, standing.next_kin, standing.first_kin
    top, pile, slot = standing.top, standing.pile, standing.slot
    many = len(size) - len(component)
    if nodes.place[other] < nodes.place[one]:
        one, other = other, one
    keep, join = top[one - many], top[other - many]
    part, gone = component[one - many], component[other - many]
    standing.values[part] += standing.values[gone]
    top[one - many] = without_first(keep, nodes)
    top[other - many] = without_first(join, nodes)
    discount_cluster(nodes.shown[keep], standing)
    discount_cluster(nodes.shown[join], standing)
    nodes.shown[keep] += nodes.shown[join]
    count_cluster(nodes.shown[keep], standing)
    size[keep] += size[join]
    at[LARGEST] = max(at[LARGEST], size[keep])
    kin = first_kin[part]
    while kin >= 0:
        pile[size[kin]] = without(kin, pile[size[kin]], nodes)
        slot[size[kin]] = kin
        kin = next_kin[kin - many]
    kin = first_kin[gone]
    while kin >= 0:
        following = next_kin[kin - many]
        pile[size[kin]] = without(kin, pile[size[kin]], nodes)
        own = slot[size[kin]]
        if own >= 0:
            top[own - many] = melded(top[own - many], top[kin - many], nodes)
        else:
            slot[size[kin]] = kin
            component[kin - many] = part
            next_kin[kin - many] = first_kin[part]
            first_kin[part] = kin
        kin = following
    own = slot[size[keep]]
    if own < 0:
        own = many + at[KINS]
        at[KINS] += 1
        size[own] = size[keep]
        if pile[size[own]] < 0:
            at[SIZES] = insert(size[own], standing.sizes, at[SIZES])
        component[own - many] = part
        next_kin[own - many] = first_kin[part]
        first_kin[part] = own
    top[own - many] = melded(top[own - many], keep, nodes)
    # Back into the piles, for the component has grown; what holds no cluster any more stays out.
    kin, before = first_kin[part], -1
    while kin >= 0:
        following = next_kin[kin - many]
        slot[size[kin]] = -1
        if top[kin - many] >= 0:
            renew(kin, standing)
            pile[size[kin]] = melded(pile[size[kin]], kin, nodes)
            before = kin
        else:
            if pile[size[kin]] < 0:
                at[SIZES] = remove(size[kin], standing.sizes, at[SIZES])
            if before < 0:
                first_kin[part] = following
            else:
                next_kin[before - many] = following
        kin = following
    return nodes.place[keep], nodes.place[join]


@hot_loop
def joint_by_size(budget: int, standing: Standing, width: int, weight: float) -> bool:
    """Carry the run on for about so many elementary steps; tell whether it has come to its end.

    ``width`` is how many sensitive values there are, ``weight`` how much utility weighs.
    """
    nodes, component, at = standing.nodes, standing.component, standing.at
    sizes, pile = standing.sizes, standing.pile
    first_up_to, second_up_to = standing.first_up_to, standing.second_up_to
    many = len(standing.size) - len(component)
    while at[MERGES] < len(standing.kept):
        if budget <= 0:
            return False
        find_best_kins(standing)
        fewest, largest, last = standing.counts[0], at[LARGEST], at[SIZES] - 1
        leaking = log2(width / fewest)
        before = leaking - weight * log2(many / largest)
        standing.best[:] = np.inf
        # Pairs that hold all narrowest clusters.
        narrowest, rival = first_up_to[last], second_up_to[last]
        if standing.alive[fewest] == 2 and nodes.shown[rival] == fewest:
            consider(narrowest, rival, before, width, weight, standing)
        elif standing.alive[fewest] == 1:
            for rank in range(last + 1):
                kin = pile[sizes[rank]]
                if component[kin - many] == component[narrowest - many]:
                    kin = second(kin, nodes)
                consider(narrowest, kin, before, width, weight, standing)
        # All others: of the least size together, or of any that changes the Lagrangian no more.
        rank = 0
        while second_up_to[rank] < 0:
            rank += 1
        most = max(largest, sizes[0] + sizes[rank])
        least_change = rounded(leaking - weight * log2(many / most) - before)
        partner = last
        for rank in range(last + 1):
            while partner >= 0:
                both = sizes[rank] + sizes[partner]
                if both <= most or rounded(leaking - weight * log2(many / both) - before) == least_change:
                    break
                partner -= 1
            if partner < 0:
                break
            # A pair is looked at where the larger of the two stands.
            up_to = min(partner, rank)
            kin, other = pile[sizes[rank]], first_up_to[up_to]
            if component[kin - many] != component[other - many]:
                consider(kin, other, before, width, weight, standing)
            else:
                consider(kin, second_up_to[up_to], before, width, weight, standing)
                consider(second(kin, nodes), other, before, width, weight, standing)
        keep, join = join_kins(standing.pair[0], standing.pair[1], standing)
        standing.kept[at[MERGES]] = keep
        standing.joined[at[MERGES]] = join
        at[MERGES] += 1
        budget -= 24 * (last + 4)
    return True
