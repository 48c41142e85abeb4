"""Lower the loss of a partition, cluster by cluster, without raising its worst side.

The loss of a cluster is its rows times its relative width, and the weight of the rows that counts on it
miss. Three kinds of change are tried: a tuple that its cluster can spare goes to another cluster; two tuples
change places; a cluster is dissolved and each of its tuples joins a near cluster or forms one with near
tuples that are free or can be spared. A change stands if every cluster is enough, no side exceeds the cap and
the loss of the touched clusters falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Places
from hartley.search.columns.loops.boxes import added_share
from hartley.search.columns.loops.cells import NONE, ZERO, Cells, Marks, Needs, is_enough
from hartley.search.columns.loops.losses import (
    Losses,
    add_to_basis,
    changed_loss,
    clear_basis,
    commit,
    look_without,
    loss_with,
    shift,
    take_back,
)
from hartley.search.columns.loops.mend import Clusters, brings_new, gather, is_cluster_enough, keep_codes
from hartley.search.columns.loops.near import PAGE, PackedLists

MOST_MEMBERS = 400
"""Clusters of more tuples take and give none: each look at them would cost too much."""
MOST_COUNTED = 60
"""The same where counts weigh, which looks at every two tuples of a cluster."""
LEAST_GAIN = 1e-12
MOST_LISTED = 64
"""Tuples in a list of near ones, at most."""


class Polishing(NamedTuple):
    """What a polish works on: the table and the demand, the partition, lists of near tuples, the losses."""

    cells: Cells
    needs: Needs
    marks: Marks
    clusters: Clusters
    near: PackedLists
    losses: Losses


@hot_part
def is_large(clusters: Clusters, losses: Losses, cluster: int) -> bool:
    """Tell whether a cluster has too many tuples to take or give any."""
    most = MOST_COUNTED if losses.counts_asked.weight > 0.0 else MOST_MEMBERS
    return bool(clusters.size[cluster] > most)


@hot_part
def least_growth(cells: Cells, needs: Needs, clusters: Clusters, cluster: int, one: int) -> float:
    """Return what the loss of a cluster grows by at least with a tuple, judged by its box."""
    width = added_share(cells, clusters.low[cluster], clusters.high[cluster], one)
    return float(width * (clusters.size[cluster] + needs.rows[one]))


@hot_part
def best_taker(work: Polishing, one: int, own: int, cap: float) -> int:
    """Return the cluster whose loss grows least with a tuple, -1 where none can take it."""
    cells, needs, marks, clusters, near, losses = work
    best, least = NONE, np.inf
    first = near.start[one] + ZERO
    losses.stamp[0] += 1
    tried = losses.stamp[0]
    for i in range(near.size[one]):
        cluster = clusters.label[near.page[first + i] * PAGE + near.low[first + i]] + ZERO
        if cluster < 0 or cluster == own or losses.tried[cluster] == tried:
            continue
        losses.tried[cluster] = tried
        if is_large(clusters, losses, cluster):
            continue
        # With a tuple more a box may be filled evenly, and less be missed.
        is_bounded = losses.counts_asked.weight == 0.0
        if is_bounded and least_growth(cells, needs, clusters, cluster, one) > least:
            continue
        growth = changed_loss(cells, needs, clusters, losses, cluster, NONE, one, cap) - losses.loss[cluster]
        if growth < least or (growth == least and cluster < best):
            if needs.beside:
                size = gather(clusters, cluster, NONE, one, losses.members)
                if not is_enough(losses.members, ZERO, size, NONE, needs, marks):
                    continue
            best, least = cluster, growth
    return best


@hot_part
def hand_over(work: Polishing, cluster: int, cap: float) -> bool:
    """Hand tuples that a cluster can spare to others where the loss falls; tell whether any went."""
    cells, needs, marks, clusters, _, losses = work
    any_went = False
    one = clusters.head[cluster] + ZERO
    while one >= 0:
        after = clusters.after[one] + ZERO
        look_without(cells, needs, marks, clusters, losses, one)
        if losses.spared[one]:
            taker = best_taker(work, one, cluster, cap)
            if taker >= 0:
                if shift(cells, needs, clusters, losses, one, taker) < -LEAST_GAIN:
                    commit(clusters, losses)
                    any_went = True
                else:
                    take_back(cells, clusters, losses, ZERO, ZERO)
        one = after
    return any_went


@hot_part
def exchange(work: Polishing, cluster: int, cap: float) -> bool:
    """Let a tuple change places with one of another cluster where the loss falls; tell whether it did."""
    cells, needs, marks, clusters, near, losses = work
    one = clusters.head[cluster] + ZERO
    while one >= 0:
        clear_basis(losses)
        member = clusters.head[cluster] + ZERO
        while member >= 0:
            if member != one:
                add_to_basis(cells, needs, losses, member)
            member = clusters.after[member] + ZERO
        first = near.start[one] + ZERO
        for i in range(near.size[one]):
            other = near.page[first + i] * PAGE + near.low[first + i]
            its = clusters.label[other] + ZERO
            if its == cluster or is_large(clusters, losses, its):
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
            if not is_enough(losses.members, ZERO, size, NONE, needs, marks):
                continue
            size = gather(clusters, cluster, one, other, losses.members)
            if not is_enough(losses.members, ZERO, size, NONE, needs, marks):
                continue
            shift(cells, needs, clusters, losses, one, its)
            shift(cells, needs, clusters, losses, other, cluster)
            commit(clusters, losses)
            return True
        one = clusters.after[one] + ZERO
    return False


@hot_part
def form_at_least_loss(work: Polishing, one: int, cap: float) -> float:
    """Grow a cluster from a free tuple; return by how much the loss grows, infinite where it fails."""
    cells, needs, marks, clusters, near, losses = work
    clusters.counts[0] -= 1
    own = clusters.ids[clusters.counts[0]] + ZERO
    growth = shift(cells, needs, clusters, losses, one, own)
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    left, rows = needs.wanted[0] - keep_codes(one, stamp, needs, marks), needs.rows[one]
    clear_basis(losses)
    add_to_basis(cells, needs, losses, one)
    first = near.start[one] + ZERO
    while not (left <= 0 if needs.plain else is_cluster_enough(clusters, own, NONE, needs, marks)):
        best, least = NONE, np.inf
        for i in range(near.size[one]):
            other = near.page[first + i] * PAGE + near.low[first + i]
            its = clusters.label[other] + ZERO
            if its == own or (rows >= needs.row_k and not brings_new(other, stamp, needs, marks)):
                continue
            change = loss_with(cells, needs, losses, other, cap) - losses.loss[own]
            if its >= 0:
                if change >= least + losses.loss[its]:
                    continue
                if is_large(clusters, losses, its):
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
def dissolve(work: Polishing, cluster: int, cap: float) -> bool:
    """Place the tuples of a cluster anew, each where the loss grows least; tell whether it fell."""
    cells, needs, clusters, losses = work.cells, work.needs, work.clusters, work.losses
    size = gather(clusters, cluster, NONE, NONE, clusters.queue)
    total = 0.0
    ids = clusters.counts[0]
    for i in range(size):
        total += shift(cells, needs, clusters, losses, clusters.queue[i] + ZERO, NONE)
    for i in range(size):
        one = clusters.queue[i] + ZERO
        if clusters.label[one] >= 0:
            continue
        if total >= -LEAST_GAIN:
            break
        moves, changes = clusters.counts[1], losses.counts[0]
        if moves + 4 * MOST_MEMBERS > len(clusters.moved) or changes + 4 * MOST_MEMBERS > len(losses.changed):
            total = np.inf
            break
        formed = form_at_least_loss(work, one, cap)
        taker = best_taker(work, one, clusters.label[one] + ZERO, cap)
        joined = np.inf
        if taker >= 0:
            joined = changed_loss(cells, needs, clusters, losses, taker, NONE, one, cap) - losses.loss[taker]
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
    take_back(cells, clusters, losses, ZERO, ZERO)
    clusters.counts[0] = ids
    return False


@hot_loop
def polish_clusters(
    work: Polishing, order: Places, begin: int, budget: int, cap: float, most_dissolved: int
) -> int:
    """Try to lower the loss of clusters, in this order from a place on; return the place to go on from.

    It pauses after about so many looks at two tuples. ``losses.counts[1]`` counts the changes.
    """
    clusters, losses = work.clusters, work.losses
    changed = 0
    for i in range(begin, len(order)):
        if budget <= 0:
            losses.counts[1] += changed
            return i
        cluster = order[i]
        size = clusters.size[cluster]
        if size == 0 or not losses.waiting[cluster] or losses.loss[cluster] <= 0:
            continue
        losses.waiting[cluster] = False
        if is_large(clusters, losses, cluster):
            continue
        budget -= size * (size + MOST_LISTED)
        if hand_over(work, cluster, cap):
            changed += 1
        if clusters.size[cluster] > 0 and exchange(work, cluster, cap):
            changed += 1
        if 0 < clusters.size[cluster] <= most_dissolved and dissolve(work, cluster, cap):
            changed += 1
    losses.counts[1] += changed
    return len(order)
