"""Which cuts of a node may be tried: by their verdict, or by the room that failed cuts left."""

from __future__ import annotations

from hartley.hot_loops import hot_part
from hartley.search.trees.loops.chances import part_chance
from hartley.search.trees.loops.counts import cannot_fail, is_allowed, part_candidates_hold
from hartley.search.trees.loops.layout import (
    CELLS,
    MIDDLE,
    ONCE,
    SIDES,
    UNBOUND,
    UP_TO,
    Growth,
    NodePaper,
    OpenNode,
    Wants,
    Work,
)

SURE = 0.95
"""How sure that must be to hold."""
LIKE = 4
"""A side that differs from a failed one by less than one row in so many is not tried."""


@hot_part
def suits(wants: Wants, paper: NodePaper, node: OpenNode, left: int, in_left: int) -> bool:
    """Tell whether a cut of a node may be tried: by its verdict, or by the room that failed cuts left.

    ``left`` is the rows of the left side, ``in_left`` those of them in sides of failed cuts.
    """
    right = node.rows - left
    if min(left, right) < wants.least:
        return False
    if node.mode == UNBOUND:
        return is_allowed(wants, paper, node.size, left, right)
    if node.mode == SIDES:
        more = left - in_left if left <= right else right - (node.bound - in_left)
        return bool(node.bound + more + 1 <= node.room)
    return True


@hot_part
def is_like_failed(paper: NodePaper, fails: int, rows: int, left: int) -> bool:
    """Tell whether a side is nearly that of a cut which failed at this node."""
    for f in range(fails):
        failed = paper.like[f]
        shared = paper.like[64 + f]
        side = left
        if 2 * left > rows:
            side = rows - left
            shared = failed - shared
        if (side + failed - 2 * shared) * LIKE < failed:
            return True
    return False


@hot_part
def every_tuple_suits(work: Work, node: OpenNode) -> bool:
    """Tell whether every tuple of a node is to be tried by itself."""
    tuples, wants, paper, growth, _ = work
    if wants.rule == MIDDLE:
        return False
    least = node.rows
    second = node.rows
    sure = 1.0
    for i in range(node.first, node.last):
        mine = tuples.rows[growth.order[0, i]]
        if mine < wants.least or tuples.weights[growth.order[0, i]] < wants.weight_k:
            return False
        sure *= part_chance(wants, paper, node.rows, mine)
        if sure < SURE:
            return False
        if mine < least:
            second = least
            least = mine
        elif mine < second:
            second = mine
    if cannot_fail(wants, paper, least):
        return True
    if wants.trials < ONCE or wants.known > 0:
        return False
    is_least_met = False
    for i in range(node.first, node.last):
        mine = tuples.rows[growth.order[0, i]]
        others = least
        if mine == least and not is_least_met:
            is_least_met = True
            others = second
        if not part_candidates_hold(wants, paper, node.size, mine, others):
            return False
    return True


@hot_part
def count_bound(paper: NodePaper, growth: Growth, one: int, rows: int, mode: int, fails: int) -> int:
    """Add a tuple of the left side to the counts of what failed cuts bind; return its rows in sides."""
    if mode == CELLS:
        paper.cell_rows[64 + growth.bound[one]] += rows
    for f in range(fails):
        if growth.tried[one] >> f & 1:
            paper.like[64 + f] += rows
    return rows if mode == SIDES and growth.bound[one] else 0


@hot_part
def cells_have_room(paper: NodePaper, failed: int, room: int) -> bool:
    """Tell whether both sides have more rows in every combination of sides than there are unusual rows."""
    for cell in range(1 << failed):
        left = paper.cell_rows[64 + cell]
        if left <= room or paper.cell_rows[cell] - left <= room:
            return False
    return True


@hot_part
def pilot_suits(work: Work, node: OpenNode) -> bool:
    """Tell whether the next of the first cuts may be tried."""
    tuples, wants, paper, growth, learnt = work
    column = learnt.pilots[learnt.step[0], 0]
    up_to = learnt.pilots[learnt.step[0], 1]
    form = learnt.pilots[learnt.step[0], 2]
    left = 0
    left_weight = 0.0
    right_weight = 0.0
    for i in range(node.first, node.last):
        one = growth.order[0, i]
        rank = tuples.rank[one, column]
        if rank == up_to or (rank < up_to and form == UP_TO):
            left += tuples.rows[one]
            left_weight += tuples.weights[one]
        else:
            right_weight += tuples.weights[one]
    if min(left_weight, right_weight) < wants.weight_k:
        return False
    return is_allowed(wants, paper, node.size, left, node.rows - left)
