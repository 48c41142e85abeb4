"""The rule of cuts: which cut of a node is tried next, told from public values and the node's multiset alone.

``GAIN``: of all cuts in two that are allowed, the one with the least expected loss: rows times width of
both parts, as far as they will still be cut, if both are likely to hold; rows times width of the node if
not. A cut stands between any two neighbouring cells of a column, or parts one category from the rest.
Before all, every tuple by itself, if that is nearly sure to hold. Ties: the first column, the lowest rank.

``MIDDLE``: of the widest column the allowed cut nearest the middle row; if it has none, of the next widest.
"""

from __future__ import annotations

from hartley.search.trees.loops.boxes import box_width, empty_box, node_width, widen
from hartley.search.trees.loops.chances import even_chance_rows, part_chance, part_shrink
from hartley.search.trees.loops.counts import cannot_fail, is_allowed, part_candidates_hold
from hartley.search.trees.loops.layout import (
    CELLS,
    EVERY_TUPLE,
    MIDDLE,
    ONCE,
    ONE_VALUE,
    PLAIN,
    SIDES,
    UNBOUND,
    UP_TO,
    Growth,
    NodePaper,
    Tuples,
    Wants,
    inner_part,
)

MOST_TUPLES = 64
"""Tuples of a node that are tried each by itself."""
SURE = 0.99
"""How sure that must be to hold."""
MOST_WEIGHED = 4_096
"""About so many cuts of a column are weighed at a node, and as many tuples looked at for widths."""
ONE_IN = 8
"""A category is tried against the rest where it has one row in so many."""
TRUST = 0.9
"""How far the chance of a cut that can fail is trusted."""
LIKE = 4
"""A side that differs from a failed one by less than one row in so many is not tried."""


@inner_part
def suits(
    wants: Wants, paper: NodePaper, size: int, rows: int, left: int, mode: int, bound: int, room: int, at: int
) -> bool:
    """Tell whether a cut of a node may be tried: by its verdict, or by the room that failed cuts left.

    ``room`` is the rows that can be given usual codes (sides) or the unusual rows (cells); ``at`` is how far
    the left side goes.
    """
    if min(left, rows - left) < wants.least:
        return False
    if mode == UNBOUND:
        return is_allowed(wants, paper, size, left, rows - left)
    in_left = paper.left_bound[at]
    if mode == SIDES:
        more = left - in_left if 2 * left <= rows else rows - left - (bound - in_left)
        return bool(bound + more + 1 <= room)
    return True


@inner_part
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


@inner_part
def cut_chance(
    wants: Wants, paper: NodePaper, j: int, rows: int, left: int, free: int, bound: int, in_left: int
) -> float:
    """Return the chance that both parts of a cut hold, as far as the rule can tell.

    What fails once fails nearby: rows in sides of failed cuts weigh against as many others of their part. A
    cut that can fail at all is trusted less than its chance, because values may follow public cells: the
    less, the more the parts of cuts of the same column differed above.
    """
    left_free = left - 2 * in_left
    right_free = rows - left - 2 * (bound - in_left)
    if min(left_free, right_free) <= 0:
        return 0.0
    if bound == 0 and cannot_fail(wants, paper, min(left_free, right_free)):
        return 1.0
    return float(
        TRUST
        * (1.0 - paper.telling[j])
        * part_chance(wants, paper, free, min(left_free, free))
        * part_chance(wants, paper, free, min(right_free, free))
    )


@inner_part
def every_tuple_suits(
    tuples: Tuples,
    wants: Wants,
    paper: NodePaper,
    growth: Growth,
    first: int,
    last: int,
    size: int,
    rows: int,
) -> bool:
    """Tell whether every tuple of a node is to be tried by itself."""
    if wants.rule == MIDDLE:
        return False
    least = rows
    second = rows
    sure = 1.0
    for i in range(first, last):
        mine = tuples.rows[growth.order[0, i]]
        if mine < wants.least or tuples.weights[growth.order[0, i]] < wants.weight_k:
            return False
        sure *= part_chance(wants, paper, rows, mine)
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
    for i in range(first, last):
        mine = tuples.rows[growth.order[0, i]]
        others = least
        if mine == least and not is_least_met:
            is_least_met = True
            others = second
        if not part_candidates_hold(wants, paper, size, mine, others):
            return False
    return True


@inner_part
def count_bound(paper: NodePaper, growth: Growth, one: int, rows: int, mode: int, fails: int) -> int:
    """Add a tuple of the left side to the counts of what failed cuts bind; return its rows in sides."""
    if mode == CELLS:
        paper.cell_rows[64 + growth.bound[one]] += rows
    for f in range(fails):
        if growth.tried[one] >> f & 1:
            paper.like[64 + f] += rows
    return rows if mode == SIDES and growth.bound[one] else 0


@inner_part
def cells_have_room(paper: NodePaper, failed: int, room: int) -> bool:
    """Tell whether both sides have more rows in every combination of sides than there are unusual rows."""
    for cell in range(1 << failed):
        left = paper.cell_rows[64 + cell]
        if left <= room or paper.cell_rows[cell] - left <= room:
            return False
    return True


@inner_part
def propose(
    tuples: Tuples,
    wants: Wants,
    paper: NodePaper,
    growth: Growth,
    first: int,
    last: int,
    size: int,
    rows: int,
    mode: int,
    failed: int,
    fails: int,
    bound: int,
    room: int,
) -> bool:
    """Write the cut of a node that is tried next to ``paper.best``; tell whether there is one."""
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
    bound = bound if mode == SIDES else 0
    free = max(rows - bound, 1)
    even = even_chance_rows(wants, paper, free)
    is_small = mode == UNBOUND and fails == 0 and 2 < last - first <= MOST_TUPLES
    if is_small and every_tuple_suits(tuples, wants, paper, growth, first, last, size, rows):
        paper.best[0] = 0
        paper.best[1] = 0
        paper.best[2] = EVERY_TUPLE
        return True
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
        empty_box(tuples, paper)
        left = 0
        in_left = 0
        left_weight = 0.0
        # The cells of this column in turn: widths, rows and weights of the cuts between them. Of very many
        # tuples one in so many is looked at for widths, and as many cuts are weighed.
        since = 0
        for i in range(first, last - 1):
            one = growth.order[j, i]
            if (i - first) % stride == 0:
                widen(tuples, paper, one)
            left += tuples.rows[one]
            left_weight += tuples.weights[one]
            if mode == SIDES and growth.bound[one]:
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
            if (i + 1 - first) % stride == 0 or i == last - 2:
                widen(tuples, paper, after)
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
                        both = cut_chance(wants, paper, j, rows, left, free, bound, in_left)
                        cost = both * (
                            left * paper.left_width[i] * part_shrink(paper, even, active, left)
                            + right * box_width(tuples, paper) * part_shrink(paper, even, active, right)
                        ) + (1.0 - both) * (rows * whole)
                        is_better = cost < least or (cost == least and is_found_here)
                    if (
                        is_better
                        and suits(wants, paper, size, rows, left, mode, bound, room, i)
                        and (mode != CELLS or cells_have_room(paper, failed, room))
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
    # One category against the rest; of the rest only this column's width is counted anew.
    for j in range(columns):
        if tuples.kind[j] != PLAIN:
            continue
        i = first
        while i < last:
            rank = tuples.rank[growth.order[j, i], j]
            empty_box(tuples, paper)
            begin = i
            mine = 0
            in_mine = 0
            mine_weight = 0.0
            for f in range(fails):
                paper.like[64 + f] = 0
            while i < last and tuples.rank[growth.order[j, i], j] == rank:
                one = growth.order[j, i]
                widen(tuples, paper, one)
                mine += tuples.rows[one]
                mine_weight += tuples.weights[one]
                in_mine += count_bound(paper, growth, one, tuples.rows[one], mode, fails)
                i += 1
            is_end = begin == first or i == last
            if is_end or mine * ONE_IN < rows or rows - mine < wants.least or mine < wants.least:
                continue
            if wants.weight_k > 0.0 and min(mine_weight, weight - mine_weight) < wants.weight_k:
                continue
            both = cut_chance(wants, paper, j, rows, mine, free, bound, in_mine)
            rest = whole - tuples.scale[j]
            cost = both * (
                mine * box_width(tuples, paper) * part_shrink(paper, even, active, mine)
                + (rows - mine) * rest * part_shrink(paper, even, active, rows - mine)
            ) + (1.0 - both) * (rows * whole)
            paper.left_bound[first] = in_mine
            if (
                cost < least
                and suits(wants, paper, size, rows, mine, mode, bound, room, first)
                and not is_like_failed(paper, fails, rows, mine)
            ):
                found = True
                least = cost
                paper.best[0] = j
                paper.best[1] = rank
                paper.best[2] = ONE_VALUE
    return found
