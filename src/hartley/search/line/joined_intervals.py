"""Intervals that are enough and leave few components: what is certain is limited as well as the worst case.

At a cost, the finest intervals that are enough are taken, and neighbours are merged where that joins two
components and costs no more. From the left and from the right; the better of the two is kept. Every merge
that joins lowers the number of components by one, and none of them can make a cluster poorer. The bound is
that of the requirements alone, so an answer is proven only where few components cost nothing, or where
another bound says so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.arrays import Places
from hartley.model.disjoint_sets import DisjointSets
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.answer import LineAnswer
from hartley.search.line.borders import Borders
from hartley.search.line.intervals import finest_within, finished, least_intervals, least_passing_from
from hartley.search.line.ordered_values import OrderedValues


def least_cost_of_components(
    values: OrderedValues,
    linked: JointRange,
    most: int,
    borders: Borders | None = None,
    effort: Effort = UNLIMITED,
) -> LineAnswer:
    """Return intervals that are enough and leave at most so many components, at the least cost found.

    ``linked`` is the table whose components count: the table itself, or that of
    :func:`~hartley.measures.separation.linked_range` where there is a tolerance.

    Raises
    ------
    UnreachableError
        Where the requirements cannot be met, or not even one interval of everything leaves so few components.
    """
    first = least_intervals(values, borders, effort)
    limits = borders or Borders.anywhere(values.positions)
    found: list[LineAnswer] = []

    def passes(earliest: Places) -> bool:
        cost = values.cost_of_window(values.windows.below(earliest))
        answer, left = fewest_components_within(values, linked, cost, limits)
        if left <= most:
            found.append(answer)
        return left <= most

    least_passing_from(values.windows, passes, values.window_of_cost(first.cost), effort)
    if not found and not passes(values.windows.within(values.windows.widest)):
        raise UnreachableError(f"no intervals leave at most {most} components; the missing cells stay apart")
    best = min(found, key=lambda answer: answer.cost)
    return replace(best, lower_bound=first.lower_bound, any_bound=first.any_bound)


def fewest_components_within(
    values: OrderedValues, linked: JointRange, cost: float, borders: Borders | None = None
) -> tuple[LineAnswer, int]:
    """Return intervals of at most this cost that are enough, with few components, and how many these are."""
    limits = borders or Borders.anywhere(values.positions)
    finest = finest_within(values, cost, limits)
    best = finest, overlap_partition(linked, finest.partition).size
    cluster_of = finest.labels[values.order]
    for is_backward in (False, True):
        merged = _merged(values, linked, cluster_of, cost, is_backward=is_backward)
        answer = finished(values, merged, limits, 0.0, 0.0)
        left = overlap_partition(linked, answer.partition).size
        if left < best[1]:
            best = answer, left
    return best


def _merged(
    values: OrderedValues, linked: JointRange, cluster_of: Places, cost: float, *, is_backward: bool
) -> Places:
    """Merge neighbouring intervals of different components within a cost, from one end."""
    firsts = np.flatnonzero(np.diff(cluster_of, prepend=-1))
    lasts = np.append(firsts[1:], values.size) - 1
    groups = overlap_partition(linked, Partition(values.labels_of_ranks(cluster_of))).labels
    places = values.order[firsts]
    part = groups[linked.indices[linked.indptr[places]]].astype(np.int64).tolist()
    joined = DisjointSets.of(max(part) + 1)
    earliest = values.windows.within(values.window_of_cost(cost))
    count = len(firsts)
    is_joined = np.zeros(count, dtype=bool)
    begin, end = 0, count - 1
    for step in range(1, count):
        at = count - step if is_backward else step
        last, first = (lasts[end], firsts[at - 1]) if is_backward else (lasts[at], firsts[begin])
        if earliest[last] <= first and joined.unite(part[at - 1], part[at]):
            is_joined[at] = True
        elif is_backward:
            end = at - 1
        else:
            begin = at
    starts = np.zeros(values.size, dtype=np.int64)
    starts[firsts[~is_joined]] = 1
    return np.cumsum(starts) - 1
