"""A node of a tree by its multiset alone: which cut may be tried, and whether a part holds.

A multiset is given as sensitive values, ascending, and how many rows have each.
"""

from __future__ import annotations

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Int64s
from hartley.search.trees.loops.counts import is_allowed, judge_values, set_holds
from hartley.search.trees.loops.layout import NodePaper, Wants
from hartley.search.trees.loops.levels import lay_down, take_up
from hartley.search.trees.loops.shares import judge_shares, shares_hold


@hot_loop
def first_allowed(wants: Wants, paper: NodePaper, value: Int64s, amount: Int64s, left: Int64s) -> int:
    """Return the first of some cuts, given by the rows of their left parts, that may be tried; or -1."""
    size = take_up(paper, value, amount, 0, len(value))
    rows = 0
    for e in range(size):
        rows += amount[e]
    judge_values(wants, paper, size)
    judge_shares(wants, paper, size, rows)
    found = -1
    for at in range(len(left)):
        if is_allowed(wants, paper, size, left[at], rows - left[at]):
            found = at
            break
    lay_down(paper, value, 0, size)
    return found


@hot_loop
def multiset_holds(wants: Wants, paper: NodePaper, value: Int64s, amount: Int64s) -> bool:
    """Tell whether rows with these values hold what is wanted."""
    size = take_up(paper, value, amount, 0, len(value))
    rows = 0
    for e in range(size):
        rows += amount[e]
    holds = (
        rows >= wants.row_k
        and set_holds(wants, paper, paper.present, size)
        and shares_hold(wants, paper, paper.present, size, paper.amount, rows)
    )
    lay_down(paper, value, 0, size)
    return holds
