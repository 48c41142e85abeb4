"""The rule of cuts: which cut of a node is tried next, told from public values and the node's multiset alone.

``GAIN``: of all cuts in two that are allowed, the one with the least expected loss: rows times width of
both parts, as far as they will still be cut, if both are likely to hold; rows times width of the node if
not. How values divide between the parts is told by what the classes made so far have shown of the column,
else as if they were drawn from the node. A cut stands between any two neighbouring cells of a column, or
parts one category from the rest. Before all, every tuple by itself, if that is nearly sure to hold. Ties: the
first column, the lowest rank.

``MIDDLE``: of the widest column the allowed cut nearest the middle row; if it has none, of the next widest.
"""

from __future__ import annotations

from hartley.hot_loops import hot_part
from hartley.search.trees.loops.boxes import box_width, empty_box, node_width, widen
from hartley.search.trees.loops.chances import even_chance_rows, part_chance, part_factor, part_shrink
from hartley.search.trees.loops.counts import cannot_fail
from hartley.search.trees.loops.knowledge import (
    add_to_right,
    count_slots,
    expect_bins,
    look_at_cut,
    place_of_cut,
)
from hartley.search.trees.loops.layout import (
    CELLS,
    EVERY_TUPLE,
    MIDDLE,
    ONE_VALUE,
    PLAIN,
    SIDES,
    SLOTS,
    UNBOUND,
    UP_TO,
    NodePaper,
    OpenNode,
    Outlook,
    Wants,
    Work,
)
from hartley.search.trees.loops.permission import (
    cells_have_room,
    count_bound,
    every_tuple_suits,
    is_like_failed,
    suits,
)

MOST_TUPLES = 64
"""Tuples of a node that are tried each by itself."""
MOST_WEIGHED = 4_096
"""About so many cuts of a column are weighed at a node, and as many tuples looked at for widths."""
ONE_IN = 8
"""A category is tried against the rest where it has one row in so many."""
TRUST = 0.95
"""How far the chance of a cut that can fail is trusted."""
FAILED = 0.9
"""What a node is expected to keep of its loss when a cut has failed: another may be tried."""


@hot_part
def cut_chance(
    wants: Wants, paper: NodePaper, outlook: Outlook, j: int, left_free: int, right_free: int
) -> float:
    """Return the chance that both parts of a cut hold, as far as the rule can tell.

    What fails once fails nearby: rows in sides of failed cuts weigh against as many others of their part. A
    cut that can fail at all is trusted less than its chance, because values may follow public cells: the
    less, the more the parts of cuts of the same column differed above.
    """
    free = outlook.free
    if min(left_free, right_free) <= 0:
        return 0.0
    if outlook.bound == 0 and cannot_fail(wants, paper, min(left_free, right_free)):
        return 1.0
    return float(
        TRUST
        * (1.0 - paper.telling[j])
        * part_chance(wants, paper, free, min(left_free, free))
        * part_chance(wants, paper, free, min(right_free, free))
    )


@hot_part
def cut_cost(
    work: Work, outlook: Outlook, is_told: bool, j: int, left: int, in_left: int, left_loss: float,
    right_loss: float,
) -> float:  # fmt: skip
    """Return the expected loss after a cut is tried: of its parts if they hold, else of the node."""
    wants, paper, even, active = work.wants, work.paper, outlook.even, outlook.active
    left_free = left - 2 * in_left
    right_free = outlook.rows - left - 2 * (outlook.bound - in_left)
    if is_told and min(left_free, right_free) > 0:
        at = look_at_cut(work, outlook, j, left, left_free, right_free)
        both = paper.look[at, 0]
        if not (outlook.bound == 0 and cannot_fail(wants, paper, min(left_free, right_free))):
            both *= TRUST
        kept = left_loss * paper.look[at, 1] + right_loss * paper.look[at, 2]
        return float(both * kept + (1.0 - both) * (outlook.rows * outlook.width) * FAILED)
    both = cut_chance(wants, paper, outlook, j, left_free, right_free)
    factor = part_factor(paper, outlook, left)
    left_loss *= part_shrink(paper, even, active, left) * factor
    right_loss *= part_shrink(paper, even, active, outlook.rows - left) * factor
    return float(both * (left_loss + right_loss) + (1.0 - both) * (outlook.rows * outlook.width) * FAILED)


@hot_part
def weigh_left(work: Work, node: OpenNode, j: int, stride: int) -> None:
    """Fill widths, rows and weights of what lies left of each cut between cells of a column.

    Of very many tuples one in so many is looked at for widths, and as many cuts are weighed.
    """
    tuples, wants, paper, growth, _ = work
    empty_box(tuples, paper)
    left, in_left, left_weight, since, ahead = 0, 0, 0.0, 0, 0
    for i in range(node.first, node.last - 1):
        one = growth.order[j, i]
        if ahead == 0:
            widen(tuples, paper, one)
            ahead = stride
        ahead -= 1
        left += tuples.rows[one]
        if wants.weight_k > 0.0:
            left_weight += tuples.weights[one]
        if node.mode == SIDES and growth.bound[one]:
            in_left += tuples.rows[one]
        since += 1
        paper.left_rows[i] = 0
        if tuples.rank[one, j] != tuples.rank[growth.order[j, i + 1], j] and (
            since >= stride or wants.rule == MIDDLE
        ):
            since = 0
            paper.left_width[i] = box_width(tuples, paper)
            paper.left_rows[i] = left
            paper.left_bound[i] = in_left
            paper.left_weight[i] = left_weight


@hot_part
def propose_value(work: Work, node: OpenNode, outlook: Outlook, is_learning: bool, least: float) -> bool:
    """Write the best cut of one category against the rest, where it costs less; tell whether there is one.

    Of the rest only the width of this column is counted anew.
    """
    tuples, wants, paper, growth, _ = work
    first, last, rows, fails = node.first, node.last, node.rows, node.fails
    found = False
    for j in range(tuples.rank.shape[1]):
        if tuples.kind[j] != PLAIN:
            continue
        is_told = is_learning and expect_bins(work, j, first, last)
        i = first
        while i < last:
            rank = tuples.rank[growth.order[j, i], j]
            empty_box(tuples, paper)
            begin, mine, in_mine, mine_weight = i, 0, 0, 0.0
            for f in range(fails):
                paper.like[64 + f] = 0
            while i < last and tuples.rank[growth.order[j, i], j] == rank:
                one = growth.order[j, i]
                widen(tuples, paper, one)
                mine += tuples.rows[one]
                mine_weight += tuples.weights[one]
                in_mine += count_bound(paper, growth, one, tuples.rows[one], node.mode, fails)
                i += 1
            is_end = begin == first or i == last
            if is_end or mine * ONE_IN < rows or rows - mine < wants.least or mine < wants.least:
                continue
            if wants.weight_k > 0.0 and min(mine_weight, outlook.weight - mine_weight) < wants.weight_k:
                continue
            paper.ticks[4] += 1
            if is_told:
                place = tuples.bin[tuples.begin[j] + rank]
                for slot in range(SLOTS + 1):
                    gone = mine * paper.fate[j, place, slot]
                    paper.in_right[slot] = max(paper.in_node[j, slot] - gone, 0.0)
            mine_loss = mine * box_width(tuples, paper)
            rest_loss = (rows - mine) * (outlook.width - tuples.scale[j])
            cost = cut_cost(work, outlook, is_told, j, mine, in_mine, mine_loss, rest_loss)
            if (
                cost < least
                and suits(wants, paper, node, mine, in_mine)
                and not is_like_failed(paper, fails, rows, mine)
            ):
                found = True
                least = cost
                paper.best[0] = j
                paper.best[1] = rank
                paper.best[2] = ONE_VALUE
    return found


@hot_part
def propose(work: Work, node: OpenNode) -> bool:
    """Write the cut of a node that is tried next to ``paper.best``; tell whether there is one."""
    tuples, wants, paper, growth, learnt = work
    first, last, rows, mode, failed, fails = (
        node.first, node.last, node.rows, node.mode, node.failed, node.fails
    )  # fmt: skip
    columns = tuples.rank.shape[1]
    if rows < 2 * wants.least:
        return False
    weight = 0.0
    if wants.weight_k > 0.0:
        for i in range(first, last):
            weight += tuples.weights[growth.order[0, i]]
    whole = node_width(tuples, paper, growth, first, last)
    active = 0
    for j in range(columns):
        active += paper.low[j] < paper.high[j]
    if active == 0:
        return False
    paper.ticks[1] += 1
    paper.ticks[2] += 1
    bound = node.bound if mode == SIDES else 0
    free = max(rows - bound, 1)
    outlook = Outlook(rows, free, bound, even_chance_rows(wants, paper, free), active, whole, weight)
    is_small = mode == UNBOUND and fails == 0 and 2 < last - first <= MOST_TUPLES
    if is_small and every_tuple_suits(work, node):
        paper.best[0] = 0
        paper.best[1] = 0
        paper.best[2] = EVERY_TUPLE
        return True
    is_learning = wants.rule != MIDDLE and wants.witness >= 0 and mode != CELLS
    if is_learning:
        count_slots(wants, paper, learnt, node.size)
    stride = max(1, (last - first) // MOST_WEIGHED)
    least = rows * whole * (1.0 - 1e-12)
    widest = -1.0
    found = False
    for j in range(columns):
        if tuples.rank[growth.order[j, first], j] == tuples.rank[growth.order[j, last - 1], j]:
            continue
        if wants.rule == MIDDLE:
            low = tuples.place[tuples.begin[j] + tuples.rank[growth.order[j, first], j]]
            extent = tuples.place[tuples.begin[j] + tuples.rank[growth.order[j, last - 1], j]] - low
            if extent <= widest:
                continue
        for f in range(fails):
            paper.like[64 + f] = 0
        if mode == CELLS:
            for cell in range(1 << failed):
                paper.cell_rows[64 + cell] = 0
        weigh_left(work, node, j, stride)
        is_told = is_learning and expect_bins(work, j, first, last)
        paper.ticks[4] += 1
        waiting = 0
        waiting_bin = 0
        ahead = (last - 1 - first) % stride
        middle_least = float(rows) * 4.0
        is_found_here = False
        empty_box(tuples, paper)
        if fails > 0 or mode == CELLS:
            for i in range(first, last - 1):
                one = growth.order[j, i]
                count_bound(paper, growth, one, tuples.rows[one], mode, fails)
        for i in range(last - 2, first - 1, -1):
            one = growth.order[j, i]
            after = growth.order[j, i + 1]
            if ahead == 0 or i == last - 2:
                widen(tuples, paper, after)
            if ahead == 0:
                ahead = stride
            ahead -= 1
            if is_told:
                place = tuples.bin[tuples.begin[j] + tuples.rank[after, j]]
                if place != waiting_bin:
                    add_to_right(paper, j, waiting_bin, waiting)
                    waiting_bin = place
                    waiting = 0
                waiting += tuples.rows[after]
            if paper.left_rows[i] > 0:
                left = paper.left_rows[i]
                right = rows - left
                if min(left, right) >= wants.least and (
                    wants.weight_k <= 0.0
                    or min(paper.left_weight[i], weight - paper.left_weight[i]) >= wants.weight_k
                ):
                    if wants.rule == MIDDLE:
                        cost = abs(2.0 * left - rows)
                        is_better = cost <= middle_least
                    else:
                        in_left = paper.left_bound[i]
                        if is_told and paper.look_at[place_of_cut(left, rows)] != paper.ticks[4]:
                            add_to_right(paper, j, waiting_bin, waiting)
                            waiting = 0
                        left_loss = left * paper.left_width[i]
                        right_loss = right * box_width(tuples, paper)
                        cost = cut_cost(work, outlook, is_told, j, left, in_left, left_loss, right_loss)
                        is_better = cost < least or (cost == least and is_found_here)
                    if (
                        is_better
                        and suits(wants, paper, node, left, paper.left_bound[i])
                        and (mode != CELLS or cells_have_room(paper, failed, node.room))
                        and not is_like_failed(paper, fails, rows, left)
                    ):
                        found = True
                        is_found_here = True
                        least = cost
                        middle_least = cost
                        paper.best[0] = j
                        paper.best[1] = tuples.rank[one, j]
                        paper.best[2] = UP_TO
            if fails > 0 or mode == CELLS:
                for f in range(fails):
                    if growth.tried[one] >> f & 1:
                        paper.like[64 + f] -= tuples.rows[one]
                if mode == CELLS:
                    paper.cell_rows[64 + growth.bound[one]] -= tuples.rows[one]
        if wants.rule == MIDDLE and is_found_here:
            widest = extent
    if wants.rule == MIDDLE or mode == CELLS:
        return found
    return propose_value(work, node, outlook, is_learning, least) or found
