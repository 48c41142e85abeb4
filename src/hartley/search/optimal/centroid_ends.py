"""The cluster of the value at an end of the line, chosen by a solver, for centroids.

Binary variables say which values are members and which sensitive values are held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hartley.search.effort import Effort
from hartley.search.optimal.binary_program import SOLVER_TOLERANCE, minimised
from hartley.search.optimal.line import Floats, Line, Places

End = Literal["first", "last"]

MOST_CLUSTERS_TRIED = 30


@dataclass(frozen=True, eq=False)
class _Cover:
    """Values as seen from one end: their distances, and the sensitive values each holds."""

    ranks: Places
    distances: Floats
    """Distance of each value from the end, which comes first, at 0."""
    holds: npt.NDArray[np.bool_]
    """Which sensitive value (row) is held by which value (column)."""

    @classmethod
    def seen_from(cls, line: Line, ranks: Places, end: End) -> _Cover:
        ordered = ranks if end == "first" else ranks[::-1]
        distances = np.abs(line.positions[ordered] - line.positions[ordered[0]])
        holds = np.zeros((line.sensitive_size, len(ordered)), dtype=bool)
        for column, rank in enumerate(ordered.tolist()):
            holds[line.indices[line.indptr[rank] : line.indptr[rank + 1]], column] = True
        return cls(ordered, distances, holds)

    def within(self, reach: float) -> _Cover:
        near = self.distances <= reach
        return _Cover(self.ranks[near], self.distances[near], self.holds[:, near])


def end_bound(line: Line, end: End, distinct_l: int, known: float, effort: Effort) -> float:
    """Give the least mean distance from the end of a set that holds the end and enough sensitive values.

    At least ``known`` in any case; stopped early, a value below the least that was already proven.
    """
    cover = _Cover.seen_from(line, np.arange(line.size), end)
    # Any set will do to start from: as few of the nearest as hold enough.
    held = np.logical_or.accumulate(cover.holds, axis=1).sum(axis=0)
    enough = int(np.argmax(held >= distinct_l))
    trial = float(cover.distances[: enough + 1].mean())
    proven, fewest = known, _fewest_members(cover, distinct_l)
    while trial > proven and not effort.should_stop():
        result = _cheapest_set(cover, distinct_l, trial, effort)
        if result is None:
            break
        members, price_bound = result
        if price_bound >= -SOLVER_TOLERANCE * 10:
            return max(known, trial - SOLVER_TOLERANCE * 10 if not _is_whole(cover) else trial)
        mean = float(cover.distances[members].mean())
        # A set of so many members has a mean of at least the trial and its share of the price, which is
        # below 0: the fewer share it, the lower. There are as many as it takes to hold enough.
        proven = max(proven, trial + price_bound / fewest)
        if mean >= trial:
            break
        trial = mean
    return proven


def _fewest_members(cover: _Cover, distinct_l: int) -> int:
    """Give how many members a set with the end and enough sensitive values has at least."""
    counts = cover.holds.sum(axis=0)
    held = counts[0] + np.concatenate(([0], np.cumsum(np.sort(counts[1:])[::-1])))
    return 1 + int(np.argmax(held >= distinct_l))


def _is_whole(cover: _Cover) -> bool:
    """Tell whether distances are whole numbers: a mean below the trial then shows in the price."""
    return bool((cover.distances == np.rint(cover.distances)).all())


def _cheapest_set(
    cover: _Cover, distinct_l: int, trial: float, effort: Effort
) -> tuple[Places, float] | None:
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
    line: Line, ranks: Places, end: End, distinct_l: int, target: float, effort: Effort
) -> Places | None:
    """Choose a cluster for the end within the target, greedy for values near the end, sparing with others."""
    cover = _Cover.seen_from(line, ranks, end).within(2 * target)
    worth = np.where(cover.distances <= target, 2.0, -1.0)
    answer = _cluster_within(cover, distinct_l, target, -worth, effort)
    return None if answer.members is None else np.sort(cover.ranks[answer.members])


def tight_end_bound(
    line: Line, end: End, distinct_l: int, known: float, found: float, effort: Effort
) -> float:
    """Give the least cost that a cluster of the end can have, with its mean near every member.

    Goes down from ``found`` from cluster to cheaper cluster until there is provably none; the last one is
    then the bound. At least ``known`` in any case.
    """
    cover = _Cover.seen_from(line, np.arange(line.size), end)
    # Means of whole numbers that differ, differ by more than this.
    step = 1.0 / (2.0 * line.size**2) if _is_whole(cover) else SOLVER_TOLERANCE * max(1.0, found)
    low, cost = known, found
    doubtful = False
    for _ in range(MOST_CLUSTERS_TRIED):
        if effort.should_stop() or cost - step <= low:
            break
        target = low + (cost - low) / 2 if doubtful else cost - step
        near = cover.within(2 * target)
        answer = _cluster_within(near, distinct_l, target, near.distances - target, effort)
        if answer.impossible:
            if not doubtful:
                return cost if _is_whole(cover) else target
            low, doubtful = target, False
            continue
        chosen = near.distances[answer.members] if answer.members is not None else np.array([np.inf])
        reached = max(float(chosen.mean()), float(chosen.max() - chosen.mean())) if len(chosen) > 1 else cost
        if reached > target:
            # Not decided, or let through by the solver's tolerance: ask again further down.
            if doubtful:
                break
            doubtful = True
        else:
            cost, doubtful = reached, False
    return low


@dataclass(frozen=True, eq=False)
class _Choice:
    """The members of a cluster, or the proof that there is none, or neither."""

    members: Places | None
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
    """Give rows, and what they must reach, that keep the mean of chosen values near each of them.

    Distances are from the value at the end, which is chosen. The mean lies within the target of the end, so
    the sum of target - d_u over the chosen u is not negative; and of every other t that is chosen: neither is
    the sum of target + d_u - d_t.
    """
    far = np.flatnonzero(distances > target)
    gains = target + distances - distances[far, None]
    slack = -np.minimum(gains, 0.0).sum(axis=1)
    gains[np.arange(len(far)), far] -= slack
    return np.vstack([target - distances, gains]), np.concatenate(([0.0], -slack))


def _cover_rows(holds: npt.NDArray[np.bool_]) -> Floats:
    """Let a sensitive value count as held only where a member holds it."""
    return np.hstack([holds.astype(float), -np.eye(len(holds))])


def _count_row(values: int, sensitive: int) -> Floats:
    """Count the sensitive values held."""
    return np.concatenate([np.zeros(values), np.ones(sensitive)])[None, :]
