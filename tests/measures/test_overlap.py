from __future__ import annotations

from itertools import combinations, pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.errors import InputError
from hartley.examples import toy
from hartley.measures.overlap import (
    BLOCK,
    FEW_LINKS,
    ComponentSeparation,
    ConfusionChain,
    are_confusable,
    bridges,
    components,
    confusion,
    linked_roots,
    maximin_information,
    overlap_partition,
)
from hartley.model import JointRange, Partition
from hartley.model.disjoint_sets import DisjointSets
from strategies import joint_ranges, joint_ranges_with_partition


def groups_by_breadth_first_search(joint: JointRange) -> Partition:
    """Walk the bipartite graph, one group after the other."""
    label = [-1] * joint.sensitive.size
    sets = [set(joint.candidates(i).tolist()) for i in range(joint.observations)]
    for start in range(joint.sensitive.size):
        if label[start] >= 0:
            continue
        front = [start]
        label[start] = start
        while front:
            value = front.pop(0)
            for candidates in sets:
                if value in candidates:
                    for other in candidates:
                        if label[other] < 0:
                            label[other] = start
                            front.append(other)
    return Partition(np.array(label))


def groups_by_laplacian(joint: JointRange) -> Partition:
    """Null space of the Laplacian of the normalised joint table, uniform on the pairs that occur."""
    table = np.zeros((joint.sensitive.size, joint.observations))
    table[joint.indices, joint.observation_of] = 1
    table /= table.sum()
    scaled = table / np.sqrt(np.outer(table.sum(1), table.sum(0)))
    values, vectors = np.linalg.eigh(np.eye(joint.sensitive.size) - scaled @ scaled.T)
    null = vectors[:, values < 1e-9]
    connected = np.abs(null @ null.T) > 1e-7
    return Partition(connected.argmax(axis=1))


def test_the_toy_of_example_1():
    assert overlap_partition(toy()).clusters() == [[0, 1], [2], [3], [4], [5]]
    assert components(toy()).clusters() == [[0, 1], [2, 3], [4], [5], [6]]
    assert maximin_information(toy()) == log2(5)


def test_determining_the_components_after_merges_by_fusing():
    # Paper, "Determining P*": Q = {x1,x3},{x2,x5},{x4,x6},{x7}.
    merged = Partition.from_clusters([[0, 2], [1, 4], [3, 5], [6]])
    assert components(toy()).join(merged).clusters() == [[0, 1, 2, 3, 4, 5], [6]]
    assert components(toy(), merged) == components(toy()).join(merged)


@given(joint_ranges_with_partition())
def test_fusing_gives_the_components_of_any_release(pair):
    joint, partition = pair
    assert components(joint, partition) == components(joint).join(partition)


@given(joint_ranges(max_public=12, max_sensitive=10, side=True))
def test_three_ways_to_the_components_agree(joint):
    found = overlap_partition(joint)
    assert found == groups_by_breadth_first_search(joint)
    assert found == groups_by_laplacian(joint)


@given(joint_ranges())
def test_certainty_is_symmetric_in_the_two_roles(joint):
    assert maximin_information(joint) == maximin_information(joint.reversed)
    assert components(joint).size == overlap_partition(joint).size


def test_public_values_that_share_a_component_through_any_side_value_are_one_group():
    # x is confused with y where a is u, and with z where it is v; nothing links y and z by itself.
    joint = JointRange.from_pairs(
        [("x", 1, "u"), ("y", 1, "u"), ("x", 2, "v"), ("z", 2, "v"), ("w", 3, "u"), ("w", 3, "v")]
    )
    order = {label: place for place, label in enumerate(joint.public.labels())}
    found = components(joint).labels
    assert found[order["x"]] == found[order["y"]] == found[order["z"]] != found[order["w"]]


@given(joint_ranges_with_partition(side=True))
def test_components_are_the_finest_groups_that_share_no_sensitive_value(pair):
    joint, partition = pair
    of_value = overlap_partition(joint, partition).labels
    touched = {}
    for observation in range(joint.observations):
        cluster = int(partition.labels[joint.public_of[observation]])
        touched.setdefault(cluster, set()).update(of_value[joint.candidates(observation)].tolist())
    groups = [set(one) for one in touched.values()]
    for _ in groups:
        groups = [set().union(*(other for other in groups if one & other)) for one in groups]
    found = components(joint, partition).labels
    for one, other in combinations(range(joint.public.size), 2):
        together = bool(groups[partition.labels[one]] & groups[partition.labels[other]])
        assert (found[one] == found[other]) == together


@given(joint_ranges(side=True))
def test_side_information_is_one_symbol_with_the_public_value(joint):
    as_one = JointRange.from_codes(
        public_codes=joint.observation_of, sensitive_codes=joint.indices, sensitive=joint.sensitive
    )
    assert overlap_partition(joint) == overlap_partition(as_one)


def is_chain(
    joint: JointRange, one: int, other: int, chain: ConfusionChain, partition: Partition | None = None
) -> bool:
    released = joint.release(partition)
    sets = [set(released.candidates(observation).tolist()) for observation in chain.observations]
    return bool(sets) and one in sets[0] and other in sets[-1] and all(a & b for a, b in pairwise(sets))


def is_separation(
    joint: JointRange,
    one: int,
    other: int,
    separation: ComponentSeparation,
    partition: Partition | None = None,
) -> bool:
    group = set(separation.group)
    released = joint.release(partition)
    closed = all(
        candidates <= group or not candidates & group
        for candidates in (set(released.candidates(i).tolist()) for i in range(released.observations))
    )
    return closed and (one in group) != (other in group)


@given(joint_ranges_with_partition(side=True), st.data())
def test_confusion_is_proven_either_way(pair, data):
    joint, partition = pair
    one, other = (data.draw(st.integers(0, joint.sensitive.size - 1)) for _ in range(2))
    proof = confusion(joint, one, other, partition)
    if are_confusable(joint, one, other, partition):
        assert isinstance(proof, ConfusionChain)
        assert is_chain(joint, one, other, proof, partition)
    else:
        assert isinstance(proof, ComponentSeparation)
        assert is_separation(joint, one, other, proof, partition)


def test_a_false_proof_is_recognised():
    assert not is_chain(toy(), 0, 2, ConfusionChain((0, 2)))
    assert not is_chain(toy(), 0, 1, ConfusionChain(()))
    assert not is_separation(toy(), 0, 1, ComponentSeparation((0,)))
    assert not is_separation(toy(), 0, 1, ComponentSeparation((0, 1)))


def test_a_sensitive_value_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="numbered 0 to 5"):
        confusion(toy(), 0, 6)
    for one, other in ((0, 6), (-1, 0)):
        with pytest.raises(InputError, match="numbered 0 to 5"):
            are_confusable(toy(), one, other)


@given(joint_ranges_with_partition())
def test_every_bridge_removes_exactly_one_component(pair):
    joint, partition = pair
    before = components(joint, partition).size
    found = bridges(joint, partition, most=1000)
    assert len(found) == before * (before - 1) // 2
    for bridge in found:
        assert components(joint, partition.merge(*bridge.clusters)).size == before - 1


@given(joint_ranges(), st.randoms(use_true_random=False))
def test_renaming_and_reordering_changes_nothing(joint, random):
    publics, sensitives = list(range(joint.public.size)), list(range(joint.sensitive.size))
    random.shuffle(publics)
    random.shuffle(sensitives)
    pairs = list(zip(joint.observation_of.tolist(), joint.indices.tolist(), strict=True))
    random.shuffle(pairs)
    renamed = JointRange.from_pairs([(f"x{publics[x]}", f"s{sensitives[s]}") for x, s in pairs])
    assert maximin_information(renamed) == maximin_information(joint)
    assert sorted(np.diff(renamed.indptr)) == sorted(np.diff(joint.indptr))


@pytest.mark.parametrize("block", [3, BLOCK])
@pytest.mark.parametrize("few", [0, FEW_LINKS])
def test_links_joined_at_once_group_as_those_joined_one_by_one(
    few: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hartley.measures.overlap.FEW_LINKS", few)
    monkeypatch.setattr("hartley.measures.overlap.BLOCK", block)
    rng = np.random.default_rng(3)
    for _ in range(1000):
        size, links = int(rng.integers(1, 25)), int(rng.integers(0, 35))
        anchors, linked = rng.integers(0, size, links), rng.integers(0, size, links)
        groups = DisjointSets.of(size)
        for one, other in zip(anchors.tolist(), linked.tolist(), strict=True):
            groups.unite(one, other)
        assert linked_roots(size, anchors, linked).tolist() == groups.roots()
