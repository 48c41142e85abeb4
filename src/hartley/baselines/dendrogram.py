"""Hierarchical clustering of the public values by scikit-learn, cut where the target holds.

An outside method, for scale: it knows distances between public values and nothing of the
sensitive ones. The tree is built once; every moment of it is a partition.

Numbers and dates lie on a line scaled to length 1, a missing one at least twice that away from
all others; two texts are a distance 1 apart, and a missing text is a text of its own.
"""

from __future__ import annotations

import warnings
from typing import Literal, TypeAlias, get_args

import numpy as np

from hartley.errors import InputError, OptionError
from hartley.model import Alphabet, Coordinate, MergeTree
from hartley.model.arrays import Floats

Linkage: TypeAlias = Literal["complete", "average", "single", "ward"]
LINKAGES: tuple[Linkage, ...] = get_args(Linkage)

MOST_VALUES = 5_000
"""Beyond this the matrix of distances takes too much memory and time."""


def dendrogram(public: Alphabet, *, linkage: Linkage = "complete") -> MergeTree:
    """Build the tree of scikit-learn's ``AgglomerativeClustering``; needs scikit-learn."""
    if linkage not in LINKAGES:
        raise OptionError.unknown("linkage", linkage, LINKAGES)
    if public.size > MOST_VALUES:
        raise InputError(
            f"hierarchical clustering takes up to {MOST_VALUES} public values, not {public.size}"
        )
    try:
        from sklearn.cluster import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
            AgglomerativeClustering,
        )
    except ImportError:
        raise InputError("hierarchical clustering needs scikit-learn: pip install scikit-learn") from None
    if public.size == 1:
        return MergeTree.of_merges(1, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    model = AgglomerativeClustering(n_clusters=1, linkage=linkage, compute_full_tree=True)
    with warnings.catch_warnings():
        # Two words as features are a hollow matrix, which is taken for one of distances; it is none.
        warnings.simplefilter("ignore")
        children = model.fit(_features(public)).children_
    # A node of the tree is named by the first of its members, as our clusters are.
    first = list(range(public.size))
    merges = []
    for one, other in children.tolist():
        kept, joined = sorted((first[one], first[other]))
        merges.append((kept, joined))
        first.append(kept)
    pairs = np.array(merges, dtype=np.int64)
    return MergeTree.of_merges(public.size, pairs[:, 0], pairs[:, 1])


def _features(public: Alphabet) -> Floats:
    if len(public.coordinates) == 1 and public.positions is not None:
        return np.column_stack(_on_line(public.positions))
    parts = []
    for cells in public.coordinates:
        parts += _on_line(cells.positions) if cells.positions is not None else _words(cells)
    return np.column_stack(parts)


def _on_line(positions: Floats) -> list[Floats]:
    # Halved, which changes no ratio, because the whole span of huge numbers may be no number.
    positions = positions / 2
    absent = np.isnan(positions)
    present = positions[~absent]
    low, high = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
    scaled = (np.where(absent, low / 2 + high / 2, positions) - low) / ((high - low) or 1.0)
    return [scaled, 2.0 * absent]


def _words(cells: Coordinate) -> list[Floats]:
    words = np.array([str(cells.cell(place)) for place in range(len(cells.values))], dtype=object)
    return [(words == word) / np.sqrt(2) for word in sorted(set(words.tolist()))]
