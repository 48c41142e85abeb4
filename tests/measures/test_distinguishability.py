from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import hartley.measures.distinguishability as module
from hartley.measures.distinguishability import (
    jaccard_distances,
    max_jaccard_distance,
    max_symmetric_difference,
    symmetric_differences,
)
from hartley.model import JointRange, Partition
from strategies import joint_ranges, joint_ranges_with_partition


def public_values(joint: JointRange) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in range(joint.sensitive.size)]
    for observation in range(joint.observations):
        for value in joint.candidates(observation).tolist():
            found[value].add(observation)
    return found


@settings(deadline=None)
@given(joint_ranges_with_partition())
def test_matrices_are_what_the_definition_says(both: tuple[JointRange, Partition]) -> None:
    joint, partition = both
    sets = public_values(joint.release(partition))
    assert symmetric_differences(joint, partition).tolist() == [[len(a ^ b) for b in sets] for a in sets]
    assert jaccard_distances(joint, partition) == pytest.approx(
        np.array([[len(a ^ b) / len(a | b) for b in sets] for a in sets])
    )


@settings(deadline=None)
@given(joint_ranges(max_sensitive=12, max_public=10))
def test_largest_is_found_without_the_matrix(joint: JointRange) -> None:
    matrix, distances = symmetric_differences(joint), jaccard_distances(joint)
    widest, farthest = max_symmetric_difference(joint), max_jaccard_distance(joint)
    assert widest.amount == matrix.max() == matrix[widest.values]
    assert farthest.amount == distances.max() == distances[farthest.values]


def test_largest_is_found_in_many_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    monkeypatch.setattr(module, "BLOCK_CELLS", 300)
    for density in (0.05, 0.3, 0.7, 0.97):
        table = rng.random((120, 40)) < density
        table[:, 0] = table[0, :] = True
        sensitive, public = np.nonzero(table)
        joint = JointRange.from_codes(public_codes=public, sensitive_codes=sensitive)
        assert max_symmetric_difference(joint).amount == symmetric_differences(joint).max()
        assert max_jaccard_distance(joint).amount == jaccard_distances(joint).max()


def test_one_sensitive_value_has_nothing_to_differ_from() -> None:
    joint = JointRange.from_pairs([("a", 1), ("b", 1)])
    assert max_symmetric_difference(joint).amount == 0
    assert max_jaccard_distance(joint).amount == 0


def test_the_matrix_of_a_large_alphabet_is_never_built() -> None:
    rng = np.random.default_rng(4)
    size = 200_000
    joint = JointRange.from_codes(
        public_codes=np.concatenate((np.arange(size), rng.integers(size, size=size))),
        sensitive_codes=np.concatenate((np.arange(size), rng.integers(size, size=size))),
    )
    found = max_symmetric_difference(joint)
    one, other = (set(joint.reversed.candidates(value).tolist()) for value in found.values)
    assert len(one ^ other) == found.amount
    degrees = np.sort(np.diff(joint.reversed.indptr))
    assert found.amount <= degrees[-1] + degrees[-2]
