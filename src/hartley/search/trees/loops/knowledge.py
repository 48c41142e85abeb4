"""What the classes made so far tell about the next cuts: where sensitive values stand in each column.

The multisets of finished classes are public, so the rule of cuts may read them: tables with the same release
have the same history, step by step (Theorem T1). The rows of a finished class are counted in a few bins of
each column. Which of its values stand in which bin is not known; they are dealt out in proportion to what was
seen in the bins before. The rows of a reference table, where there is one, are seen before the first cut.
What was seen tells how the values of a node are expected to divide between the parts of a cut.
"""

from __future__ import annotations

from math import sqrt

from hartley.hot_loops import hot_part
from hartley.search.trees.loops.chances import (
    EXACT,
    EXPECTED,
    chance_of_requirement,
    grid_place,
    part_factor,
)
from hartley.search.trees.loops.layout import SLOTS, Learnt, NodePaper, Outlook, Wants, Work
from hartley.search.trees.loops.numbers import normal, power, root
from hartley.search.trees.loops.shares import share_chance

LEAST_SEEN = 40.0
"""Rows seen in the range of a node from which a column tells something."""
DOUBT = 0.1
"""To the rows seen in a bin so many are added that are like the whole range."""
CUT_FURTHER = 1.5
"""Classes are expected to have so many times the rows at which a part is likelier to hold than not."""


@hot_part
def learn_class(work: Work, first: int, last: int) -> None:
    """Add the rows of a finished class, whose rows by slots ``paper.slot_rows`` has."""
    tuples, _, paper, growth, learnt = work
    rows = 0.0
    for slot in range(SLOTS + 1):
        rows += paper.slot_rows[slot]
    for j in range(tuples.rank.shape[1]):
        is_told = expect_bins(work, j, first, last)
        i = first
        while i < last:
            place = tuples.bin[tuples.begin[j] + tuples.rank[growth.order[j, i], j]]
            here = 0
            while i < last and tuples.bin[tuples.begin[j] + tuples.rank[growth.order[j, i], j]] == place:
                here += tuples.rows[growth.order[j, i]]
                i += 1
            for slot in range(SLOTS + 1):
                if is_told and paper.in_node[j, slot] > 0.0:
                    share = paper.fate[j, place, slot] * paper.slot_rows[slot] / paper.in_node[j, slot]
                else:
                    share = paper.slot_rows[slot] / rows
                learnt.seen[j, place, slot] += here * share


@hot_part
def count_slots(wants: Wants, paper: NodePaper, learnt: Learnt, size: int) -> None:
    """Count the rows of the node by slots."""
    for slot in range(SLOTS + 1):
        paper.slot_rows[slot] = 0.0
    begin = wants.begin[wants.witness]
    for i in range(size):
        value = paper.present[i]
        paper.slot_rows[learnt.slot[begin + wants.code_of[wants.witness, value]]] += paper.amount[value]


@hot_part
def expect_bins(work: Work, j: int, first: int, last: int) -> bool:
    """Tell whether anything is known of a column; if so ``fate`` has the shares of slots in its bins.

    They are what is expected, and computed once for each node.
    """
    paper = work.paper
    if abs(paper.told_at[j]) != paper.ticks[5]:
        is_told = count_bins(work, j, first, last)
        paper.told_at[j] = paper.ticks[5] if is_told else -paper.ticks[5]
    for slot in range(SLOTS + 1):
        paper.in_right[slot] = 0.0
    return bool(paper.told_at[j] > 0)


@hot_part
def count_bins(work: Work, j: int, first: int, last: int) -> bool:
    """Fill ``fate``, ``in_node`` and ``unlike`` of a column; tell whether anything is known."""
    tuples, wants, paper, growth, learnt = work
    begin = tuples.begin[j]
    low = tuples.bin[begin + tuples.rank[growth.order[j, first], j]]
    high = tuples.bin[begin + tuples.rank[growth.order[j, last - 1], j]]
    if low == high:
        return False
    for slot in range(SLOTS + 1):
        paper.in_node[j, slot] = 0.0
        paper.slot_seen[slot] = 0.0
    for place in range(low, high + 1):
        for slot in range(SLOTS + 1):
            paper.slot_seen[slot] += learnt.seen[j, place, slot]
    seen = 0.0
    for slot in range(SLOTS + 1):
        seen += paper.slot_seen[slot]
    if seen < LEAST_SEEN:
        return False
    i = first
    while i < last:
        place = tuples.bin[begin + tuples.rank[growth.order[j, i], j]]
        here = 0
        while i < last and tuples.bin[begin + tuples.rank[growth.order[j, i], j]] == place:
            here += tuples.rows[growth.order[j, i]]
            i += 1
        of_bin = 0.0
        for slot in range(SLOTS + 1):
            of_bin += learnt.seen[j, place, slot]
        total = 0.0
        for slot in range(SLOTS + 1):
            share = paper.slot_seen[slot] / seen
            lift = 1.0
            if share > 0.0:
                lift = (learnt.seen[j, place, slot] + DOUBT * share) / ((of_bin + DOUBT) * share)
            paper.fate[j, place, slot] = paper.slot_rows[slot] * lift
            total += paper.fate[j, place, slot]
        for slot in range(SLOTS + 1):
            if total > 0.0:
                paper.fate[j, place, slot] /= total
            paper.in_node[j, slot] += here * paper.fate[j, place, slot]
    paper.unlike[j] = unlike_rows(wants, paper, j, 2)
    return True


@hot_part
def expected_chance(
    wants: Wants, paper: NodePaper, learnt: Learnt, j: int, times: float, is_right: bool
) -> float:
    """Return the chance that a part holds enough codes, where each slot goes to it by its own share."""
    requirement = wants.witness
    begin = wants.begin[requirement]
    wanted = wants.wanted[requirement]
    held = 0
    for slot in range(SLOTS):
        code = learnt.code_of_slot[slot]
        if code >= 0 and paper.by_code[begin + code] >= EXPECTED:
            expected = paper.by_code[begin + code] * part_share(paper, j, slot, times, is_right)
            held += 1 if expected >= EXPECTED else 0
    if held >= wanted:
        return 1.0
    rest = part_share(paper, j, SLOTS, times, is_right)
    mean = 0.0
    variance = 0.0
    for group in range(paper.groups[requirement]):
        size = paper.sizes[requirement, group]
        missed = power(1.0 - rest, size)
        mean += paper.times[requirement, group] * (1.0 - missed)
        variance += paper.times[requirement, group] * missed * (1.0 - missed)
    for slot in range(SLOTS):
        code = learnt.code_of_slot[slot]
        if code < 0 or paper.slot_rows[slot] == 0.0:
            continue
        size = paper.by_code[begin + code]
        missed = power(1.0 - rest, size)
        own = power(1.0 - part_share(paper, j, slot, times, is_right), size)
        mean += missed - own
        variance += own * (1.0 - own) - missed * (1.0 - missed)
    return normal((mean - wanted + 0.5) / (sqrt(max(variance, 0.0)) + 1e-9))


@hot_part
def add_to_right(paper: NodePaper, j: int, place: int, rows: int) -> None:
    """Add rows of a bin of a column to the right part."""
    for slot in range(SLOTS + 1):
        paper.in_right[slot] += rows * paper.fate[j, place, slot]


@hot_part
def part_share(paper: NodePaper, j: int, slot: int, times: float, is_right: bool) -> float:
    """Return the share of the rows of a slot that is expected in a part of a cut of a column."""
    if paper.in_node[j, slot] <= 0.0:
        return min(times * 0.5, 1.0)
    share = min(paper.in_right[slot] / paper.in_node[j, slot], 1.0)
    if not is_right:
        share = 1.0 - share
    return float(min(share * times, 1.0))


@hot_part
def unlike_rows(wants: Wants, paper: NodePaper, j: int, side: int) -> float:
    """Return the expected share of rows outside the commonest codes, fewer by one than wanted.

    ``side`` is 0 for the left part, 1 for the right, 2 for the node.
    """
    total = 0.0
    for slot in range(SLOTS + 1):
        rows = paper.in_node[j, slot]
        if side == 1:
            rows = paper.in_right[slot]
        elif side == 0:
            rows = max(rows - paper.in_right[slot], 0.0)
        paper.slot_part[slot] = rows
        total += rows
    common = 0.0
    for _ in range(min(wants.wanted[wants.witness] - 1, SLOTS)):
        best = 0
        for slot in range(1, SLOTS):
            if paper.slot_part[slot] > paper.slot_part[best]:
                best = slot
        common += paper.slot_part[best]
        paper.slot_part[best] = 0.0
    return max(1.0 - common / max(total, 1e-9), 1e-4)


@hot_part
def place_of_cut(left: int, rows: int) -> int:
    """Return the place of a cut on the grid: that of the smaller side, eight in every doubling from 64 on."""
    at = grid_place(min(left, rows - left))
    if at > EXACT:
        at = EXACT + (at - EXACT) // 4
    return 2 * at + (1 if 2 * left > rows else 0)


@hot_part
def look_at_cut(work: Work, outlook: Outlook, j: int, left: int, left_free: int, right_free: int) -> int:
    """Write chance and shrinking of a cut to the grid, once for each place of it; return the place."""
    wants, paper, learnt = work.wants, work.paper, work.learnt
    rows, free = outlook.rows, outlook.free
    at = place_of_cut(left, rows)
    if paper.look_at[at] == paper.ticks[4]:
        return at
    paper.look_at[at] = paper.ticks[4]
    right = rows - left
    chance = 1.0
    if left_free <= paper.top[wants.witness]:
        times = left_free * rows / (free * left)
        chance *= expected_chance(wants, paper, learnt, j, times, False)
    if right_free <= paper.top[wants.witness]:
        times = right_free * rows / (free * right)
        chance *= expected_chance(wants, paper, learnt, j, times, True)
    for requirement in range(len(wants.wanted)):
        if requirement != wants.witness:
            chance *= chance_of_requirement(wants, paper, requirement, free, left_free)
            chance *= chance_of_requirement(wants, paper, requirement, free, right_free)
    chance *= share_chance(wants, paper, free, left_free) * share_chance(wants, paper, free, right_free)
    paper.look[at, 0] = chance
    for side in range(2):
        part = left if side == 0 else right
        ratio = paper.unlike[j] / unlike_rows(wants, paper, j, side)
        size = max(outlook.even * ratio, float(wants.least))
        kept = root(min(1.0, CUT_FURTHER * size / max(part, 1)), outlook.active)
        paper.look[at, 1 + side] = kept * part_factor(paper, outlook, left)
    return at
