"""Every search under resolution against all set partitions of small tables.

Bound ≤ optimum ≤ found, always; equality wherever optimality is claimed; and every bound passes
the check that shares no code with the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log2

import numpy as np
import pytest

from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.model import JointRange, Partition
from hartley.search.optimal.certificates import is_valid_bound
from hartley.search.optimal.istar_resolution import istar_level, istar_levels
from hartley.search.optimal.joint_resolution import joint_levels
from hartley.search.optimal.l0_resolution import l0_level, l0_levels, least_largest_cluster
from hartley.search.optimal.level import Levels
from hartley.search.optimal.side_resolution import side_istar_levels, side_joint_levels, side_l0_levels
from reference_optimal_resolution import Truth, random_table, truth

EXACT = 1e-12
INSTANCES = 1_500

Measure = Callable[[JointRange, Partition], float]
Optimum = Callable[[Truth, int], float | None]


def least_ratio(known: Truth, largest: int) -> float:
    return known.least_ratio(largest)


def fewest_parts(known: Truth, largest: int) -> float:
    return known.fewest_parts(largest)


def least_ratio_in_one_part(known: Truth, largest: int) -> float | None:
    return known.least_ratio_in_one_part(largest)


def tables(seed: int, most_values: int, most_sides: int = 0) -> Iterator[JointRange]:
    rng = np.random.default_rng(seed)
    for number in range(INSTANCES):
        # A few tables are larger: eight values have 4,140 partitions.
        values = most_values if number % 50 else most_values + 1
        yield random_table(rng, values, int(rng.integers(1, most_sides + 1)) if most_sides else 0)


def assert_level_by_level(
    joint: JointRange, levels: Levels, known: Truth, optimum: Optimum, measure: Measure
) -> tuple[int, int]:
    """Hold every level against the truth; give how many sizes were proven, of how many."""
    proven = asked = 0
    for level in levels.levels:
        partition = level.partition
        best = optimum(known, int(level.cost))
        assert best is not None
        assert partition.sizes.max() <= level.cost
        assert measure(joint, partition) == pytest.approx(level.leakage_bits, abs=EXACT)
        assert level.lower_bound_bits <= log2(best) + EXACT
        assert log2(best) <= level.leakage_bits + EXACT
        assert not level.proven_optimal or abs(level.leakage_bits - log2(best)) < EXACT
        assert is_valid_bound(joint, level.cost, level.lower_bound_bits, level.certificate)
    for largest in range(1, joint.public.size + 1):
        fitting = [level for level in levels.levels if level.cost <= largest]
        best = optimum(known, largest)
        if fitting and best is not None:
            asked += 1
            reached = abs(fitting[-1].leakage_bits - log2(best)) < EXACT
            proven += reached and fitting[-1].proven_optimal
    return proven, asked


SEARCHES = {
    "l0": (l0_levels, least_ratio, max_uncertainty_reduction, 7, 0, 1.0),
    "istar": (istar_levels, fewest_parts, maximin_information, 7, 0, 1.0),
    "joint": (joint_levels, least_ratio_in_one_part, max_uncertainty_reduction, 7, 0, 0.995),
    "l0 with side": (side_l0_levels, least_ratio, max_uncertainty_reduction, 4, 3, 0.9),
    "istar with side": (side_istar_levels, fewest_parts, maximin_information, 4, 3, 0.9),
    "joint with side": (side_joint_levels, least_ratio_in_one_part, max_uncertainty_reduction, 4, 3, 0.85),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_bound_optimum_and_found_come_in_this_order(name: str) -> None:
    search, optimum, measure, values, sides, least_share = SEARCHES[name]
    proven = asked = 0
    for joint in tables(len(name), values, sides):
        counts = assert_level_by_level(joint, search(joint), truth(joint), optimum, measure)
        proven, asked = proven + counts[0], asked + counts[1]
    assert proven >= least_share * asked > INSTANCES


def test_the_levels_leave_no_size_out() -> None:
    # For a size between two levels the lemma says: nothing better than the level below.
    for joint in tables(1, 6):
        known = truth(joint)
        for levels, optimum in ((l0_levels(joint), least_ratio), (istar_levels(joint), fewest_parts)):
            for largest in range(1, joint.public.size + 1):
                level = [level for level in levels.levels if level.cost <= largest][-1]
                assert level.leakage_bits == pytest.approx(log2(optimum(known, largest)), abs=EXACT)


def test_one_level_alone_is_the_level_of_the_frontier() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        joint = random_table(rng, 7)
        known = truth(joint)
        for largest in range(1, joint.public.size + 1):
            for level, optimum in (
                (l0_level(joint, largest), least_ratio),
                (istar_level(joint, largest), fewest_parts),
            ):
                assert level.cost <= largest
                assert level.proven_optimal
                assert level.leakage_bits == pytest.approx(log2(optimum(known, largest)), abs=EXACT)


def test_the_least_cluster_size_for_a_number_of_candidates() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        joint = random_table(rng, 7)
        known = truth(joint)
        sensitive = joint.sensitive.size
        for wanted in range(1, sensitive + 1):
            reached = least_largest_cluster(joint, wanted)
            least = int(known.largest[known.ratio <= sensitive / wanted + EXACT].min())
            assert (reached.level.cost, reached.proven_least) == (least, True)
            assert 2**reached.level.leakage_bits <= sensitive / wanted + EXACT
