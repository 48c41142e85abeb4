r"""What a cluster costs at least when two given values share it.

A codeword within D of both values exists only where D is large enough, whatever else the
cluster holds. Which number that is depends on the utility:

* on a line, half the distance (any codeword: the triangle inequality);
* under a table of dissimilarities, the least over all values as codewords of the worse of the two;
* over several columns, half the distance in any one column of numbers, since the combined distance is never
  less than that in one column;
* under a cost of one's own that grows with the cluster, the cost of the pair.

A utility of another kind says nothing, and every pair may share a cluster.
"""

from __future__ import annotations

import numpy as np

from hartley.measures.utility import LineDistortion, OwnUtility, Utility
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.measures.utility.several_columns import ColumnsDistortion, NumberColumn
from hartley.model.arrays import Floats
from hartley.search.effort import UNLIMITED, Effort

RELATIVE_ERROR = 1e-9
"""Relative: distances over several columns are sums and roots, and rounded."""


def shared_costs(utility: Utility, effort: Effort = UNLIMITED) -> Floats:
    """Return, for every pair of values, the least cost of a cluster that holds both; infinite where none may.

    Where the effort ends before all is worked out, every pair may share a cluster for nothing.
    """
    if isinstance(utility, LineDistortion):
        if utility.grid.is_exact or utility.codeword != "centroid":
            return _half_distances(utility.grid.ticks) / utility.grid.per_unit
        return _rounded_down(utility.grid.ticks)
    if isinstance(utility, MatrixDistortion):
        return _through_any_codeword(utility.dissimilarities, effort)
    if isinstance(utility, OwnUtility) and utility.grows:
        return _of_pairs(utility, effort)
    costs = np.zeros((utility.size, utility.size))
    if isinstance(utility, ColumnsDistortion):
        for column in utility.columns:
            if isinstance(column, NumberColumn):
                np.maximum(costs, _rounded_down(column.positions), out=costs)
    np.fill_diagonal(costs, 0.0)
    return costs


def _of_pairs(utility: OwnUtility, effort: Effort) -> Floats:
    costs = np.zeros((utility.size, utility.size))
    for one in range(utility.size):
        if effort.should_stop():
            return np.zeros(costs.shape)
        for other in range(one + 1, utility.size):
            costs[one, other] = costs[other, one] = utility.cost_of((one, other))
    return costs


def _rounded_down(positions: Floats) -> Floats:
    """Return half the distances, less what a codeword can be off: far from 0 much of a short distance."""
    greatest = float(np.abs(positions).max(initial=0.0, where=~np.isnan(positions)))
    off = 4.0 * (len(positions) + 2) * greatest * float(np.finfo(float).eps)
    costs: Floats = np.maximum(_half_distances(positions) * (1 - RELATIVE_ERROR) - off, 0.0)
    return costs


def _half_distances(positions: Floats) -> Floats:
    distances: Floats = np.abs(positions[:, None] - positions[None, :]) / 2
    distances[np.isnan(distances)] = np.inf
    np.fill_diagonal(distances, 0.0)
    return distances


def _through_any_codeword(dissimilarities: Floats, effort: Effort) -> Floats:
    known = np.where(np.isnan(dissimilarities), np.inf, dissimilarities)
    costs = np.full(known.shape, np.inf)
    for codeword in range(len(known)):
        if effort.should_stop():
            return np.zeros(known.shape)
        reach = known[:, codeword]
        np.minimum(costs, np.maximum(reach[:, None], reach[None, :]), out=costs)
    np.fill_diagonal(costs, 0.0)
    return costs
