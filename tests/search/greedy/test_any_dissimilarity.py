"""Greedy searches under dissimilarities of any kind: same merges as the twins under the plain definition."""

from __future__ import annotations

import random
from math import inf, isnan, sqrt

import numpy as np
import pytest

import reference
from greedy_instances import random_joint, small_size
from hartley.errors import ColumnError, InputError, OptionError
from hartley.measures.utility import LineDistortion, Utility
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.measures.utility.several_columns import COMBINATIONS, ColumnsDistortion, Combination
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.words import CODEWORDS, Codeword
from hartley.search.greedy import component_joining, joint_search, narrowest_first

TABLE = {("a", "b"): 1.0, ("a", "c"): 3.0, ("b", "c"): 2.0}


def matrix_cost(table: np.ndarray) -> reference.Cost:
    def cost(cluster: reference.Cluster) -> float:
        members = cluster.members
        if len(members) == 1:
            return 0.0
        worst = [max(table[u, v] if u != v else 0.0 for u in members) for v in members]
        return inf if any(isnan(table[u, v]) for u in members for v in members if u != v) else min(worst)

    return cost


def columns_cost(
    rows: list[tuple[float, str]], codeword: Codeword, combination: Combination
) -> reference.Cost:
    """A number column with scale 10, and a category column with a table."""

    def unlike(one: str, other: str) -> float:
        return 0.0 if one == other else TABLE.get((one, other), TABLE.get((other, one), inf))

    def cost(cluster: reference.Cluster) -> float:
        numbers = [rows[i][0] / 10 for i in cluster.members]
        words = [rows[i][1] for i in cluster.members]
        low, high = min(numbers), max(numbers)
        if codeword == "midpoint":
            number = (low + high) / 2
        elif codeword == "centroid":
            number = sum(numbers) / len(numbers)
        else:
            number = min(numbers, key=lambda v: round(max(v - low, high - v), 12))
        word = min(words, key=lambda w: max(unlike(u, w) for u in words))
        far = [(abs(v - number), unlike(w, word)) for v, w in zip(numbers, words, strict=True)]
        if combination == "max":
            return max(max(pair) for pair in far)
        return max(sum(pair) if combination == "sum" else sqrt(pair[0] ** 2 + pair[1] ** 2) for pair in far)

    return cost


def same_merges(joint: JointRange, utility: Utility, cost: reference.Cost) -> None:
    pairs = [
        (narrowest_first(joint, utility), reference.narrowest_first(joint, cost)),
        (component_joining(joint, utility), reference.component_joining(joint, cost)),
        (joint_search(joint, utility, 0.5), reference.joint_search(joint, cost, utility.of_cost, 0.5)),
    ]
    for run, steps in pairs:
        assert run.merges == [merge for step in steps for merge in step]
        assert np.diff(run.ends).tolist() == [len(step) for step in steps]


@pytest.mark.parametrize("side", [False, True])
def test_searches_under_a_table_merge_as_their_twins(side: bool) -> None:
    rng = random.Random(3)
    for _ in range(250):
        size = small_size(rng, 12)
        # Small integers: many ties; not symmetric, no triangle inequality.
        table = np.array([[float(rng.randrange(6)) for _ in range(size)] for _ in range(size)])
        if rng.random() < 0.3:
            table[rng.randrange(size)] = np.nan
            table[:, np.isnan(table).any(axis=1)] = np.nan
        same_merges(random_joint(rng, size, side), MatrixDistortion(table), matrix_cost(table))


@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize("codeword", CODEWORDS)
def test_costs_over_columns_are_those_of_the_definition(codeword: Codeword, combination: Combination) -> None:
    rng = random.Random(4)
    for _ in range(60):
        size = rng.randint(2, 9)
        rows = [(float(i * 8 % 23), rng.choice("abc")) for i in range(size)]
        public = Alphabet.of_values(rows, columns=("number", "word"))
        utility = ColumnsDistortion.of(
            public,
            codeword,
            combination=combination,
            scales={"number": 10.0},
            dissimilarities={"word": TABLE},
        )
        cost = columns_cost(rows, codeword, combination)
        partition = Partition(np.array([rng.randrange(3) for _ in range(size)]))
        expected = [
            cost(reference.Cluster(tuple(cluster), frozenset(), 0.0)) for cluster in partition.clusters()
        ]
        assert utility.costs(partition) == pytest.approx(expected)


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_one_number_column_is_the_line(codeword: Codeword) -> None:
    rng = random.Random(5)
    for _ in range(60):
        size = rng.randint(2, 14)
        values = rng.sample(range(100), size)
        public = Alphabet.of_values(values, columns=("number",))
        joint = random_joint(rng, size)
        line, columns = (
            LineDistortion.of(public, codeword),
            ColumnsDistortion.of(public, codeword, scales={"number": 1.0}),
        )
        for search in (narrowest_first, component_joining):
            assert search(joint, line) == search(joint, columns)


def test_missing_cells_are_as_far_from_others_as_categories_are() -> None:
    rows = [(1, "a"), (None, "a"), (2, "b"), (3, None)]
    utility = ColumnsDistortion.of(Alphabet.of_values(rows, columns=("number", "word")))
    assert utility.costs(Partition.from_clusters([[0, 1], [2, 3]])).tolist() == [1, 1]
    assert utility.costs(Partition.from_clusters([[0], [1], [2], [3]])).tolist() == [0, 0, 0, 0]


def test_a_function_of_two_values_makes_a_table() -> None:
    public = Alphabet.of_values(["a", "bb", None, "dddd"])
    utility = MatrixDistortion.of(public, lambda true, released: abs(len(true) - len(released)))
    assert utility.costs(Partition.from_clusters([[0, 1, 3], [2]])).tolist() == [2.0, 0.0]
    assert utility.costs(Partition.whole(4)).tolist() == [inf]


def test_text_without_a_dissimilarity_is_refused() -> None:
    words = Alphabet.of_values([("a", "x"), ("b", "y")], columns=("one", "two"))
    assert ColumnsDistortion.of(words).costs(Partition.whole(2)).tolist() == [1]
    with pytest.raises(InputError, match="give a dissimilarity"):
        LineDistortion.of(Alphabet.of_values(["a", "b"], columns=("one",)))


def test_wrong_options_are_refused() -> None:
    public = Alphabet.of_values([(1, "a"), (2, "b"), (3, "c")], columns=("number", "word"))
    with pytest.raises(ColumnError, match="numbr"):
        ColumnsDistortion.of(public, scales={"numbr": 1.0})
    with pytest.raises(OptionError, match="above zero"):
        ColumnsDistortion.of(public, scales={"number": 0.0})
    with pytest.raises(InputError, match="all pairs"):
        ColumnsDistortion.of(public, dissimilarities={"word": {("a", "b"): 1.0}})
    with pytest.raises(InputError, match="square"):
        MatrixDistortion(np.zeros((2, 3)))
    with pytest.raises(InputError, match="below zero"):
        MatrixDistortion(np.array([[0.0, -1.0], [1.0, 0.0]]))
    with pytest.raises(OptionError, match="utility weight"):
        joint_search(random_joint(random.Random(1), 3), MatrixDistortion(np.zeros((3, 3))), -1.0)
