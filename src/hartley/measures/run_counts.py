"""Loops that follow a run merge by merge; see :mod:`hartley.measures.trajectory`."""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.measures.member_runs import join_runs, member_cost, single_runs
from hartley.model.arrays import Floats, Int64s, Ints

MIDPOINT, CENTROID, MEMBER = 0, 1, 2


@hot_loop
def lay_out(size: int, kept: Ints, joined: Ints) -> tuple[Ints, Ints]:
    """Put the values in a row in which every cluster of the run is a stretch.

    Gives the rank of each value in the row, and for each rank the merge that brings it together with the
    next; the number of merges where none does.
    """
    following = np.full(size, -1, np.int32)
    tail = np.arange(size).astype(np.int32)
    merge_after = np.full(size, len(kept), np.int32)
    for merge in range(len(kept)):
        end = tail[kept[merge]]
        following[end] = joined[merge]
        merge_after[end] = merge
        tail[kept[merge]] = tail[joined[merge]]
    is_joined = np.zeros(size, np.bool_)
    for merge in range(len(kept)):
        is_joined[joined[merge]] = True
    rank = np.empty(size, np.int32)
    meeting = np.empty(size, np.int32)
    filled = 0
    for place in range(size):
        if is_joined[place]:
            continue
        value = place
        while value >= 0:
            rank[value] = filled
            meeting[filled] = merge_after[value]
            filled += 1
            value = following[value]
    return rank, meeting


@hot_loop
def follow_counts(kept: Ints, joined: Ints, shared: Ints, count: Ints, component: Ints) -> tuple[Int64s, Int64s]:
    """Give, after each merge, the fewest candidates and the number of components.

    ``shared`` is how many candidates the two clusters of each merge have in common, ``count`` how many
    each value has, ``component`` its component. Entry 0 is before the first merge.
    """
    count = count.copy()
    parent = np.arange(component.max() + 1)
    clusters_with = np.zeros(count.sum() + 1, np.int32)
    for place in range(len(count)):
        clusters_with[count[place]] += 1
    fewest = np.empty(len(kept) + 1, np.int64)
    parts = np.empty(len(kept) + 1, np.int64)
    least = 0
    while clusters_with[least] == 0:
        least += 1
    fewest[0], parts[0] = least, len(parent)
    for merge in range(len(kept)):
        one, other = kept[merge], joined[merge]
        clusters_with[count[one]] -= 1
        clusters_with[count[other]] -= 1
        count[one] += count[other] - shared[merge]
        clusters_with[count[one]] += 1
        # Merging never lowers a count, so the fewest only rise.
        while clusters_with[least] == 0:
            least += 1
        a, b = component[one], component[other]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        fewest[merge + 1] = least
        parts[merge + 1] = parts[merge] - (a != b)
        parent[max(a, b)] = min(a, b)
    return fewest, parts


@hot_loop
def follow_sizes(size: int, kept: Ints, joined: Ints) -> Int64s:
    """Give the largest cluster's number of values after each merge; entry 0 is before the first."""
    sizes = np.ones(size, np.int64)
    largest = np.ones(len(kept) + 1, np.int64)
    for merge in range(len(kept)):
        sizes[kept[merge]] += sizes[joined[merge]]
        largest[merge + 1] = max(largest[merge], sizes[kept[merge]])
    return largest


@hot_loop
def follow_line(kept: Ints, joined: Ints, positions: Floats, codeword: int) -> Floats:
    """Give the distortion on a line of the cluster that each merge makes."""
    n = len(positions)
    low, high, total = positions.copy(), positions.copy(), positions.copy()
    count = np.ones(n)
    runs = np.arange(n if codeword == MEMBER else 0)
    links, values, used = single_runs(positions[: len(runs)])
    costs = np.empty(len(kept))
    for merge in range(len(kept)):
        one, other = kept[merge], joined[merge]
        low[one] = min(low[one], low[other])
        high[one] = max(high[one], high[other])
        total[one] += total[other]
        count[one] += count[other]
        if codeword == MIDPOINT:
            costs[merge] = (high[one] - low[one]) / 2
        elif codeword == CENTROID:
            costs[merge] = (
                max(count[one] * high[one] - total[one], total[one] - count[one] * low[one]) / count[one]
            )
        else:
            runs[one] = join_runs(runs[one], runs[other], links, values, used)
            costs[merge] = member_cost(low[one], high[one], runs[one], links, values)
    return costs


@hot_loop
def worst_standing(kept: Ints, joined: Ints, costs: Floats, size: int, dearest_first: Ints) -> Floats:
    """Give the highest cost of a cluster that stands after each merge; entry 0 is before the first.

    A cluster's cost may exceed that of the cluster it is merged into, so this is no running maximum:
    from the dearest cluster down, each fills the moments of its life that no dearer one has filled.
    """
    merges = len(kept)
    made_by = np.full(size, -1, np.int64)
    gone_at = np.full(merges, merges, np.int64)
    for merge in range(merges):
        for place in (kept[merge], joined[merge]):
            if made_by[place] >= 0:
                gone_at[made_by[place]] = merge
        made_by[kept[merge]] = merge
    worst = np.zeros(merges + 1)
    open_from = np.arange(merges + 1)
    for merge in dearest_first:
        moment = merge
        while True:
            while open_from[moment] != moment:
                open_from[moment] = open_from[open_from[moment]]
                moment = open_from[moment]
            if moment >= gone_at[merge]:
                break
            worst[moment + 1] = costs[merge]
            open_from[moment] = moment + 1
            moment += 1
    return worst
