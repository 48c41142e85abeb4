from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hartley.examples import toy
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange
from hartley.search.effort import Effort
from hartley.search.optimal.answering import optimal_levels
from hartley.search.optimal.enumeration import enumerated_levels, every_partition
from hartley.search.optimal.l0_resolution import l0_levels
from strategies import joint_ranges


def test_every_partition_is_there_once():
    bell = [1, 1, 2, 5, 15, 52, 203, 877]
    for size in range(1, 8):
        found = list(every_partition(size))
        assert len(found) == len(set(found)) == bell[size]


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


def test_an_enumeration_cut_short_proves_nothing():
    joint = toy()
    turns = iter([False] * 5 + [True] * 1000)
    found = enumerated_levels(joint, "l0", Resolution(7), Effort(should_stop=lambda: next(turns)))
    assert not found.complete
    assert not any(level.proven_optimal for level in found.levels if level.leakage_bits > 0)


def test_nothing_is_found_where_a_missing_value_keeps_groups_apart():
    joint = JointRange.from_pairs([(1, "a"), (2, "b")])
    utility = LineDistortion(np.array([1.0, np.nan]))
    assert enumerated_levels(joint, "joint", utility).levels == ()
