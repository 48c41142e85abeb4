r"""All partitions of a few values: the optimum by exhaustion, for any utility and any reader.

Up to :data:`MOST_VALUES` values every partition can be looked at, or passed over because one that is known
costs no more and leaks no more (:mod:`~hartley.search.exhaustive_loops`). Where no theorem proves a
level, that does, its cost as well as its leakage. Nothing is asked of the utility but the cost of each subset
of values; where that is quick to work out, :data:`MOST_QUICK_VALUES` are few enough, nearly always: a walk
that takes too many steps is given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, log2

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.uncertainty import prior_counts_of_side
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, Partition
from hartley.model.arrays import Floats, Int64s
from hartley.model.words import Leakage
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.exhaustive_loops import ANY, FEWEST, NOBODY, ONE, PartitionWalk
from hartley.search.levels import Level, Levels

MOST_VALUES = 12
"""There are 4,213,597 partitions of 12 values."""
MOST_QUICK_VALUES = 18
"""Up to here where the cost of a subset needs no call: resolution, and distortion on a line."""
MOST_OBSERVATIONS = 5_000
"""With so many pairs of public and side value the tables of subsets take longer than other searches."""
MOST_STEPS = 40_000_000
"""A walk of more than :data:`MOST_VALUES` values is given up after so many steps; a second or two."""
STEPS_AT_A_TIME = 20_000
ASKED = {"l0": ANY, "istar": FEWEST, "joint": ONE}


@dataclass(frozen=True)
class EnumerationCertificate:
    """Every partition was looked at, or passed over for a better one; the check is to look again."""

    values: int


def is_enumerable(joint: JointRange, utility: Utility) -> bool:
    """Tell whether the values are few enough for all their partitions."""
    most = MOST_QUICK_VALUES if isinstance(utility, Resolution | LineDistortion) else MOST_VALUES
    return joint.public.size <= most and joint.observations <= MOST_OBSERVATIONS


def enumerated_levels(
    joint: JointRange,
    leakage: Leakage,
    utility: Utility,
    effort: Effort = UNLIMITED,
    starts: Sequence[Partition] = (),
) -> Levels:
    """Return the optimum at every cost at which it falls, by looking at every partition.

    ``starts`` are known before the walk; a walk cut short is never worse than they are, and proves nothing.

    >>> from hartley.examples import toy
    >>> from hartley.measures.utility import LineDistortion
    >>> joint = toy()
    >>> found = enumerated_levels(joint, "istar", LineDistortion.of(joint.public, "centroid"))
    >>> [(round(2**level.leakage_bits), round(level.cost, 4)) for level in found.levels]
    [(5, 0.0), (4, 0.05), (3, 0.1), (2, 0.25), (1, 0.55)]
    """
    size = joint.public.size
    ratios, components = _ratios(joint), _components(joint)
    if leakage == "istar":
        ranks = np.zeros(1 << size, dtype=np.int64)
        bits = [log2(left + 1) for left in range(int(components.max()) + 1)]
    else:
        steps, ranks = np.unique(ratios, return_inverse=True)
        bits = [log2(ratio) for ratio in steps.tolist()]
    walk = PartitionWalk.of(ASKED[leakage], _costs(utility), ranks, components)
    for start in (Partition.singletons(size), Partition.whole(size), *starts):
        walk.offer(_masks(start))
    most = MOST_STEPS if size > MOST_VALUES else inf
    while not walk.is_done and walk.steps < most and not effort.should_stop():
        walk.go_on(STEPS_AT_A_TIME)
        effort.found(lambda: _falling(walk, bits, None))
    proof = EnumerationCertificate(size) if walk.is_done else None
    return Levels(levels=_falling(walk, bits, proof), complete=walk.is_done)


def _costs(utility: Utility) -> Floats:
    """Return the cost of every subset of the values."""
    if isinstance(utility, Resolution):
        return _member_counts(utility.size)
    if isinstance(utility, LineDistortion):
        return _line_costs(utility)
    size = utility.size
    costs = np.zeros(1 << size)
    full = len(costs) - 1
    # Each subset together with its complement; the last value is in the complement, so every pair comes once.
    for subset in range(1, 1 << (size - 1)):
        partition = Partition(subset >> np.arange(size) & 1)
        here, there = utility.costs(partition).tolist()
        first_is_inside = bool(subset & 1)
        costs[subset], costs[full ^ subset] = (here, there) if first_is_inside else (there, here)
    costs[full] = utility.costs(Partition.whole(size))[0]
    return costs


def _member_counts(size: int) -> Floats:
    counts = np.zeros(1 << size)
    for value in range(size):
        counts[1 << value : 2 << value] = counts[: 1 << value] + 1
    return counts


def _line_costs(utility: LineDistortion) -> Floats:
    """Return the cost of every subset on a line, by the operations that define it."""
    size, ticks = utility.size, utility.grid.ticks
    count = _member_counts(size)
    low, high, total = np.full(1 << size, np.inf), np.full(1 << size, -np.inf), np.zeros(1 << size)
    for value in range(size):
        without, within = slice(0, 1 << value), slice(1 << value, 2 << value)
        low[within] = np.minimum(low[without], ticks[value])
        high[within] = np.maximum(high[without], ticks[value])
        total[within] = total[without] + ticks[value]
    with np.errstate(invalid="ignore"):
        if utility.codeword == "midpoint":
            costs = (high - low) / 2
        elif utility.codeword == "centroid":
            costs = np.maximum(count * high - total, total - count * low) / np.maximum(count, 1)
        else:
            costs = np.full(1 << size, np.inf)
            for value in range(size):
                holds = (np.arange(1 << size) >> value & 1).astype(bool)
                farther = np.maximum(ticks[value] - low, high - ticks[value])
                np.minimum(costs, farther, out=costs, where=holds)
    costs[np.isnan(costs)] = np.inf
    costs[count < 2] = 0.0
    in_units: Floats = costs / utility.grid.per_unit
    return in_units


def _ratios(joint: JointRange) -> Floats:
    """Return candidates before over candidates after for every subset, where that is most.

    A sensitive value is a candidate of a subset unless the subset is disjoint from the values it occurs
    with. How many occur only inside a subset is a sum over its subsets.
    """
    size = joint.public.size
    full = (1 << size) - 1
    pair = joint.observation_of
    side = np.zeros(joint.pairs, dtype=np.int64) if joint.observed_side is None else joint.observed_side[pair]
    known, at = np.unique(side.astype(np.int64) * joint.sensitive.size + joint.indices, return_inverse=True)
    occurs_with = np.bincount(at, weights=1 << joint.public_of[pair].astype(np.int64)).astype(np.int64)
    ratios = np.ones(1 << size)
    priors = [joint.sensitive.size] if joint.side is None else prior_counts_of_side(joint).tolist()
    for number in np.unique(side).tolist():
        mine = known // joint.sensitive.size == number
        inside = np.bincount(occurs_with[mine], minlength=1 << size)
        for value in range(size):
            halves = inside.reshape(-1, 2, 1 << value)
            halves[:, 1] += halves[:, 0]
        after = inside[full] - inside[::-1]
        # A subset that this side value never meets shows nothing under it.
        np.maximum(ratios, np.where(after > 0, priors[number] / np.maximum(after, 1), 1.0), out=ratios)
    return ratios


def _components(joint: JointRange) -> Int64s:
    """Return the component of each public value, for each side value; rows that tie nothing are left out."""
    group = overlap_partition(joint).labels[joint.indices[joint.indptr[:-1]]]
    sides = 1 if joint.side is None else joint.side.size
    side = (
        np.zeros(joint.observations, dtype=np.int64) if joint.observed_side is None else joint.observed_side
    )
    components = np.full((sides, joint.public.size), NOBODY, dtype=np.int64)
    components[side, joint.public_of] = group
    return np.unique(components, axis=0)


def _masks(partition: Partition) -> Int64s:
    masks = np.zeros(len(partition.labels), dtype=np.int64)
    np.add.at(masks, partition.labels, 1 << np.arange(len(masks)))
    return masks


def _partition(masks: Int64s) -> Partition:
    holds = masks[:, np.newaxis] >> np.arange(len(masks)) & 1
    return Partition(holds.argmax(axis=0))


def _falling(
    walk: PartitionWalk, bits: list[float], proof: EnumerationCertificate | None
) -> tuple[Level, ...]:
    """Keep the costs at which the leakage falls; a walk that was cut short proves nothing."""
    levels: list[Level] = []
    for rank in range(len(bits) - 1, -1, -1):
        cost = float(walk.least[rank])
        if cost < inf and (rank == 0 or walk.least[rank - 1] > cost):
            levels.append(
                Level(
                    cost=cost,
                    leakage_bits=bits[rank],
                    lower_bound_bits=0.0 if proof is None else bits[rank],
                    lower_bound_cost=None if proof is None else cost,
                    cut=partial(_partition, walk.best[rank].copy()),
                )
            )
    return tuple(levels)
