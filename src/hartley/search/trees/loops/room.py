"""Room for another cut after one has failed (Theorem T2).

At the first failure the commonest codes of the node are fixed: l - 1 *usual* ones, and up to two more that
may stand for the last of them. *Sides*: in every class below, the rows in smaller sides of failed cuts can
all be given usual codes, in every version of the set, with one row to spare. *Cells*: in every class below,
every combination of sides has more rows than there are unusual values. Either way every failed cut fails
again in enough other tables with the same release.
"""

from __future__ import annotations

from hartley.hot_loops import hot_part
from hartley.model.arrays import Int64s
from hartley.search.trees.loops.counts import candidates_hold, group_counts, sort_numbers
from hartley.search.trees.loops.layout import CELLS, SIDES, UNBOUND, Growth, NodePaper, Wants

MORE = 2
"""Codes besides the usual ones that may stand for the last of these."""
MOST_CELL_CUTS = 5
"""Failed cuts of which all combinations of sides are looked at."""
CELLS_PREFERENCE = 0.3
"""How much of the room in cells counts beside room in sides, when one of the two is chosen."""


@hot_part
def fix_usual_codes(wants: Wants, paper: NodePaper, growth: Growth, size: int, binding: int) -> None:
    """Write the usual codes of a node: the commonest first, equal ones by their code; -1 at the end."""
    requirement = wants.witness
    begin = wants.begin[requirement]
    wide = wants.wanted[requirement] - 1 + MORE
    found = 0
    for i in range(size):
        code = wants.code_of[requirement, paper.present[i]]
        rows = paper.by_code[begin + code]
        is_new = True
        for j in range(found):
            if growth.usual_codes[binding, j] == code:
                is_new = False
                break
        if not is_new:
            continue
        at = found
        while at > 0:
            other = growth.usual_codes[binding, at - 1]
            others = paper.by_code[begin + other]
            if others > rows or (others == rows and other < code):
                break
            at -= 1
        if at >= wide:
            continue
        found = min(found + 1, wide)
        for j in range(found - 1, at, -1):
            growth.usual_codes[binding, j] = growth.usual_codes[binding, j - 1]
        growth.usual_codes[binding, at] = code
    for j in range(found, wide):
        growth.usual_codes[binding, j] = -1


@hot_part
def count_usual(
    wants: Wants, paper: NodePaper, growth: Growth, binding: int, values: Int64s, size: int, amount: Int64s
) -> int:
    """Count the rows of a multiset by usual codes; return how many of its values have one (``chosen``)."""
    requirement = wants.witness
    wide = wants.wanted[requirement] - 1 + MORE
    for j in range(wide + 1):
        paper.usual_rows[j] = 0
    chosen = 0
    for i in range(size):
        code = wants.code_of[requirement, values[i]]
        at = 0
        while at < wide and growth.usual_codes[binding, at] != code:
            at += 1
        paper.usual_rows[at] += amount[values[i]]
        if at < wide:
            paper.chosen[chosen] = values[i]
            chosen += 1
    return chosen


@hot_part
def room_in_sides(
    wants: Wants, paper: NodePaper, growth: Growth, binding: int, values: Int64s, size: int, amount: Int64s
) -> int:
    """Return how many rows can be given usual codes, in every version of the set; 0 if too few are there."""
    chosen = count_usual(wants, paper, growth, binding, values, size, amount)
    if not candidates_hold(wants, paper, chosen, -1):
        return 0
    last = wants.wanted[wants.witness] - 2
    rows = 0
    for j in range(last):
        rows += paper.usual_rows[j]
    least = paper.usual_rows[last]
    for j in range(last + 1, last + 1 + MORE):
        if growth.usual_codes[binding, j] >= 0:
            least = min(least, paper.usual_rows[j])
    return int(rows + least)


@hot_part
def unusual_rows(
    wants: Wants, paper: NodePaper, growth: Growth, binding: int, values: Int64s, size: int, amount: Int64s
) -> int:
    """Return how many rows of a multiset have a code that is not usual."""
    count_usual(wants, paper, growth, binding, values, size, amount)
    rows = 0
    for j in range(wants.wanted[wants.witness] - 1, wants.wanted[wants.witness] + MORE):
        rows += paper.usual_rows[j]
    return rows


@hot_part
def choose_mode(
    wants: Wants, paper: NodePaper, growth: Growth, binding: int, size: int, side: int, rows: int
) -> int:
    """Return how a node is bound after its first failed cut, whose smaller side has ``side`` rows."""
    in_sides = room_in_sides(wants, paper, growth, binding, paper.present, size, paper.amount) / (side + 1.0)
    unusual = unusual_rows(wants, paper, growth, binding, paper.present, size, paper.amount)
    in_cells = min(side, rows - side) / (unusual + 1.0)
    if in_sides >= in_cells * CELLS_PREFERENCE:
        return SIDES if in_sides >= 1.0 else UNBOUND
    return CELLS if in_cells >= 1.0 else UNBOUND


@hot_part
def expect_usual_sides(
    wants: Wants, paper: NodePaper, growth: Growth, binding: int, size: int, bound: int
) -> None:
    """Take the rows in sides of failed cuts to have usual codes, and count what is left for the others.

    The chances of further cuts are then those of the other rows. A guess that only the rule of cuts uses.
    """
    requirement = wants.witness
    begin = wants.begin[requirement]
    found = 0
    paper.ticks[0] += 1
    for i in range(size):
        code = wants.code_of[requirement, paper.present[i]]
        if paper.mark[begin + code] != paper.ticks[0]:
            paper.mark[begin + code] = paper.ticks[0]
            paper.codes[found] = code
            found += 1
            paper.by_code[begin + code] = 0
    for i in range(size):
        value = paper.present[i]
        paper.by_code[begin + wants.code_of[requirement, value]] += paper.amount[value]
    for j in range(wants.wanted[requirement] - 1):
        code = growth.usual_codes[binding, j]
        taken = max(0, min(bound, paper.by_code[begin + code] - 1)) if code >= 0 else 0
        if taken > 0:
            paper.by_code[begin + code] -= taken
            bound -= taken
    sort_numbers(paper.codes, found)
    group_counts(wants, paper, requirement, found)
    top = 0
    left = wants.wanted[requirement] - 1
    for group in range(paper.groups[requirement]):
        top += min(left, paper.times[requirement, group]) * paper.sizes[requirement, group]
        left = max(0, left - paper.times[requirement, group])
    paper.top[requirement] = top
