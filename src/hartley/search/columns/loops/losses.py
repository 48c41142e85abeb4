"""Losses of clusters under change: rows times relative width, kept up to date move by move.

Where counts are to be near, the weight of the rows that they miss comes on top.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Flags, Floats, Int32s, Places
from hartley.search.columns.loops.cells import NONE, ZERO, Cells, Marks, Needs, width_between
from hartley.search.columns.loops.counts import Counts, miscounted
from hartley.search.columns.loops.mend import Clusters, can_spare, gather, move, undo_to


class Losses(NamedTuple):
    """What the loops know of the losses: of each cluster, which are to be looked at, scratch paper."""

    loss: Floats
    waiting: Flags
    """Clusters to be looked at again."""
    changed: Places
    before: Floats
    version_before: Places
    """Every change of a loss since the last commit: which cluster, its loss and version before."""
    counts: Places
    """How many changes there are, and how many clusters were changed for good."""
    seen: Places
    stamp: Places
    tried: Places
    """The stamp under which each cluster was tried last."""
    members: Int32s
    low: Floats
    high: Floats
    held: Places
    basis: Floats
    basis_members: Int32s
    """A set to which tuples may be added: its box, the categories it holds (under a stamp), then its rows,
    its relative width, the stamp and how many tuples it has; which they are."""
    version: Places
    """Changes whenever a cluster does."""
    known: Places
    without: Floats
    spared: Flags
    """Of each tuple, as long as its cluster has the version before the known one: the loss of its cluster
    without it, and whether that is enough."""
    counts_asked: Counts


@hot_part
def loss_of(cells: Cells, needs: Needs, losses: Losses, members: Int32s, size: int, cap: float) -> float:
    """Return the loss of a set of tuples; infinite where its side exceeds the cap."""
    rows = 0
    for i in range(size):
        rows += needs.rows[members[i]]
    width, side = 0.0, 0.0
    losses.stamp[0] += 1
    stamp = losses.stamp[0]
    for column in range(len(cells.kind)):
        low = cells.place[members[0]][column]
        high = low
        if cells.kind[column] == 0:
            for i in range(1, size):
                cell = cells.place[members[i]][column]
                if cell < low:
                    low = cell
                elif cell > high:
                    high = cell
            between = high - low
            width += cells.share[column] * between
        else:
            base, new = cells.base[column], -1
            for i in range(size):
                cell = cells.place[members[i]][column]
                if cell < low:
                    low = cell
                elif cell > high:
                    high = cell
                at = base + int(cell)
                if losses.seen[at] != stamp:
                    losses.seen[at] = stamp
                    new += 1
            width += cells.share[column] * new
            between = width_between(cells, column, low, high)
        if cells.norm == 0:
            if between > side:
                side = between
        else:
            side += between
    if side > cap:
        return np.inf
    return float(rows * width + miscounted(needs, losses.counts_asked, members, size, NONE))


@hot_loop
def add_miscounted(
    needs: Needs, counts: Counts, order: Int32s, first: Places, last: Places, loss: Floats
) -> None:
    """Add to the losses of clusters, ``order[first[c]:last[c]]``, what counts miss on them."""
    for cluster in range(len(first)):
        members = order[first[cluster] : last[cluster]]
        loss[cluster] += miscounted(needs, counts, members, last[cluster] - first[cluster], NONE)


@hot_part
def clear_basis(losses: Losses) -> None:
    """Start an empty set."""
    losses.stamp[0] += 1
    losses.basis[0] = 0.0
    losses.basis[1] = 0.0
    losses.basis[2] = losses.stamp[0]
    losses.basis[3] = 0.0
    for column in range(len(losses.low)):
        losses.low[column] = np.inf
        losses.high[column] = -np.inf


@hot_part
def add_to_basis(cells: Cells, needs: Needs, losses: Losses, one: int) -> None:
    """Add a tuple to the set."""
    is_first = losses.basis[0] == 0
    stamp = int(losses.basis[2])
    for column in range(len(cells.kind)):
        cell = cells.place[one][column]
        low, high = losses.low[column], losses.high[column]
        losses.low[column] = min(low, cell)
        losses.high[column] = max(high, cell)
        if cells.kind[column] != 0:
            at = cells.base[column] + int(cell)
            if losses.held[at] != stamp:
                losses.held[at] = stamp
                if not is_first:
                    losses.basis[1] += cells.share[column]
        elif not is_first:
            losses.basis[1] += cells.share[column] * (max(low - cell, 0.0) + max(cell - high, 0.0))
    losses.basis[0] += needs.rows[one]
    losses.basis_members[int(losses.basis[3])] = one
    losses.basis[3] += 1


@hot_part
def loss_with(cells: Cells, needs: Needs, losses: Losses, one: int, cap: float) -> float:
    """Return the loss of the set with a tuple more; infinite where its side exceeds the cap."""
    if losses.basis[0] == 0:
        return 0.0
    stamp = int(losses.basis[2])
    width, side = losses.basis[1], 0.0
    row, norm = cells.place[one], cells.norm
    for column in range(len(row)):
        cell, low, high = row[column], losses.low[column], losses.high[column]
        if cells.kind[column] == 0:
            if cell < low:
                width += cells.share[column] * (low - cell)
                low = cell
            elif cell > high:
                width += cells.share[column] * (cell - high)
                high = cell
            between = high - low
        else:
            if losses.held[cells.base[column] + int(cell)] != stamp:
                width += cells.share[column]
            between = width_between(cells, column, min(low, cell), max(high, cell))
        if norm == 0:
            if between > side:
                side = between
        else:
            side += between
    if side > cap:
        return np.inf
    missed = miscounted(needs, losses.counts_asked, losses.basis_members, int(losses.basis[3]), one)
    return float((losses.basis[0] + needs.rows[one]) * width + missed)


@hot_part
def changed_loss(
    cells: Cells,
    needs: Needs,
    clusters: Clusters,
    losses: Losses,
    cluster: int,
    without: int,
    with_one: int,
    cap: float,
) -> float:
    """Return the loss that a cluster would have without one tuple and with another."""
    size = gather(clusters, cluster, without, with_one, losses.members)
    if size == 0:
        return 0.0
    return loss_of(cells, needs, losses, losses.members, size, cap)


@hot_part
def look_without(
    cells: Cells, needs: Needs, marks: Marks, clusters: Clusters, losses: Losses, one: int
) -> None:
    """Find out what the cluster of a tuple is without it, unless that is known."""
    cluster = clusters.label[one] + ZERO
    if losses.known[one] == losses.version[cluster] + 1:
        return
    losses.known[one] = losses.version[cluster] + 1
    losses.without[one] = changed_loss(cells, needs, clusters, losses, cluster, one, NONE, np.inf)
    losses.spared[one] = can_spare(clusters, one, needs, marks)


@hot_part
def note(losses: Losses, cluster: int, loss: float) -> float:
    """Write the new loss of a cluster down; return by how much it grew."""
    at = losses.counts[0]
    losses.changed[at] = cluster
    losses.before[at] = losses.loss[cluster]
    losses.version_before[at] = losses.version[cluster]
    losses.counts[0] = at + 1
    losses.loss[cluster] = loss
    losses.stamp[0] += 1
    losses.version[cluster] = losses.stamp[0]
    return float(loss - losses.before[at])


@hot_part
def shift(cells: Cells, needs: Needs, clusters: Clusters, losses: Losses, one: int, cluster: int) -> float:
    """Move a tuple into a cluster (-1: set it free); return by how much the loss grew."""
    old = clusters.label[one] + ZERO
    move(cells, clusters, one, cluster)
    growth = 0.0
    if old >= 0:
        growth += note(losses, old, changed_loss(cells, needs, clusters, losses, old, NONE, NONE, np.inf))
    if cluster >= 0:
        growth += note(
            losses, cluster, changed_loss(cells, needs, clusters, losses, cluster, NONE, NONE, np.inf)
        )
    return growth


@hot_part
def take_back(cells: Cells, clusters: Clusters, losses: Losses, moves: int, changes: int) -> None:
    """Undo all but the first moves and changes."""
    undo_to(cells, clusters, moves)
    for at in range(losses.counts[0] - 1, changes - 1, -1):
        losses.loss[losses.changed[at]] = losses.before[at]
        losses.version[losses.changed[at]] = losses.version_before[at]
    losses.counts[0] = changes


@hot_part
def commit(clusters: Clusters, losses: Losses) -> None:
    """Make all changes final: touched clusters are looked at again, the numbers of empty ones are free."""
    for at in range(losses.counts[0]):
        cluster = losses.changed[at]
        losses.waiting[cluster] = clusters.size[cluster] > 0
        if clusters.size[cluster] == 0:
            clusters.size[cluster] = -1
            clusters.ids[clusters.counts[0]] = cluster
            clusters.counts[0] += 1
    for at in range(losses.counts[0]):
        cluster = losses.changed[at]
        clusters.size[cluster] = max(clusters.size[cluster], 0)
    losses.counts[0] = 0
    clusters.counts[1] = 0
