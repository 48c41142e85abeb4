r"""The clusters of the values at the ends of the line, chosen by a solver, for centroids.

Binary variables say which values are members and which codes count as held. Codes of a count that are not
apart may not count together; so as many count as are apart.

A solver reckons with a tolerance, and what it says of large numbers need not be true. So distances are
handed to it in a unit that keeps them small (:func:`solver_unit`), it is asked about a little more than what
is claimed, and only of whole numbers, which differ by more than its tolerance, is anything claimed exactly.

**Two clusters.** Where no more than two clusters can hold enough
(:func:`~hartley.search.sizes.cluster_count.most_clusters`), a partition below half the span of the line has
exactly two: one holds the last value, the other the first. Which values go with the last one is all there is
to choose. At a cost of D the demands are linear: the mean of the one lies no more than D before the last
value,
:math:`\sum_{u \in A} (D + x_u - x_{last}) \ge 0`, and no more than D after any member t, where the sum of
:math:`D + x_t - x_u` may be negative only if t is no member; the same for the other, seen from the first
value.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, inf, ldexp
from typing import Literal

import numpy as np

from hartley.model.arrays import Floats, Int64s
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.solver import SOLVER_TOLERANCE, minimised

End = Literal["first", "last"]

MOST_CLUSTERS_TRIED = 30
LARGEST_WHOLE = 2.0**20
"""Whole distances up to this many are handed to the solver as they are."""
UNITS = 10
"""Other distances are handed to it in units, less than two to this power of them."""
ALLOWANCE = 2 * SOLVER_TOLERANCE
"""Units by which a cost may be exceeded in what the solver is asked, so that its "impossible" is true of the
cost meant. Less than means of 400 whole numbers can differ by."""


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
class _Demand:
    """What a chosen set of values must hold, as rows of a program over values, then codes."""

    rows: list[Floats]
    lows: list[float | Floats]
    codes: int
    """How many variables stand for codes."""

    @classmethod
    def of(cls, enough: Enough) -> _Demand | None:
        """Lay the demand on some values out; nothing where not even all of them are enough."""
        size = enough.size
        if not size or not enough.is_enough(np.arange(size)):
            return None
        held, code_of = np.unique(enough.value_code, return_inverse=True)
        shows = np.zeros((len(held), size))
        shows[code_of, np.repeat(np.arange(size), np.diff(enough.value_ptr))] = 1.0
        rows = [np.hstack([shows, -np.eye(len(held))])]
        lows: list[float | Floats] = [0.0]
        for count, wanted in enumerate(enough.wanted.tolist()):
            begin, end = int(enough.offsets[count]), int(enough.offsets[count + 1])
            inside = (held >= begin) & (held < end)
            rows.append(np.concatenate([np.zeros(size), inside.astype(float)])[None, :])
            lows.append(float(wanted))
            if not enough.is_plain[count]:
                here = held[inside]
                close = (held >= here[:, None]) & (held < enough.next_code[here][:, None])
                rows.append(np.hstack([np.zeros((len(here), size)), -close.astype(float)]))
                lows.append(-1.0)
        rows.append(np.concatenate([enough.rows.astype(float), np.zeros(len(held))])[None, :])
        lows.append(float(enough.row_k))
        return cls(rows, lows, len(held))


@dataclass(frozen=True, eq=False)
class _Cover:
    """Values as seen from one end: their distances, and what they must hold."""

    unit: float
    """What distances are counted in; see :func:`solver_unit`."""
    ranks: Int64s
    distances: Floats
    """Distance of each value from the end, which comes first, at 0."""
    enough: Enough
    """The demand on these values, in their order."""

    @classmethod
    def seen_from(cls, values: OrderedValues, ranks: Int64s, end: End) -> _Cover:
        ordered = ranks if end == "first" else ranks[::-1]
        unit = solver_unit(values.ticks[ranks])
        distances = np.abs(values.ticks[ordered] - values.ticks[ordered[0]]) / unit
        return cls(unit, ordered, distances, values.enough.take(ordered))

    def within(self, reach: float) -> _Cover:
        near = np.flatnonzero(self.distances <= reach)
        return _Cover(self.unit, self.ranks[near], self.distances[near], self.enough.take(near))

    @property
    def is_whole(self) -> bool:
        """Whether distances are whole numbers of units: means of them that differ, differ by much."""
        return bool((self.distances == np.rint(self.distances)).all())


def peeled_cluster(
    values: OrderedValues, ranks: Int64s, end: End, target: float, effort: Effort
) -> Int64s | None:
    """Choose a cluster for the end within the target, greedy for values near the end, sparing with others."""
    cover = _Cover.seen_from(values, ranks, end)
    target /= cover.unit
    cover = cover.within(2 * target)
    worth = np.where(cover.distances <= target, 2.0, -1.0)
    answer = _cluster_within(cover, target, -worth, effort)
    return None if answer.members is None else np.sort(cover.ranks[answer.members])


def end_bound(values: OrderedValues, end: End, known: float, found: float, effort: Effort) -> float:
    """Return the least cost that a cluster of the end can have, with its mean near every member; in ticks.

    Goes down from ``found`` from cluster to cheaper cluster until there is provably none; the last one is
    then the bound. At least ``known`` in any case.
    """
    cover = _Cover.seen_from(values, np.arange(values.size), end)
    low, cost = known / cover.unit, found / cover.unit
    # Means of whole numbers that differ, differ by more than this.
    step = 1.0 / (2.0 * values.size**2) if cover.is_whole else SOLVER_TOLERANCE * max(1.0, cost)
    doubtful = False
    for _ in range(MOST_CLUSTERS_TRIED):
        if effort.should_stop() or cost - step <= low:
            break
        target = low + (cost - low) / 2 if doubtful else cost - step
        near = cover.within(2 * (target + ALLOWANCE))
        costs = near.distances - target
        answer = _cluster_within(near, target + ALLOWANCE, costs, effort)
        if answer.impossible:
            if not doubtful:
                low = cost if cover.is_whole else target
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
class ChosenMembers:
    """Places or ranks of the members of a cluster, or the proof that there is none, or neither."""

    members: Int64s | None
    impossible: bool


def _cluster_within(cover: _Cover, target: float, costs: Floats, effort: Effort) -> ChosenMembers:
    """Choose the cheapest cluster of the end, by these costs of members, with a radius within the target."""
    demand = _Demand.of(cover.enough)
    if demand is None:
        return ChosenMembers(None, True)
    size = len(cover.ranks)
    near_rows, near_lows = near_the_mean(cover.distances, target)
    rows = [*demand.rows, np.hstack([near_rows, np.zeros((len(near_rows), demand.codes))])]
    fixed = np.zeros(size + demand.codes)
    fixed[0] = 1.0
    solution = minimised(
        costs=np.concatenate([costs, np.zeros(demand.codes)]),
        rows=rows,
        lows=[*demand.lows, near_lows],
        effort=effort,
        least=fixed,
    )
    if isinstance(solution, str):
        return ChosenMembers(None, solution == "impossible")
    return ChosenMembers(np.flatnonzero(solution[0][:size] > 0.5), False)


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


def pair_within(values: OrderedValues, cost: float, effort: Effort) -> ChosenMembers:
    """Choose what goes with the last value, so that two clusters are enough each, within a cost in ticks.

    The cost must be below half the span, so that the first and the last value part.
    """
    demand, size = _Demand.of(values.enough), values.size
    if demand is None:
        return ChosenMembers(None, True)
    codes = demand.codes
    unit = solver_unit(values.ticks)
    place: Floats = (values.ticks - values.ticks[0]) / unit
    span = float(place[-1])
    cost = cost / unit + ALLOWANCE
    rows, lows = [], []
    for matrix, low in zip(demand.rows, demand.lows, strict=True):
        of_values, of_codes = matrix[:, :size], matrix[:, size:]
        # The same demand on the values chosen, and on those that are not.
        rows += [
            np.hstack([of_values, of_codes, 0 * of_codes]),
            np.hstack([-of_values, 0 * of_codes, of_codes]),
        ]
        lows += [low, low - of_values.sum(axis=1)]
    for matrix, low in (_with_the_last(span - place, cost), _with_the_first(place, cost)):
        rows.append(np.hstack([matrix, np.zeros((len(matrix), 2 * codes))]))
        lows.append(low)
    least, most = np.zeros(size + 2 * codes), np.ones(size + 2 * codes)
    most[:size][span - place > 2 * cost] = 0.0
    least[:size][place > 2 * cost] = 1.0
    most[0], least[size - 1] = 0.0, 1.0
    if bool((least > most).any()):
        return ChosenMembers(None, True)
    solution = minimised(np.zeros(size + 2 * codes), rows, lows, effort, least, most)
    if isinstance(solution, str):
        return ChosenMembers(None, solution == "impossible")
    return ChosenMembers(np.flatnonzero(solution[0][:size] > 0.5), False)


def _with_the_last(distances: Floats, cost: float) -> tuple[Floats, Floats]:
    """Keep the mean of the values that go with the last one near each of them."""
    rows, lows = near_the_mean(distances[::-1], cost)
    return rows[:, ::-1], lows


def _with_the_first(distances: Floats, cost: float) -> tuple[Floats, Floats]:
    """Keep the mean of the values that do not near each of them: they are chosen where the variable is 0."""
    rows, lows = near_the_mean(distances, cost)
    return -rows, lows - rows.sum(axis=1)
