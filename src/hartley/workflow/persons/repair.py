"""A partition that holds for rows, merged further until it holds for persons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice, pairwise

import numpy as np

from hartley.errors import UnreachableError
from hartley.measures.person_range import person_range, profiles_of
from hartley.measures.verdicts import kept_by_each, verdicts
from hartley.model import JointRange, Partition
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement, Verdict

Cost = Callable[[Partition], tuple[float, ...]]
"""What a partition costs; less is better."""
MOST_MERGES = 60
"""So many merges are priced at most in one step."""


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
    cost: Cost,
    *,
    in_order: bool,
) -> Partition:
    """Merge clusters until every requirement holds for persons; the cheapest merge first.

    Whatever holds for persons stays so when clusters are merged, and everything merged is the last resort; so
    this ends. ``in_order``: only neighbours are merged, with all that lies between.
    """
    while True:
        released = linked.release(partition)
        failing = next(
            (
                v
                for v in zip(requirements, held_for_persons(released, requirements, closeness), strict=True)
                if not v[1].holds
            ),
            None,
        )
        if failing is None:
            return partition
        if partition.size == 1:
            requirement, verdict = failing
            raise UnreachableError(
                f"no release keeps {requirement.text} for persons; with everything merged it is "
                f"{verdict.found:g}"
            )
        merges = _merges(released, failing[0], closeness, partition, in_order=in_order)
        tried = [_merged(partition, merge, in_order=in_order) for merge in merges]
        partition = min(tried, key=lambda one: (*cost(one), -one.size, one.labels.tolist()))


def _merges(
    released: JointRange,
    requirement: Requirement,
    closeness: Closeness,
    partition: Partition,
    *,
    in_order: bool,
) -> list[tuple[int, int]]:
    """Return pairs of clusters to merge for the persons who are left with least."""
    profiles, _, _ = profiles_of(released)
    if requirement.is_monotone:
        kept = kept_by_each(person_range(released), requirement, closeness)
        worst = profiles[int(np.argmin(kept))]
    else:
        several = [profile for profile in profiles if len(profile) > 1]
        worst = max(several, key=len) if several else profiles[0]
    found: Iterator[tuple[int, int]]
    if len(worst) > 1:
        found = pairwise(worst) if in_order else combinations(worst, 2)
    else:
        (alone,) = worst
        others = range(partition.size)
        found = ((min(alone, other), max(alone, other)) for other in others if other != alone)
    return list(islice(found, MOST_MERGES))


def _merged(partition: Partition, merge: tuple[int, int], *, in_order: bool) -> Partition:
    if not in_order:
        return partition.merge(*merge)
    places = np.flatnonzero(np.isin(partition.labels, merge))
    between = np.unique(partition.labels[places.min() : places.max() + 1])
    return partition.merge(*between.tolist())
