r"""The clusters of the values at the ends of the line, chosen by a solver, for centroids.

Binary variables say which values are members and which sensitive values are held.

A solver reckons with a tolerance, and what it says of large numbers need not be true. So distances are
handed to it in a unit that keeps them small (:func:`solver_unit`), it is asked about a little more than what
is claimed, and only of whole numbers, which differ by more than its tolerance, is anything claimed exactly.

**Two clusters.** Where so many candidates are wanted that no more than two clusters can hold them
(:func:`~hartley.search.distortion.least_cost.most_clusters`), a partition below half the span of the line has
exactly two: one holds the last value, the other the first. Which values go with the last one is all there
is to choose. At a distortion of D the demands are linear: the mean of the one lies no more than D before the
last value, :math:`\sum_{u \in A} (D + x_u - x_{last}) \ge 0`, and no more than D after any member t, where
the sum of :math:`D + x_t - x_u` may be negative only if t is no member; the same for the other, seen from
the first value.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, inf, ldexp
from typing import Literal

import numpy as np

from hartley.model.arrays import Flags, Floats, Int64s
from hartley.search.distortion.line import Line
from hartley.search.effort import Effort
from hartley.search.solver import SOLVER_TOLERANCE, minimised

End = Literal["first", "last"]

MOST_CLUSTERS_TRIED = 30
LARGEST_WHOLE = 2.0**20
"""Whole distances up to this many are handed to the solver as they are."""
UNITS = 10
"""Other distances are handed to it in units, less than two to this power of them."""
ALLOWANCE = 2 * SOLVER_TOLERANCE
"""Units by which a distortion may be exceeded in what the solver is asked, so that its "impossible" is true
of the distortion meant. Less than means of 400 whole numbers can differ by."""


def solver_unit(positions: Floats) -> float:
    """Return unit, a power of two, in which distances between ascending positions are handed to the solver.

    >>> solver_unit(np.array([1.0, 7.0])), solver_unit(np.array([0.0, 0.1])), solver_unit(np.array([0, 3e9]))
    (1.0, 0.0001220703125, 4194304.0)
    """
    distances = positions - positions[0]
    if distances[-1] <= LARGEST_WHOLE and bool((distances == np.rint(distances)).all()):
        return 1.0
    return ldexp(1.0, max(frexp(float(distances[-1]))[1] - UNITS, -1000))


@dataclass(frozen=True, eq=False)
class _Cover:
    """Values as seen from one end: their distances, and the sensitive values each holds."""

    unit: float
    """What distances are counted in; see :func:`solver_unit`."""
    ranks: Int64s
    distances: Floats
    """Distance of each value from the end, which comes first, at 0."""
    holds: Flags
    """Which sensitive value (row) is held by which value (column)."""

    @classmethod
    def seen_from(cls, line: Line, ranks: Int64s, end: End) -> _Cover:
        ordered = ranks if end == "first" else ranks[::-1]
        unit = solver_unit(line.positions[ranks])
        distances = np.abs(line.positions[ordered] - line.positions[ordered[0]]) / unit
        holds = np.zeros((line.sensitive_size, len(ordered)), dtype=bool)
        for column, rank in enumerate(ordered.tolist()):
            holds[line.indices[line.indptr[rank] : line.indptr[rank + 1]], column] = True
        return cls(unit, ordered, distances, holds)

    def within(self, reach: float) -> _Cover:
        near = self.distances <= reach
        return _Cover(self.unit, self.ranks[near], self.distances[near], self.holds[:, near])


def _is_whole(cover: _Cover) -> bool:
    """Tell whether distances are whole numbers of units: means of them that differ, differ by much."""
    return bool((cover.distances == np.rint(cover.distances)).all())


def peeled_cluster(
    line: Line, ranks: Int64s, end: End, distinct_l: int, target: float, effort: Effort
) -> Int64s | None:
    """Choose a cluster for the end within the target, greedy for values near the end, sparing with others."""
    cover = _Cover.seen_from(line, ranks, end)
    target /= cover.unit
    cover = cover.within(2 * target)
    worth = np.where(cover.distances <= target, 2.0, -1.0)
    answer = _cluster_within(cover, distinct_l, target, -worth, effort)
    return None if answer.members is None else np.sort(cover.ranks[answer.members])


def end_bound(line: Line, end: End, distinct_l: int, known: float, found: float, effort: Effort) -> float:
    """Return the least cost that a cluster of the end can have, with its mean near every member.

    Goes down from ``found`` from cluster to cheaper cluster until there is provably none; the last one is
    then the bound. At least ``known`` in any case.
    """
    cover = _Cover.seen_from(line, np.arange(line.size), end)
    low, cost = known / cover.unit, found / cover.unit
    # Means of whole numbers that differ, differ by more than this.
    step = 1.0 / (2.0 * line.size**2) if _is_whole(cover) else SOLVER_TOLERANCE * max(1.0, cost)
    doubtful = False
    for _ in range(MOST_CLUSTERS_TRIED):
        if effort.should_stop() or cost - step <= low:
            break
        target = low + (cost - low) / 2 if doubtful else cost - step
        near = cover.within(2 * (target + ALLOWANCE))
        costs = near.distances - target
        answer = _cluster_within(near, distinct_l, target + ALLOWANCE, costs, effort)
        if answer.impossible:
            if not doubtful:
                low = cost if _is_whole(cover) else target
                break
            low, doubtful = target, False
            continue
        reached = inf if answer.members is None else _radius(near.distances[answer.members])
        if reached >= cost:
            # Not decided, or let through by the solver's tolerance: ask again further down.
            if doubtful:
                break
            doubtful = True
        else:
            cost, doubtful = reached, False
    return low * cover.unit


def _radius(distances: Floats) -> float:
    """Return the cost of members at these distances from the end, by the operations that define it."""
    count, total = len(distances), float(distances.sum())
    return max(total, count * float(distances.max()) - total) / count


@dataclass(frozen=True, eq=False)
class _Choice:
    """The members of a cluster, or the proof that there is none, or neither."""

    members: Int64s | None
    impossible: bool


def _cluster_within(cover: _Cover, distinct_l: int, target: float, costs: Floats, effort: Effort) -> _Choice:
    """Choose the cheapest cluster of the end, by these costs of members, with a radius within the target."""
    size = len(cover.ranks)
    held = cover.holds.any(axis=1)
    if int(held.sum()) < distinct_l:
        return _Choice(None, True)
    holds = cover.holds[held]
    near_rows, near_lows = near_the_mean(cover.distances, target)
    rows = [
        _cover_rows(holds),
        _count_row(size, len(holds)),
        np.hstack([near_rows, np.zeros((len(near_rows), len(holds)))]),
    ]
    lows: list[float | Floats] = [0.0, float(distinct_l), near_lows]
    fixed = np.zeros(size + len(holds))
    fixed[0] = 1.0
    solution = minimised(
        costs=np.concatenate([costs, np.zeros(len(holds))]), rows=rows, lows=lows, effort=effort, least=fixed
    )
    if isinstance(solution, str):
        return _Choice(None, solution == "impossible")
    return _Choice(np.flatnonzero(solution[0][:size] > 0.5), False)


def near_the_mean(distances: Floats, target: float) -> tuple[Floats, Floats]:
    """Return rows, and what they must reach, that keep the mean of chosen values near each of them.

    Distances are from the value at the end, which is chosen. The mean lies within the target of the end, so
    the sum of target - d_u over the chosen u is not negative; and of every other t that is chosen: neither is
    the sum of target + d_u - d_t.
    """
    far = np.flatnonzero(distances > target)
    gains = target + distances - distances[far, None]
    slack = -np.minimum(gains, 0.0).sum(axis=1)
    gains[np.arange(len(far)), far] -= slack
    return np.vstack([target - distances, gains]), np.concatenate(([0.0], -slack))


def _cover_rows(holds: Flags) -> Floats:
    """Let a sensitive value count as held only where a member holds it."""
    return np.hstack([holds.astype(float), -np.eye(len(holds))])


def _count_row(values: int, sensitive: int) -> Floats:
    """Count the sensitive values held."""
    return np.concatenate([np.zeros(values), np.ones(sensitive)])[None, :]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two clusters, or the proof that there are none, or neither."""

    cluster_of: Int64s | None
    """1 for the ranks that go with the last one, 0 for the others."""
    impossible: bool


def pair_within(line: Line, distinct_l: int, cost: float, effort: Effort) -> Pair:
    """Look for two clusters with this many candidates each, within this distortion.

    The distortion must be below half the span, so that the first and the last value part.

    >>> from hartley.measures.utility import LineDistortion
    >>> from hartley.model import JointRange
    >>> joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    >>> line = Line.of(joint, LineDistortion.of(joint.public, "centroid"))
    >>> pair_within(line, 2, 1.0, Effort()).cluster_of.tolist()
    [0, 1, 0, 1]
    >>> pair_within(line, 2, 0.9, Effort()).impossible
    True
    """
    size, kinds = line.size, line.sensitive_size
    unit = solver_unit(line.positions)
    place = (line.positions - line.positions[0]) / unit
    span = float(place[-1])
    cost = cost / unit + ALLOWANCE
    shows = np.zeros((kinds, size))
    shows[line.indices, np.repeat(np.arange(size), np.diff(line.indptr))] = 1.0
    nothing, every = np.zeros((kinds, kinds)), np.ones((1, kinds))
    rows = [
        # A sensitive value counts where a member shows it, for the one cluster and for the other.
        np.hstack([shows, -np.eye(kinds), nothing]),
        np.hstack([-shows, nothing, -np.eye(kinds)]),
        np.hstack([np.zeros((1, size)), every, 0 * every]),
        np.hstack([np.zeros((1, size)), 0 * every, every]),
    ]
    lows: list[float | Floats] = [0.0, -shows.sum(axis=1), float(distinct_l), float(distinct_l)]
    for matrix, low in (_with_the_last(span - place, cost), _with_the_first(place, cost)):
        rows.append(np.hstack([matrix, np.zeros((len(matrix), 2 * kinds))]))
        lows.append(low)
    least, most = np.zeros(size + 2 * kinds), np.ones(size + 2 * kinds)
    most[:size][span - place > 2 * cost] = 0.0
    least[:size][place > 2 * cost] = 1.0
    most[0], least[size - 1] = 0.0, 1.0
    if bool((least > most).any()):
        return Pair(None, True)
    solution = minimised(np.zeros(size + 2 * kinds), rows, lows, effort, least, most)
    if isinstance(solution, str):
        return Pair(None, solution == "impossible")
    return Pair((solution[0][:size] > 0.5).astype(np.int64), False)


def _with_the_last(distances: Floats, cost: float) -> tuple[Floats, Floats]:
    """Keep the mean of the values that go with the last one near each of them."""
    rows, lows = near_the_mean(distances[::-1], cost)
    return rows[:, ::-1], lows


def _with_the_first(distances: Floats, cost: float) -> tuple[Floats, Floats]:
    """Keep the mean of the values that do not near each of them: they are chosen where the variable is 0."""
    rows, lows = near_the_mean(distances, cost)
    return -rows, lows - rows.sum(axis=1)
