"""Every partition of up to eight values under requirements: the truth for intervals and withheld rows.

Written from the definitions, on rows of (public, sensitive); shares nothing with the searches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import inf

import numpy as np

from enough_instances import Rows, holds
from hartley.model.requirement import Requirement
from reference_every_partition import clusters_of_every_partition, distortions_on_a_line, sizes


@dataclass(frozen=True, eq=False)
class Twin:
    """What every subset of the public values, in ascending order, costs and holds."""

    rows: Rows
    requirements: Sequence[Requirement]
    tolerance: float
    codeword: str = "midpoint"
    joined: tuple[int | None, ...] = ()
    """Sensitive values of the cells that are missing: they join what is withheld."""

    @cached_property
    def publics(self) -> list[float]:
        return sorted({x for x, _ in self.rows})

    @property
    def size(self) -> int:
        return len(self.publics)

    def shown(self, subset: int) -> list[int | None]:
        inside = {x for place, x in enumerate(self.publics) if subset >> place & 1}
        return [s for x, s in self.rows if x in inside]

    @cached_property
    def is_enough(self) -> np.ndarray:
        subsets = range(1 << self.size)
        return np.array([holds(self.requirements, self.shown(subset), self.tolerance) for subset in subsets])

    @cached_property
    def may_be_withheld(self) -> np.ndarray:
        found = [
            holds(self.requirements, [*self.shown(subset), *self.joined], self.tolerance)
            for subset in range(1 << self.size)
        ]
        found[0] = not self.joined or found[0]
        return np.array(found)

    @cached_property
    def row_counts(self) -> np.ndarray:
        return np.array([len(self.shown(subset)) for subset in range(1 << self.size)])

    @cached_property
    def costs(self) -> np.ndarray:
        if self.codeword == "size":
            return sizes(self.size)
        return distortions_on_a_line(np.array(self.publics), self.codeword)

    @cached_property
    def spans(self) -> np.ndarray:
        return 2 * distortions_on_a_line(np.array(self.publics), "midpoint")

    def least_cost(self) -> tuple[float, int]:
        """The least worst cost of all partitions, and the most clusters at that cost."""
        clusters = clusters_of_every_partition(self.size)
        worst = np.where(self.is_enough[clusters].all(axis=1), self.costs[clusters].max(axis=1), inf)
        best = worst.min()
        if best == inf:
            return inf, 0
        return float(best), max(len(set(row)) for row in clusters[worst == best].tolist())

    def most_clusters_within(self, cost: float) -> int:
        """The most clusters of any partition within a cost."""
        clusters = clusters_of_every_partition(self.size)
        fits = self.is_enough[clusters].all(axis=1) & (self.costs[clusters].max(axis=1) <= cost)
        return max((len(set(row)) for row in clusters[fits].tolist()), default=0)

    def least_cost_withholding(self, budget: int) -> float:
        """The least worst cost when one block within the budget is withheld, or none."""
        clusters = clusters_of_every_partition(self.size)
        best = self.least_cost()[0] if self.may_be_withheld[0] else inf
        for value in range(self.size):
            block = clusters[:, value]
            others = clusters != block[:, np.newaxis]
            fits = (self.is_enough[clusters] | ~others).all(axis=1)
            fits &= self.may_be_withheld[block] & (self.row_counts[block] <= budget)
            worst = np.where(others, self.costs[clusters], 0.0).max(axis=1)
            best = min(best, float(np.where(fits, worst, inf).min()))
        return best

    def cuts(self, allowed: Sequence[bool] | None = None) -> list[list[int]]:
        """All ways to cut the line into intervals with borders where they are allowed, as subsets."""
        found = []
        for breaks in product((False, True), repeat=self.size - 1):
            if allowed is not None and any(cut and not allowed[at + 1] for at, cut in enumerate(breaks)):
                continue
            subsets, current = [], 1
            for at, cut in enumerate(breaks):
                if cut:
                    subsets.append(current)
                    current = 0
                current |= 2 << at
            found.append([*subsets, current])
        return found

    def least_intervals_withholding(self, budget: int) -> float:
        """The least worst cost of intervals of what is kept, when one block is withheld, or none."""
        best = self.best_intervals()[0] if self.may_be_withheld[0] else inf
        for block in range(1, 1 << self.size):
            if not self.may_be_withheld[block] or self.row_counts[block] > budget:
                continue
            for cut in self.cuts():
                kept = [subset & ~block for subset in cut if subset & ~block]
                if all(self.is_enough[subset] for subset in kept):
                    best = min(best, max((float(self.costs[subset]) for subset in kept), default=0.0))
        return best

    def best_intervals(self, allowed: Sequence[bool] | None = None) -> tuple[float, list[list[int]]]:
        """The least worst cost of intervals, and all ways that reach it."""
        costs = [
            (max(self.costs[subset] for subset in cut), cut)
            for cut in self.cuts(allowed)
            if all(self.is_enough[subset] for subset in cut)
        ]
        best = min((cost for cost, _ in costs), default=inf)
        return best, [cut for cost, cut in costs if cost == best]

    def relaxed_withholding(self, budget: int) -> float:
        """The least worst cost of intervals of what is kept, with no demand on what is withheld."""
        best = inf
        for withheld in range(1 << self.size):
            if self.row_counts[withheld] > budget:
                continue
            kept = [x for x in range(self.size) if not withheld >> x & 1]
            if not kept:
                best = min(best, 0.0)
                continue
            for breaks in product((False, True), repeat=len(kept) - 1):
                subsets, current = [], 1 << kept[0]
                for rank, cut in zip(kept[1:], breaks, strict=True):
                    if cut:
                        subsets.append(current)
                        current = 0
                    current |= 1 << rank
                subsets.append(current)
                if all(self.is_enough[subset] for subset in subsets):
                    best = min(best, float(max(self.costs[subset] for subset in subsets)))
        return best
