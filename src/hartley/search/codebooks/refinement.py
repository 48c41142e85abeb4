"""Variable bands: codebooks grown from several starts by splits, then by rounds of merging and growing anew.

A start is grown until no split is left that is allowed (one refused stays refused, Theorem B3) and lowers
the loss; then every column on a line gets
its best bands given the others, and so on until nothing falls. Each round merges a few bands of the best
codebooks in up to three columns and grows them with other weights. The seed and the number of rounds are
fixed, so the result depends on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hartley.errors import UnreachableError
from hartley.model.arrays import Floats, Int32s
from hartley.search.codebooks.column import PublicColumn
from hartley.search.codebooks.line_program import LineProgram
from hartley.search.codebooks.problem import CodebookProblem, box_width
from hartley.search.codebooks.workbench import Settled, Workbench
from hartley.search.effort import UNLIMITED, Effort

WORTH_A_PROGRAM = 1.1
"""Grown codebooks within this factor of the best loss get the best bands of their columns."""
HARDLY_WIDER = 1.003
"""Rounder borders may raise the loss and the mean width of the boxes by this factor."""
OTHERS_FIRST = 1e-3
"""By how much the falls of merged columns count less where the other columns are to grow first."""


@dataclass(frozen=True, eq=False)
class Refined:
    """Codebooks that were found, and what is known of them."""

    labels: tuple[Int32s, ...]
    settled: Settled
    is_maximal: bool
    """Whether no candidate split can be added that is allowed and lowers the loss."""
    is_column_wise_optimal: bool | None
    """Whether no column on a line has better bands, given the others; ``None`` where that was not decided."""
    rounds: int


class Refinement:
    """A search for variable bands; see the module's text."""

    def __init__(
        self,
        problem: CodebookProblem,
        *,
        budget: int,
        objective: str = "mean",
        effort: Effort = UNLIMITED,
        most_visits: float = float("inf"),
    ) -> None:
        self.problem = problem
        self.budget = budget
        self.objective = objective
        self.effort = effort
        self.most_visits = most_visits
        self._bench = Workbench(problem, budget=budget)
        self._plain = Workbench(problem, budget=0) if budget else None
        self._program = LineProgram(problem)
        self._best: tuple[list[Int32s], Settled] | None = None

    def run(self, starts: Sequence[Sequence[Int32s]], rounds: int) -> Refined:
        """Return the best codebooks that were found from these starts.

        Raises UnreachableError where none is feasible.
        """
        for start in starts:
            self._bench.load(start)
            self._keep(self._bench)
            if self._best is None or not self._is_over():
                self._grow(self._bench)
        if self._plain is not None and not self._is_over():
            # With nothing withheld first: what is grown then needs no budget for its coarse part.
            self._plain.load(self.problem.coarsest())
            self._grow(self._plain)
            self._bench.load(self._plain.labels())
            self._grow(self._bench)
        done = self._perturb(rounds)
        if self._best is None:
            raise UnreachableError("no codebooks were found that meet the requirements")
        if self.effort.should_stop():
            return Refined(tuple(self._best[0]), self._best[1], False, None, done)
        self._best = self._polished(self._best)
        labels, settled = self._rounded(*self._best)
        return Refined(tuple(labels), settled, self._is_maximal(labels), self._is_optimal(labels), done)

    def _is_over(self) -> bool:
        plain = self._plain.visits if self._plain is not None else 0
        visits = self._bench.visits + plain + self._program.visits
        return visits > self.most_visits or self.effort.should_stop()

    def _keep(self, bench: Workbench) -> None:
        """Keep the codebooks under work if they are the best so far."""
        settled = bench.settle()
        known = None if self._best is None else self._best[1]
        if settled.is_feasible and settled.is_better(known, self.objective):
            self._best = (bench.labels(), settled)

    def _grow(self, bench: Workbench, factor: Floats | None = None) -> None:
        bench.grow(factor, self.effort)
        self._keep(bench)
        if self._best is None or bench.loss < self._best[1].loss * WORTH_A_PROGRAM:
            self._improve_lines(bench)
            self._keep(bench)

    def _improve_lines(self, bench: Workbench) -> None:
        """Set the best bands of every column on a line in turn and grow, until nothing falls."""
        before = bench.settle()
        labels = bench.labels()
        while not self._is_over():
            for number in range(len(self.problem.columns)):
                if not self._is_over():
                    self._improve_line(bench, number)
            bench.grow(None, self.effort)
            after = bench.settle()
            if not after.is_better(before, self.objective):
                break
            before, labels = after, bench.labels()
        bench.load(labels)

    def _improve_line(self, bench: Workbench, number: int) -> bool:
        """Set the best bands of a column if that is better; return whether it was."""
        labels, before = bench.labels(), bench.settle()
        bands = self._program.best_bands(number, labels, bench.terms.budget)
        if bands is None or np.array_equal(bands, labels[number]):
            return False
        bench.load([*labels[:number], bands, *labels[number + 1 :]])
        if bench.settle().is_better(before, self.objective):
            return True
        bench.load(labels)
        return False

    def _perturb(self, rounds: int) -> int:
        """Merge bands of the best codebooks and grow them anew, so many times; return how often."""
        random = np.random.default_rng(self.effort.seed)
        columns = len(self.problem.columns)
        for done in range(rounds):
            if self._best is None or self._is_over():
                return done
            factor = np.exp(random.normal(0.0, 1.0, columns))
            chosen = random.permutation(columns)[: 1 + random.integers(0, min(3, columns))]
            if random.random() < 0.5:
                factor[chosen] *= OTHERS_FIRST
            labels = [label.copy() for label in self._best[0]]
            for number in chosen:
                labels[number] = _coarser(self.problem.columns[number], labels[number], random)
            self._bench.load(labels)
            self._grow(self._bench, factor)
            self.effort.progress(done + 1, rounds, "rounds")
        return rounds

    def _rounded(self, labels: list[Int32s], settled: Settled) -> tuple[list[Int32s], Settled]:
        """Move borders that nobody asked for to rounder ones beside them, where that costs hardly more."""
        if self.objective == "worst":
            return labels, settled
        factor = HARDLY_WIDER if self.budget else 1.0
        most, widest = settled.loss * factor + 1e-12, self.box_width(labels) * factor + 1e-12
        best = labels, settled
        for number, column in enumerate(self.problem.columns):
            if not column.is_line or column.keep or column.is_grid_given:
                continue
            rounder = [first for first, _ in column.with_round_borders().splits if first < len(column.values)]
            for border in (np.flatnonzero(np.diff(labels[number][: len(column.values)])) + 1).tolist():
                for moved in _beside(border, rounder, best[0][number][: len(column.values)]):
                    trial = list(best[0])
                    trial[number] = _with_border_moved(trial[number], border, moved)
                    self._bench.load(trial)
                    found = self._bench.settle()
                    if found.loss <= most and self.box_width(trial) <= widest:
                        best = trial, found
                        break
        return best if best[0] is not labels and self._is_maximal(best[0]) else (labels, settled)

    def _is_maximal(self, labels: Sequence[Int32s]) -> bool:
        """Tell whether no split can be added that is allowed and lowers the loss."""
        self._bench.load(labels)
        settled = self._bench.settle()
        if self._bench.grow(None, self.effort) == 0:
            return not self.effort.should_stop()
        # A split that fits the budget may still leave withheld rows that are not enough: try each to the end.
        return self._better_split(labels, settled) is None and not self._is_over()

    def _better_split(
        self, labels: Sequence[Int32s], settled: Settled
    ) -> tuple[list[Int32s], Settled] | None:
        """Return codebooks with one more split that are better, ``None`` where there are none."""
        for number, column in enumerate(self.problem.columns):
            for first, end in column.splits:
                if self._is_over():
                    return None
                finer = _with_split(column, labels[number], first, end)
                if finer is None:
                    continue
                trial = [*labels[:number], finer, *labels[number + 1 :]]
                self._bench.load(trial)
                found = self._bench.settle()
                if found.is_better(settled, self.objective):
                    return trial, found
        return None

    def _polished(self, best: tuple[list[Int32s], Settled]) -> tuple[list[Int32s], Settled]:
        """Add single splits as long as one makes the codebooks better with everything counted."""
        while True:
            self._bench.load(best[0])
            if self._bench.grow(None, self.effort) == 0:
                return best
            found = self._better_split(*best)
            if found is None:
                return best
            best = found

    def _is_optimal(self, labels: Sequence[Int32s]) -> bool | None:
        """Tell whether no column on a line has better bands given the others, ``None`` where that is open."""
        lines = [j for j, column in enumerate(self.problem.columns) if column.is_line and not column.keep]
        if self.budget or self.objective != "mean" or not all(map(self._program.is_exact_for, lines)):
            return None
        self._bench.load(labels)
        return not any(self._improve_line(self._bench, number) for number in lines)

    def box_width(self, labels: Sequence[Int32s]) -> float:
        """Return the mean width that the members of a row's combination span."""
        self._bench.load(labels)
        return box_width(self.problem, *self._bench.clusters())


def _beside(border: int, rounder: Sequence[int], labels: Int32s) -> list[int]:
    """Return the rounder borders next to one, nearest first; none where it is round itself."""
    if border in rounder:
        return []
    others = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
    low = max(other for other in others if other < border)
    high = min(other for other in others if other > border)
    below = [one for one in rounder if low < one < border][-1:]
    above = [one for one in rounder if border < one < high][:1]
    return sorted(below + above, key=lambda one: (abs(one - border), one))


def _with_border_moved(labels: Int32s, border: int, moved: int) -> Int32s:
    """Return bands of a line with one border at another place, between the same neighbours."""
    found = labels.copy()
    if moved < border:
        found[moved:border] = labels[border]
    else:
        found[border:moved] = labels[border - 1]
    return found


def _with_split(column: PublicColumn, labels: Int32s, first: int, end: int) -> Int32s | None:
    """Return a codebook with one more split, ``None`` where the split cuts no band or may not be made yet."""
    inside = np.zeros(len(labels), dtype=bool)
    inside[first:end] = True
    cut = np.intersect1d(labels[inside], labels[~inside])
    is_merged = column.has_missing and labels[-1] in labels[:-1]
    if not len(cut) or (is_merged and first != len(labels) - 1):
        return None
    finer = labels.copy()
    finer[inside & (labels == cut[0])] = labels.max() + 1
    return finer


def _coarser(column: PublicColumn, labels: Int32s, random: np.random.Generator) -> Int32s:
    """Merge everything, a run of bands on a line, or a few groups of categories with the largest one."""
    bands = int(labels.max()) + 1
    if bands == 1 or column.keep:
        return labels
    if random.random() < 0.3:
        return np.zeros_like(labels)
    values = labels[: len(column.values)]
    merged = labels.copy()
    if column.is_line:
        runs = np.cumsum(np.r_[0, np.diff(values) != 0])
        first = random.integers(0, runs[-1] + 1)
        last = first + random.integers(1, 4)
        merged[: len(values)] = np.where((runs >= first) & (runs <= last), first, runs)
        if column.has_missing:
            merged[-1] = runs[-1] + 1 if labels[-1] not in values else merged[0]
    else:
        chosen = random.permutation(np.unique(values))[:2]
        chosen = np.r_[chosen, np.bincount(values).argmax()]
        merged[: len(values)][np.isin(values, chosen)] = chosen[0]
        if column.has_missing and labels[-1] in values:
            return labels
    return np.unique(merged, return_inverse=True)[1].astype(np.int32)
