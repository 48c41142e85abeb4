from __future__ import annotations

from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings

from hartley.examples import toy
from hartley.measures.boolean_rank import (
    RankBounds,
    boolean_rank,
    candidate_sets,
    common_information,
    component_ranges,
    maximal_rectangles,
    members,
)
from hartley.measures.overlap import maximin_information
from hartley.measures.stochastic import JointDistribution
from hartley.model import JointRange, Partition
from sample_sizes import sample
from strategies import joint_ranges, joint_ranges_with_partition
from strategies_distributions import distributions


def plain_rank(table: np.ndarray) -> int:
    """Try ever more rectangles; every subset of rows gives the largest rectangle with them."""
    height, width = table.shape
    boxes = []
    for size in range(1, height + 1):
        for rows in combinations(range(height), size):
            columns = np.flatnonzero(table[list(rows)].all(axis=0))
            if len(columns):
                box = np.zeros_like(table, dtype=bool)
                box[np.ix_(rows, columns)] = True
                boxes.append(box)
    for count in range(1, min(height, width) + 1):
        for chosen in combinations(boxes, count):
            if np.array_equal(np.logical_or.reduce(chosen), table > 0):
                return count
    raise AssertionError("the rows alone cover the table")


@settings(deadline=None, max_examples=sample(60, 300))
@given(distributions(max_sensitive=4, max_public=5, max_weight=1))
def test_agrees_with_trying_all_covers(distribution: JointDistribution) -> None:
    table = np.zeros((distribution.sensitive_size, distribution.observations))
    table[distribution.indices, distribution.observation_of] = 1
    wanted = plain_rank(table)
    assert boolean_rank(distribution.support) == RankBounds(wanted, wanted)


@settings(deadline=None, max_examples=sample(40, 200))
@given(joint_ranges_with_partition())
def test_lies_between_certain_information_and_the_smaller_alphabet(
    both: tuple[JointRange, Partition],
) -> None:
    joint, partition = both
    found = common_information(joint, partition)
    assert maximin_information(joint, partition) <= found.low + 1e-12
    assert found.high <= log2(min(joint.sensitive.size, partition.size)) + 1e-12


def test_it_may_be_less_than_both_alphabets() -> None:
    # Two overlapping rectangles: {0,1}×{0,1} and {1,2}×{1,2} have three different rows and columns.
    table = np.zeros((3, 3))
    table[:2, :2] = table[1:, 1:] = 1
    assert boolean_rank(JointDistribution.from_table(table).support) == RankBounds(2, 2)


def test_complement_of_the_identity_needs_few_rectangles() -> None:
    # Its rank is the least n with C(n, n // 2) ≥ size (de Caen, Gregory and Pullman): 4 for 6, 5 for 7.
    for size, wanted in ((6, 4), (7, 5)):
        joint = JointDistribution.from_table(1 - np.eye(size)).support
        assert boolean_rank(joint) == RankBounds(wanted, wanted)


def test_side_information_splits_observations() -> None:
    joint = JointRange.from_pairs([("a", 1, "u"), ("a", 2, "v"), ("b", 1, "u"), ("b", 2, "v")])
    assert boolean_rank(joint.without_side()) == RankBounds(1, 1)
    assert boolean_rank(joint) == RankBounds(2, 2)


def test_a_large_table_gets_bounds() -> None:
    rng = np.random.default_rng(0)
    table = rng.random((60, 60)) < 0.5
    found = boolean_rank(JointDistribution.from_table(table).support)
    assert 1 <= found.low < found.high <= 60


def test_a_very_large_table_is_bounded_quickly() -> None:
    rng = np.random.default_rng(1)
    size = sample(50_000, 50_000)
    joint = JointRange.from_codes(
        public_codes=np.concatenate((np.arange(size), rng.integers(size, size=size))),
        sensitive_codes=np.concatenate((np.arange(size), rng.integers(size, size=size))),
    )
    found = boolean_rank(joint)
    assert size / 10 < found.low <= found.high <= size


@settings(deadline=None)
@given(joint_ranges())
def test_maximal_rectangles_are_rectangles_cover_everything_and_cannot_grow(joint: JointRange) -> None:
    sets = candidate_sets(joint)
    rectangles = maximal_rectangles(sets, 10_000)
    assert rectangles is not None
    covered = set()
    for box in rectangles:
        rows, columns = members(box.sensitive), members(box.observations)
        assert all(sets[x] >> s & 1 for s in rows for x in columns)
        outside_rows = set(range(joint.sensitive.size)) - set(rows)
        assert not any(all(sets[x] >> s & 1 for x in columns) for s in outside_rows)
        outside = set(range(joint.observations)) - set(columns)
        assert not any(all(sets[x] >> s & 1 for s in rows) for x in outside)
        covered |= {(s, x) for s in rows for x in columns}
    assert len(covered) == joint.pairs


def test_too_many_rectangles_are_not_listed() -> None:
    assert maximal_rectangles([0b011, 0b101, 0b110], 5) is None
    assert len(maximal_rectangles([0b011, 0b101, 0b110], 6) or []) == 6


@settings(deadline=None)
@given(joint_ranges())
def test_components_share_out_all_pairs(joint: JointRange) -> None:
    parts = list(component_ranges(joint))
    assert sum(part.pairs for part in parts) == joint.pairs
    assert sum(part.sensitive.size for part in parts) == joint.sensitive.size
    assert sum(part.row_count for part in parts) == joint.row_count
    assert all(maximin_information(part) == 0 for part in parts)


def test_the_toy_needs_six() -> None:
    assert common_information(toy()).low == pytest.approx(log2(6))
