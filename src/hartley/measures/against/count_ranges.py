"""Between which numbers a count can lie, given other counts: exactly, by integer programming.

Unknown counts are whole numbers from 0 on; each published one is a sum of some of them and lies between two
numbers. First
the ends that follow from one sum at a time are tightened until nothing moves. They hold for every solution,
and any
solution that reaches one shows that it is exact. What is still open is decided by HiGHS, one count at a
time, within the
counts that hang together with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from hartley.errors import UnreachableError
from hartley.model.arrays import Floats, Int64s

ROUNDS = 1000
"""Rounds of tightening at most; each one is sound by itself."""


@dataclass(frozen=True, eq=False)
class CountSystem:
    """Sums of unknown counts, and between which numbers each sum lies.

    >>> row = csr_matrix(np.array([[1, 1, 0], [0, 1, 1]]))
    >>> low, high = CountSystem(row, np.array([3.0, 1.0]), np.array([3.0, 1.0])).ranges()
    >>> low.tolist(), high.tolist()
    ([2, 0, 0], [3.0, 1.0, 1.0])
    """

    sums: csr_matrix
    """One row for each published count, one column for each unknown one, 1 where it is summed."""
    low: Floats
    high: Floats

    def ranges(self) -> tuple[Int64s, Floats]:
        """Return the least and the greatest number that each unknown count can be."""
        low, high = self._tightened()
        open_high = ~np.isfinite(high)
        unsettled = np.flatnonzero((low < high) & ~open_high)
        if len(unsettled):
            self._settle(low, high)
        elif not self._is_solution(low):
            self._require_solution(low, high)
        return low.astype(np.int64), high

    def sum_range(self, members: Int64s, low: Floats, high: Floats) -> tuple[int, float]:
        """Return the least and the greatest number that a sum of unknown counts can be, given their ranges.

        A count without an upper end is in no sum that has one, so that a sum with it has none either.
        """
        chosen = np.zeros(len(low))
        chosen[members] = 1.0
        free = np.flatnonzero(low < high)
        fixed = float(low[members].sum() - low[free] @ chosen[free])
        if not len(free):
            return round(fixed), fixed
        rest = self.sums @ np.where(low < high, 0, low)
        part = _LinkedCounts(self.sums[:, free], self.low - rest, self.high - rest, low[free], high[free])
        least = float(part.solve(chosen[free]) @ chosen[free])
        if not np.isfinite(high[members]).all():
            return round(fixed + least), np.inf
        return round(fixed + least), fixed + float(part.solve(-chosen[free]) @ chosen[free])

    def _tightened(self) -> tuple[Floats, Floats]:
        """Return ends that follow from each sum by itself, over and over."""
        matrix, sums = self.sums, self.sums.shape[0]
        low, high = np.zeros(matrix.shape[1]), np.full(matrix.shape[1], np.inf)
        entry_row = np.repeat(np.arange(sums), np.diff(matrix.indptr))
        entry = matrix.indices
        for _ in range(ROUNDS):
            least = np.bincount(entry_row, weights=low[entry], minlength=sums)
            is_open = ~np.isfinite(high[entry])
            opens = np.bincount(entry_row, weights=is_open, minlength=sums)
            most = np.bincount(entry_row, weights=np.where(is_open, 0, high[entry]), minlength=sums)
            if bool((least > self.high).any()) or bool(((most < self.low) & (opens == 0)).any()):
                raise _impossible()
            up = self.high[entry_row] - (least[entry_row] - low[entry])
            others_open = opens[entry_row] - is_open
            down = self.low[entry_row] - (most[entry_row] - np.where(is_open, 0, high[entry]))
            down = np.where(others_open > 0, -np.inf, down)
            new_low, new_high = low.copy(), high.copy()
            np.minimum.at(new_high, entry, up)
            np.maximum.at(new_low, entry, down)
            if bool((new_low > new_high).any()):
                raise _impossible()
            if np.array_equal(new_low, low) and np.array_equal(new_high, high):
                break
            low, high = new_low, new_high
        return low, high

    def _settle(self, low: Floats, high: Floats) -> None:
        """Decide the ends of every count that is not fixed, part by part."""
        free = np.flatnonzero(low < high)
        known = np.where(low < high, 0, low)
        rest = self.sums @ known
        matrix = self.sums[:, free]
        links = matrix.T @ matrix
        parts, part_of = connected_components(links, directed=False)
        order = np.argsort(part_of, kind="stable")
        starts = np.searchsorted(part_of[order], np.arange(parts + 1))
        columns = matrix.tocsc()
        touched = np.zeros(self.sums.shape[0], dtype=bool)
        for part in range(parts):
            members = order[starts[part] : starts[part + 1]]
            rows = np.unique(columns[:, members].indices)
            touched[rows] = True
            block = columns[:, members].tocsr()[rows]
            problem = _LinkedCounts(
                block,
                self.low[rows] - rest[rows],
                self.high[rows] - rest[rows],
                low[free[members]],
                high[free[members]],
            )
            low[free[members]], high[free[members]] = problem.settled()
        untouched = ~touched
        if bool(((rest < self.low) | (rest > self.high))[untouched].any()):
            raise _impossible()

    def _is_solution(self, counts: Floats) -> bool:
        total = self.sums @ counts
        return bool(((total >= self.low) & (total <= self.high)).all())

    def _require_solution(self, low: Floats, high: Floats) -> None:
        _LinkedCounts(self.sums, self.low, self.high, low, high).solve(np.zeros(len(low)))


class _LinkedCounts:
    """Counts that hang together, with ends that hold and may not be reached."""

    def __init__(self, sums: csr_matrix, low: Floats, high: Floats, least: Floats, most: Floats) -> None:
        self.constraint = LinearConstraint(sums, low, high)
        self.least, self.most = least.copy(), most.copy()
        self.seen_least, self.seen_most = np.full(len(least), np.inf), np.full(len(least), -np.inf)

    def settled(self) -> tuple[Floats, Floats]:
        """Return the exact ends of every count."""
        ones = np.ones(len(self.least))
        for weights in (ones, -ones):
            # Bounded parts only: an open count has no greatest sum.
            self.solve(np.where(np.isfinite(self.most), weights, np.abs(weights)))
        for place in range(len(self.least)):
            self._settle(place, 1)
            if np.isfinite(self.most[place]):
                self._settle(place, -1)
        return self.least, self.most

    def _settle(self, place: int, sign: int) -> None:
        reached = (
            self.seen_least[place] <= self.least[place]
            if sign > 0
            else self.seen_most[place] >= self.most[place]
        )
        if reached:
            return
        # The neighbours that are not settled go the same way: one solution may settle several.
        open_low = self.seen_least > self.least
        open_high = self.seen_most < self.most
        small = 1 / (4.0 * max(len(self.least), 1) * max(1.0, self._widest()))
        weights = np.where(open_low & ~open_high, small, np.where(open_high & ~open_low, -small, 0.0))
        weights[~np.isfinite(self.most)] = 0.0
        weights[place] = sign
        found = self.solve(weights)
        if sign > 0:
            self.least[place] = found[place]
        else:
            self.most[place] = found[place]

    def _widest(self) -> float:
        width = (self.most - self.least)[np.isfinite(self.most)]
        return float(width.max(initial=1.0))

    def solve(self, weights: Floats) -> Floats:
        """Return counts of the least weight; raise where there are none."""
        answer = milp(
            weights,
            constraints=self.constraint,
            integrality=np.ones(len(weights)),
            bounds=Bounds(self.least, self.most),
            options={"mip_rel_gap": 0.0},
        )
        if answer.x is None:
            raise _impossible()
        found: Floats = np.round(answer.x)
        self.seen_least = np.minimum(self.seen_least, found)
        self.seen_most = np.maximum(self.seen_most, found)
        return found


def _impossible() -> UnreachableError:
    return UnreachableError(
        "no counts fit what was published: the numbers contradict each other; were they rounded?"
    )
