"""Loops that follow a run merge by merge; see :mod:`hartley.measures.trajectory`.

For a reader with side information observations are followed, not clusters: what is known of a cluster
together with each side value that occurs with it. When two clusters are merged, the one with fewer side
values is added to the other, so that an observation moves at most once for every doubling.

The positions of a cluster's members lie in a few sorted runs, no two of which hold about equally many.
Joining two clusters joins runs of about equal length, as adding binary numbers carries digits: each
position is moved at most once for every doubling, too.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import candidate_counts, prior_counts
from hartley.model import JointRange, MergeTree
from hartley.model.arrays import Floats, Int64s, Ints
from hartley.model.disjoint_sets import DisjointSets, root_of, unite


@hot_loop
def single_runs(positions: Floats) -> tuple[Ints, Floats, Ints]:
    """Return runs of one position each: the links, the values with room for all joins, and what is used.

    A row of the links is a run: the next one of its cluster or -1, where it starts, and how long it is.
    """
    count = len(positions)
    doublings = 2
    while (1 << doublings) < count:
        doublings += 1
    links = np.zeros((2 * count, 3), np.int64)
    values = np.empty(count * (doublings + 2), np.float64)
    for run in range(count):
        links[run, 0] = -1
        links[run, 1] = run
        links[run, 2] = 1
        values[run] = positions[run]
    return links, values, np.full(2, count, np.int64)


@hot_part
def member_cost(low: float, high: float, run: int, links: Ints, values: Floats) -> float:
    """Return the least, over the members in these runs, of the distance to the farther end of the span."""
    best = np.inf
    while run >= 0:
        first = links[run, 1]
        last = first + links[run, 2]
        left, right = first, last
        while left < right:
            middle = (left + right) // 2
            if values[middle] - low < high - values[middle]:
                left = middle + 1
            else:
                right = middle
        if left < last:
            best = min(best, values[left] - low)
        if left > first:
            best = min(best, high - values[left - 1])
        run = links[run, 0]
    return best


@hot_part
def join_runs(one: int, other: int, links: Ints, values: Floats, used: Ints) -> int:
    """Join two lists of runs, shortest first, and give the head of the joined list.

    ``used`` holds how much of ``values`` is filled and how many runs there are. The runs joined are
    not needed any more.
    """
    head, tail, carry, limit = -1, -1, -1, 1
    while one >= 0 or other >= 0 or carry >= 0:
        # Each list holds at most one run shorter than this limit that the last one did not cover.
        limit *= 2
        here, with_it = carry, -1
        if here >= 0 and links[here, 2] >= limit:
            here = -1
        else:
            carry = -1
        if one >= 0 and links[one, 2] < limit:
            run = one
            one = links[run, 0]
            if here < 0:
                here = run
            else:
                with_it = run
        if other >= 0 and links[other, 2] < limit:
            run = other
            other = links[run, 0]
            if here < 0:
                here = run
            elif with_it < 0:
                with_it = run
            else:
                # Three of a kind: one stays, two are joined.
                links[run, 0] = -1
                if tail < 0:
                    head = run
                else:
                    links[tail, 0] = run
                tail = run
        if with_it >= 0:
            i, last_i = links[here, 1], links[here, 1] + links[here, 2]
            j, last_j = links[with_it, 1], links[with_it, 1] + links[with_it, 2]
            carry = used[1]
            write = used[0]
            links[carry, 1] = write
            links[carry, 2] = links[here, 2] + links[with_it, 2]
            while i < last_i or j < last_j:
                if j == last_j or (i < last_i and values[i] <= values[j]):
                    values[write] = values[i]
                    i += 1
                else:
                    values[write] = values[j]
                    j += 1
                write += 1
            used[0] = write
            used[1] += 1
        elif here >= 0:
            links[here, 0] = -1
            if tail < 0:
                head = here
            else:
                links[tail, 0] = here
            tail = here
    return head


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
def follow_counts(
    kept: Ints, joined: Ints, shared: Ints, count: Ints, component: Ints
) -> tuple[Int64s, Int64s]:
    """Return, after each merge, the fewest candidates and the number of components.

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
        fewest[merge + 1] = least
        parts[merge + 1] = parts[merge] - unite(parent, component[one], component[other])
    return fewest, parts


@hot_loop
def follow_sizes(size: int, kept: Ints, joined: Ints) -> Int64s:
    """Return the largest cluster's number of values after each merge; entry 0 is before the first."""
    sizes = np.ones(size, np.int64)
    largest = np.ones(len(kept) + 1, np.int64)
    for merge in range(len(kept)):
        sizes[kept[merge]] += sizes[joined[merge]]
        largest[merge + 1] = max(largest[merge], sizes[kept[merge]])
    return largest


@hot_loop
def follow_line(kept: Ints, joined: Ints, positions: Floats, codeword: int) -> Floats:
    """Return the distortion on a line of the cluster that each merge makes."""
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
    """Return the highest cost of a cluster that stands after each merge; entry 0 is before the first.

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
            moment = root_of(open_from, moment)
            if moment >= gone_at[merge]:
                break
            worst[moment + 1] = costs[merge]
            open_from[moment] = moment + 1
            moment += 1
    return worst


def follow_observations(joint: JointRange, run: MergeTree, together: Int64s) -> tuple[Int64s, Int64s, Floats]:
    r"""Return, after each merge, the fewest candidates, the components, and the greatest reduction.

    The reduction is :math:`\max |[\![S|a]\!]| / |[\![S|\hat x,a]\!]|`; entry 0 is before the first merge.
    ``together`` has an entry for each candidate that a merge finds in both its clusters: the merge's number
    times the number of side values, plus the side value.
    """
    assert joint.side is not None and joint.observed_side is not None  # noqa: S101, PT018
    sides = joint.side.size
    count = candidate_counts(joint).tolist()
    prior = prior_counts(joint).tolist()
    groups = overlap_partition(joint)
    component = groups.labels[joint.indices[joint.indptr[:-1]]].tolist()
    numbers, times = np.unique(together, return_counts=True)
    shared = dict(zip(numbers.tolist(), times.tolist(), strict=True))
    seen: list[dict[int, int]] = [{} for _ in range(joint.public.size)]
    places, side_values = joint.public_of.tolist(), joint.observed_side.tolist()
    for observation, (place, side) in enumerate(zip(places, side_values, strict=True)):
        seen[place][side] = observation
    joined_groups = DisjointSets.of(groups.size)
    # Counts only rise, so an entry with an old count is out of date, and a dead observation counts none.
    fewest = [(count[i], i, count[i]) for i in range(len(count))]
    greatest = [(-prior[i] / count[i], i, count[i]) for i in range(len(count))]
    heapify(fewest)
    heapify(greatest)
    parts = groups.size
    measured = [(fewest[0][0], parts, -greatest[0][0])]
    for merge, (kept, joined) in enumerate(run.merges):
        mine, yours = seen[kept], seen[joined]
        if len(mine) < len(yours):
            mine, yours = yours, mine
        for side, other in yours.items():
            if side not in mine:
                mine[side] = other
                continue
            one = mine[side]
            count[one] += count[other] - shared.get(merge * sides + side, 0)
            count[other] = 0
            heappush(fewest, (count[one], one, count[one]))
            heappush(greatest, (-prior[one] / count[one], one, count[one]))
            parts -= joined_groups.unite(component[one], component[other])
        seen[kept], seen[joined] = mine, {}
        for heap in (fewest, greatest):
            while count[heap[0][1]] != heap[0][2]:
                heappop(heap)
        measured.append((fewest[0][0], parts, -greatest[0][0]))
    table = np.array(measured, dtype=float)
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2]
