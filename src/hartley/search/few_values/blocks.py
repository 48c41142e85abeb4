"""What every block of a few public values costs, keeps, leaks and ties, in tables over all blocks.

A block is a set of values, told by the bits of a number. Seen together with a value of the side information
it leaves the sensitive values of its rows. Counts are chains of codes (:mod:`~hartley.search.enough`), ratios
are counted from what the reader knew beforehand.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import inf, log2

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Partition
from hartley.model.arrays import Flags, Floats, Int64s, Ints, different
from hartley.model.closeness import SensitiveCodes, plain_codes
from hartley.model.requirement import Requirement
from hartley.model.words import MOST_BITS, SAME_COST, SLACK, Leakage
from hartley.search.columns.cells import cells_of, cells_of_utility
from hartley.search.columns.costs import relative_loss, relative_widths
from hartley.search.few_values.loops import NOBODY
from hartley.search.line.borders import Borders
from hartley.search.problem import Problem


class FewBlocks:
    """The tables of one question: what every block of its values costs, keeps, leaks and ties."""

    def __init__(
        self,
        question: Problem,
        leakage: Leakage | None,
        largest: int | None,
    ) -> None:
        self.question, self.leakage, self.largest = question, leakage, largest
        self.joint = question.joint
        self.size = self.joint.public.size
        self.full = (1 << self.size) - 1
        self.masks = np.arange(1 << self.size, dtype=np.int64)
        self.members: Flags = (self.masks[:, np.newaxis] >> np.arange(self.size) & 1).astype(np.bool_)
        joint = self.joint
        pair = joint.observation_of
        self.value_of = joint.public_of[pair].astype(np.int64)
        sides = np.zeros(joint.observations, dtype=np.int64)
        self.side_of = (sides if joint.observed_side is None else joint.observed_side.astype(np.int64))[pair]
        self.rows = np.bincount(self.value_of, weights=joint.rows, minlength=self.size).astype(np.int64)
        self.missing = int((question.missing << np.arange(self.size)).sum())
        most = self.parts if question.most_components is None else question.most_components
        self.most = min(1 if leakage == "joint" else most, self.parts)

    # What a block shows.

    @cached_property
    def observed(self) -> list[tuple[int, Flags]]:
        """Each value of the side information with the blocks that are seen beside it."""
        found = []
        for side in different(self.side_of).tolist():
            mask = np.bitwise_or.reduce(1 << self.value_of[self.side_of == side])
            found.append((side, (self.masks & mask) != 0))
        return found

    def counts(self, codes: SensitiveCodes, side: int) -> Int64s:
        """Return how many sensitive values that are apart each block leaves beside a side value."""
        mine = self.side_of == side
        holds = np.zeros(codes.width, dtype=np.int64)
        np.bitwise_or.at(holds, codes.code_of[self.joint.indices[mine]], 1 << self.value_of[mine])
        return _chains(self.masks, holds, codes)

    @cached_property
    def ratios(self) -> Floats:
        """Candidates before over candidates after for every block, where that is most."""
        joint, closeness = self.joint, self.question.closeness
        codes = plain_codes(joint.sensitive) if closeness.is_empty else closeness.codes(joint.sensitive)
        known: Ints = np.zeros(len(self.side_of), dtype=np.int64)
        if joint.side is not None:
            known = self.side_of if joint.known_of_side is None else joint.known_of_side[self.side_of]
        ratios = np.ones(1 << self.size)
        for side, is_seen in self.observed:
            alike = known == known[np.flatnonzero(self.side_of == side)[0]]
            holds = np.zeros(codes.width, dtype=np.int64)
            holds[codes.code_of[joint.indices[alike]]] = 1
            before = int(_chains(np.ones(1, dtype=np.int64), holds, codes)[0])
            after = np.maximum(self.counts(codes, side), 1)
            np.maximum(ratios, np.where(is_seen, before / after, 1.0), out=ratios)
        return ratios

    @cached_property
    def is_enough(self) -> Flags:
        """Whether every block keeps what is required of single observations."""
        enough = np.ones(1 << self.size, dtype=np.bool_)
        for requirement in self.question.requirements:
            if requirement.name == "l0":
                enough &= self.ratios <= 2 ** min(requirement.wanted + SLACK, MOST_BITS)
            elif requirement.name != "istar":
                for side, is_seen in self.observed:
                    enough &= ~is_seen | (self.kept(requirement, side) >= requirement.wanted)
        return enough

    def kept(self, requirement: Requirement, side: int) -> Int64s:
        """Return how much of a requirement each block keeps beside a side value."""
        codes = requirement.codes(self.joint.sensitive, self.question.closeness)
        if codes is None:
            mine = self.side_of == side
            rows = np.bincount(self.value_of[mine], weights=self.joint.rows[mine], minlength=self.size)
            return np.asarray(self.members @ rows.astype(np.int64))
        return self.counts(codes, side)

    @cached_property
    def component_of(self) -> Int64s:
        """The component of each value, for each side value; side values that tie the same are left out."""
        linked = self.question.linked
        groups = overlap_partition(linked)
        sides = 1 if linked.side is None else linked.side.size
        found = np.full((sides, self.size), NOBODY, dtype=np.int64)
        side = 0 if linked.observed_side is None else linked.observed_side
        found[side, linked.public_of] = groups.labels[linked.indices[linked.indptr[:-1]]]
        return np.unique(found, axis=0)

    @cached_property
    def parts(self) -> int:
        """How many components the untouched table has."""
        return int(self.component_of.max()) + 1

    @cached_property
    def by_rank(self) -> tuple[Floats, Int64s]:
        """The ratios that occur, ascending, and the place of each block's among them."""
        if self.leakage in (None, "istar"):
            return np.ones(1), np.zeros(1 << self.size, dtype=np.int64)
        steps, ranks = np.unique(self.ratios, return_inverse=True)
        return steps, ranks.astype(np.int64)

    @cached_property
    def bits(self) -> list[float]:
        """The bits of each rank."""
        if self.leakage == "istar":
            return [log2(left + 1) for left in range(self.parts)]
        return [log2(ratio) for ratio in self.by_rank[0].tolist()]

    # What a block costs.

    @cached_property
    def costs(self) -> Floats:
        """What every block costs; infinite where it is not allowed."""
        costs = _costs(self.question.utility)
        if self.largest is not None:
            costs[self.members.sum(axis=1) > self.largest] = inf
        return costs

    @cached_property
    def levels(self) -> Floats:
        """The number of every block's cost; costs that differ by rounding only have the same."""
        costs = self.costs
        there = np.isfinite(costs)
        steps = np.unique(costs[there])
        apart = np.diff(steps, prepend=-inf) > SAME_COST * max(float(steps[-1]), 0.0)
        apart[0] = True
        number = np.cumsum(apart) - 1
        levels = np.full(len(costs), inf)
        levels[there] = number[np.searchsorted(steps, costs[there])]
        return levels

    def allowed(self, gone: int) -> Floats:
        """Return the level of every block, infinite where the shape does not allow it beside what is gone."""
        if self.question.shape.is_any:
            return np.where(self.is_enough, self.levels, inf)
        is_run = (self.hulls & ~gone) == self.masks
        return np.where(self.is_enough & is_run, self.levels, inf)

    @cached_property
    def hulls(self) -> Int64s:
        """For every block the values that must be in it as well: those between its ends, or in its cells."""
        positions = self.question.positions
        assert positions is not None  # noqa: S101 (asked only of ordered values)
        hulls = np.zeros(1 << self.size, dtype=np.int64)
        low, high = _ends(self.members, positions, positions)
        for value, place in enumerate(positions.tolist()):
            is_inside = self.members[:, value] if np.isnan(place) else (low <= place) & (place <= high)
            hulls |= is_inside.astype(np.int64) << value
        # A value without a place stays alone.
        placed = ~np.isnan(positions)
        is_mixed = self.members[:, ~placed].any(axis=1) & (self.members.sum(axis=1) > 1)
        hulls[is_mixed] = -1
        if self.borders is not None:
            cells = np.full(self.size, np.nan)
            cells[self.order] = self.borders.low
            for value in np.flatnonzero(placed).tolist():
                together = int((1 << np.flatnonzero(cells == cells[value])).sum())
                hulls[self.members[:, value]] |= together
        return hulls

    @cached_property
    def order(self) -> Int64s:
        """The places of the values along the line."""
        positions = self.question.positions
        assert positions is not None  # noqa: S101 (asked only of ordered values)
        placed = np.flatnonzero(~np.isnan(positions))
        return placed[np.argsort(positions[placed], kind="stable")].astype(np.int64)

    @cached_property
    def borders(self) -> Borders | None:
        """Where borders may lie along the line; ``None``: anywhere."""
        positions = self.question.positions
        if positions is None or self.question.shape.is_any:
            return None
        return Borders.of_shape(self.question.shape, positions[self.order], self.joint.public.coordinates[0])

    @cached_property
    def detail(self) -> tuple[int, Floats]:
        """Whether clusters are counted, and what every block adds to what is to be small."""
        utility, positions = self.question.utility, self.question.positions
        if isinstance(utility, ColumnsDistortion) and _has_widths(utility):
            cells = cells_of(cells_of_utility(utility), utility.combination)
            alone = np.arange(1, self.size + 1)
            widths = [
                relative_widths(cells, np.unique(np.where(inside, 0, alone), return_inverse=True)[1])[0]
                for inside in self.members
            ]
            return 0, np.array(widths) * (self.members @ self.rows)
        if positions is None or (isinstance(utility, Resolution) and self.question.shape.is_any):
            return 1, np.zeros(1 << self.size) if isinstance(utility, Resolution) else self.costs.copy()
        if self.borders is None:
            low, high = _ends(self.members, positions, positions)
        else:
            begins, ends = np.full(self.size, np.nan), np.full(self.size, np.nan)
            begins[self.order], ends[self.order] = self.borders.low, self.borders.high
            low, high = _ends(self.members, begins, ends)
        with np.errstate(invalid="ignore"):
            return 1, np.where(high >= low, high - low, 0.0)


def _chains(masks: Int64s, holds: Int64s, codes: SensitiveCodes) -> Int64s:
    """Return the length of the chain of the codes that each block holds; ``holds`` has the values of each."""
    count, reach = np.zeros(len(masks), dtype=np.int64), np.zeros(len(masks), dtype=np.int64)
    for code, (values, further) in enumerate(zip(holds.tolist(), codes.next_code.tolist(), strict=True)):
        if values:
            is_next = (masks & values != 0) & (reach <= code)
            count += is_next
            reach[is_next] = further
    return count


def _ends(members: Flags, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return where each block begins and ends; the empty one, and values without a place, nowhere."""
    begins = np.where(members & ~np.isnan(low), low, inf).min(axis=1)
    return begins, np.where(members & ~np.isnan(high), high, -inf).max(axis=1)


def _has_widths(utility: ColumnsDistortion) -> bool:
    """Tell whether clusters have widths: not where one category stands better for another than it for it."""
    tables = [getattr(column, "table", None) for column in utility.columns]
    return all(table is None or bool((table == table.T).all()) for table in tables)


def loss_of(utility: Utility, labels: Int64s, rows: Int64s, gone: int) -> float | None:
    """Return the mean over rows of the relative width of their cluster, of the rows that are not withheld."""
    if not isinstance(utility, ColumnsDistortion) or not _has_widths(utility):
        return None
    columns = [replace(column, importance=1.0) for column in cells_of_utility(utility)]
    kept = np.where(gone >> np.arange(len(rows)) & 1, 0, rows)
    return relative_loss(cells_of(columns, utility.combination), labels, kept) if kept.any() else 0.0


def _costs(utility: Utility) -> Floats:
    """Return the cost of every subset of the values."""
    if isinstance(utility, Resolution):
        return _member_counts(utility.size)
    if type(utility) is LineDistortion:
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
