from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hartley.errors import UnreachableError
from hartley.examples import toy
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.model.shapes.shape import Shape
from hartley.search.effort import Effort
from hartley.search.few_values import loops
from hartley.search.few_values.walk import MOST_OBSERVATIONS, best_of_few, is_walked
from hartley.search.problem import Problem
from paper_levels import l0_levels, optimal_levels
from strategies import joint_ranges


def asked(joint: JointRange, utility: Utility, *requirements: Requirement, **more: object) -> Problem:
    return Problem(joint=joint, utility=utility, requirements=requirements, **more)


@pytest.mark.parametrize(
    ("x7", "expected"),
    [
        # The toy under centroids, as enumerated for the paper's two positions of x7.
        (1, {1: 0.55}),
        (4, {2: 0.55, 1: 1.8}),
    ],
)
def test_the_toy_under_centroids(x7, expected):
    joint = toy(x7=x7)
    levels = optimal_levels(joint, "istar", LineDistortion.of(joint.public, "centroid")).levels
    cost = {round(2**level.leakage_bits): level.cost for level in levels}
    for groups, distortion in expected.items():
        assert cost[groups] == pytest.approx(distortion)
    assert all(level.proven_optimal for level in levels)


@given(joint_ranges(max_public=5))
def test_the_walk_and_the_search_under_resolution_agree(joint):
    walked = best_of_few(asked(joint, Resolution(joint.public.size)), "l0")
    assert walked is not None
    exact = {level.cost: level.leakage_bits for level in walked}
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
def test_a_walk_that_is_stopped_leaves_the_question_to_other_searches(leakage):
    question = asked(twelve(1), LineDistortion(np.arange(12.0) ** 2))
    assert best_of_few(question, leakage, Effort(should_stop=lambda: True)) is None


@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
@pytest.mark.parametrize("sides", [1, 3])
def test_the_walk_is_the_same_interpreted_and_compiled(monkeypatch, leakage, sides):
    question = asked(twelve(2, sides), LineDistortion(np.arange(12.0) * 7 % 12, "centroid"))
    interpreted = best_of_few(question, leakage)
    for loop in (loops.step_on, loops.look_finer):
        monkeypatch.setattr(loop, "plain", loop.compiled)
    compiled = best_of_few(question, leakage)
    assert interpreted is not None
    assert compiled is not None
    for one, other in zip(interpreted, compiled, strict=True):
        assert one.leakage_bits == other.leakage_bits
        assert one.cost == other.cost
        assert one.partition == other.partition


def test_many_side_values_are_left_to_other_searches():
    assert is_walked(asked(twelve(4, 3), Resolution(12)))
    crowd = np.arange(MOST_OBSERVATIONS + 1)
    joint = JointRange.from_codes(public_codes=crowd % 3, sensitive_codes=crowd % 2, side_codes=crowd)
    assert not is_walked(asked(joint, Resolution(3)))


def test_nothing_is_found_where_a_missing_value_keeps_groups_apart():
    joint = JointRange.from_pairs([(1, "a"), (2, "b")])
    question = asked(joint, LineDistortion(np.array([1.0, np.nan])))
    with pytest.raises(UnreachableError, match="single group"):
        best_of_few(question, "joint")


def test_bands_skip_what_is_withheld_between_them():
    # What is withheld needs two candidates: the far value, and the one between the others.
    joint = JointRange.from_pairs([*[(1, "a")] * 3, (2, "c"), *[(3, "b")] * 3, (60, "d")])
    question = asked(
        joint,
        LineDistortion.of(joint.public),
        Requirement("distinct-l", 2),
        shape=Shape(name="intervals"),
        budget=2,
    )
    (best,) = best_of_few(question, None) or ()
    assert best.cost == 1.0
    assert best.withheld.tolist() == [1, 3]
    assert best.partition == Partition.from_clusters([[0, 2], [1, 3]])


def test_of_equal_costs_the_fewest_rows_are_withheld_and_most_clusters_left():
    joint = JointRange.from_pairs([(0, "a"), (1, "b"), (10, "a"), (11, "b"), (50, "a"), (60, "b")])
    utility = LineDistortion.of(joint.public)
    (best,) = best_of_few(asked(joint, utility, Requirement("distinct-l", 2), budget=3), None) or ()
    assert best.cost == 0.5
    assert best.withheld_rows == 2
    assert best.partition.size == 3
