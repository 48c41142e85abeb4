from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hartley.errors import InputError
from hartley.model import Alphabet, JointRange, Partition
from strategies import joint_ranges, joint_ranges_with_partition


def as_counts(joint: JointRange) -> dict[tuple[int, ...], int]:
    """Write a joint range down as {(public, sensitive[, side]): rows}."""
    counts = {}
    for observation in range(joint.observations):
        for entry in range(joint.indptr[observation], joint.indptr[observation + 1]):
            key = (int(joint.public_of[observation]), int(joint.indices[entry]))
            if joint.observed_side is not None:
                key += (int(joint.observed_side[observation]),)
            counts[key] = int(joint.rows[entry])
    return counts


def test_pairs_keep_the_order_in_which_values_first_appear():
    joint = JointRange.from_pairs([("b", 2), ("a", 1), ("b", 1)])
    assert joint.public.labels() == ["b", "a"]
    assert joint.sensitive.labels() == [2, 1]
    assert as_counts(joint) == {(0, 0): 1, (1, 1): 1, (0, 1): 1}


def test_a_pair_given_again_adds_a_row():
    joint = JointRange.from_pairs([("a", 1), ("a", 1), ("b", 2)])
    assert as_counts(joint) == {(0, 0): 2, (1, 1): 1}
    assert joint.row_count == 3
    assert joint.pairs == 2


def test_triples_carry_side_information():
    joint = JointRange.from_pairs([("a", 1, "u"), ("a", 2, "v"), ("b", 1, "u")])
    assert joint.observations == 3
    assert joint.side.labels() == ["u", "v"]
    assert as_counts(joint.without_side()) == {(0, 0): 1, (0, 1): 1, (1, 0): 1}


@pytest.mark.parametrize("pairs", [[], [("a",)], [("a", 1), ("b", 2, 3)]])
def test_what_is_no_list_of_pairs_is_refused(pairs):
    with pytest.raises(InputError):
        JointRange.from_pairs(pairs)


def test_every_nan_is_the_one_missing_value():
    nan = float("nan")
    joint = JointRange.from_pairs([(nan, 1), (float("nan"), 2), (None, 3), (1.0, 1)])
    assert joint.public.labels() == [None, 1.0]
    assert joint.candidates(0).tolist() == [0, 1, 2]


def test_positions_must_place_every_public_value():
    with pytest.raises(InputError, match="every public value"):
        JointRange.from_pairs([("a", 1), ("b", 2)], positions={"a": 1.0})


def test_codes_outside_their_alphabet_and_values_that_never_occur_are_refused():
    with pytest.raises(InputError, match="between 0 and 0"):
        JointRange.from_codes(
            public_codes=np.array([0, 1]), sensitive_codes=np.array([0, 0]), public=Alphabet.numbered(1)
        )
    with pytest.raises(InputError, match="1 sensitive values of the alphabet never occur"):
        JointRange.from_codes(public_codes=np.array([0, 1]), sensitive_codes=np.array([0, 2]))


@given(joint_ranges(side=True))
def test_building_again_from_the_entries_gives_the_same(joint):
    counts = as_counts(joint)
    keys = np.array(list(counts))[::-1]
    again = JointRange.from_codes(
        public_codes=keys[:, 0],
        sensitive_codes=keys[:, 1],
        side_codes=keys[:, 2],
        rows=np.array(list(counts.values()))[::-1],
        public=joint.public,
        sensitive=joint.sensitive,
        side=joint.side,
    )
    assert again == joint
    assert hash(again) == hash(joint)


@given(joint_ranges_with_partition(side=True))
def test_a_release_unites_the_candidates_of_each_cluster_and_loses_no_row(pair):
    joint, partition = pair
    released = joint.release(partition)
    expected: dict[tuple[int, ...], int] = {}
    for (public, sensitive, side), rows in as_counts(joint).items():
        key = (int(partition.labels[public]), sensitive, side)
        expected[key] = expected.get(key, 0) + rows
    assert as_counts(released) == expected
    assert released.row_count == joint.row_count


@given(joint_ranges())
def test_reversing_twice_changes_nothing(joint):
    assert joint.reversed.reversed == joint


def test_a_partition_of_other_values_does_not_fit():
    with pytest.raises(InputError, match="does not fit 2 public values"):
        JointRange.from_pairs([("a", 1), ("b", 1)]).release(Partition.whole(3))


def test_the_paper_remark_public_may_contain_sensitive():
    joint = JointRange.from_pairs([((30, 180), 30), ((40, 180), 40)])
    assert joint.public.columns == ("public1", "public2")
    assert joint.public.labels() == [(30, 180), (40, 180)]


def test_clusters_by_label_say_what_is_wrong_with_them():
    joint = JointRange.from_pairs([("x1", "s1"), ("x2", "s1"), ("x3", "s2")])
    with pytest.raises(InputError, match="clusters are lists of labels, and one of them is a text"):
        joint.partition(["x1", "x2"])
    with pytest.raises(InputError, match="a partition of 4 values does not fit 3 public values"):
        joint.clusters(Partition.singletons(4))
