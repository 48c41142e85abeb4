"""The paper's three greedy searches, written for reading: the twins the fast searches are compared with.

Every step looks at every pair. A run is the list of its steps, a step the list of its merges, a merge
the places (kept, joined) of two clusters; a cluster's place is the place of its first member.

Side information is part of the definition: what a reader sees is an observation, a released value together
with a side value. Without side information there is one side value, and the definitions become the paper's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, count
from math import inf, isnan, log2

from hartley.model import JointRange

Merge = tuple[int, int]
_numbers = count()
Run = list[list[Merge]]


@dataclass(frozen=True)
class Cluster:
    members: tuple[int, ...]
    pairs: frozenset[tuple[int, int]]
    """The (sensitive, side) values that occur with a member."""
    total: float
    """The sum of the positions, added up as the cluster was merged."""
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def place(self) -> int:
        return self.members[0]

    def union(self, other: Cluster) -> Cluster:
        return Cluster(
            tuple(sorted(self.members + other.members)), self.pairs | other.pairs, self.total + other.total
        )


Cost = Callable[[Cluster], float]


def size_cost(cluster: Cluster) -> float:
    return float(len(cluster.members))


def line_cost(positions: list[float], codeword: str) -> Cost:
    """Distance from the codeword to the farthest member; infinite where a member has no position."""

    def cost(cluster: Cluster) -> float:
        values = [positions[place] for place in cluster.members]
        n, low, high = len(values), min(values), max(values)
        if n == 1:
            return 0.0
        if any(isnan(value) for value in values):
            return inf
        if codeword == "midpoint":
            return (high - low) / 2
        if codeword == "centroid":
            return max(n * high - cluster.total, cluster.total - n * low) / n
        return min(max(value - low, high - value) for value in values)

    return cost


def singletons(joint: JointRange, positions: list[float] | None = None) -> dict[int, Cluster]:
    """Every public value as a cluster of its own, by place."""
    pairs: dict[int, set[tuple[int, int]]] = {place: set() for place in range(joint.public.size)}
    for observation in range(joint.observations):
        place = int(joint.public_of[observation])
        side = 0 if joint.observed_side is None else int(joint.observed_side[observation])
        pairs[place] |= {(s, side) for s in joint.candidates(observation).tolist()}
    return {
        place: Cluster((place,), frozenset(pairs[place]), positions[place] if positions else 0.0)
        for place in pairs
    }


def remembered(cost: Cost) -> Callable[[Cluster, Cluster], float]:
    """The cost of the union of two clusters, worked out once for each two."""
    known: dict[tuple[int, int], float] = {}

    def union_cost(one: Cluster, other: Cluster) -> float:
        pair = (one.number, other.number)
        if pair not in known:
            known[pair] = cost(one.union(other))
        return known[pair]

    return union_cost


def narrowest_first(joint: JointRange, cost: Cost, positions: list[float] | None = None) -> Run:
    """Algorithm 1: merge the clusters that leak most, each with the partner of the cheapest union."""
    clusters = singletons(joint, positions)
    prior = _prior(clusters)
    run: Run = []
    while len(clusters) > 1:
        worst = max(_leakage(cluster, prior) for cluster in clusters.values())
        narrowest = sorted(place for place, c in clusters.items() if _leakage(c, prior) == worst)
        step: list[Merge] = []
        while narrowest:
            one = clusters[narrowest.pop(0)]
            partners = [
                (cost(one.union(other)), other.place)
                for other in clusters.values()
                if other is not one and not other.pairs <= one.pairs
            ]
            finite = [partner for partner in partners if partner[0] < inf]
            if finite:
                _, place = min(finite)
                if place in narrowest:
                    narrowest.remove(place)
                step.append(_merge(clusters, one.place, place))
        if not step:
            break
        run.append(step)
    return run


def component_joining(joint: JointRange, cost: Cost, positions: list[float] | None = None) -> Run:
    """Algorithm 2: merge the two clusters of different components that have the cheapest union.

    Ties under resolution (``cost`` is :func:`size_cost`) go by components, else to the earliest pair.
    """
    clusters = singletons(joint, positions)
    union_cost = remembered(cost)
    run: Run = []
    while True:
        graph = Graph(clusters)
        best = None
        for one, other in combinations(sorted(clusters), 2):
            joined = graph.joined(one, other)
            if joined is None:
                continue
            union = union_cost(clusters[one], clusters[other])
            if union == inf:
                continue
            if cost is size_cost:
                ranks = sorted(
                    (len(clusters[place].members), -graph.sizes[component], graph.firsts[component], place)
                    for place, component in zip((one, other), joined, strict=True)
                )
                key: tuple[object, ...] = (union, *graph.largest_first(joined), *ranks)
            else:
                key = (union, one, other)
            if best is None or key < best[0]:
                best = (key, one, other)
        if best is None:
            return run
        run.append([_merge(clusters, best[1], best[2])])


def joint_search(
    joint: JointRange,
    cost: Cost,
    of_cost: Callable[[float], float],
    utility_weight: float,
    positions: list[float] | None = None,
) -> Run:
    """Problem (3): merge the pair of different components that lowers L0 less weighted utility most."""
    clusters = singletons(joint, positions)
    prior = _prior(clusters)

    def lagrangian(leakages: list[Fraction], costs: list[float]) -> float:
        return log2(max(leakages)) - utility_weight * of_cost(max(costs))

    run: Run = []
    while True:
        graph = Graph(clusters)
        leakages = {place: _leakage(cluster, prior) for place, cluster in clusters.items()}
        costs = {place: cost(cluster) for place, cluster in clusters.items()}
        before = lagrangian(list(leakages.values()), list(costs.values()))
        best = None
        for one, other in combinations(sorted(clusters), 2):
            joined = graph.joined(one, other)
            if joined is None:
                continue
            union = clusters[one].union(clusters[other])
            if cost(union) == inf:
                continue
            rest = [place for place in clusters if place not in (one, other)]
            after = lagrangian(
                [_leakage(union, prior), *(leakages[place] for place in rest)],
                [cost(union), *(costs[place] for place in rest)],
            )
            key = (
                round(after - before, 12),
                len(clusters[one].pairs) + len(clusters[other].pairs),
                *graph.largest_first(joined),
                one,
                other,
            )
            if best is None or key < best[0]:
                best = (key, one, other)
        if best is None:
            return run
        run.append([_merge(clusters, best[1], best[2])])


class Graph:
    """The components of the observations (cluster, side value): joined where they share a sensitive value."""

    def __init__(self, clusters: dict[int, Cluster]) -> None:
        nodes: dict[tuple[int, int], list[int]] = {}
        showing: dict[int, list[tuple[int, int]]] = {}
        for place, cluster in clusters.items():
            for s, side in cluster.pairs:
                nodes.setdefault((place, side), []).append(s)
                showing.setdefault(s, []).append((place, side))
        self.component: dict[tuple[int, int], int] = {}
        values: list[set[int]] = []
        for start in sorted(nodes):
            if start in self.component:
                continue
            number = len(values)
            values.append(set())
            todo = [start]
            self.component[start] = number
            while todo:
                node = todo.pop()
                values[number] |= set(clusters[node[0]].members)
                for other in (other for s in nodes[node] for other in showing.pop(s, [])):
                    if other not in self.component:
                        self.component[other] = number
                        todo.append(other)
        self.sides: dict[int, list[int]] = {}
        for place, side in self.component:
            self.sides.setdefault(place, []).append(side)
        self.sizes = [len(members) for members in values]
        self.firsts = [min(members) for members in values]

    def joined(self, one: int, other: int) -> tuple[int, int] | None:
        """The component each cluster brings, if merging them joins some: the largest, then the first.

        Merging identifies the two observations of every side value that both clusters occur with.
        """
        brought = [
            (self.component[one, side], self.component[other, side])
            for side in self.sides[one]
            if side in self.sides[other]
        ]
        brought = [(mine, yours) for mine, yours in brought if mine != yours]
        if not brought:
            return None

        def rank(component: int) -> tuple[int, int]:
            return (-self.sizes[component], self.firsts[component])

        return min((mine for mine, _ in brought), key=rank), min((yours for _, yours in brought), key=rank)

    def largest_first(self, joined: tuple[int, int]) -> tuple[int, int]:
        sizes = [self.sizes[component] for component in joined]
        return -max(sizes), -min(sizes)


def _prior(clusters: dict[int, Cluster]) -> dict[int, int]:
    """How many sensitive values each side value leaves possible."""
    everything = frozenset().union(*(cluster.pairs for cluster in clusters.values()))
    return {side: sum(a == side for _, a in everything) for _, side in everything}


def _leakage(cluster: Cluster, prior: dict[int, int]) -> Fraction:
    counts: dict[int, int] = {}
    for _, side in cluster.pairs:
        counts[side] = counts.get(side, 0) + 1
    return max(Fraction(prior[side], count) for side, count in counts.items())


def _merge(clusters: dict[int, Cluster], one: int, other: int) -> Merge:
    kept, joined = min(one, other), max(one, other)
    clusters[kept] = clusters[kept].union(clusters.pop(joined))
    return kept, joined
