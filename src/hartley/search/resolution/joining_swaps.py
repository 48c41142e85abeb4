"""Swaps that join components without taking from any cluster what it needs.

The state is that of the swap search. A move exchanges two values of different
clusters; it is taken when every cluster still keeps enough candidates and no more components are
left than before.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s
from hartley.model.disjoint_sets import unite
from hartley.search.effort import Effort
from hartley.search.resolution.layout import CandidateSets
from hartley.search.resolution.swaps import (
    PERIOD,
    SwapSearch,
    fill,
    partition_of_places,
    places_of_partition,
    shift,
)

NOBODY = -1
STEPS_BETWEEN_QUESTIONS = 4_000_000


def joined(
    joint: JointRange,
    sets: CandidateSets,
    partition: Partition,
    largest: int,
    need: Int64s,
    tries: int,
    effort: Effort,
) -> Partition | None:
    """Swap values until one component is left and every cluster keeps what it needs, or give up."""
    result = settled(joint, sets, partition, largest, need, tries, effort)
    return result if overlap_partition(joint, result).size == 1 else None


def settled(
    joint: JointRange,
    sets: CandidateSets,
    partition: Partition,
    largest: int,
    need: Int64s,
    tries: int,
    effort: Effort,
) -> Partition:
    """Swap values so that fewer components are left; every cluster keeps what it needs."""
    compact = compacted(partition, largest, is_harmless=joint.side is None)
    clusters = compact.size
    if not SwapSearch.fits(sets, clusters):
        return partition
    places = places_of_partition(compact, largest, clusters)
    starts = np.concatenate((sets.starts, np.full(len(places) - sets.size, sets.starts[-1])))
    part_of = _part_of_candidates(joint, sets)
    held = np.zeros((clusters, sets.kinds), dtype=np.int32)
    shown = np.zeros((clusters, len(need)), dtype=np.int64)
    lack = np.zeros(clusters, dtype=np.int64)
    steps = len(sets.candidates)
    fill.for_size(steps)(largest, places, starts, sets.candidates, sets.side_of, need, held, shown, lack)
    running = np.array([effort.seed % (PERIOD - 1) + 1, 0], dtype=np.int64)
    chunk = max(1, STEPS_BETWEEN_QUESTIONS // steps)
    while tries > 0 and running[1] != 1 and not effort.should_stop():
        loop = join_loop.for_size(tries * steps, in_pieces=True)
        now = min(tries, join_loop.piece(loop, chunk))
        loop(now, largest, places, starts, sets.candidates, sets.side_of, part_of, need, held, shown, running)
        tries -= now
    return partition_of_places(places, largest, sets.size)


def compacted(partition: Partition, largest: int, *, is_harmless: bool) -> Partition:
    """Dissolve the smallest clusters into the room that the largest have left, where that is harmless.

    Leaves as few clusters as there must be; no cluster loses a candidate. With side information
    a value can bring a side value along that its new cluster has not enough candidates for; then
    nothing is done.
    """
    size = len(partition.labels)
    clusters = -(-size // largest)
    if not is_harmless or partition.size == clusters:
        return partition
    order = np.argsort(-partition.sizes, kind="stable")
    rank = np.empty(partition.size, dtype=np.int64)
    rank[order] = np.arange(partition.size)
    labels = rank[partition.labels]
    room = largest - partition.sizes[order[:clusters]]
    homeless = np.flatnonzero(labels >= clusters)
    labels[homeless] = np.repeat(np.arange(clusters), room)[: len(homeless)]
    return Partition(labels)


def _part_of_candidates(joint: JointRange, sets: CandidateSets) -> Int64s:
    """Return the component of each candidate in the untouched table."""
    groups = overlap_partition(joint).labels
    part_of = np.empty(sets.kinds, dtype=np.int64)
    part_of[sets.candidates] = groups[joint.indices]
    return part_of


@hot_loop
def parts_left(
    largest: int,
    places: Int64s,
    starts: Int64s,
    candidates: Int64s,
    side_of: Int64s,
    part_of: Int64s,
    parent: Int64s,
    first: Int64s,
    stamp: Int64s,
) -> int:
    """Count the components after merging; ``parent`` is left with their roots."""
    parts = 0
    for part in range(len(parent)):
        parent[part] = part
        parts += 1
    for side in range(len(stamp)):
        stamp[side] = -1
    for place in range(len(places)):
        cluster = place // largest
        for entry in range(starts[places[place]], starts[places[place] + 1]):
            side = side_of[candidates[entry]]
            part = part_of[candidates[entry]]
            if stamp[side] != cluster:
                stamp[side] = cluster
                first[side] = part
            elif unite(parent, first[side], part):
                parts -= 1
    return parts


@hot_loop
def join_loop(
    tries: int,
    largest: int,
    places: Int64s,
    starts: Int64s,
    candidates: Int64s,
    side_of: Int64s,
    part_of: Int64s,
    need: Int64s,
    held: npt.NDArray[np.int32],
    shown: Int64s,
    running: Int64s,
) -> None:
    """Try so many swaps; stop when one component is left. ``running``: random number, components left."""
    parent = np.empty(part_of.max() + 1, dtype=np.int64)
    first = np.empty(len(need), dtype=np.int64)
    stamp = np.empty(len(need), dtype=np.int64)
    draw = running[0]
    left = parts_left(largest, places, starts, candidates, side_of, part_of, parent, first, stamp)
    for _ in range(tries):
        if left == 1:
            break
        draw = draw * 48271 % PERIOD
        here = draw % len(places)
        draw = draw * 48271 % PERIOD
        there = draw % len(places)
        one = here // largest
        other = there // largest
        mine = places[here]
        yours = places[there]
        if one == other:
            continue
        change = shift(one, mine, -1, starts, candidates, side_of, need, held, shown)
        change += shift(one, yours, 1, starts, candidates, side_of, need, held, shown)
        change += shift(other, yours, -1, starts, candidates, side_of, need, held, shown)
        change += shift(other, mine, 1, starts, candidates, side_of, need, held, shown)
        if change == 0:
            places[here] = yours
            places[there] = mine
            now = parts_left(largest, places, starts, candidates, side_of, part_of, parent, first, stamp)
            if now <= left:
                left = now
                continue
            places[here] = mine
            places[there] = yours
        shift(one, yours, -1, starts, candidates, side_of, need, held, shown)
        shift(one, mine, 1, starts, candidates, side_of, need, held, shown)
        shift(other, mine, -1, starts, candidates, side_of, need, held, shown)
        shift(other, yours, 1, starts, candidates, side_of, need, held, shown)
    running[0] = draw
    running[1] = left
