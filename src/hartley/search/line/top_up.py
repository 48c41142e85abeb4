"""Intervals with some values withheld, topped up until what is withheld is enough itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hartley.hot_loops import repeated
from hartley.model.arrays import Places, different
from hartley.search.effort import Effort
from hartley.search.line.borders import Borders
from hartley.search.line.intervals import centroid_intervals_within, intervals_within
from hartley.search.line.loops import NEVER
from hartley.search.line.ordered_values import OrderedValues

MOST_CAREFUL = 2_000
"""On lines up to this length each value is tried beside the rest; on longer ones, only a few."""
FEW_TRIES = 4
FEW_VALUES = 60
"""On lines up to this length every value is tried to be forced in."""
CHEAPEST = 12
"""On longer ones, for each code that is absent, so many values of fewest rows that hold it."""
MOST_WORK = 2_000_000
"""Values times tries for one value that is forced in."""


@dataclass(frozen=True, eq=False)
class Kept:
    """The interval of each rank, -1 where it is withheld, and the rows withheld."""

    cluster_of: Places
    rows: int


@dataclass(frozen=True, eq=False)
class TopUp:
    """Tries to keep to a cost and a budget with what is withheld being enough."""

    values: OrderedValues
    borders: Borders
    is_enough: Callable[[Places], bool]
    effort: Effort

    def solved(self, cost: float, forced: Places) -> Kept | None:
        """Return the fewest rows to withhold at a cost, some values forced in; ``None`` if it cannot be."""
        size = self.values.size
        if not len(forced):
            keep, values, borders = np.arange(size), self.values, self.borders
        else:
            keep = np.setdiff1d(np.arange(size), forced)
            values, borders = self._without(keep)
        cluster_of = np.full(size, -1, dtype=np.int64)
        rows = self.values.enough.rows
        if len(keep):
            within = values.ticks_within(cost)
            if values.cost_name == "centroid":
                found = centroid_intervals_within(values, borders, within, values.enough.rows)
                if found[0] >= NEVER:
                    return None
                cluster_of[keep] = found[1:]
            else:
                cluster_of[keep] = intervals_within(values, borders, within, values.enough.rows)
        return Kept(cluster_of, int(rows[cluster_of < 0].sum()))

    def _without(self, keep: Places) -> tuple[OrderedValues, Borders]:
        """Return the line without some values; a border beside one of them lies between its neighbours."""
        values, borders = self.values, self.borders
        passed = np.concatenate(([0], np.cumsum(borders.allowed[1:-1]))) if values.size else np.zeros(1)
        allowed = np.ones(len(keep) + 1, dtype=bool)
        allowed[1:-1] = passed[keep[1:]] > passed[keep[:-1]]
        return values.keeping(keep), Borders(allowed, borders.low[keep], borders.high[keep], borders.name)

    def cost_of(self, kept: Kept) -> float:
        """Return what the worst interval that is kept costs."""
        values = self.values
        inside = kept.cluster_of >= 0
        if not inside.any():
            return 0.0
        labels = np.zeros(values.whole.size, dtype=np.int64)
        labels[values.order] = kept.cluster_of
        exempt = np.concatenate((values.order[~inside], values.alone))
        return values.cost_of_labels(labels, exempt)

    def within(self, cost: float, budget: int) -> Kept | None:
        """Return a way to keep to a cost and a budget; ``None`` where none is found."""
        first = self.solved(cost, np.zeros(0, dtype=np.int64))
        if first is None or first.rows > budget:
            return None
        if self.is_enough(np.flatnonzero(first.cluster_of < 0)):
            return first
        forced: list[int] = []
        kept = first
        while kept.rows <= budget:
            withheld = np.flatnonzero(kept.cluster_of < 0)
            if self.is_enough(withheld):
                return kept
            if self.effort.should_stop():
                break
            best = self._forced_in(cost, budget, kept, forced)
            if best is None:
                break
            forced.append(best[0])
            kept = best[1]
        return self._with_a_cluster(first, budget)

    def _lack(self, withheld: Places) -> int:
        """Return how much what is withheld lacks to be enough, all counts together."""
        whole = self.values.whole
        held = whole.counts_of(np.concatenate((self.values.order[withheld], self.values.alone)))
        return int(np.maximum(whole.least - held, 0).sum())

    def _forced_in(self, cost: float, budget: int, kept: Kept, forced: list[int]) -> tuple[int, Kept] | None:
        """Return the value that brings most for each extra row when withheld too, and what is kept then."""
        withheld = np.flatnonzero(kept.cluster_of < 0)
        lack = self._lack(withheld)
        best: tuple[tuple[float, int, int], int, Kept] | None = None
        pool = self._pool(withheld, budget - kept.rows)
        for rank in pool:
            with repeated(len(pool)):
                found = self.solved(cost, np.array([*forced, rank], dtype=np.int64))
            if found is None or found.rows > budget:
                continue
            gain = lack - self._lack(np.flatnonzero(found.cluster_of < 0))
            extra = max(found.rows - kept.rows, 0)
            key = (-gain / (extra + 1e-9), extra, rank)
            if gain > 0 and (best is None or key < best[0]):
                best = key, rank, found
            if self.effort.should_stop():
                break
        return None if best is None else (best[1], best[2])

    def _pool(self, withheld: Places, rows_left: int) -> list[int]:
        """Return the values worth a try: those that hold something new and fit into the budget."""
        enough = self.values.enough
        have = np.zeros(max(enough.width, 1), dtype=bool)
        for place in self.values.alone:
            whole = self.values.whole
            have[whole.value_code[whole.value_ptr[place] : whole.value_ptr[place + 1]]] = True
        rank_of = np.repeat(np.arange(enough.size), np.diff(enough.value_ptr))
        is_withheld = np.zeros(enough.size, dtype=bool)
        is_withheld[withheld] = True
        have[enough.value_code[is_withheld[rank_of]]] = True
        is_new = ~have[enough.value_code] & ~is_withheld[rank_of] & (enough.rows[rank_of] <= rows_left)
        ranks, codes = rank_of[is_new], enough.value_code[is_new]
        if enough.row_k > 0 and not len(ranks):
            ranks = np.flatnonzero(~is_withheld & (enough.rows <= rows_left))
            codes = np.zeros(len(ranks), dtype=np.int64)
        if enough.size > FEW_VALUES:
            order = np.lexsort((ranks, enough.rows[ranks], codes))
            starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
            turn = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
            ranks = ranks[order[turn < CHEAPEST]]
        found = different(ranks)
        tries = MOST_WORK // enough.size if enough.size <= MOST_CAREFUL else FEW_TRIES
        if len(found) > tries:
            new_codes = np.bincount(rank_of[is_new], minlength=enough.size)[found]
            found = found[np.lexsort((found, enough.rows[found] / np.maximum(new_codes, 1)))[:tries]]
        return [int(rank) for rank in found]

    def _with_a_cluster(self, kept: Kept, budget: int) -> Kept | None:
        """Withhold the whole cluster of fewest rows as well, which is enough by itself."""
        inside = kept.cluster_of >= 0
        if not inside.any():
            return None
        rows = self.values.enough.rows
        per_cluster = np.bincount(kept.cluster_of[inside], weights=rows[inside]).astype(np.int64)
        per_cluster[per_cluster == 0] = NEVER
        cheapest = int(per_cluster.argmin())
        if kept.rows + int(per_cluster[cheapest]) > budget:
            return None
        cluster_of = np.where(kept.cluster_of == cheapest, -1, kept.cluster_of)
        if not self.is_enough(np.flatnonzero(cluster_of < 0)):
            return None
        return Kept(cluster_of, int(rows[cluster_of < 0].sum()))
