"""Shapes of clusters of categories: nodes of a taxonomy, runs of ordered siblings, connected parts of a tree.

A taxonomy's leaves are taken in the order in which a walk meets them. Every node is then a window of
neighbours, and a window is enough exactly if its start is no later than the latest one that is enough for
its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hartley.errors import InputError
from hartley.model import Partition
from hartley.model.arrays import Int64s, Places
from hartley.model.shapes.codebook import ColumnCodebook
from hartley.search.answer import Answer
from hartley.search.enough import Enough
from hartley.search.sizes.cluster_count import most_clusters

NONE = -1
IMPOSSIBLE = 1 << 60


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree over public values: the first nodes are the values, the others stand for groups of them."""

    children: tuple[tuple[int, ...], ...]
    """The children of each node, in their order."""
    root: int
    values: int

    @classmethod
    def of_parents(cls, parents: Sequence[int], values: int) -> Taxonomy:
        """Build from the parent of each node, -1 for the root; children are in the order of their numbers."""
        children: list[list[int]] = [[] for _ in parents]
        roots = [node for node, parent in enumerate(parents) if parent == NONE]
        if len(roots) != 1:
            raise InputError(f"a taxonomy has one root, not {len(roots)}")
        for node, parent in enumerate(parents):
            if parent != NONE:
                children[parent].append(node)
        tree = cls(tuple(map(tuple, children)), roots[0], values)
        if sorted(tree.leaves.tolist()) != list(range(values)):
            raise InputError("a taxonomy must have every value once, as a leaf, and no other leaf")
        return tree

    @cached_property
    def walk(self) -> tuple[int, ...]:
        """All nodes, each before its children and these in their order."""
        found, open_nodes = [], [self.root]
        while open_nodes:
            node = open_nodes.pop()
            found.append(node)
            open_nodes += reversed(self.children[node])
        return tuple(found)

    @cached_property
    def leaves(self) -> Places:
        """The values in the order of the walk."""
        return np.array([node for node in self.walk if not self.children[node]], dtype=np.int64)

    @cached_property
    def windows(self) -> tuple[Places, Places]:
        """The first and the last leaf of each node, as places in :attr:`leaves`."""
        first = np.zeros(len(self.children), dtype=np.int64)
        last = np.zeros(len(self.children), dtype=np.int64)
        rank = {int(leaf): place for place, leaf in enumerate(self.leaves)}
        for node in reversed(self.walk):
            inner = self.children[node]
            first[node] = rank[node] if not inner else first[inner[0]]
            last[node] = rank[node] if not inner else last[inner[-1]]
        return first, last


@dataclass(frozen=True, eq=False, kw_only=True)
class CategoryArrangement:
    """What is known of the public values of a column of text: an order, or groups."""

    positions: npt.NDArray[np.float64] | None = None
    """The rank of each value; NaN where it has none."""
    tree: Taxonomy | None = None
    has_ordered_siblings: bool = False
    """Whether siblings stand in an order, so that neighbouring ones may share a cluster."""

    def codebook(self, partition: Partition, withheld: Int64s) -> ColumnCodebook | None:
        """Return what is published for each value; nothing where nobody has words for it."""
        del partition, withheld
        return None

    def least(self, enough: Enough) -> Answer:
        """Return the best clusters of a taxonomy."""
        if self.tree is not None:
            found = (least_sibling_runs if self.has_ordered_siblings else finest_cut)(enough, self.tree)
        else:
            raise InputError("an order by itself is a line")
        bound = float(-(-enough.size // max(most_clusters(enough), 1)))
        return replace(found, any_bound=min(bound, found.cost))


def finest_cut(enough: Enough, tree: Taxonomy) -> Answer:
    """Return the finest cut of a taxonomy into whole nodes that are enough, proven.

    What is enough stays so further up, so the finest cut is unique: a node is taken apart if and only if
    all its children are enough. It has the most clusters and also the smallest largest one.
    """
    enough.require_reachable()
    first, last = tree.windows
    latest = enough.take(tree.leaves).latest_starts()
    holds = latest[last] >= first
    labels = np.zeros(tree.values, dtype=np.int64)
    number = 0
    open_nodes = [tree.root]
    while open_nodes:
        node = open_nodes.pop()
        inner = tree.children[node]
        if inner and all(holds[child] for child in inner):
            open_nodes += reversed(inner)
            continue
        labels[tree.leaves[first[node] : last[node] + 1]] = number
        number += 1
    return _by_size(labels)


def least_sibling_runs(enough: Enough, tree: Taxonomy) -> Answer:
    """Return runs of neighbouring siblings that are enough, with the smallest largest cluster, proven.

    Siblings are in an order; a cluster is a run of them with all that is below, or lies inside one of them.
    Among the partitions with the smallest largest cluster one with most clusters is returned.
    """
    enough.require_reachable()
    first, last = tree.windows
    latest = enough.take(tree.leaves).latest_starts()
    least = _runs(tree, first, last, latest, IMPOSSIBLE)[0]
    best = int(least[tree.root])
    _, starts = _runs(tree, first, last, latest, best)
    labels = np.zeros(tree.values, dtype=np.int64)
    number = 0
    open_nodes = [tree.root]
    while open_nodes:
        node = open_nodes.pop()
        inner = tree.children[node]
        if not inner:
            labels[tree.leaves[first[node]]] = number
            number += 1
            continue
        end = len(inner)
        while end > 0:
            begin = starts[node][end]
            if begin == NONE:
                open_nodes.append(inner[end - 1])
                end -= 1
                continue
            labels[tree.leaves[first[inner[begin]] : last[inner[end - 1]] + 1]] = number
            number += 1
            end = begin
    return _by_size(labels)


def _runs(
    tree: Taxonomy, first: Places, last: Places, latest: Places, limit: int
) -> tuple[Places, dict[int, list[int]]]:
    """Return the smallest largest cluster of each node within a limit, and the start of each last run.

    Under a limit that is not the greatest, most clusters are chosen instead. A start of -1 says that the
    last child is parted by itself.
    """
    is_limited = limit < IMPOSSIBLE
    value = np.full(len(tree.children), IMPOSSIBLE, dtype=np.int64)
    starts: dict[int, list[int]] = {}
    for node in reversed(tree.walk):
        inner = tree.children[node]
        if not inner:
            holds = latest[first[node]] >= first[node]
            value[node] = (-1 if is_limited else 1) if holds else IMPOSSIBLE
            continue
        best = [0] + [IMPOSSIBLE] * len(inner)
        chosen = [NONE] * (len(inner) + 1)
        for end in range(1, len(inner) + 1):
            child = inner[end - 1]
            if best[end - 1] < IMPOSSIBLE and value[child] < IMPOSSIBLE:
                best[end] = (
                    best[end - 1] + int(value[child]) if is_limited else max(best[end - 1], int(value[child]))
                )
            for begin in range(end - 1, -1, -1):
                size = int(last[child] - first[inner[begin]]) + 1
                if size > limit or (not is_limited and size >= best[end]):
                    break
                if best[begin] >= IMPOSSIBLE or latest[last[child]] < first[inner[begin]]:
                    continue
                trial = best[begin] - 1 if is_limited else max(best[begin], size)
                if trial < best[end]:
                    best[end] = trial
                    chosen[end] = begin
        value[node] = best[-1]
        starts[node] = chosen
    return value, starts


def _by_size(labels: Places) -> Answer:
    cost = float(np.bincount(labels).max())
    return Answer(partition=Partition(labels), cost=cost, lower_bound_cost=cost, any_bound=0.0)
