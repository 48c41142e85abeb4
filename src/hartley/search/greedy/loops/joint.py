"""The loops of problem (3): how two merges compare, one look at all pairs, and a way round that.

**Any utility.** All pairs are looked at.

**Resolution.** Sets of different components share nothing, so a union has as many candidates as its two
parts together. Unless a pair holds all narrowest clusters, merging it leaves the leakage as it is, and its
change of the Lagrangian depends on the two sizes alone. For each size it is therefore enough to know the best
cluster (fewest candidates, largest component, earliest) and the best one of another component. Pairs that
hold all narrowest clusters are few, and are looked at one by one.
"""

from __future__ import annotations

from math import floor, log2
from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Ints


@hot_part
def rounded(change: float) -> float:
    """Round a change of the Lagrangian to 12 decimals; beyond a few thousand it has no more than that."""
    if abs(change) >= 4096:
        return change
    return floor(change * 1e12 + 0.5) / 1e12


@hot_part
def is_better(one: Floats, other: Floats) -> bool:
    """Tell whether one row of numbers comes before another in the order of the dictionary."""
    for i in range(len(one)):
        if one[i] != other[i]:
            return bool(one[i] < other[i])
    return False


@hot_loop
def best_joint_pair(
    live: Ints,
    unions: Floats,
    costs: Floats,
    count: Ints,
    component: Ints,
    values: Ints,
    width: int,
    weight: float,
) -> tuple[int, int]:
    """Return the places of the two clusters to merge next, or (-1, -1) if there are none.

    ``live`` lists the clusters in order, ``unions`` the cost of each union, infinite where it is not
    allowed, ``costs`` the cost of each cluster, ``count`` its candidates, ``component`` its component, and
    ``values`` how many values each component has.
    """
    # The three narrowest and the three costliest clusters: one of them is left beside any union.
    narrow = np.full(3, -1, np.int64)
    worst = np.full(3, -1, np.int64)
    for place in live:
        for rank in range(3):
            if narrow[rank] < 0 or count[place] < count[narrow[rank]]:
                for later in range(2, rank, -1):
                    narrow[later] = narrow[later - 1]
                narrow[rank] = place
                break
        for rank in range(3):
            if worst[rank] < 0 or costs[place] > costs[worst[rank]]:
                for later in range(2, rank, -1):
                    worst[later] = worst[later - 1]
                worst[rank] = place
                break
    before = log2(width / count[narrow[0]]) + weight * costs[worst[0]]
    # No union can leave the narrowest cluster wider than the third narrowest, so one that costs more than
    # the limit cannot beat the best.
    leaking = log2(width / count[narrow[0]])
    least_leaking = 0.0
    if narrow[2] >= 0:
        least_leaking = log2(width / count[narrow[2]])
    limit = np.inf
    keep, join = -1, -1
    best = np.full(6, np.inf)
    trial = np.empty(6, np.float64)
    for i in range(len(live)):
        x = live[i]
        for j in range(i + 1, len(live)):
            y = live[j]
            cost = unions[x, y]
            if cost > limit or component[x] == component[y] or cost == np.inf:
                continue
            for rank in range(3):
                other = worst[rank]
                if other >= 0 and other != x and other != y:
                    cost = max(cost, costs[other])
                    break
            least = count[x] + count[y]
            for rank in range(3):
                other = narrow[rank]
                if other >= 0 and other != x and other != y:
                    least = min(least, count[other])
                    break
            after = weight * cost
            if least == count[narrow[0]]:
                after += leaking
            else:
                after += log2(width / least)
            trial[0] = rounded(after - before)
            if trial[0] > best[0]:
                continue
            one, two = values[component[x]], values[component[y]]
            trial[1] = count[x] + count[y]
            trial[2] = -max(one, two)
            trial[3] = -min(one, two)
            trial[4] = x
            trial[5] = y
            if is_better(trial, best):
                best[:] = trial
                keep, join = x, y
                if weight > 0:
                    limit = (best[0] + 1e-11 + before - least_leaking) / weight
                    limit += abs(limit) * 1e-12
    return keep, join


ALIVE, MERGES, LARGEST = range(3)
"""What ``at`` holds: clusters that stand, merges so far, and the size of the largest cluster."""


class PairStanding(NamedTuple):
    """All clusters of a run under way; loops change the arrays in place."""

    component: Ints
    """The component of each place."""
    values: Ints
    """How many values each component has."""
    shown: Ints
    """How many candidates each cluster has."""
    size: Ints
    live: Ints
    """The places of the clusters that stand, in no order."""
    head: Ints
    tail: Ints
    following: Ints
    """The values of a component as a list, so that the smaller of two can be renamed."""
    first_of: Ints
    second_of: Ints
    """The best cluster of each size, and the best one of another component; -1 between two looks."""
    present: Ints
    """The sizes that occur."""
    kept: Ints
    joined: Ints
    at: Ints


def standing_for(component: Ints, values: Ints, candidates: Ints) -> PairStanding:
    """Lay out single values: the component and candidates of each, and how many values each component has."""
    many, parts = len(component), len(values)
    by_part = np.argsort(component, kind="stable")
    starts = np.concatenate(([0], np.cumsum(values)[:-1]))
    following = np.full(many, -1, np.int64)
    following[by_part[:-1]] = by_part[1:]
    tail = by_part[starts + values - 1]
    following[tail] = -1
    return PairStanding(
        component=component.astype(np.int64),
        values=values.astype(np.int64),
        shown=candidates.astype(np.int64),
        size=np.ones(many, np.int64),
        live=np.arange(many),
        head=by_part[starts],
        tail=tail,
        following=following,
        first_of=np.full(many + 1, -1, np.int64),
        second_of=np.full(many + 1, -1, np.int64),
        present=np.empty(many, np.int64),
        kept=np.empty(parts - 1, np.int64),
        joined=np.empty(parts - 1, np.int64),
        at=np.array([many, 0, 1]),
    )


@hot_part
def join_clusters(keep: int, join: int, standing: PairStanding) -> None:
    """Merge two clusters, and the components they are of."""
    component, values, at = standing.component, standing.values, standing.at
    one, two = component[keep], component[join]
    if values[one] < values[two]:
        one, two = two, one
    place = standing.head[two]
    while place >= 0:
        component[place] = one
        place = standing.following[place]
    standing.following[standing.tail[one]] = standing.head[two]
    standing.tail[one] = standing.tail[two]
    values[one] += values[two]
    standing.shown[keep] += standing.shown[join]
    standing.size[keep] += standing.size[join]
    at[LARGEST] = max(at[LARGEST], standing.size[keep])
    for i in range(at[ALIVE]):
        if standing.live[i] == join:
            at[ALIVE] -= 1
            standing.live[i] = standing.live[at[ALIVE]]
            break


@hot_loop
def joint_by_size(budget: int, standing: PairStanding, width: int, weight: float) -> bool:
    """Carry the run on for about so many elementary steps; tell whether it has come to its end.

    ``width`` is how many sensitive values there are, ``weight`` how much utility weighs.
    """
    component, values, count, size = standing.component, standing.values, standing.shown, standing.size
    first_of, second_of, present = standing.first_of, standing.second_of, standing.present
    live, at = standing.live, standing.at
    n = len(component)
    best = np.empty(6, np.float64)
    trial = np.empty(6, np.float64)
    while at[MERGES] < len(standing.kept):
        if budget <= 0:
            return False
        alive, largest = at[ALIVE], at[LARGEST]
        # The three narrowest clusters, and the best two of each size.
        narrow = np.full(3, -1, np.int64)
        sizes = 0
        for i in range(alive):
            place = live[i]
            for rank in range(3):
                if narrow[rank] < 0 or count[place] < count[narrow[rank]]:
                    for later in range(2, rank, -1):
                        narrow[later] = narrow[later - 1]
                    narrow[rank] = place
                    break
            own = size[place]
            one = first_of[own]
            if one < 0:
                present[sizes] = own
                sizes += 1
                first_of[own] = place
                continue
            two = second_of[own]
            for rank in range(2):
                rival = one if rank == 0 else two
                if rank == 1 and component[place] == component[one]:
                    break
                wins = rival < 0
                if not wins:
                    wins = count[place] < count[rival] or (
                        count[place] == count[rival]
                        and (
                            values[component[place]] > values[component[rival]]
                            or (values[component[place]] == values[component[rival]] and place < rival)
                        )
                    )
                if wins:
                    if rank == 0:
                        if component[place] != component[one]:
                            second_of[own] = one
                        first_of[own] = place
                    else:
                        second_of[own] = place
                    break
        fewest = count[narrow[0]]
        narrowest = 0
        for rank in range(3):
            if narrow[rank] >= 0 and count[narrow[rank]] == fewest:
                narrowest += 1
        before = log2(width / fewest) - weight * log2(n / largest)
        keep, join = -1, -1
        best[:] = np.inf
        lone = alive if narrowest == 1 else 0
        total = lone + sizes * (sizes + 1)
        i, j = 0, 0
        for turn in range(total):
            if turn < lone:
                x, y = narrow[0], live[turn]
            else:
                # Every pair of sizes comes twice: best with best or second, and the other way round.
                step = turn - lone
                if step % 2 == 0 and step > 0:
                    j += 1
                    if j == sizes:
                        i += 1
                        j = i
                x, y = first_of[present[i]], first_of[present[j]]
                if component[x] == component[y]:
                    if step % 2 == 0:
                        y = second_of[present[j]]
                    else:
                        x = second_of[present[i]]
            if x < 0 or y < 0 or component[x] == component[y]:
                continue
            # The narrowest cluster that would be left beside the union.
            least = count[x] + count[y]
            for rank in range(3):
                other = narrow[rank]
                if other >= 0 and other != x and other != y:
                    least = min(least, count[other])
                    break
            new_largest = max(largest, size[x] + size[y])
            after = log2(width / least) - weight * log2(n / new_largest)
            one, two = values[component[x]], values[component[y]]
            trial[0] = rounded(after - before)
            trial[1] = count[x] + count[y]
            trial[2] = -max(one, two)
            trial[3] = -min(one, two)
            trial[4] = min(x, y)
            trial[5] = max(x, y)
            if is_better(trial, best):
                best[:] = trial
                keep, join = min(x, y), max(x, y)
        for i in range(sizes):
            first_of[present[i]] = -1
            second_of[present[i]] = -1
        standing.kept[at[MERGES]] = keep
        standing.joined[at[MERGES]] = join
        at[MERGES] += 1
        join_clusters(keep, join, standing)
        budget -= 2 * alive + 8 * total
    return True
