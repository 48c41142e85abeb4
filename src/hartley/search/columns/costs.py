"""What a partition over several columns costs and loses, in time linear in the tuples.

In each column a codeword stands for the cluster: the midpoint of its numbers, the node of a hierarchy above
its categories, or the one of its categories with the least worst dissimilarity (ties: the earliest tuple's).
A tuple is as far from it as its columns' distances say together; a cluster costs as much as its farthest
tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hartley.errors import OptionError
from hartley.model.arrays import Floats, Places
from hartley.search.columns.cells import (
    NORMS,
    CategoryCells,
    Column,
    Combination,
    NumberCells,
    path_tree,
)
from hartley.search.columns.loops.cells import Cells
from hartley.search.columns.prepared import sides_of


@dataclass(frozen=True)
class Runs:
    """The tuples sorted by cluster, and where each cluster begins; every number from 0 on is used."""

    order: Places
    starts: Places
    sizes: Places

    @classmethod
    def of(cls, labels: npt.NDArray[np.integer]) -> Runs:
        """Sort the tuples by cluster."""
        sizes = np.bincount(labels)
        return cls(np.argsort(labels, kind="stable"), np.cumsum(sizes) - sizes, sizes)


def cluster_sides(cells: Cells, labels: npt.NDArray[np.integer]) -> Floats:
    """Return the side of every cluster."""
    runs = Runs.of(labels)
    place = cells.place[runs.order]
    return sides_of(cells, np.minimum.reduceat(place, runs.starts), np.maximum.reduceat(place, runs.starts))


def relative_widths(cells: Cells, labels: npt.NDArray[np.integer]) -> Floats:
    """Return the mean over columns of the share of the column that every cluster spans.

    On a line that is span over extent; for categories, those in the cluster less one over those in the table
    less one.
    """
    runs = Runs.of(labels)
    widths = np.zeros(len(runs.starts))
    for column in range(cells.place.shape[1]):
        place = cells.place[runs.order, column]
        if cells.kind[column] == 0:
            spans = np.maximum.reduceat(place, runs.starts) - np.minimum.reduceat(place, runs.starts)
        else:
            codes = labels[runs.order].astype(np.int64) * cells.size[column] + place.astype(np.int64)
            pairs = np.unique(codes)
            spans = np.bincount(pairs // cells.size[column], minlength=len(runs.starts)) - 1
        widths += cells.share[column] * spans
    return widths


def relative_loss(cells: Cells, labels: npt.NDArray[np.integer], rows: npt.NDArray[np.integer]) -> float:
    """Return the mean over rows of the relative width of their cluster: 0 untouched, 1 nothing left (NCP)."""
    return float(np.dot(relative_widths(cells, labels)[labels], rows) / rows.sum())


def midpoint_costs(
    columns: Sequence[Column], labels: npt.NDArray[np.integer], combination: Combination = "max"
) -> Floats:
    """Return the cost of every cluster; clusters are numbered from 0 without a hole.

    A cluster of several tuples one of which has a missing cell costs infinitely much, a tuple alone nothing.

    >>> ages = NumberCells(np.array([0.0, 1.0, 0.5]))
    >>> sexes = CategoryCells(np.array([0, 0, 1]))
    >>> midpoint_costs([ages, sexes], np.array([0, 0, 1]))
    array([0.5, 0. ])
    >>> midpoint_costs([ages, sexes], np.array([0, 0, 0]), "sum")
    array([1.])
    """
    if combination not in NORMS:
        raise OptionError.unknown("combination", combination, NORMS)
    runs = Runs.of(labels)
    total = np.zeros(len(labels))
    missing = np.zeros(len(labels), dtype=np.bool_)
    for column in columns:
        if isinstance(column, NumberCells):
            distances = _from_midpoints(column.positions[runs.order], runs) * column.weight
        else:
            distances = _from_category(column, runs) * column.weight
        missing |= np.isnan(distances)
        if combination == "max":
            total = np.maximum(total, distances)
        else:
            total += distances if combination == "sum" else distances**2
    total[missing] = np.inf
    costs: Floats = np.maximum.reduceat(np.sqrt(total) if combination == "euclid" else total, runs.starts)
    costs[runs.sizes == 1] = 0.0
    return costs


def _from_midpoints(positions: Floats, runs: Runs) -> Floats:
    low, high = np.minimum.reduceat(positions, runs.starts), np.maximum.reduceat(positions, runs.starts)
    distances: Floats = np.abs(positions - np.repeat((low + high) / 2, runs.sizes))
    return distances


def _from_category(column: CategoryCells, runs: Runs) -> Floats:
    codes = np.asarray(column.codes)[runs.order]
    if column.paths is not None:
        distances = _from_nodes(np.asarray(column.paths), codes, runs)
    elif column.table is None:
        distances = (codes != np.repeat(codes[runs.starts], runs.sizes)).astype(np.float64)
    else:
        table = np.asarray(column.table, dtype=np.float64)
        distances = table[codes, np.repeat(_centres(table, codes, runs), runs.sizes)]
    distances[codes < 0] = np.nan
    return distances


def _from_nodes(paths: npt.NDArray[np.integer], codes: npt.NDArray[np.integer], runs: Runs) -> Floats:
    """Return the height of the node above each tuple's cluster."""
    order, _ = path_tree(paths)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    place = ranks[codes]
    first = order[np.minimum.reduceat(place, runs.starts)]
    last = order[np.maximum.reduceat(place, runs.starts)]
    same = paths[first] == paths[last]
    levels = np.where(same.any(axis=1), same.argmax(axis=1), paths.shape[1])
    return np.repeat(levels / max(paths.shape[1] - 1, 1), runs.sizes)


def _centres(table: Floats, codes: npt.NDArray[np.integer], runs: Runs) -> Places:
    """Return the category that stands for every cluster."""
    size = len(table)
    cluster = np.repeat(np.arange(len(runs.starts)), runs.sizes)
    pairs, first = np.unique(cluster * size + np.maximum(codes, 0), return_index=True)
    owner, category = pairs // size, pairs % size
    counts = np.bincount(owner, minlength=len(runs.starts))
    begins = np.cumsum(counts) - counts
    worst = np.zeros(len(pairs))
    lengths = counts[owner]
    ends = np.cumsum(lengths)
    mine = np.repeat(np.arange(len(pairs)), lengths)
    other = np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths) + begins[owner[mine]]
    np.maximum.at(worst, mine, table[category[other], category[mine]])
    order = np.lexsort((first, worst, owner))
    chosen: Places = category[order[begins]]
    return chosen
