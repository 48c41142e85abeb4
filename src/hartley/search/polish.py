"""Split clusters as far as they stay enough, where that costs nothing: as fine as the same worst case allows.

Each cluster, the widest first, is split by a cut in order of position; else, if it is small, into any two
parts; else by dealing its values out, the rarest first. Parts are split again. Whether a set splits at all
is NP-hard to tell.

A split can raise what is certain: of {a, b} and {c, d} with two candidates each, nothing is joined any
more. So a guard may refuse a split.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from heapq import heapify, heappop, heappush

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.utility import Utility
from hartley.model import JointRange, Partition
from hartley.model.arrays import Flags, Floats, Places
from hartley.search.answer import Answer
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough
from hartley.search.line.borders import Borders
from hartley.search.line.bounds import STEPS
from hartley.search.line.intervals import finest_within
from hartley.search.line.loops import can_cut
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.sizes.cluster_count import most_clusters

Guard = Callable[[Partition], bool]

MOST_MEMBERS = 14
"""Clusters up to this many values are split in every way."""


def anything_goes(partition: Partition) -> bool:
    """Accept every split."""
    del partition
    return True


def components_stay(joint: JointRange, partition: Partition) -> Guard:
    """Return a guard that accepts a split only if no more components are left than by this partition.

    For components under a tolerance give the table of :func:`~hartley.measures.overlap.linked_range`.
    """
    most = overlap_partition(joint, partition).size

    def accepts(split: Partition) -> bool:
        return overlap_partition(joint, split).size <= most

    return accepts


def finer_on_line(
    values: OrderedValues, answer: Answer, effort: Effort | None, linked: JointRange | None = None
) -> Answer:
    """Return an answer on a line that is finer, costs no more and is enough; the answer if none is.

    Intervals where they are no fewer, the finest of them: most clusters, then least total width. Elsewhere
    clusters are split as far as they can be, but not without an effort, for that takes long for many values.
    Where components of a ``linked`` table count, no more of them are left.
    """
    partition = answer.partition
    if partition.size == len(partition.labels):
        return answer
    accepts = anything_goes if linked is None else components_stay(linked, partition)
    worst = float(values.utility.costs(partition).max())
    if values.cost_name in ("midpoint", "member") and values.size:
        earliest = values.windows.within(values.ticks_within(worst))
        anywhere = Borders.anywhere(values.positions)
        if can_cut.for_size(values.size * STEPS)(earliest, values.latest, anywhere.allowed):
            found = finest_within(values, worst, anywhere)
            is_finer = found.cost <= worst and found.partition.size >= partition.size
            if is_finer and accepts(found.partition):
                return _finer(answer, found.partition, found.cost)
    if effort is None:
        return answer
    where = np.full(values.whole.size, np.nan)
    where[values.order] = values.positions
    finer = polished(partition, values.whole, values.utility, where, accepts, effort)
    return _finer(answer, finer, float(values.utility.costs(finer).max()))


def _finer(answer: Answer, partition: Partition, cost: float) -> Answer:
    bound = None if answer.lower_bound_cost is None else min(answer.lower_bound_cost, cost)
    return replace(answer, partition=partition, cost=cost, lower_bound_cost=bound)


def polished(
    partition: Partition,
    enough: Enough,
    utility: Utility,
    positions: Floats | None = None,
    accepts: Guard = anything_goes,
    effort: Effort = UNLIMITED,
) -> Partition:
    """Return the partition with clusters split where every part is enough and none costs more than the worst.

    ``positions`` order the values of a cluster; without them their places do.
    """
    place = np.arange(len(partition.labels), dtype=float)
    where = place if positions is None else np.where(np.isnan(positions), place, positions)
    labels = partition.labels.astype(np.int64)
    worst = float(utility.costs(partition).max())
    order = np.argsort(labels, kind="stable")
    queue = [_entry(members, where) for members in np.split(order, np.cumsum(partition.sizes)[:-1])]
    heapify(queue)
    next_number = partition.size
    while queue and not effort.should_stop():
        members = np.array(heappop(queue)[2], dtype=np.int64)
        split = _split(enough, members[np.argsort(where[members], kind="stable")], where)
        if split is None:
            continue
        trial = labels.copy()
        trial[split] = next_number
        parted = Partition(trial)
        if float(utility.costs(parted).max()) > worst or not accepts(parted):
            continue
        labels = trial
        next_number += 1
        for part in (split, np.setdiff1d(members, split)):
            heappush(queue, _entry(part, where))
    return Partition(labels)


def _entry(members: Places, where: Floats) -> tuple[float, int, list[int]]:
    return -float(np.ptp(where[members])), int(members[0]), members.tolist()


def _split(enough: Enough, members: Places, where: Floats) -> Places | None:
    """Return one of two parts of a cluster that are enough each; ``None`` where none is found."""
    if len(members) < 2:
        return None
    inside = enough.take(members)
    if most_clusters(inside) < 2:
        return None
    latest = inside.latest_starts()
    first_end = int(np.argmax(latest >= 0))
    last_start = int(latest[-1])
    if first_end < last_start:
        # Any cut between the two will do; the widest gap makes the parts narrowest.
        gaps = np.diff(where[members])[first_end:last_start]
        cut = first_end + 1 + int(len(gaps) - 1 - np.argmax(gaps[::-1]))
        return members[cut:]
    if len(members) <= MOST_MEMBERS:
        # Every set of members is a cluster of its own; a value is in many of them, so it is taken as often.
        is_inside = (np.arange(1 << len(members))[:, np.newaxis] >> np.arange(len(members)) & 1).astype(bool)
        subset, place = np.nonzero(is_inside)
        counts = inside.take(place).counts_of_clusters(subset, len(is_inside))
        holds: Flags = np.asarray((counts >= inside.least).all(axis=1))
        both = np.flatnonzero(holds & holds[::-1])
        both = both[both > 0]
        return members[is_inside[both[0]]] if len(both) else None
    return _dealt(inside, members)


def _dealt(inside: Enough, members: Places) -> Places | None:
    """Deal values out to two sides, the rarest codes first, each to the side that it brings most."""
    seen = np.bincount(inside.value_code, minlength=inside.width)
    codes = [inside.value_code[inside.value_ptr[at] : inside.value_ptr[at + 1]] for at in range(len(members))]
    order = sorted(range(len(members)), key=lambda at: (min(seen[codes[at]], default=0), at))
    sides: tuple[list[int], list[int]] = ([], [])
    have = np.zeros((2, inside.width), dtype=bool)
    for at in order:
        gains = [(int((~have[side][codes[at]]).sum()), -len(sides[side])) for side in range(2)]
        side = 0 if gains[0] >= gains[1] else 1
        sides[side].append(at)
        have[side][codes[at]] = True
    if all(part and inside.is_enough(part) for part in sides):
        return members[sorted(sides[1])]
    return None
