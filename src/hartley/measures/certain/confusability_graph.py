r"""The confusability graph of Section IV, for looking at.

Its nodes are the observations and two are joined when they share a candidate. It can be
far larger than the table, and no measure needs it: the components come from union-find
over the sensitive values (:mod:`hartley.measures.overlap`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s

if TYPE_CHECKING:
    import networkx
    from scipy.sparse import csr_array


def incidence(joint: JointRange) -> csr_array:
    """Return the matrix with a row for each observation, and ones for the sensitive values that it leaves."""
    from scipy.sparse import csr_array

    return csr_array(
        (np.ones(joint.pairs, dtype=np.int32), joint.indices, joint.indptr),
        shape=(joint.observations, joint.sensitive.size),
    )


def confusability_edges(joint: JointRange, partition: Partition | None = None) -> Int64s:
    """Return the edges, one row each, the smaller node first, in ascending order."""
    matrix = confusability_matrix(joint, partition).tocoo()
    once = matrix.row < matrix.col
    edges = np.column_stack((matrix.row[once], matrix.col[once])).astype(np.int64)
    return np.asarray(edges[np.lexsort((edges[:, 1], edges[:, 0]))])


def confusability_matrix(joint: JointRange, partition: Partition | None = None) -> csr_array:
    """Return the graph as a sparse matrix: how many candidates two observations share, 0 on the diagonal."""
    from scipy.sparse import csr_array

    occurs = incidence(joint.release(partition))
    shared = csr_array(occurs @ occurs.T)
    shared.setdiag(0)
    shared.eliminate_zeros()
    shared.sort_indices()
    return shared


def confusability_graph(joint: JointRange, partition: Partition | None = None) -> networkx.Graph:
    """Return graph for networkx (the ``networkx`` extra); an edge knows how many candidates are ``shared``.

    >>> from hartley.examples import toy
    >>> confusability_graph(toy()).number_of_edges()
    2
    """
    import networkx

    matrix = confusability_matrix(joint, partition)
    graph = networkx.Graph()
    graph.add_nodes_from(range(matrix.shape[0]))
    edges = confusability_edges(joint, partition)
    for one, other in edges.tolist():
        graph.add_edge(one, other, shared=int(matrix[one, other]))
    return graph
