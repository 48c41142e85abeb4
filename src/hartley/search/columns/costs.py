"""What a partition over several columns costs and loses, in time linear in the tuples."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hartley.measures.utility.several_columns import CategoryColumn, ColumnsDistortion, NumberColumn
from hartley.model import Partition
from hartley.model.arrays import Floats, Int32s, Ints, Places, different
from hartley.search.columns.cells import Column, Combination, NumberCells
from hartley.search.columns.loops.cells import Cells

TUPLES_AT_ONCE = 1 << 17
"""Tuples that are measured at once, about."""


@dataclass(frozen=True)
class Runs:
    """The tuples sorted by cluster, and where each cluster begins; every number from 0 on is used."""

    order: Int32s
    starts: Places
    sizes: Places

    @classmethod
    def of(cls, labels: Ints) -> Runs:
        """Sort the tuples by cluster."""
        sizes = np.bincount(labels)
        order = np.argsort(labels, kind="stable").astype(np.int32)
        return cls(order, np.cumsum(sizes) - sizes, sizes)

    def pieces(self) -> Iterator[tuple[slice, Runs]]:
        """Yield some clusters at a time: which they are, and their tuples."""
        begins = np.searchsorted(self.starts, np.arange(0, len(self.order), TUPLES_AT_ONCE))
        for first, last in pairwise(np.unique([*begins, len(self.starts)]).tolist()):
            start = self.starts[first]
            stop = start + self.sizes[first:last].sum()
            yield (
                slice(first, last),
                Runs(self.order[start:stop], self.starts[first:last] - start, self.sizes[first:last]),
            )


class WorstFirst:
    """Clusters from the one of the greatest cost on (ties: the smaller number), while new ones come in."""

    def __init__(self, costs: Floats) -> None:
        self._costs = costs.copy()
        self._order = np.argsort(-costs, kind="stable").astype(np.int32)
        self._at = 0
        self._new: list[tuple[float, int]] = []

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(self._new) or self._at < len(self._order)

    def take_first(self) -> tuple[float, int]:
        """Return the greatest cost and the number of its cluster, and forget it."""
        if self._at < len(self._order):
            number = int(self._order[self._at])
            oldest = -float(self._costs[number]), number
            if not self._new or oldest < self._new[0]:
                self._at += 1
                return -oldest[0], number
        cost, number = heapq.heappop(self._new)
        return -cost, number

    def add(self, cost: float, number: int) -> None:
        """Take a cluster in."""
        heapq.heappush(self._new, (-cost, number))


def sides_of(cells: Cells, low: Floats, high: Floats) -> Floats:
    """Return the side of every box, as :func:`~hartley.search.columns.cells.side_of` does for one."""
    widths = np.zeros(low.shape)
    for column in range(low.shape[1]):
        first, last = low[:, column], high[:, column]
        if cells.kind[column] == 0:
            widths[:, column] = last - first
        elif cells.kind[column] == 1:
            widths[:, column] = np.where(last > first, cells.mixed[column], 0.0)
        else:
            start, length = first.astype(np.int64), (last - first).astype(np.int64)
            level = cells.log[length]
            at = cells.rise_at[column] + level * cells.size[column] + start
            wide = np.maximum(cells.rise[at], cells.rise[at + np.maximum(length - (1 << level), 0)])
            widths[:, column] = np.where(length > 0, wide, 0.0)
    if cells.norm == 0:
        largest: Floats = np.max(widths, axis=1)
        return largest
    total = np.zeros(len(low))
    for column in range(low.shape[1]):
        total += widths[:, column]
    return total


def cluster_sides(cells: Cells, labels: npt.NDArray[np.integer]) -> Floats:
    """Return the side of every cluster."""
    runs = Runs.of(labels)
    sides = np.empty(len(runs.starts))
    for clusters, piece in runs.pieces():
        sides[clusters] = sides_of(cells, *boxes_of(cells, piece))
    return sides


def boxes_of(cells: Cells, runs: Runs) -> tuple[Floats, Floats]:
    """Return the lowest and the highest cell of every cluster in each column."""
    place = cells.place[runs.order]
    return np.minimum.reduceat(place, runs.starts), np.maximum.reduceat(place, runs.starts)


def relative_widths(cells: Cells, labels: npt.NDArray[np.integer]) -> Floats:
    """Return the mean over columns of the share of the column that every cluster spans.

    On a line that is span over extent; for categories, those in the cluster less one over those in the table
    less one.
    """
    runs = Runs.of(labels)
    widths = np.empty(len(runs.starts))
    for clusters, piece in runs.pieces():
        widths[clusters] = _widths_of(cells, piece)
    return widths


def _widths_of(cells: Cells, runs: Runs) -> Floats:
    """Return the relative widths of some clusters."""
    widths = np.zeros(len(runs.starts))
    for column in range(cells.place.shape[1]):
        place = cells.place[runs.order, column]
        if cells.kind[column] == 0:
            spans = np.maximum.reduceat(place, runs.starts) - np.minimum.reduceat(place, runs.starts)
        else:
            size = int(cells.size[column])
            cluster = np.repeat(np.arange(len(runs.starts)), runs.sizes)
            pairs = different(cluster * size + place.astype(np.int64))
            spans = np.bincount(pairs // size, minlength=len(runs.starts)) - 1
        widths += cells.share[column] * spans
    return widths


def relative_loss(cells: Cells, labels: npt.NDArray[np.integer], rows: npt.NDArray[np.integer]) -> float:
    """Return the mean over rows of the relative width of their cluster: 0 untouched, 1 nothing left (NCP)."""
    return float(np.dot(relative_widths(cells, labels)[labels], rows) / rows.sum())


def midpoint_costs(
    columns: Sequence[Column], labels: npt.NDArray[np.integer], combination: Combination = "max"
) -> Floats:
    """Return the cost of every cluster; clusters are numbered from 0 without a hole, no cell is missing."""
    measured = tuple(
        NumberColumn(column.positions, "midpoint")
        if isinstance(column, NumberCells)
        else CategoryColumn(np.asarray(column.codes), column.table)
        for column in columns
    )
    partition = Partition(labels)
    costs = np.empty(partition.size)
    costs[labels] = ColumnsDistortion(measured, combination).costs(partition)[partition.labels]
    return costs
