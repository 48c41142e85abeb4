"""The first cuts of very large tables, told from counts: such a table need not be held to be cut.

A node that may have more than ``MOST_AT_ONCE`` different rows is cut by how many rows have each cell of each
column and each sensitive value, which any engine counts where the rows are: of its widest column by the
allowed cut that is nearest the middle row. One that is smaller is taken out whole and grown by the usual rule
of cuts, as a tree of its own. So the tree is the same whether rows are held here or counted elsewhere.

A cut that fails here makes its node a class: no other is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from hartley.model.arrays import Flags, Floats, Int64s, Ints
from hartley.search.trees.columns import TreeColumn
from hartley.search.trees.loops.layout import ORDERED, UP_TO, NodePaper, Wants
from hartley.search.trees.loops.multisets import first_allowed, multiset_holds
from hartley.search.trees.requirements import TreeDemand
from hartley.search.trees.tree import Cuts, CutTree, Progress, TreeProblem, new_paper, quiet

MOST_AT_ONCE = 4_000_000
"""Different rows that a node may have, up to which they are all looked at.

How many there are depends on who has which value, and must decide nothing; so they are bounded by public
values and the multiset: there are no more than rows, and no more than public tuples times sensitive values.
"""


@dataclass(frozen=True)
class RankBox:
    """A part of a table: the lowest and the highest rank of each column."""

    low: tuple[int, ...]
    high: tuple[int, ...]

    def cut(self, column: int, rank: int) -> tuple[RankBox, RankBox]:
        """Return the parts up to a rank of a column and above it."""
        high, low = list(self.high), list(self.low)
        high[column], low[column] = rank, rank + 1
        return RankBox(self.low, tuple(high)), RankBox(tuple(low), self.high)


@dataclass(frozen=True, eq=False)
class BoxCounts:
    """What is known of the rows of a box."""

    tuples: int
    """How many different tuples of public cells there are."""
    values: Int64s
    amounts: Int64s
    """The multiset: sensitive values, ascending, and how many rows have each."""
    cells: tuple[tuple[Int64s, Int64s], ...]
    """For each column the ranks that occur, ascending, and how many rows have each."""

    @property
    def most_different(self) -> int:
        """A bound on the different rows, told from public values and the multiset alone."""
        return min(int(self.amounts.sum()), self.tuples * len(self.values))


class CountedTable(Protocol):
    """A table that is counted box by box, wherever its rows are."""

    columns: tuple[TreeColumn, ...]
    """The columns by all their cells; nobody asks for the ranks of rows here."""
    values: int
    """How many sensitive values there are."""

    def look(self, boxes: Sequence[RankBox]) -> list[BoxCounts]:
        """Count the rows of some boxes."""

    def fetch(self, box: RankBox) -> TreeProblem:
        """Take the different rows of a box out."""


@dataclass(frozen=True, eq=False)
class StemClasses:
    """Classes that a box was cut into, or the box as a class of its own."""

    box: RankBox
    first_class: int
    """The number of the first of the classes."""
    problem: TreeProblem | None = None
    """Its different rows; ``None`` where it is one class and was never held."""
    tree: CutTree | None = None
    parts: tuple[BoxCounts, ...] = ()
    """What is known of a class that was never held: of the parts of the cut that failed, or of all of it."""


@dataclass(eq=False)
class _Node:
    box: RankBox
    counts: BoxCounts
    child: int = -1
    cut: tuple[int, int] = (0, 0)
    failed: tuple[int, int] | None = None
    tried: tuple[BoxCounts, ...] = ()
    """The parts of the cut that failed."""
    grows: bool = False
    """Whether its rows are few enough to be held."""


def grow_tree(problem: TreeProblem, demand: TreeDemand, progress: Progress = quiet, **told: Any) -> CutTree:
    """Grow the tree of a table that is held here; of a very large one the first cuts are told from counts.

    With kept columns, sampling weights or a reference table all rows are looked at from the first cut on.
    """
    has_more = problem.weights is not None or any(column.is_kept for column in problem.columns)
    if has_more or any(_is_told(one) for one in told.values()):
        return problem.grow(demand, progress, **told)
    held = _HeldTable(problem)
    if held.look_at_all().most_different <= MOST_AT_ONCE:
        return problem.grow(demand, progress)
    labels = np.zeros(problem.tuples, dtype=np.int64)

    def take(one: StemClasses) -> None:
        own = 0 if one.tree is None else one.tree.labels
        labels[held.inside(one.box)] = one.first_class + own

    return numbered_by_tuples(grow_counted(held, demand, take, progress), labels)


def _is_told(given: Any) -> bool:
    return given is not None and not (isinstance(given, Sequence) and not len(given))


def grow_counted(
    table: CountedTable,
    demand: TreeDemand,
    take: Callable[[StemClasses], None],
    progress: Progress = quiet,
) -> CutTree:
    """Grow the tree of a table; ``take`` gets the classes of one box after the other. Labels are left out."""
    return _Stem(table, demand).grow(take, progress)


def numbered_by_tuples(tree: CutTree, labels: Int64s) -> CutTree:
    """Return a tree with the class of each tuple, classes numbered by their first one."""
    first = np.full(tree.size, len(labels), dtype=np.int64)
    np.minimum.at(first, labels, np.arange(len(labels)))
    order = np.argsort(first, kind="stable")
    number = np.empty(tree.size, dtype=np.int64)
    number[order] = np.arange(tree.size)
    return replace(tree, labels=number[labels], node_of_class=tree.node_of_class[order])


@dataclass(frozen=True, eq=False)
class GrownElsewhere:
    """The classes of a table that was cut where it is."""

    tree: CutTree
    ranks: Int64s
    """The ranks of the tuples that stand for classes, among all cells of the columns."""
    of_class: Int64s

    def tree_of(self, columns: Sequence[TreeColumn]) -> CutTree:
        """Return the tree by the ranks of columns that have only the cells of these tuples."""
        present = [np.unique(self.ranks[:, j]) for j in range(self.ranks.shape[1])]
        theirs = [cells[column.ranks] for cells, column in zip(present, columns, strict=True)]
        labels = np.empty(len(self.of_class), dtype=np.int64)
        labels[np.lexsort(theirs)] = self.of_class[np.lexsort(self.ranks.T)]

        def renamed(cuts: Cuts) -> Cuts:
            rank = cuts.rank.copy()
            for j, cells in enumerate(present):
                here = cuts.column == j
                rank[here] = np.searchsorted(cells, rank[here], side="right") - 1
            return replace(cuts, rank=rank)

        tree = replace(self.tree, cuts=renamed(self.tree.cuts), failures=renamed(self.tree.failures))
        return numbered_by_tuples(tree, labels)


class _Stem:
    def __init__(self, table: CountedTable, demand: TreeDemand) -> None:
        self.table, self.demand = table, demand
        whole = RankBox(tuple(0 for _ in table.columns), tuple(column.cells - 1 for column in table.columns))
        (counts,) = table.look([whole])
        self.nodes = [_Node(whole, counts)]
        self.rows: Floats = np.zeros(table.values)
        self.rows[counts.values] = counts.amounts
        self.wants: Wants = demand.wants(self.rows)
        self.paper: NodePaper = new_paper(self.wants, table.values, int(self.rows.sum()))

    def grow(self, take: Callable[[StemClasses], None], progress: Progress) -> CutTree:
        """Cut all large nodes of a level at once, level by level; then grow the small ones."""
        if not self._holds(self.nodes[0].counts):
            raise self.demand.lacking(self.rows, is_whole=True)
        level = [self.nodes[0]]
        while level:
            level = self._cut(level)
            progress(len(self.nodes), 0, "classes")
        return self._joined(take, progress)

    def _cut(self, level: list[_Node]) -> list[_Node]:
        tried: list[tuple[_Node, tuple[int, int]]] = []
        for node in level:
            node.grows = node.counts.most_different <= MOST_AT_ONCE
            cut = None if node.grows else self._proposed(node.counts)
            if cut is not None:
                tried.append((node, cut))
        boxes = [part for node, cut in tried for part in node.box.cut(*cut)]
        found = self.table.look(boxes) if boxes else []
        after = []
        for at, (node, cut) in enumerate(tried):
            parts = [_Node(boxes[i], found[i]) for i in (2 * at, 2 * at + 1)]
            if all(self._holds(part.counts) for part in parts):
                node.child, node.cut = len(self.nodes), cut
                self.nodes += parts
                after += parts
            else:
                node.failed, node.tried = cut, tuple(part.counts for part in parts)
        return after

    def _holds(self, counts: BoxCounts) -> bool:
        ask = multiset_holds.for_size(len(counts.values))
        return bool(ask(self.wants, self.paper, counts.values, counts.amounts))

    def _proposed(self, counts: BoxCounts) -> tuple[int, int] | None:
        """Return the column and the rank of the cut that is tried; nothing where none may be."""
        widths = [
            _width(column, ranks) for column, (ranks, _) in zip(self.table.columns, counts.cells, strict=True)
        ]
        for j in sorted(range(len(widths)), key=lambda j: (-widths[j], j)):
            ranks, rows = counts.cells[j]
            below = np.cumsum(rows)
            near = np.argsort(np.abs(2 * below[:-1] - below[-1]), kind="stable")
            ask = first_allowed.for_size(len(counts.values) + len(near))
            found = int(ask(self.wants, self.paper, counts.values, counts.amounts, below[:-1][near]))
            if found >= 0:
                return j, int(ranks[near[found]])
        return None

    def _joined(self, take: Callable[[StemClasses], None], progress: Progress) -> CutTree:
        """Grow the trees of small nodes one after the other, and join them to one."""
        stem = np.arange(len(self.nodes))
        child = [np.array([node.child for node in self.nodes], dtype=np.int64)]
        cuts = [Cuts(stem, *_columns([(*node.cut, UP_TO) for node in self.nodes], 3))]
        failed = [(at, *node.failed, UP_TO) for at, node in enumerate(self.nodes) if node.failed is not None]
        failures = [Cuts(*_columns(failed, 4))]
        class_nodes: list[Int64s] = []
        size, classes = len(self.nodes), 0
        for at, node in enumerate(self.nodes):
            if node.child >= 0:
                continue
            problem = self.table.fetch(node.box) if node.grows else None
            tree = None if problem is None else problem.grow(self.demand, rows_of_all=self.rows)
            parts = () if node.grows else node.tried or (node.counts,)
            take(StemClasses(node.box, classes, problem, tree, parts))
            if tree is None:
                class_nodes.append(np.array([at]))
                classes += 1
                continue
            number = np.append(at, size + np.arange(len(tree.child) - 1))
            own = np.where(tree.child >= 0, number[np.maximum(tree.child, 0)], -1)
            child[0][at] = own[0]
            child.append(own[1:])
            for column in ("column", "rank", "form"):
                getattr(cuts[0], column)[at] = getattr(tree.cuts, column)[0]
            cuts.append(Cuts(number[1:], tree.cuts.column[1:], tree.cuts.rank[1:], tree.cuts.form[1:]))
            failures.append(replace(tree.failures, node=number[tree.failures.node]))
            class_nodes.append(number[tree.node_of_class])
            size += len(tree.child) - 1
            classes += tree.size
            progress(classes, 0, "classes")
        return CutTree(
            labels=np.zeros(0, dtype=np.int64),
            node_of_class=np.concatenate(class_nodes),
            child=np.concatenate(child),
            cuts=_together(cuts),
            failures=_together(failures),
            roots=1,
        )


def _width(column: TreeColumn, ranks: Int64s) -> float:
    """Return the share of a column that some of its cells span, by its weight."""
    if column.kind == ORDERED and column.places is not None:
        return float((column.places[ranks[-1]] - column.places[ranks[0]]) * column.scale)
    return (len(ranks) - 1) / max(column.cells - 1, 1) * column.weight


def _columns(rows: Sequence[Sequence[int]], width: int) -> tuple[Int64s, ...]:
    return tuple(np.array(rows, dtype=np.int64).reshape(-1, width).T.copy())


def _together(cuts: Sequence[Cuts]) -> Cuts:
    return Cuts(
        *(np.concatenate([getattr(one, name) for one in cuts]) for name in ("node", "column", "rank", "form"))
    )


class _HeldTable:
    """A table that is held here."""

    def __init__(self, problem: TreeProblem) -> None:
        self.problem, self.columns, self.values = problem, problem.columns, problem.values
        self.tuple_of_entry = np.repeat(np.arange(problem.tuples), np.diff(problem.ptr))
        self.rows = np.add.reduceat(problem.count, problem.ptr[:-1])

    def look_at_all(self) -> BoxCounts:
        """Count all rows."""
        return self._look(np.ones(self.problem.tuples, dtype=np.bool_))

    def inside(self, box: RankBox) -> Flags:
        """Tell which tuples are in a box."""
        found = np.ones(self.problem.tuples, dtype=np.bool_)
        for column, low, high in zip(self.columns, box.low, box.high, strict=True):
            if low > 0 or high < column.cells - 1:
                found &= (column.ranks >= low) & (column.ranks <= high)
        return found

    def look(self, boxes: Sequence[RankBox]) -> list[BoxCounts]:
        """Count the rows of some boxes."""
        return [self._look(self.inside(box)) for box in boxes]

    def _look(self, here: Flags) -> BoxCounts:
        of_entry = here[self.tuple_of_entry]
        multiset = _counted(self.problem.code[of_entry], self.problem.count[of_entry])
        cells = tuple(_counted(column.ranks[here], self.rows[here]) for column in self.columns)
        return BoxCounts(int(here.sum()), *multiset, cells)

    def fetch(self, box: RankBox) -> TreeProblem:
        """Take the different rows of a box out."""
        here = self.inside(box)
        of_entry = here[self.tuple_of_entry]
        return TreeProblem(
            tuple(replace(column, ranks=column.ranks[here]) for column in self.columns),
            np.append(0, np.cumsum(np.diff(self.problem.ptr)[here])),
            self.problem.code[of_entry],
            self.problem.count[of_entry],
            self.values,
        )


def _counted(codes: Ints, rows: Int64s) -> tuple[Int64s, Int64s]:
    """Return the codes that occur, ascending, and how many rows have each."""
    totals = np.bincount(codes, weights=rows).astype(np.int64)
    found = np.flatnonzero(totals)
    return found, totals[found]
