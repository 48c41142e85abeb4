"""Withhold the tuples of several columns that are far from everybody, then search the others.

The reach of a tuple is the side of the smallest box around it that can be enough: no cluster that holds the
tuple costs less than half of it. So for a cost D every tuple of a reach above 2 D must be withheld (Theorem
W3), which bounds what any budget buys. The tuples of the greatest reach are withheld first; if together they
are not enough to be a released value, others that bring what they lack are added. The rest is searched as
ever, and what is left of the budget goes to whole clusters of the greatest cost. The partition with nothing
withheld, less its worst clusters, is the other candidate; the less costly of the two is taken, then the one
of less loss, then of fewer rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hartley.errors import UnreachableError
from hartley.model.arrays import Floats, Ints, Places
from hartley.model.words import ObjectiveName
from hartley.search.answer import NOTHING
from hartley.search.columns.cells import Column, Combination, cells_of
from hartley.search.columns.costs import midpoint_costs, relative_loss, relative_widths
from hartley.search.columns.polish import width_cells
from hartley.search.columns.prepared import Prepared, compact
from hartley.search.columns.search import ColumnsResult, cells_at, present, search_columns
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.withheld import worst_clusters

MOST_LOOKED_AT = 2000
"""Tuples that are looked at, at most, for what those of greatest reach lack."""
FEWER = 4
"""How often the tuples of greatest reach are halved where they leave no room for what they lack."""


def withhold_tuples(
    columns: Sequence[Column],
    demand: Enough,
    budget: int,
    base: ColumnsResult,
    *,
    combination: Combination = "max",
    effort: Effort,
    objective: ObjectiveName = "worst",
) -> ColumnsResult:
    """Return the best that was found with at most so many rows withheld, and a bound of the worst cost.

    By the mean, that is the least loss of the rows that are left, and the tuples of the greatest reach are
    those that lose most.

    ``base`` is what was found with nothing withheld.
    """
    question = _Tuples(columns, demand, combination, effort, objective)
    plain = question.measured(base.labels, NOTHING)
    if budget < demand.fewest_rows:
        return replace(plain, bound=min(base.bound, plain.worst))
    here = question.kept(NOTHING)
    reach = question.reaches(here)
    order = here[np.lexsort((here, -reach))]
    used = np.cumsum(demand.rows[order])
    fitting = int(np.searchsorted(used, budget, side="right"))
    is_bound = objective == "worst" and fitting < len(order)
    bound = float(np.sort(reach)[::-1][fitting]) / 2 if is_bound else 0.0
    found = [plain, question.less_its_worst(plain, budget)]
    withheld = question.topped_up(order, fitting, budget)
    del here, reach, order, used  # the search of the others needs the room
    if withheld is not None and not effort.should_stop():
        found += question.rest_searched(withheld, budget)
    best = min(found, key=question.key)
    return replace(best, bound=min(bound, best.worst))


@dataclass(frozen=True, eq=False)
class _Tuples:
    """The tuples of one question."""

    columns: Sequence[Column]
    demand: Enough
    combination: Combination
    effort: Effort
    objective: ObjectiveName

    def key(self, one: ColumnsResult) -> tuple[float, float, int]:
        """Return what is compared: cost and loss in the order of the objective, then rows."""
        first = (one.loss, one.worst) if self.objective == "mean" else (one.worst, one.loss)
        return *first, one.withheld_rows

    def reaches(self, here: Places) -> Floats:
        """Return the reaches of tuples; 0, which is never too much, for those that there is no time for."""
        cells = cells_of([cells_at(column, here) for column in self.columns], self.combination)
        if self.objective == "mean":
            cells = width_cells(cells)
        prepared = Prepared(cells, self.demand.take(here), self.effort)
        return prepared.reaches_of(np.arange(len(here)))

    def kept(self, withheld: Places) -> Places:
        """Return the tuples without a missing cell that are not withheld."""
        here = present(self.columns, self.demand.size)
        here[withheld] = False
        return np.flatnonzero(here)

    def costs(self, kept: Places, inside: Ints) -> Floats:
        """Return the cost of every cluster of some tuples."""
        return midpoint_costs([cells_at(column, kept) for column in self.columns], inside, self.combination)

    def measured(self, labels: Ints, withheld: Places) -> ColumnsResult:
        """Return a partition with its cost and loss, what is withheld left out."""
        rows = int(self.demand.rows[withheld].sum())
        kept = self.kept(withheld)
        if not len(kept):
            return ColumnsResult(labels, 0.0, 0.0, 0.0, withheld, rows)
        inside = compact(labels[kept])
        worst = float(self.costs(kept, inside).max())
        here = self.kept(NOTHING)
        # Widths are parts of the range of all tuples, withheld or not.
        cells = cells_of([cells_at(column, here) for column in self.columns], self.combination)
        of_kept = cells._replace(place=cells.place[np.searchsorted(here, kept)])
        loss = relative_loss(of_kept, inside, self.demand.rows[kept])
        return ColumnsResult(labels, worst, 0.0, loss, withheld, rows)

    def less_its_worst(self, base: ColumnsResult, budget: int) -> ColumnsResult:
        """Return a partition with the clusters of greatest cost withheld, and what was withheld before."""
        kept = self.kept(base.withheld)
        if not len(kept):
            return base
        inside = compact(base.labels[kept])
        if self.objective == "mean":
            cells = cells_of([cells_at(column, kept) for column in self.columns], self.combination)
            costs = relative_widths(cells, inside)
        else:
            costs = self.costs(kept, inside)
        rows = np.bincount(inside, weights=self.demand.rows[kept]).astype(np.int64)
        chosen = worst_clusters(costs, rows, budget - base.withheld_rows)
        if not len(chosen):
            return base
        withheld = np.union1d(base.withheld, kept[np.isin(inside, chosen)])
        return self.measured(_as_one(base.labels, withheld), withheld)

    def topped_up(self, order: Places, fitting: int, budget: int) -> Places | None:
        """Return the tuples of greatest reach with others that bring what they lack, or nothing."""
        for _ in range(FEWER):
            withheld = self.filled(order[:fitting], order[fitting : fitting + MOST_LOOKED_AT], budget)
            if withheld is not None:
                return withheld
            fitting //= 2
        return None

    def filled(self, withheld: Places, others: Places, budget: int) -> Places | None:
        """Return tuples with others that bring what they lack, in their order, or nothing."""
        demand = self.demand
        if demand.is_enough(withheld):
            return np.sort(withheld)
        room = budget - int(demand.rows[withheld].sum())
        held = set(demand.take(withheld).value_code.tolist())
        for one in others.tolist():
            brought = set(demand.take(np.array([one])).value_code.tolist())
            is_of_use = bool(brought - held) or demand.row_k > 1
            if demand.rows[one] > room or not is_of_use:
                continue
            withheld = np.append(withheld, one)
            held |= brought
            room -= int(demand.rows[one])
            if demand.is_enough(withheld):
                return np.sort(withheld)
        return None

    def rest_searched(self, withheld: Places, budget: int) -> list[ColumnsResult]:
        """Search the tuples that are not withheld; then withhold the worst clusters with what is left."""
        is_kept = np.ones(self.demand.size, dtype=np.bool_)
        is_kept[withheld] = False
        labels = np.zeros(self.demand.size, dtype=np.int32)
        if is_kept.any():
            try:
                found = search_columns(
                    # Nothing here holds the cells and the places of the others while they are searched.
                    [cells_at(column, np.flatnonzero(is_kept)) for column in self.columns],
                    self.demand.take(np.flatnonzero(is_kept)),
                    combination=self.combination,
                    effort=self.effort,
                    objective=self.objective,
                )
            except UnreachableError:
                return []
            labels[is_kept] = found.labels
        first = self.measured(_as_one(labels, withheld), withheld)
        return [first, self.less_its_worst(first, budget)]


def _as_one(labels: Ints, withheld: Places) -> Ints:
    joined = labels.copy()
    joined[withheld] = int(labels.max(initial=-1)) + 1
    return compact(joined)
