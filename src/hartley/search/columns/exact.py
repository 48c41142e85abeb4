"""Divide a few tuples in the best way there is: a small table, or the surroundings of a stuck cluster."""

from __future__ import annotations

import heapq

import numpy as np

from hartley.search.columns.loops.cells import Floats, Places
from hartley.search.columns.loops.exact import best_division, cost_of
from hartley.search.columns.measures import Runs
from hartley.search.columns.polish import fresh_losses
from hartley.search.columns.prepared import NEAREST, Prepared, compact
from hartley.search.effort import Effort

MOST_TUPLES = 12
"""Tuples whose divisions are all looked at, at most."""
SURROUNDINGS = 6
"""Choices of clusters around a stuck one."""
MOST_TURNS = 500
SLACK = 1e-9


class ExactDivision:
    """The best division of a few tuples of one table."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.losses = fresh_losses(prepared, np.zeros(prepared.size, dtype=np.int64), 1)

    def divide(self, members: Places) -> tuple[Places, float]:
        """Return the cluster of each of some tuples, and the worst cost: the least, then the least loss."""
        prepared = self.prepared
        out = np.zeros(len(members), dtype=np.int64)
        loop = prepared.loop(best_division)
        worst = loop(prepared.cells, prepared.needs, prepared.marks, self.losses, members, out)
        return out, float(worst)

    def lower(self, labels: Places, costs: Floats, effort: Effort) -> Places:
        """Divide the surroundings of the worst cluster anew while that lowers its cost."""
        runs = Runs.of(labels)
        if runs.sizes[int(costs.argmax())] >= MOST_TUPLES:
            return labels
        labels = labels.copy()
        members = dict(enumerate(np.split(runs.order, runs.starts[1:])))
        heap = [(-float(cost), number) for number, cost in enumerate(costs)]
        heapq.heapify(heap)
        for _ in range(MOST_TURNS):
            if effort.should_stop():
                break
            cost, number = heap[0]
            if number not in members:
                heapq.heappop(heap)
                continue
            if cost >= 0 or not self._is_lowered(labels, members, heap, number, -cost):
                break
        return compact(labels)

    def _is_lowered(
        self,
        labels: Places,
        members: dict[int, Places],
        heap: list[tuple[float, int]],
        number: int,
        cost: float,
    ) -> bool:
        """Divide the surroundings of a cluster anew if that lowers its cost."""
        for chosen in self._surroundings(labels, members, number):
            inside = np.sort(np.concatenate([members[one] for one in chosen]))
            parts, worst = self.divide(inside)
            if worst >= cost * (1 - SLACK):
                continue
            for one in chosen:
                del members[one]
            first = int(max(heap, key=lambda item: item[1])[1]) + 1
            labels[inside] = first + parts
            for part in range(int(parts.max()) + 1):
                members[first + part] = inside[parts == part]
                heapq.heappush(heap, (-self.cost(members[first + part]), first + part))
            return True
        return False

    def cost(self, members: Places) -> float:
        """Return the cost of a cluster."""
        return float(cost_of(self.prepared.cells, members, len(members), np.zeros(len(members))))

    def _surroundings(self, labels: Places, members: dict[int, Places], number: int) -> list[list[int]]:
        """Return some sets of clusters around one, that one included, each of a few tuples."""
        prepared, own = self.prepared, members[number]
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
                if size + len(members[other]) <= MOST_TUPLES:
                    chosen.append(other)
                    size += len(members[other])
            if len(chosen) > 1 and sorted(chosen) not in [sorted(known) for known in found]:
                found.append(chosen)
        return found
