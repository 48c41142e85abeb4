"""Swaps that join components without taking from any cluster what it needs.

The state is that of the swap search. A move exchanges two values of different
clusters; it is taken when every cluster still holds enough and no more components are
left than before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s
from hartley.model.disjoint_sets import unite
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.sizes.swaps import (
    PERIOD,
    Codes,
    Held,
    SwapSearch,
    exchange,
    fill,
    partition_of_places,
    places_of_partition,
)

STEPS_BETWEEN_QUESTIONS = 4_000_000


class Ties(NamedTuple):
    """The component of each public value beside each side value that it is seen with, for loops."""

    starts: Int64s
    side: Int64s
    part: Int64s

    @classmethod
    def of(cls, joint: JointRange, places: int) -> Ties:
        """Take the components of a table; empty places are values that are seen with nothing."""
        seen = np.bincount(joint.public_of, minlength=places)
        side = np.zeros(joint.observations) if joint.observed_side is None else joint.observed_side
        part = overlap_partition(joint).labels[joint.indices[joint.indptr[:-1]]]
        # Observations are sorted by public value.
        starts = np.concatenate(([0], np.cumsum(seen)))
        return cls(starts.astype(np.int64), side.astype(np.int64), part.astype(np.int64))


def settled(
    joint: JointRange,
    enough: Enough,
    partition: Partition,
    largest: int,
    most: int,
    tries: int,
    effort: Effort,
) -> Partition:
    """Swap values until no more than ``most`` components are left; every cluster stays enough."""
    compact = compacted(partition, largest, is_harmless=joint.side is None)
    clusters = compact.size
    if not SwapSearch.fits(enough, clusters):
        return partition
    places = places_of_partition(compact, largest, clusters)
    codes, ties = Codes.of(enough, len(places)), Ties.of(joint, len(places))
    state = Held.nothing(enough.least.astype(np.int64), clusters, codes)
    steps = len(enough.value_code) + len(ties.part)
    fill.for_size(steps)(largest, places, codes, state, np.zeros(clusters, dtype=np.int64))
    running = np.array([effort.seed % (PERIOD - 1) + 1, most + 1], dtype=np.int64)
    chunk = max(1, STEPS_BETWEEN_QUESTIONS // steps)
    while tries > 0 and running[1] > most and not effort.should_stop():
        loop = join_loop.for_size(tries * steps, in_pieces=True)
        now = min(tries, join_loop.piece(loop, chunk))
        loop(now, most, largest, places, codes, ties, state, running)
        tries -= now
    return partition_of_places(places, largest, enough.size)


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


@hot_loop
def parts_left(largest: int, places: Int64s, ties: Ties, parent: Int64s, first: Int64s, stamp: Int64s) -> int:
    """Count the components after merging; ``parent`` is left with their roots."""
    parts = len(parent)
    for part in range(parts):
        parent[part] = part
    for side in range(len(stamp)):
        stamp[side] = -1
    for place in range(len(places)):
        cluster = place // largest
        for entry in range(ties.starts[places[place]], ties.starts[places[place] + 1]):
            side = ties.side[entry]
            if stamp[side] != cluster:
                stamp[side] = cluster
                first[side] = ties.part[entry]
            elif unite(parent, first[side], ties.part[entry]):
                parts -= 1
    return parts


@hot_loop
def join_loop(
    tries: int,
    most: int,
    largest: int,
    places: Int64s,
    codes: Codes,
    ties: Ties,
    state: Held,
    running: Int64s,
) -> None:
    """Try so many swaps; stop when few components are left. ``running``: random number, components left."""
    parent = np.empty(ties.part.max() + 1, dtype=np.int64)
    first = np.empty(ties.side.max() + 1, dtype=np.int64)
    stamp = np.empty(len(first), dtype=np.int64)
    draw = running[0]
    left = parts_left(largest, places, ties, parent, first, stamp)
    for _ in range(tries):
        if left <= most:
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
        of_one, of_other = exchange(one, mine, other, yours, codes, state)
        if of_one + of_other == 0:
            places[here] = yours
            places[there] = mine
            now = parts_left(largest, places, ties, parent, first, stamp)
            if now <= left:
                left = now
                continue
            places[here] = mine
            places[there] = yours
        exchange(one, yours, other, mine, codes, state)
    running[0] = draw
    running[1] = left
