"""All partitions of a few values, and which block of them is withheld: the optimum, whatever a cluster costs.

Over subsets: the least worst cost of a set is that of its best first cluster and of what this leaves.
Twelve values have half a million pairs of a subset and a cluster in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from hartley.errors import UnreachableError
from hartley.hot_loops import hot_loop
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import Partition
from hartley.model.arrays import Flags, Floats, Places
from hartley.search.enough import Enough
from hartley.search.line.ordered_values import LineAnswer, OrderedValues

MOST_VALUES = 12
"""Of so many values every partition is looked at."""


@hot_loop
def least_worst(cost: Floats) -> Floats:
    """Return, for each subset, the least worst cost of a partition of it; infinite where there is none."""
    best = np.full(len(cost), np.inf)
    best[0] = 0.0
    for subset in range(1, len(cost)):
        first = subset & -subset
        beside = subset ^ first
        others = beside
        least = np.inf
        while True:
            cluster = others | first
            if cost[cluster] < least:
                least = min(least, max(cost[cluster], best[subset ^ cluster]))
            if others == 0:
                break
            others = (others - 1) & beside
        best[subset] = least
    return best


@hot_loop
def finest_first(cost: Floats, width: Floats, within: float, subset_count: Places, total: Floats) -> Places:
    """Return the first cluster of each subset, for most clusters within a cost, then least total width.

    ``subset_count`` and ``total`` are filled with both; a subset that cannot be parted has a count of -1.
    Ties go to the cluster whose subset number is least.
    """
    chosen = np.zeros(len(cost), dtype=np.int64)
    subset_count[0] = 0
    total[0] = 0.0
    for subset in range(1, len(cost)):
        first = subset & -subset
        beside = subset ^ first
        others = beside
        subset_count[subset] = -1
        while True:
            cluster = others | first
            rest = subset ^ cluster
            if cost[cluster] <= within and subset_count[rest] >= 0:
                count = subset_count[rest] + 1
                wide = total[rest] + width[cluster]
                if count > subset_count[subset] or (count == subset_count[subset] and wide <= total[subset]):
                    subset_count[subset] = count
                    total[subset] = wide
                    chosen[subset] = cluster
            if others == 0:
                break
            others = (others - 1) & beside
    return chosen


def costs_of_subsets(utility: LineDistortion | Resolution) -> Floats:
    """Return the cost of every subset of the values as a cluster; the empty one costs nothing."""
    inside = members_of_subsets(utility.size)
    count = inside.sum(axis=1)
    if isinstance(utility, Resolution):
        return np.asarray(count, dtype=float)
    positions = utility.positions
    low, high = _ends(inside, positions)
    with np.errstate(invalid="ignore"):
        if utility.codeword == "midpoint":
            costs = (high - low) / 2
        elif utility.codeword == "centroid":
            total = np.where(inside, positions, 0.0).sum(axis=1)
            costs = np.maximum(count * high - total, total - count * low) / np.maximum(count, 1)
        else:
            farther = np.maximum(positions - low[:, np.newaxis], high[:, np.newaxis] - positions)
            costs = np.where(inside, farther, inf).min(axis=1)
    found: Floats = np.where(count > 1, costs, 0.0)
    return found


def costs_under(utility: Utility, size: int) -> Floats:
    """Return what every subset of a few values costs as a cluster, under any utility."""
    costs = np.zeros(1 << size)
    for subset, inside in enumerate(members_of_subsets(size)):
        costs[subset] = utility.costs(Partition(np.where(inside, 0, np.arange(1, size + 1)))).max()
    return costs


def widths_of_subsets(utility: LineDistortion | Resolution) -> Floats:
    """Return how far apart the ends of every subset are on its line; 0 where there is no line."""
    if isinstance(utility, Resolution):
        return np.zeros(1 << utility.size)
    inside = members_of_subsets(utility.size)
    low, high = _ends(inside, utility.positions)
    with np.errstate(invalid="ignore"):
        widths: Floats = np.where(inside.any(axis=1), high - low, 0.0)
    return widths


def _ends(inside: Flags, positions: Floats) -> tuple[Floats, Floats]:
    low: Floats = np.where(inside, positions, inf).min(axis=1)
    high: Floats = np.where(inside, positions, -inf).max(axis=1)
    return low, high


def members_of_subsets(size: int) -> Flags:
    """Return which values are in which subset."""
    return (np.arange(1 << size)[:, np.newaxis] >> np.arange(size) & 1).astype(bool)


def enough_subsets(enough: Enough) -> Flags:
    """Tell of every subset whether it may be a cluster."""
    # Every subset is a cluster of its own; a value is in many of them, so it is taken as often.
    subset, place = np.nonzero(members_of_subsets(enough.size))
    counts = enough.take(place).counts_of_clusters(subset, 1 << enough.size)
    return np.asarray((counts >= enough.least).all(axis=1))


def clusters_of_first(chosen: Places, subset: int, size: int) -> Places:
    """Return the cluster of each value of a subset, -1 for values outside it."""
    labels = np.full(size, -1, dtype=np.int64)
    number = 0
    while subset:
        cluster = int(chosen[subset])
        labels[(cluster >> np.arange(size) & 1).astype(bool)] = number
        subset ^= cluster
        number += 1
    return labels


@dataclass(frozen=True, eq=False)
class Division:
    """A few values divided into clusters, one block of them withheld."""

    labels: Places
    """The cluster of each value; what is withheld is the last one."""
    withheld: Places
    rows: int
    """Rows that are withheld."""
    cost: float
    width: float


def best_division(
    enough: Enough, costs: Floats, widths: Floats, budget: int, may_withhold: Callable[[Places], bool]
) -> Division | None:
    """Return the least worst cost with at most so many rows withheld; ``None`` where nothing is enough.

    ``costs`` and ``widths`` are those of every subset of the values; ``may_withhold`` tells of values whether
    they may be withheld together. Ties: fewest rows withheld; most clusters; least total width; the first
    block.
    """
    size, full = enough.size, len(costs) - 1
    members = members_of_subsets(size)
    costs = np.where(enough_subsets(enough), costs, inf)
    costs[0] = 0.0
    least = least_worst.for_size(3**size)(costs)
    rows = members @ enough.rows
    blocks = [(float(least[full ^ block]), int(rows[block]), block) for block in range(full + 1)]
    allowed: list[tuple[float, int, int]] = []
    for one in sorted(block for block in blocks if block[0] < inf and block[1] <= budget):
        if allowed and one[:2] != allowed[0][:2]:
            break
        if may_withhold(np.flatnonzero(members[one[2]])):
            allowed.append(one)
    if not allowed:
        return None
    cost, used, _ = allowed[0]
    counts, totals = np.zeros(len(costs), dtype=np.int64), np.zeros(len(costs))
    chosen = finest_first.for_size(3**size)(costs, widths, cost, counts, totals)
    rest = min((full ^ block for *_, block in allowed), key=lambda rest: (-counts[rest], totals[rest], -rest))
    labels = clusters_of_first(chosen, rest, size)
    withheld = np.flatnonzero(labels < 0)
    labels[withheld] = int(labels.max(initial=-1)) + 1
    return Division(labels, withheld, used, cost, float(totals[rest]))


def best_of_all(enough: Enough, costs: Floats, widths: Floats, budget: int) -> LineAnswer:
    """Return the best division of a few values; what is withheld must be enough itself.

    Raises
    ------
    UnreachableError
        Where no partition is enough at any cost.
    """
    found = best_division(
        enough, costs, widths, budget, lambda values: not len(values) or enough.is_enough(values)
    )
    if found is None:
        raise UnreachableError("no merging of the public values keeps what is required")
    return LineAnswer(
        labels=found.labels,
        cost=found.cost,
        lower_bound=found.cost,
        any_bound=found.cost,
        withheld=found.withheld,
        withheld_rows=found.rows,
    )


def exhaustive_withheld(
    values: OrderedValues, budget: int, joins: Places, is_enough: Callable[[Places], bool]
) -> LineAnswer:
    """Return the optimum over all partitions of the line and all blocks of them within the budget, proven.

    ``is_enough`` tells of ranks whether they may be withheld together; they join ``joins``.
    """
    utility: LineDistortion | Resolution = Resolution(values.size)
    if isinstance(values.utility, LineDistortion):
        utility = LineDistortion(values.positions, values.utility.codeword)
    found = best_division(
        values.enough, costs_of_subsets(utility), widths_of_subsets(utility), budget, is_enough
    )
    if found is None:
        raise UnreachableError(
            "no rows within the budget are enough to be withheld, and without none are enough"
        )
    labels = values.labels_of_ranks(found.labels)
    exempt = values.order[found.withheld]
    if len(exempt):
        labels[joins] = labels[exempt[0]]
        exempt = np.concatenate((exempt, joins))
    cost = values.cost_of_labels(labels, exempt)
    return LineAnswer(
        labels=labels,
        cost=cost,
        lower_bound=cost,
        any_bound=cost,
        total_width=found.width,
        withheld=values.order[found.withheld],
        withheld_rows=found.rows,
    )
