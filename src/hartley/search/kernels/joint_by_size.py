"""Problem (3) under resolution, without looking at all pairs.

Sets of different components share nothing, so a union has as many candidates as its two parts
together. Unless a pair holds all narrowest clusters, merging it leaves the leakage as it is, and
its change of the Lagrangian depends on the two sizes alone. For each size it is therefore enough to know
the best cluster (fewest candidates, largest component, earliest) and the best one of another
component. Pairs that hold all narrowest clusters are few, and are looked at one by one.
"""

from __future__ import annotations

from math import log2

import numpy as np
import numpy.typing as npt

from hartley.compilation import hot_loop
from hartley.search.kernels.joint_order import is_better, rounded

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]


@hot_loop
def joint_by_size(
    component: Ints, values: Ints, candidates: Ints, width: int, weight: float
) -> tuple[Ints, Ints]:
    """Give the merges (kept, joined).

    ``component`` numbers the component of each place, ``values`` counts the values of each component,
    ``candidates`` the candidates of each value; ``width`` is how many sensitive values there are,
    ``weight`` how much utility weighs.
    """
    n = len(component)
    component = component.copy()
    values = values.copy()
    count = candidates.copy()
    size = np.ones(n, np.int64)
    live = np.arange(n)
    alive = n
    parts = len(values)
    members = np.argsort(component)
    # The values of a component as a list, so that the smaller of two can be renamed.
    head = np.full(parts, -1, np.int64)
    tail = np.full(parts, -1, np.int64)
    following = np.full(n, -1, np.int64)
    for i in range(n - 1, -1, -1):
        place = members[i]
        part = component[place]
        following[place] = head[part]
        if head[part] < 0:
            tail[part] = place
        head[part] = place
    kept = np.empty(parts - 1, np.int64)
    joined = np.empty(parts - 1, np.int64)
    first_of = np.full(n + 1, -1, np.int64)
    second_of = np.full(n + 1, -1, np.int64)
    present = np.empty(n, np.int64)
    best = np.empty(6, np.float64)
    trial = np.empty(6, np.float64)
    largest = 1
    for merges in range(parts - 1):
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
        kept[merges] = keep
        joined[merges] = join
        one, two = component[keep], component[join]
        if values[one] < values[two]:
            one, two = two, one
        place = head[two]
        while place >= 0:
            component[place] = one
            place = following[place]
        following[tail[one]] = head[two]
        tail[one] = tail[two]
        values[one] += values[two]
        count[keep] += count[join]
        size[keep] += size[join]
        largest = max(largest, size[keep])
        for i in range(alive):
            if live[i] == join:
                alive -= 1
                live[i] = live[alive]
                break
    return kept, joined
