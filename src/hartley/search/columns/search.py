"""The least mean loss over several columns; or the least worst cost, and the least mean loss within it.

The loss is the mean over rows of the relative width of their cluster. By the *mean* it alone decides: which
of the starts (Mondrian's own partition and those handed in are among them), and the polish. By the *worst*
the worst cluster is settled first, with the combination that is asked for: cut, peel and mend from blocks of
equal categories, with other rules for the cuts where the bound is not met; the loss decides the rest. The
result is never worse than a start.

Beside side information a set that is enough may not be enough with a tuple more. No bound holds then, and
nothing is mended; cuts and polish look at both clusters that they make.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError, UnreachableError
from hartley.model.arrays import Ints, Places, different
from hartley.model.words import ObjectiveName
from hartley.search.answer import NOTHING
from hartley.search.columns.boxes import blocks_first, peel, split
from hartley.search.columns.cells import (
    Column,
    Combination,
    NumberCells,
    cells_of,
)
from hartley.search.columns.costs import cluster_sides, midpoint_costs, relative_loss
from hartley.search.columns.counts import MOST_TUPLES as MOST_COUNTED
from hartley.search.columns.counts import NearerCounts
from hartley.search.columns.exact import MOST_TUPLES, SAME_WITHIN, ExactDivision
from hartley.search.columns.loops.cells import Cells
from hartley.search.columns.loops.split import GAP, MEDIAN, MIDDLE, ROWS
from hartley.search.columns.mend import mend
from hartley.search.columns.polish import VERY_MANY, Polisher
from hartley.search.columns.prepared import Prepared, compact
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough

ROUNDS = 3
RULES = (MIDDLE, MEDIAN, GAP)
"""Rules for cuts, tried in turn until the bound is met."""
HOPELESS = 1.03
"""A start whose loss is above the best by this factor after one round of polish is not polished further."""
MOST_LOWERED = 100
"""A start with more clusters above the worst cost that is known is not mended."""
POLISH_ALL_UP_TO = 5000
"""Tables of at most so many tuples have every start polished, larger ones the best."""


@dataclass(frozen=True, eq=False)
class ColumnsResult:
    """A partition of tuples over several columns, with what is known of it."""

    labels: Ints
    """The cluster of each tuple, numbered by its first."""
    worst: float
    """The greatest cost of a cluster that is not withheld."""
    bound: float
    """No partition that is enough everywhere and withholds no more rows has a smaller worst cost; 0: none
    was looked for."""
    loss: float
    """The mean over rows that are kept of the relative width of their cluster: 0 untouched, 1 nothing left
    (NCP)."""
    withheld: Places = field(default_factory=lambda: NOTHING)
    """Tuples that are withheld, as one cluster."""
    withheld_rows: int = 0

    @property
    def proven(self) -> bool:
        """Whether no partition has a smaller worst cost."""
        return self.worst <= self.bound * (1 + SAME_WITHIN)

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max()) + 1


def best_first(
    candidates: Sequence[ColumnsResult], objective: ObjectiveName = "worst"
) -> list[ColumnsResult]:
    """Return the candidates from the best; worst costs that differ by no more than they round are equal."""
    if objective == "mean":
        return sorted(candidates, key=lambda c: (c.loss, c.worst))
    least = min(candidate.worst for candidate in candidates) * (1 + SAME_WITHIN)
    return sorted(candidates, key=lambda c: (0.0 if c.worst <= least else c.worst, c.loss, c.worst))


class ColumnsSearch:
    """The search for one table of tuples without missing cells, and one demand."""

    def __init__(
        self,
        columns: Sequence[Column],
        demand: Enough,
        combination: Combination = "max",
        all_divisions_up_to: int = MOST_TUPLES,
        objective: ObjectiveName = "worst",
    ) -> None:
        self.combination = combination
        self.objective = objective
        self.all_divisions_up_to = all_divisions_up_to
        cells = cells_of(columns, combination)
        self.columns = _in_cells(columns, cells)
        self.prepared = Prepared(cells, demand)
        self.exact = ExactDivision(self.prepared)
        self.bound = 0.0
        """No partition has a smaller worst side."""

    def run(self, starts: Iterable[npt.NDArray[np.integer]], polish: bool, effort: Effort) -> ColumnsResult:
        """Search from all starts."""
        prepared = self.prepared
        if prepared.size <= self.all_divisions_up_to:
            return self.best_of_all()
        prepared.effort = effort
        if self.objective == "mean" or prepared.needs.beside:
            return self.least_mean(starts, polish, effort)
        candidates: list[ColumnsResult] = []
        blocks = blocks_first(prepared.cells, prepared.demand, effort)
        for rule in RULES:
            candidates.append(self.settled(blocks, rule, effort))
            if self.is_met(candidates) or effort.should_stop():
                break
        del blocks
        if polish or not self.is_met(candidates):
            whole = np.zeros(prepared.size, dtype=np.int32)
            mondrian = split(prepared, whole, ROWS, effort)
            for start in (mondrian, *starts):
                if not effort.should_stop():
                    candidates += self.lowered(compact(start), min(c.worst for c in candidates), effort)
        else:
            candidates += [self.candidate(compact(start)) for start in starts]
        candidates = best_first(candidates)
        if not self.is_met(candidates):
            candidates = self.lowered_exactly(candidates, effort)
        if polish and not effort.should_stop():
            candidates = self.polished(candidates, Polisher(prepared), effort)
        best = best_first(candidates)[0]
        return replace(best, bound=min(self.bound / 2, best.worst))

    def best_of_all(self) -> ColumnsResult:
        """Look at every partition of a small table."""
        labels, least = self.exact.divide(np.arange(self.prepared.size), self.objective)
        best = self.candidate(compact(labels))
        return replace(best, bound=min(least, best.worst))

    def least_mean(
        self, starts: Iterable[npt.NDArray[np.integer]], polish: bool, effort: Effort
    ) -> ColumnsResult:
        """Cut the whole table, and blocks of it, and polish; what is best by the objective is the result."""
        prepared = self.prepared
        whole = np.zeros(prepared.size, dtype=np.int32)
        beside = prepared.needs.beside
        blocks = seen_alike(prepared.demand) if beside else blocks_first(prepared.cells, prepared.demand)
        found = [compact(start) for start in starts]
        boxes: Ints | None = None
        for labels, rule in ((whole, ROWS), (blocks, MIDDLE), (blocks, ROWS)):
            if not (found and effort.should_stop()):
                found.append(self.cut(labels, rule, effort))
                boxes = found[-1] if boxes is None else boxes
        candidates = best_first([self.candidate(labels) for labels in found], self.objective)
        if not polish or effort.should_stop():
            return candidates[0]
        polisher = Polisher(prepared)
        best = best_first(self.polished(candidates, polisher, effort), self.objective)[0]
        if self.objective == "worst" or prepared.columns < 2 or prepared.size > MOST_COUNTED:
            return best
        # Beside side information boxes are far too wide to start from.
        start = best.labels if boxes is None or beside else boxes
        return self.candidate(NearerCounts(prepared, effort).best(best.labels, start, polisher))

    def candidate(self, labels: Ints) -> ColumnsResult:
        """Measure a partition."""
        worst = float(midpoint_costs(self.columns, labels, self.combination).max())
        loss = relative_loss(self.prepared.cells, labels, self.prepared.needs.rows)
        return ColumnsResult(labels, worst, 0.0, loss)

    def is_met(self, candidates: Sequence[ColumnsResult]) -> bool:
        """Tell whether the bound is met."""
        return min(c.worst for c in candidates) <= self.bound / 2 * (1 + SAME_WITHIN)

    def settled(self, labels: Ints, rule: int, effort: Effort) -> ColumnsResult:
        """Cut, peel and mend until nothing is mended any more."""
        labels = self.cut(labels, rule, effort)
        for _ in range(ROUNDS):
            mended = mend(self.prepared, labels, self.bound, effort)
            self.bound = max(self.bound, mended.bound)
            if not mended.mends:
                break
            labels = self.cut(mended.labels, rule, effort)
        return self.candidate(labels)

    def cut(self, labels: Ints, rule: int, effort: Effort) -> Ints:
        """Cut clusters in two by a rule, and peel what is left, as often as possible."""
        return peel(self.prepared, split(self.prepared, labels, rule, effort), effort)

    def lowered(self, labels: Ints, worst: float, effort: Effort) -> list[ColumnsResult]:
        """Return a start as it is if it is better, and mended down to the worst cost that is known."""
        prepared = self.prepared
        start = self.candidate(self.cut(labels, MIDDLE, effort))
        above = int((cluster_sides(prepared.cells, start.labels) > 2 * worst * (1 + SAME_WITHIN)).sum())
        if not above or above > MOST_LOWERED:
            return [start]
        mended = mend(prepared, start.labels, self.bound, effort, goal=2 * worst)
        self.bound = max(self.bound, mended.bound)
        return [self.candidate(self.cut(mended.labels, MIDDLE, effort))]

    def lowered_exactly(self, candidates: Sequence[ColumnsResult], effort: Effort) -> list[ColumnsResult]:
        """Divide the surroundings of the worst cluster anew, in small tables in all candidates."""
        most = len(candidates) if self.prepared.size <= POLISH_ALL_UP_TO else 1
        result = list(candidates)
        for candidate in candidates[:most]:
            costs = midpoint_costs(self.columns, candidate.labels, self.combination)
            result.append(self.candidate(self.exact.lower(candidate.labels, costs, effort)))
        return best_first(result)

    def polished(
        self, candidates: Sequence[ColumnsResult], polisher: Polisher, effort: Effort
    ) -> list[ColumnsResult]:
        """Polish the best candidate; where the table is small all, or all that share its worst cost."""
        if self.prepared.size > VERY_MANY:
            self.prepared.forget_index()
        by_mean = self.objective == "mean"
        least = min(candidate.worst for candidate in candidates) * (1 + SAME_WITHIN)
        most = len(candidates) if self.prepared.size <= POLISH_ALL_UP_TO else 1
        result = list(candidates)
        best, rows = np.inf, float(self.prepared.needs.rows.sum())
        for candidate in [c for c in candidates if by_mean or c.worst <= least][:most]:
            cap = np.inf if by_mean else None if self.combination == "max" else 2 * candidate.worst
            polished = polisher.polish(candidate.labels, effort, cap, HOPELESS * best * rows)
            result.append(self.candidate(polished))
            best = min(best, result[-1].loss)
        return result


def search_columns(
    columns: Sequence[Column],
    demand: Enough,
    *,
    combination: Combination = "max",
    starts: Iterable[npt.NDArray[np.integer]] = (),
    polish: bool = True,
    effort: Effort = UNLIMITED,
    objective: ObjectiveName = "worst",
) -> ColumnsResult:
    """Return the best partition that was found: of the least loss, or of the least worst cost first.

    Parameters
    ----------
    columns
        The public columns, one cell of each for every tuple. A tuple with a missing cell stays alone.
    demand
        What every cluster must hold.
    combination
        How the distances of the columns make up that of a tuple.
    starts
        Partitions (labels) that are enough everywhere, such as other methods'; the result is not worse than
        any.
    polish
        Whether to bring the loss down once there are starts, or once the worst cost is settled.
    effort
        When to stop; what was best until then is returned.
    objective
        What is to be small.

    Raises
    ------
    UnreachableError
        The whole table is not enough, or a tuple with a missing cell is not enough by itself.
    """
    size = demand.size
    here = present(columns, size)
    if here.all():
        _require_enough(demand)
        search = ColumnsSearch(columns, demand, combination, objective=objective)
        del columns  # what nobody else holds is free: the search has the cells
        return search.run(starts, polish, effort)
    alone = np.flatnonzero(~here)
    if not demand.take(alone).are_enough(np.arange(len(alone)), len(alone)).all():
        raise UnreachableError(
            "a tuple with a missing cell stays alone, and one of them does not hold enough"
        )
    labels = np.empty(size, dtype=np.int64)
    labels[alone] = np.arange(len(alone))
    if not here.any():
        return ColumnsResult(labels, 0.0, 0.0, 0.0)
    inside = np.flatnonzero(here)
    part = demand.take(inside)
    _require_enough(part)
    kept = [compact(np.asarray(start)[inside]) for start in starts]
    search = ColumnsSearch(
        [cells_at(column, inside) for column in columns], part, combination, objective=objective
    )
    found = search.run(kept, polish, effort)
    labels[inside] = found.labels + len(alone)
    loss = found.loss * float(part.rows.sum() / demand.rows.sum())
    return ColumnsResult(compact(labels), found.worst, found.bound, loss)


def seen_alike(demand: Enough) -> Ints:
    """Return the tuples that are seen beside the same side values, as clusters, joined until all are enough.

    Nothing is gained by joining tuples of which no two are seen beside the same: apart they are enough, too.
    """
    count = np.searchsorted(demand.offsets, demand.value_code, side="right") - 1
    owner = np.repeat(np.arange(demand.size), np.diff(demand.value_ptr))
    pairs = different(owner * len(demand.wanted) + count)
    seen: dict[bytes, int] = {}
    starts = np.searchsorted(pairs // len(demand.wanted), np.arange(demand.size + 1))
    met = pairs % len(demand.wanted)
    labels = np.array(
        [seen.setdefault(met[begin:end].tobytes(), len(seen)) for begin, end in pairwise(starts.tolist())]
    )
    poor = ~demand.are_enough(labels, len(seen))
    if not poor.any():
        return compact(labels)
    # What is seen beside much joins first: it touches what the others are seen beside.
    widest = sorted(seen.items(), key=lambda one: (not poor[one[1]], -len(one[0]), one[1]))
    joined = poor[labels]
    for _, number in widest[int(poor.sum()) :]:
        if demand.is_enough(np.flatnonzero(joined)):
            break
        joined |= labels == number
    return compact(np.where(joined, len(seen), labels))


def present(columns: Sequence[Column], size: int) -> npt.NDArray[np.bool_]:
    """Tell of each tuple whether it has a cell in every column."""
    here = np.ones(size, dtype=np.bool_)
    for column in columns:
        cells = column.positions if isinstance(column, NumberCells) else column.codes
        if len(cells) != size:
            raise InputError("the public columns and the demand must be about the same tuples")
        here &= ~np.isnan(cells) if isinstance(column, NumberCells) else np.asarray(cells) >= 0
    return here


def _in_cells(columns: Sequence[Column], cells: Cells) -> list[Column]:
    """Return the columns with the positions that stand in the cells."""
    return [
        replace(column, positions=cells.place[:, place]) if isinstance(column, NumberCells) else column
        for place, column in enumerate(columns)
    ]


def cells_at(column: Column, inside: Places) -> Column:
    """Return the cells of some tuples of a column, in their order."""
    cells = column.positions if isinstance(column, NumberCells) else column.codes
    if len(inside) == len(cells):
        return column
    if isinstance(column, NumberCells):
        return replace(column, positions=column.positions[inside])
    return replace(column, codes=np.asarray(column.codes)[inside])


def _require_enough(demand: Enough) -> None:
    if not demand.are_enough(np.zeros(demand.size, dtype=np.int64), 1)[0]:
        raise UnreachableError("all tuples together do not hold enough")
