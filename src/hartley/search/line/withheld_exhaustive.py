"""The optimum with rows withheld, of a few values: every block of every partition may be the one withheld."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import numpy.typing as npt

from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.search.line.answer import NOTHING, LineAnswer
from hartley.search.line.every_partition import (
    MOST_VALUES,
    clusters_of_first,
    costs_of_subsets,
    enough_subsets,
    finest_first,
    least_worst,
    widths_of_subsets,
)
from hartley.search.line.ordered_values import OrderedValues

__all__ = ["MOST_VALUES", "exhaustive_withheld"]

Places = npt.NDArray[np.int64]


def exhaustive_withheld(
    values: OrderedValues, budget: int, joins: Places, is_enough: Callable[[Places], bool]
) -> LineAnswer:
    """Return the optimum over all partitions of the line and all blocks of them within the budget, proven.

    ``is_enough`` tells of ranks whether they may be withheld together.
    """
    size = values.size
    utility: LineDistortion | Resolution = Resolution(size)
    if isinstance(values.utility, LineDistortion):
        utility = LineDistortion(values.positions, values.utility.codeword)
    cost = costs_of_subsets(utility)
    may_be = enough_subsets(values.enough)
    may_be[0] = True
    cost[~may_be] = inf
    full = (1 << size) - 1
    best = least_worst.for_size(3**size)(cost)
    rows = _sums(values.enough.rows)
    candidates = [
        subset for subset in range(1 << size) if rows[subset] <= budget and best[full ^ subset] < inf
    ]
    candidates.sort(key=lambda subset: (best[full ^ subset], rows[subset]))
    allowed: list[int] = []
    for subset in candidates:
        if allowed and (best[full ^ subset], rows[subset]) != (best[full ^ allowed[0]], rows[allowed[0]]):
            break
        if is_enough(np.flatnonzero(subset >> np.arange(size) & 1)):
            allowed.append(subset)
    if not allowed:
        raise UnreachableError(
            "no rows within the budget are enough to be withheld, and without none are enough"
        )
    least = float(best[full ^ allowed[0]])
    count, total = np.zeros(len(cost), dtype=np.int64), np.zeros(len(cost))
    chosen = finest_first.for_size(3**size)(cost, widths_of_subsets(utility), least, count, total)
    withheld = min(allowed, key=lambda subset: (-count[full ^ subset], total[full ^ subset], subset))
    cluster_of = clusters_of_first(chosen, full ^ withheld, size)
    ranks = np.flatnonzero(cluster_of < 0)
    cluster_of[ranks] = int(cluster_of.max(initial=-1)) + 1
    labels = values.labels_of_ranks(cluster_of)
    if len(ranks):
        labels[joins] = cluster_of[ranks[0]]
    exempt = np.concatenate((values.order[ranks], joins if len(ranks) else NOTHING))
    found = values.cost_of_labels(labels, exempt)
    return LineAnswer(
        labels=labels,
        cost=found,
        lower_bound=found,
        any_bound=found,
        total_width=float(total[full ^ withheld]),
        withheld=values.order[ranks],
        withheld_rows=int(rows[withheld]),
    )


def _sums(rows: Places) -> Places:
    """Return the rows of every subset."""
    sums = np.zeros(1, dtype=np.int64)
    for each in rows.tolist():
        sums = np.concatenate((sums, sums + each))
    return sums
