"""Codebooks under work: loaded, grown by splits, settled with their withheld rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Flags, Floats, Int32s
from hartley.search.codebooks.loops.cells import (
    ACCEPTED,
    CELLS,
    CHANGED,
    VISITS,
    WITHHELD,
    State,
    Terms,
    Trial,
    fill_bands,
    fill_cells,
    fill_order,
    poor_cells,
    settle,
    split_cells,
)
from hartley.search.codebooks.loops.growth import grow, weigh_splits
from hartley.search.codebooks.problem import CodebookProblem, band_widths
from hartley.search.effort import UNLIMITED, Effort

TESTS_AT_ONCE = 64
"""How many splits are tested between two looks at the clock."""
LOST_AT_MOST = 0.5
"""The largest share of a band's rows that may be withheld."""


@dataclass(frozen=True)
class Settled:
    """What codebooks lose, with the rows withheld that must be."""

    loss: float
    """Mean over rows; infinite where the codebooks are not feasible."""
    withheld: int
    top_up: int
    """The cell that is withheld so that the withheld rows are enough; -1 where none is needed."""
    worst: float
    """The greatest width of a band."""
    splits: int
    """How many bands there are beyond one for each column."""
    merged: int
    """How many columns have nothing left that could have."""

    @property
    def is_feasible(self) -> bool:
        """Whether budget, share and demand allow these codebooks."""
        return bool(np.isfinite(self.loss))

    def is_better(self, other: Settled | None, objective: str) -> bool:
        """Tell whether this is better: less loss, fewer rows withheld, less worst width, fewer splits.

        Before all that comes the worst width, or how many columns are merged away, where the objective is so.
        """
        if other is None or not other.is_feasible:
            return self.is_feasible
        if not self.is_feasible:
            return False
        for mine, theirs in zip(self._keys(objective), other._keys(objective), strict=True):
            if abs(mine - theirs) > 1e-12:
                return mine < theirs
        return False

    def _keys(self, objective: str) -> tuple[float, ...]:
        keys = (self.loss, float(self.withheld), self.worst, float(self.splits))
        first = {"worst": (self.worst,), "spare": (float(self.merged),)}.get(objective, ())
        return (*first, *keys)


class Workbench:
    """One set of codebooks at a time, with everything that follows from it."""

    def __init__(self, problem: CodebookProblem, *, budget: int, share: float = LOST_AT_MOST) -> None:
        self.problem = problem
        self.terms = Terms(budget=budget, share=share)
        self.visits = 0
        elements, layout = problem.elements, problem.layout
        count, tuples, values = len(elements.code), problem.demand.size, int(layout.base[-1])
        self._scratch = problem.scratch()
        self._spare = np.zeros(count, dtype=np.int32)
        columns = len(problem.columns)
        self.state = State(
            label=np.zeros(values, dtype=np.int32),
            bands=np.zeros(columns, dtype=np.int64),
            cell=np.zeros(count, dtype=np.int32),
            poor=np.zeros(tuples + 1, dtype=bool),
            cost=np.zeros(tuples + 1),
            tag=np.zeros((tuples + 1, columns), dtype=np.int32),
            order=np.zeros((columns, count), dtype=np.int32),
            band=np.zeros((values, 7), dtype=np.int64),
            numbers=np.zeros(5, dtype=np.int64),
            loss=np.zeros(1),
        )
        splits = len(layout.split)
        self._trial = Trial(
            memory=np.zeros((2 * tuples + 3, 3), dtype=np.int64),
            touched=np.zeros(tuples + 1, dtype=np.int64),
            lost=np.zeros(2, dtype=np.int64),
            target=np.full(tuples + 1, -1, dtype=np.int32),
            buffer=np.zeros(count, dtype=np.int32),
            status=np.zeros(splits, dtype=np.int8),
            fall=np.zeros(splits),
            band=np.zeros(splits, dtype=np.int64),
        )
        # Compiled where a search as a whole is worth it, not one pass of it.
        self._steps = count * 40 * columns

    def load(self, labels: Sequence[Int32s]) -> None:
        """Take up codebooks: for each column the band of each value."""
        problem, state = self.problem, self.state
        elements, layout = problem.elements, problem.layout
        state.label[:] = np.concatenate(labels)
        cells = 1
        cell, out = self._spare, state.cell
        cell[:] = 0
        for number, label in enumerate(labels):
            bands = int(label.max()) + 1
            state.bands[number] = bands
            split = split_cells.for_size(self._steps)
            cells = split(cell, cells, elements.value[number], label, bands, self._scratch, out)
            cell, out = out, cell
        if cell is self._spare:
            state.cell[:] = cell
        memory = self._scratch.memory
        withheld = poor_cells.for_size(self._steps)(state.cell, cells, elements, memory, state.poor)
        state.numbers[:] = 0
        state.numbers[CELLS], state.numbers[WITHHELD] = cells, withheld
        fill_bands.for_size(self._steps)(layout, state)
        fill_cells.for_size(self._steps)(memory, self._widths(labels), elements, layout, state)
        self.visits += len(elements.code) * (len(labels) + 2)

    def grow(self, factor: Floats | None = None, effort: Effort = UNLIMITED) -> int:
        """Add splits until none is left that is allowed and lowers the loss; return how many were added."""
        problem, state = self.problem, self.state
        elements, layout = problem.elements, problem.layout
        if factor is None:
            factor = np.ones(len(problem.columns))
        fill_order.for_size(self._steps)(elements, layout, state)
        weigh_splits.for_size(self._steps)(layout, state, self._trial)
        state.numbers[CHANGED] = 0
        is_over = False
        while not is_over:
            run = grow.for_size(self._steps, in_pieces=True)
            piece = grow.piece(run, TESTS_AT_ONCE)
            is_over = run(elements, layout, state, self._trial, factor, self.terms, piece)
            is_over |= effort.should_stop()
        self.visits += int(state.numbers[VISITS]) + len(elements.code) * len(problem.columns)
        return int(state.numbers[ACCEPTED])

    def settle(self) -> Settled:
        """Return what the codebooks lose once the withheld rows are enough themselves."""
        problem, state = self.problem, self.state
        run = settle.for_size(self._steps)
        loss, withheld, top_up = run(problem.elements, problem.layout, state, self._trial, self.terms)
        widths = [
            float(band_widths(column, label).max(initial=0.0))
            for column, label in zip(problem.columns, self.labels(), strict=True)
        ]
        splits = int(state.bands.sum()) - len(problem.columns)
        merged = sum(
            bands == 1 and column.has_detail
            for column, bands in zip(problem.columns, state.bands.tolist(), strict=True)
        )
        return Settled(float(loss) / problem.rows, int(withheld), int(top_up), max(widths), splits, merged)

    def clusters(self) -> tuple[Int32s, Flags]:
        """Return the cell of each public tuple, and which tuples are withheld."""
        cell = np.zeros(self.problem.demand.size, dtype=np.int32)
        cell[self.problem.element_tuple] = self.state.cell
        return cell, self.state.poor[cell] | (cell == self.settle().top_up)

    @property
    def loss(self) -> float:
        """The mean loss of a row, before the withheld rows are made enough."""
        return float(self.state.loss[0]) / self.problem.rows

    def labels(self) -> list[Int32s]:
        """Return a copy of the codebooks."""
        base = self.problem.layout.base
        return [self.state.label[base[j] : base[j + 1]].copy() for j in range(len(base) - 1)]

    def _widths(self, labels: Sequence[Int32s]) -> Floats:
        widths = np.zeros(len(self.state.label))
        base = self.problem.layout.base
        for number, (column, label) in enumerate(zip(self.problem.columns, labels, strict=True)):
            found = band_widths(column, label)
            widths[base[number] : base[number] + len(found)] = found
        return widths
