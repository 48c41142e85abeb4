r"""A walk over all partitions of a few values that turns back where nothing better can come.

A partition grows cluster by cluster: the next cluster holds the first value that is left. Its
cost and its leakage only grow with it, so where a known partition costs no more and leaks no more
than the clusters chosen so far, no way of going on is better. What is left can do no more than
be one cluster: its parts show fewer candidates than it does, and tie fewer components together.

Clusters are bit masks. Leakages are ranks, 0 the least; ``least[r]`` is the least cost known of a
partition of rank r or less, and ``best[r]`` its clusters. The state is in arrays, so that a walk can be
left after some steps and taken up again.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Floats, Int64s
from hartley.model.disjoint_sets import unite

NOBODY = -1
ANY, ONE, FEWEST = 0, 1, 2
"""What is asked of the components: nothing, that one is left, or that few are."""


@hot_loop
def tie(cluster: int, component_of: Int64s, parent: Int64s) -> int:
    """Join the components that a cluster confuses; give how many fewer are left."""
    fewer = 0
    for side in range(component_of.shape[0]):
        first = NOBODY
        for value in range(component_of.shape[1]):
            if cluster >> value & 1 == 0 or component_of[side, value] == NOBODY:
                continue
            if first == NOBODY:
                first = component_of[side, value]
            elif unite(parent, first, component_of[side, value]):
                fewer += 1
    return fewer


@hot_loop
def keep(result: int, worst: float, clusters: Int64s, least: Floats, best: Int64s) -> None:
    """Note a partition of a rank and a cost wherever it is better than what is known."""
    for rank in range(result, len(least)):
        if least[rank] <= worst:
            break
        least[rank] = worst
        for number in range(len(clusters)):
            best[rank, number] = clusters[number]


@hot_loop
def walk(
    steps: int,
    asked: int,
    costs: Floats,
    ranks: Int64s,
    component_of: Int64s,
    left: Int64s,
    others: Int64s,
    cost: Floats,
    rank: Int64s,
    components: Int64s,
    parent: Int64s,
    least: Floats,
    best: Int64s,
    place: Int64s,
) -> None:
    """Take so many steps.

    ``place`` is the number of clusters chosen, negative when all is done, and the number of steps taken.

    For each number of clusters chosen: ``left`` is what they leave; ``others`` is what the next cluster
    takes beside the first value that is left; ``cost``, ``rank``, ``components``, ``parent`` are what they
    come to.
    """
    depth = place[0]
    trial = np.empty(parent.shape[1], dtype=np.int64)
    clusters = np.empty(best.shape[1], dtype=np.int64)
    for _ in range(steps):
        if depth < 0:
            break
        first = left[depth] & -left[depth]
        beside = left[depth] ^ first
        if others[depth] == NOBODY:
            depth -= 1
            continue
        cluster = first | others[depth]
        others[depth] = NOBODY if others[depth] == 0 else (others[depth] - 1) & beside
        rest = left[depth] ^ cluster
        worst = max(cost[depth], costs[cluster])
        reached = max(rank[depth], ranks[cluster])
        lowest = max(reached, ranks[rest])
        if asked != FEWEST and least[lowest] <= worst:
            continue
        remain = components[depth]
        if asked != ANY:
            for component in range(len(trial)):
                parent[depth + 1, component] = parent[depth, component]
            remain -= tie(cluster, component_of, parent[depth + 1])
            fewest = remain
            if rest:
                for component in range(len(trial)):
                    trial[component] = parent[depth + 1, component]
                fewest -= tie(rest, component_of, trial)
            if asked == ONE:
                if fewest > 1:
                    continue
            elif least[fewest - 1] <= worst:
                continue
        if rest:
            depth += 1
            left[depth] = rest
            others[depth] = rest ^ (rest & -rest)
            cost[depth] = worst
            rank[depth] = reached
            components[depth] = remain
        else:
            clusters[:] = 0
            for number in range(depth):
                clusters[number] = left[number] ^ left[number + 1]
            clusters[depth] = cluster
            keep(remain - 1 if asked == FEWEST else reached, worst, clusters, least, best)
    place[0] = depth
    place[1] += steps


@dataclass(frozen=True, eq=False)
class PartitionWalk:
    """A walk that is under way."""

    asked: int
    costs: Floats
    """The cost of every subset; infinite where it may not be a cluster."""
    ranks: Int64s
    """How much every subset leaks, as a rank; 0 for the empty one."""
    component_of: Int64s
    """The component of each value, for each side value; ``NOBODY`` where the two never meet."""
    least: Floats
    """The least cost known for every rank or less; infinite where none is."""
    best: Int64s
    """The clusters of that partition, then zeros."""
    state: tuple[Int64s, Int64s, Floats, Int64s, Int64s, Int64s, Int64s]

    @classmethod
    def of(cls, asked: int, costs: Floats, ranks: Int64s, component_of: Int64s) -> PartitionWalk:
        """Begin with nothing known and no cluster chosen."""
        size = component_of.shape[1]
        count = int(component_of.max()) + 1
        left = np.zeros(size + 1, dtype=np.int64)
        left[0] = len(costs) - 1
        others = np.zeros(size + 1, dtype=np.int64)
        others[0] = left[0] - 1
        components = np.full(size + 1, count)
        parent = np.tile(np.arange(count), (size + 1, 1))
        place = np.zeros(2, dtype=np.int64)
        state = (
            left,
            others,
            np.zeros(size + 1),
            np.zeros(size + 1, dtype=np.int64),
            components,
            parent,
            place,
        )
        least = np.full(count if asked == FEWEST else int(ranks.max()) + 1, inf)
        best = np.zeros((len(least), size), dtype=np.int64)
        return cls(asked, costs, ranks, component_of, least, best, state)

    @property
    def is_done(self) -> bool:
        """Whether no partition is left that could be better."""
        return bool(self.state[-1][0] < 0)

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return int(self.state[-1][1])

    def offer(self, clusters: Int64s) -> None:
        """Take note of a partition known from elsewhere, as bit masks and then zeros."""
        parent = np.arange(int(self.component_of.max()) + 1)
        left = len(parent) - sum(tie(cluster, self.component_of, parent) for cluster in clusters.tolist())
        worst = float(self.costs[clusters].max())
        if worst < inf and not (self.asked == ONE and left > 1):
            result = left - 1 if self.asked == FEWEST else int(self.ranks[clusters].max())
            keep(result, worst, clusters, self.least, self.best)

    def go_on(self, steps: int) -> None:
        """Take so many steps more."""
        left, others, cost, rank, components, parent, place = self.state
        # Most walks end soon; the compiler is for those that do not.
        walk.for_size(int(place[1]))(
            steps,
            self.asked,
            self.costs,
            self.ranks,
            self.component_of,
            left,
            others,
            cost,
            rank,
            components,
            parent,
            self.least,
            self.best,
            place,
        )
