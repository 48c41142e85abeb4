"""The positions of every cluster's members, kept sorted in runs of doubling length.

A cluster's members lie in a few sorted runs, no two of which hold about equally many. Joining two
clusters joins runs of about equal length, as adding binary numbers carries digits: each
position is moved at most once for every doubling.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.compilation import hot_loop

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]


@hot_loop
def member_cost(
    low: float, high: float, run: int, following: Ints, starts: Ints, lengths: Ints, values: Floats
) -> float:
    """Give the least, over the members in these runs, of the distance to the farther end of the span."""
    best = np.inf
    while run >= 0:
        first = starts[run]
        last = first + lengths[run]
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
        run = following[run]
    return best


@hot_loop
def join_runs(
    one: int, other: int, following: Ints, starts: Ints, lengths: Ints, values: Floats, used: Ints
) -> int:
    """Join two lists of runs, shortest first, and give the head of the joined list.

    ``used`` holds how much of ``values`` is filled and how many runs there are. The runs joined are
    not needed any more.
    """
    head, tail, carry, limit = -1, -1, -1, 1
    while one >= 0 or other >= 0 or carry >= 0:
        # Each list holds at most one run shorter than this limit that the last one did not cover.
        limit *= 2
        here, with_it = carry, -1
        if here >= 0 and lengths[here] >= limit:
            here = -1
        else:
            carry = -1
        if one >= 0 and lengths[one] < limit:
            run = one
            one = following[run]
            if here < 0:
                here = run
            else:
                with_it = run
        if other >= 0 and lengths[other] < limit:
            run = other
            other = following[run]
            if here < 0:
                here = run
            elif with_it < 0:
                with_it = run
            else:
                # Three of a kind: one stays, two are joined.
                following[run] = -1
                if tail < 0:
                    head = run
                else:
                    following[tail] = run
                tail = run
        if with_it >= 0:
            i, last_i = starts[here], starts[here] + lengths[here]
            j, last_j = starts[with_it], starts[with_it] + lengths[with_it]
            carry = used[1]
            write = used[0]
            starts[carry] = write
            lengths[carry] = lengths[here] + lengths[with_it]
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
            following[here] = -1
            if tail < 0:
                head = here
            else:
                following[tail] = here
            tail = here
    return head
