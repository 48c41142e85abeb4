r"""Walks over all partitions of a few values that turn back where nothing better can come.

A partition grows cluster by cluster: the next cluster holds the first value that is left. Its cost and its
leakage only grow with it, so where a known partition costs no more and leaks no more than the clusters
chosen so far, no way of going on is better. What is left can do no more than be one cluster: each of its
parts shows fewer candidates than it does to every reader who sees both, and ties fewer components together.

Clusters are bit masks. Costs are numbers of levels, so that two costs which differ by rounding are one.
Leakages are ranks, 0 the least; ``least[r]`` is the least cost known of a partition of rank r or less, and
``best[r]`` its clusters. The state is in arrays, so that a walk can be left after some steps and taken up
again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Flags, Floats, Int64s
from hartley.model.disjoint_sets import unite

NOBODY = -1


class Blocks(NamedTuple):
    """Every subset of the values as a cluster."""

    cost: Floats
    """The level of its cost; infinite where it may not be a cluster."""
    rank: Int64s
    """How much it leaks, as a rank; 0 for the empty one."""
    is_enough: Flags
    """Whether it keeps what is required, whatever it costs."""
    component_of: Int64s
    """The component of each value, for each side value; ``NOBODY`` where the two never meet."""


class PartitionWalk(NamedTuple):
    """A walk that is under way: for each number of clusters chosen, what they come to."""

    left: Int64s
    """What they leave."""
    others: Int64s
    """What the next cluster takes beside the first value that is left; ``NOBODY`` when all were tried."""
    cost: Floats
    rank: Int64s
    components: Int64s
    parent: Int64s
    """The components as they are tied together, a row for each number of clusters."""
    place: Int64s
    """The number of clusters chosen, negative when all is done, and the number of steps taken."""


@hot_loop
def tie(cluster: int, component_of: Int64s, parent: Int64s) -> int:
    """Join the components that a cluster confuses; give how many fewer are left."""
    fewer = 0
    for side in range(component_of.shape[0]):
        first = NOBODY
        for value in range(component_of.shape[1]):
            if cluster >> value & 1 == 0 or component_of[side, value] == NOBODY:
                continue
            if first == NOBODY:
                first = component_of[side, value]
            elif unite(parent, first, component_of[side, value]):
                fewer += 1
    return fewer


@hot_loop
def note(result: int, worst: float, clusters: Int64s, least: Floats, best: Int64s) -> None:
    """Note a partition of a rank and a cost wherever it is better than what is known."""
    for rank in range(result, len(least)):
        if least[rank] <= worst:
            break
        least[rank] = worst
        for number in range(len(clusters)):
            best[rank, number] = clusters[number]


@hot_loop
def ties_of(
    depth: int, cluster: int, rest: int, blocks: Blocks, walk: PartitionWalk, trial: Int64s
) -> tuple[int, int]:
    """Join the components that the next cluster confuses; give how many are left and can be left.

    No way to part the rest ties more together than the rest as one cluster.
    """
    after = walk.parent[depth + 1]
    for component in range(len(trial)):
        after[component] = walk.parent[depth, component]
    remain = walk.components[depth] - tie(cluster, blocks.component_of, after)
    for component in range(len(trial)):
        trial[component] = after[component]
    return remain, remain - tie(rest, blocks.component_of, trial)


@hot_loop
def write_clusters(depth: int, last: int, walk: PartitionWalk, clusters: Int64s) -> None:
    """Write the clusters chosen, the last of them after so many others; 0 behind them."""
    for number in range(len(clusters)):
        clusters[number] = 0
    for number in range(depth):
        clusters[number] = walk.left[number] ^ walk.left[number + 1]
    clusters[depth] = last


@hot_loop
def step_on(
    steps: int,
    by_components: bool,
    most: int,
    blocks: Blocks,
    walk: PartitionWalk,
    least: Floats,
    best: Int64s,
) -> None:
    """Take so many steps towards the least cost of every rank.

    ``by_components``: a rank is a number of components less one, not the rank of the worst cluster. No
    partition with more than ``most`` components counts.
    """
    depth = walk.place[0]
    trial = np.empty(walk.parent.shape[1], dtype=np.int64)
    clusters = np.empty(best.shape[1], dtype=np.int64)
    counts = by_components or most < len(trial)
    for _ in range(steps):
        if depth < 0:
            break
        first = walk.left[depth] & -walk.left[depth]
        beside = walk.left[depth] ^ first
        if walk.others[depth] == NOBODY:
            depth -= 1
            continue
        cluster = first | walk.others[depth]
        walk.others[depth] = NOBODY if walk.others[depth] == 0 else (walk.others[depth] - 1) & beside
        rest = walk.left[depth] ^ cluster
        worst = max(walk.cost[depth], blocks.cost[cluster])
        reached = max(walk.rank[depth], blocks.rank[cluster])
        lowest = max(reached, blocks.rank[rest])
        if not blocks.is_enough[rest] or (not by_components and least[lowest] <= worst) or worst == np.inf:
            continue
        remain = walk.components[depth]
        if counts:
            remain, fewest = ties_of(depth, cluster, rest, blocks, walk, trial)
            if fewest > most or (by_components and least[fewest - 1] <= worst):
                continue
        if rest:
            depth += 1
            walk.left[depth] = rest
            walk.others[depth] = rest ^ (rest & -rest)
            walk.cost[depth] = worst
            walk.rank[depth] = reached
            walk.components[depth] = remain
        else:
            write_clusters(depth, cluster, walk, clusters)
            note(remain - 1 if by_components else reached, worst, clusters, least, best)
    walk.place[0] = depth
    walk.place[1] += steps


@hot_loop
def look_finer(
    steps: int,
    limits: tuple[float, int, int],
    per_cluster: int,
    blocks: Blocks,
    detail: Floats,
    walk: PartitionWalk,
    found: Floats,
    best: Int64s,
) -> None:
    """Take so many steps towards the finest partition within a cost, a rank and a number of components.

    Finest: most clusters where ``per_cluster`` is 1, then the least sum of ``detail`` over the clusters.
    ``found`` holds minus the number of clusters, and the sum, of what is known; ``best`` is its clusters.
    ``walk.rank`` counts the clusters, and ``walk.cost`` adds up the detail.
    """
    most_cost, most_rank, most = limits
    depth = walk.place[0]
    trial = np.empty(walk.parent.shape[1], dtype=np.int64)
    counts = most < len(trial)
    for _ in range(steps):
        if depth < 0:
            break
        first = walk.left[depth] & -walk.left[depth]
        beside = walk.left[depth] ^ first
        if walk.others[depth] == NOBODY:
            depth -= 1
            continue
        cluster = first | walk.others[depth]
        walk.others[depth] = (
            NOBODY if walk.others[depth] == beside else (walk.others[depth] - beside) & beside
        )
        rest = walk.left[depth] ^ cluster
        if blocks.cost[cluster] > most_cost or blocks.rank[cluster] > most_rank:
            continue
        if not blocks.is_enough[rest] or blocks.rank[rest] > most_rank:
            continue
        held, left = 0, rest
        while left:
            left &= left - 1
            held += 1
        number = walk.rank[depth] + 1
        total = walk.cost[depth] + detail[cluster]
        reachable = -(number + held) * per_cluster
        if reachable > found[0] or (reachable == found[0] and total >= found[1]):
            continue
        remain = walk.components[depth]
        if counts:
            remain, fewest = ties_of(depth, cluster, rest, blocks, walk, trial)
            if fewest > most:
                continue
        if rest:
            depth += 1
            walk.left[depth] = rest
            walk.others[depth] = 0
            walk.rank[depth] = number
            walk.cost[depth] = total
            walk.components[depth] = remain
        else:
            found[0] = -number * per_cluster
            found[1] = total
            write_clusters(depth, cluster, walk, best)
    walk.place[0] = depth
    walk.place[1] += steps
