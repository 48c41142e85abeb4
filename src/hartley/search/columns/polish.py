"""Bring the loss of a partition down without raising its worst side: the second objective.

The loss is the relative width of a row's cluster, mean over the rows (NCP). Tuples near one are taken from an index of
their own, in which two tuples are as far apart as their union would be wide.
"""

from __future__ import annotations

import numpy as np

from hartley.search.columns.boxes import peel, split
from hartley.search.columns.cells import CATEGORY, Cells, Places
from hartley.search.columns.measures import cluster_sides, relative_widths
from hartley.search.columns.polish_loops import Losses, polish_clusters
from hartley.search.columns.prepared import MOST_NEAR, Prepared, compact
from hartley.search.columns.split_loops import MIDDLE
from hartley.search.effort import Effort

CLUSTERS_AT_A_TIME = 500
PASSES = 12
MOST_DISSOLVED_PER_WANTED = 6


def width_cells(cells: Cells) -> Cells:
    """Return cells whose gaps are relative widths: what a cluster of two tuples would lose."""
    numbers = cells.kind == 0
    place = cells.place.copy()
    place[:, numbers] *= cells.share[numbers]
    return cells._replace(
        place=place, kind=np.where(numbers, 0, CATEGORY), mixed=cells.share, apart=cells.share, norm=1
    )


def polish(prepared: Prepared, labels: Places, effort: Effort) -> Places:
    """Return a partition of no greater worst side and no greater loss, in which no cluster can be peeled."""
    cap = float(cluster_sides(prepared.cells, labels).max())
    nearby = Prepared(width_cells(prepared.cells), prepared.demand)
    for _ in range(PASSES):
        labels, changed = _polished_once(prepared, nearby, labels, cap, effort)
        labels = peel(prepared, split(prepared, labels, MIDDLE, effort), effort)
        if not changed or effort.should_stop():
            break
    return labels


def _polished_once(
    prepared: Prepared, nearby: Prepared, labels: Places, cap: float, effort: Effort
) -> tuple[Places, int]:
    """Look at every cluster, and at those it touched, until nothing changes."""
    clusters = prepared.clusters(labels)
    losses = _losses(prepared, labels, len(clusters.size))
    loop = prepared.loop(polish_clusters)
    most = MOST_DISSOLVED_PER_WANTED * int(prepared.needs.wanted.max())
    total = 0
    for _ in range(PASSES):
        waiting = np.flatnonzero(losses.waiting)
        order = waiting[np.argsort(-losses.loss[waiting], kind="stable")]
        changed = 0
        for start in range(0, len(order), CLUSTERS_AT_A_TIME):
            if effort.should_stop():
                break
            some = order[start : start + CLUSTERS_AT_A_TIME]
            inside = np.flatnonzero(np.isin(clusters.label, some))
            nearby.list_near(inside, np.inf)
            arguments = (prepared.cells, prepared.needs, prepared.marks, clusters, nearby.near, losses)
            changed += loop(*arguments, some, cap, most)
        total += changed
        if not changed or effort.should_stop():
            break
    return compact(clusters.label), total


def _losses(prepared: Prepared, labels: Places, most: int) -> Losses:
    count = int(labels.max()) + 1
    rows = np.bincount(labels, weights=prepared.needs.rows, minlength=count)
    loss, waiting = np.zeros(most), np.zeros(most, dtype=np.bool_)
    loss[:count] = relative_widths(prepared.cells, labels) * rows
    waiting[:count] = True
    room = 4 * prepared.size + 100 * MOST_NEAR
    return Losses(
        loss=loss,
        waiting=waiting,
        changed=np.empty(room, dtype=np.int64),
        before=np.empty(room),
        counts=np.zeros(1, dtype=np.int64),
        seen=np.zeros(int(prepared.cells.base[-1]) + 1, dtype=np.int64),
        stamp=np.zeros(1, dtype=np.int64),
        tried=np.zeros(most, dtype=np.int64),
        members=np.empty(prepared.size + 1, dtype=np.int64),
    )
