"""The box of a set of tuples, and its width: what it costs to publish them as one."""

from __future__ import annotations

from hartley.hot_loops import hot_part
from hartley.search.trees.loops.layout import ORDERED, PLAIN, Growth, NodePaper, Tuples

STALE = -1.0
"""The width of what has widened since it was counted."""


@hot_part
def empty_box(tuples: Tuples, paper: NodePaper) -> None:
    """Begin a box that holds no tuple."""
    paper.ticks[3] += 1
    for j in range(tuples.rank.shape[1]):
        paper.low[j] = 1 << 40
        paper.high[j] = -1
        paper.variety[j] = 0
    paper.width[0] = STALE


@hot_part
def widen(tuples: Tuples, paper: NodePaper, one: int) -> None:
    """Widen the box so that it holds a tuple."""
    for j in range(tuples.rank.shape[1]):
        rank = tuples.rank[one, j]
        if rank < paper.low[j] or rank > paper.high[j]:
            paper.low[j] = min(paper.low[j], rank)
            paper.high[j] = max(paper.high[j], rank)
            paper.width[0] = STALE
            paper.width[1 + j] = STALE
    for j in tuples.plain:
        at = tuples.begin[j] + tuples.rank[one, j]
        if paper.seen[at] != paper.ticks[3]:
            paper.seen[at] = paper.ticks[3]
            paper.variety[j] += 1
            paper.width[0] = STALE
            paper.width[1 + j] = STALE


@hot_part
def width_of_column(tuples: Tuples, paper: NodePaper, j: int) -> float:
    """Return the width of the box in one column."""
    begin = tuples.begin[j]
    if tuples.kind[j] == ORDERED:
        extent = tuples.place[begin + paper.high[j]] - tuples.place[begin + paper.low[j]]
        return float(extent * tuples.scale[j])
    if tuples.kind[j] == PLAIN:
        return float((paper.variety[j] - 1) * tuples.scale[j])
    node = begin + paper.low[j]
    while tuples.last[node] < paper.high[j]:
        node = tuples.parent[node]
    return float(tuples.loss[node] * tuples.scale[j])


@hot_part
def box_width(tuples: Tuples, paper: NodePaper) -> float:
    """Return the width of the box: the sum over the columns. Only what has widened is counted anew."""
    if paper.width[0] == STALE:
        width = 0.0
        for j in range(tuples.rank.shape[1]):
            if paper.width[1 + j] == STALE:
                paper.width[1 + j] = width_of_column(tuples, paper, j)
            width += paper.width[1 + j]
        paper.width[0] = width
    return float(paper.width[0])


@hot_part
def node_width(tuples: Tuples, paper: NodePaper, growth: Growth, first: int, last: int) -> float:
    """Return the width of a node, whose tuples stand in the order of every column; fill its box."""
    paper.width[0] = STALE
    for j in range(tuples.rank.shape[1]):
        paper.width[1 + j] = STALE
        paper.low[j] = tuples.rank[growth.order[j, first], j]
        paper.high[j] = tuples.rank[growth.order[j, last - 1], j]
        paper.variety[j] = 1
        if tuples.kind[j] == PLAIN and paper.low[j] < paper.high[j]:
            for i in range(first + 1, last):
                if tuples.rank[growth.order[j, i], j] != tuples.rank[growth.order[j, i - 1], j]:
                    paper.variety[j] += 1
    return box_width(tuples, paper)
