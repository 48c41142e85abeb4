"""The positions of every cluster's members, kept sorted in runs of doubling length.

A cluster's members lie in a few sorted runs, no two of which hold about equally many. Joining two
clusters joins runs of about equal length, as adding binary numbers carries digits: each
position is moved at most once for every doubling.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Ints


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
