"""The first cuts of large tables, told from counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hartley.search.trees import TreeColumn, TreeDemand, TreeProblem, grow_tree, stem
from hartley.search.trees.stem import BoxCounts, RankBox
from reference_trees import Want
from tree_instances import SmallTable, demand_of

TWO = [Want("distinct", 2, lambda value: value)]


def _drawn(seed: int) -> tuple[TreeProblem, TreeDemand]:
    draws = np.random.default_rng(seed)
    rows = np.unique(draws.integers(0, 30, (600, 3)), axis=0)
    values = 6
    counts = draws.multinomial(3, np.ones(values) / values, len(rows))
    at, code = np.nonzero(counts)
    problem = TreeProblem(
        (
            TreeColumn.ordered(np.where(rows[:, 0] == 0, np.nan, rows[:, 0] * 1.5)),
            TreeColumn.plain(rows[:, 1] % 5),
            TreeColumn.ordered(rows[:, 2].astype(float)),
        ),
        np.append(0, np.cumsum(np.bincount(at, minlength=len(rows)))),
        code,
        counts[at, code].astype(np.int64),
        values,
    )
    keys = np.unique(np.column_stack([column.ranks for column in problem.columns]), axis=0)
    if len(keys) < problem.tuples:
        return _joined(problem, keys), _demand(values)
    return problem, _demand(values)


def _joined(problem: TreeProblem, keys: Any) -> TreeProblem:
    """Join the rows of equal tuples."""
    ranks = np.column_stack([column.ranks for column in problem.columns])
    place = {tuple(key): at for at, key in enumerate(keys.tolist())}
    of_entry = np.repeat([place[tuple(key)] for key in ranks.tolist()], np.diff(problem.ptr))
    table = np.zeros((len(keys), problem.values), dtype=np.int64)
    np.add.at(table, (of_entry, problem.code), problem.count)
    at, code = np.nonzero(table)
    columns = tuple(replace(column, ranks=keys[:, j]) for j, column in enumerate(problem.columns))
    ptr = np.append(0, np.cumsum(np.bincount(at, minlength=len(keys))))
    return TreeProblem(columns, ptr, code, table[at, code], problem.values)


def _demand(values: int) -> TreeDemand:
    return demand_of(TWO, [(value,) for value in range(values)])


@pytest.mark.parametrize("seed", range(12))
def test_classes_are_the_leaves_of_the_cuts(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Walking the whole tree from its root leads every tuple to its class, and every class holds."""
    problem, demand = _drawn(seed)
    monkeypatch.setattr(stem, "MOST_AT_ONCE", 200)
    tree = grow_tree(problem, demand)
    assert tree.size > 20
    ranks = np.column_stack([column.ranks for column in problem.columns])
    class_of = {int(node): at for at, node in enumerate(tree.node_of_class)}
    todo = [(0, np.arange(problem.tuples))]
    met = 0
    while todo:
        node, here = todo.pop()
        met += 1
        first = int(tree.child[node])
        if first < 0:
            assert (tree.labels[here] == class_of[node]).all()
            values = {int(v) for i in here for v in problem.code[problem.ptr[i] : problem.ptr[i + 1]]}
            assert len(values) >= 2
            continue
        column, rank, form = (int(part[node]) for part in (tree.cuts.column, tree.cuts.rank, tree.cuts.form))
        mine = ranks[here, column]
        if form == 2:
            order = here[np.argsort(tree.labels[here])]
            todo += [
                (node_of, order[at : at + 1])
                for at, node_of in enumerate(tree.node_of_class[tree.labels[order]])
            ]
            continue
        is_left = mine <= rank if form == 0 else mine == rank
        todo += [(first, here[is_left]), (first + 1, here[~is_left])]
    assert met == len(tree.child)
    assert sorted(set(tree.labels.tolist())) == list(range(tree.size))
    assert (np.diff(np.unique(tree.labels, return_index=True)[1]) > 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_same_tree_grows_whatever_the_order_of_tuples(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, demand = _drawn(seed)
    monkeypatch.setattr(stem, "MOST_AT_ONCE", 150)
    order = np.random.default_rng(seed).permutation(problem.tuples)
    sizes = np.diff(problem.ptr)[order]
    taken = np.concatenate([np.arange(problem.ptr[i], problem.ptr[i + 1]) for i in order])
    other = TreeProblem(
        tuple(replace(column, ranks=column.ranks[order]) for column in problem.columns),
        np.append(0, np.cumsum(sizes)),
        problem.code[taken],
        problem.count[taken],
        problem.values,
    )
    one, two = grow_tree(problem, demand), grow_tree(other, demand)
    classes = [Counter(tree.labels.tolist()) for tree in (one, two)]
    assert sorted(classes[0].values()) == sorted(classes[1].values())
    pairs = set(zip(one.labels[order].tolist(), two.labels.tolist(), strict=True))
    assert len(pairs) == one.size == two.size


def test_how_many_rows_are_different_decides_nothing() -> None:
    """The bound is told from public values and the multiset, not from who has which value."""
    values, amounts = np.array([0, 3]), np.array([5, 6])
    assert BoxCounts(3, values, amounts, ()).most_different == 6
    assert BoxCounts(30, values, amounts, ()).most_different == 11


def test_a_box_is_cut_in_two() -> None:
    left, right = RankBox((0, 2), (9, 7)).cut(1, 4)
    assert (left, right) == (RankBox((0, 2), (9, 4)), RankBox((0, 5), (9, 7)))


def test_small_tables_are_grown_as_ever() -> None:
    table = SmallTable([(float(i),) for i in range(12)])
    problem = table.problem([("a",), ("b",)] * 6, [("a",), ("b",)])
    demand = demand_of(TWO, [("a",), ("b",)])
    assert grow_tree(problem, demand).labels.tolist() == problem.grow(demand).labels.tolist()
