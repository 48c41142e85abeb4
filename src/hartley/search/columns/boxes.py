"""Divide tuples top-down: cut segments, then peel what no cut divides."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.search.columns.loops.cells import Places
from hartley.search.columns.loops.peel import peel_clusters
from hartley.search.columns.loops.split import Segments, split_segments
from hartley.search.columns.prepared import Prepared, compact
from hartley.search.effort import Effort

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
