"""The best node of the ladders: one level for each column, exactly, by branch and bound.

Depth first over the columns, those not yet assigned with everything merged. Rows in cells that are not enough
only become more as columns are split (Theorem B1), so for every open column the levels that withhold too much
together with what is assigned are gone for the whole subtree; the rest of a ladder that refines them goes
with them. Bound: the mean width of the assigned levels, the least that is still possible for the open
columns, and what rows that are withheld already lose beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hartley.model.arrays import Int32s
from hartley.search.codebooks.ladder import Ladder
from hartley.search.codebooks.loops.cells import poor_cells, split_cells, withheld_rows
from hartley.search.codebooks.problem import CodebookProblem, band_widths
from hartley.search.codebooks.workbench import Settled, Workbench
from hartley.search.effort import UNLIMITED, Effort

EQUAL = 1e-12
"""Losses that differ by less are the same."""

Node = tuple[int, ...]
"""A level for each column."""
Domains = dict[int, list[int]]
"""The levels that are still possible for each open column, by rising loss."""


@dataclass
class LadderSearch:
    """A search for the best node; see the module's text."""

    problem: CodebookProblem
    ladders: Sequence[Ladder]
    budget: int
    effort: Effort = UNLIMITED
    most_visits: float = float("inf")
    """After so many looks at an element the search ends, without a proof."""
    upper: float = float("inf")
    """Only nodes of a smaller loss are looked for."""
    first_only: bool = False
    """Whether any feasible node will do."""
    evaluations: int = field(default=0, init=False)
    is_complete: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        self._elements = self.problem.elements
        self._scratch = self.problem.scratch()
        self._bench = Workbench(self.problem, budget=self.budget)
        self._best: tuple[float, Node | None, Settled | None] = (self.upper, None, None)
        self._count = len(self._elements.code)
        self._poor = np.zeros(self._count + 1, dtype=bool)
        self._steps = self._count * 100 * len(self.ladders)
        self._is_chain = [ladder.is_chain for ladder in self.ladders]
        self._value_widths = [
            [band_widths(column, level.labels)[level.labels] for level in ladder.levels]
            for column, ladder in zip(self.problem.columns, self.ladders, strict=True)
        ]

    def run(self) -> tuple[tuple[list[Int32s], Settled] | None, bool]:
        """Return the best node, and whether that is proven: the search was not cut short.

        The node is ``None`` where none is feasible, or none is better than the bound that was handed in.
        """
        if all(ladder.levels for ladder in self.ladders):
            self._try(tuple(len(ladder.levels) - 1 for ladder in self.ladders))
            cell = np.zeros(self._count, dtype=np.int32)
            domains = {j: list(range(len(ladder.levels))) for j, ladder in enumerate(self.ladders)}
            self._search({}, cell, 1, 0.0, domains)
        _, node, settled = self._best
        found = None if node is None or settled is None else (self.labels(node), settled)
        return found, self.is_complete

    def labels(self, node: Node) -> list[Int32s]:
        """Return the codebooks of a node."""
        return [ladder.levels[level].labels for ladder, level in zip(self.ladders, node, strict=True)]

    def _try(self, node: Node) -> None:
        """Look at a node, and keep it if it is the best so far."""
        self.evaluations += 1
        self._bench.load(self.labels(node))
        settled = self._bench.settle()
        if settled.is_feasible and settled.loss < self._best[0] - EQUAL:
            self._best = (settled.loss, node, settled)

    def _is_over(self) -> bool:
        if self.is_complete and (
            self.evaluations * self._count > self.most_visits or self.effort.should_stop()
        ):
            self.is_complete = False
        return not self.is_complete or (self.first_only and self._best[1] is not None)

    def _is_within(self, cell: Int32s, cells: int, column: int, level: int) -> bool:
        """Tell whether the cells, split by a level, withhold no more than the budget."""
        self.evaluations += 1
        chosen = self.ladders[column].levels[level]
        found = withheld_rows.for_size(self._steps)(
            cell, cells, column, chosen.labels, chosen.bands, self._elements, self._scratch
        )
        return found <= self.budget

    def _possible(self, cell: Int32s, cells: int, domains: Domains, bound: float) -> Domains | None:
        """Return the levels of the open columns that are possible yet; ``None`` if no node can be better."""
        found: Domains = {}
        bound += sum(float(self.ladders[j].loss[levels[0]]) for j, levels in domains.items())
        for column in sorted(domains, key=lambda j: (len(domains[j]), j)):
            levels = domains[column]
            losses, refines = self.ladders[column].loss, self.ladders[column].refines
            if all(refines[levels[i], levels[i + 1]] for i in range(len(levels) - 1)):
                kept = self._possible_of_chain(cell, cells, column, levels)
            else:
                kept = self._possible_of_order(cell, cells, column, levels)
            if not kept:
                return None
            bound += float(losses[kept[0]] - losses[levels[0]])
            found[column] = kept
            if bound >= self._best[0] - EQUAL:
                return None
        return found

    def _possible_of_chain(self, cell: Int32s, cells: int, column: int, levels: list[int]) -> list[int]:
        low, high = 0, len(levels)
        while low < high:
            middle = (low + high) // 2
            if self._is_within(cell, cells, column, levels[middle]):
                high = middle
            else:
                low = middle + 1
        return levels[low:]

    def _possible_of_order(self, cell: Int32s, cells: int, column: int, levels: list[int]) -> list[int]:
        """Drop levels by rising loss until one is possible, and those that refine a dropped one."""
        refines = self.ladders[column].refines
        dropped = np.zeros(refines.shape[0], dtype=bool)
        kept: list[int] = []
        for level in levels:
            if dropped[level]:
                continue
            if kept or self._is_within(cell, cells, column, level):
                kept.append(level)
            else:
                dropped |= refines[:, level]
        return kept

    def _search(self, part: dict[int, int], cell: Int32s, cells: int, loss: float, domains: Domains) -> None:
        if self._is_over():
            return
        if not domains:
            self._try(tuple(part[j] for j in range(len(self.ladders))))
            return
        lost = self._lost_already(part, cell, cells) if self.budget and part else 0.0
        if lost is None:
            return
        possible = self._possible(cell, cells, domains, loss + lost)
        if possible is None:
            return
        least = {j: float(self.ladders[j].loss[levels[0]]) for j, levels in possible.items()}
        rest = loss + lost + sum(least.values())
        column = min(possible, key=lambda j: (self._is_chain[j], len(possible[j]), -least[j], j))
        others = {j: levels for j, levels in possible.items() if j != column}
        ladder = self.ladders[column]
        for level in possible[column]:
            if rest - least[column] + float(ladder.loss[level]) >= self._best[0] - EQUAL:
                break
            if level != possible[column][0] and not self._is_within(cell, cells, column, level):
                continue
            chosen = ladder.levels[level]
            out = np.empty_like(cell)
            value = self._elements.value[column]
            split = split_cells.for_size(self._steps)(
                cell, cells, value, chosen.labels, chosen.bands, self._scratch, out
            )
            self._search({**part, column: level}, out, split, loss + float(ladder.loss[level]), others)
            if self._is_over():
                return

    def _lost_already(self, part: dict[int, int], cell: Int32s, cells: int) -> float | None:
        """Return what rows that are withheld already lose beyond their widths in the assigned columns.

        ``None`` where a band of an assigned column loses more than the share of its rows: all nodes below
        withhold at least these.
        """
        elements, problem = self._elements, self.problem
        self.evaluations += 1
        if poor_cells.for_size(self._steps)(cell, cells, elements, self._scratch.memory, self._poor) == 0:
            return 0.0
        hidden = np.flatnonzero(self._poor[cell] & (elements.rows > 0))
        rows = elements.rows[hidden]
        lost = 0.0
        for column, level in part.items():
            values = elements.value[column][hidden]
            lost += problem.weights[column] * float(rows @ (1 - self._value_widths[column][level][values]))
            labels = self.ladders[column].levels[level].labels
            held = np.bincount(labels, weights=problem.value_rows[column])
            gone = np.bincount(labels[values], weights=rows, minlength=len(held))
            if np.any(gone > self._bench.terms.share * held + EQUAL):
                return None
        return lost / problem.rows
