"""Grow the tree: commit before you look.

A node is looked at through its public values and its multiset; from these the rule proposes a cut that is
allowed, and the cut is tried. If all parts hold what is wanted they are the next nodes. If not, the node is a
class, or, where there is room (Theorem T2), another cut is tried. Which part lacked is never used.
"""

from __future__ import annotations

from hartley.hot_loops import hot_loop, hot_part
from hartley.search.trees.loops.counts import add_tuple, judge_values, set_holds, sort_numbers
from hartley.search.trees.loops.cuts import propose
from hartley.search.trees.loops.knowledge import count_slots, learn_class
from hartley.search.trees.loops.layout import (
    CELLS,
    EVERY_TUPLE,
    ONE_VALUE,
    RETRY,
    SIDES,
    UNBOUND,
    Growth,
    NodePaper,
    OpenNode,
    Tuples,
    Work,
)
from hartley.search.trees.loops.permission import pilot_suits
from hartley.search.trees.loops.room import (
    MOST_CELL_CUTS,
    choose_mode,
    expect_usual_sides,
    fix_usual_codes,
    room_in_sides,
    unusual_rows,
)
from hartley.search.trees.loops.shares import judge_shares, shares_hold


@hot_part
def mark_parts(work: Work, node: OpenNode) -> int:
    """Write the part of each tuple of a node under the cut in ``paper.best``; return how many there are."""
    tuples, growth = work.tuples, work.growth
    column, rank, form = work.paper.best[0], work.paper.best[1], work.paper.best[2]
    for i in range(node.first, node.last):
        one = growth.order[0, i]
        if form == EVERY_TUPLE:
            growth.part[one] = i - node.first
        elif form == ONE_VALUE:
            growth.part[one] = 0 if tuples.rank[one, column] == rank else 1
        else:
            growth.part[one] = 0 if tuples.rank[one, column] <= rank else 1
    return node.last - node.first if form == EVERY_TUPLE else 2


@hot_part
def part_holds(work: Work, node: OpenNode, part: int) -> bool:
    """Tell whether a part holds what is wanted, and has room for the cuts that have failed above it."""
    tuples, wants, paper, growth, _ = work
    mode, usual = node.mode, node.usual
    size, rows, bound, weight = 0, 0, 0, 0.0
    if mode == CELLS:
        for cell in range(1 << node.failed):
            paper.cell_rows[64 + cell] = 0
    for i in range(node.first, node.last):
        one = growth.order[0, i]
        if growth.part[one] != part:
            continue
        size = add_tuple(tuples, one, paper.part_present, size, paper.part_amount)
        rows += tuples.rows[one]
        weight += tuples.weights[one]
        if mode == SIDES and growth.bound[one]:
            bound += tuples.rows[one]
        if mode == CELLS:
            paper.cell_rows[64 + growth.bound[one]] += tuples.rows[one]
    holds = (
        rows >= wants.row_k
        and (wants.weight_k <= 0.0 or weight >= wants.weight_k)
        and set_holds(wants, paper, paper.part_present, size)
        and shares_hold(wants, paper, paper.part_present, size, paper.part_amount, rows)
    )
    if holds and mode == SIDES and bound > 0:
        room = room_in_sides(wants, paper, growth, usual, paper.part_present, size, paper.part_amount)
        holds = bound + 1 <= room
    if holds and mode == CELLS:
        unusual = unusual_rows(wants, paper, growth, usual, paper.part_present, size, paper.part_amount)
        for cell in range(1 << node.failed):
            if paper.cell_rows[64 + cell] <= unusual:
                holds = False
                break
    for i in range(size):
        paper.part_amount[paper.part_present[i]] = 0
    return holds


@hot_part
def note_telling(work: Work, node: OpenNode) -> None:
    """Note how much the parts of a cut that held differ: half the sum of the differences of their shares."""
    tuples, paper, growth = work.tuples, work.paper, work.growth
    left = 0
    for i in range(node.size):
        paper.part_amount[paper.present[i]] = 0
    for i in range(node.first, node.last):
        one = growth.order[0, i]
        if growth.part[one] == 0:
            left += tuples.rows[one]
            for e in range(tuples.ptr[one], tuples.ptr[one + 1]):
                paper.part_amount[tuples.code[e]] += tuples.amounts[e]
    apart = 0.0
    for i in range(node.size):
        value = paper.present[i]
        mine = paper.part_amount[value]
        apart += abs(mine / left - (paper.amount[value] - mine) / (node.rows - left))
        paper.part_amount[value] = 0
    column = paper.best[0]
    paper.telling[column] = max(paper.telling[column], apart / 2)


@hot_part
def split(tuples: Tuples, growth: Growth, first: int, last: int, parts: int, top: int, node: int) -> int:
    """Sort the tuples of a node by their parts, in the order of every column, and stack the parts."""
    at = first
    growth.child[node] = growth.totals[0]
    for part in range(parts):
        begin = at
        for i in range(first, last):
            if growth.part[growth.order[0, i]] == part:
                at += 1
        growth.first[top] = begin
        growth.last[top] = at
        growth.node_of[top] = growth.totals[0]
        growth.totals[0] += 1
        top += 1
    for j in range(tuples.rank.shape[1]):
        if parts == 2:
            left = first
            kept = 0
            for i in range(first, last):
                one = growth.order[j, i]
                if growth.part[one] == 0:
                    growth.order[j, left] = one
                    left += 1
                else:
                    growth.spare[kept] = one
                    kept += 1
            for i in range(kept):
                growth.order[j, left + i] = growth.spare[i]
            continue
        for i in range(first, last):
            # Every tuple is a part by itself here, so the part says where it goes.
            growth.spare[growth.part[growth.order[j, i]]] = growth.order[j, i]
        for i in range(first, last):
            growth.order[j, i] = growth.spare[i - first]
    return top


@hot_part
def record_failure(paper: NodePaper, growth: Growth, node: int) -> None:
    """Write down that the cut in ``paper.best`` failed."""
    at = growth.totals[2]
    growth.failure_node[at] = node
    growth.failure_column[at] = paper.best[0]
    growth.failure_rank[at] = paper.best[1]
    growth.failure_form[at] = paper.best[2]
    growth.totals[2] += 1


@hot_part
def left_rows(work: Work, node: OpenNode) -> int:
    """Return the rows of the left part of a node."""
    left = 0
    for i in range(node.first, node.last):
        one = work.growth.order[0, i]
        if work.growth.part[one] == 0:
            left += work.tuples.rows[one]
    return left


@hot_part
def bind_side(work: Work, node: OpenNode) -> None:
    """Mark the smaller side of a cut that failed; of equal ones the left."""
    growth = work.growth
    left = left_rows(work, node)
    side = 0 if 2 * left <= node.rows else 1
    work.paper.like[node.fails] = min(left, node.rows - left)
    for i in range(node.first, node.last):
        one = growth.order[0, i]
        if growth.part[one] == side:
            growth.tried[one] |= 1 << node.fails
            growth.bound[one] |= 1 if node.mode == SIDES else 1 << node.failed


@hot_part
def bound_rows(work: Work, first: int, last: int, mode: int, failed: int) -> int:
    """Count the rows of a node in sides of failed cuts, and in every combination of sides."""
    tuples, paper, growth = work.tuples, work.paper, work.growth
    bound = 0
    if mode == UNBOUND:
        return 0
    if mode == CELLS:
        for cell in range(1 << failed):
            paper.cell_rows[cell] = 0
    for i in range(first, last):
        one = growth.order[0, i]
        if mode == CELLS:
            paper.cell_rows[growth.bound[one]] += tuples.rows[one]
        elif growth.bound[one]:
            bound += tuples.rows[one]
    return bound


@hot_loop
def grow(work: Work, top: int, most: int) -> int:
    """Cut nodes of the stack or make them classes, up to so many tuples; return how many are left on it."""
    tuples, wants, paper, growth, learnt = work
    while top > 0 and most > 0:
        top -= 1
        first = growth.first[top]
        last = growth.last[top]
        most -= last - first
        number = growth.node_of[top]
        mode = growth.mode[top]
        failed = growth.failed[top]
        usual = growth.usual[top]
        size = 0
        rows = 0
        paper.ticks[5] += 1
        for i in range(first, last):
            one = growth.order[0, i]
            size = add_tuple(tuples, one, paper.present, size, paper.amount)
            rows += tuples.rows[one]
        sort_numbers(paper.present, size)
        bound = bound_rows(work, first, last, mode, failed)
        if mode == SIDES and bound == 0:
            mode = UNBOUND
        judge_values(wants, paper, size)
        judge_shares(wants, paper, size, rows)
        fails = 0
        parts = 0
        for j in range(tuples.rank.shape[1]):
            paper.telling[j] = growth.telling[top, j]
        while True:
            room = 0
            if mode == SIDES:
                room = room_in_sides(wants, paper, growth, usual, paper.present, size, paper.amount)
                expect_usual_sides(wants, paper, growth, usual, size, bound)
            elif mode == CELLS:
                room = unusual_rows(wants, paper, growth, usual, paper.present, size, paper.amount)
                if failed >= MOST_CELL_CUTS:
                    break
            node = OpenNode(first, last, size, rows, mode, failed, fails, usual, bound, room)
            if learnt.step[0] < len(learnt.pilots):
                if not pilot_suits(work, node):
                    learnt.step[0] = len(learnt.pilots)
                    continue
                for at in range(3):
                    paper.best[at] = learnt.pilots[learnt.step[0], at]
                learnt.step[0] += 1
            elif not propose(work, node):
                break
            tried = mark_parts(work, node)
            holds = True
            for part in range(tried):
                if not part_holds(work, node, part):
                    holds = False
                    break
            if holds:
                parts = tried
                if tried == 2:
                    note_telling(work, node)
                break
            record_failure(paper, growth, number)
            learnt.step[0] = len(learnt.pilots)
            if wants.trials < RETRY or wants.witness < 0 or tried > 2 or fails >= wants.most_failures:
                break
            if mode == UNBOUND:
                usual = growth.totals[3]
                fix_usual_codes(wants, paper, growth, size, usual)
                side = left_rows(work, node)
                mode = choose_mode(wants, paper, growth, usual, size, min(side, rows - side), rows)
                if mode == UNBOUND:
                    break
                growth.totals[3] += 1
                failed = 0
            bind_side(work, OpenNode(first, last, size, rows, mode, failed, fails, usual, bound, room))
            fails += 1
            failed += 1
            bound = bound_rows(work, first, last, mode, failed)
        if parts == 0 and wants.witness >= 0:
            count_slots(wants, paper, learnt, size)
            learn_class(work, first, last)
        for i in range(size):
            value = paper.present[i]
            paper.amount[value] = 0
            for requirement in range(len(wants.wanted)):
                paper.by_code[wants.begin[requirement] + wants.code_of[requirement, value]] = 0
        if fails > 0:
            for i in range(first, last):
                growth.tried[growth.order[0, i]] = 0
        if parts > 0:
            growth.column[number] = paper.best[0]
            growth.rank[number] = paper.best[1]
            growth.form[number] = paper.best[2]
            stacked = split(tuples, growth, first, last, parts, top, number)
            for at in range(top, stacked):
                growth.mode[at] = mode
                growth.failed[at] = failed
                growth.usual[at] = usual
                for j in range(tuples.rank.shape[1]):
                    growth.telling[at, j] = paper.telling[j]
            # The smaller part first: what it tells is known when the larger one is cut.
            cut_at = growth.last[top] - growth.first[top]
            if parts == 2 and cut_at < growth.last[top + 1] - growth.first[top + 1]:
                for column in (growth.first, growth.last, growth.node_of):
                    column[top], column[top + 1] = column[top + 1], column[top]
            top = stacked
            continue
        growth.child[number] = -1
        growth.class_node[growth.totals[1]] = number
        for i in range(first, last):
            growth.label[growth.order[0, i]] = growth.totals[1]
        growth.totals[1] += 1
    return top
