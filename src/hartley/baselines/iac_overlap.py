r"""The loop of IAC-MDSF on the paper's own problem: :math:`I_*(S; \hat X) - \lambda U(X; \hat X)`.

Merging a subset W of clusters changes it by

.. math:: F(W) = \log_2 \frac{|\mathcal P^*_{\hat X_W}|}{|\mathcal P^*_{\hat X}|}
          - \lambda \, [U(X; \hat X_W) - U(X; \hat X)],

where all components that W touches become one. F is not submodular, nor a difference of two
submodular functions that anybody could name, so ModMod has nothing to rest on here.

So the best pair is grown by the best cluster while that helps. Side information plays no part in the search.

Ties, after rounding to 12 decimals: the earliest pair, and the earliest cluster to add.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, log2

import numpy as np

from hartley.baselines.subsets import DECIMALS, SubsetRun, require_weight
from hartley.measures.overlap import components
from hartley.measures.utility import Utility
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Ints, different
from hartley.search.effort import UNLIMITED, Effort

NO_CHANGE = 1e-12


def iac_overlap(
    joint: JointRange,
    utility: Utility,
    *,
    utility_weight: float,
    effort: Effort = UNLIMITED,
) -> SubsetRun:
    r"""Merge subsets while that lowers :math:`I_*(S; \hat X) - \lambda U(X; \hat X)`."""
    require_weight(utility_weight)
    plain = joint.without_side()
    partitions = [Partition.singletons(joint.public.size)]
    changes: list[float] = []
    while partitions[-1].size > 1 and not effort.should_stop():
        here = OverlapChange(plain, utility, utility_weight, partitions[-1])
        chosen = _grown_pair(here)
        change = here.of(chosen)
        if len(chosen) < 2 or not change < -NO_CHANGE:
            break
        partitions.append(partitions[-1].merge(*chosen))
        changes.append(change)
        effort.progress(joint.public.size - partitions[-1].size, joint.public.size - 1, "merges")
    return SubsetRun(tuple(partitions), tuple(changes))


@dataclass(frozen=True, eq=False)
class OverlapChange:
    """The set function F at one partition."""

    joint: JointRange
    utility: Utility
    utility_weight: float
    partition: Partition

    @cached_property
    def component(self) -> Ints:
        """The component of each cluster."""
        return components(self.joint, self.partition).labels[self.partition.firsts]

    @cached_property
    def costs(self) -> Floats:
        """The cost of each cluster."""
        return self.utility.costs(self.partition)

    @property
    def size(self) -> int:
        """How many clusters there are."""
        return self.partition.size

    def of(self, chosen: list[int]) -> float:
        """Return F of a subset of the clusters; infinite where its members may not be merged."""
        if len(chosen) < 2:
            return 0.0
        merged = self.partition.merge(*chosen)
        worst = float(self.utility.costs(merged).max())
        return float(self.change(len(different(self.component[chosen])), worst))

    def change(self, touched: int, worst: float) -> float:
        """Return F where so many components become one and the worst cluster then costs so much."""
        if not isfinite(worst):
            return inf
        before = self.utility.of_cost(float(self.costs.max()))
        there = int(self.component.max()) + 1
        gained = self.utility.of_cost(worst) - before
        return log2((there - touched + 1) / there) - self.utility_weight * gained

    def of_pairs(self) -> Floats:
        """Return F of every pair of clusters as a matrix, infinite on and below the diagonal."""
        firsts, unions = self.partition.firsts, self.utility.union_costs()
        for place, first in enumerate(firsts[self.partition.labels].tolist()):
            if place != first:
                unions.merge(first, place)
        changes = np.full((self.size, self.size), inf)
        order = np.argsort(-self.costs, kind="stable")[:3]
        for i, first in enumerate(firsts.tolist()):
            for j, cost in enumerate(unions.with_each(first)[firsts].tolist()[i + 1 :], i + 1):
                rest = max((self.costs[k] for k in order if k not in (i, j)), default=0.0)
                touched = 1 + int(self.component[i] != self.component[j])
                changes[i, j] = self.change(touched, max(cost, float(rest)))
        return changes


def _grown_pair(here: OverlapChange) -> list[int]:
    """Return the best pair of clusters, grown by the best cluster while that helps."""
    # On and below the diagonal it is infinite, so the first least one is the earliest pair.
    chosen = list(divmod(int(np.argmin(np.round(here.of_pairs(), DECIMALS))), here.size))
    value = here.of(chosen)
    while len(chosen) < here.size:
        others = [x for x in range(here.size) if x not in chosen]
        grown = np.round([here.of([*chosen, x]) for x in others], DECIMALS)
        if not grown.min() < value - NO_CHANGE:
            break
        chosen = sorted([*chosen, others[int(np.argmin(grown))]])
        value = here.of(chosen)
    return chosen
