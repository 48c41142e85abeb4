"""Every partition of a few values, looked at: the optimum by exhaustion, for any utility and any reader.

Up to :data:`MOST_VALUES` values there are few enough partitions to measure them all. Where no theorem
proves a level, that does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import inf, log2
from typing import Literal

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import Utility
from hartley.model import JointRange, Partition
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.optimal.level import Level, Levels

MOST_VALUES = 7
"""There are 877 partitions of 7 values."""


@dataclass(frozen=True)
class EnumerationCertificate:
    """Every partition was looked at; the check is to look at them again, in another way."""

    partitions: int


def enumerated_levels(
    joint: JointRange,
    leakage: Literal["l0", "istar", "joint"],
    utility: Utility,
    effort: Effort = UNLIMITED,
) -> Levels:
    """Give the optimum at every cost that occurs, by looking at every partition.

    >>> from hartley.examples import toy
    >>> from hartley.measures.utility import LineDistortion
    >>> joint = toy()
    >>> found = enumerated_levels(joint, "istar", LineDistortion.of(joint.public, "centroid"))
    >>> [(round(2**level.leakage_bits), round(level.cost, 4)) for level in found.levels]
    [(5, 0.0), (4, 0.05), (3, 0.1), (2, 0.25), (1, 0.55)]
    """
    best: dict[float, tuple[float, Partition]] = {}
    complete, looked_at = True, 0
    for partition in every_partition(joint.public.size):
        if effort.should_stop():
            complete = False
            break
        looked_at += 1
        cost = float(utility.costs(partition).max())
        if cost == inf:
            continue
        bits = _leakage(joint, leakage, partition)
        if cost not in best or bits < best[cost][0]:
            best[cost] = bits, partition
    proof = EnumerationCertificate(looked_at) if complete else None
    return Levels(levels=_falling(best, proof), complete=complete)


def every_partition(size: int) -> Iterator[Partition]:
    """Give every partition of so many values, by how each value's cluster follows from those before it.

    >>> sum(1 for _ in every_partition(4))
    15
    """
    labels = [0] * size

    def extend(place: int, clusters: int) -> Iterator[Partition]:
        if place == size:
            yield Partition(np.array(labels))
            return
        for label in range(clusters + 1):
            labels[place] = label
            yield from extend(place + 1, max(clusters, label + 1))

    return extend(0, 0)


def _leakage(joint: JointRange, leakage: str, partition: Partition) -> float:
    if leakage == "l0":
        return max_uncertainty_reduction(joint, partition)
    groups = overlap_partition(joint, partition).size
    if leakage == "istar":
        return log2(groups)
    return max_uncertainty_reduction(joint, partition) if groups == 1 else inf


def _falling(
    best: dict[float, tuple[float, Partition]], proof: EnumerationCertificate | None
) -> tuple[Level, ...]:
    """Keep the costs at which the leakage falls; a look that was cut short proves nothing."""
    levels: list[Level] = []
    for cost in sorted(best):
        bits, partition = best[cost]
        if bits == inf or (levels and bits >= levels[-1].leakage_bits):
            continue
        levels.append(
            Level(
                cost=cost,
                leakage_bits=bits,
                lower_bound_bits=0.0 if proof is None else bits,
                certificate=proof,
                cut=partial(_same, partition),
            )
        )
    return tuple(levels)


def _same(partition: Partition) -> Partition:
    return partition
