"""Divide a few tuples in the best way there is: a small table, or the surroundings of a stuck cluster.

All partitions of them are looked at: the least worst cost, then the least loss within it; or the least loss.
"""

from __future__ import annotations

import numpy as np

from hartley.hot_loops import hot_loop, hot_part
from hartley.model.arrays import Floats, Ints, Places
from hartley.model.words import ObjectiveName
from hartley.search.columns.costs import Runs
from hartley.search.columns.loops.cells import (
    NONE,
    ZERO,
    Cells,
    Marks,
    Needs,
    combined,
    is_enough,
    width_between,
)
from hartley.search.columns.loops.losses import Losses, loss_of
from hartley.search.columns.polish import empty_losses
from hartley.search.columns.prepared import NEAREST, Prepared, compact
from hartley.search.effort import Effort

MOST_TUPLES = 12
"""Tuples whose divisions are all looked at, at most."""
SURROUNDINGS = 6
"""Choices of clusters around a stuck one."""
MOST_TURNS = 500
LEAST_GAIN = 1e-9
"""By which share a division must lower the worst cost to be taken."""


class _Clusters:
    """A partition under change. Of clusters that are gone the cost is below that of any other."""

    def __init__(self, labels: Ints, costs: Floats) -> None:
        self.labels, self.costs = labels.copy(), costs
        self._runs = Runs.of(labels)
        self._new: list[Ints] = []

    def members(self, number: int) -> Ints:
        """Return the members of a cluster, sorted."""
        old = len(self._runs.starts)
        if number >= old:
            return self._new[number - old]
        start = self._runs.starts[number]
        return self._runs.order[start : start + self._runs.sizes[number]]

    def replace(self, gone: list[int], parts: list[Ints], costs: list[float]) -> None:
        """Put new clusters in place of others."""
        self.costs[gone] = -np.inf
        for number, part in enumerate(parts, start=len(self.costs)):
            self.labels[part] = number
        self.costs = np.append(self.costs, costs)
        self._new += parts


class ExactDivision:
    """The best division of a few tuples of one table."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.losses = empty_losses(prepared, 1)

    def divide(
        self, members: Ints, objective: ObjectiveName = "worst", below: float = np.inf
    ) -> tuple[Places, float]:
        """Return the cluster of each of some tuples, and the least worst cost.

        By the worst, the clusters are those of that cost and then the least loss; by the mean, those of the
        least loss. Where no division has a worst cost below a number, the cost that is returned is infinite.
        """
        prepared = self.prepared
        out = np.zeros(len(members), dtype=np.int64)
        loop = best_division.for_size(3 ** len(members), in_pieces=True)
        if loop is best_division.plain:
            loop = best_division.interpreted
        at_hand = (prepared.cells, prepared.needs, prepared.marks, self.losses)
        by_mean = objective == "mean"
        worst = loop(*at_hand, members.astype(np.int64, copy=False), out, below, by_mean)
        return out, float(worst)

    def lower(self, labels: Ints, costs: Floats, effort: Effort) -> Ints:
        """Divide the surroundings of the worst cluster anew while that lowers its cost."""
        clusters = _Clusters(labels, costs)
        if len(clusters.members(int(costs.argmax()))) >= MOST_TUPLES:
            return labels
        for _ in range(MOST_TURNS):
            if effort.should_stop() or not self._is_lowered(clusters):
                break
        return compact(clusters.labels)

    def _is_lowered(self, clusters: _Clusters) -> bool:
        """Divide the surroundings of the worst cluster anew if that lowers its cost."""
        number = int(clusters.costs.argmax())
        cost = float(clusters.costs[number])
        for chosen in self._surroundings(clusters, number) if cost > 0 else ():
            inside = np.sort(np.concatenate([clusters.members(one) for one in chosen]))
            part, worst = self.divide(inside, below=cost * (1 - LEAST_GAIN))
            if worst < np.inf:
                parts = [inside[part == each] for each in range(int(part.max()) + 1)]
                clusters.replace(chosen, parts, [self.cost(each) for each in parts])
                return True
        return False

    def cost(self, members: Ints) -> float:
        """Return the cost of a cluster."""
        return float(cost_of(self.prepared.cells, members, len(members), np.zeros(len(members))))

    def _surroundings(self, clusters: _Clusters, number: int) -> list[list[int]]:
        """Return some sets of clusters around one, that one included, each of a few tuples."""
        prepared, own, labels = self.prepared, clusters.members(number), clusters.labels
        prepared.list_near(own, prepared.widest)
        near: list[int] = []
        for one in own:
            start = prepared.near.start[one]
            near += labels[prepared.near.pool[start : start + min(NEAREST, prepared.near.size[one])]].tolist()
        others = [other for other in dict.fromkeys(near) if other != number]
        found: list[list[int]] = []
        for first in range(min(SURROUNDINGS, len(others))):
            chosen, size = [number], len(own)
            for other in (*others[first:], *others[:first]):
                if size + len(clusters.members(other)) <= MOST_TUPLES:
                    chosen.append(other)
                    size += len(clusters.members(other))
            if len(chosen) > 1 and sorted(chosen) not in [sorted(known) for known in found]:
                found.append(chosen)
        return found


SAME_WITHIN = 1e-12
"""Costs whose relative difference is less are equal."""
GREATEST = 1e300
"""No cluster that may be costs more."""


@hot_part
def centre_of(cells: Cells, column: int, members: Ints, size: int) -> int:
    """Return the category that stands for the members of a cluster: the least worst, then the earliest."""
    best, least = ZERO, np.inf
    for i in range(size):
        category = int(cells.place[members[i], column])
        farthest = 0.0
        for k in range(size):
            at = cells.gap_at[column] + int(cells.place[members[k], column]) * cells.size[column] + category
            farthest = max(farthest, cells.table[at])
        if farthest < least:
            best, least = category, farthest
    return best


@hot_part
def cost_of(cells: Cells, members: Ints, size: int, distance: Floats) -> float:
    """Return the cost of a cluster; its members are sorted, ``distance`` is scratch paper."""
    for i in range(size):
        distance[i] = 0.0
    for column in range(cells.place.shape[1]):
        low, high = np.inf, -np.inf
        for i in range(size):
            low = min(low, cells.place[members[i], column])
            high = max(high, cells.place[members[i], column])
        kind = cells.kind[column]
        node = width_between(cells, column, low, high) / 2
        centre = centre_of(cells, column, members, size) if kind == 2 else ZERO
        for i in range(size):
            cell = cells.place[members[i], column]
            if kind == 0:
                far = abs(cell - (low + high) / 2)
            elif kind == 1:
                far = 0.0 if cell == cells.place[members[0], column] else node
            else:
                far = cells.table[cells.gap_at[column] + int(cell) * cells.size[column] + centre]
            distance[i] = combined(cells.norm, distance[i], far)
    farthest = 0.0
    for i in range(size):
        farthest = max(farthest, distance[i])
    return float(farthest)


@hot_loop
def best_division(
    cells: Cells,
    needs: Needs,
    marks: Marks,
    losses: Losses,
    members: Places,
    out: Places,
    below: float,
    by_mean: bool,
) -> float:
    """Write the cluster of each member in the best division; return the least worst cost.

    Best is the least loss, by the mean of all divisions, else of those of that cost. Where none has a worst
    cost below a number, what is returned is infinite. Sets of members are bits of a number.
    """
    size = len(members)
    sets = 1 << size
    cost, loss = np.full(sets, np.inf), np.zeros(sets)
    some, distance = np.empty(size, np.int32), np.empty(size)
    covered = 0
    for bits in range(1, sets):
        count = ZERO
        for i in range(size):
            if bits >> i & 1:
                some[count] = members[i]
                count += 1
        if is_enough(some, ZERO, count, NONE, needs, marks):
            dear = cost_of(cells, some, count, distance)
            if dear < below:
                cost[bits] = dear
                covered |= bits
    if covered != sets - 1:
        return np.inf
    least = np.full(sets, np.inf)
    least[0] = 0.0
    for whole in range(1, sets):
        rest = whole & (whole - 1)
        lowest = whole ^ rest
        part = rest
        while True:
            bits = part | lowest
            least[whole] = min(least[whole], max(cost[bits], least[whole ^ bits]))
            if part == 0:
                break
            part = (part - 1) & rest
    worst = least[sets - 1]
    if worst == np.inf:
        return np.inf
    most = GREATEST if by_mean else worst * (1 + SAME_WITHIN)
    for bits in range(1, sets):
        if cost[bits] <= most:
            count = ZERO
            for i in range(size):
                if bits >> i & 1:
                    some[count] = members[i]
                    count += 1
            loss[bits] = loss_of(cells, needs, losses, some, count, np.inf)
    total = np.full(sets, np.inf)
    chosen = np.zeros(sets, np.int64)
    total[0] = 0.0
    for whole in range(1, sets):
        rest = whole & (whole - 1)
        lowest = whole ^ rest
        part = rest
        while True:
            bits = part | lowest
            if cost[bits] <= most:
                sum_of = loss[bits] + total[whole ^ bits]
                if sum_of < total[whole]:
                    total[whole] = sum_of
                    chosen[whole] = bits
            if part == 0:
                break
            part = (part - 1) & rest
    whole, number = sets - 1, 0
    while whole > 0:
        for i in range(size):
            if chosen[whole] >> i & 1:
                out[i] = number
        whole ^= chosen[whole]
        number += 1
    return float(worst)
