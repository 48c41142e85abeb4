"""Divide tuples top-down: blocks of equal categories, cut into segments, then peeled where no cut divides.

A block that is enough is a segment of its own. The tuples of the others are grouped again with one or more
columns of categories left out, from the columns whose mixing adds least relative width; groups that are
enough become segments. So poor blocks are joined along as few columns as possible. What is left at the end
joins the segment whose categories are nearest.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from hartley.model.arrays import Places
from hartley.search.columns.cells import CATEGORY
from hartley.search.columns.loops.cells import Cells
from hartley.search.columns.loops.peel import peel_clusters
from hartley.search.columns.loops.split import Segments, split_segments
from hartley.search.columns.prepared import Prepared, compact
from hartley.search.effort import Effort
from hartley.search.enough import Enough

MOST_SUBSETS = 256
MOST_PAIRS = 50_000_000


def blocks_first(cells: Cells, demand: Enough) -> Places:
    """Return a partition whose clusters are enough and mix as few columns of categories as possible."""
    n = len(cells.place)
    columns = np.flatnonzero(cells.kind == CATEGORY)
    labels = np.full(n, -1, dtype=np.int64)
    waiting = np.arange(n)
    used = 0
    for left_out in _subsets_left_out(cells, columns):
        kept = np.setdiff1d(columns, left_out)
        groups = _groups(cells, waiting, kept)
        enough = demand.take(waiting).are_enough(groups, int(groups.max()) + 1)[groups]
        labels[waiting[enough]] = used + groups[enough]
        used += int(groups.max()) + 1
        waiting = waiting[~enough]
        if not len(waiting):
            break
    if len(waiting):
        labels[waiting] = _nearest_segments(cells, columns, labels, waiting) if used else 0
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


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


def _groups(cells: Cells, members: Places, columns: Places) -> Places:
    """Return the group of each member: those with the same cells in these columns."""
    groups = np.zeros(len(members), dtype=np.int64)
    for column in columns:
        codes = cells.place[members, column].astype(np.int64)
        groups = np.unique(groups * cells.size[column] + codes, return_inverse=True)[1].astype(np.int64)
    return groups


def _nearest_segments(cells: Cells, columns: Places, labels: Places, waiting: Places) -> Places:
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


TUPLES_AT_A_TIME = 2_000_000
"""Tuples that a loop looks at, about, before it is asked whether to stop."""


def split(
    prepared: Prepared,
    labels: npt.NDArray[np.integer],
    rule: int,
    effort: Effort,
    tie_cuts: bool = True,
) -> Places:
    """Cut every cluster of a partition until no cut leaves both halves enough, or until it is stopped."""
    n = prepared.size
    order, first, last = segments_of(labels)
    segments = Segments(
        order=order,
        first=np.zeros(n + 2, dtype=np.int64),
        last=np.zeros(n + 2, dtype=np.int64),
        spent=np.zeros((n + 2, prepared.columns), dtype=np.bool_),
        label=np.zeros(n, dtype=np.int64),
        counts=np.array([len(first), 0], dtype=np.int64),
        line=np.empty(n, dtype=np.int64),
        key=np.empty(n),
        other_line=np.empty(n, dtype=np.int64),
        other_key=np.empty(n),
    )
    segments.first[: len(first)], segments.last[: len(last)] = first[::-1], last[::-1]
    loop = prepared.loop(split_segments)
    while segments.counts[0] and not effort.should_stop():
        loop(prepared.cells, prepared.needs, prepared.marks, segments, rule, tie_cuts, TUPLES_AT_A_TIME)
    for at in range(int(segments.counts[0])):
        segments.label[order[segments.first[at] : segments.last[at]]] = segments.counts[1] + at
    return compact(segments.label)


def peel(prepared: Prepared, labels: npt.NDArray[np.integer], effort: Effort) -> Places:
    """Peel small parts off every cluster while the rest stays enough."""
    members, first, last = segments_of(labels)
    starts = np.append(first, last[-1])
    peeled = labels.astype(np.int64)
    counts = np.array([int(peeled.max()) + 1], dtype=np.int64)
    loop = prepared.loop(peel_clusters)
    done = 0
    arguments = (prepared.cells, prepared.needs, prepared.marks, members, starts)
    while done < len(first) and not effort.should_stop():
        done = loop(*arguments, done, TUPLES_AT_A_TIME, peeled, counts)
    return compact(peeled)


def segments_of(labels: npt.NDArray[np.integer]) -> tuple[Places, Places, Places]:
    """Return the tuples sorted by cluster, and where each cluster begins and ends."""
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return order, np.concatenate([[0], cuts]), np.concatenate([cuts, [len(labels)]])
