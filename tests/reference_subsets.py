"""Exact optima of up to sixteen values, by dynamic programming over subsets: the twin for tables too large to
go through all partitions.

Shares nothing with the searches. A question is whether *some* partition costs at most so much and leaks at
most so much. For candidates that is a question about each cluster alone: a subset can be cut into allowed
clusters if the cluster of its first value is allowed and the rest can be cut. For components, partitions
are counted: those that join a set of components are all of them less those in which the first component stays
in a smaller set.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf

import numpy as np

from hartley.hot_loops import hot_loop
from line_search import Line

CLOSE = 1e-9


@hot_loop
def can_be_cut(allowed: np.ndarray) -> np.ndarray:
    """For each subset, whether it can be cut into allowed clusters."""
    can = np.zeros(len(allowed), dtype=np.bool_)
    can[0] = True
    for subset in range(1, len(allowed)):
        first = subset & -subset
        rest = subset ^ first
        others = rest
        while True:
            if allowed[others | first] and can[rest ^ others]:
                can[subset] = True
                break
            if others == 0:
                break
            others = (others - 1) & rest
    return can


@hot_loop
def ways_to_cut(allowed: np.ndarray) -> np.ndarray:
    """For each subset, in how many ways it can be cut into allowed clusters."""
    ways = np.zeros(len(allowed), dtype=np.int64)
    ways[0] = 1
    for subset in range(1, len(allowed)):
        first = subset & -subset
        rest = subset ^ first
        others = rest
        while True:
            if allowed[others | first]:
                ways[subset] += ways[rest ^ others]
            if others == 0:
                break
            others = (others - 1) & rest
    return ways


@hot_loop
def fewest_groups(ways: np.ndarray) -> int:
    """The fewest groups of components that partitions leave, given the ways to cut each set of them."""
    size = len(ways)
    joined = np.zeros(size, dtype=np.int64)
    fewest = np.full(size, 99, dtype=np.int64)
    fewest[0] = 0
    for parts in range(1, size):
        first = parts & -parts
        rest = parts ^ first
        joined[parts] = ways[parts]
        others = rest
        while True:
            inside = others | first
            if inside != parts:
                joined[parts] -= joined[inside] * ways[parts ^ inside]
            if others == 0:
                break
            others = (others - 1) & rest
        others = rest
        while True:
            inside = others | first
            if joined[inside] > 0:
                fewest[parts] = min(fewest[parts], 1 + fewest[parts ^ inside])
            if others == 0:
                break
            others = (others - 1) & rest
    return fewest[size - 1]


@dataclass(frozen=True, eq=False)
class Subsets:
    """All subsets of the public values of a table: what each costs, and what it shows of whom."""

    costs: np.ndarray
    shown: tuple[tuple[int, ...], ...]
    """For each side value, the sensitive values of each public value as the bits of a number; 0 for none."""
    known: tuple[int, ...]
    """What the reader knew beforehand, for each side value."""

    @property
    def size(self) -> int:
        return len(self.costs).bit_length() - 1

    @cached_property
    def ratios(self) -> np.ndarray:
        """Candidates before over candidates after, where that is most, for every subset."""
        worst = np.ones(1 << self.size)
        for side, values in enumerate(self.shown):
            before = 0
            for other, theirs in enumerate(self.shown):
                if self.known[other] == self.known[side]:
                    for value in theirs:
                        before |= value
            held = [0]
            for value in values:
                held += [one | value for one in held]
            after = np.array([one.bit_count() for one in held])
            ratio = np.where(after > 0, before.bit_count() / np.maximum(after, 1), 1.0)
            worst = np.maximum(worst, ratio)
        return worst

    @cached_property
    def values_of_parts(self) -> np.ndarray:
        """For each set of components the public values in it; without side information."""
        (values,) = self.shown
        parts: list[tuple[int, int]] = []  # sensitive values, public values
        for place, value in enumerate(values):
            group, members = value, 1 << place
            apart = []
            for others, theirs in parts:
                if others & group:
                    group, members = group | others, members | theirs
                else:
                    apart.append((others, theirs))
            parts = [*apart, (group, members)]
        masks = [0]
        for _, members in parts:
            masks += [mask | members for mask in masks]
        return np.array(masks)

    def _allowed(self, cost: float, ratio: float) -> np.ndarray:
        return (self.costs <= cost) & (self.ratios <= ratio * (1 + CLOSE))

    def has(self, leakage: str, cost: float, bits: float) -> bool:
        """Whether some partition costs at most this and leaks at most so many bits."""
        if cost < 0 or bits < -CLOSE:
            return False
        if leakage == "l0":
            return bool(can_be_cut.compiled(self._allowed(cost, 2**bits))[-1])
        allowed = self._allowed(cost, inf if leakage == "istar" else 2**bits)
        ways = ways_to_cut.compiled(allowed)[self.values_of_parts]
        most = 2**bits * (1 + CLOSE) if leakage == "istar" else 1
        return bool(fewest_groups.compiled(ways) <= most)

    def least_cost(self, leakage: str, bits: float) -> float:
        """The least cost of a partition that leaks at most so many bits; infinite where there is none."""
        costs = np.unique(self.costs[self.costs < inf])
        low, high = 0, len(costs)
        while low < high:
            middle = (low + high) // 2
            if self.has(leakage, float(costs[middle]), bits):
                high = middle
            else:
                low = middle + 1
        return float(costs[low]) if low < len(costs) else inf


def least_over_subsets(line: Line, wanted: int) -> float:
    """The least centroid cost, in ticks, of all partitions that leave so many candidates everywhere."""
    everything = line.joint.sensitive.size
    subsets = Subsets(line_costs([Fraction(p) for p in line.positions], "centroid"), (line.masks,), (0,))
    return subsets.least_cost("l0", np.log2(everything / wanted))


def sizes(size: int) -> np.ndarray:
    """The number of values of every subset."""
    return np.bitwise_count(np.arange(1 << size)).astype(float)


def line_costs(ticks: list[Fraction | None], codeword: str, per_unit: int = 1) -> np.ndarray:
    """The distance from the codeword to the farthest member, for every subset of places in whole numbers."""
    many = 1 << len(ticks)
    members: list[list[Fraction | None]] = [[]]
    for tick in ticks:
        members += [[*one, tick] for one in members]
    costs = np.zeros(many)
    for subset, places in enumerate(members):
        if len(places) > 1:
            costs[subset] = inf if None in places else float(_cost(places, codeword))
    return costs / per_unit


def _cost(places: list[Fraction], codeword: str) -> Fraction:
    low, high, count, total = min(places), max(places), len(places), sum(places)
    if codeword == "midpoint":
        return (high - low) / 2
    if codeword == "centroid":
        return max(count * high - total, total - count * low) / count
    return min(max(place - low, high - place) for place in places)
