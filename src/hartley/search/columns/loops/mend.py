"""Place the tuples of a dissolved cluster anew, within a target side.

A tuple is placed by *forming* a cluster with near tuples that are free, that their clusters can spare (they
stay enough), or, where allowed, whose clusters are dissolved in turn; or by *joining* a near cluster. The
smaller side is done (ties: form). What does not fit is undone, so an attempt ends with every side within the
target, or with nothing changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Int32s, Places
from hartley.search.columns.loops.boxes import box_into, take_into
from hartley.search.columns.loops.cells import (
    NONE,
    ZERO,
    Cells,
    Marks,
    Needs,
    is_enough,
    side_of,
    side_with,
)

MOST_DISSOLVED = 12
FAILED, DONE, LISTS_NEEDED = 0, 1, 2


class Clusters(NamedTuple):
    """A partition under change: members as linked lists, boxes, sides, numbers that are free."""

    label: Int32s
    """The cluster of each tuple, -1 where it is free."""
    after: Int32s
    before: Int32s
    head: Int32s
    """The first member, of clusters that have or had one."""
    size: Int32s
    low: Floats
    high: Floats
    side: Floats
    ids: Int32s
    """Cluster numbers that are free, on a stack."""
    moved: Int32s
    moved_from: Int32s
    """Every move of the attempt: which tuple, from where."""
    queue: Int32s
    """Tuples to be placed."""
    counts: Places
    """How many ids are free, how many moves were made, how many tuples are in the queue."""
    buffer: Int32s


class Near(NamedTuple):
    """Lists of near tuples: ``pool[start[x]:start[x] + size[x]]``; start is -1 where there is none yet."""

    start: Places
    size: npt.NDArray[np.int16]
    pool: Int32s


class Mending(NamedTuple):
    """What is mended: the table and the demand, the partition, lists of near tuples."""

    cells: Cells
    needs: Needs
    marks: Marks
    clusters: Clusters
    near: Near


@hot_part
def gather(clusters: Clusters, cluster: int, without: int, with_one: int, out: Int32s) -> int:
    """List the members of a cluster without one and with another (-1: none); return how many."""
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
def refit(cells: Cells, clusters: Clusters, cluster: int) -> None:
    """Measure a cluster's box and side anew."""
    low, high = clusters.low[cluster], clusters.high[cluster]
    size = gather(clusters, cluster, NONE, NONE, clusters.buffer)
    box_into(cells, clusters.buffer, ZERO, size, low, high)
    clusters.side[cluster] = side_of(cells, low, high) if size > 0 else -1.0


@hot_part
def is_at_border(cells: Cells, clusters: Clusters, one: int, cluster: int) -> bool:
    """Tell whether a cluster's box may shrink with the loss of a tuple."""
    for column in range(len(cells.kind)):
        low, high = clusters.low[cluster][column], clusters.high[cluster][column]
        cell = cells.place[one][column]
        if low < high and cell in (low, high):
            return True
    return False


@hot_part
def relabel(cells: Cells, clusters: Clusters, one: int, cluster: int) -> None:
    """Take a tuple out of its cluster and put it into another (-1: leave it free)."""
    old = clusters.label[one] + ZERO
    if old >= 0:
        if clusters.before[one] >= 0:
            clusters.after[clusters.before[one]] = clusters.after[one]
        else:
            clusters.head[old] = clusters.after[one]
        if clusters.after[one] >= 0:
            clusters.before[clusters.after[one]] = clusters.before[one]
        clusters.size[old] -= 1
        if clusters.size[old] == 0 or is_at_border(cells, clusters, one, old):
            refit(cells, clusters, old)
    clusters.label[one] = cluster
    if cluster >= 0:
        first = clusters.head[cluster] + ZERO if clusters.size[cluster] > 0 else NONE
        clusters.after[one] = first
        clusters.before[one] = -1
        if first >= 0:
            clusters.before[first] = one
        clusters.head[cluster] = one
        clusters.size[cluster] += 1
        if clusters.size[cluster] == 1:
            refit(cells, clusters, cluster)
            return
        take_into(cells, one, clusters.low[cluster], clusters.high[cluster])
        clusters.side[cluster] = side_of(cells, clusters.low[cluster], clusters.high[cluster])


@hot_part
def move(cells: Cells, clusters: Clusters, one: int, cluster: int) -> None:
    """Put a tuple into a cluster, and write it down."""
    at = clusters.counts[1]
    clusters.moved[at] = one
    clusters.moved_from[at] = clusters.label[one]
    clusters.counts[1] = at + 1
    relabel(cells, clusters, one, cluster)


@hot_part
def undo_to(cells: Cells, clusters: Clusters, moves: int) -> None:
    """Undo all moves but the first ones."""
    for at in range(clusters.counts[1] - 1, moves - 1, -1):
        relabel(cells, clusters, clusters.moved[at] + ZERO, clusters.moved_from[at] + ZERO)
    clusters.counts[1] = moves


@hot_part
def can_spare(clusters: Clusters, one: int, needs: Needs, marks: Marks) -> bool:
    """Tell whether the cluster of a tuple is enough without it."""
    cluster = clusters.label[one] + ZERO
    return clusters.size[cluster] > 1 and is_cluster_enough(clusters, cluster, one, needs, marks)


@hot_part
def is_cluster_enough(clusters: Clusters, cluster: int, without: int, needs: Needs, marks: Marks) -> bool:
    """Tell whether a cluster is enough without one of its members (-1: with all)."""
    size = gather(clusters, cluster, without, NONE, clusters.buffer)
    return is_enough(clusters.buffer, ZERO, size, NONE, needs, marks)


@hot_part
def brings_new(one: int, stamp: int, needs: Needs, marks: Marks) -> bool:
    """Tell whether a tuple holds a code that is not yet kept under this stamp."""
    for at in range(needs.ptr[one], needs.ptr[one + 1]):  # noqa: SIM110 - loops make no generators
        if marks.kept[needs.code[at]] != stamp:
            return True
    return False


@hot_part
def keep_codes(one: int, stamp: int, needs: Needs, marks: Marks) -> int:
    """Keep the codes of a tuple under a stamp; return how many are new."""
    new = 0
    for at in range(needs.ptr[one], needs.ptr[one + 1]):
        if marks.kept[needs.code[at]] != stamp:
            marks.kept[needs.code[at]] = stamp
            new += 1
    return new


@hot_part
def dissolve(cells: Cells, clusters: Clusters, cluster: int) -> None:
    """Set all members of a cluster free and put them into the queue."""
    while clusters.head[cluster] >= 0:
        one = clusters.head[cluster] + ZERO
        clusters.queue[clusters.counts[2]] = one
        clusters.counts[2] += 1
        move(cells, clusters, one, NONE)


@hot_loop
def form(work: Mending, one: int, target: float, dissolving: int) -> int:
    """Grow a cluster from a free tuple within the target; return how many were dissolved, -1 if it fails.

    The next member is the one that brings something new and gives the least side; of equal ones a free tuple
    before one that can be spared before one whose cluster is dissolved (at most ``dissolving`` of them), then
    the nearest.
    """
    cells, needs, marks, clusters, near = work
    clusters.counts[0] -= 1
    own = clusters.ids[clusters.counts[0]] + ZERO
    move(cells, clusters, one, own)
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    left = needs.wanted[0] - keep_codes(one, stamp, needs, marks)
    rows = needs.rows[one]
    first, length = near.start[one], near.size[one] + ZERO
    out_of_reach = np.zeros(length, np.bool_)
    dissolved = ZERO
    while not (left <= 0 if needs.plain else is_cluster_enough(clusters, own, NONE, needs, marks)):
        best, least, least_hold = NONE, np.inf, 3
        for i in range(length):
            other = near.pool[first + i] + ZERO
            if out_of_reach[i] or clusters.label[other] == own:
                continue
            if rows >= needs.row_k and not brings_new(other, stamp, needs, marks):
                continue
            side = side_with(cells, clusters.low[own], clusters.high[own], other)
            if side > target:
                out_of_reach[i] = True
                continue
            if side > least or (side == least and least_hold == 0):
                continue
            hold = 0
            if clusters.label[other] >= 0:
                hold = 1
                if not can_spare(clusters, other, needs, marks):
                    hold = 2
                    size = clusters.size[clusters.label[other]]
                    if dissolved >= dissolving or size > 4 * needs.wanted[0] + needs.row_k + 16:
                        out_of_reach[i] = True
                        continue
            if side < least or hold < least_hold:
                best, least, least_hold = other, side, hold
        if best < 0:
            return -1
        old = clusters.label[best] + ZERO
        move(cells, clusters, best, own)
        if least_hold == 2:
            dissolved += 1
            dissolve(cells, clusters, old)
        left -= keep_codes(best, stamp, needs, marks)
        rows += needs.rows[best]
    return dissolved


@hot_part
def nearest_cluster(cells: Cells, clusters: Clusters, near: Near, one: int, own: int, nearest: int) -> int:
    """Return the cluster near a tuple that stays smallest with it; -1 where there is none."""
    best, least = NONE, np.inf
    first = near.start[one]
    for i in range(min(nearest, near.size[one])):
        cluster = clusters.label[near.pool[first + i]] + ZERO
        if cluster < 0 or cluster in (best, own):
            continue
        side = side_with(cells, clusters.low[cluster], clusters.high[cluster], one)
        if side < least or (side == least and cluster < best):
            best, least = cluster, side
    return best


@hot_loop
def place_all(work: Mending, order: Places, target: float, dissolving: int, nearest: int) -> int:
    """Set these tuples free and place them within the target; return FAILED, DONE or LISTS_NEEDED.

    Where lists of near tuples are needed first, ``clusters.queue[:clusters.counts[2]]`` are the tuples that
    need them.
    """
    cells, needs, _, clusters, near = work
    clusters.counts[1] = 0
    clusters.counts[2] = len(order)
    for i in range(len(order)):
        clusters.queue[i] = order[i]
        move(cells, clusters, order[i], NONE)
    ids = clusters.counts[0]
    dissolved, at, answer = ZERO, 0, 1
    room = len(clusters.moved) - 64 - MOST_DISSOLVED * (4 * needs.wanted[0] + needs.row_k + 16)
    while at < clusters.counts[2]:
        one = clusters.queue[at] + ZERO
        if clusters.label[one] >= 0:
            at += 1
            continue
        if near.start[one] < 0:
            answer = 2
            break
        at += 1
        if clusters.counts[1] > room or clusters.counts[2] > room:
            answer = 0
            break
        moves, queued = clusters.counts[1], clusters.counts[2]
        own = clusters.ids[clusters.counts[0] - 1] + ZERO
        more = form(work, one, target, dissolving - dissolved)
        other = nearest_cluster(cells, clusters, near, one, own, nearest)
        joined = np.inf
        if other >= 0:
            joined = side_with(cells, clusters.low[other], clusters.high[other], one)
        if more >= 0 and (clusters.side[own] <= joined or joined > target):
            dissolved += more
            continue
        undo_to(cells, clusters, moves)
        clusters.counts[2] = queued
        clusters.counts[0] += 1
        if other < 0 or clusters.size[other] == 0:
            answer = 0
            break
        if side_with(cells, clusters.low[other], clusters.high[other], one) > target:
            answer = 0
            break
        move(cells, clusters, one, other)
    if answer != 1:
        undo_to(cells, clusters, ZERO)
        clusters.counts[0] = ids
    return answer
