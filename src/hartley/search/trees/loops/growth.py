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
    Learnt,
    NodePaper,
    Tuples,
    Wants,
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
def mark_parts(tuples: Tuples, paper: NodePaper, growth: Growth, first: int, last: int) -> int:
    """Write the part of each tuple of a node under the cut in ``paper.best``; return how many there are."""
    column = paper.best[0]
    rank = paper.best[1]
    form = paper.best[2]
    for i in range(first, last):
        one = growth.order[0, i]
        if form == EVERY_TUPLE:
            growth.part[one] = i - first
        elif form == ONE_VALUE:
            growth.part[one] = 0 if tuples.rank[one, column] == rank else 1
        else:
            growth.part[one] = 0 if tuples.rank[one, column] <= rank else 1
    return last - first if form == EVERY_TUPLE else 2


@hot_part
def part_holds(
    tuples: Tuples,
    wants: Wants,
    paper: NodePaper,
    growth: Growth,
    first: int,
    last: int,
    part: int,
    mode: int,
    failed: int,
    binding: int,
) -> bool:
    """Tell whether a part holds what is wanted, and has room for the cuts that have failed above it."""
    size = 0
    rows = 0
    bound = 0
    weight = 0.0
    if mode == CELLS:
        for cell in range(1 << failed):
            paper.cell_rows[64 + cell] = 0
    for i in range(first, last):
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
        room = room_in_sides(wants, paper, growth, binding, paper.part_present, size, paper.part_amount)
        holds = bound + 1 <= room
    if holds and mode == CELLS:
        unusual = unusual_rows(wants, paper, growth, binding, paper.part_present, size, paper.part_amount)
        for cell in range(1 << failed):
            if paper.cell_rows[64 + cell] <= unusual:
                holds = False
                break
    for i in range(size):
        paper.part_amount[paper.part_present[i]] = 0
    return holds


@hot_part
def note_telling(
    tuples: Tuples, paper: NodePaper, growth: Growth, first: int, last: int, size: int, rows: int
) -> None:
    """Note how much the parts of a cut that held differ: half the sum of the differences of their shares."""
    left = 0
    for i in range(size):
        paper.part_amount[paper.present[i]] = 0
    for i in range(first, last):
        one = growth.order[0, i]
        if growth.part[one] == 0:
            left += tuples.rows[one]
            for e in range(tuples.ptr[one], tuples.ptr[one + 1]):
                paper.part_amount[tuples.code[e]] += tuples.amounts[e]
    apart = 0.0
    for i in range(size):
        value = paper.present[i]
        mine = paper.part_amount[value]
        apart += abs(mine / left - (paper.amount[value] - mine) / (rows - left))
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
def bind_side(
    tuples: Tuples,
    paper: NodePaper,
    growth: Growth,
    first: int,
    last: int,
    mode: int,
    failed: int,
    fails: int,
    rows: int,
) -> None:
    """Mark the smaller side of a cut that failed; of equal ones the left."""
    left = 0
    for i in range(first, last):
        one = growth.order[0, i]
        if growth.part[one] == 0:
            left += tuples.rows[one]
    side = 0 if 2 * left <= rows else 1
    paper.like[fails] = min(left, rows - left)
    for i in range(first, last):
        one = growth.order[0, i]
        if growth.part[one] == side:
            growth.tried[one] |= 1 << fails
            growth.bound[one] |= 1 if mode == SIDES else 1 << failed


@hot_part
def bound_rows(
    tuples: Tuples, paper: NodePaper, growth: Growth, first: int, last: int, mode: int, failed: int
) -> int:
    """Count the rows of a node in sides of failed cuts, and in every combination of sides."""
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
def grow(
    tuples: Tuples, wants: Wants, paper: NodePaper, growth: Growth, learnt: Learnt, top: int, most: int
) -> int:
    """Cut the nodes on the stack or make them classes, at most so many; return how many are left on it."""
    while top > 0 and most > 0:
        top -= 1
        most -= 1
        first = growth.first[top]
        last = growth.last[top]
        node = growth.node_of[top]
        mode = growth.mode[top]
        failed = growth.failed[top]
        binding = growth.usual[top]
        size = 0
        rows = 0
        for i in range(first, last):
            one = growth.order[0, i]
            size = add_tuple(tuples, one, paper.present, size, paper.amount)
            rows += tuples.rows[one]
        sort_numbers(paper.present, size)
        bound = bound_rows(tuples, paper, growth, first, last, mode, failed)
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
                room = room_in_sides(wants, paper, growth, binding, paper.present, size, paper.amount)
                expect_usual_sides(wants, paper, growth, binding, size, bound)
            elif mode == CELLS:
                room = unusual_rows(wants, paper, growth, binding, paper.present, size, paper.amount)
                if failed >= MOST_CELL_CUTS:
                    break
            if learnt.step[0] < len(learnt.pilots):
                if not pilot_suits(tuples, wants, paper, growth, learnt, first, last, size, rows):
                    learnt.step[0] = len(learnt.pilots)
                    continue
                for at in range(3):
                    paper.best[at] = learnt.pilots[learnt.step[0], at]
                learnt.step[0] += 1
            elif not propose(
                tuples,
                wants,
                paper,
                growth,
                learnt,
                first,
                last,
                size,
                rows,
                mode,
                failed,
                fails,
                bound,
                room,
            ):
                break
            tried = mark_parts(tuples, paper, growth, first, last)
            holds = True
            for part in range(tried):
                if not part_holds(tuples, wants, paper, growth, first, last, part, mode, failed, binding):
                    holds = False
                    break
            if holds:
                parts = tried
                if tried == 2:
                    note_telling(tuples, paper, growth, first, last, size, rows)
                break
            record_failure(paper, growth, node)
            learnt.step[0] = len(learnt.pilots)
            if wants.trials < RETRY or wants.witness < 0 or tried > 2 or fails >= wants.most_failures:
                break
            if mode == UNBOUND:
                binding = growth.totals[3]
                fix_usual_codes(wants, paper, growth, size, binding)
                side = 0
                for i in range(first, last):
                    if growth.part[growth.order[0, i]] == 0:
                        side += tuples.rows[growth.order[0, i]]
                mode = choose_mode(wants, paper, growth, binding, size, min(side, rows - side), rows)
                if mode == UNBOUND:
                    break
                growth.totals[3] += 1
                failed = 0
            bind_side(tuples, paper, growth, first, last, mode, failed, fails, rows)
            fails += 1
            failed += 1
            bound = bound_rows(tuples, paper, growth, first, last, mode, failed)
        if parts == 0 and wants.witness >= 0:
            count_slots(wants, paper, learnt, size)
            learn_class(tuples, wants, paper, growth, learnt, first, last)
        for i in range(size):
            value = paper.present[i]
            paper.amount[value] = 0
            for requirement in range(len(wants.wanted)):
                paper.by_code[wants.begin[requirement] + wants.code_of[requirement, value]] = 0
        if fails > 0:
            for i in range(first, last):
                growth.tried[growth.order[0, i]] = 0
        if parts > 0:
            growth.column[node] = paper.best[0]
            growth.rank[node] = paper.best[1]
            growth.form[node] = paper.best[2]
            stacked = split(tuples, growth, first, last, parts, top, node)
            for at in range(top, stacked):
                growth.mode[at] = mode
                growth.failed[at] = failed
                growth.usual[at] = binding
                for j in range(tuples.rank.shape[1]):
                    growth.telling[at, j] = paper.telling[j]
            # The smaller part first: what it tells is known when the larger one is cut.
            cut_at = growth.last[top] - growth.first[top]
            if parts == 2 and cut_at < growth.last[top + 1] - growth.first[top + 1]:
                for column in (growth.first, growth.last, growth.node_of):
                    column[top], column[top + 1] = column[top + 1], column[top]
            top = stacked
            continue
        growth.child[node] = -1
        growth.class_node[growth.totals[1]] = node
        for i in range(first, last):
            growth.label[growth.order[0, i]] = growth.totals[1]
        growth.totals[1] += 1
    return top
