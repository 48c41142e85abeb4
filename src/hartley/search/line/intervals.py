"""Least cost of intervals that are enough, and the finest of them; the bound that holds for any shape.

If a superset of what is enough is enough, everything that is known of intervals for a number of candidates
holds: a prefix of the line can be cut exactly when its last interval starts after a prefix that can, no
earlier than the cost allows and no later than where enough is left. Both limits only move forward, so one
pass decides (Theorem L2). Intervals cost at most twice the optimum (midpoint, Theorem L3): drop nested
clusters, take disjoint spans by earliest end; every value left over lies within one span of the last one
taken. Under the centroid the radius of an interval is not monotone, so every interval within reach is looked
at; intervals are not always best there, and the bound is that of the midpoint, which never costs more.

Among intervals of the least cost the *finest* are returned: most of them, then the least total width, then
the latest starts.

Few components may be asked for as well, so that what is certain is limited like the worst case. At a cost,
the finest intervals that are enough are taken, and neighbours are merged where that joins two components and
costs no more. From the left and from the right; the better of the two is kept. Every merge that joins lowers
the number of components by one, and none of them can make a cluster poorer. The bound is that of the
requirements alone, so an answer is proven only where few components cost nothing, or where another bound says
so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Places
from hartley.model.disjoint_sets import DisjointSets
from hartley.search.answer import NOTHING, Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.borders import Borders, round_steps
from hartley.search.line.bounds import STEPS, line_bound
from hartley.search.line.loops import (
    NEVER,
    can_cut,
    centroid_choices,
    clusters_of_choices,
    extend_radius,
    withheld_choices,
)
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.windows import least_passing

STEPS_PER_CALL = 3_000_000
"""Elementary steps of the program for centroids between two looks at whether to stop."""


def shifted_sums(values: OrderedValues) -> tuple[Floats, Floats]:
    """Return positions in ticks counted from the middle, and the sums of each number of first ones.

    Distances from the middle keep the sums small, and integers stay integers.
    """
    shifted = values.ticks - np.rint(values.ticks[values.size // 2])
    return shifted, np.concatenate(([0.0], np.cumsum(shifted)))


def centroid_intervals_within(values: OrderedValues, borders: Borders, cost: float, rows: Places) -> Places:
    """Return the rows withheld, ``NEVER`` where there is no way, and then the interval of each rank.

    The cost is in ticks. Intervals are counted from the end; -1 is for values that are withheld. A value with
    ``NEVER`` rows is kept.
    """
    steps = int(np.maximum(values.latest - values.windows.within(cost) + 1, 0).sum()) + values.size
    shifted, sums = shifted_sums(values)
    loop = centroid_choices.for_size(steps * 4)
    choice = loop(shifted, sums, values.latest, borders.allowed, rows, borders.low, borders.high, cost)
    withheld = int(choice[0, 1])
    if withheld >= NEVER:
        return np.array([NEVER])
    return np.concatenate(([withheld], clusters_of_choices.for_size(values.size)(choice)))


def least_centroid_cost(
    values: OrderedValues, borders: Borders, allowed: float, effort: Effort = UNLIMITED
) -> float | None:
    """Return the least worst radius of intervals that are enough, in ticks; nothing where it is not found.

    None is found where it is above ``allowed``, or where time is over.
    """
    size = values.size
    best = np.full(size + 1, np.nextafter(allowed, np.inf))
    best[0] = 0.0
    is_cut = np.zeros(size + 1, dtype=np.bool_)
    is_cut[0] = True
    shifted, sums = shifted_sums(values)
    loop = extend_radius.for_size(size * size // 4)
    rank = 0
    while rank < size:
        rank = int(loop(shifted, sums, values.latest, borders.allowed, best, is_cut, rank, STEPS_PER_CALL))
        if rank < size and effort.should_stop():
            return None
    return float(best[size]) if is_cut[size] else None


def least_intervals(
    values: OrderedValues,
    borders: Borders | None = None,
    effort: Effort = UNLIMITED,
    known_bound: float | None = None,
) -> Answer:
    """Return the intervals of least cost that are enough, the finest of them; exact for the shape.

    Raises
    ------
    UnreachableError
        Where not even one interval of everything is enough.
    """
    values.require_reachable()
    low = line_bound(values, effort) if known_bound is None else values.ticks_within(known_bound)
    any_bound = values.in_units(low)
    limits = borders or Borders.anywhere(values.positions)
    if not values.size:
        return finished(values, NOTHING, limits, any_bound, any_bound)
    if values.cost_name == "centroid":
        return _least_centroid_intervals(values, limits, any_bound, effort)
    windows = values.windows
    loop = can_cut.for_size(values.size * STEPS)

    def passes(earliest: Places) -> bool:
        return bool(loop(earliest, values.latest, limits.allowed))

    least = least_passing(windows, passes, low, effort)
    return finest_within(values, values.in_units(least.high), limits, any_bound, values.in_units(least.low))


def _least_centroid_intervals(
    values: OrderedValues, borders: Borders, any_bound: float, effort: Effort
) -> Answer:
    """Return the finest intervals of the least worst radius; where time is over, one interval of all."""
    whole = values.ticks_of(values.partition_of_starts(NOTHING))
    least = least_centroid_cost(values, borders, whole, effort)
    if least is None:
        everything = np.zeros(values.size, dtype=np.int64)
        return finished(values, everything, borders, any_bound, any_bound)
    cluster_of = centroid_intervals_within(values, borders, least, kept_rows(values))[1:]
    answer = finished(values, cluster_of, borders, 0.0, any_bound)
    return replace(answer, lower_bound_cost=answer.cost)


def finest_within(
    values: OrderedValues,
    cost: float,
    borders: Borders,
    any_bound: float = 0.0,
    lower_bound: float = 0.0,
) -> Answer:
    """Return the finest intervals of at most this cost; they must exist."""
    cluster_of = intervals_within(values, borders, values.ticks_within(cost), kept_rows(values))
    return finished(values, cluster_of, borders, lower_bound, any_bound)


def intervals_within(values: OrderedValues, borders: Borders, cost: float, rows: Places) -> Places:
    """Return the finest intervals of at most this cost in ticks that leave the fewest ``rows`` out.

    That is the interval of each rank, counted from the end; -1 for values that are withheld.
    """
    loop = withheld_choices.for_size(values.size * STEPS)
    earliest = values.windows.within(cost)
    choice = loop(earliest, values.latest, borders.allowed, rows, borders.low, borders.high)
    return clusters_of_choices.for_size(values.size)(choice)


def kept_rows(values: OrderedValues) -> Places:
    """Return the rows of values of which none may be withheld."""
    return np.full(values.size, NEVER, dtype=np.int64)


def finished(
    values: OrderedValues, cluster_of: Places, borders: Borders, lower_bound: float, any_bound: float
) -> Answer:
    """Return intervals, given by the interval of each rank, as an answer."""
    labels = values.labels_of_ranks(cluster_of)
    cost = values.cost_of_labels(labels)
    return Answer(
        partition=Partition(labels),
        cost=cost,
        lower_bound_cost=min(lower_bound, cost),
        any_bound=min(any_bound, cost),
        borders=borders,
    )


def finest_free_grid(
    values: OrderedValues,
    effort: Effort = UNLIMITED,
    grids: Iterable[Borders] | None = None,
) -> Answer:
    """Return bands on the finest round grid that costs no more than borders anywhere do.

    Where no round grid is free, the one that costs least, and of those the finest. ``grids`` are tried in
    their order; given from the coarsest on, the answer is the coarsest grid that is free.
    """
    free = least_intervals(values, effort=effort)
    best: Answer | None = None
    positions = values.positions
    by_step = (Borders.on_grid(positions, step) for step in round_steps(positions))
    for grid in by_step if grids is None else grids:
        found = least_intervals(values, grid, effort, free.any_bound)
        if best is None or found.cost < best.cost:
            best = found
        if best.cost <= free.cost or effort.should_stop():
            break
    return free if best is None else best


def least_cost_of_components(
    values: OrderedValues,
    linked: JointRange,
    most: int,
    borders: Borders | None = None,
    effort: Effort = UNLIMITED,
) -> Answer:
    """Return intervals that are enough and leave at most so many components, at the least cost found.

    ``linked`` is the table whose components count: the table itself, or that of
    :func:`~hartley.measures.overlap.linked_range` where there is a tolerance.

    Raises
    ------
    UnreachableError
        Where the requirements cannot be met, or not even one interval of everything leaves so few components.
    """
    first = least_intervals(values, borders, effort)
    limits = borders or Borders.anywhere(values.positions)
    found: list[Answer] = []

    def passes(earliest: Places) -> bool:
        cost = values.in_units(values.windows.below(earliest))
        answer, left = fewest_components_within(values, linked, cost, limits)
        if left <= most:
            found.append(answer)
        return left <= most

    least_passing(values.windows, passes, values.ticks_within(first.cost), effort)
    if not found and not passes(values.windows.within(values.windows.widest)):
        raise UnreachableError(f"no intervals leave at most {most} components; the missing cells stay apart")
    best = min(found, key=lambda answer: answer.cost)
    return replace(best, lower_bound_cost=first.lower_bound_cost, any_bound=first.any_bound)


def fewest_components_within(
    values: OrderedValues, linked: JointRange, cost: float, borders: Borders | None = None
) -> tuple[Answer, int]:
    """Return intervals of at most this cost that are enough, with few components, and how many these are."""
    limits = borders or Borders.anywhere(values.positions)
    finest = finest_within(values, cost, limits)
    best = finest, overlap_partition(linked, finest.partition).size
    cluster_of = finest.partition.labels[values.order].astype(np.int64)
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
    earliest = values.windows.within(values.ticks_within(cost))
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
