"""Least distortion for every number of candidates: the paper's data, effort, starts, certificates."""

from __future__ import annotations

import csv
import random
from itertools import count

import numpy as np
import pytest

from hartley.errors import InputError, OptionError, UnreachableError
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.search.effort import Effort
from hartley.search.line.bounds import counting_bound
from hartley.search.sizes.cluster_count import most_clusters
from line_search import Line, least_distortion
from paper_levels import (
    candidate_search,
    istar_distortion_levels,
    joint_distortion_levels,
    l0_distortion_levels,
)

MIDPOINT_TABLE = {
    2: 37,
    3: 42.5,
    4: 56,
    5: 68.5,
    6: 99.5,
    8: 105,
    10: 122.5,
    12: 128,
    16: 132,
    20: 147.5,
    25: 153,
    30: 166,
    38: 306,
}
"""Least midpoint distortion of cholesterol, missing at -9, for each number of ages (hungarian_heart)."""
CENTROID_TABLE = {
    2: 37,
    3: 53,
    4: 67.75,
    5: 408 / 5,
    6: 607 / 6,
    7: 816 / 7,
    8: 128.25,
    9: 133,
    10: 1700 / 12,
    12: 150.8,
    16: 168,
    20: 2573 / 14,
    37: 343.8766233766234,
}
"""Least centroid distortion; up to 12 candidates as long known, 16 and 20 better, all of them now proven."""


@pytest.fixture(scope="module")
def age_by_cholesterol(hungarian_heart):
    with hungarian_heart.open() as lines:
        rows = [(float(row["chol"] or -9), int(row["age"])) for row in csv.DictReader(lines)]
    return JointRange.from_pairs(rows, positions={x: x for x, _ in rows})


def random_joint(size: int, values: int, seed: int) -> tuple[JointRange, np.ndarray]:
    source = random.Random(seed)
    positions = np.array(source.sample(range(4 * size), size), dtype=float)
    codes = [source.randrange(values) for _ in range(size)]
    number = {code: i for i, code in enumerate(dict.fromkeys(codes))}
    joint = JointRange.from_codes(
        public_codes=np.arange(size), sensitive_codes=np.array([number[c] for c in codes])
    )
    return joint, positions


def test_every_midpoint_level_of_the_paper_s_data_is_proven(age_by_cholesterol):
    utility = LineDistortion.of(age_by_cholesterol.public)
    found = l0_distortion_levels(age_by_cholesterol, utility)
    assert found.complete
    assert all(level.proven_optimal for level in found.levels)
    for wanted, cost in MIDPOINT_TABLE.items():
        reached = [level for level in found.levels if level.leakage_bits <= np.log2(38 / wanted) + 1e-12]
        assert reached[0].cost == cost


@pytest.mark.parametrize(("wanted", "cost"), CENTROID_TABLE.items())
def test_centroid_levels_of_the_paper_s_data_are_proven(age_by_cholesterol, wanted, cost):
    utility = LineDistortion.of(age_by_cholesterol.public, "centroid")
    best = least_distortion(age_by_cholesterol, utility, wanted)
    assert best.cost == pytest.approx(cost)
    assert best.proven_optimal


def test_all_candidates_of_the_paper_s_data_need_one_cluster(age_by_cholesterol):
    """Four ages occur once, so two clusters cannot both hold 37 of 38 ages."""
    utility = LineDistortion.of(age_by_cholesterol.public)
    best = least_distortion(age_by_cholesterol, utility, 37)
    assert (best.cost, best.proven_optimal) == (306, True)


@pytest.mark.parametrize("size", [30, 60])
@pytest.mark.parametrize("wanted", [2, 3, 5, 8])
def test_midpoint_levels_of_random_families_are_proven(size, wanted):
    for seed, values in ((1, 10), (2, size // 3), (3, size // 2)):
        joint, positions = random_joint(size, values, seed)
        best = least_distortion(joint, LineDistortion(positions), min(wanted, joint.sensitive.size))
        assert best.proven_optimal


@pytest.mark.parametrize("codeword", ["midpoint", "centroid", "member"])
def test_the_same_seed_gives_the_same_levels(codeword):
    joint, positions = random_joint(16 if codeword == "centroid" else 40, 8, 5)
    utility = LineDistortion(positions, codeword)
    for search in (l0_distortion_levels, istar_distortion_levels, joint_distortion_levels):
        one, other = search(joint, utility, Effort(seed=3)), search(joint, utility, Effort(seed=3))
        assert [a.leakage_bits for a in one.levels] == [b.leakage_bits for b in other.levels]
        assert [a.partition for a in one.levels] == [b.partition for b in other.levels]


@pytest.mark.parametrize("codeword", ["midpoint", "centroid", "member"])
@pytest.mark.parametrize("patience", [0, 3, 40])
def test_stopped_early_gives_valid_levels_and_says_so(codeword, patience):
    joint, positions = random_joint(16 if codeword == "centroid" else 40, 10, 6)
    utility = LineDistortion(positions, codeword)
    for search in (l0_distortion_levels, istar_distortion_levels, joint_distortion_levels):
        asked = count()
        found = search(joint, utility, Effort(should_stop=lambda asked=asked: next(asked) >= patience))
        full = search(joint, utility)
        assert found.complete == (next(asked) <= patience)
        assert found.levels
        for level in found.levels:
            assert float(utility.costs(level.partition).max()) == level.cost
            assert level.lower_bound_bits <= level.leakage_bits
            better = [f for f in full.levels if f.cost <= level.cost]
            assert all(level.lower_bound_bits <= f.leakage_bits + 1e-12 for f in better)


def test_no_level_is_worse_than_a_start():
    joint, positions = random_joint(50, 15, 7)
    utility = LineDistortion(positions, "centroid")
    source = np.random.default_rng(0)
    starts = [Partition(source.integers(0, k, 50)) for k in (2, 5, 10)]
    starts.append(Partition(np.argsort(np.argsort(positions)) // 5))
    for search in (l0_distortion_levels, istar_distortion_levels):
        found = search(joint, utility, Effort(should_stop=lambda: True), starts)
        for start in starts:
            cost = float(utility.costs(start).max())
            best = min(level.leakage_bits for level in found.levels if level.cost <= cost)
            alone = search(joint, utility, Effort(should_stop=lambda: True), [start])
            assert best <= min(level.leakage_bits for level in alone.levels if level.cost <= cost)


def test_order_of_the_alphabet_does_not_matter():
    joint, positions = random_joint(30, 8, 9)
    order = np.random.default_rng(1).permutation(30)
    shuffled = JointRange.from_codes(
        public_codes=np.argsort(order)[joint.observation_of], sensitive_codes=joint.indices
    )
    one = l0_distortion_levels(joint, LineDistortion(positions))
    other = l0_distortion_levels(shuffled, LineDistortion(positions[order]))
    assert [(a.cost, a.leakage_bits) for a in one.levels] == [(b.cost, b.leakage_bits) for b in other.levels]


def test_values_without_a_position_stay_alone_and_limit_what_can_be_reached():
    joint = JointRange.from_pairs([(0, "a"), (0, "b"), (1, "a"), (2, "b"), (3, "c")])
    utility = LineDistortion(np.array([np.nan, 1.0, 2.0, 3.0]))
    found = l0_distortion_levels(joint, utility)
    assert [level.cost for level in found.levels] == [0.0, 1.0]
    assert all([0] in level.partition.clusters() for level in found.levels)
    with pytest.raises(UnreachableError, match="is 2"):
        least_distortion(joint, utility, 3)


def test_only_values_without_a_position():
    joint = JointRange.from_pairs([(0, "a"), (1, "b")])
    utility = LineDistortion(np.array([np.nan, np.nan]))
    assert [level.cost for level in l0_distortion_levels(joint, utility).levels] == [0.0]
    assert [level.cost for level in istar_distortion_levels(joint, utility).levels] == [0.0]
    with pytest.raises(UnreachableError, match="2 components remain"):
        joint_distortion_levels(joint, utility)


def test_senseless_calls_are_refused():
    joint, positions = random_joint(10, 3, 1)
    utility = LineDistortion(positions)
    with pytest.raises(OptionError, match="at least 1 candidate"):
        least_distortion(joint, utility, 0)
    with pytest.raises(OptionError, match="0 or more"):
        candidate_search(joint, utility).best_within(-1.0)
    with pytest.raises(InputError, match="do not fit"):
        least_distortion(joint, LineDistortion(positions[:5]), 2)
    beside = JointRange.from_pairs([(1, "a", "u"), (2, "b", "v")])
    with pytest.raises(InputError, match="side information"):
        least_distortion(beside, LineDistortion(np.array([1.0, 2.0])), 2)


def test_long_lines_meet_the_window_bound():
    size = 30_000
    source = np.random.default_rng(2)
    joint = JointRange.from_codes(
        public_codes=np.arange(size),
        sensitive_codes=np.concatenate([np.arange(50), source.integers(0, 50, size - 50)]),
    )
    utility = LineDistortion(np.sort(source.choice(20 * size, size, replace=False)).astype(float))
    best = least_distortion(joint, utility, 5)
    assert best.lower_bound > 0
    assert best.cost <= 1.05 * best.lower_bound


def test_the_solver_prints_nothing(capfd, age_by_cholesterol):
    least_distortion(age_by_cholesterol, LineDistortion.of(age_by_cholesterol.public, "centroid"), 10)
    assert capfd.readouterr().out == ""


def test_few_clusters_are_wide():
    """Each of three sensitive values occurs twice: two clusters at most, over a line of 0 to 100."""
    joint = JointRange.from_codes(public_codes=np.arange(6), sensitive_codes=np.array([0, 1, 2, 0, 1, 2]))
    utility = LineDistortion(np.array([0.0, 1.0, 49.0, 51.0, 99.0, 100.0]))
    values = Line(joint, utility).asking(3)
    assert most_clusters(values.enough) == 2
    assert counting_bound(values, 2) == 24.5
