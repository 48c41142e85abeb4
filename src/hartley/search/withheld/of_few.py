"""Look at every partition of a few values, and at every block of it that may be withheld.

Ties: least cost; fewest rows withheld; most clusters; least total width; the first block.
"""

from __future__ import annotations

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.utility import Utility
from hartley.model import Partition
from hartley.model.arrays import Floats
from hartley.search.enough import Enough
from hartley.search.line.answer import LineAnswer
from hartley.search.line.every_partition import (
    clusters_of_first,
    enough_subsets,
    finest_first,
    least_worst,
    members_of_subsets,
)


def costs_of_subsets(utility: Utility, size: int) -> Floats:
    """Return what every subset of a few values costs as a cluster."""
    costs = np.zeros(1 << size)
    members = members_of_subsets(size)
    for subset in range(1, 1 << size):
        alone = np.where(members[subset], 0, np.arange(1, size + 1))
        costs[subset] = utility.costs(Partition(alone)).max()
    return costs


def best_of_all(enough: Enough, costs: Floats, widths: Floats, budget: int) -> LineAnswer:
    """Return the least worst cost with at most so many rows withheld.

    ``costs`` and ``widths`` are those of every subset of the values.

    Raises
    ------
    UnreachableError
        Where no partition is enough at any cost.
    """
    size = enough.size
    members, holds = members_of_subsets(size), enough_subsets(enough)
    costs = np.where(holds, costs, np.inf)
    costs[0] = 0.0
    least = least_worst.for_size(3**size)(costs)
    rows, full = members @ enough.rows, (1 << size) - 1
    options = [0, *np.flatnonzero(holds & (rows <= budget) & (rows > 0)).tolist()]
    best = min(float(least[full ^ subset]) for subset in options)
    if not np.isfinite(best):
        raise UnreachableError("no merging of the public values keeps what is required")
    counts, totals = np.zeros(len(costs), dtype=np.int64), np.zeros(len(costs))
    chosen = finest_first.for_size(3**size)(costs, widths, best, counts, totals)
    fitting = [subset for subset in options if least[full ^ subset] <= best]
    held = min(
        fitting, key=lambda subset: (rows[subset], -counts[full ^ subset], totals[full ^ subset], subset)
    )
    labels = clusters_of_first(chosen, full ^ held, size)
    labels[labels < 0] = int(labels.max(initial=-1)) + 1
    return LineAnswer(
        labels=labels,
        cost=best,
        lower_bound=best,
        any_bound=best,
        withheld=np.flatnonzero(members[held]),
        withheld_rows=int(rows[held]),
    )
