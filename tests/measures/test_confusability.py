from __future__ import annotations

import networkx
import numpy as np
from hypothesis import given, settings

from hartley.measures.certain.confusability_graph import (
    confusability_edges,
    confusability_graph,
    confusability_matrix,
)
from hartley.measures.overlap import components, overlap_partition
from hartley.measures.stochastic import JointDistribution
from hartley.model import JointRange, Partition
from strategies import joint_ranges, joint_ranges_with_partition


@settings(deadline=None)
@given(joint_ranges(side=True))
def test_two_observations_are_joined_when_they_share_a_candidate(joint: JointRange) -> None:
    wanted = [
        [one, other]
        for one in range(joint.observations)
        for other in range(one + 1, joint.observations)
        if set(joint.candidates(one)) & set(joint.candidates(other))
    ]
    assert confusability_edges(joint).tolist() == wanted


@settings(deadline=None)
@given(joint_ranges_with_partition())
def test_connected_parts_of_the_graph_are_the_components(both: tuple[JointRange, Partition]) -> None:
    # Lemma 2, with networkx as the judge.
    joint, partition = both
    graph = confusability_graph(joint, partition)
    parts = sorted(sorted(part) for part in networkx.connected_components(graph))
    of_clusters = components(joint.release(partition))
    assert parts == sorted(sorted(part) for part in of_clusters.clusters())
    assert networkx.number_connected_components(graph) == overlap_partition(joint, partition).size


@settings(deadline=None)
@given(joint_ranges())
def test_null_space_of_the_laplacian_is_the_components(joint: JointRange) -> None:
    # Λ = I − BᵀB with equal weights on the pairs: another way to the components, by eigenvalues.
    distribution = JointDistribution.of(joint).support
    table = np.zeros((joint.sensitive.size, joint.public.size))
    table[distribution.indices, distribution.observation_of] = 1 / joint.pairs
    scaled = table / np.sqrt(np.outer(table.sum(axis=1), table.sum(axis=0)))
    values, vectors = np.linalg.eigh(np.eye(joint.public.size) - scaled.T @ scaled)
    null = vectors[:, values < 1e-9]
    groups = components(joint)
    assert null.shape[1] == groups.size
    together = np.abs(null @ null.T) > 1e-9
    assert np.array_equal(together, groups.labels[:, None] == groups.labels[None, :])


def test_matrix_counts_shared_candidates() -> None:
    joint = JointRange.from_pairs([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 3)])
    assert confusability_matrix(joint).toarray().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert confusability_graph(joint).edges[0, 1]["shared"] == 2
