r"""Constructions that attain the counting bound: deal values out like cards.

Put the values that show the same candidate side by side, no more than q of each, and deal
them out to q clusters in turn: a candidate never comes to the same cluster twice. Every
cluster gets at least :math:`\lfloor \sum_s \min(f_s, q) / q \rfloor` candidates, which is the counting bound.
"""

from __future__ import annotations

import numpy as np

from hartley.model import Partition
from hartley.model.arrays import Int64s
from hartley.search.resolution.layout import CandidateSets, least_clusters

NOWHERE = -1


def dealt_partition(sets: CandidateSets, largest: int) -> Partition:
    """Return the best clusters of at most ``largest`` values where every value shows one candidate.

    >>> one_each = CandidateSets(np.arange(6), np.array([0, 0, 0, 1, 2]), np.zeros(3, int), np.array([3]))
    >>> dealt_partition(one_each, 3)
    Partition({0, 2, 3}, {1, 4})
    """
    clusters = least_clusters(sets.size, largest)
    labels = np.full(sets.size, NOWHERE, dtype=np.int64)
    dealt = _side_by_side(sets.candidates, clusters)
    labels[dealt] = np.arange(len(dealt)) % clusters
    return filled_up(labels, clusters, largest)


def paired_partition(sets: CandidateSets, largest: int) -> Partition | None:
    """Return clusters of at most ``largest`` values with two candidates each, where they exist.

    Every value with two candidates serves a cluster alone; the clusters left are
    dealt two values of one candidate each. This succeeds whenever anything does.
    """
    if largest < 2:
        return Partition.singletons(sets.size) if bool((sets.counts > 1).all()) else None
    clusters = least_clusters(sets.size, largest)
    labels = np.full(sets.size, NOWHERE, dtype=np.int64)
    rich = np.flatnonzero(sets.counts > 1)[:clusters]
    labels[rich] = np.arange(len(rich))
    left = clusters - len(rich)
    if left:
        single = np.flatnonzero(sets.counts == 1)
        dealt = single[_side_by_side(sets.candidates[sets.starts[single]], left)][: 2 * left]
        if len(dealt) < 2 * left:
            return None
        labels[dealt] = len(rich) + np.arange(len(dealt)) % left
    return filled_up(labels, clusters, largest)


def _side_by_side(candidates: Int64s, most: int) -> Int64s:
    """Return the places in order of their candidates, no more than so many of each."""
    order = np.argsort(candidates, kind="stable")
    ordered = candidates[order]
    within = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return order[within < most]


def filled_up(labels: Int64s, clusters: int, largest: int) -> Partition:
    """Put the values that are nowhere yet where there is room."""
    left = np.flatnonzero(labels == NOWHERE)
    room = largest - np.bincount(labels[labels != NOWHERE], minlength=clusters)
    labels[left] = np.repeat(np.arange(clusters), room)[: len(left)]
    return Partition(labels)
