"""The cluster of the value at an end of the line, chosen by a solver, for centroids.

Binary variables say which values are members and which sensitive values are held.

A solver reckons with a tolerance, and what it says of large numbers need not be true. So distances are
handed to it in a unit that keeps them small (:func:`solver_unit`), it is asked about a little more than what
is claimed, and only of whole numbers, which differ by more than its tolerance, is anything claimed exactly.
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


def end_bound(line: Line, end: End, distinct_l: int, known: float, effort: Effort) -> float:
    """Return the least mean distance from the end of a set that holds the end and enough sensitive values.

    At least ``known`` in any case; stopped early, a value below the least that was already proven.
    """
    cover = _Cover.seen_from(line, np.arange(line.size), end)
    # Any set will do to start from: as few of the nearest as hold enough.
    held = np.logical_or.accumulate(cover.holds, axis=1).sum(axis=0)
    enough = int(np.argmax(held >= distinct_l))
    trial = float(cover.distances[: enough + 1].mean())
    # A set of whole numbers with a mean below the trial shows it in the price: by one part in as many as the
    # trial's set has members.
    is_whole = _is_whole(cover)
    nothing = 0.5 / line.size if is_whole else SOLVER_TOLERANCE * 10
    proven, fewest = known / cover.unit, _fewest_members(cover, distinct_l)
    while trial > proven and not effort.should_stop():
        result = _cheapest_set(cover, distinct_l, trial, effort)
        if result is None:
            break
        members, price_bound = result
        if price_bound >= -nothing:
            proven = max(proven, trial if is_whole else trial - 2 * nothing)
            break
        mean = float(cover.distances[members].mean())
        # A set of so many members has a mean of at least the trial and its share of the price, which is
        # below 0: the fewer share it, the lower. There are as many as it takes to hold enough.
        proven = max(proven, trial + (price_bound - SOLVER_TOLERANCE * 10) / fewest)
        if mean >= trial:
            break
        trial = mean
    return proven * cover.unit


def _fewest_members(cover: _Cover, distinct_l: int) -> int:
    """Return how many members a set with the end and enough sensitive values has at least."""
    counts = cover.holds.sum(axis=0)
    held = counts[0] + np.concatenate(([0], np.cumsum(np.sort(counts[1:])[::-1])))
    return 1 + int(np.argmax(held >= distinct_l))


def _is_whole(cover: _Cover) -> bool:
    """Tell whether distances are whole numbers of units: means of them that differ, differ by much."""
    return bool((cover.distances == np.rint(cover.distances)).all())


def _cheapest_set(
    cover: _Cover, distinct_l: int, trial: float, effort: Effort
) -> tuple[Int64s, float] | None:
    """Choose members, each at the price of its distance less the trial, so that enough values are held.

    Gives the members and a bound on the least total price.
    """
    prices = cover.distances - trial
    near = prices < 0
    near[0] = True
    base = float(prices[near].sum())
    missing = ~cover.holds[:, near].any(axis=1)
    wanted = distinct_l - int((~missing).sum())
    if wanted <= 0:
        return np.flatnonzero(near), base
    far = np.flatnonzero(~near & cover.holds[missing].any(axis=0))
    solution = minimised(
        costs=np.concatenate([prices[far], np.zeros(int(missing.sum()))]),
        rows=[_cover_rows(cover.holds[np.ix_(missing, far)]), _count_row(len(far), int(missing.sum()))],
        lows=[0.0, float(wanted)],
        effort=effort,
    )
    if isinstance(solution, str):
        return None
    picked, bound = solution
    members = near.copy()
    members[far[picked[: len(far)] > 0.5]] = True
    return np.flatnonzero(members), base + bound


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


def tight_end_bound(
    line: Line, end: End, distinct_l: int, known: float, found: float, effort: Effort
) -> float:
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
