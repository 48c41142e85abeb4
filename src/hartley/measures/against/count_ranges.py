"""Between which numbers a count can lie, given other counts: exactly, by integer programming.

Unknown counts are whole numbers from 0 on; each published one is a sum of some of them and lies between two
numbers. First the ends that follow from one sum at a time are tightened until nothing moves. They hold for
every solution, and any solution that reaches one shows that it is exact: solutions are asked for that reach
many ends at once. What is still open is decided by HiGHS, one count at a time, within the counts that hang
together with it. Of margins in two directions the linear program has whole numbers by itself; of three it
need not, and where time runs out the ends that still hold are said to be bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import process_time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import bmat, csr_matrix
from scipy.sparse.csgraph import connected_components

from hartley.errors import InputError
from hartley.model.arrays import Flags, Floats, Int64s, different

ROUNDS = 1000
"""Rounds of tightening at most; each one is sound by itself."""
SECONDS = 20.0
"""CPU seconds after which ends that no solution has reached stay bounds."""
REFUSED_IN_A_ROW = 300
"""After so many ends that do not fit beside those chosen, the rest is left for the next solution."""
NEARLY_WHOLE = 1e-6
TIME_RAN_OUT = 1
"""The status of an answer of ``milp``."""


@dataclass(frozen=True, eq=False)
class CountSystem:
    """Sums of unknown counts, and between which numbers each sum lies.

    >>> row = csr_matrix(np.array([[1, 1, 0], [0, 1, 1]]))
    >>> low, high, exact = CountSystem(row, np.array([3.0, 1.0]), np.array([3.0, 1.0])).ranges()
    >>> low.tolist(), high.tolist(), exact.all()
    ([2, 0, 0], [3.0, 1.0, 1.0], np.True_)
    """

    sums: csr_matrix
    """One row for each published count, one column for each unknown one, 1 where it is summed."""
    low: Floats
    high: Floats

    def ranges(self, seconds: float = SECONDS) -> tuple[Int64s, Floats, Flags]:
        """Return the least and the greatest number that each count can be, and where they are exact."""
        low, high = self._tightened()
        exact = np.ones(len(low), dtype=bool)
        if bool(((low < high) & np.isfinite(high)).any()):
            self._settle(low, high, exact, process_time() + seconds)
        elif not self._is_solution(low):
            _LinkedCounts(self.sums, self.low, self.high, low, high).solve(np.zeros(len(low)))
        return low.astype(np.int64), high, exact

    def sum_range(
        self, members: Int64s, low: Floats, high: Floats, seconds: float = SECONDS
    ) -> tuple[int, float, bool]:
        """Return the least and the greatest number that a sum of counts can be, and whether they are exact.

        A count without an upper end is in no sum that has one, so that a sum with it has none either.
        """
        chosen = np.zeros(len(low))
        chosen[members] = 1.0
        free = np.flatnonzero(low < high)
        fixed = float(low[members].sum() - low[free] @ chosen[free])
        if not len(free):
            return round(fixed), fixed, True
        rest = self.sums @ np.where(low < high, 0, low)
        ends = low[free], high[free]
        until = process_time() + seconds
        part = _LinkedCounts(self.sums[:, free], self.low - rest, self.high - rest, *ends, until)
        bounded = bool(np.isfinite(high[members]).all())
        found = [part.solve(sign * chosen[free]) for sign in ((1, -1) if bounded else (1,))]
        sums = [
            fixed + float(one @ chosen[free]) if one is not None else float(end[members].sum())
            for one, end in zip(found, (low, high), strict=False)
        ]
        return round(sums[0]), sums[1] if bounded else inf, all(one is not None for one in found)

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

    def _settle(self, low: Floats, high: Floats, exact: Flags, until: float) -> None:
        """Decide the ends of every count that is not fixed, part by part."""
        free = np.flatnonzero(low < high)
        known = np.where(low < high, 0, low)
        rest = self.sums @ known
        matrix = self.sums[:, free]
        links = bmat([[None, matrix.T], [matrix, None]])  # of counts and sums: few beside those of counts
        part_of = connected_components(links, directed=False)[1][: len(free)]
        parts = int(part_of.max(initial=-1)) + 1
        order = np.argsort(part_of, kind="stable")
        starts = np.searchsorted(part_of[order], np.arange(parts + 1))
        columns = matrix.tocsc()
        touched = np.zeros(self.sums.shape[0], dtype=bool)
        for part in range(parts):
            members = order[starts[part] : starts[part + 1]]
            rows = different(columns[:, members].indices)
            touched[rows] = True
            block = columns[:, members].tocsr()[rows]
            problem = _LinkedCounts(
                block,
                self.low[rows] - rest[rows],
                self.high[rows] - rest[rows],
                low[free[members]],
                high[free[members]],
                until,
            )
            low[free[members]], high[free[members]], exact[free[members]] = problem.settled()
        untouched = ~touched
        if bool(((rest < self.low) | (rest > self.high))[untouched].any()):
            raise _impossible()

    def _is_solution(self, counts: Floats) -> bool:
        total = self.sums @ counts
        return bool(((total >= self.low) & (total <= self.high)).all())


class _LinkedCounts:
    """Counts that hang together, with ends that hold and may not be reached."""

    def __init__(
        self, sums: csr_matrix, low: Floats, high: Floats, least: Floats, most: Floats, until: float = inf
    ) -> None:
        several = np.flatnonzero(np.diff(sums.indptr) > 1)  # a sum of one count is in its ends already
        self.sums, self.low, self.high = sums[several].tocsc(), low[several], high[several]
        self.least, self.most, self.until = least.copy(), most.copy(), until
        self.seen_least, self.seen_most = np.full(len(least), np.inf), np.full(len(least), -np.inf)

    def settled(self) -> tuple[Floats, Floats, Flags]:
        """Return the ends of every count, and whether both are exact: so they are unless time ran out."""
        self.solve(np.ones(len(self.least)))
        for sign in (1, -1):
            tried = np.zeros(len(self.least), dtype=bool)
            while len(together := self._reachable_together(sign, ~tried)) and process_time() < self.until:
                weights = np.zeros(len(self.least))
                weights[together] = sign
                self.solve(weights)
                tried[together] = True
            for place in np.flatnonzero(self._is_open(sign)):
                if process_time() >= self.until:
                    break
                self._settle(int(place), sign)
        return self.least, self.most, ~(self._is_open(1) | self._is_open(-1)) | ~np.isfinite(self.most)

    def _is_open(self, sign: int) -> Flags:
        """Return which counts have a lower (1) or upper (-1) end that no solution was seen to reach."""
        if sign > 0:
            return self.seen_least > self.least
        return (self.seen_most < self.most) & np.isfinite(self.most)

    def _reachable_together(self, sign: int, untried: Flags) -> Int64s:
        """Choose open ends that no single sum forbids at once: one solution may reach all of them."""
        bounded = np.where(np.isfinite(self.most), self.most, self.least)
        if sign > 0:
            room = self.sums @ bounded - self.low
            room[self.sums @ (~np.isfinite(self.most)).astype(float) > 0] = np.inf
        else:
            room = self.high - self.sums @ self.least
        width = bounded - self.least
        open_ends = np.flatnonzero(self._is_open(sign) & untried)
        columns = self.sums
        chosen, refused = [], 0
        for place in open_ends[np.argsort(-width[open_ends], kind="stable")].tolist():
            rows = columns.indices[columns.indptr[place] : columns.indptr[place + 1]]
            if (room[rows] >= width[place]).all():
                room[rows] -= width[place]
                chosen.append(place)
                refused = 0
            elif (refused := refused + 1) > REFUSED_IN_A_ROW:
                break
        return np.array(chosen, dtype=np.int64)

    def _settle(self, place: int, sign: int) -> None:
        """Decide one end by itself."""
        if not self._is_open(sign)[place]:
            return
        weights = np.zeros(len(self.least))
        weights[place] = sign
        found = self.solve(weights)
        if found is not None and sign > 0:
            self.least[place] = found[place]
        elif found is not None:
            self.most[place] = found[place]

    def solve(self, weights: Floats) -> Floats | None:
        """Return counts of the least weight, ``None`` if time ran out; raise where there are none."""
        found = self._solved(weights, whole=False)
        if found is None or np.abs(found - np.round(found)).max(initial=0) > NEARLY_WHOLE:
            found = self._solved(weights, whole=True)
        if found is None:
            return None
        found = np.round(found)
        self.seen_least = np.minimum(self.seen_least, found)
        self.seen_most = np.maximum(self.seen_most, found)
        return found

    def _solved(self, weights: Floats, *, whole: bool) -> Floats | None:
        answer = milp(
            weights,
            constraints=LinearConstraint(self.sums, self.low, self.high),
            integrality=np.full(len(weights), int(whole)),
            bounds=Bounds(self.least, self.most),
            options={
                "mip_rel_gap": 0.0,
                "presolve": whole,
                "time_limit": max(0.1, min(self.until - process_time(), 1e9)),
            },
        )
        if answer.status == TIME_RAN_OUT:
            return None
        if answer.x is None and whole:
            raise _impossible()
        found: Floats | None = answer.x
        return found


def _impossible() -> InputError:
    return InputError(
        "no counts fit what was published: the numbers contradict each other; were they rounded?"
    )
