"""The least cost for centroids over all partitions, where few values lie within reach (Theorem L5).

A mean can be pulled from afar, so nothing is known of best clusters but that a cost of D means a span of at
most 2D. So go along the line: the first value that has no cluster yet begins one, and its other members lie
within 2D of it. What was decided before matters only through its *front*: that first value, which
of the values after it are taken, and the worst cost so far, of which the least will do. Every partition
within D is met, so the best one met is the best there is, and finding none proves that there is
none. The fronts are few where few values lie within 2D, however long the line is.

A front is kept as the first rank that no cluster has taken yet and the ranks after it that are taken, as bits
of one number. Fronts of the same rank are linked; a table finds a front that was met before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Int64s
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.sweeps.held_codes import HeldDemand, lack_of

TAKEN, BEFORE, CLUSTER, NEXT, RANK = 0, 1, 2, 3, 4
"""What is kept of a front: the ranks taken, the front before, the cluster chosen then, the next front of the
same rank, and that rank."""
COUNT, NODES, HERE, DEPTH, OF_FRONT, SINCE = 0, 1, 2, 3, 4, 5
"""What is counted: fronts kept, sets looked at, the front to go on from (-1: the first of its rank), members
but one of the set to go on from at that front (-1: the first), sets looked at there, and sets looked at since
the last question whether there are too many."""
PERIOD = 2_147_483_647


@hot_loop
def place_of(rank: int, taken: int, fronts: Int64s, table: Int64s) -> int:
    """Return the place in the table where a front is (its number and 1), or belongs (0)."""
    place = ((taken % PERIOD) * 48271 + rank * 69621) % PERIOD % len(table)
    while True:
        front = table[place] - 1
        if front < 0 or (fronts[front, TAKEN] == taken and fronts[front, RANK] == rank):
            return place
        place = (place + 1) % len(table)


@hot_loop
def keep_front(
    rank: int,
    taken: int,
    before: int,
    cluster: int,
    cost: float,
    fronts: Int64s,
    costs: Floats,
    heads: Int64s,
    table: Int64s,
    counts: Int64s,
) -> bool:
    """Keep a front, or the better way to one met before; tell whether there was room."""
    place = place_of(rank, taken, fronts, table)
    front = table[place] - 1
    if front < 0:
        front = counts[COUNT]
        if front >= len(fronts):
            return False
        counts[COUNT] += 1
        table[place] = front + 1
        fronts[front, TAKEN] = taken
        fronts[front, RANK] = rank
        fronts[front, NEXT] = heads[rank]
        heads[rank] = front
    elif costs[front] <= cost:
        return True
    costs[front] = cost
    fronts[front, BEFORE] = before
    fronts[front, CLUSTER] = cluster
    return True


@hot_loop
def free_ranks(rank: int, taken: int, positions: Floats, reach: float, free: Int64s) -> int:
    """Write the ranks that a cluster beginning at a rank can have as members, itself first; give how many."""
    free[0] = rank
    many = 1
    for member in range(rank + 1, len(positions)):
        if (positions[member] - positions[rank]) / 2 > reach:
            break
        if not (taken >> (member - rank - 1)) & 1:
            free[many] = member
            many += 1
    return many


class SetsUnderWay(NamedTuple):
    """The set looked at, member by member, and what it may be made of at its front."""

    free: Int64s
    """The ranks that may be members."""
    ahead: Int64s
    """The codes of each of them and those after it."""
    rows_ahead: Int64s
    """The rows of each of them and those after it."""
    tried: Int64s
    """What is tried next after each member."""
    members: Int64s
    totals: Floats
    bits: Int64s
    held: Int64s
    rows: Int64s
    """Sums, bits, codes and rows of its first members."""

    @staticmethod
    def of(size: int, wide: int) -> SetsUnderWay:
        """Return room for a line of so many values, with codes in so many words."""
        return SetsUnderWay(
            np.empty(size, dtype=np.int64),
            np.zeros((size + 1, wide), dtype=np.int64),
            np.zeros(size + 1, dtype=np.int64),
            np.empty(size + 1, dtype=np.int64),
            np.empty(size + 1, dtype=np.int64),
            np.empty(size + 1),
            np.empty(size + 1, dtype=np.int64),
            np.zeros((size + 1, wide), dtype=np.int64),
            np.zeros(size + 1, dtype=np.int64),
        )


@hot_loop
def extend_fronts(
    begin: int,
    most_nodes: int,
    most_of_a_front: int,
    positions: Floats,
    demand: HeldDemand,
    limit: float,
    rounding: float,
    fronts: Int64s,
    costs: Floats,
    heads: Int64s,
    table: Int64s,
    counts: Int64s,
    sets: SetsUnderWay,
) -> Any:
    """Choose the cluster of the first free rank in every way, from a rank on until the nodes are used up.

    Gives the rank to go on from, by another call with the same arrays, past the end when all is done, or -1
    when there was no room for a front, or more to choose from at one front than ``most_of_a_front``.
    A cluster costs at most ``limit``, and less than the best way found to the end.
    """
    words = demand.words
    size, wide = words.shape
    free, ahead, rows_ahead, tried, members, totals, bits, held, rows = sets
    nodes = 0
    for rank in range(begin, size):
        low = positions[rank]
        front = heads[rank] if counts[HERE] < 0 else counts[HERE]
        counts[HERE] = -1
        while front >= 0:
            depth = counts[DEPTH]
            if depth < 0 and counts[SINCE] + nodes > most_of_a_front:
                counts[NODES] += nodes
                counts[SINCE] += nodes
                counts[HERE] = front
                return rank
            taken = fronts[front, TAKEN]
            many = free_ranks(rank, taken, positions, limit + rounding, free)
            before = nodes - counts[OF_FRONT]
            counts[DEPTH] = -1
            counts[OF_FRONT] = 0
            is_new = depth < 0
            if is_new:
                for word in range(wide):
                    ahead[many, word] = 0
                    held[0, word] = words[rank, word]
                rows_ahead[many] = 0
                rows[0] = demand.rows[rank]
                for place in range(many - 1, -1, -1):
                    rows_ahead[place] = rows_ahead[place + 1] + demand.rows[free[place]]
                    for word in range(wide):
                        ahead[place, word] = ahead[place + 1, word] | words[free[place], word]
                depth = 0
                tried[0] = 1
                members[0] = rank
                totals[0] = low
                bits[0] = 0
            while depth >= 0:
                if not is_new and nodes >= most_nodes:
                    counts[NODES] += nodes
                    counts[SINCE] += nodes
                    counts[HERE] = front
                    counts[DEPTH] = depth
                    counts[OF_FRONT] = nodes - before
                    return rank
                if is_new:
                    # The set of the members chosen so far: is it a cluster?
                    is_new = False
                    nodes += 1
                    if nodes - before > most_of_a_front:
                        return -1
                    if lack_of(held[depth], 0, held[depth], 0, rows[depth], demand) == 0:
                        count = depth + 1
                        high = positions[members[depth]]
                        cost = max(high * count - totals[depth], totals[depth] - low * count) / count
                        if depth == 0:
                            cost = 0.0
                        worst = max(cost, costs[front])
                        if worst <= limit and (heads[size] < 0 or worst < costs[heads[size]]):
                            after = taken | bits[depth]
                            first = rank + 1
                            while after & 1:
                                after >>= 1
                                first += 1
                            if not keep_front(
                                first,
                                after >> 1,
                                front,
                                bits[depth],
                                worst,
                                fronts,
                                costs,
                                heads,
                                table,
                                counts,
                            ):
                                return -1
                place = tried[depth]
                if place >= many:
                    depth -= 1
                    continue
                count = depth + 2
                total = totals[depth] + positions[free[place]]
                # Members come in ascending order, so the mean only grows.
                if (total - low * count) / count > limit + rounding or lack_of(
                    held[depth], 0, ahead[place], 0, rows[depth] + rows_ahead[place], demand
                ):
                    depth -= 1
                    continue
                tried[depth] = place + 1
                depth += 1
                tried[depth] = place + 1
                members[depth] = free[place]
                totals[depth] = total
                bits[depth] = bits[depth - 1] | (np.int64(1) << (free[place] - rank - 1))
                rows[depth] = rows[depth - 1] + demand.rows[free[place]]
                for word in range(wide):
                    held[depth, word] = held[depth - 1, word] | words[free[place], word]
                is_new = True
            front = fronts[front, NEXT]
    counts[NODES] += nodes
    return size


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
    values: OrderedValues, limit: float, most_nodes: int = MOST_NODES, effort: Effort = UNLIMITED
) -> FrontAnswer:
    """Look for the cheapest partition of the line that is enough everywhere, within a limit; in ticks."""
    size, ticks = values.size, values.ticks
    reach = values.windows.within(limit + values.rounding)
    within = np.arange(size) - reach
    if int(within.max()) >= WIDEST:
        return UNDECIDED
    # Distances from the middle keep the sums small, and integers stay integers.
    positions = ticks - np.rint(ticks[size // 2])
    most_fronts = min(MOST_FRONTS, most_nodes)
    fronts = np.zeros((most_fronts, RANK + 1), dtype=np.int64)
    costs = np.zeros(most_fronts)
    heads = np.full(size + 1, -1, dtype=np.int64)
    table = np.zeros(2 * most_fronts + 1, dtype=np.int64)
    counts = np.array([1, 0, -1, -1, 0, 0], dtype=np.int64)
    sets = SetsUnderWay.of(size, values.held.words.shape[1])
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
                values.held,
                limit,
                values.rounding,
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
