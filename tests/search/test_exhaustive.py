from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hartley.examples import toy
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange, Partition
from hartley.search import exhaustive_loops as partition_walk
from hartley.search.dispatch import optimal_levels
from hartley.search.effort import Effort
from hartley.search.exhaustive import MOST_OBSERVATIONS, enumerated_levels, is_enumerable
from hartley.search.resolution.l0 import l0_levels
from strategies import joint_ranges


@pytest.mark.parametrize(
    ("x7", "leakage", "expected"),
    [
        # The toy under centroids, as enumerated for the paper's two positions of x7.
        (1, "istar", {1: 0.55}),
        (4, "istar", {2: 0.55, 1: 1.8}),
    ],
)
def test_the_toy_under_centroids(x7, leakage, expected):
    joint = toy(x7=x7)
    levels = optimal_levels(joint, leakage, LineDistortion.of(joint.public, "centroid")).levels
    cost = {round(2**level.leakage_bits): level.cost for level in levels}
    for groups, distortion in expected.items():
        assert cost[groups] == pytest.approx(distortion)
    assert all(level.proven_optimal for level in levels)


@given(joint_ranges(max_public=5))
def test_enumeration_and_the_search_under_resolution_agree(joint):
    utility = Resolution(joint.public.size)
    exact = {level.cost: level.leakage_bits for level in enumerated_levels(joint, "l0", utility).levels}
    for level in l0_levels(joint).levels:
        best = min(bits for cost, bits in exact.items() if cost <= level.cost)
        assert level.lower_bound_bits <= best + 1e-12 <= level.leakage_bits + 2e-12


def twelve(seed: int, sides: int = 1) -> JointRange:
    rng = np.random.default_rng(seed)
    public = np.concatenate((np.arange(12), rng.integers(12, size=8)))
    dense = [np.unique(rng.integers(most, size=20), return_inverse=True)[1] for most in (9, sides)]
    return JointRange.from_codes(
        public_codes=public, sensitive_codes=dense[0], side_codes=dense[1] if sides > 1 else None
    )


@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
def test_an_enumeration_cut_short_keeps_what_it_was_given_and_proves_nothing(leakage):
    joint = twelve(1)
    utility = LineDistortion(np.arange(12.0) ** 2)
    start = Partition(np.arange(12) // 6)
    found = enumerated_levels(joint, leakage, utility, Effort(should_stop=lambda: True), [start])
    assert not found.complete
    assert not any(level.proven_optimal for level in found.levels if level.leakage_bits > 0)
    measure = maximin_information if leakage == "istar" else max_uncertainty_reduction
    if leakage != "joint" or maximin_information(joint, start) == 0:
        within = [level for level in found.levels if level.cost <= utility.costs(start).max()]
        assert within[-1].leakage_bits <= measure(joint, start)
    for level in found.levels:
        assert level.leakage_bits == measure(joint, level.partition)
        assert level.cost == utility.costs(level.partition).max()


@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
@pytest.mark.parametrize("sides", [1, 3])
def test_the_walk_is_the_same_interpreted_and_compiled(monkeypatch, leakage, sides):
    joint = twelve(2, sides)
    utility = LineDistortion(np.arange(12.0) * 7 % 12, "centroid")
    interpreted = enumerated_levels(joint, leakage, utility)
    monkeypatch.setattr(partition_walk.walk, "plain", partition_walk.walk.compiled)
    compiled = enumerated_levels(joint, leakage, utility)
    assert interpreted == compiled
    assert [one.partition for one in interpreted.levels] == [other.partition for other in compiled.levels]


def test_levels_are_offered_while_the_walk_goes_on():
    offered = []
    effort = Effort(found=lambda levels: offered.append(levels()))
    found = enumerated_levels(twelve(3, 3), "istar", Resolution(12), effort)
    assert offered
    assert [level.leakage_bits for level in offered[-1]] == [level.leakage_bits for level in found.levels]


def test_many_side_values_are_left_to_other_searches():
    assert is_enumerable(twelve(4, 3), Resolution(12))
    crowd = np.arange(MOST_OBSERVATIONS + 1)
    joint = JointRange.from_codes(public_codes=crowd % 3, sensitive_codes=crowd % 2, side_codes=crowd)
    assert not is_enumerable(joint, Resolution(3))


def test_nothing_is_found_where_a_missing_value_keeps_groups_apart():
    joint = JointRange.from_pairs([(1, "a"), (2, "b")])
    utility = LineDistortion(np.array([1.0, np.nan]))
    assert enumerated_levels(joint, "joint", utility).levels == ()
