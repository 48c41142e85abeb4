r"""Least cost where the released value is the mean of its cluster (the paper's choice).

A mean can be pulled by values from far away, so best clusters need not be intervals and a
cluster's cost can fall when it grows. What holds:

* a radius of D means a span of at most 2D, so the window bound stays valid;
* the value at an end of the line is as far from its cluster's mean as the mean distance of the members
  from that end. So no partition costs less than the cheapest set that is enough, this end
  among them, whose mean lies near every member (end bound, Theorem L6).

Partitions come from the dynamic program over intervals, and from peeling: a cluster chosen by the solver at
one end or both, intervals for the rest; where there can be no more than two clusters, from a solver that
chooses both. Where few values lie within reach of each other, the sweep over
fronts (:mod:`~hartley.search.line.sweeps.subset_sweep`) meets every partition and needs nothing else.
"""

from __future__ import annotations

import numpy as np

from hartley.model.arrays import Int64s
from hartley.search.answer import Answer
from hartley.search.effort import Effort
from hartley.search.line.borders import Borders
from hartley.search.line.bounds import line_bound
from hartley.search.line.end_clusters import (
    End,
    end_bound,
    pair_within,
    peeled_cluster,
    solver_unit,
)
from hartley.search.line.intervals import centroid_intervals_within, kept_rows, least_centroid_cost
from hartley.search.line.least_cost import with_ranks
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.sweeps.subset_sweep import MOST_NODES, least_by_fronts
from hartley.search.sizes.cluster_count import most_clusters

LONGEST_PEELED = 400
"""Lines up to this many values are peeled and their ends solved."""
LONGEST_SWEPT = 20_000
"""Lines up to this many values are swept over fronts."""
SHORT_SWEEP = MOST_NODES // 10
"""Sets looked at by the sweep that comes before the solver."""
SHARES = (0.25, 0.5, 0.75, 1.0)
"""Limits of the sweeps that come after it, from bound to cost; a low one is cheap and raises the bound."""
PLANS: tuple[tuple[End, ...], ...] = (
    ("last",),
    ("first",),
    ("last", "first"),
    ("last", "last"),
    ("last", "last", "first"),
)
TARGETS_PER_PLAN = 5
MOST_PAIRS_TRIED = 40
NEAR = 1e-3
"""Share of the cost within which two clusters are no longer bisected for, but improved step by step."""


def intervals_of(values: OrderedValues, allowed: float, effort: Effort) -> Int64s | None:
    """Return the interval of each rank for the least worst radius; nothing where it is above ``allowed``."""
    anywhere = Borders.anywhere(values.positions)
    least = least_centroid_cost(values, anywhere, allowed, effort)
    if least is None:
        return None
    return centroid_intervals_within(values, anywhere, least, kept_rows(values))[1:]


def by_intervals(values: OrderedValues, known: Answer, effort: Effort) -> Answer:
    """Bound the least cost for centroids by windows and by counting, and cut the line into intervals."""
    known = known.with_bound(line_bound(values, effort, known.bound))
    if known.is_proven or effort.should_stop():
        return known
    cluster_of = intervals_of(values, known.cost, effort)
    return known if cluster_of is None else with_ranks(known, values, cluster_of)


def by_short_sweep(values: OrderedValues, known: Answer, effort: Effort) -> Answer:
    """Sweep over fronts where few values lie within reach of each other."""
    return known if values.size > LONGEST_SWEPT else _swept(values, known, (1.0,), SHORT_SWEEP, effort)


def by_solver(values: OrderedValues, known: Answer, effort: Effort) -> Answer:
    """Have a solver choose the clusters at the ends, then sweep longer."""
    if values.size > LONGEST_PEELED:
        return known
    known = _bounded_by_ends(values, known, effort)
    known = _paired(values, known, effort)
    for plan_of_ends in PLANS:
        known = _peeled(values, known, plan_of_ends, effort)
    return _swept(values, known, SHARES, MOST_NODES, effort)


STAGES = (by_intervals, by_short_sweep, by_solver)


def _swept(
    values: OrderedValues, known: Answer, shares: tuple[float, ...], most_nodes: int, effort: Effort
) -> Answer:
    """Sweep over fronts within limits between bound and cost; what a sweep decides, it decides for good."""
    for share in shares:
        if known.is_proven or effort.should_stop():
            break
        limit = known.bound + share * (known.cost - known.bound)
        answer = least_by_fronts(values, min(limit, known.cost), most_nodes, effort)
        if not answer.decided:
            break
        if answer.cluster_of is not None:
            known = with_ranks(known, values, answer.cluster_of)
        known = known.with_bound(min(answer.cost, limit, known.cost) - values.rounding)
        if answer.cluster_of is not None:
            break
    return known


def _bounded_by_ends(values: OrderedValues, known: Answer, effort: Effort) -> Answer:
    """Raise the bound by what the cluster of an end must cost when its mean is near every member."""
    ends: tuple[End, ...] = ("last", "first")
    for end in ends:
        if known.is_proven or effort.should_stop():
            break
        bound = end_bound(values, end, known.bound, known.cost, effort)
        known = known.with_bound(bound - values.rounding)
    return known


def _paired(values: OrderedValues, known: Answer, effort: Effort) -> Answer:
    """Where there can be no more than two clusters, bisect for what two cost, then go down step by step."""
    if most_clusters(values.enough) != 2:
        return known
    below_half = float(np.nextafter((values.ticks[-1] - values.ticks[0]) / 2, 0))
    # Means of whole numbers that differ, differ by more than this.
    is_whole = values.rounding == 0 and solver_unit(values.ticks) == 1
    step = 1.0 / (2.0 * values.size**2) if is_whole else NEAR * known.cost
    low = target = known.bound
    for _ in range(MOST_PAIRS_TRIED):
        target = min(target, below_half)
        if known.is_proven or effort.should_stop() or target < low:
            break
        pair = pair_within(values, target, effort)
        before = known.cost
        if pair.impossible:
            low = target
            is_least = is_whole and target >= known.cost - step
            known = known.with_bound(known.cost if is_least else target - values.rounding)
        elif pair.members is not None:
            known = with_ranks(known, values, np.isin(np.arange(values.size), pair.members) + 0)
        if not pair.impossible and known.cost == before:
            break  # not decided, or let through by the solver's tolerance
        gap = known.cost - low
        target = low + gap / 2 if gap > NEAR * known.cost else known.cost - step
    return known


def _peeled(values: OrderedValues, known: Answer, ends: tuple[End, ...], effort: Effort) -> Answer:
    """Peel clusters at the ends within a target between bound and cost; bisect the target."""
    low, high = known.bound, known.cost
    target = low
    for _ in range(TARGETS_PER_PLAN):
        if known.is_proven or effort.should_stop() or low >= high:
            break
        cluster_of = _peel(values, target, ends, effort)
        if cluster_of is not None:
            known = with_ranks(known, values, cluster_of)
            high = min(target, known.cost)
        else:
            low = target
        target = low + (high - low) / 2
    return known


def _peel(values: OrderedValues, target: float, ends: tuple[End, ...], effort: Effort) -> Int64s | None:
    """Return the cluster of each rank after peeling the ends in turn and cutting the rest into intervals."""
    cluster_of = np.full(values.size, -1, dtype=np.int64)
    for number, end in enumerate(ends):
        rest = np.flatnonzero(cluster_of < 0)
        if not len(rest) or effort.should_stop():
            return None
        members = peeled_cluster(values, rest, end, target, effort)
        if members is None:
            return None
        cluster_of[members] = number
    rest = np.flatnonzero(cluster_of < 0)
    if len(rest):
        intervals = intervals_of(values.keeping(rest), target + values.rounding, effort)
        if intervals is None:
            return None
        cluster_of[rest] = len(ends) + intervals
    return cluster_of
