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
from hartley.workflow.publication.reader import Reader

Cost = Callable[[Partition], tuple[float, ...]]
"""What a partition costs; less is better."""
MOST_MERGES = 60
"""So many merges are priced at most in one step."""
WITHHELD = "rows that are withheld stay so; leave out the budget for them"


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
    held: int | None = None,
) -> Partition:
    """Merge clusters until every requirement holds for persons; the cheapest merge first.

    The first side column of ``linked`` is the person, the others are seen beside the released value. The
    cluster of a ``held`` public value, which is withheld, stays as it is.

    Whatever holds for persons stays so when clusters are merged, and everything merged is the last resort; so
    this ends. ``in_order``: only neighbours are merged, with all that lies between.
    """
    reader = Reader(joint=linked, known=1)
    while True:
        released = reader.sees(partition)
        shown = reader.clusters_seen(partition)
        frozen = None if held is None else int(partition.labels[held])
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
        worst = _worst(released, failing[0], closeness)
        clusters = sorted(set(shown[list(worst)].tolist()) - {frozen})
        others = sorted(set(range(partition.size)) - {frozen})
        tried = [
            _merged(partition, merge, frozen, in_order=in_order)
            for merge in _merges(clusters, others, in_order=in_order)
        ]
        if not tried:
            requirement, verdict = failing
            raise UnreachableError(
                f"no release keeps {requirement.text} for persons; with everything merged it is "
                f"{verdict.found:g}{'' if held is None else f' ({WITHHELD})'}"
            )
        partition = min(tried, key=lambda one: (*cost(one), -one.size, one.labels.tolist()))


def _worst(released: JointRange, requirement: Requirement, closeness: Closeness) -> tuple[int, ...]:
    """Return what is seen of the persons who are left with least."""
    profiles, _, _ = profiles_of(released)
    if requirement.is_monotone:
        kept = kept_by_each(person_range(released), requirement, closeness)
        return profiles[int(np.argmin(kept))]
    several = [profile for profile in profiles if len(profile) > 1]
    return max(several, key=len) if several else profiles[0]


def _merges(clusters: list[int], others: list[int], *, in_order: bool) -> list[tuple[int, int]]:
    """Return pairs of clusters to merge for a person who has some of them."""
    found: Iterator[tuple[int, int]]
    if len(clusters) > 1:
        found = pairwise(clusters) if in_order else combinations(clusters, 2)
    else:
        found = (
            (min(alone, other), max(alone, other)) for alone in clusters for other in others if other != alone
        )
    return list(islice(found, MOST_MERGES))


def _merged(partition: Partition, merge: tuple[int, int], frozen: int | None, *, in_order: bool) -> Partition:
    if not in_order:
        return partition.merge(*merge)
    places = np.flatnonzero(np.isin(partition.labels, merge))
    between = set(partition.labels[places.min() : places.max() + 1].tolist()) - {frozen}
    return partition.merge(*sorted(between))
