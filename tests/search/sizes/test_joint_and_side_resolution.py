"""Problem (3) and side information under resolution: what is asked holds, whenever the search is stopped."""

from __future__ import annotations

from collections.abc import Callable
from math import log2

import numpy as np
import pytest

from hartley.measures.overlap import components, maximin_information
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import Resolution
from hartley.model import JointRange, Partition
from hartley.search.effort import Effort
from hartley.search.greedy import component_joining, joint_search, narrowest_first
from hartley.search.sizes.components import least_joining_size
from paper_levels import Levels, istar_levels, joint_levels, l0_levels
from reference_optimal_resolution import random_table, truth

EXACT = 1e-12
NOW = Effort(should_stop=lambda: True)


def steps_of(run_partitions: Callable[[int], Partition], steps: int) -> list[Partition]:
    return [run_partitions(step) for step in range(steps + 1)]


def random_tables(seed: int, values: int, sides: int, count: int) -> list[JointRange]:
    rng = np.random.default_rng(seed)
    return [random_table(rng, values, sides) for _ in range(count)]


@pytest.mark.parametrize("effort", [Effort(), NOW], ids=["to the end", "stopped"])
def test_nothing_is_learnt_for_certain_at_any_level_of_problem_3(effort: Effort) -> None:
    for joint in random_tables(0, 14, 0, 20):
        levels = joint_levels(joint, effort).levels
        least = least_joining_size(joint.public.size, components(joint).size)
        assert levels[0].cost == least
        for level in levels:
            assert maximin_information(joint, level.partition) == 0
            assert level.partition.sizes.max() <= level.cost
            assert level.leakage_bits == pytest.approx(
                max_uncertainty_reduction(joint, level.partition), abs=EXACT
            )


def test_problem_3_is_feasible_exactly_from_the_least_joining_size_on() -> None:
    for joint in random_tables(1, 7, 0, 200):
        known = truth(joint)
        least = least_joining_size(joint.public.size, components(joint).size)
        for largest in range(1, joint.public.size + 1):
            assert (known.least_ratio_in_one_part(largest) is not None) == (largest >= least)


@pytest.mark.parametrize("effort", [Effort(), NOW], ids=["to the end", "stopped"])
@pytest.mark.parametrize("sides", [0, 3])
def test_problem_3_is_never_worse_than_greedy(effort: Effort, sides: int) -> None:
    for joint in random_tables(2 + sides, 9, sides, 12):
        run = joint_search(joint, Resolution(joint.public.size), 1.0)
        steps = steps_of(run.partition, run.steps)
        levels = joint_levels(joint, effort, steps).levels
        for step in steps:
            if maximin_information(joint, step) == 0:
                fitting = [level for level in levels if level.cost <= step.sizes.max()]
                assert fitting[-1].leakage_bits <= max_uncertainty_reduction(joint, step) + EXACT


@pytest.mark.parametrize("effort", [Effort(), NOW], ids=["to the end", "stopped"])
def test_with_side_information_no_level_is_worse_than_greedy(effort: Effort) -> None:
    for joint in random_tables(5, 9, 3, 12):
        utility = Resolution(joint.public.size)
        for greedy, search, measure in (
            (narrowest_first, l0_levels, max_uncertainty_reduction),
            (component_joining, istar_levels, maximin_information),
        ):
            run = greedy(joint, utility)
            steps = steps_of(run.partition, run.steps)
            levels = search(joint, effort, steps)
            for step in steps:
                fitting = [level for level in levels.levels if level.cost <= step.sizes.max()]
                assert fitting[-1].leakage_bits <= measure(joint, step) + EXACT
            for level in levels.levels:
                assert measure(joint, level.partition) == pytest.approx(level.leakage_bits, abs=EXACT)


def test_one_side_value_is_none_at_all() -> None:
    for joint in random_tables(6, 7, 1, 60):
        plain = joint.without_side()
        known = truth(plain)
        for levels, optimum in (
            (l0_levels(joint), known.least_ratio),
            (istar_levels(joint), known.fewest_parts),
        ):
            for level in levels.levels:
                assert level.leakage_bits == pytest.approx(log2(optimum(int(level.cost))), abs=EXACT)


def test_a_merge_can_leak_more_to_a_reader_with_side_information() -> None:
    # Value b is seen with u only: dealt to a cluster that shows two candidates under v, it shows one under u.
    joint = JointRange.from_pairs(
        [("a", 1, "v"), ("c", 2, "v"), ("b", 1, "u"), ("d", 2, "u"), ("d", 1, "u"), ("d", 3, "u")]
    )
    apart = Partition.from_clusters([[0, 1], [2, 3]])
    dealt = Partition.from_clusters([[0, 1, 2], [3]])
    assert max_uncertainty_reduction(joint, apart) < max_uncertainty_reduction(joint, dealt)
    assert l0_levels(joint).levels[-1].leakage_bits == max_uncertainty_reduction(joint, apart)


def test_few_clusters_are_found_beside_many() -> None:
    # Of many clusters each must show few candidates; here two clusters of five and three leak less.
    rows = [(0, 3, 0), (0, 1, 1), (1, 1, 0), (1, 3, 0), (2, 3, 0), (2, 1, 1), (3, 0, 0), (3, 2, 0), (3, 4, 0)]
    rows += [(4, 0, 0), (4, 2, 0), (4, 4, 0), (5, 0, 0), (5, 2, 0), (5, 4, 1), (6, 4, 0), (6, 0, 1)]
    rows += [(6, 2, 1), (7, 2, 0), (7, 4, 0), (7, 0, 1)]
    joint = JointRange.from_pairs(rows)
    for search in (l0_levels, joint_levels):
        found = {level.cost: level.leakage_bits for level in search(joint).levels}
        assert found[5] == pytest.approx(log2(5 / 4))


def test_searches_with_side_information_repeat_themselves() -> None:
    joint = random_tables(7, 10, 2, 1)[0]
    for search in (l0_levels, istar_levels, joint_levels):
        one, other = search(joint, Effort(seed=3)), search(joint, Effort(seed=3))
        assert partitions_of(one) == partitions_of(other)


@pytest.mark.parametrize("search", [l0_levels, istar_levels, joint_levels])
def test_levels_with_side_information_are_offered_as_they_are_found(search) -> None:
    offered = 0

    def hear(levels) -> None:
        nonlocal offered
        for level in levels():
            offered += 1
            if search is joint_levels:
                assert maximin_information(joint, level.partition) == 0
            measure = maximin_information if search is istar_levels else max_uncertainty_reduction
            assert measure(joint, level.partition) == pytest.approx(level.leakage_bits, abs=EXACT)

    for joint in random_tables(8, 12, 2, 10):
        found = search(joint, Effort(found=hear))
        assert offered >= len(found.levels)
    assert offered > 10


def partitions_of(levels: Levels) -> list[Partition]:
    return [level.partition for level in levels.levels]
