r"""Least distortion where the released value is the mean of its cluster (the paper's choice).

A mean can be pulled by values from far away, so best clusters need not be intervals and a
cluster's cost can fall when it grows. What holds:

* a radius of D means a span of at most 2D, so the window bound stays valid;
* the value at an end of the line is as far from its cluster's mean as the mean distance of the members
  from that end. So no partition costs less than the cheapest set with enough sensitive values, this end
  among them, whose mean lies near every member (end bound).

Partitions come from the dynamic program over intervals, and from peeling: a cluster chosen by the solver at
one end or both, intervals for the rest; where there can be no more than two clusters, from a solver that
chooses both. Where few values lie within reach of each other, the sweep over
fronts (:mod:`~hartley.search.distortion.subset_sweep`) meets every partition and needs nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model import Partition
from hartley.model.arrays import Floats, Int64s
from hartley.search.distortion.end_clusters import (
    End,
    end_bound,
    pair_within,
    peeled_cluster,
    solver_unit,
)
from hartley.search.distortion.least_cost import (
    LeastDistortion,
    count_bounded,
    cut_of_ranks,
    cut_of_starts,
    interval_starts,
    latest_of,
    most_clusters,
    window_bounded,
)
from hartley.search.distortion.line import Line
from hartley.search.distortion.subset_sweep import MOST_NODES, least_by_fronts
from hartley.search.distortion.windows import Windows, latest_starts
from hartley.search.effort import Effort
from hartley.search.proofs import CentroidEndCertificate, SweepCertificate

LONGEST_PEELED = 400
"""Lines up to this many values are peeled and their ends solved."""
LONGEST_SWEPT = 20_000
"""Lines up to this many values are swept over fronts."""
SHORT_SWEEP = MOST_NODES // 10
"""Sets looked at by the sweep that comes before the solver."""
SHARES = (0.25, 0.5, 0.75, 1.0)
"""Limits of the sweeps that come after it, from bound to cost; a low one is cheap and raises the bound."""
STEPS_PER_CALL = 3_000_000
"""Elementary steps between two looks at whether to stop."""
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


@hot_loop
def extend_program(
    positions: Floats, sums: Floats, latest: Int64s, best: Floats, chosen: Int64s, begin: int, steps: int
) -> int:
    """Carry the dynamic program on from a rank until the steps are used up; give the next rank."""
    end = begin
    while end < len(positions) and steps > 0:
        for start in range(latest[end], -1, -1):
            steps -= 1
            if (positions[end] - positions[start]) / 2 >= best[end + 1]:
                break
            if best[start] >= best[end + 1]:
                continue
            count = end - start + 1
            total = sums[end + 1] - sums[start]
            cost = max(positions[end] * count - total, total - positions[start] * count) / count
            worst = max(best[start], cost)
            if worst < best[end + 1]:
                best[end + 1] = worst
                chosen[end] = start
        end += 1
    return end


@dataclass(frozen=True, eq=False)
class CentroidPlan:
    """Intervals by their first ranks, and what the worst of them costs."""

    cost: float
    starts: Int64s


def centroid_intervals(
    positions: Floats, latest: Int64s, allowed: float, effort: Effort
) -> CentroidPlan | None:
    """Cut the line into intervals of the least centroid cost, ``None`` where it is above ``allowed``."""
    size = len(positions)
    best = np.full(size + 1, np.nextafter(allowed, np.inf))
    best[0] = 0.0
    chosen = np.full(size, -1, dtype=np.int64)
    # Distances from the middle keep the sums small, and integers stay integers.
    shifted = positions - np.rint(positions[size // 2])
    sums = np.concatenate(([0.0], np.cumsum(shifted)))
    loop = extend_program.for_size(size * size // 4)
    rank = 0
    while rank < size:
        rank = int(loop(shifted, sums, latest, best, chosen, rank, STEPS_PER_CALL))
        if effort.should_stop():
            return None
    if chosen[-1] < 0:
        return None
    return CentroidPlan(float(best[size]), interval_starts(chosen))


def by_intervals(line: Line, known: LeastDistortion, effort: Effort) -> LeastDistortion:
    """Bound the least distortion for centroids by windows, and cut the line into intervals."""
    latest = latest_of(line, known.distinct_l)
    known = window_bounded(line, latest, known, Windows.of(line).widest, effort)
    known = count_bounded(line, known, effort)
    if known.proven_optimal or effort.should_stop():
        return known
    plan = centroid_intervals(line.positions, latest, known.cost, effort)
    return known if plan is None else _improved(line, known, cut_of_starts(line, plan.starts))


def by_short_sweep(line: Line, known: LeastDistortion, effort: Effort) -> LeastDistortion:
    """Sweep over fronts where few values lie within reach of each other."""
    return known if line.size > LONGEST_SWEPT else _swept(line, known, (1.0,), SHORT_SWEEP, effort)


def by_solver(line: Line, known: LeastDistortion, effort: Effort) -> LeastDistortion:
    """Have a solver choose the clusters at the ends, then sweep longer."""
    if line.size > LONGEST_PEELED:
        return known
    known = _bounded_by_ends(line, known, effort)
    known = _paired(line, known, effort)
    for plan_of_ends in PLANS:
        known = _peeled(line, known, plan_of_ends, effort)
    return _swept(line, known, SHARES, MOST_NODES, effort)


STAGES = (by_intervals, by_short_sweep, by_solver)


def _improved(line: Line, known: LeastDistortion, cut: Callable[[], Partition]) -> LeastDistortion:
    partition = cut()
    cost = line.cost_of(partition)
    if cost < known.cost and line.distinct_l_of(partition) >= known.distinct_l:
        return known.with_partition(cost, cut)
    return known


def _swept(
    line: Line, known: LeastDistortion, shares: tuple[float, ...], most_nodes: int, effort: Effort
) -> LeastDistortion:
    """Sweep over fronts within limits between bound and cost; what a sweep decides, it decides for good."""
    for share in shares:
        if known.proven_optimal or effort.should_stop():
            break
        limit = known.lower_bound + share * (known.cost - known.lower_bound)
        answer = least_by_fronts(line, known.distinct_l, min(limit, known.cost), most_nodes, effort)
        if not answer.decided:
            break
        if answer.cluster_of is not None:
            known = _improved(line, known, cut_of_ranks(line, answer.cluster_of))
        bound = min(answer.cost, limit, known.cost) - line.rounding
        known = known.with_bound(bound, SweepCertificate(known.distinct_l, line.in_units(bound)))
        if answer.cluster_of is not None:
            break
    return known


def _bounded_by_ends(line: Line, known: LeastDistortion, effort: Effort) -> LeastDistortion:
    """Raise the bound by what the cluster of an end must cost when its mean is near every member."""
    ends: tuple[tuple[End, int], ...] = (("last", line.size - 1), ("first", 0))
    for end, rank in ends:
        if known.proven_optimal or effort.should_stop():
            break
        bound = end_bound(line, end, known.distinct_l, known.lower_bound, known.cost, effort)
        cost = bound - line.rounding
        proof = CentroidEndCertificate(int(line.order[rank]), known.distinct_l, line.in_units(cost))
        known = known.with_bound(cost, proof)
    return known


def _paired(line: Line, known: LeastDistortion, effort: Effort) -> LeastDistortion:
    """Where there can be no more than two clusters, bisect for what two cost, then go down step by step."""
    if most_clusters(line, known.distinct_l) != 2:
        return known
    below_half = float(np.nextafter((line.positions[-1] - line.positions[0]) / 2, 0))
    # Means of whole numbers that differ, differ by more than this.
    is_whole = line.rounding == 0 and solver_unit(line.positions) == 1
    step = 1.0 / (2.0 * line.size**2) if is_whole else NEAR * known.cost
    low = target = known.lower_bound
    for _ in range(MOST_PAIRS_TRIED):
        target = min(target, below_half)
        if known.proven_optimal or effort.should_stop() or target < low:
            break
        pair = pair_within(line, known.distinct_l, target, effort)
        before = known.cost
        if pair.impossible:
            low = target
            is_least = is_whole and target >= known.cost - step
            bound = known.cost if is_least else target - line.rounding
            known = known.with_bound(bound, SweepCertificate(known.distinct_l, line.in_units(bound)))
        elif pair.cluster_of is not None:
            known = _improved(line, known, cut_of_ranks(line, pair.cluster_of))
        if not pair.impossible and known.cost == before:
            break  # not decided, or let through by the solver's tolerance
        gap = known.cost - low
        target = low + gap / 2 if gap > NEAR * known.cost else known.cost - step
    return known


def _peeled(line: Line, known: LeastDistortion, ends: tuple[End, ...], effort: Effort) -> LeastDistortion:
    """Peel clusters at the ends within a target between bound and cost; bisect the target."""
    low, high = known.lower_bound, known.cost
    target = low
    for _ in range(TARGETS_PER_PLAN):
        if known.proven_optimal or effort.should_stop() or low >= high:
            break
        cluster_of = _peel(line, known.distinct_l, target, ends, effort)
        if cluster_of is not None:
            known = _improved(line, known, cut_of_ranks(line, cluster_of))
            high = min(target, known.cost)
        else:
            low = target
        target = low + (high - low) / 2
    return known


def _peel(line: Line, distinct_l: int, target: float, ends: tuple[End, ...], effort: Effort) -> Int64s | None:
    """Return the cluster of each rank after peeling the ends in turn and cutting the rest into intervals."""
    cluster_of = np.full(line.size, -1, dtype=np.int64)
    for number, end in enumerate(ends):
        rest = np.flatnonzero(cluster_of < 0)
        if not len(rest) or effort.should_stop():
            return None
        members = peeled_cluster(line, rest, end, distinct_l, target, effort)
        if members is None:
            return None
        cluster_of[members] = number
    rest = np.flatnonzero(cluster_of < 0)
    if len(rest):
        indptr, indices = _rows(line, rest)
        latest = latest_starts.for_size(len(indices))(indptr, indices, line.sensitive_size, distinct_l)
        plan = centroid_intervals(line.positions[rest], latest, target + line.rounding, effort)
        if plan is None:
            return None
        begins = np.zeros(len(rest), dtype=np.int64)
        begins[plan.starts] = 1
        cluster_of[rest] = len(ends) + np.cumsum(begins)
    return cluster_of


def _rows(line: Line, ranks: Int64s) -> tuple[Int64s, Int64s]:
    """Return the sensitive values of some ranks, in rows of their own."""
    rows = [line.indices[line.indptr[rank] : line.indptr[rank + 1]] for rank in ranks.tolist()]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    return indptr.astype(np.int64), np.concatenate(rows)
