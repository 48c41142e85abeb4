"""Classes as leaves of a tree of cuts, safe against a reader who knows how the tree was grown.

Rows are seen through their tuples of public cells, sorted, and through multisets of sensitive values, so that
no order of rows, no tie and no sum can depend on who has which value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np

from hartley.errors import InputError
from hartley.model.arrays import Flags, Floats, Int32s, Int64s, Ints, different, sparse_zeros
from hartley.search.trees.columns import TreeColumn
from hartley.search.trees.first_cuts import bins_of, first_learnt
from hartley.search.trees.loops.chances import factors_of_cuts
from hartley.search.trees.loops.growth import grow
from hartley.search.trees.loops.layout import (
    BINS,
    NESTED,
    PLAIN,
    SLOTS,
    Growth,
    NodePaper,
    Tuples,
    Wants,
    Work,
)
from hartley.search.trees.orders import near_each_other, sorted_by
from hartley.search.trees.prior import Reference, see_alike, see_reference
from hartley.search.trees.requirements import TreeDemand

TUPLES_AT_ONCE = 50_000
"""Tuples of nodes that a compiled loop looks at before it asks whether to stop."""
FORMS = ("up to", "one value", "every tuple")
Progress = Callable[[int, int, str], None]


def quiet(done: int, total: int, what: str) -> None:
    """Hear nothing of progress."""
    del done, total, what


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts of nodes: which node, which column, up to or at which rank."""

    node: Int64s
    column: Int64s
    rank: Int64s
    form: Int64s


@dataclass(frozen=True, eq=False)
class CutTree:
    """Classes of tuples, and the cuts that made them."""

    labels: Int64s
    """The class of each tuple, as the tuples were given; classes are numbered by their first tuple."""
    node_of_class: Int64s
    child: Int64s
    """For each node its first child, -1 for a class; children of a node are numbered one after another."""
    cuts: Cuts
    """The cuts that held, by node."""
    failures: Cuts
    """The cuts that were tried and failed, in order."""
    roots: int
    """The first so many nodes are roots."""

    @property
    def size(self) -> int:
        """How many classes there are."""
        return len(self.node_of_class)


@dataclass(frozen=True, eq=False)
class TreeProblem:
    """Different tuples of public cells with the multiset of sensitive values of each."""

    columns: tuple[TreeColumn, ...]
    ptr: Int64s
    code: Ints
    count: Int64s
    """Tuple ``i`` has ``count[e]`` rows with the sensitive value ``code[e]``, ``e`` from ``ptr[i]``."""
    values: int
    """How many sensitive values there are."""
    weights: Floats | None = None
    """The sum of the sampling weights of the rows of each tuple."""

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("a tree needs a public column")

    @property
    def tuples(self) -> int:
        """How many different tuples there are."""
        return len(self.ptr) - 1

    def grow(
        self,
        demand: TreeDemand,
        progress: Progress = quiet,
        *,
        reference: Reference | None = None,
        alike: Sequence[Flags] = (),
        rows_of_all: Floats | None = None,
    ) -> CutTree:
        """Grow the tree; raise where a root does not hold what is wanted.

        Cuts are chosen by what a ``reference`` tells, and as if rows that are ``alike`` had one value.
        There is no time limit: when a search ends must not depend on who has which value. Of a part of a
        table, which holds what is wanted, ``rows_of_all`` is how many rows of the table have each value.
        """
        ranks = np.column_stack([column.ranks for column in self.columns])
        # Kept columns first, so that every root is one run of tuples.
        first = sorted(range(len(self.columns)), key=lambda j: not self.columns[j].is_kept)
        order = sorted_by([ranks[:, j] for j in first])
        placed = ranks[order]
        if bool((placed[1:] == placed[:-1]).all(axis=1).any()):
            raise InputError("two tuples of a tree are equal; join their rows")
        kept = [j for j, column in enumerate(self.columns) if column.is_kept]
        is_new = (placed[1:][:, kept] != placed[:-1][:, kept]).any(axis=1)
        ends = np.concatenate([[0], np.flatnonzero(is_new) + 1, [len(order)]]).astype(np.int64)
        order = order[near_each_other(placed, np.repeat(np.arange(len(ends) - 1), np.diff(ends)))]
        rows = rows_of_all
        if rows is None:
            rows = np.bincount(self.code, weights=self.count, minlength=self.values).astype(np.float64)
        tuples, wants = self.laid_out(order), demand.wants(rows)
        is_part = rows_of_all is not None
        if not is_part and not (roots_hold(tuples, wants, ends) and demand.shares_hold(tuples, ends)):
            raise demand.lacking(rows, is_whole=len(ends) == 2)
        growth = new_growth(tuples, wants, ends)
        paper = new_paper(wants, self.values, int(tuples.rows.sum()), tuples)
        learnt = first_learnt(tuples, wants)
        if wants.witness >= 0 and reference is not None:
            see_reference(tuples, wants, learnt, reference)
        if wants.witness >= 0 and alike:
            see_alike(tuples, wants, learnt, [one[order] for one in alike])
        if reference is not None or alike:
            learnt.step[0] = len(learnt.pilots)
        top = len(ends) - 1
        work = Work(tuples, wants, paper, growth, learnt)
        steps = 64 * (int(tuples.ptr[-1]) + self.tuples * len(self.columns))
        while top > 0:
            progress(int(growth.totals[1]), 0, "classes")
            widest = int(growth.last[top - 1] - growth.first[top - 1]) * len(self.columns) ** 2
            chosen = grow.for_size(steps, in_pieces=True, piece=widest)
            top = chosen(work, top, grow.piece(chosen, TUPLES_AT_ONCE))
        return tree_of(growth, order, len(ends) - 1)

    def laid_out(self, order: Int64s) -> Tuples:
        """Return the tuples in an order, as loops see them."""
        ptr = np.zeros(len(order) + 1, dtype=np.int64)
        sizes = np.diff(self.ptr)[order]
        np.cumsum(sizes, out=ptr[1:])
        taken = np.repeat(self.ptr[order] - ptr[:-1], sizes) + np.arange(ptr[-1])
        begin = np.zeros(len(self.columns) + 1, dtype=np.int64)
        np.cumsum([column.cells for column in self.columns], out=begin[1:])
        place = np.concatenate(
            [
                np.arange(column.cells, dtype=np.float64) if column.places is None else column.places
                for column in self.columns
            ]
        )
        parent, last, loss = _nested_arrays(self.columns, begin)
        count = np.asarray(self.count, dtype=np.int64)[taken]
        rows = np.add.reduceat(count, ptr[:-1]) if len(count) else np.zeros(0, dtype=np.int64)
        return Tuples(
            rank=np.column_stack([column.ranks[order] for column in self.columns]).astype(np.int32),
            kind=np.array([column.kind for column in self.columns], dtype=np.int64),
            plain=np.flatnonzero([column.kind == PLAIN for column in self.columns]).astype(np.int64),
            begin=begin,
            bin=np.concatenate([bins_of(column.ranks[order], column.cells, rows) for column in self.columns]),
            place=place,
            scale=np.array([column.scale for column in self.columns]),
            parent=parent,
            last=last,
            loss=loss,
            rows=rows,
            weights=np.zeros(len(order)) if self.weights is None else self.weights[order],
            ptr=ptr,
            code=np.asarray(self.code)[taken].astype(np.int32),
            amounts=count,
        )


def _nested_arrays(columns: Sequence[TreeColumn], begin: Int64s) -> tuple[Int64s, Int64s, Floats]:
    """Lay the hierarchies of all columns out: cells where each column begins, other nodes behind them all."""
    above = int(begin[-1])
    inner = [len(c.parents) - c.cells if c.parents is not None else 0 for c in columns]
    parent = np.zeros(above + sum(inner), dtype=np.int64)
    last = np.zeros(len(parent), dtype=np.int64)
    loss = np.zeros(len(parent))
    for j, column in enumerate(columns):
        if column.kind != NESTED or column.parents is None:
            continue
        where = np.concatenate([begin[j] + np.arange(column.cells), above + np.arange(inner[j])]).astype(
            np.int64
        )
        highest, costs = column.nested_nodes()
        parent[where] = where[column.parents]
        last[where] = highest
        loss[where] = costs
        above += inner[j]
    return parent, last, loss


def roots_hold(tuples: Tuples, wants: Wants, ends: Int64s) -> bool:
    """Tell whether the rows of every root hold what is wanted."""
    root_of = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    rows = np.bincount(root_of, weights=tuples.rows)
    if rows.min() < wants.row_k or np.bincount(root_of, weights=tuples.weights).min() < wants.weight_k:
        return False
    pair_root = np.repeat(root_of, np.diff(tuples.ptr))
    for at, wanted in enumerate(wants.wanted.tolist()):
        codes = wants.code_of[at][tuples.code].astype(np.int64)
        following = wants.next[wants.begin[at] : wants.begin[at + 1]]
        pairs = different(pair_root * len(following) + codes)
        for root in range(len(ends) - 1):
            held = pairs[(pairs // len(following)) == root] % len(following)
            chain, above = 0, -1
            for code in held.tolist():
                if code >= above:
                    chain, above = chain + 1, following[code]
            if chain < wanted:
                return False
    return True


def new_growth(tuples: Tuples, wants: Wants, ends: Int64s) -> Growth:
    """Return a tree of roots alone."""
    size, columns = tuples.rank.shape
    roots = len(ends) - 1
    root_of = np.repeat(np.arange(roots), np.diff(ends))
    order = np.empty((columns, size), dtype=np.int32)
    for j in range(columns):
        order[j] = sorted_by([root_of, tuples.rank[:, j]] if roots > 1 else [tuples.rank[:, j]])
    classes = min(size, int(tuples.rows.sum()) // max(wants.least, 1)) + roots
    nodes = 2 * classes + roots
    failures = nodes * (wants.most_failures + 1)
    stack = classes + roots + 64
    usual = int(wants.wanted[wants.witness]) + 1 if wants.witness >= 0 else 1
    growth = Growth(
        order=order,
        spare=np.zeros(size, dtype=np.int32),
        label=np.zeros(size, dtype=np.int32),
        part=np.zeros(size, dtype=np.int32),
        bound=np.zeros(size, dtype=np.int32),
        tried=np.zeros(size, dtype=np.int32),
        first=np.zeros(stack, dtype=np.int64),
        last=np.zeros(stack, dtype=np.int64),
        node_of=np.zeros(stack, dtype=np.int64),
        mode=np.zeros(stack, dtype=np.int64),
        failed=np.zeros(stack, dtype=np.int64),
        usual=np.zeros(stack, dtype=np.int64),
        telling=np.zeros((stack, columns)),
        usual_codes=sparse_zeros((nodes, usual), np.int64),
        child=np.full(nodes, -1, dtype=np.int32),
        column=np.zeros(nodes, dtype=np.int32),
        rank=np.zeros(nodes, dtype=np.int32),
        form=np.zeros(nodes, dtype=np.int32),
        class_node=np.zeros(classes, dtype=np.int32),
        failure_node=sparse_zeros((failures,), np.int32),
        failure_column=sparse_zeros((failures,), np.int32),
        failure_rank=sparse_zeros((failures,), np.int32),
        failure_form=sparse_zeros((failures,), np.int32),
        totals=np.array([roots, 0, 0, 0], dtype=np.int64),
    )
    growth.first[:roots] = ends[:-1]
    growth.last[:roots] = ends[1:]
    growth.node_of[:roots] = np.arange(roots)
    return growth


def new_paper(wants: Wants, values: int, rows: int, tuples: Tuples | None = None) -> NodePaper:
    """Return empty scratch paper for nodes of so many rows; without tuples for multisets alone."""
    size, columns = (0, 1) if tuples is None else tuples.rank.shape
    cells = 0 if tuples is None else int(tuples.begin[-1])
    codes = int(wants.begin[-1])
    widest = int(np.diff(wants.begin).max(initial=0)) + 2
    windows = int(wants.wanted[~wants.plain].max(initial=0)) + 1
    groups = min(widest, isqrt(2 * rows) + 2)
    grid = 64 * 64

    def numbers(length: int) -> Int64s:
        return np.zeros(length, dtype=np.int64)

    return NodePaper(
        present=numbers(values + 1),
        amount=numbers(values + 1),
        part_present=numbers(values + 1),
        part_amount=numbers(values + 1),
        by_code=numbers(codes + 1),
        codes=numbers(widest),
        sorted=numbers(widest + 1),
        most_in=numbers(values + 1),
        most_out=numbers(values + 1),
        code_in=numbers(codes + 1),
        code_out=numbers(codes + 1),
        forward=numbers(windows * widest + 1),
        backward=numbers(windows * widest + 1),
        chosen=numbers(values + 1),
        mark=numbers(codes + 1),
        ticks=numbers(6),
        sizes=np.zeros((len(wants.wanted), groups), dtype=np.int64),
        times=np.zeros((len(wants.wanted), groups), dtype=np.int64),
        groups=numbers(len(wants.wanted)),
        top=numbers(len(wants.wanted)),
        chance=np.zeros(grid),
        chance_at=numbers(grid),
        shrink=np.zeros(grid),
        shrink_at=numbers(grid),
        factor=np.array(factors_of_cuts(columns)),
        low=numbers(columns),
        high=numbers(columns),
        variety=numbers(columns),
        seen=numbers(cells + 1),
        width=np.zeros(columns + 1),
        left_width=np.zeros(size),
        left_rows=numbers(size),
        left_bound=numbers(size),
        left_weight=np.zeros(size),
        like=numbers(128),
        cell_rows=numbers(128),
        usual_rows=numbers(int(wants.wanted.max(initial=0)) + 4),
        telling=np.zeros(columns),
        slot_rows=np.zeros(SLOTS + 1),
        slot_seen=np.zeros(SLOTS + 1),
        slot_part=np.zeros(SLOTS + 1),
        in_right=np.zeros(SLOTS + 1),
        unlike=np.zeros(columns),
        in_node=np.zeros((columns, SLOTS + 1)),
        fate=np.zeros((columns, BINS, SLOTS + 1)),
        told_at=numbers(columns),
        look=np.zeros((grid, 3)),
        look_at=numbers(grid),
        best=numbers(3),
        share_rows=numbers(int(wants.share_begin[-1]) + 1),
        share_part=numbers(int(wants.share_begin[-1]) + 1),
        share_order=numbers(int(wants.share_begin[-1]) + 1),
        share_weight=np.zeros(int(wants.share_begin[-1]) + 1),
        share_top=numbers(len(wants.share_rule)),
    )


def tree_of(growth: Growth, order: Int64s, roots: int) -> CutTree:
    """Return a grown tree, its classes numbered by their first tuple."""
    nodes, classes, failures, _ = growth.totals.tolist()
    first = np.full(classes, len(order), dtype=np.int64)
    np.minimum.at(first, growth.label, order)
    number = np.empty(classes, dtype=np.int64)
    number[np.argsort(first, kind="stable")] = np.arange(classes)
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = number[growth.label]
    node_of_class = np.empty(classes, dtype=np.int64)
    node_of_class[number] = growth.class_node[:classes]

    def wide(array: Int32s, size: int) -> Int64s:
        return array[:size].astype(np.int64)

    return CutTree(
        labels=labels,
        node_of_class=node_of_class,
        child=wide(growth.child, nodes),
        cuts=Cuts(
            np.arange(nodes), wide(growth.column, nodes), wide(growth.rank, nodes), wide(growth.form, nodes)
        ),
        failures=Cuts(
            wide(growth.failure_node, failures),
            wide(growth.failure_column, failures),
            wide(growth.failure_rank, failures),
            wide(growth.failure_form, failures),
        ),
        roots=roots,
    )
