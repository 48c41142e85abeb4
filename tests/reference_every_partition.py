"""Every set partition of up to eight values, measured: the truth that optimal searches are held against.

Written for this purpose alone, from the definitions, and sharing nothing with the searches. What a
cluster costs and shows is tabulated once for each of the 255 subsets; a partition then is a row of subsets,
and all 4,140 partitions of eight values are measured within a millisecond.

Sensitive values are bits of a byte, so there are at most eight of them. Which of them are confused is a table
of eight rows of eight bits, kept in one 64-bit number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf

import numpy as np

from hartley.model import JointRange

MOST = 8
FIRST_COLUMN = np.uint64(0x0101010101010101)


@cache
def every_partition(size: int) -> np.ndarray:
    """All partitions, a row each: the number of each value's cluster, counted from the first value on."""
    rows: list[tuple[int, ...]] = [()]
    for _ in range(size):
        rows = [(*row, label) for row in rows for label in range(max(row, default=-1) + 2)]
    return np.array(rows, dtype=np.uint8)


@cache
def clusters_of_every_partition(size: int) -> np.ndarray:
    """All partitions, a row each: for each value the subset, as a bit mask, that is its cluster."""
    labels = every_partition(size)
    together = labels[:, :, np.newaxis] == labels[:, np.newaxis, :]
    return (together << np.arange(size)).sum(axis=2)


@cache
def row_of_partition(size: int) -> dict[bytes, int]:
    """The row of each partition, by its cluster numbers."""
    return {row.tobytes(): number for number, row in enumerate(every_partition(size))}


@cache
def members_of_every_subset(size: int) -> np.ndarray:
    """Which values are in which subset."""
    return (np.arange(1 << size)[:, np.newaxis] >> np.arange(size) & 1).astype(bool)


@cache
def _squares() -> np.ndarray:
    """For each set of sensitive values, the table in which all of them are confused with each other."""
    sets = range(1 << MOST)
    return np.array(
        [sum(held << MOST * row for row in range(MOST) if held >> row & 1) for held in sets], np.uint64
    )


@dataclass(frozen=True, eq=False)
class Table:
    """Which sensitive values occur with which public value, for each value of the side information."""

    shown: np.ndarray
    """A row for each side value, a column for each public value: the sensitive values as bits; 0 where
    the two never meet."""
    has_side: bool

    @property
    def size(self) -> int:
        return self.shown.shape[1]

    @property
    def sensitive(self) -> int:
        return int(np.bitwise_or.reduce(self.shown, axis=None)).bit_length()

    def joint_range(self) -> JointRange:
        side, public, sensitive = np.nonzero(self.shown[:, :, np.newaxis] >> np.arange(MOST) & 1)
        return JointRange.from_codes(
            public_codes=public, sensitive_codes=sensitive, side_codes=side if self.has_side else None
        )


@dataclass(frozen=True, eq=False)
class Measured:
    """All partitions of a table, by what they leak."""

    ratio: np.ndarray
    """Candidates before over candidates after, in the worst case: 2 to the power of L0."""
    parts: np.ndarray
    """Groups of sensitive values never confused: 2 to the power of I*."""

    def leakages(self, leakage: str) -> np.ndarray:
        """What is to be made small; infinite where the partition is not allowed."""
        if leakage == "istar":
            return np.log2(self.parts)
        return np.log2(self.ratio) if leakage == "l0" else np.where(self.parts == 1, np.log2(self.ratio), inf)


def measured(table: Table) -> Measured:
    """Measure every partition of the public values."""
    held = np.zeros((len(table.shown), 1 << table.size), dtype=np.uint8)
    for value in range(table.size):
        held[:, 1 << value : 2 << value] = held[:, : 1 << value] | table.shown[:, value, np.newaxis]
    after = np.bitwise_count(held)
    before = after[:, -1:].astype(float)
    ratio = np.where(after > 0, before / np.maximum(after, 1), 0.0).max(axis=0)
    confused = np.bitwise_or.reduce(_squares()[held], axis=0)
    clusters = clusters_of_every_partition(table.size)
    return Measured(ratio[clusters].max(axis=1), _groups(confused[clusters], table.sensitive))


def _groups(confused: np.ndarray, sensitive: int) -> np.ndarray:
    """Count the groups that chains of confusion leave apart."""
    linked = np.bitwise_or.reduce(confused, axis=1)
    for middle in range(sensitive):
        row = linked >> np.uint64(MOST * middle) & np.uint64(0xFF)
        column = linked >> np.uint64(middle) & FIRST_COLUMN
        linked |= column * row
    rows = linked[:, np.newaxis] >> np.arange(0, MOST * sensitive, MOST, dtype=np.uint64)
    below = (np.uint64(1) << np.arange(sensitive, dtype=np.uint64)) - np.uint64(1)
    return ((rows & below) == 0).sum(axis=1)


def sizes(size: int) -> np.ndarray:
    """The number of values of every subset."""
    return np.bitwise_count(np.arange(1 << size)).astype(float)


def distortions_on_a_line(positions: np.ndarray, codeword: str) -> np.ndarray:
    """The distance from the codeword to the farthest member, for every subset."""
    members = members_of_every_subset(len(positions))
    # In tenths, or ones where no position has a tenth: whole numbers are exact.
    unit = 1.0 if np.array_equal(np.rint(positions), positions, equal_nan=True) else 10.0
    whole = np.rint(unit * positions)
    assert np.array_equal(whole / unit, positions, equal_nan=True)
    positions = whole
    with np.errstate(invalid="ignore"):
        low = np.where(members, positions, inf).min(axis=1)
        high = np.where(members, positions, -inf).max(axis=1)
        if codeword == "midpoint":
            costs = (high - low) / 2
        elif codeword == "centroid":
            count, total = members.sum(axis=1), np.where(members, positions, 0.0).sum(axis=1)
            costs = np.maximum(count * high - total, total - count * low) / np.maximum(count, 1)
        else:
            farther = np.maximum(positions - low[:, np.newaxis], high[:, np.newaxis] - positions)
            costs = np.where(members, farther, inf).min(axis=1)
    return _alone_or_allowed(costs / unit, members)


def distortions_by_table(dissimilarities: np.ndarray) -> np.ndarray:
    """The worst dissimilarity to the member that stands best for all, for every subset."""
    members = members_of_every_subset(len(dissimilarities))
    worst = np.where(members[:, :, np.newaxis], dissimilarities, 0.0).max(axis=1)
    return _alone_or_allowed(np.where(members, worst, inf).min(axis=1), members)


def distortions_over_columns(numbers: np.ndarray, letters: np.ndarray, combination: str) -> np.ndarray:
    """The farthest member from midpoint and letter together, for every subset.

    Numbers are in units of their range. Any two letters are as unlike as any others, so that of several the
    first member's stands for the rest.
    """
    members = members_of_every_subset(len(numbers))
    places = numbers / ((numbers.max() - numbers.min()) or 1.0)
    low = np.where(members, places, inf).min(axis=1, keepdims=True)
    high = np.where(members, places, -inf).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        away = np.abs(places - (low + high) / 2)
    unlike = (letters != letters[members.argmax(axis=1)][:, np.newaxis]).astype(float)
    combined = {"max": np.maximum, "sum": np.add}[combination](away, unlike)
    return _alone_or_allowed(np.where(members, combined, 0.0).max(axis=1), members)


def _alone_or_allowed(costs: np.ndarray, members: np.ndarray) -> np.ndarray:
    costs = np.where(np.isnan(costs), inf, costs)
    costs[members.sum(axis=1) < 2] = 0.0
    return costs


def worst_costs(cost_of_subset: np.ndarray, size: int) -> np.ndarray:
    """The cost of every partition: that of its worst cluster."""
    return cost_of_subset[clusters_of_every_partition(size)].max(axis=1)


@dataclass(frozen=True, eq=False)
class Truth:
    """The least leakage of all partitions within any cost."""

    costs: np.ndarray
    leakages: np.ndarray

    @classmethod
    def of(cls, costs: np.ndarray, leakages: np.ndarray) -> Truth:
        allowed = (costs < inf) & (leakages < inf)
        costs, leakages = costs[allowed], leakages[allowed]
        order = np.lexsort((leakages, costs))
        least = np.minimum.accumulate(leakages[order])
        falls = np.ones(len(order), dtype=bool)
        falls[1:] = least[1:] < least[:-1]
        return cls(costs[order][falls], least[falls])

    def within(self, cost: float) -> float:
        """The optimum within a cost; infinite where no partition is allowed."""
        below = int(np.searchsorted(self.costs, cost, side="right"))
        return float(self.leakages[below - 1]) if below else inf


def random_size(rng: np.random.Generator) -> int:
    """From two to eight values; every second table has seven or eight."""
    return int(rng.choice((2, 3, 4, 5, 6, 7, 8), p=(0.04, 0.06, 0.1, 0.1, 0.2, 0.25, 0.25)))


def random_table(rng: np.random.Generator, *, has_side: bool = False, size: int | None = None) -> Table:
    """A table of one of five kinds: uniform, skewed, functional, in blocks, or of few different rows."""
    size = size or random_size(rng)
    sides = int(rng.integers(1, 4)) if has_side else 1
    sensitive = int(rng.integers(2, MOST + 1))
    kind = rng.integers(5)
    density = rng.choice((0.1, 0.3, 0.6))
    if kind == 0:
        holds = rng.random((size, sensitive)) < density
    elif kind == 1:
        holds = rng.random((size, sensitive)) < density * 2.0 ** -np.arange(sensitive)
    elif kind == 2:
        holds = np.zeros((size, sensitive), dtype=bool)
    elif kind == 3:
        blocks = int(rng.integers(2, 4))
        mine, theirs = rng.integers(blocks, size=size), rng.integers(blocks, size=sensitive)
        holds = (mine[:, np.newaxis] == theirs) & (rng.random((size, sensitive)) < 0.7)
    else:
        patterns = rng.random((2, sensitive)) < density
        holds = patterns[rng.integers(2, size=size)]
    skewed = rng.random() < 0.5
    for value in range(size):
        if not holds[value].any():
            drawn = rng.random() ** (2 if skewed else 1)
            holds[value, int(sensitive * drawn)] = True
    side_of = rng.integers(sides, size=holds.shape)
    shown = np.array([(holds & (side_of == side)) for side in range(sides)])
    shown = shown[shown.any(axis=(1, 2))][:, :, shown.any(axis=(0, 1))]
    return Table((shown << np.arange(shown.shape[2])).sum(axis=2).astype(np.uint8), has_side)


def random_positions(rng: np.random.Generator, size: int) -> np.ndarray:
    """Places on a line in no order: integers close together or apart, or tenths; at times one is missing."""
    positions = rng.integers(rng.choice((6, 20, 60)), size=size).astype(float)
    kind = rng.integers(5)
    if kind == 0:
        positions /= 10
    if kind == 1:
        positions[rng.integers(size)] = np.nan
    return positions
