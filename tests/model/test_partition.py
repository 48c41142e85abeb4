from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.errors import InputError
from hartley.model import Partition, meet
from reference_every_partition import every_partition
from strategies import partitions

PAIRS = st.integers(1, 9).flatmap(lambda size: st.tuples(partitions(size), partitions(size)))


def test_clusters_are_numbered_by_their_first_member():
    assert Partition(np.array([7, 3, 7, 0])).labels.tolist() == [0, 1, 0, 2]
    assert Partition(np.array([-5, 10**12, -5])).labels.tolist() == [0, 1, 0]


def test_equal_partitions_are_equal_whatever_their_numbers():
    one, other = Partition(np.array([1, 0, 1])), Partition(np.array([0, 9, 0]))
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("clusters", [[[0, 1], [1]], [[0], [2]], [[-1, 0]]])
def test_clusters_that_do_not_partition_are_refused(clusters):
    with pytest.raises(InputError, match="each place"):
        Partition.from_clusters(clusters)


@given(st.integers(1, 9).flatmap(partitions))
def test_clusters_and_back(partition):
    assert Partition.from_clusters(partition.clusters()) == partition
    assert sum(partition.sizes) == len(partition.labels)
    assert [cluster[0] for cluster in partition.clusters()] == partition.firsts.tolist()


@given(PAIRS)
def test_fusing_gives_the_finest_partition_that_both_refine(pair):
    one, other = pair
    fused = one.join(other)
    assert one.refines(fused)
    assert other.refines(fused)
    assert fused == other.join(one)
    # Finest: blocks of the fusion are connected by steps inside blocks of the two.
    reached = {0}
    while True:
        further = {
            j
            for i in reached
            for j in range(len(one.labels))
            if one.labels[i] == one.labels[j] or other.labels[i] == other.labels[j]
        }
        if further == reached:
            break
        reached = further
    assert reached == set(np.flatnonzero(fused.labels == fused.labels[0]).tolist())


@given(PAIRS)
def test_refining_keeps_together_exactly_what_both_keep_together(pair):
    one, other = pair
    both = one.meet(other)
    size = len(one.labels)
    for i in range(size):
        for j in range(size):
            together = one.labels[i] == one.labels[j] and other.labels[i] == other.labels[j]
            assert (both.labels[i] == both.labels[j]) == together
    assert meet([one, other]) == both


def test_refining_and_fusing_are_right_for_every_pair_of_small_partitions():
    # All pairs, not some drawn: a wrong width shows only where the two have different numbers of clusters.
    for size in range(1, 5):
        every = [Partition(labels) for labels in every_partition(size)]
        for one, other in product(every, repeat=2):
            both, either = one.meet(other), one.join(other)
            for i, j in combinations(range(size), 2):
                pairs = [one.labels[i] == one.labels[j], other.labels[i] == other.labels[j]]
                assert (both.labels[i] == both.labels[j]) == all(pairs)
                assert either.labels[i] == either.labels[j] or not any(pairs)
            assert one.refines(other) == (both == one)


def test_merging_gives_a_new_partition():
    start = Partition.singletons(4)
    assert start.merge(1, 3).clusters() == [[0], [1, 3], [2]]
    assert start.size == 4


def test_partitions_of_different_sizes_cannot_be_combined():
    with pytest.raises(InputError, match="2 and 3 values"):
        Partition.singletons(2).meet(Partition.singletons(3))


def test_old_names_work_and_say_the_new_ones():
    one, other = Partition.from_clusters([[0, 1], [2]]), Partition.from_clusters([[0], [1, 2]])
    for old, new in (("fuse", "join"), ("refine", "meet"), ("is_refinement_of", "refines")):
        with pytest.warns(DeprecationWarning, match=f"{old} is called {new} now"):
            assert getattr(one, old)(other) == getattr(one, new)(other)


def test_clusters_of_labels_are_refused_with_the_way_that_takes_them():
    with pytest.raises(InputError, match=r"JointRange\.partition takes labels"):
        Partition.from_clusters([["x1", "x2"]])
