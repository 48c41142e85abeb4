"""Codebooks of columns by a path of levels, safe against a reader who knows how the path was walked.

A level is a partition of the public tuples by bands of each column; the next one has one more split of one
column, in every class that it parts. It is chosen from public values and the multisets of the classes so far.
Then it is tried: if all its cells hold what is wanted the path goes on from there, if not the level before it
is published. Classes of which some cell can lack something decide whether it may be tried (Theorem T4): with
none it cannot fail, with two or more everybody has another class that may have been the reason, with one the
test of a cut in that class decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Flags, Int32s, Int64s
from hartley.model.partition import numbered_by_first
from hartley.search.codebooks import PublicColumn
from hartley.search.codebooks.problem import band_widths
from hartley.search.trees.loops.layout import STRICT, NodePaper, Wants
from hartley.search.trees.loops.levels import all_hold, chance_of_level, largest_lacking, may_fail
from hartley.search.trees.requirements import TreeDemand
from hartley.search.trees.tree import TreeProblem, new_paper

CAUTION = 4
"""The power of a level's chance by which its gain is weighed: a failure ends the path."""


@dataclass(frozen=True)
class Split:
    """Values of a column from ``first`` up to ``end`` against the others."""

    column: int
    first: int
    end: int


@dataclass(frozen=True, eq=False)
class LevelPath:
    """The levels that held, the one that failed, and the bands of each column."""

    splits: tuple[Split, ...]
    failed: Split | None
    labels: tuple[Int32s, ...]
    """The band of each value of each column."""
    classes: Int64s
    """The class of each public tuple."""


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of a level: their rows, and their multisets one after another."""

    of_tuple: Int64s
    rows: Int64s
    starts: Int64s
    value: Int64s
    amount: Int64s


def walk_levels(columns: Sequence[PublicColumn], problem: TreeProblem, demand: TreeDemand) -> LevelPath:
    """Walk from everything merged to the first level that fails, or to the last that may be tried."""
    return _Walk(columns, problem, demand).walk()


class _Walk:
    """A path of levels as it is walked."""

    def __init__(self, columns: Sequence[PublicColumn], problem: TreeProblem, demand: TreeDemand) -> None:
        self.columns, self.problem, self.demand = columns, problem, demand
        self.tuples = problem.laid_out(np.arange(problem.tuples))
        totals = np.bincount(problem.code, weights=problem.count, minlength=problem.values)
        self.totals = totals.astype(np.float64)
        self.wants: Wants = demand.wants(self.totals)
        self.paper: NodePaper = new_paper(self.wants, problem.values, int(self.totals.sum()))
        self.tuple_of_entry = np.repeat(np.arange(problem.tuples), np.diff(problem.ptr))
        self.steps = 64 * len(problem.code)
        self.labels = [
            np.arange(column.size, dtype=np.int32) if column.keep else np.zeros(column.size, dtype=np.int32)
            for column in columns
        ]
        self.open = [
            [Split(j, first, end) for first, end in column.splits] for j, column in enumerate(columns)
        ]
        self.value_rows = [
            np.bincount(column.codes, weights=self.tuples.rows, minlength=column.size) for column in columns
        ]

    def walk(self) -> LevelPath:
        kept = [column.codes for column in self.columns if column.keep]
        first = np.zeros(self.problem.tuples, dtype=np.int64)
        if kept:
            first = np.unique(np.column_stack(kept), axis=0, return_inverse=True)[1].reshape(-1)
        now = self._classes(first)
        if not self._hold(now):
            raise self.demand.lacking(self.totals, is_whole=not kept)
        held: list[Split] = []
        while True:
            split = self._best(now)
            if split is None:
                return LevelPath(tuple(held), None, tuple(self.labels), now.of_tuple)
            finer = self._classes(2 * now.of_tuple + self._is_left(split))
            if not self._hold(finer):
                return LevelPath(tuple(held), split, tuple(self.labels), now.of_tuple)
            held.append(split)
            self.labels[split.column] = self._split_labels(split)
            now = finer

    def _classes(self, of_tuple: Int64s) -> _Classes:
        found, numbers = np.unique(of_tuple, return_inverse=True)
        numbers = numbers.astype(np.int64)
        pairs = numbers[self.tuple_of_entry] * self.problem.values + self.problem.code
        keys, places = np.unique(pairs, return_inverse=True)
        amount = np.bincount(places, weights=self.problem.count).astype(np.int64)
        starts = np.searchsorted(keys, np.arange(len(found) + 1) * self.problem.values).astype(np.int64)
        rows = np.bincount(numbers, weights=self.tuples.rows).astype(np.int64)
        return _Classes(numbers, rows, starts, keys % self.problem.values, amount)

    def _hold(self, now: _Classes) -> bool:
        hold = all_hold.for_size(self.steps)
        return bool(hold(self.wants, self.paper, now.starts, now.value, now.amount))

    def _is_left(self, split: Split) -> Flags:
        codes = self.columns[split.column].codes
        return np.asarray((codes >= split.first) & (codes < split.end))

    def _split_labels(self, split: Split) -> Int32s:
        """Return the bands of a column after a split, numbered in the order of their first values."""
        places = np.arange(len(self.labels[split.column]))
        is_left = (places >= split.first) & (places < split.end)
        return numbered_by_first(2 * self.labels[split.column] + is_left).astype(np.int32)

    def _best(self, now: _Classes) -> Split | None:
        """Return the level that is tried next, told from public values and the multisets of classes."""
        tops = np.zeros(len(now.rows), dtype=np.int64)
        loop = largest_lacking.for_size(self.steps)
        loop(self.wants, self.paper, now.starts, now.value, now.amount, tops)
        best, most = None, 0.0
        for j, column in enumerate(self.columns):
            if column.has_missing and len(column.values) and int(self.labels[j].max()) == 0:
                # A missing cell is merged with others only where everything is.
                splits = [one for one in self.open[j] if one.first == len(column.values)]
            else:
                splits = list(self.open[j])
            widths = self._widths(j, self.labels[j])
            for split in splits:
                gain = widths - self._widths(j, self._split_labels(split))
                if gain <= most:
                    continue
                chance = self._chance(split, now, tops)
                if gain * chance**CAUTION > most:
                    best, most = split, gain * chance**CAUTION
        return best

    def _widths(self, j: int, labels: Int32s) -> float:
        """Return the sum over rows of the widths of a column's bands, by its weight."""
        column = self.columns[j]
        return float(band_widths(column, labels)[labels] @ self.value_rows[j]) * column.weight

    def _chance(self, split: Split, now: _Classes, tops: Int64s) -> float:
        """Return about the chance that a level holds; 0 where it may not be tried."""
        is_left = self._is_left(split)
        left = np.bincount(now.of_tuple, weights=self.tuples.rows * is_left, minlength=len(now.rows))
        left = left.astype(np.int64)
        less = np.minimum(left, now.rows - left)
        is_parted = (left > 0) & (left < now.rows)
        if not is_parted.any() or int(less[is_parted].min()) < self.wants.least:
            # Cells only shrink, so this will not be tried later, either.
            self.open[split.column].remove(split)
            return 0.0
        lacking = np.flatnonzero(is_parted & (less <= tops))
        if not len(lacking):
            return 1.0
        if self.wants.trials == STRICT:
            return 0.0
        if len(lacking) == 1:
            one = int(lacking[0])
            begin, end, mine = int(now.starts[one]), int(now.starts[one + 1]), int(left[one])
            ask = may_fail.for_size(end - begin)
            if not ask(
                self.wants, self.paper, now.value, now.amount, begin, end, mine, int(now.rows[one]) - mine
            ):
                return 0.0
        chance = chance_of_level.for_size(self.steps)
        return float(
            chance(self.wants, self.paper, now.starts, now.value, now.amount, lacking, now.rows, left)
        )
