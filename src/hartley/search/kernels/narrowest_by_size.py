"""Algorithm 1 under resolution: the partner is the smallest cluster with other candidates.

A tournament over the places keeps, for every block of them, the smallest cluster and the smallest one
with other candidates than that. Its top answers any question at once, and a merge replays two paths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.search.kernels.interned_sets import Sets, add_row, unite
from hartley.search.kernels.narrowest_steps import (
    ENTERED,
    IS_STRANDED,
    OVER,
    WORK,
    Steps,
    enter,
    next_in_turn,
    write_down,
)

Ints = npt.NDArray[np.integer]

STEPS_OF_A_MERGE = 64
"""Elementary steps that a merge takes beside those for its candidates: two paths of the tournament."""


class Tournament(NamedTuple):
    """The smallest clusters of every block of places; loops change the arrays in place."""

    best: Ints
    other: Ints
    size: Ints
    set_of: Ints
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
        set_of=np.empty(values, np.int32),
        undecided=np.array([half]),
    )


@hot_part
def play(node: int, rounds: Tournament) -> None:
    """Decide a node of the tournament from its two children; the earlier place wins ties."""
    best, other, size, set_of = rounds.best, rounds.other, rounds.size, rounds.set_of
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


@hot_part
def replay_both(one: int, two: int, rounds: Tournament) -> None:
    """Play again above two leaves that have changed."""
    one //= 2
    two //= 2
    while one != two:
        play(one, rounds)
        play(two, rounds)
        one //= 2
        two //= 2
    while one > 0:
        play(one, rounds)
        one //= 2


@hot_loop
def narrowest_by_size(
    budget: int, indptr: Ints, indices: Ints, sets: Sets, rounds: Tournament, steps: Steps
) -> bool:
    """Carry the run on for about so many elementary steps; tell whether it has come to its end.

    ``indptr`` and ``indices`` hold the candidates of each place.
    """
    at = steps.at
    at[WORK] = 0
    half = len(rounds.best) // 2
    while at[ENTERED] < len(rounds.size) and at[WORK] < budget:
        place = at[ENTERED]
        rounds.set_of[place] = add_row(place, indptr, indices, sets)
        enter(place, indptr[place + 1] - indptr[place], steps)
        at[ENTERED] += 1
        at[WORK] += 8 + indptr[place + 1] - indptr[place]
    while rounds.undecided[0] > 1 and at[WORK] < budget:
        rounds.undecided[0] -= 1
        play(rounds.undecided[0], rounds)
        at[WORK] += 2
    while at[WORK] < budget:
        place = next_in_turn(steps)
        if place == OVER:
            return True
        partner = rounds.best[1]
        if rounds.set_of[partner] == rounds.set_of[place]:
            partner = rounds.other[1]
        if partner < 0:
            at[IS_STRANDED] = 1
            continue
        steps.waiting[partner] = False
        keep = min(place, partner)
        join = max(place, partner)
        rounds.set_of[keep] = unite(rounds.set_of[keep], rounds.set_of[join], sets)
        rounds.size[keep] += rounds.size[join]
        rounds.best[half + join] = -1
        replay_both(half + keep, half + join, rounds)
        write_down(keep, join, sets.lengths[rounds.set_of[keep]], steps)
        at[WORK] += STEPS_OF_A_MERGE
    return False
