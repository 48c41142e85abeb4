"""Divide tuples top-down: blocks of equal categories, cut into segments, then peeled where no cut divides.

A block that is enough is a segment of its own. The tuples of the others are grouped again with one or more
columns of categories left out, from the columns whose mixing adds least relative width; groups that are
enough become segments. So poor blocks are joined along as few columns as possible. What is left at the end
joins the segment whose categories are nearest.

Small clusters are peeled off large ones that no cut divides, from the ends of their widest column in turn. A
part starts at the extreme tuple. It takes the tuple that brings something new and gives the least side (ties:
the least relative width, then the place) and whose loss leaves the rest enough, until the part is enough. Two
failures in a row end it. Where every tuple holds one code and nothing but different codes count, a cluster
that can be divided at all is divided (Theorem C9).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Int32s, Ints, Places, sparse_zeros
from hartley.model.pair_sort import numbered_keys
from hartley.search.columns.cells import CATEGORY
from hartley.search.columns.costs import Runs
from hartley.search.columns.loops.boxes import added_share, box_into, take_into
from hartley.search.columns.loops.cells import (
    NONE,
    ONE,
    ZERO,
    Cells,
    Marks,
    Needs,
    is_enough,
    side_of,
    side_with,
    width_between,
)
from hartley.search.columns.loops.mend import brings_new, keep_codes
from hartley.search.columns.loops.split import Segments, split_segments
from hartley.search.columns.prepared import TUPLES_AT_A_TIME, Prepared, compact
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough

MOST_PEELED = 400
"""Clusters of more tuples are not peeled where more is wanted than one plain count: each test is long."""


@hot_part
def lost_codes(one: int, times: Places, needs: Needs) -> int:
    """Return how many codes a set loses with a tuple, given how often it holds each."""
    lost = 0
    for at in range(needs.ptr[one], needs.ptr[one + 1]):
        if times[needs.code[at]] == 1:
            lost += 1
    return lost


@hot_part
def extreme_tuple(cells: Cells, line: Int32s, size: int, upper: int, low: Floats, high: Floats) -> int:
    """Return the place in the line of the tuple at an end of the widest column; -1 if all are the same."""
    box_into(cells, line, ZERO, size, low, high)
    if side_of(cells, low, high) <= 0:
        return -1
    widest, column = -1.0, 0
    for other in range(cells.place.shape[1]):
        width = width_between(cells, other, low[other], high[other])
        if width > widest:
            widest, column = width, other
    extreme = 0
    for i in range(1, size):
        cell, known = cells.place[line[i], column], cells.place[line[extreme], column]
        if (cell > known) if upper else (cell < known):
            extreme = i
    return extreme


@hot_part
def next_to_peel(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    line: Int32s,
    size: int,
    taken: int,
    held: int,
    times: Places,
    low: Floats,
    high: Floats,
    stamp: int,
) -> int:
    """Return the place in the line of the tuple to take next; -1 where none can be taken."""
    best, least, least_share = -1, np.inf, np.inf
    for i in range(taken, size):
        one = line[i] + ZERO
        if needs.row_k <= 1 and not brings_new(one, stamp, needs, marks):
            continue
        side = side_with(cells, low, high, one)
        if side > least:
            continue
        share = added_share(cells, low, high, one)
        if side == least and (share > least_share or (share == least_share and one > line[best])):
            continue
        if needs.plain:
            if held - lost_codes(one, times, needs) < needs.wanted[0]:
                continue
        elif not is_enough(line, taken, size, one, needs, marks):
            continue
        best, least, least_share = i, side, share
    return best


@hot_part
def peel_part(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    line: Int32s,
    size: int,
    upper: int,
    times: Places,
    low: Floats,
    high: Floats,
) -> int:
    """Bring a part to the front of the line; return how many tuples it has, 0 where none can be had."""
    chosen = extreme_tuple(cells, line, size, upper, low, high)
    if chosen < 0:
        return 0
    held = ZERO
    for i in range(size):
        for at in range(needs.ptr[line[i]], needs.ptr[line[i] + 1]):
            times[needs.code[at]] += 1
            if times[needs.code[at]] == 1:
                held += 1
    marks.stamp[0] += 1
    stamp = marks.stamp[0]
    for column in range(cells.place.shape[1]):
        low[column] = np.inf
        high[column] = -np.inf
    taken, left = ZERO, needs.wanted[0]
    while True:
        one = line[chosen] + ZERO
        if taken == 0:
            fits = (
                held - lost_codes(one, times, needs) >= needs.wanted[0]
                if needs.plain
                else is_enough(line, ZERO, size, one, needs, marks)
            )
            if not fits:
                break
        line[chosen] = line[taken]
        line[taken] = one
        taken += 1
        take_into(cells, one, low, high)
        for at in range(needs.ptr[one], needs.ptr[one + 1]):
            code = needs.code[at]
            times[code] -= 1
            if times[code] == 0:
                held -= 1
        left -= keep_codes(one, stamp, needs, marks)
        if (left <= 0) if needs.plain else is_enough(line, ZERO, taken, NONE, needs, marks):
            break
        chosen = next_to_peel(cells, needs, marks, line, size, taken, held, times, low, high, stamp)
        if chosen < 0:
            taken = 0
            break
    for i in range(size):
        for at in range(needs.ptr[line[i]], needs.ptr[line[i] + 1]):
            times[needs.code[at]] = 0
    return taken


@hot_loop
def peel_clusters(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    members: Int32s,
    starts: Places,
    from_cluster: int,
    budget: int,
    label: Int32s,
    counts: Places,
) -> int:
    """Peel clusters, from one on, until about so many tuples were looked at; return the one to go on with.

    ``members[starts[c]:starts[c + 1]]`` are the tuples of a cluster. The parts get new labels from
    ``counts[0]`` on. Where a cluster is left half peeled, the other counts are how many tuples were peeled,
    the failures in a row, and the end whose turn it is.
    """
    columns = cells.place.shape[1]
    low, high = np.empty(columns), np.empty(columns)
    times = np.zeros(len(marks.kept), np.int64)
    for cluster in range(from_cluster, len(starts) - 1):
        if not needs.plain and starts[cluster + 1] - starts[cluster] > MOST_PEELED:
            continue
        line = members[starts[cluster] + counts[1] : starts[cluster + 1]]
        size = len(line)
        failures, upper = counts[2], counts[3]
        while size >= 2 and failures < 2:
            if budget <= 0:
                counts[2], counts[3] = failures, upper
                return cluster
            budget -= size * (1 + needs.wanted[0])
            part = peel_part(cells, needs, marks, line, size, upper, times, low, high)
            if part == 0:
                failures += 1
                upper = ONE - upper
                continue
            failures = 0
            for i in range(part):
                label[line[i]] = counts[0]
            counts[0] += 1
            counts[1] += part
            line = line[part:]
            size -= part
        counts[1], counts[2], counts[3] = 0, 0, 0
    return len(starts) - 1


MOST_SUBSETS = 256
MOST_PAIRS = 50_000_000


def blocks_first(cells: Cells, demand: Enough, effort: Effort = UNLIMITED) -> Ints:
    """Return a partition whose clusters are enough and mix as few columns of categories as possible."""
    n = len(cells.place)
    columns = np.flatnonzero(cells.kind == CATEGORY)
    labels = np.full(n, -1, dtype=np.int32)
    waiting = np.arange(n, dtype=np.int32)
    used = 0
    for left_out in _subsets_left_out(cells, columns):
        kept = np.setdiff1d(columns, left_out)
        groups = _groups(cells, waiting, kept)
        count = int(groups.max()) + 1
        part = demand if len(waiting) == n else demand.take(waiting)
        enough = part.are_enough(groups, count)[groups]
        labels[waiting[enough]] = used + groups[enough]
        used += count
        waiting = waiting[~enough]
        if not len(waiting) or effort.should_stop():
            break
    if len(waiting):
        labels[waiting] = _nearest_segments(cells, columns, labels, waiting) if used else 0
    return numbered_keys(labels, max(used, 1))[1]


def _subsets_left_out(cells: Cells, columns: Places) -> list[Places]:
    """Return sets of columns to leave out, from the one whose mixing adds least: from none to all."""
    subsets: list[tuple[int, ...]] = []
    for size in range(len(columns) + 1):
        of_size = list(combinations(columns.tolist(), size))
        if size == len(columns) or len(subsets) + len(of_size) <= MOST_SUBSETS:
            subsets += of_size
    ordered = sorted(
        subsets, key=lambda subset: (sum(cells.share[column] for column in subset), len(subset), subset)
    )
    return [np.array(subset, dtype=np.int64) for subset in ordered]


def _groups(cells: Cells, members: Ints, columns: Places) -> Ints:
    """Return the group of each member: those with the same cells in these columns."""
    groups: Ints = np.zeros(len(members), dtype=np.int32)
    count = 1
    for column in columns:
        size = int(cells.size[column])
        keys = groups.astype(np.int64)
        keys *= size
        keys += cells.place[members, column].astype(np.int64)
        different, groups = numbered_keys(keys, count * size)
        count = len(different)
    return groups


def _nearest_segments(cells: Cells, columns: Places, labels: Ints, waiting: Ints) -> Places:
    """Return the segment that each waiting tuple joins: the least mixing, then the first."""
    placed = np.flatnonzero(labels >= 0)
    if not len(placed):
        return np.zeros(len(waiting), dtype=np.int64)
    blocks = _groups(cells, placed, columns)
    _, first = np.unique(blocks, return_index=True)
    representatives = placed[np.sort(first)]
    groups = _groups(cells, waiting, columns)
    _, first_waiting = np.unique(groups, return_index=True)
    if len(first_waiting) * len(representatives) > MOST_PAIRS:
        largest = int(np.bincount(labels[placed]).argmax())
        return np.full(len(waiting), largest, dtype=np.int64)
    joined = np.empty(len(first_waiting), dtype=np.int64)
    for group, one in enumerate(waiting[first_waiting]):
        mixed: npt.NDArray[np.bool_] = cells.place[representatives][:, columns] != cells.place[one, columns]
        joined[group] = labels[representatives[int((mixed @ cells.share[columns]).argmin())]]
    return joined[groups]


def split(
    prepared: Prepared,
    labels: Ints,
    rule: int,
    effort: Effort,
    tie_cuts: bool = True,
) -> Ints:
    """Cut every cluster of a partition until no cut leaves both halves enough, or until it is stopped."""
    n = prepared.size
    order, first, last = segments_of(labels)
    segments = Segments(
        order=order,
        first=sparse_zeros((n + 2,), np.int64),
        last=sparse_zeros((n + 2,), np.int64),
        spent=sparse_zeros((n + 2, prepared.columns), np.bool_),
        label=sparse_zeros((n,), np.int32),
        counts=np.array([len(first), 0], dtype=np.int64),
        line=sparse_zeros((n,), np.int32),
        key=sparse_zeros((n,), np.float64),
        other_line=sparse_zeros((n,), np.int32),
        other_key=sparse_zeros((n,), np.float64),
    )
    segments.first[: len(first)], segments.last[: len(last)] = first[::-1], last[::-1]
    loop = prepared.loop(split_segments)
    piece = split_segments.piece(loop, TUPLES_AT_A_TIME)
    while segments.counts[0] and not effort.should_stop():
        loop(prepared.cells, prepared.needs, prepared.marks, segments, rule, tie_cuts, piece)
    for at in range(int(segments.counts[0])):
        segments.label[order[segments.first[at] : segments.last[at]]] = segments.counts[1] + at
    label = segments.label
    del segments, order  # a renumbering needs the room
    return compact(label)


def peel(prepared: Prepared, labels: Ints, effort: Effort) -> Ints:
    """Peel small parts off every cluster while the rest stays enough."""
    members, first, last = segments_of(labels)
    starts = np.append(first, last[-1])
    peeled = labels.astype(np.int32)
    counts = np.array([int(peeled.max()) + 1, 0, 0, 0], dtype=np.int64)
    loop = prepared.loop(peel_clusters)
    piece = peel_clusters.piece(loop, TUPLES_AT_A_TIME)
    done = 0
    arguments = (prepared.cells, prepared.needs, prepared.marks, members, starts)
    while done < len(first) and not effort.should_stop():
        done = loop(*arguments, done, piece, peeled, counts)
    return compact(peeled)


def segments_of(labels: Ints) -> tuple[Int32s, Places, Places]:
    """Return the tuples sorted by cluster, and where each cluster begins and ends."""
    runs = Runs.of(labels)
    return runs.order, runs.starts, runs.starts + runs.sizes
