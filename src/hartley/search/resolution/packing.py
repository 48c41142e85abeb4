"""Small tables to the last case: pack disjoint sets of values that are enough, as an integer program.

Every set of at most m values that has k candidates between its members is listed, and a solver
chooses as many disjoint ones as it can. Where q of them do not fit, no partition keeps k candidates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.model import Partition
from hartley.model.arrays import Int64s
from hartley.search.effort import Effort
from hartley.search.proofs.statements import ExhaustionCertificate
from hartley.search.resolution.constructions import NOWHERE, filled_up
from hartley.search.resolution.layout import CandidateSets, least_clusters
from hartley.search.resolution.price_bound import cheap_sets, least_prices
from hartley.search.solver import solved

MOST_SETS = 3_000
MOST_VALUES = 40
MOST_NODES = 2_000
"""Beyond these the solver is not asked, or not listened to."""
SECONDS = 10.0
"""A guard against being stuck; results depend on the nodes, not on the machine's speed."""


def packing(
    sets: CandidateSets, largest: int, wanted: int, effort: Effort
) -> Partition | ExhaustionCertificate | None:
    """Return clusters with ``wanted`` candidates each, or that there are none; ``None`` if open."""
    if sets.size > MOST_VALUES:
        return None
    enough = _enough_sets(sets, largest, wanted)
    if enough is None:
        return None
    clusters = least_clusters(sets.size, largest)
    if len(enough) < clusters:
        return ExhaustionCertificate(largest_cluster=largest, distinct_l=wanted)
    chosen = _disjoint(enough, sets.size, effort)
    if chosen is None:
        return None
    if len(chosen) < clusters:
        return ExhaustionCertificate(largest_cluster=largest, distinct_l=wanted)
    labels = np.full(sets.size, NOWHERE, dtype=np.int64)
    for cluster, members in enumerate(enough[chosen[:clusters]]):
        labels[members[members >= 0]] = cluster
    return filled_up(labels, clusters, largest)


def _enough_sets(sets: CandidateSets, largest: int, wanted: int) -> Int64s | None:
    """List the sets that are enough with their last member and not before; nothing if there are too many."""
    free = np.zeros(sets.size, dtype=np.int64)
    found = np.zeros((MOST_SETS, largest), dtype=np.int64)
    count = cheap_sets.for_size(sets.size**3)(
        sets.starts,
        sets.candidates,
        np.arange(sets.size),
        free,
        least_prices(np.minimum(sets.counts, wanted), free, largest, wanted),
        largest,
        wanted,
        MOST_SETS,
        np.zeros(sets.kinds, dtype=np.int64),
        found,
    )
    return found[:count] if 0 <= count < MOST_SETS else None


def _disjoint(enough: Int64s, size: int, effort: Effort) -> npt.NDArray[np.intp] | None:
    """Choose as many disjoint sets as there can be; nothing where the solver does not finish."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    column, place = np.nonzero(enough >= 0)
    takes = csr_array((np.ones(len(column)), (enough[column, place], column)), shape=(size, len(enough)))

    def solve(seconds: float) -> Any:
        return milp(
            -np.ones(len(enough)),
            constraints=LinearConstraint(takes, ub=np.ones(size)),
            integrality=np.ones(len(enough)),
            bounds=Bounds(0, 1),
            options={"node_limit": MOST_NODES, "time_limit": seconds},
        )

    result = solved(solve, SECONDS, effort)
    return np.flatnonzero(result.x > 0.5) if result is not None and result.status == 0 else None
