"""Clusters are merged until what is required holds for persons with several rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import chain, combinations, islice, pairwise

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.person_range import person_range, persons_of_observations
from hartley.measures.verdicts import kept_by_each, verdicts
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement, Verdict
from hartley.releases.rows.reader import Reader

Costs = Callable[[Partition], Floats]
"""What each cluster of a partition costs."""
Merge = tuple[int, ...]
"""Clusters that become one."""
MOST_MERGES = 60
"""So many merges are priced at most for one person."""
FEW_CLUSTERS, MOST_MERGES_OF_MANY = 200, 12
"""Where there are more clusters than few, fewer merges are priced for each of many persons."""


def held_for_persons(
    linked: JointRange, requirements: tuple[Requirement, ...], closeness: Closeness
) -> tuple[Verdict, ...]:
    """Return what persons keep of each requirement."""
    return verdicts(person_range(linked), requirements, closeness)


def repaired(
    linked: JointRange,
    partition: Partition,
    requirements: tuple[Requirement, ...],
    closeness: Closeness,
    costs: Costs,
    *,
    in_order: bool,
    held: int | None = None,
) -> Partition:
    """Merge clusters until every requirement holds for persons; of each person the cheapest merge.

    The first side column of ``linked`` is the person, the others are seen beside the released value. The
    cluster of a ``held`` public value, which is withheld, stays as it is.

    Whatever holds for persons stays so when clusters are merged, and everything merged is the last resort; so
    this ends. A merge changes nothing for a person who has none of its clusters, so in one round every person
    who is left with too little, from the one with least on, has a merge of clusters that no other had.
    ``in_order``: only neighbours are merged, with all that lies between.
    """
    reader = Reader(joint=linked, known=1)
    while True:
        released = reader.sees(partition)
        shown = reader.clusters_seen(partition)
        frozen = None if held is None else int(partition.labels[held])
        persons = person_range(released)
        failing = next((v for v in verdicts(persons, requirements, closeness) if not v.holds), None)
        if failing is None:
            return partition
        others = [number for number in range(partition.size) if number != frozen]
        short = [
            sorted(set(shown[list(profile)].tolist()) - {frozen})
            for profile in _short(released, persons, failing.requirement, closeness)
        ]
        most = MOST_MERGES if partition.size <= FEW_CLUSTERS else MOST_MERGES_OF_MANY
        merges = _round(partition, short, others, costs, most, in_order=in_order)
        # Cells that are missing cannot be merged with numbers: then one of the other clusters is.
        single = ([cluster] for clusters in short for cluster in clusters)
        while not merges and (alone := next(single, None)) is not None:
            merges = _round(partition, [alone], others, costs, partition.size**2, in_order=in_order)
        if not merges:
            raise UnreachableError(
                f"no release keeps {failing.requirement.text} for persons; with everything merged it is "
                f"{failing.found:g}"
            )
        partition = _merged(partition, merges)


def _short(
    released: JointRange, persons: JointRange, requirement: Requirement, closeness: Closeness
) -> list[tuple[int, ...]]:
    """Return what is seen of the persons who are left with too little, from those left with least on."""
    profiles, _ = persons_of_observations(released)
    if requirement.is_monotone:
        kept = kept_by_each(persons, requirement, closeness)
        order = np.argsort(kept, kind="stable")
        return [profiles[number] for number in order[kept[order] < requirement.wanted].tolist()]
    several = [profile for profile in profiles if len(profile) > 1]
    return [max(several, key=len) if several else profiles[0]]


def _round(
    partition: Partition,
    short: list[list[int]],
    others: list[int],
    costs: Costs,
    most: int,
    *,
    in_order: bool,
) -> list[Merge]:
    """Return the cheapest merge of each person who is left with too little; no two touch the same cluster."""
    claimed: set[int] = set()
    free = set(others)
    tried: list[list[Merge]] = []
    for clusters in short:
        if claimed.isdisjoint(clusters):
            claimed.update(clusters)
            pairs = _pairs(clusters, others, most, in_order=in_order)
            spans = (range(a, b + 1) if in_order else (a, b) for a, b in pairs)
            tried.append([tuple(one for one in span if one in free) for span in spans])
    before = costs(partition)
    worst = max((float(before[number]) for number in others), default=0.0)
    priced = _priced(partition, tried, costs)
    touched: set[int] = set()
    found: list[Merge] = []
    for merges in tried:
        # A cell that is missing has no place among numbers.
        possible = [one for one in merges if np.isfinite(priced[one]) and touched.isdisjoint(one)]
        if possible:
            found.append(
                min(
                    possible,
                    key=lambda one: (
                        max(worst, priced[one]),
                        round(priced[one] - float(before[list(one)].sum()), 12),
                        len(one),
                        one[::-1],
                    ),
                )
            )
            touched.update(found[-1])
    return found


def _pairs(clusters: list[int], others: list[int], most: int, *, in_order: bool) -> list[tuple[int, int]]:
    """Return pairs of clusters to merge for a person who has some of them; alone, with the nearest others."""
    if len(clusters) > 1:
        return list(islice(pairwise(clusters) if in_order else combinations(clusters, 2), most))
    near: list[tuple[int, int]] = []
    for alone in clusters:
        at = bisect_left(others, alone)
        around = others[max(at - most, 0) : at + most + 1]
        nearest = sorted((abs(other - alone), other) for other in around if other != alone)
        near += [(min(alone, other), max(alone, other)) for _, other in nearest[:most]]
    return near


def _priced(partition: Partition, tried: list[list[Merge]], costs: Costs) -> dict[Merge, float]:
    """Return what the cluster of each merge would cost; merges that do not touch are priced together."""
    together: list[tuple[set[int], list[Merge]]] = []
    for merge in dict.fromkeys(chain.from_iterable(tried)):
        fitting = next((pack for pack in together if pack[0].isdisjoint(merge)), None)
        if fitting is None:
            fitting = (set(), [])
            together.append(fitting)
        fitting[0].update(merge)
        fitting[1].append(merge)
    priced: dict[Merge, float] = {}
    for _, merges in together:
        merged = _merged(partition, merges)
        after = costs(merged)
        for merge in merges:
            priced[merge] = float(after[merged.labels[partition.firsts[merge[0]]]])
    return priced


def _merged(partition: Partition, merges: Sequence[Merge]) -> Partition:
    number = np.arange(partition.size)
    for merge in merges:
        number[list(merge)] = merge[0]
    return Partition(number[partition.labels])
