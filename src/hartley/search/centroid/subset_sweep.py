r"""The least distortion for centroids over all partitions, where few values lie within reach of each other.

A mean can be pulled from afar, so nothing is known of best clusters but that a cost of D means a span of at
most 2D. So go along the line: the first value that has no cluster yet begins one, and its other members lie
within 2D of it. What was decided before matters only through its *front*: that first value, which
of the values after it are taken, and the worst cost so far, of which the least will do. Every partition
within D is met, so the best one met is the best there is, and finding none proves that there is
none. The fronts are few where few values lie within 2D, however long the line is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Int64s
from hartley.search.centroid.subset_sweep_loops import (
    BEFORE,
    CLUSTER,
    NEXT,
    NODES,
    RANK,
    SINCE,
    SetsUnderWay,
    extend_fronts,
)
from hartley.search.distortion.line import Line
from hartley.search.distortion.windows import Windows
from hartley.search.effort import UNLIMITED, Effort

WIDEST = 40
"""Values within reach of each other, at most, for a sweep to be tried."""
MOST_FRONTS = 400_000
MOST_NODES = 30_000_000
"""Sets of values looked at, at most, in one sweep."""
STEPS_PER_NODE = 30
"""Elementary steps that a set of values takes, about."""
MOST_OF_A_FRONT = 2_000_000
"""Sets looked at from one front, at most."""
NODES_PER_CALL = 250_000
"""Sets looked at between two questions whether to stop, compiled."""


@dataclass(frozen=True, eq=False)
class FrontAnswer:
    """What a sweep over fronts found."""

    decided: bool
    """Whether every partition within the limit was met."""
    cost: float
    """What the best partition within the limit costs; infinite where there is none or it is not decided."""
    cluster_of: Int64s | None
    """The cluster of each rank in it."""


UNDECIDED = FrontAnswer(False, np.inf, None)


def least_by_fronts(
    line: Line,
    distinct_l: int,
    limit: float,
    most_nodes: int = MOST_NODES,
    effort: Effort = UNLIMITED,
) -> FrontAnswer:
    """Look for the cheapest partition of all that leave so many candidates, within a limit.

    >>> from hartley.measures.utility import LineDistortion
    >>> from hartley.model import JointRange
    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> line = Line.of(joint, LineDistortion.of(joint.public, "centroid"))
    >>> answer = least_by_fronts(line, 2, 3.0)
    >>> answer.cost, answer.cluster_of.tolist()
    (1.0, [0, 1, 0, 1])
    >>> least_by_fronts(line, 2, 0.9).cost
    inf
    """
    size = line.size
    reach = Windows(line.positions, "midpoint").within(limit + line.rounding)
    within = np.arange(size) - reach
    if int(within.max()) >= WIDEST:
        return UNDECIDED
    # Distances from the middle keep the sums small, and integers stay integers.
    positions = line.positions - np.rint(line.positions[size // 2])
    most_fronts = min(MOST_FRONTS, most_nodes)
    fronts = np.zeros((most_fronts, RANK + 1), dtype=np.int64)
    costs = np.zeros(most_fronts)
    heads = np.full(size + 1, -1, dtype=np.int64)
    table = np.zeros(2 * most_fronts + 1, dtype=np.int64)
    counts = np.array([1, 0, -1, -1, 0, 0], dtype=np.int64)
    sets = SetsUnderWay.of(size, line.words.shape[1])
    fronts[0, [BEFORE, NEXT]] = -1
    heads[0] = 0
    steps = min(most_nodes, int((2.0**within).sum()) * STEPS_PER_NODE)
    rank = 0
    while rank < size:
        # Asked after as many sets on every machine, however large the pieces are.
        if counts[SINCE] > MOST_OF_A_FRONT:
            counts[SINCE] = 0
            if counts[NODES] > most_nodes:
                return UNDECIDED
        if effort.should_stop():
            return UNDECIDED
        loop = extend_fronts.for_size(steps, in_pieces=True)
        rank = int(
            loop(
                rank,
                extend_fronts.piece(loop, NODES_PER_CALL),
                MOST_OF_A_FRONT,
                positions,
                line.words,
                distinct_l,
                limit,
                line.rounding,
                fronts,
                costs,
                heads,
                table,
                counts,
                sets,
            )
        )
        if rank < 0:
            return UNDECIDED
    if heads[size] < 0:
        return FrontAnswer(True, np.inf, None)
    return FrontAnswer(True, float(costs[heads[size]]), _trace(fronts, int(heads[size]), size))


def _trace(fronts: Int64s, front: int, size: int) -> Int64s:
    """Return the cluster of each rank, named by its first rank, walking back through the sweep."""
    cluster_of = np.empty(size, dtype=np.int64)
    while (before := int(fronts[front, BEFORE])) >= 0:
        first, others = int(fronts[before, RANK]), int(fronts[front, CLUSTER])
        cluster_of[first] = first
        cluster_of[[first + 1 + bit for bit in range(others.bit_length()) if others >> bit & 1]] = first
        front = before
    return cluster_of
