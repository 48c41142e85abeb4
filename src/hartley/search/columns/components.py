"""Leave fewer groups that are told apart for certain (I*), over several columns.

Tuples that share a candidate, directly or by a chain, are one component. A cluster of tuples of two
components makes one of them. No cluster of side t holds tuples farther apart than t, so a partition of side t
leaves no fewer components than joining all tuples within t does: the edges of a minimum spanning tree of the
components, in order, bound the cost of every number of components (contraction bound, Theorem I4). The tree
is found by rounds in which every component looks for its nearest other one.

Clusters are joined the cheapest first. Splitting a cluster into parts that share a candidate leaves the
components as they are (Theorem C8).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hartley.model.arrays import Floats, Ints, Places, different
from hartley.model.disjoint_sets import DisjointSets
from hartley.search.columns.cells import CATEGORY, NUMBER
from hartley.search.columns.costs import Runs, boxes_of, sides_of
from hartley.search.columns.loops.cells import Cells
from hartley.search.columns.prepared import compact
from hartley.search.effort import UNLIMITED, Effort

NEIGHBOURS = 16
"""Nearest tuples that are looked at before a component is looked at by itself."""
ROUNDED_BY = 1e-9
"""Distances are rounded when they are measured in the embedding; bounds are lowered by this share."""


@dataclass(frozen=True, eq=False)
class Joining:
    """The joins that lead to fewer components, the cheapest first."""

    labels: Ints
    """The partition before any join."""
    joins: tuple[tuple[int, int], ...]
    """Two tuples whose clusters are joined; each join leaves one component less."""
    sides: tuple[float, ...]
    """The side of the cluster that each join makes."""
    components: int
    """How many components there are before any join."""

    def turns(self, most: int) -> list[int]:
        """Return numbers of joins after which the next one costs more than all before, and the last one.

        Of very many the ends and some between.
        """
        widest = np.maximum.accumulate(np.array(self.sides))
        counts = [*(np.flatnonzero(np.diff(widest) > 0) + 1).tolist(), len(self.joins)]
        counts = sorted({0, *counts})
        places = np.unique(np.linspace(0, len(counts) - 1, min(most, len(counts))).round().astype(int))
        return [counts[place] for place in places.tolist()]

    def after(self, count: int) -> Ints:
        """Return the partition after so many joins."""
        sets = DisjointSets.of(int(self.labels.max()) + 1)
        for one, other in self.joins[:count]:
            sets.unite(int(self.labels[one]), int(self.labels[other]))
        return compact(np.array(sets.roots())[self.labels])


class ComponentSearch:
    """Joins and bounds for one table of tuples and the components of its tuples."""

    def __init__(self, cells: Cells, component: npt.NDArray[np.integer]) -> None:
        self.cells = cells
        self.component: Ints = compact(component)
        self.norm = (np.inf, 1)[cells.norm]
        self.points = _embedded(cells)
        self.index = _index_of(self.points)

    @property
    def size(self) -> int:
        """How many components there are."""
        return int(self.component.max()) + 1

    def bound(self, most: int) -> float:
        """Return a side that every partition with at most so many components has."""
        needed = self.size - max(most, 1)
        return 0.0 if needed <= 0 else float(self.lengths[needed - 1]) * (1 - ROUNDED_BY)

    def fewest(self, side: float) -> int:
        """Return how many components are left at least where no cluster has a greater side."""
        return self.size - int(np.searchsorted(self.lengths * (1 - ROUNDED_BY), side, side="right"))

    @cached_property
    def lengths(self) -> Floats:
        """The lengths of the edges of the spanning tree, in order."""
        return np.sort(np.array([length for length, _, _ in self.tree]))

    @cached_property
    def tree(self) -> list[tuple[float, int, int]]:
        """A minimum spanning tree of the components: lengths, and two tuples of different components."""
        sets = DisjointSets.of(self.size)
        tree: list[tuple[float, int, int]] = []
        while len(tree) < self.size - 1:
            group = compact(np.array(sets.roots()))[self.component]
            for length, one, other in sorted(self._nearest_others(group)):
                if sets.unite(int(self.component[one]), int(self.component[other])):
                    tree.append((length, one, other))
        return tree

    @cached_property
    def _neighbours(self) -> tuple[Floats, Places]:
        """The nearest tuples of every tuple and how far they are, itself among them."""
        many = min(NEIGHBOURS + 1, len(self.points))
        gaps, near = self.index.query(self.points, k=many, p=self.norm)
        return gaps.reshape(len(self.points), many), near.reshape(len(self.points), many)

    def _nearest_others(self, group: Ints) -> list[tuple[float, int, int]]:
        """Return for every group the shortest way to a tuple of another one."""
        gaps, near = self._neighbours
        is_other = group[near] != group[:, None]
        first = is_other.argmax(axis=1)
        everyone = np.arange(len(group))
        found = is_other[everyone, first]
        shortest = np.where(found, gaps[everyone, first], np.inf)
        target = np.where(found, near[everyone, first], -1)
        best = np.full(int(group.max()) + 1, np.inf)
        np.minimum.at(best, group, shortest)
        # A tuple with no other group among its neighbours may still be nearer than what was found.
        unsure = ~found & (gaps[:, -1] < best[group])
        for number in different(group[unsure]).tolist():
            outside = np.flatnonzero(group != number)
            asking = np.flatnonzero(unsure & (group == number))
            gap, place = _index_of(self.points[outside]).query(self.points[asking], k=1, p=self.norm)
            shortest[asking], target[asking] = gap, outside[place]
            best[number] = min(best[number], float(gap.min()))
        order = np.lexsort((everyone, shortest, group))
        leaders = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
        return [(float(shortest[one]), int(one), int(target[one])) for one in leaders]

    def joining(self, labels: npt.NDArray[np.integer], most: int = 1, effort: Effort = UNLIMITED) -> Joining:
        """Join clusters of different components, the narrowest union first, until so few are left."""
        labels = compact(labels)
        low, high, standing = self._boxes(labels)
        clusters, groups = DisjointSets.of(len(low)), DisjointSets.of(self.size)
        for cluster, group in zip(labels.tolist(), self.component.tolist(), strict=True):
            groups.unite(int(standing[cluster]), group)
        left = len(set(groups.roots()))
        before = left
        joins: list[tuple[int, int]] = []
        sides: list[float] = []
        heap = list(self._edges(labels, low, high, groups))
        heapq.heapify(heap)
        while heap and left > most and not effort.should_stop():
            side, one, other = heapq.heappop(heap)
            if groups.root(int(self.component[one])) == groups.root(int(self.component[other])):
                continue
            first, second = clusters.root(int(labels[one])), clusters.root(int(labels[other]))
            lower, upper = np.minimum(low[first], low[second]), np.maximum(high[first], high[second])
            now = float(sides_of(self.cells, lower[None], upper[None])[0])
            if now > side * (1 + ROUNDED_BY):
                heapq.heappush(heap, (now, one, other))
                continue
            clusters.unite(first, second)
            kept = clusters.root(first)
            low[kept], high[kept] = lower, upper
            groups.unite(int(self.component[one]), int(self.component[other]))
            joins.append((one, other))
            sides.append(now)
            left -= 1
        return Joining(labels, tuple(joins), tuple(sides), before)

    def _boxes(self, labels: Ints) -> tuple[Floats, Floats, Ints]:
        """Return the box of every cluster, and the component of its first tuple."""
        runs = Runs.of(labels)
        return *boxes_of(self.cells, runs), self.component[runs.order[runs.starts]]

    def _edges(
        self, labels: Ints, low: Floats, high: Floats, groups: DisjointSets
    ) -> Iterator[tuple[float, int, int]]:
        """Return pairs of near tuples of different components, with the side of their clusters' union."""
        group = np.array(groups.roots())[self.component]
        if len(different(group)) < 2:
            return
        _, near = self._neighbours
        one = np.repeat(np.arange(len(labels)), near.shape[1])
        pairs = np.column_stack([one, near.ravel()])
        spanning = np.array([(first, second) for _, first, second in self.tree], dtype=np.int64).reshape(
            -1, 2
        )
        pairs = np.concatenate([pairs, spanning])
        pairs = np.sort(pairs[group[pairs[:, 0]] != group[pairs[:, 1]]], axis=1)
        pairs = np.unique(pairs, axis=0)
        first, second = labels[pairs[:, 0]], labels[pairs[:, 1]]
        sides = sides_of(
            self.cells, np.minimum(low[first], low[second]), np.maximum(high[first], high[second])
        )
        yield from zip(sides.tolist(), pairs[:, 0].tolist(), pairs[:, 1].tolist(), strict=True)


def _embedded(cells: Cells) -> Floats:
    """Place the tuples so that no two lie farther apart than their gap, and plain columns exactly so far."""
    parts: list[Floats] = []
    for column in range(cells.place.shape[1]):
        place = cells.place[:, column]
        if cells.kind[column] == NUMBER:
            parts.append(place[:, None])
            continue
        apart = _least_gap(cells, column)
        codes = place.astype(np.int64)
        if cells.norm == 0:
            bits = max(int(codes.max(initial=0)).bit_length(), 1)
            parts.append(((codes[:, None] >> np.arange(bits)) & 1).astype(np.float64) * apart)
        else:
            parts.append(np.eye(int(codes.max(initial=0)) + 1)[codes] * apart / 2)
    return np.column_stack(parts)


def _least_gap(cells: Cells, column: int) -> float:
    """Return a gap that two different categories of a column have at least."""
    if cells.kind[column] == CATEGORY:
        return float(cells.apart[column])
    size, start = int(cells.size[column]), int(cells.gap_at[column])
    gaps = cells.gap[start : start + size * size].reshape(size, size)
    return float(gaps[~np.eye(size, dtype=bool)].min()) if size > 1 else 0.0


def _index_of(points: Floats) -> Any:
    """Return an index of points that finds the nearest."""
    # Loaded only here: it takes longer than a small search that has no use for it.
    from scipy.spatial import cKDTree

    return cKDTree(points)
