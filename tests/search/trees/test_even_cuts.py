"""Many columns that tell nothing: cuts near the middle, and none that cuts off next to nothing."""

from __future__ import annotations

import numpy as np

from hartley.model.alphabet import Alphabet
from hartley.model.requirement import Requirement
from hartley.search.trees import TreeColumn, TreeDemand, TreeProblem

ROWS, SECRETS = 1_000, 30
CELLS = (90, 1000, 12, 40, 7, 300, 60, 20)


def test_a_tree_over_many_unrelated_columns_is_about_as_deep_as_an_even_one() -> None:
    draw = np.random.default_rng(2)
    cells = np.column_stack([draw.integers(0, most, ROWS) for most in CELLS])
    assert len(np.unique(cells, axis=0)) == ROWS
    problem = TreeProblem(
        tuple(TreeColumn.ordered(column.astype(float)) for column in cells.T),
        np.arange(ROWS + 1),
        np.minimum(draw.zipf(1.5, ROWS) - 1, SECRETS - 1).astype(np.int64),
        np.ones(ROWS, dtype=np.int64),
        SECRETS,
    )
    tree = problem.grow(TreeDemand.of([Requirement("distinct-l", 5)], Alphabet.of_values(range(SECRETS))))
    depth = np.zeros(len(tree.child), dtype=np.int64)
    for node in np.flatnonzero(tree.child >= 0):
        depth[tree.child[node] : tree.child[node] + 2] = depth[node] + 1
    assert depth[tree.node_of_class[tree.labels]].mean() < 1.2 * np.log2(tree.size)
