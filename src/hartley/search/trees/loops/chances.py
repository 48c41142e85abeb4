"""The chance that a part holds its requirements, as far as the multiset of the node tells."""

from __future__ import annotations

from math import sqrt

from hartley.hot_loops import hot_part
from hartley.search.trees.loops.layout import SHARES, NodePaper, Outlook, Wants
from hartley.search.trees.loops.numbers import normal, power, root
from hartley.search.trees.loops.shares import share_chance

EXACT = 64
"""Parts of fewer rows have a chance of their own; of more rows, about thirty in every doubling."""
EXPECTED = 14.0
"""A part of which so many rows of a code are expected is taken to hold it: not so in one of a million."""


@hot_part
def grid_place(rows: int) -> int:
    """Return the place of a number of rows on the grid of chances."""
    doublings = 0
    while rows >= EXACT:
        rows >>= 1
        doublings += 1
    return rows if doublings == 0 else EXACT + (doublings - 1) * (EXACT // 2) + rows - EXACT // 2


@hot_part
def grid_rows(rows: int) -> int:
    """Return the greatest number of the grid that is not above ``rows``."""
    doublings = 0
    while rows >= EXACT:
        rows >>= 1
        doublings += 1
    return rows << doublings


@hot_part
def chance_of_requirement(wants: Wants, paper: NodePaper, requirement: int, node: int, part: int) -> float:
    """Return the chance that ``part`` rows drawn from the ``node`` rows of a multiset hold enough codes.

    The number of codes in the part is taken as normal; a code of c rows is left out with the chance
    (1 - part / node)^c, a little less where c is large beside the node.
    """
    if part > paper.top[requirement]:
        return 1.0
    held = 0
    for group in range(paper.groups[requirement]):
        if paper.sizes[requirement, group] * float(part) < EXPECTED * node:
            break
        held += paper.times[requirement, group]
        if held >= wants.wanted[requirement]:
            return 1.0
    left_out = 1.0 - part / node if part < node else 0.0
    mean = 0.0
    variance = 0.0
    for group in range(paper.groups[requirement]):
        size = paper.sizes[requirement, group]
        missed = power(left_out, size + size * size // (2 * node))
        mean += paper.times[requirement, group] * (1.0 - missed)
        variance += paper.times[requirement, group] * missed * (1.0 - missed)
    return normal((mean - wants.wanted[requirement] + 0.5) / (sqrt(variance) + 1e-9))


@hot_part
def chance_of_part(wants: Wants, paper: NodePaper, node: int, part: int) -> float:
    """Return the chance that ``part`` rows drawn from the ``node`` rows hold all that is wanted."""
    product = 1.0
    for requirement in range(len(wants.wanted)):
        product *= chance_of_requirement(wants, paper, requirement, node, part)
    return product * share_chance(wants, paper, node, part)


@hot_part
def part_chance(wants: Wants, paper: NodePaper, node: int, part: int) -> float:
    """Return the same, computed once for each place of the grid since ``ticks[1]`` was raised."""
    at = grid_place(part)
    if paper.chance_at[at] != paper.ticks[1]:
        paper.chance_at[at] = paper.ticks[1]
        paper.chance[at] = chance_of_part(wants, paper, node, grid_rows(part))
    return float(paper.chance[at])


@hot_part
def even_chance_rows(wants: Wants, paper: NodePaper, node: int) -> int:
    """Return the rows at which a part is likelier to hold than not."""
    low = min(wants.least, node)
    high = node
    while low < high:
        middle = (low + high) // 2
        if part_chance(wants, paper, node, middle) >= 0.5:
            high = middle
        else:
            low = middle + 1
    return low


@hot_part
def part_shrink(paper: NodePaper, size: int, columns: int, rows: int) -> float:
    """Return the share of its width that a part of so many rows will keep, once it is cut further.

    Classes of about one and a half times ``size`` rows are expected, and cuts are shared by the columns.
    """
    at = grid_place(rows)
    if paper.shrink_at[at] != paper.ticks[2]:
        paper.shrink_at[at] = paper.ticks[2]
        paper.shrink[at] = root(min(1.0, 1.5 * size / max(grid_rows(rows), 1)), columns)
    return float(paper.shrink[at])


@hot_part
def part_factor(paper: NodePaper, outlook: Outlook, left: int) -> float:
    """Return the factor of :func:`part_shrink` for the parts of a cut with so many rows on the left."""
    return float(paper.factor[outlook.active, int(SHARES * left / outlook.rows + 0.5)])


def factors_of_cuts(columns: int) -> list[list[float]]:
    """Return for each number of columns and share of the rows on the left a factor, fair to even cuts.

    That a part keeps a root of its width takes all columns to be cut alike, but a cut takes width from one
    alone. By that an even cut of columns that are equally wide would look worse than none, and so worse than
    one that cuts off next to nothing. The factor takes back half of it (a root): all of it would cost such
    cuts that part off few rows because their values differ.

    >>> [round(one, 3) for one in factors_of_cuts(2)[2][:: SHARES // 4]]
    [1.0, 0.967, 0.971, 0.967, 1.0]
    """
    found = [[1.0] * (SHARES + 1) for _ in range(columns + 1)]
    for cut in range(2, columns + 1):
        for at in range(1, SHARES):
            parts = at / SHARES, 1.0 - at / SHARES
            cost = 0.0
            for share, other in (parts, parts[::-1]):
                cost += share * (1.0 - other / cut) / root(share, cut)
            found[cut][at] = root(1.0 / cost, 2)
    return found
