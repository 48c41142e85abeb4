"""Local search with bounds for any dissimilarity, several columns and side information."""

from __future__ import annotations

import random
from math import log2

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.overlap import components, maximin_information, overlap_partition
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import LineDistortion, Utility
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.any_utility import AnyAxis
from hartley.search.codeword_costs import shared_costs
from hartley.search.effort import Effort
from hartley.search.few_values import walk
from hartley.search.problem import Problem
from hartley.search.solve import solve
from hartley.search.sweep import Sweep
from paper_levels import levels_of_any_utility
from reference_optimal_distortion import Instance, component_count, instances, set_partitions


def partition_of(masks: tuple[int, ...], size: int) -> Partition:
    return Partition(np.array([next(i for i, m in enumerate(masks) if m >> x & 1) for x in range(size)]))


def utilities(instance: Instance, source: random.Random) -> list[Utility]:
    size = len(instance.positions)
    line = LineDistortion(np.array(instance.positions), "centroid")
    table = np.array([[source.randrange(20) for _ in range(size)] for _ in range(size)], dtype=float)
    pairs = [(source.randrange(9), source.choice("abc")) for _ in range(size)]
    cells = list(dict.fromkeys(pairs))
    while len(cells) < size:
        cells.append((10 + len(cells), "a"))
    public = Alphabet.of_values(cells, columns=("number", "letter"))
    columns = ColumnsDistortion.of(public, combination=source.choice(["max", "sum"]))
    return [line, MatrixDistortion(table), columns]


def test_no_level_is_worse_than_a_start():
    source = random.Random(3)
    size = 40
    table = np.abs(np.subtract.outer(*[np.array([source.random() for _ in range(size)])] * 2))
    joint = JointRange.from_codes(
        public_codes=np.arange(size), sensitive_codes=np.array([i % 9 for i in range(size)])
    )
    utility = MatrixDistortion(table)
    order = np.argsort(table[0])
    starts = []
    for width in (2, 4, 8, 16):
        labels = np.empty(size, dtype=int)
        labels[order] = np.arange(size) // width
        starts.append(Partition(labels))
    found = levels_of_any_utility(joint, utility, "l0", starts=starts)
    for start in starts:
        cost = float(utility.costs(start).max())
        within = [level for level in found.levels if level.cost <= cost]
        assert within[-1].leakage_bits <= max_uncertainty_reduction(joint, start)


def test_shared_cost_is_never_above_the_cost_of_a_cluster_that_holds_both():
    source = random.Random(8)
    for instance in instances(60, seed=9):
        size = len(instance.positions)
        for utility in utilities(instance, source):
            shared = shared_costs(utility)
            for masks in set_partitions(size)[:: 7 if size > 5 else 1]:
                partition = partition_of(masks, size)
                costs = utility.costs(partition)[partition.labels]
                for x in range(size):
                    for y in np.flatnonzero(partition.labels == partition.labels[x]).tolist():
                        assert shared[x, y] <= costs[x]


def test_one_level_within_a_cost_and_its_refusal():
    joint = JointRange.from_pairs([(1, "a"), (2, "b"), (3, "c")])
    utility = MatrixDistortion(np.array([[0.0, 1, 5], [1, 0, 5], [5, 5, 0]]))
    level = Sweep(AnyAxis(joint, utility, "l0")).best_within(5.0)
    assert (level.leakage_bits, level.proven_optimal) == (0.0, True)
    with pytest.raises(UnreachableError, match="at most 1"):
        Sweep(AnyAxis(joint, utility, "joint")).best_within(1.0)


def test_stopping_at_once_still_gives_the_starts_with_bounds():
    joint = JointRange.from_pairs([(i, i % 3) for i in range(9)])
    utility = LineDistortion(np.arange(9.0), "midpoint")
    found = levels_of_any_utility(joint, utility, "l0", Effort(should_stop=lambda: True))
    assert not found.complete
    assert [level.leakage_bits for level in found.levels] == [log2(3), 0.0]
    assert all(level.lower_bound_bits <= level.leakage_bits for level in found.levels)


def test_levels_between_those_given_are_found():
    # Nothing is given, and the values are more than are enumerated: pairs of them give the levels.
    positions = np.array([0.0, 1, 10, 12, 30, 33, 60, 64, 100, 105, 150, 156, 210, 217])
    joint = JointRange.from_pairs([(i, i % 2) for i in range(14)])
    found = levels_of_any_utility(
        joint, MatrixDistortion(np.abs(np.subtract.outer(positions, positions))), "l0"
    )
    assert [(level.cost, level.leakage_bits) for level in found.levels] == [(0.0, 1.0), (7.0, 0.0)]
    assert all(level.proven_optimal for level in found.levels)


@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
def test_levels_are_offered_as_they_are_found_and_each_is_true(leakage):
    source = random.Random(4)
    joint = JointRange.from_pairs([(i, source.randrange(7), source.randrange(2)) for i in range(14)])
    utility = LineDistortion(np.array([float(source.randrange(60)) for _ in range(14)]), "centroid")
    offered = []
    found = levels_of_any_utility(
        joint, utility, leakage, Effort(found=lambda levels: offered.append(tuple(levels())))
    )
    assert [level.cost for level in offered[-1]] == [level.cost for level in found.levels]
    measure = maximin_information if leakage == "istar" else max_uncertainty_reduction
    for levels in offered:
        for level in levels:
            assert level.leakage_bits == measure(joint, level.partition)
            assert level.cost == utility.costs(level.partition).max()
            assert leakage != "joint" or maximin_information(joint, level.partition) == 0


@pytest.mark.parametrize("several_columns", [False, True])
def test_far_from_zero_two_values_share_a_cluster_at_what_it_is_said_to_cost(several_columns):
    """Seconds since 1970 in tenths: a mean is off by more than a billionth of the distance of two values."""
    subsets = [np.array([member >> x & 1 for x in range(6)]) for member in range(1, 32)]
    for seed in range(25):
        source = random.Random(seed)
        places = [1.7e9 + x / 10 for x in sorted(source.sample(range(60), 6))]
        utility: Utility = LineDistortion(np.array(places), "centroid")
        if several_columns:
            public = Alphabet.of_values([(x, "a") for x in places], columns=("time", "letter"))
            utility = ColumnsDistortion.of(public, codeword="centroid")
        shared = shared_costs(utility)
        for subset in subsets:
            partition = Partition(subset)
            for cluster, cost in zip(range(partition.size), utility.costs(partition), strict=True):
                members = np.flatnonzero(partition.labels == cluster)
                assert shared[np.ix_(members, members)].max() <= cost


def test_component_count_of_the_reference():
    assert component_count([0b011, 0b100, 0b110]) == 1
    assert component_count([0b001, 0b010]) == 2


def test_few_components_are_counted_among_sensitive_values_where_a_reader_knows_something(monkeypatch):
    monkeypatch.setattr(walk, "MOST_VALUES", 0)
    source, looked_at = random.Random(11), 0
    for _ in range(150):
        size = source.randrange(3, 8)
        pairs = [(x, source.randrange(4), source.choice("fg")) for x in range(size) for _ in range(2)]
        joint = JointRange.from_pairs(pairs)
        table = np.array([[source.randrange(6) for _ in range(size)] for _ in range(size)], dtype=float)
        limit = Requirement("istar", 0.0)
        problem = Problem(
            joint=joint, utility=MatrixDistortion(table), requirements=(limit,), leakage="istar"
        )
        looked_at += overlap_partition(joint).size > components(joint).size
        try:
            answer = solve(problem)
        except UnreachableError:
            assert maximin_information(joint, Partition.whole(size)) > 0, pairs
            continue
        assert maximin_information(joint, answer.partition) == 0, pairs
    assert looked_at > 10


def test_nothing_is_joined_where_what_is_certain_has_no_limit(monkeypatch):
    monkeypatch.setattr(walk, "MOST_VALUES", 0)
    joint = JointRange.from_pairs([(x, x) for x in range(5)])
    utility = MatrixDistortion(np.full((5, 5), 4.0) - 4 * np.eye(5))
    for asked in ((), (Requirement("distinct-l", 1),)):
        answer = solve(Problem(joint=joint, utility=utility, requirements=asked, leakage="istar"))
        assert (answer.cost, answer.partition.size, answer.lower_bound_cost) == (0, 5, 0)
