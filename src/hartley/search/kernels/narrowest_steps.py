"""The steps of Algorithm 1: which cluster is next, when a step is over, when the run is.

Clusters are known by their places. Lists hold the clusters with as many candidates; an entry in
a list counts only while it is the newest of its place. So that a run can be carried on in slices, all
that it knows lies in arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part

Ints = npt.NDArray[np.integer]

ENTERED, ENTRIES, COUNT, FOUND, CURSOR, MERGES, STEPS, IS_STRANDED, WORK = range(9)
"""What ``at`` holds: values entered, entries in the lists, how many candidates the narrowest have, how many
those are, how many of them had their turn, merges and steps so far, whether a cluster of this step found no
partner, and elementary steps since the slice began."""
OVER = -1


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
    waiting: npt.NDArray[np.bool_]
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
    at[WORK] += candidates


@hot_loop
def next_in_turn(steps: Steps) -> int:
    """Give the cluster whose turn it is and take it off the waiting ones; ``OVER`` where the run is."""
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
            steps.order[:found] = np.sort(steps.order[:found])
            at[FOUND] = found
            at[WORK] += 8 * found
            return
        at[COUNT] += 1
