"""Every set partition of a few values on a line, measured by the definitions: the slow twin of the searches.

Shares nothing with the package but plain lists: positions, and the set of sensitive values of each.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from math import isnan


@dataclass(frozen=True)
class Instance:
    """Public values on a line, NaN where one has no place, and the sensitive values of each."""

    positions: tuple[float, ...]
    sensitive: tuple[frozenset[int], ...]

    @property
    def unit(self) -> int:
        return 1 if all(isnan(p) or p == round(p) for p in self.positions) else 10

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return [(x, s) for x, values in enumerate(self.sensitive) for s in sorted(values)]


@cache
def set_partitions(size: int) -> tuple[tuple[int, ...], ...]:
    """All partitions of ``size`` places, each as bit masks of its clusters."""
    if size == 0:
        return ((),)
    last = 1 << (size - 1)
    found = []
    for partition in set_partitions(size - 1):
        found.append((*partition, last))
        found += [
            (*partition[:i], cluster | last, *partition[i + 1 :]) for i, cluster in enumerate(partition)
        ]
    return tuple(found)


def cluster_cost(positions: list[float], codeword: str, unit: int = 10) -> float:
    """The cost of one cluster, in whole numbers of tenths, or of ones where no position has a tenth."""
    if len(positions) == 1:
        return 0.0
    if any(map(isnan, positions)):
        return float("inf")
    tenths = [round(unit * position) for position in positions]
    assert [tenth / unit for tenth in tenths] == positions
    low, high, count, total = min(tenths), max(tenths), len(tenths), sum(tenths)
    if codeword == "centroid":
        cost = max(count * high - total, total - count * low) / count
    elif codeword == "midpoint":
        cost = (high - low) / 2
    else:
        cost = min(max(v - low, high - v) for v in tenths)
    return cost / unit


def is_contiguous(instance: Instance, partition: tuple[int, ...]) -> bool:
    """Whether every cluster is an interval of the positions, all of which differ."""
    for cluster in partition:
        inside = [p for i, p in enumerate(instance.positions) if cluster >> i & 1]
        outside = [p for i, p in enumerate(instance.positions) if not cluster >> i & 1]
        if any(min(inside) < p < max(inside) for p in outside):
            return False
    return True


@dataclass(frozen=True)
class Measured:
    """One partition: its worst cost, its fewest candidates, its components."""

    cost: float
    distinct_l: int
    components: int
    partition: tuple[int, ...]


def measured(instance: Instance, codeword: str) -> list[Measured]:
    """Measure every partition that is allowed."""
    size = len(instance.positions)
    cost: dict[int, float] = {}
    values: dict[int, int] = {}
    for mask in range(1, 1 << size):
        members = [i for i in range(size) if mask >> i & 1]
        cost[mask] = cluster_cost([instance.positions[i] for i in members], codeword, instance.unit)
        held = 0
        for i in members:
            for s in instance.sensitive[i]:
                held |= 1 << s
        values[mask] = held
    found = []
    for partition in set_partitions(size):
        worst = max(cost[cluster] for cluster in partition)
        if worst < float("inf"):
            held = [values[cluster] for cluster in partition]
            found.append(Measured(worst, min(h.bit_count() for h in held), component_count(held), partition))
    return found


def component_count(held: list[int]) -> int:
    """How many groups of sensitive values no chain of clusters joins."""
    groups: list[int] = []
    for mask in held:
        apart = []
        for group in groups:
            if group & mask:
                mask |= group
            else:
                apart.append(group)
        groups = [*apart, mask]
    return len(groups)


def instances(count: int, seed: int) -> list[Instance]:
    """Small random instances of several kinds; positions in no order, some without a place."""
    random_source = random.Random(seed)
    made = []
    for number in range(count):
        size = random_source.choice((2, 3, 4, 5, 5, 6, 6, 6, 6)) if number % 12 else 7
        size = 8 if number % 150 == 149 else size
        kind = number % 5
        spread = random_source.choice((8, 20, 60))
        if kind == 4:
            positions = [random_source.randrange(spread) / 10 for _ in range(size)]
        else:
            positions = [float(random_source.randrange(spread)) for _ in range(size)]
        if kind == 3 and random_source.random() < 0.4:
            positions[random_source.randrange(size)] = float("nan")
        values = random_source.randint(1, size + 1)
        density = random_source.choice((0.0, 0.1, 0.4))
        sensitive = []
        for _ in range(size):
            held = {random_source.randrange(values)}
            while random_source.random() < density:
                held.add(random_source.randrange(values))
            sensitive.append(held)
        number_of = {s: i for i, s in enumerate(sorted(set().union(*sensitive)))}
        made.append(
            Instance(tuple(positions), tuple(frozenset(number_of[s] for s in held) for held in sensitive))
        )
    return made


def some_chain_is_within(instance: Instance, codeword: str, wanted: int, cost: float) -> bool:
    """Whether some partition leaves so many candidates within a cost, at most two clusters open at a time.

    Values in ascending order join one of the open clusters or open one; all ways are kept, none is dropped
    for another.
    """
    last = len(instance.positions) - 1
    states: set[tuple[tuple[int, ...], ...]] = {((0,),)}
    for rank in range(1, last + 1):
        grown = set()
        for clusters in states:
            for i, cluster in enumerate(clusters):
                grown.add((*clusters[:i], (*cluster, rank), *clusters[i + 1 :]))
            enough = [c for c in clusters if not _is_enough(instance, codeword, c, wanted, cost)]
            grown.add((*enough, (rank,)))
        states = {c for c in grown if len(c) <= 2}
    return any(all(_is_enough(instance, codeword, c, wanted, cost) for c in state) for state in states)


def _is_enough(instance: Instance, codeword: str, cluster: tuple[int, ...], wanted: int, cost: float) -> bool:
    held = frozenset().union(*(instance.sensitive[i] for i in cluster))
    return (
        len(held) >= wanted
        and cluster_cost([instance.positions[i] for i in cluster], codeword, instance.unit) <= cost
    )
