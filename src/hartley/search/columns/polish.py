"""Bring the loss of a partition down without raising its worst side: the second objective.

The loss is the relative width of a row's cluster, mean over the rows (NCP). Tuples near one are taken from an
index of their own, in which two tuples are as far apart as their union would be wide.
"""

from __future__ import annotations

import numpy as np

from hartley.model.arrays import Ints, Places, code_type, sparse_zeros
from hartley.search.columns.boxes import peel, segments_of, split
from hartley.search.columns.cells import CATEGORY
from hartley.search.columns.costs import cluster_sides, relative_widths
from hartley.search.columns.loops.cells import Cells
from hartley.search.columns.loops.counts import Counts
from hartley.search.columns.loops.losses import Losses, add_miscounted
from hartley.search.columns.loops.near import PAGE, PackedLists, list_nearest
from hartley.search.columns.loops.polish import MOST_LISTED, Polishing, polish_clusters
from hartley.search.columns.loops.split import MIDDLE
from hartley.search.columns.prepared import COMPILED_FROM, Prepared, as_lists, compact
from hartley.search.effort import Effort

PAIRS_AT_A_TIME = 50_000
"""Pairs of tuples that a compiled loop looks at, about, before the clock is looked at."""
LISTS_AT_A_TIME = 400
ROUNDS = 4
PASSES = 8
LEAST_PROGRESS, LEAST_PROGRESS_OF_MANY = 0.005, 0.02
"""A round that lowers the loss by less than this share of it is the last; of many tuples a round is dear."""
MANY = 5000
VERY_MANY = 20_000
"""Of more tuples a further round looks only at clusters that are new since the last.

On 46,000 tuples that takes a fifth less time, and the loss is higher by less than a hundredth of it.
"""
NEAREST = 32
MOST_DISSOLVED_PER_WANTED = 6


def width_cells(cells: Cells) -> Cells:
    """Return cells whose gaps are relative widths: what a cluster of two tuples would lose."""
    numbers = cells.kind == 0
    place = sparse_zeros(cells.place.shape, np.float64)
    np.multiply(cells.place, np.where(numbers, cells.share, 1.0), out=place)
    return cells._replace(
        place=place, kind=np.where(numbers, 0, CATEGORY), mixed=cells.share, apart=cells.share, norm=1
    )


class Polisher:
    """Polishes partitions of one table; the lists of near tuples are made once, when first needed."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.nearby: Prepared | None = None
        """The index of their own, while lists are made; of few tuples it is kept."""
        room = (prepared.size * MOST_LISTED,)
        self.near = PackedLists(
            start=np.full(prepared.size, -1, dtype=code_type(room[0])),
            size=sparse_zeros((prepared.size,), np.int16),
            low=sparse_zeros(room, np.uint16),
            page=sparse_zeros(room, np.uint8 if prepared.size <= PAGE << 8 else np.uint16),
        )
        self.used = 0

    def polish_with_counts(self, labels: Ints, counts: Counts, effort: Effort) -> Ints:
        """Return a partition of no greater loss, in which the weight of the rows that counts miss is loss."""
        return self._once(labels, np.inf, effort, None, counts)[0]

    def polish(
        self, labels: Ints, effort: Effort, cap: float | None = None, hopeless_above: float = np.inf
    ) -> Ints:
        """Return a partition of no greater loss, in which no cluster can be peeled.

        No side grows above the cap; without one that is the greatest side there is. Where the loss is still
        above a number after the first round, that round is the last.
        """
        prepared = self.prepared
        if cap is None:
            cap = float(cluster_sides(prepared.cells, labels).max())
        loss = np.inf
        progress = LEAST_PROGRESS_OF_MANY if prepared.size > MANY else LEAST_PROGRESS
        settled: Ints | None = None
        for _ in range(ROUNDS):
            looked_at, after = self._once(labels, cap, effort, settled)
            labels = peel(prepared, split(prepared, looked_at, MIDDLE, effort), effort)
            settled = looked_at if prepared.size > VERY_MANY else None
            if effort.should_stop() or after >= loss * (1 - progress) or after > hopeless_above:
                break
            loss = after
        return labels

    def _once(
        self, labels: Ints, cap: float, effort: Effort, settled: Ints | None, counts: Counts | None = None
    ) -> tuple[Ints, float]:
        """Look at every cluster, and again at those that were touched, until nothing changes.

        Where the clusters are parts of others that were looked at before, only at those that are new.
        """
        prepared = self.prepared
        # First, while there is nothing else to hold.
        self._list_near(np.flatnonzero(relative_widths(prepared.cells, labels)[labels] > 0), effort)
        clusters = prepared.clusters(labels)
        losses = fresh_losses(prepared, labels, len(clusters.size), counts)
        if settled is not None:
            is_old = np.bincount(labels)[labels] == np.bincount(settled)[settled]
            losses.waiting[labels[is_old]] = False
        loop = prepared.loop(polish_clusters, COMPILED_FROM)
        at_hand = (prepared.cells, prepared.needs, prepared.marks)
        is_interpreted = loop is polish_clusters.interpreted
        if is_interpreted:
            at_hand, clusters = prepared.lists, as_lists(clusters)
            losses = as_lists(losses._replace(counts_asked=as_lists(losses.counts_asked)))
        piece = polish_clusters.piece(loop, PAIRS_AT_A_TIME if counts is None else PAIRS_AT_A_TIME // 10)
        most = MOST_DISSOLVED_PER_WANTED * int(prepared.needs.wanted.max())
        for _ in range(PASSES):
            waiting = np.flatnonzero(losses.waiting)
            loss = np.asarray(losses.loss)
            order = waiting[np.argsort(-loss[waiting], kind="stable")]
            self._list_near(np.flatnonzero(loss[clusters.label] > 0), effort)
            near = self.near
            if is_interpreted:
                near = as_lists(near._replace(low=near.low[: self.used], page=near.page[: self.used]))
            turns = order.tolist() if is_interpreted else order
            work = Polishing(*at_hand, clusters, near, losses)
            losses.counts[1], done = 0, 0
            while done < len(turns) and not effort.should_stop():
                done = loop(work, turns, done, piece, cap, most)
            if not losses.counts[1] or effort.should_stop():
                break
        return compact(np.asarray(clusters.label)), float(np.sum(losses.loss))

    def _list_near(self, members: Places, effort: Effort) -> None:
        """Make the lists that are missing, as far as they come in half of the time that is left.

        The other half is for what they serve. A tuple without a list stays where it is.
        """
        near = self.near
        missing = members[near.start[members] < 0]
        if not len(missing) or effort.should_stop():
            return
        effort = effort.share(2)
        nearby = self.nearby or Prepared(width_cells(self.prepared.cells), self.prepared.demand, effort)
        if self.prepared.size <= VERY_MANY:
            self.nearby = nearby
        place = np.empty(nearby.size, dtype=np.int32)
        place[nearby.tree.order] = np.arange(nearby.size, dtype=np.int32)
        # Neighbours in the index one after the other: what is near them is at hand.
        missing = missing[np.argsort(place[missing])]
        loop = nearby.loop(list_nearest, COMPILED_FROM)
        piece = list_nearest.piece(loop, LISTS_AT_A_TIME)
        table = nearby.indexed
        limits = (NEAREST, MOST_LISTED, nearby.most_looked_at)
        if loop is list_nearest.interpreted:
            table, missing = nearby.indexed_lists, missing.tolist()
        for start in range(0, len(missing), piece):
            if effort.should_stop():
                break
            self.used = loop(table, missing[start : start + piece], *limits, near, self.used)


def fresh_losses(prepared: Prepared, labels: Ints, most: int, counts: Counts | None = None) -> Losses:
    """Return the losses of a partition, with room for so many clusters."""
    losses = empty_losses(prepared, most, counts)
    rows = np.bincount(labels, weights=prepared.needs.rows)
    losses.loss[: len(rows)] = relative_widths(prepared.cells, labels) * rows
    losses.waiting[: len(rows)] = True
    if counts is not None:
        order, first, last = segments_of(labels)
        prepared.loop(add_miscounted, COMPILED_FROM)(prepared.needs, counts, order, first, last, losses.loss)
    return losses


def no_counts(columns: int) -> Counts:
    """Return counts that weigh nothing."""
    zeros = np.zeros(columns)
    paper = np.zeros(columns, dtype=np.int64)
    return Counts(0.0, np.zeros((1, columns), dtype=np.int32), zeros, zeros, zeros, *5 * (paper,), paper[:1])


def empty_losses(prepared: Prepared, most: int, counts: Counts | None = None) -> Losses:
    """Return room for the losses of so many clusters; what is never written takes no memory."""
    room = 8 * prepared.size + 10_000
    categories = int(prepared.cells.base[-1]) + 1
    return Losses(
        loss=sparse_zeros((most,), np.float64),
        waiting=sparse_zeros((most,), np.bool_),
        changed=sparse_zeros((room,), np.int64),
        before=sparse_zeros((room,), np.float64),
        version_before=sparse_zeros((room,), np.int64),
        counts=np.zeros(2, dtype=np.int64),
        seen=np.zeros(categories, dtype=np.int64),
        stamp=np.ones(1, dtype=np.int64),
        tried=sparse_zeros((most,), np.int64),
        members=sparse_zeros((prepared.size + 1,), np.int32),
        low=np.empty(prepared.columns),
        high=np.empty(prepared.columns),
        held=np.zeros(categories, dtype=np.int64),
        basis=np.zeros(4),
        basis_members=sparse_zeros((prepared.size + 1,), np.int32),
        version=sparse_zeros((most,), np.int64),
        known=sparse_zeros((prepared.size,), np.int64),
        without=sparse_zeros((prepared.size,), np.float64),
        spared=sparse_zeros((prepared.size,), np.bool_),
        counts_asked=no_counts(prepared.columns) if counts is None else counts,
    )
