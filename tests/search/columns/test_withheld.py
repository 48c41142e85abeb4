"""Rows withheld where values have no order, against all partitions and all blocks that may be withheld."""

from __future__ import annotations

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.overlap import components
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.measures.verdicts import kept_by_each
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.few_values import walk
from hartley.search.problem import Problem
from hartley.search.solve import solve
from hartley.search.withheld import (
    joining_values,
    rows_of_values,
    without_values,
    worst_clusters,
)
from reference_every_partition import every_partition

TABLES = 8
SIZE = 5


def random_tuples(rng):
    publics = list({tuple(pair) for pair in rng.integers(0, 9, (40, 2)).tolist()})[:SIZE]
    rows = [
        (x, int(s))
        for x in publics
        for s in rng.choice(4, size=rng.integers(1, 3), replace=False)
        for _ in range(rng.integers(1, 3))
    ]
    return JointRange.from_pairs(rows)


def least_of_all(joint, utility, wanted, budget):
    """The least worst cost, from the definition."""
    rows, best = rows_of_values(joint), np.inf
    for labels in every_partition(joint.public.size):
        partition = Partition(labels)
        released = joint.release(partition)
        if np.diff(released.indptr).min() < wanted:
            continue
        costs = utility.costs(partition)
        best = min(best, costs.max())
        for cluster in range(partition.size):
            if rows[partition.labels == cluster].sum() <= budget:
                best = min(best, np.delete(costs, cluster).max(initial=0.0))
    return best


@pytest.mark.parametrize("few", [12, 0])
def test_tuples_withheld_against_all_partitions(few, monkeypatch):
    """With ``few`` at 0 the search of many tuples is asked."""
    monkeypatch.setattr(walk, "MOST_VALUES", few)
    rng = np.random.default_rng(11)
    met = asked_for = 0
    for _ in range(TABLES):
        joint = random_tuples(rng)
        utility = ColumnsDistortion.of(joint.public, "midpoint")
        for wanted, budget in ((2, 0), (2, 3), (3, 2), (3, 5)):
            requirement = Requirement("distinct-l", wanted)
            question = Problem(joint=joint, utility=utility, requirements=(requirement,), budget=budget)
            try:
                answer = solve(question)
            except UnreachableError:
                continue
            best = least_of_all(joint, utility, wanted, budget)
            assert answer.lower_bound_cost <= best + 1e-12
            assert best <= answer.cost + 1e-12
            assert answer.withheld_rows == rows_of_values(joint)[answer.withheld].sum() <= budget
            assert kept_by_each(joint.release(answer.partition), requirement).min() >= wanted
            asked_for += 1
            met += answer.cost <= best + 1e-12
    assert met == asked_for or (few == 0 and met >= 0.95 * asked_for)


def test_any_utility_withholds_its_worst_clusters_whole(monkeypatch):
    rng = np.random.default_rng(12)
    for few in (12, 0):
        monkeypatch.setattr(walk, "MOST_VALUES", few)
        for _ in range(TABLES):
            joint = random_tuples(rng)
            gaps = rng.integers(1, 9, (joint.public.size,) * 2).astype(float)
            utility = MatrixDistortion(np.triu(gaps, 1) + np.triu(gaps, 1).T)
            requirement = Requirement("distinct-l", 2)
            costs = []
            for budget in (0, 2, 4):
                question = Problem(joint=joint, utility=utility, requirements=(requirement,), budget=budget)
                answer = solve(question)
                best = least_of_all(joint, utility, 2, budget)
                assert best <= answer.cost + 1e-12
                assert few == 0 or answer.cost <= best + 1e-12
                assert kept_by_each(joint.release(answer.partition), requirement).min() >= 2
                costs.append(answer.cost)
            assert costs == sorted(costs, reverse=True)


def test_worst_clusters_are_all_those_above_a_cost():
    costs, rows = np.array([3.0, 1.0, 3.0, 2.0]), np.array([2, 9, 2, 4])
    assert [worst_clusters(costs, rows, budget).tolist() for budget in (0, 3, 4, 8, 17)] == [
        [],
        [],
        [0, 2],
        [0, 2, 3],
        [0, 2, 3],
    ]


def test_a_value_of_each_component_joins_them_all():
    joint = JointRange.from_pairs([(1, "a"), (1, "a"), (2, "a"), (3, "b"), (4, "c"), (4, "c")])
    untouched = Partition.singletons(4)
    assert components(joint).size == 3
    for budget, left in ((1, 3), (2, 2), (4, 1)):
        withheld = joining_values(joint, untouched, budget)
        assert components(joint.release(without_values(untouched, withheld))).size == left
        assert rows_of_values(joint)[withheld].sum() <= budget
