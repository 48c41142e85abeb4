"""What a partition of tuples over several columns costs, in time linear in the tuples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hartley.search.columns.loops.cells import Cells, Floats, Places
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
