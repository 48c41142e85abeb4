"""Lower the loss of a partition, cluster by cluster, without raising its worst side.

The loss of a cluster is its rows times its relative width. Three kinds of change are tried: a tuple that its cluster can
spare goes to another cluster; two tuples change places; a cluster is dissolved and each of its tuples joins a
near cluster or forms one with near tuples that are free or can be spared. A change stands if every cluster is enough,
no side exceeds the cap and the loss of the touched clusters falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.search.columns.cells import Cells, Floats, Places, width_between
from hartley.search.columns.mend_loops import (
    Clusters,
    Near,
    brings_new,
    can_spare,
    is_cluster_enough,
    keep_codes,
    move,
    undo_to,
)
from hartley.search.columns.needs import Marks, Needs, is_enough

MOST_MEMBERS = 400
"""Clusters of more tuples take and give none: each look at them would cost too much."""
LEAST_GAIN = 1e-12


class Losses(NamedTuple):
    """What the loops know of the losses: of each cluster, which are to be looked at, scratch paper."""

    loss: Floats
    waiting: npt.NDArray[np.bool_]
    """Clusters to be looked at again."""
    changed: Places
    before: Floats
    version_before: Places
    """Every change of a loss since the last commit: which cluster, its loss and version before."""
    counts: Places
    """How many changes there are."""
    seen: Places
    stamp: Places
    tried: Places
    """The stamp under which each cluster was tried last."""
    members: Places
    low: Floats
    high: Floats
    held: Places
    basis: Floats
    """A set to which tuples may be added: its box, the categories it holds (under a stamp), then its rows, its
    relative width and the stamp."""
    version: Places
    """Changes whenever a cluster does."""
    known: Places
    without: Floats
    spared: npt.NDArray[np.bool_]
    """Of each tuple, as long as its cluster has the known version: the loss of its cluster without it, and whether that is
    enough."""


@hot_part
def loss_of(cells: Cells, needs: Needs, losses: Losses, members: Places, size: int, cap: float) -> float:
    """Return the loss of a set of tuples; infinite where its side exceeds the cap."""
    rows = 0
    for i in range(size):
        rows += needs.rows[members[i]]
    width, side = 0.0, 0.0
    losses.stamp[0] += 1
    stamp = losses.stamp[0]
    for column in range(cells.place.shape[1]):
        low = cells.place[members[0], column]
        high = low
        if cells.kind[column] == 0:
            for i in range(1, size):
                cell = cells.place[members[i], column]
                low = min(low, cell)
                high = max(high, cell)
            width += cells.share[column] * (high - low)
        else:
            base, new = cells.base[column], -1
            for i in range(size):
                cell = cells.place[members[i], column]
                low = min(low, cell)
                high = max(high, cell)
                at = base + int(cell)
                if losses.seen[at] != stamp:
                    losses.seen[at] = stamp
                    new += 1
            width += cells.share[column] * new
        between = width_between(cells, column, low, high)
        if cells.norm == 0:
            side = max(side, between)
        else:
            side += between if cells.norm == 1 else between * between
    if (side**0.5 if cells.norm == 2 else side) > cap:
        return np.inf
    return rows * width


@hot_part
def clear_basis(losses: Losses) -> None:
    """Start an empty set."""
    losses.stamp[0] += 1
    losses.basis[0] = 0.0
    losses.basis[1] = 0.0
    losses.basis[2] = losses.stamp[0]
    for column in range(len(losses.low)):
        losses.low[column] = np.inf
        losses.high[column] = -np.inf


@hot_part
def add_to_basis(cells: Cells, needs: Needs, losses: Losses, one: int) -> None:
    """Add a tuple to the set."""
    is_first = losses.basis[0] == 0
    stamp = int(losses.basis[2])
    for column in range(cells.place.shape[1]):
        cell = cells.place[one, column]
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


@hot_part
def loss_with(cells: Cells, needs: Needs, losses: Losses, one: int, cap: float) -> float:
    """Return the loss of the set with a tuple more; infinite where its side exceeds the cap."""
    if losses.basis[0] == 0:
        return 0.0
    stamp = int(losses.basis[2])
    width, side = losses.basis[1], 0.0
    for column in range(cells.place.shape[1]):
        cell = cells.place[one, column]
        low, high = losses.low[column], losses.high[column]
        if cells.kind[column] != 0:
            if losses.held[cells.base[column] + int(cell)] != stamp:
                width += cells.share[column]
        else:
            width += cells.share[column] * (max(low - cell, 0.0) + max(cell - high, 0.0))
        between = width_between(cells, column, min(low, cell), max(high, cell))
        if cells.norm == 0:
            side = max(side, between)
        else:
            side += between if cells.norm == 1 else between * between
    if (side**0.5 if cells.norm == 2 else side) > cap:
        return np.inf
    return (losses.basis[0] + needs.rows[one]) * width


@hot_part
def gather(clusters: Clusters, cluster: int, without: int, with_one: int, out: Places) -> int:
    """List the members of a cluster without one (-1: with all), then another one (-1: none); return how many."""
    size = 0
    one = clusters.head[cluster]
    while one >= 0:
        if one != without:
            out[size] = one
            size += 1
        one = clusters.after[one]
    if with_one >= 0:
        out[size] = with_one
        size += 1
    return size


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
    cluster = clusters.label[one]
    if losses.known[one] == losses.version[cluster]:
        return
    losses.known[one] = losses.version[cluster]
    losses.without[one] = changed_loss(cells, needs, clusters, losses, cluster, one, -1, np.inf)
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
    return loss - losses.before[at]


@hot_part
def shift(cells: Cells, needs: Needs, clusters: Clusters, losses: Losses, one: int, cluster: int) -> float:
    """Move a tuple into a cluster (-1: set it free); return by how much the loss grew."""
    old = clusters.label[one]
    move(cells, clusters, one, cluster)
    growth = 0.0
    if old >= 0:
        growth += note(losses, old, changed_loss(cells, needs, clusters, losses, old, -1, -1, np.inf))
    if cluster >= 0:
        growth += note(losses, cluster, changed_loss(cells, needs, clusters, losses, cluster, -1, -1, np.inf))
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


@hot_part
def least_growth(cells: Cells, needs: Needs, clusters: Clusters, cluster: int, one: int) -> float:
    """Return what the loss of a cluster grows by at least with a tuple: its own rows, and what lies outside the box."""
    width = 0.0
    for column in range(cells.place.shape[1]):
        cell = cells.place[one, column]
        low, high = clusters.low[cluster, column], clusters.high[cluster, column]
        if cells.kind[column] == 0:
            width += cells.share[column] * (max(low - cell, 0.0) + max(cell - high, 0.0))
        elif cell < low or cell > high:
            width += cells.share[column]
    return width * (clusters.size[cluster] + needs.rows[one])


@hot_part
def best_taker(
    cells: Cells,
    needs: Needs,
    clusters: Clusters,
    near: Near,
    losses: Losses,
    one: int,
    own: int,
    cap: float,
) -> int:
    """Return the cluster whose loss grows least with a tuple, -1 where none can take it."""
    best, least = -1, np.inf
    first = near.start[one]
    losses.stamp[0] += 1
    tried = losses.stamp[0]
    for i in range(near.size[one]):
        cluster = clusters.label[near.pool[first + i]]
        if cluster < 0 or cluster == own or losses.tried[cluster] == tried:
            continue
        losses.tried[cluster] = tried
        if clusters.size[cluster] > MOST_MEMBERS:
            continue
        if least_growth(cells, needs, clusters, cluster, one) > least:
            continue
        growth = changed_loss(cells, needs, clusters, losses, cluster, -1, one, cap) - losses.loss[cluster]
        if growth < least or (growth == least and cluster < best):
            best, least = cluster, growth
    return best


@hot_part
def hand_over(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    clusters: Clusters,
    near: Near,
    losses: Losses,
    cluster: int,
    cap: float,
) -> bool:
    """Give tuples that a cluster can spare to others where the loss falls; tell whether any went."""
    any_went = False
    one = clusters.head[cluster]
    while one >= 0:
        after = clusters.after[one]
        look_without(cells, needs, marks, clusters, losses, one)
        if losses.spared[one]:
            taker = best_taker(cells, needs, clusters, near, losses, one, cluster, cap)
            if taker >= 0:
                if shift(cells, needs, clusters, losses, one, taker) < -LEAST_GAIN:
                    commit(clusters, losses)
                    any_went = True
                else:
                    take_back(cells, clusters, losses, 0, 0)
        one = after
    return any_went


@hot_part
def exchange(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    clusters: Clusters,
    near: Near,
    losses: Losses,
    cluster: int,
    cap: float,
) -> bool:
    """Let a tuple change places with one of another cluster where the loss falls; tell whether it did."""
    one = clusters.head[cluster]
    while one >= 0:
        clear_basis(losses)
        member = clusters.head[cluster]
        while member >= 0:
            if member != one:
                add_to_basis(cells, needs, losses, member)
            member = clusters.after[member]
        first = near.start[one]
        for i in range(near.size[one]):
            other = np.int64(near.pool[first + i])
            its = clusters.label[other]
            if its == cluster or clusters.size[its] > MOST_MEMBERS:
                continue
            before = losses.loss[cluster] + losses.loss[its]
            here = loss_with(cells, needs, losses, other, cap)
            if here >= before - LEAST_GAIN:
                continue
            look_without(cells, needs, marks, clusters, losses, other)
            if here + losses.without[other] >= before - LEAST_GAIN:
                continue
            there = changed_loss(cells, needs, clusters, losses, its, other, one, cap)
            if here + there >= before - LEAST_GAIN:
                continue
            size = gather(clusters, its, other, one, losses.members)
            if not is_enough(losses.members, 0, size, -1, needs, marks):
                continue
            size = gather(clusters, cluster, one, other, losses.members)
            if not is_enough(losses.members, 0, size, -1, needs, marks):
                continue
            shift(cells, needs, clusters, losses, one, its)
            shift(cells, needs, clusters, losses, other, cluster)
            commit(clusters, losses)
            return True
        one = clusters.after[one]
    return False


@hot_part
def form_at_least_loss(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    clusters: Clusters,
    near: Near,
    losses: Losses,
    one: int,
    cap: float,
) -> float:
    """Grow a cluster from a free tuple; return by how much the loss grows, infinite where it fails (nothing undone)."""
    clusters.counts[0] -= 1
    own = clusters.ids[clusters.counts[0]]
    growth = shift(cells, needs, clusters, losses, one, own)
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    left, rows = needs.wanted[0] - keep_codes(one, stamp, needs, marks), needs.rows[one]
    clear_basis(losses)
    add_to_basis(cells, needs, losses, one)
    first = near.start[one]
    while not (left <= 0 if needs.plain else is_cluster_enough(clusters, own, -1, needs, marks)):
        best, least = -1, np.inf
        for i in range(near.size[one]):
            other = np.int64(near.pool[first + i])
            its = clusters.label[other]
            if its == own or (rows >= needs.row_k and not brings_new(other, stamp, needs, marks)):
                continue
            change = loss_with(cells, needs, losses, other, cap) - losses.loss[own]
            if its >= 0:
                if change >= least + losses.loss[its]:
                    continue
                if clusters.size[its] > MOST_MEMBERS:
                    continue
                look_without(cells, needs, marks, clusters, losses, other)
                if not losses.spared[other]:
                    continue
                change += losses.without[other] - losses.loss[its]
            if change < least:
                best, least = other, change
        if best < 0:
            return np.inf
        growth += shift(cells, needs, clusters, losses, best, own)
        add_to_basis(cells, needs, losses, best)
        rows += needs.rows[best]
        left -= keep_codes(best, stamp, needs, marks)
    return growth


@hot_part
def dissolve(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    clusters: Clusters,
    near: Near,
    losses: Losses,
    cluster: int,
    cap: float,
) -> bool:
    """Place the tuples of a cluster anew, one after the other, where the loss grows least; tell whether it fell."""
    size = gather(clusters, cluster, -1, -1, clusters.queue)
    total = 0.0
    ids = clusters.counts[0]
    for i in range(size):
        total += shift(cells, needs, clusters, losses, clusters.queue[i], -1)
    for i in range(size):
        one = clusters.queue[i]
        if clusters.label[one] >= 0:
            continue
        if total >= -LEAST_GAIN:
            break
        moves, changes = clusters.counts[1], losses.counts[0]
        if moves + 4 * MOST_MEMBERS > len(clusters.moved) or changes + 4 * MOST_MEMBERS > len(losses.changed):
            total = np.inf
            break
        formed = form_at_least_loss(cells, needs, marks, clusters, near, losses, one, cap)
        taker = best_taker(cells, needs, clusters, near, losses, one, clusters.label[one], cap)
        joined = np.inf
        if taker >= 0:
            joined = changed_loss(cells, needs, clusters, losses, taker, -1, one, cap) - losses.loss[taker]
        if formed <= joined:
            total += formed
            if formed == np.inf:
                break
            continue
        take_back(cells, clusters, losses, moves, changes)
        clusters.counts[0] += 1
        total += shift(cells, needs, clusters, losses, one, taker)
    if total < -LEAST_GAIN:
        commit(clusters, losses)
        return True
    take_back(cells, clusters, losses, 0, 0)
    clusters.counts[0] = ids
    return False


@hot_loop
def polish_clusters(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    clusters: Clusters,
    near: Near,
    losses: Losses,
    order: Places,
    cap: float,
    most_dissolved: int,
) -> int:
    """Try to lower the loss of some clusters, in this order; return how many changed."""
    changed = 0
    for i in range(len(order)):
        cluster = order[i]
        size = clusters.size[cluster]
        if size == 0 or not losses.waiting[cluster] or losses.loss[cluster] <= 0:
            continue
        losses.waiting[cluster] = False
        if size > MOST_MEMBERS:
            continue
        if hand_over(cells, needs, marks, clusters, near, losses, cluster, cap):
            changed += 1
        if clusters.size[cluster] > 0 and exchange(cells, needs, marks, clusters, near, losses, cluster, cap):
            changed += 1
        if 0 < clusters.size[cluster] <= most_dissolved and dissolve(
            cells, needs, marks, clusters, near, losses, cluster, cap
        ):
            changed += 1
    return changed
