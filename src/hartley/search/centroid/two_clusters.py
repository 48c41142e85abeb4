r"""Two clusters for the whole line, chosen by a solver, for centroids.

Where so many candidates are wanted that no more than two clusters can hold them
(:func:`~hartley.search.distortion.least_cost.most_clusters`), a partition below half the span of the line has
exactly two: one holds the last value, the other the first. Which values go with the last one is all there
is to choose. At a distortion of D the demands are linear: the mean of the one lies no more than D before the
last value, :math:`\sum_{u \in A} (D + x_u - x_{last}) \ge 0`, and no more than D after any member t, where
the sum of :math:`D + x_t - x_u` may be negative only if t is no member; the same for the other, seen from
the first value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Floats, Int64s
from hartley.search.centroid.end_clusters import ALLOWANCE, near_the_mean, solver_unit
from hartley.search.distortion.line import Line
from hartley.search.effort import Effort
from hartley.search.solver import minimised


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
