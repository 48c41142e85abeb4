"""The loops of Algorithm 1: which cluster is next, whom it is merged with, when a step and the run are over.

Clusters are known by their places. Lists hold the clusters with as many candidates; an entry in
a list counts only while it is the newest of its place. So that a run can be carried on in slices, all
that it knows lies in arrays.

**Resolution.** The partner is the smallest cluster with other candidates. A tournament over the places keeps,
for every block of them, the smallest cluster and the smallest one with other candidates than that. Its top
answers any question at once, and a merge replays two paths. Sets are compared where clusters meet, by their
hashes first.

**Distortion on a line.** The partner has other candidates and the cheapest union.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Flags, Ints
from hartley.search.greedy.loops.candidate_sets import MOVED, Sets, add_row, is_same_set, unite_sets
from hartley.search.greedy.loops.cheapest_partner import cheapest_partner
from hartley.search.greedy.loops.line_slots import WORK as TREE_WORK
from hartley.search.greedy.loops.line_slots import Slots, join_slots

ENTERED, ENTRIES, COUNT, FOUND, CURSOR, MERGES, STEPS, IS_STRANDED, WORK = range(9)
"""What ``at`` holds: values entered, entries in the lists, how many candidates the narrowest have, how many
those are, how many of them had their turn, merges and steps so far, whether a cluster of this step found no
partner, and elementary steps since the slice began."""
OVER = -1
SPARSE = 16
"""Clusters are put in order by a look at all places where more than one in so many is to be put in order."""


class Steps(NamedTuple):
    """A run of Algorithm 1 under way; loops change the arrays in place."""

    heads: Ints
    """The newest entry for each number of candidates."""
    following: Ints
    place_of: Ints
    entry_of: Ints
    """The newest entry of each place; -1 where no cluster stands any more."""
    order: Ints
    """The narrowest clusters, in order of place."""
    waiting: Flags
    """Whether a cluster still waits for its turn in this step."""
    kept: Ints
    joined: Ints
    ends: Ints
    at: Ints


def steps_for(values: int, width: int) -> Steps:
    """Make room for the run of so many public values with ``width`` sensitive ones."""
    at = np.zeros(9, np.int64)
    at[COUNT] = 1
    return Steps(
        heads=np.full(width + 2, -1, np.int32),
        following=np.full(2 * values, -1, np.int32),
        place_of=np.zeros(2 * values, np.int32),
        entry_of=np.zeros(values, np.int32),
        order=np.empty(values, np.int32),
        waiting=np.zeros(values, np.bool_),
        kept=np.empty(values, np.int32),
        joined=np.empty(values, np.int32),
        ends=np.zeros(width + 2, np.int64),
        at=at,
    )


@hot_part
def enter(place: int, candidates: int, steps: Steps) -> None:
    """List a new cluster with so many candidates."""
    entry = steps.at[ENTRIES]
    steps.place_of[entry] = place
    steps.entry_of[place] = entry
    steps.following[entry] = steps.heads[candidates]
    steps.heads[candidates] = entry
    steps.at[ENTRIES] = entry + 1


@hot_part
def write_down(keep: int, join: int, candidates: int, steps: Steps) -> None:
    """Write a merge down; the cluster it makes has so many candidates."""
    at = steps.at
    steps.entry_of[join] = -1
    enter(keep, candidates, steps)
    steps.kept[at[MERGES]] = keep
    steps.joined[at[MERGES]] = join
    at[MERGES] += 1


@hot_loop
def next_in_turn(steps: Steps) -> int:
    """Return the cluster whose turn it is and take it off the waiting ones; ``OVER`` where the run is."""
    at = steps.at
    while True:
        while at[CURSOR] < at[FOUND]:
            place = steps.order[at[CURSOR]]
            at[CURSOR] += 1
            if steps.waiting[place]:
                steps.waiting[place] = False
                return int(place)
        if at[FOUND] > 0:
            if at[MERGES] == steps.ends[at[STEPS]]:
                return OVER
            at[STEPS] += 1
            steps.ends[at[STEPS]] = at[MERGES]
            at[FOUND] = 0
            if at[IS_STRANDED]:
                # A cluster that found no partner is as narrow as before: the next step would have no other.
                return OVER
        find_narrowest(steps)
        if at[FOUND] == 0:
            return OVER


@hot_loop
def put_in_order(found: int, steps: Steps) -> None:
    """Put the first clusters of ``order``, so many, in order of place; all of them wait, and no others do.

    By merging, for the compiler's other sort takes quadratic time on nearly descending places, which is how
    the newest come.
    """
    order, waiting = steps.order, steps.waiting
    filled = 0
    if found * SPARSE > len(waiting):
        for place in range(len(waiting)):
            if waiting[place]:
                order[filled] = place
                filled += 1
        return
    places = order[:found].copy()
    for rank in np.argsort(places, kind="mergesort"):
        order[filled] = places[rank]
        filled += 1


@hot_loop
def find_narrowest(steps: Steps) -> None:
    """Let the clusters with the fewest candidates wait for their turn; there are none at the very end."""
    at = steps.at
    at[CURSOR] = 0
    while at[COUNT] < len(steps.heads) - 1:
        found = 0
        entry = steps.heads[at[COUNT]]
        steps.heads[at[COUNT]] = -1
        while entry >= 0:
            place = steps.place_of[entry]
            if steps.entry_of[place] == entry:
                steps.order[found] = place
                steps.waiting[place] = True
                found += 1
            entry = steps.following[entry]
        if found > 0:
            put_in_order(found, steps)
            at[FOUND] = found
            at[WORK] += 8 * found
            return
        at[COUNT] += 1


STEPS_OF_A_MERGE = 64
"""Elementary steps that a merge takes beside those for its candidates: two paths of the tournament."""


class Tournament(NamedTuple):
    """The smallest clusters of every block of places; loops change the arrays in place."""

    best: Ints
    other: Ints
    size: Ints
    undecided: Ints
    """One number: the nodes below it are still to be decided for the first time."""


def tournament_for(values: int) -> Tournament:
    """Lay out single values, nothing decided yet."""
    half = 1 << (values - 1).bit_length()
    best = np.full(2 * half, -1, np.int32)
    best[half : half + values] = np.arange(values)
    return Tournament(
        best=best,
        other=np.full(2 * half, -1, np.int32),
        size=np.ones(values, np.int32),
        undecided=np.array([half]),
    )


@hot_part
def play(one: int, two: int, top: int, rounds: Tournament, sets: Sets) -> None:
    """Decide two nodes side by side, and what lies above them as far as ``top``; the earlier place wins ties.

    One loop for both paths: a call for each node would take longer than its work.
    """
    best, other, size = rounds.best, rounds.other, rounds.size
    node = one
    while node >= top:
        winner, loser = 2 * node, 2 * node + 1
        if best[winner] < 0 or (best[loser] >= 0 and size[best[loser]] < size[best[winner]]):
            winner, loser = loser, winner
        first, second, third = best[winner], other[winner], best[loser]
        if third >= 0 and is_same_set(first, third, sets):
            third = other[loser]
        if second < 0 or (
            third >= 0 and (size[third] < size[second] or (size[third] == size[second] and third < second))
        ):
            second = third
        best[node], other[node] = first, second
        if node != two:
            node = two
        else:
            one //= 2
            two //= 2
            node = one


@hot_loop
def narrowest_by_size(
    budget: int, indptr: Ints, indices: Ints, sets: Sets, rounds: Tournament, steps: Steps
) -> bool:
    """Carry the run on for about so many elementary steps; tell whether it has come to its end.

    ``indptr`` and ``indices`` hold the candidates of each place.
    """
    at = steps.at
    at[WORK] = 0
    sets.used[MOVED] = 0
    half = len(rounds.best) // 2
    while at[ENTERED] < len(rounds.size) and at[WORK] < budget:
        place = at[ENTERED]
        many = add_row(place, indptr, indices, sets)
        enter(place, many, steps)
        at[ENTERED] += 1
        at[WORK] += 8 + many
    while rounds.undecided[0] > 1 and at[WORK] < budget:
        rounds.undecided[0] -= 1
        node = rounds.undecided[0]
        play(node, node, node, rounds, sets)
        at[WORK] += 2
    while at[WORK] + sets.used[MOVED] < budget:
        place = next_in_turn(steps)
        if place == OVER:
            return True
        partner = rounds.best[1]
        if is_same_set(place, partner, sets):
            partner = rounds.other[1]
        if partner < 0:
            at[IS_STRANDED] = 1
            continue
        steps.waiting[partner] = False
        keep = min(place, partner)
        join = max(place, partner)
        unite_sets(keep, join, sets)
        rounds.size[keep] += rounds.size[join]
        rounds.best[half + join] = -1
        play((half + keep) // 2, (half + join) // 2, 1, rounds, sets)
        write_down(keep, join, sets.counts[keep], steps)
        at[WORK] += STEPS_OF_A_MERGE
    return False


STEPS_OF_A_LINE_MERGE = 32
"""Elementary steps that a merge takes beside those for its candidates and for finding the partner."""


@hot_loop
def narrowest_on_line(
    budget: int, indptr: Ints, indices: Ints, slot_at: Ints, slots: Slots, sets: Sets, steps: Steps
) -> bool:
    """Carry the run on for about so many elementary steps; tell whether it has come to its end.

    ``indptr`` and ``indices`` hold the candidates of each place; ``slot_at`` the slot of each place, those
    without a position beyond the line.
    """
    at = steps.at
    at[WORK] = 0
    sets.used[MOVED] = 0
    slots.state[TREE_WORK] = 0
    while at[ENTERED] < len(slots.label) and at[WORK] < budget:
        # In line order, so that the sets of neighbours lie together.
        slot = at[ENTERED]
        place = slots.label[slot]
        many = add_row(place, indptr, indices, sets)
        enter(place, many, steps)
        at[ENTERED] += 1
        at[WORK] += 8 + many
    while at[WORK] + slots.state[TREE_WORK] + sets.used[MOVED] < budget:
        place = next_in_turn(steps)
        if place == OVER:
            return True
        slot = slot_at[place]
        partner = -1
        if slot < len(slots.after):
            partner, _ = cheapest_partner(slot, slots, sets)
        if partner < 0:
            at[IS_STRANDED] = 1
            continue
        stays, leaves = min(slot, partner), max(slot, partner)
        keep = min(slots.label[stays], slots.label[leaves])
        join = max(slots.label[stays], slots.label[leaves])
        steps.waiting[slots.label[partner]] = False
        unite_sets(keep, join, sets)
        join_slots(stays, leaves, sets.kinds[keep], keep, slots)
        slot_at[keep] = stays
        write_down(keep, join, sets.counts[keep], steps)
        at[WORK] += STEPS_OF_A_LINE_MERGE
    return False
