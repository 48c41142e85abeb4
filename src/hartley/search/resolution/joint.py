r"""Problem (3) under resolution: most candidates kept with nothing learnt for certain.

Find clusters of at most m values with :math:`I_* = 0` that keep as many candidates as possible.
They exist if and only if :math:`m \ge \lceil N/(N - c + 1) \rceil`, and keep no more than clusters
without the condition, whose bound therefore holds here too. The best clusters without
the condition are repaired by swaps that join components and take from no cluster what it
needs; where that fails, one candidate less is asked for. All sizes are glanced at before any is
searched at length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from hartley.measures.overlap import components, maximin_information
from hartley.model import JointRange, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.levels import Levels
from hartley.search.resolution.istar import Joiner, least_joining_size
from hartley.search.resolution.joining_swaps import joined
from hartley.search.resolution.l0 import MOST_GLANCES, Given, Standings, climbed, search_of
from hartley.search.resolution.layout import least_clusters, size_ranges
from hartley.search.resolution.one_size import SizeSearch, SizeStanding, fewest_candidates

TRIES = 400
"""Swaps per place in one repair."""
GLANCED_TRIES = 50
"""Swaps per place in a repair that comes before the search at length."""


def joint_levels(joint: JointRange, effort: Effort = UNLIMITED, starts: Iterable[Partition] = ()) -> Levels:
    """Return, for every size of the largest cluster that allows it, the most candidates kept with I* = 0.

    >>> from hartley.examples import toy
    >>> from hartley.measures.uncertainty import distinct_l
    >>> [(level.cost, distinct_l(toy(), level.partition)) for level in joint_levels(toy()).levels]
    [(3, 2), (4, 4), (7, 6)]
    """
    search = search_of(joint, effort)
    joiner = Joiner.of(components(joint))
    starts = tuple(starts)
    anyhow = Given.of(joint, starts, effort)
    given = Given(tuple(g for g in anyhow.partitions if maximin_information(joint, g[2]) == 0))
    least = least_joining_size(joiner.size, joiner.parts)
    ranges = [sizes for sizes in size_ranges(joiner.size) if sizes[0] >= least]
    first = joiner.partition(ranges[0][0])
    free: dict[int, SizeStanding] = {}

    def best(largest: int, before: SizeStanding | None) -> SizeStanding:
        if before is None:
            known, kept = first, fewest_candidates(search.sets, first)
            below = first, kept
        else:
            known, kept = before.partition, before.kept
            below = free[before.largest].partition, free[before.largest].kept
        free[largest] = search.best(largest, *anyhow.better(largest, *below))
        known, kept = given.better(largest, known, kept)
        return _repaired(joint, search, replace(free[largest], partition=known, kept=kept), free[largest])

    found = Standings(search, least)
    if joint.pairs * len(ranges) <= MOST_GLANCES:
        _glance(joint, search, [sizes[0] for sizes in ranges], anyhow, found)
    return climbed(joint, search, ranges, best, given, found)


def _glance(
    joint: JointRange, search: SizeSearch, sizes: Sequence[int], given: Given, found: Standings
) -> None:
    """Note what a short search and one repair find for every size, so that a stop leaves none without."""
    before = Partition.singletons(search.sets.size)
    known = before, fewest_candidates(search.sets, before)
    for largest in sizes:
        if search.effort.should_stop():
            return
        free = search.glance(largest, *given.better(largest, *known))
        known = free.partition, free.kept
        need = np.array([free.kept], dtype=np.int64)
        tries = GLANCED_TRIES * search.sets.size
        repaired = joined(joint, search.sets, free.partition, largest, need, tries, search.effort)
        if repaired is not None:
            kept = fewest_candidates(search.sets, repaired)
            found.note(replace(free, partition=repaired, kept=kept, finished=False))
            search.effort.found(lambda: found.levels(joint))
        if free.kept == search.sets.kinds:
            return


def _repaired(
    joint: JointRange, search: SizeSearch, standing: SizeStanding, unconditional: SizeStanding
) -> SizeStanding:
    """Improve a partition with I* = 0 by repairing better ones without."""
    effort, sets = search.effort, search.sets
    largest = standing.largest
    if largest == sets.size:
        return replace(standing, partition=Partition.whole(sets.size), kept=sets.kinds)
    tries = TRIES * largest * least_clusters(sets.size, largest)
    for wanted in range(unconditional.kept, standing.kept, -1):
        if effort.should_stop():
            return replace(standing, finished=False)
        need = np.array([wanted], dtype=np.int64)
        found = joined(joint, sets, unconditional.partition, largest, need, tries, effort)
        if found is not None:
            return replace(standing, partition=found, kept=fewest_candidates(sets, found))
    return standing
