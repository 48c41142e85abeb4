"""The measures of a run for a reader with side information.

Observations are followed, not clusters: what is known of a cluster together with each side value that
occurs with it. When two clusters are merged, the one with fewer side values is added to the other, so that
an observation moves at most once for every doubling.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import candidate_counts, prior_counts
from hartley.model import JointRange, MergeTree
from hartley.model.arrays import Floats, Int64s


def follow_observations(joint: JointRange, run: MergeTree, together: Int64s) -> tuple[Int64s, Int64s, Floats]:
    r"""Give, after each merge, the fewest candidates, the components, and the greatest reduction.

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
    parent = list(range(groups.size))

    def root(group: int) -> int:
        while parent[group] != group:
            parent[group] = parent[parent[group]]
            group = parent[group]
        return group

    # Int64s only rise, so an entry with an old count is out of date, and a dead observation counts none.
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
            a, b = root(component[one]), root(component[other])
            if a != b:
                parent[b] = a
                parts -= 1
        seen[kept], seen[joined] = mine, {}
        for heap in (fewest, greatest):
            while count[heap[0][1]] != heap[0][2]:
                heappop(heap)
        measured.append((fewest[0][0], parts, -greatest[0][0]))
    table = np.array(measured, dtype=float)
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2]
