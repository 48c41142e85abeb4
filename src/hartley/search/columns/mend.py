"""Mend the worst cluster first, until no partition can have a smaller worst side, or it is stuck.

Each mend replaces a cluster of side s by clusters of side below s and leaves every other cluster it touches
below s, so the sides, sorted from the greatest, fall and mending ends (Theorem C6). The bound looks only at
clusters whose side is above it, from the greatest down: no other tuple can raise it (Theorem C3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Ints, Places
from hartley.search.columns.costs import WorstFirst
from hartley.search.columns.loops.cells import width_between
from hartley.search.columns.loops.mend import DONE, LISTS_NEEDED, MOST_DISSOLVED, Clusters, Mending, place_all
from hartley.search.columns.prepared import NEAREST, Prepared, as_lists, compact
from hartley.search.effort import Effort

BELOW = 1 - 1e-9
"""Just below a side: times this."""
NEAR = 1e-4
"""A side is near a bound when it is above it by no more than this share."""
COMPANIONS = 12
"""Nearest clusters that are dissolved together with a stuck one, one at a time."""
MOST_MEMBERS = 4000
"""Clusters of more tuples are not dissolved."""


@dataclass(frozen=True)
class Mended:
    """What mending came to."""

    labels: Ints
    bound: float
    """No partition has a smaller worst side."""
    mends: int


@dataclass(frozen=True)
class _Attempt:
    """One way to place the tuples of a cluster."""

    order: Places
    target: float
    dissolving: int


class _Mender:
    """One run of mending."""

    def __init__(self, prepared: Prepared, labels: Ints, bound: float) -> None:
        self.prepared = prepared
        self.clusters: Clusters = prepared.clusters(labels)
        self.bound = bound
        count = int(labels.max()) + 1
        self.waiting = WorstFirst(self.clusters.side[:count])
        self.place_all = prepared.loop(place_all)
        self.at_hand = (prepared.cells, prepared.needs, prepared.marks)
        self.is_interpreted = self.place_all is place_all.interpreted
        if self.is_interpreted:
            self.at_hand, self.clusters = prepared.lists, as_lists(self.clusters)
        self.mends = 0
        self.witnesses: Places = np.zeros(0, dtype=np.int64)

    def run(self, effort: Effort, goal: float) -> Mended:
        """Mend until done, stuck or stopped."""
        stuck = False
        clusters = self.clusters
        while self.waiting and not effort.should_stop():
            side, worst = self.waiting.take_first()
            if clusters.size[worst] == 0 or clusters.side[worst] != side:
                continue
            if side <= max(self.bound, goal):
                break
            members = self.members_of(worst)
            self.raise_bound(members, side)
            if side <= self.bound:
                break
            if stuck:
                continue
            stuck = not self.mended(worst, members, side, effort)
        return Mended(compact(np.asarray(clusters.label)), self.bound, self.mends)

    def raise_bound(self, members: Places, side: float) -> None:
        """Raise the bound by the members of a cluster of this side.

        A bound that was found by halving may lie a little below the side that is optimal. Where the side
        comes near, the tuples behind the bound are asked again, about this side itself.
        """
        before = self.bound
        self.bound = self.prepared.raise_bound(members, before, side)
        if self.bound > before:
            self.witnesses = members
        elif len(self.witnesses) and before < side <= before * (1 + NEAR):
            self.prepared.looked[self.witnesses] = False
            self.bound = self.prepared.raise_bound(self.witnesses, before, side)

    def members_of(self, cluster: int) -> Places:
        """Return the members of a cluster, sorted."""
        clusters = self.clusters
        members = np.empty(clusters.size[cluster], dtype=np.int64)
        one = clusters.head[cluster]
        for at in range(len(members)):
            members[at] = one
            one = clusters.after[one]
        members.sort()
        return members

    def mended(self, worst: int, members: Places, side: float, effort: Effort) -> bool:
        """Try to replace a cluster by clusters of smaller sides."""
        if len(members) > MOST_MEMBERS:
            return False
        for attempt in self.attempts(worst, members, side):
            if effort.should_stop():
                return False
            if attempt.target >= side:
                continue
            if self.is_placed(attempt, side):
                self.commit()
                return True
        return False

    def attempts(self, worst: int, members: Places, side: float) -> Iterator[_Attempt]:
        """Return the ways to mend a cluster, in the order in which they are tried."""
        reach = self.prepared.reaches_of(members)
        order = members[np.argsort(-reach, kind="stable")]
        goal = max(self.bound, float(reach.max()))
        just_below = side * BELOW
        yield _Attempt(order, goal, 0)
        yield _Attempt(order, (goal + side) / 2, 0)
        yield _Attempt(order, just_below, 0)
        yield _Attempt(order, just_below, MOST_DISSOLVED)
        yield _Attempt(order[::-1].copy(), just_below, MOST_DISSOLVED)
        place = self.prepared.cells.place[members, self.widest_column(worst)]
        yield _Attempt(members[np.argsort(place, kind="stable")], just_below, MOST_DISSOLVED)
        for companion in self.companions(order, worst):
            both = np.concatenate([members, self.members_of(companion)])
            reach = self.prepared.reaches_of(both)
            yield _Attempt(both[np.argsort(-reach, kind="stable")], just_below, MOST_DISSOLVED)

    def widest_column(self, cluster: int) -> int:
        """Return the widest column of numbers of a cluster, or column 0."""
        cells = self.prepared.cells
        low, high = self.clusters.low[cluster], self.clusters.high[cluster]
        widths = [
            -1.0 if cells.kind[column] else width_between(cells, column, low[column], high[column])
            for column in range(len(low))
        ]
        return int(np.argmax(widths))

    def companions(self, order: Places, worst: int) -> list[int]:
        """Return clusters near the first tuples of a cluster."""
        near, label = self.prepared.near, np.asarray(self.clusters.label)
        found: list[int] = []
        for one in order[:4]:
            start = near.start[one]
            owners = label[near.pool[start : start + min(NEAREST, near.size[one])]]
            fresh = [int(c) for c in dict.fromkeys(owners.tolist()) if c != worst and c not in found]
            found += fresh[: COMPANIONS // 4 + 1]
        return [cluster for cluster in found[:COMPANIONS] if self.clusters.size[cluster] <= MOST_MEMBERS]

    def is_placed(self, attempt: _Attempt, side: float) -> bool:
        """Try one attempt; make the lists of near tuples that it needs."""
        prepared, clusters = self.prepared, self.clusters
        prepared.list_near(attempt.order, side)
        while True:
            work = Mending(*self.at_hand, clusters, prepared.near)
            order = attempt.order.tolist() if self.is_interpreted else attempt.order
            answer = self.place_all(work, order, attempt.target, attempt.dissolving, NEAREST)
            if answer != LISTS_NEEDED:
                return bool(answer == DONE)
            prepared.list_near(np.asarray(clusters.queue[: clusters.counts[2]]), side)

    def commit(self) -> None:
        """Make the moves of the last attempt final."""
        clusters = self.clusters
        moves = int(clusters.counts[1])
        touched = {int(cluster) for cluster in clusters.moved_from[:moves]}
        touched |= {int(clusters.label[one]) for one in clusters.moved[:moves]}
        for cluster in sorted(cluster for cluster in touched if cluster >= 0):
            if clusters.size[cluster]:
                self.waiting.add(float(clusters.side[cluster]), cluster)
            else:
                clusters.ids[clusters.counts[0]] = cluster
                clusters.counts[0] += 1
        self.mends += 1


def mend(prepared: Prepared, labels: Ints, bound: float, effort: Effort, goal: float = 0.0) -> Mended:
    """Mend a partition that is enough everywhere, from the worst cluster down to the bound or to a goal."""
    return _Mender(prepared, labels, bound).run(effort, goal)
