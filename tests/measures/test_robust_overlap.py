"""δ-overlap and the rows that hold components together, against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hartley
from hartley.errors import InputError
from hartley.examples import toy
from hartley.measures.certain import robust_overlap
from hartley.measures.certain.robust_overlap import RobustOverlap, component_holds, overlap_components
from hartley.measures.overlap import components, overlap_partition
from hartley.model import JointRange, Partition
from sample_sizes import sample
from strategies import joint_ranges, joint_ranges_with_partition


def chains(joint: JointRange, least_shared: int) -> Partition:
    """Join observations by chains, pair by pair, until nothing changes."""
    sets = [set(joint.candidates(i).tolist()) for i in range(joint.observations)]
    labels = list(range(len(sets)))
    for i, j in combinations(range(len(sets)), 2):
        if len(sets[i] & sets[j]) >= least_shared:
            labels = [labels[i] if label == labels[j] else label for label in labels]
    return Partition(np.array(labels))


def fewest_rows(joint: JointRange) -> int | None:
    """Try every set of rows, the smallest first, until the rows left have more components."""
    rows = [
        (int(joint.observation_of[pair]), int(joint.indices[pair]))
        for pair in range(joint.pairs)
        for _ in range(int(joint.rows[pair]))
    ]
    before = overlap_partition(joint).size
    for number in range(len(rows)):
        for gone in combinations(range(len(rows)), number):
            left = [row for place, row in enumerate(rows) if place not in gone]
            if overlap_partition(JointRange.from_pairs(left)).size > before:
                return number
    return None


@settings(max_examples=sample(100, 1000), deadline=None)
@given(joint_ranges_with_partition(side=True), st.integers(1, 4))
def test_components_are_those_of_chains(drawn, least_shared):
    joint, partition = drawn
    assert overlap_components(joint, least_shared) == chains(joint, least_shared)
    released = joint.release(partition)
    assert overlap_components(joint, least_shared, partition) == chains(released, least_shared)


@settings(max_examples=sample(60, 600), deadline=None)
@given(joint_ranges_with_partition())
def test_components_never_fall_with_what_must_be_shared_nor_rise_by_merging(drawn):
    joint, partition = drawn
    counts = [overlap_components(joint, t).size for t in range(1, joint.sensitive.size + 2)]
    assert counts[0] == components(joint).size
    assert counts == sorted(counts)
    assert counts[-1] == joint.observations
    for t, count in enumerate(counts, start=1):
        assert overlap_components(joint, t, partition).size <= count


@settings(max_examples=sample(60, 400), deadline=None)
@given(joint_ranges(max_public=4, max_sensitive=4).filter(lambda joint: joint.row_count <= 9))
def test_the_fewest_rows_are_those_of_brute_force(joint):
    found = [hold.least for hold in component_holds(joint) if hold.least is not None]
    assert min(found, default=None) == fewest_rows(joint)
    assert all(hold.is_exact for hold in component_holds(joint))
    assert sum(hold.rows for hold in component_holds(joint)) == joint.row_count


def test_large_components_have_bounds_that_hold_the_exact_number_between_them(monkeypatch):
    source = np.random.default_rng(4)
    for _ in range(20):
        codes = source.integers(0, 5, (14, 2))
        joint = JointRange.from_pairs(map(tuple, codes.tolist()))
        exact = component_holds(joint)
        with monkeypatch.context() as patched:
            patched.setattr(robust_overlap, "MOST_EXACT", 0)
            patched.setattr(robust_overlap, "MOST_CUTS", 3)
            rough = component_holds(joint)
        assert [hold.rows for hold in rough] == [hold.rows for hold in exact]
        split = [hold for hold in exact if hold.least is not None]
        rough = [hold for hold in rough if hold.most is not None]
        assert len(rough) == len(split)
        if split:
            fewest = min(hold.least for hold in split)
            assert min(hold.least for hold in rough) <= fewest <= min(hold.most for hold in rough)
    weakest = RobustOverlap.of(joint, 2).weakest
    assert weakest is None or weakest.least <= weakest.most


def test_a_component_that_hangs_by_one_row_is_told():
    joint = JointRange.from_pairs([("a", 1)] * 5 + [("a", 2), ("b", 2)] + [("b", 3)] * 5)
    (hold,) = component_holds(joint)
    assert (hold.least, hold.most) == (1, 1)
    assert hartley.audit(joint, overlap=2).to_dict()["overlap"]["splitting_rows_least"] == 1


@pytest.mark.parametrize("number", [0, -1, 1.5, True])
def test_what_is_no_number_of_values_is_refused(number):
    joint = JointRange.from_pairs([("a", 1)])
    with pytest.raises(hartley.InputError):
        overlap_components(joint, number)


@pytest.mark.parametrize("number", [0, 1.5, True, float("inf"), float("nan"), "2", Partition.singletons(7)])
def test_a_number_of_shared_values_that_is_none_is_refused(number):
    with pytest.raises(InputError, match="a whole number from 1 on"):
        hartley.robust_information(toy(), number)
