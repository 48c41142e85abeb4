"""Slow twins of the search over several columns: every partition of a small table, from the definitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from hartley.search.columns.cells import CategoryCells, NumberCells
from hartley.search.enough import Enough


@dataclass(frozen=True, eq=False)
class SmallTable:
    """A few tuples, their columns, and what a cluster must hold."""

    columns: tuple[NumberCells | CategoryCells, ...]
    demand: Enough
    combination: str = "max"

    @property
    def size(self) -> int:
        return self.demand.size

    def codes(self, members):
        d = self.demand
        return sorted({int(c) for x in members for c in d.value_code[d.value_ptr[x] : d.value_ptr[x + 1]]})

    def is_enough(self, members) -> bool:
        d = self.demand
        if sum(int(d.rows[x]) for x in members) < d.row_k:
            return False
        held = self.codes(members)
        for count, wanted in enumerate(d.wanted):
            length, least = 0, int(d.offsets[count])
            for code in held:
                if least <= code < d.offsets[count + 1]:
                    length, least = length + 1, int(d.next_code[code])
            if length < wanted:
                return False
        return True

    def cost(self, members) -> float:
        """The farthest member from the codewords of the columns."""
        if len(members) < 2:
            return 0.0
        distances = [column_distances(column, members) for column in self.columns]
        if self.combination == "max":
            return max(map(max, distances))
        if self.combination == "sum":
            return max(map(sum, zip(*distances, strict=True)))
        return max(sum(d * d for d in of_one) ** 0.5 for of_one in zip(*distances, strict=True))

    def width(self, members) -> float:
        """The mean over columns of the share of the column that the members span."""
        total = 0.0
        for column in self.columns:
            if isinstance(column, NumberCells):
                extent = np.ptp(column.positions)
                span = np.ptp(column.positions[list(members)]) / extent if extent > 0 else 0.0
            else:
                seen = len(set(column.codes.tolist()))
                span = (len({int(column.codes[x]) for x in members}) - 1) / (seen - 1) if seen > 1 else 0.0
            total += span
        return total / len(self.columns)

    @cached_property
    def clusters(self):
        """Every set of tuples that is enough, as bits, with its cost."""
        found = {}
        for bits in range(1, 1 << self.size):
            members = [x for x in range(self.size) if bits >> x & 1]
            if self.is_enough(members):
                found[bits] = self.cost(members)
        return found

    @cached_property
    def least_worst(self) -> float:
        """The least worst cost of all partitions that are enough everywhere; infinite where there is none."""
        return self._least(lambda so_far, bits: max(so_far, self.clusters[bits]))[-1]

    def least_loss(self, worst: float) -> float:
        """The least mean over rows of relative widths, of partitions within a worst cost."""
        rows = self.demand.rows

        def add(so_far, bits):
            if self.clusters[bits] > worst * (1 + 1e-12):
                return np.inf
            members = [x for x in range(self.size) if bits >> x & 1]
            return so_far + self.width(members) * sum(int(rows[x]) for x in members)

        return self._least(add)[-1] / int(rows.sum())

    def _least(self, add):
        best = [0.0] + [np.inf] * ((1 << self.size) - 1)
        by_lowest = {}
        for bits in self.clusters:
            by_lowest.setdefault(bits & -bits, []).append(bits)
        for whole in range(1, 1 << self.size):
            for bits in by_lowest.get(whole & -whole, ()):
                if bits & ~whole == 0 and best[whole & ~bits] < np.inf:
                    best[whole] = min(best[whole], add(best[whole & ~bits], bits))
        return best

    def can_be_split(self, members) -> bool:
        """Whether the members can be divided into two parts that are enough, by trying all."""
        members = list(members)
        for size in range(1, len(members) // 2 + 1):
            for part in combinations(members, size):
                if self.is_enough(part) and self.is_enough([x for x in members if x not in part]):
                    return True
        return False


def column_distances(column, members):
    """Each member's distance from the codeword of the members."""
    if isinstance(column, NumberCells):
        positions = [float(column.positions[x]) for x in members]
        middle = (min(positions) + max(positions)) / 2
        return [abs(p - middle) for p in positions]
    codes = [int(column.codes[x]) for x in members]
    table = column.table if column.table is not None else 1 - np.eye(max(codes) + 1)
    centre = min(codes, key=lambda c: max(table[o, c] for o in codes))
    return [float(table[c, centre]) for c in codes]


def small_table(rng, *, combination="max", conjunction=False, single=False, scaled=False, kinds=("plain",)):
    """Draw a table of 4 to 8 tuples over 1 to 3 columns."""
    n, d = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    columns = [_numbers(rng, n, scaled) for _ in range(d)]
    if rng.random() < 0.5:
        place = int(rng.integers(0, d + 1))
        columns.insert(place, _categories(rng, n, scaled, str(rng.choice(kinds))))
        if d > 1 and rng.random() < 0.5:
            columns.pop(0)
    table = SmallTable(tuple(columns), _demand(rng, n, conjunction, single), combination)
    return (
        table
        if table.is_enough(range(n))
        else small_table(
            rng, combination=combination, conjunction=conjunction, single=single, scaled=scaled, kinds=kinds
        )
    )


def _numbers(rng, n, scaled):
    positions = rng.integers(0, 12, n).astype(float) if rng.random() < 0.5 else rng.random(n)
    if rng.random() < 0.3:
        positions[0] *= 3
    extent = np.ptp(positions)
    return NumberCells(positions / (extent or 1.0) * (rng.choice([0.5, 1, 2]) if scaled else 1.0))


def _categories(rng, n, scaled, kind):
    size = int(rng.integers(2, 5))
    codes = rng.integers(0, size, n)
    if kind == "table":
        points = rng.random((size, 2))
        table = np.abs(points[:, None] - points[None]).sum(axis=2) / 2
        return CategoryCells(codes, (table + table.T) / 2 * (rng.choice([0.5, 1, 2]) if scaled else 1.0))
    return CategoryCells(codes)


def _demand(rng, n, conjunction, single):
    counts = int(rng.integers(1, 3)) if conjunction else 1
    widths = rng.integers(2, 6, counts)
    offsets = np.concatenate([[0], np.cumsum(widths)])
    held = []
    for _ in range(n):
        own = set()
        for count in range(counts):
            size = 1 if single else int(rng.choice([1, 1, 2, 3]))
            own |= {int(offsets[count] + c) for c in rng.integers(0, widths[count], size)}
        held.append(sorted(own))
    apart = [int(rng.integers(1, 3)) if conjunction else 1 for _ in range(counts)]
    next_code = np.concatenate(
        [
            np.minimum(np.arange(a, b) + step, b)
            for a, b, step in zip(offsets, offsets[1:], apart, strict=False)
        ]
    )
    return Enough(
        value_ptr=np.concatenate([[0], np.cumsum([len(h) for h in held])]).astype(np.int64),
        value_code=np.array([c for h in held for c in h], dtype=np.int32),
        next_code=next_code.astype(np.int64),
        offsets=offsets.astype(np.int64),
        wanted=rng.integers(1 if conjunction else 2, 4, counts).astype(np.int64),
        rows=rng.integers(1, 4, n).astype(np.int64),
        row_k=int(rng.integers(1, 7)) if conjunction else 1,
    )
