"""Least maximin information under resolution: the closed form, its construction, and where greedy loses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from hartley.errors import InputError
from hartley.measures.overlap import maximin_information, overlap_partition
from hartley.measures.utility import Resolution
from hartley.model import JointRange, Partition
from hartley.search.greedy import component_joining
from hartley.search.sizes.components import Joiner, least_components, least_joining_size
from hartley.search.sizes.withheld import Withholding
from paper_levels import istar_level, istar_levels
from reference_optimal_resolution import truth


def size_vectors(total: int, most: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for size in range(min(total, most), 0, -1):
        for rest in size_vectors(total - size, size):
            yield (size, *rest)


def table_of(sizes: tuple[int, ...]) -> JointRange:
    """One sensitive value for each component; only its size matters."""
    component = np.repeat(np.arange(len(sizes)), sizes)
    return JointRange.from_codes(public_codes=np.arange(len(component)), sensitive_codes=component)


def greedy_components(joint: JointRange, largest: int) -> int:
    run = component_joining(joint, Resolution(joint.public.size))
    steps = (run.partition(step) for step in range(run.steps + 1))
    return min(overlap_partition(joint, step).size for step in steps if step.sizes.max() <= largest)


@pytest.mark.parametrize("total", range(1, 8))
def test_the_closed_form_is_the_optimum_for_all_sizes_of_components(total: int) -> None:
    for sizes in size_vectors(total, total):
        joint = table_of(sizes)
        known = truth(joint)
        for largest in range(1, total + 1):
            level = istar_level(joint, largest)
            assert least_components(total, len(sizes), largest) == known.fewest_parts(largest)
            assert maximin_information(joint, level.partition) == level.leakage_bits
            assert level.partition.sizes.max() <= largest


def test_the_construction_attains_the_closed_form_on_large_tables() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        sizes = np.minimum(40, 1 + rng.pareto(1.2, size=rng.integers(1, 60)).astype(int))
        groups = Partition(rng.permutation(np.repeat(np.arange(len(sizes)), sizes)))
        total = len(groups.labels)
        largest = int(rng.integers(1, 9))
        partition = Joiner.of(groups).partition(largest)
        assert partition.sizes.max() <= largest
        assert groups.join(partition).size == least_components(total, len(sizes), largest)


def test_one_component_can_be_left_from_the_least_joining_size_on() -> None:
    for size in range(1, 30):
        for parts in range(1, size + 1):
            least = least_joining_size(size, parts)
            assert least_components(size, parts, least) == 1
            assert least == 1 or least_components(size, parts, least - 1) > 1


def test_the_smallest_case_where_greedy_loses() -> None:
    # spec: sizes (2, 1, 1, 1, 1), m = 3: after the pairs, greedy has no cluster of three.
    joint = table_of((2, 1, 1, 1, 1))
    assert greedy_components(joint, 3) == 2
    assert istar_level(joint, 3).leakage_bits == 0


@pytest.mark.parametrize("total", range(1, 6))
def test_greedy_does_not_lose_on_smaller_tables(total: int) -> None:
    for sizes in size_vectors(total, total):
        joint = table_of(sizes)
        for largest in range(1, total + 1):
            assert greedy_components(joint, largest) == least_components(total, len(sizes), largest)


def test_levels_fall_and_measure_what_they_say() -> None:
    rng = np.random.default_rng(1)
    component = rng.integers(0, 2_500, size=3_000)
    joint = JointRange.from_codes(
        public_codes=np.arange(3_000), sensitive_codes=np.unique(component, return_inverse=True)[1]
    )
    levels = istar_levels(joint)
    assert levels.complete
    assert len(levels.levels) > 1
    assert levels.levels[-1].leakage_bits == 0
    assert all(one.leakage_bits > other.leakage_bits for one, other in pairwise(levels.levels))
    for level in levels.levels:
        assert maximin_information(joint, level.partition) == level.leakage_bits
        assert level.proven_optimal


def test_side_information_is_refused() -> None:
    joint = JointRange.from_pairs([("a", 1, 0), ("b", 2, 1)])
    with pytest.raises(InputError, match="side"):
        Withholding(joint, 0)
