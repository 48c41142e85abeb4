"""One more cut of all classes at once: how large a lacking cell of each can be, and whether one lacks.

A class is a run of entries: sensitive values, ascending, and how many rows have each.
"""

from __future__ import annotations

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Int64s
from hartley.search.trees.loops.chances import part_chance
from hartley.search.trees.loops.counts import is_allowed, judge_values, set_holds
from hartley.search.trees.loops.layout import NodePaper, Wants


@hot_part
def take_up(paper: NodePaper, value: Int64s, amount: Int64s, begin: int, end: int) -> int:
    """Write the multiset of a class on the paper; return how many different values it has."""
    for e in range(begin, end):
        paper.present[e - begin] = value[e]
        paper.amount[value[e]] = amount[e]
    return end - begin


@hot_part
def lay_down(paper: NodePaper, value: Int64s, begin: int, end: int) -> None:
    """Clear the paper."""
    for e in range(begin, end):
        paper.amount[value[e]] = 0


@hot_loop
def largest_lacking(
    wants: Wants, paper: NodePaper, starts: Int64s, value: Int64s, amount: Int64s, out: Int64s
) -> None:
    """Write for each class the most rows of a cell of it that lacks something."""
    for one in range(len(starts) - 1):
        size = take_up(paper, value, amount, starts[one], starts[one + 1])
        judge_values(wants, paper, size)
        out[one] = 0
        for requirement in range(len(wants.wanted)):
            out[one] = max(out[one], paper.top[requirement])
        lay_down(paper, value, starts[one], starts[one + 1])


@hot_loop
def may_fail(
    wants: Wants, paper: NodePaper, value: Int64s, amount: Int64s, begin: int, end: int, left: int, right: int
) -> bool:
    """Tell whether the failure of a cut of this class alone leaves everybody in it enough."""
    size = take_up(paper, value, amount, begin, end)
    judge_values(wants, paper, size)
    answer = is_allowed(wants, paper, size, left, right)
    lay_down(paper, value, begin, end)
    return answer


@hot_loop
def chance_of_level(
    wants: Wants,
    paper: NodePaper,
    starts: Int64s,
    value: Int64s,
    amount: Int64s,
    which: Int64s,
    rows: Int64s,
    left: Int64s,
) -> float:
    """Return about the chance that both cells of all these classes hold what is wanted."""
    chance = 1.0
    for i in range(len(which)):
        one = which[i]
        size = take_up(paper, value, amount, starts[one], starts[one + 1])
        judge_values(wants, paper, size)
        paper.ticks[1] += 1
        chance *= part_chance(wants, paper, rows[one], left[one])
        chance *= part_chance(wants, paper, rows[one], rows[one] - left[one])
        lay_down(paper, value, starts[one], starts[one + 1])
    return chance


@hot_loop
def all_hold(wants: Wants, paper: NodePaper, starts: Int64s, value: Int64s, amount: Int64s) -> bool:
    """Tell whether every class holds what is wanted."""
    for one in range(len(starts) - 1):
        rows = 0
        for e in range(starts[one], starts[one + 1]):
            paper.present[e - starts[one]] = value[e]
            rows += amount[e]
        if rows < wants.row_k or not set_holds(wants, paper, paper.present, starts[one + 1] - starts[one]):
            return False
    return True
