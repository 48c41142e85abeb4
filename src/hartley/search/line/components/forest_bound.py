r"""How many components intervals within a distortion can join at most, by prices on windows.

**Theorem I2** (midpoint, member). Some partition with the fewest components within a
distortion consists of intervals. *Proof.* Nested spans: merge. Crossing clusters A, B: contract all
others; let ``a`` be the part of A before B, ``d`` the part of B after A, ``mid`` the rest. If ``a`` meets
another part, or nothing meets, give ``mid`` to B; if ``d`` does, give it to A. Otherwise the groups of A
and B meet only inside ``mid``, in some u of A and w of B; cut ``mid`` between u and w. Spans only
shrink. ∎

So a partition is a choice of links (neighbours kept together), and the components joined are the rank of the
links kept, a forest in the graph of components. Every window just out of reach loses one of its links. With a
price on each window, a forest pays for the windows over its links and gets back what each window allows: the
dearest forest (Kruskal) then bounds the rank (Theorem I3). Prices follow the subgradient; whatever they are,
the bound holds. All sums are in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Flags, Floats, Int64s
from hartley.model.disjoint_sets import unite
from hartley.search.effort import Effort
from hartley.search.line.intervals import shifted_sums
from hartley.search.line.loops import radius
from hartley.search.line.ordered_values import OrderedValues

SCALE = 1 << 20
"""Prices are whole numbers of this part of one, so that their sums are exact."""
STEPS_BETWEEN_CUTS = 4
MOST_WALKED = 5_000_000
"""Steps of a walk times values on the line, at most."""
CENTROID_SHARE = 40
"""For centroids, which take longer to cut, the walk gets this part of the steps."""
MOST_LOOKED_AT = 500_000_000
"""Intervals of centroids that are looked at for one distortion, at most."""
FAR = 1 << 60
"""More than any sum of prices."""


@hot_loop
def keep_forest(
    order: Int64s, groups: Int64s, usable: Flags, prices: Int64s, limit: int, parent: Int64s, kept: Flags
) -> int:
    """Keep links in this order that join components and cost less than the limit; give how many."""
    for group in range(len(parent)):
        parent[group] = group
    for link in range(len(kept)):
        kept[link] = False
    rank = 0
    for link in order:
        if prices[link] >= limit:
            break
        if usable[link] and unite(parent, groups[link], groups[link + 1]):
            kept[link] = True
            rank += 1
    return rank


@hot_loop
def joined(groups: Int64s, broken: Flags, parent: Int64s) -> int:
    """Return how many components the links that are not broken join."""
    for group in range(len(parent)):
        parent[group] = group
    rank = 0
    for link in range(len(broken)):
        if not broken[link] and unite(parent, groups[link], groups[link + 1]):
            rank += 1
    return rank


@hot_loop
def breaks_before(chosen: Int64s) -> Flags:
    """Break the links before the intervals chosen, going back from the end; all where there is no way."""
    size = len(chosen)
    broken = np.zeros(max(size - 1, 0), dtype=np.bool_)
    end = size - 1
    while end >= 0:
        if chosen[end] < 0:
            for link in range(size - 1):
                broken[link] = True
            return broken
        if chosen[end] > 0:
            broken[chosen[end] - 1] = True
        end = chosen[end] - 1
    return broken


@hot_loop
def cheapest_breaks(earliest: Int64s, latest: Int64s, prices: Int64s) -> Flags:
    """Break links at the least total price; every interval starts between its earliest and latest start.

    All links broken where no such intervals exist. One pass with a queue of starts, since both limits only
    move forward.
    """
    size = len(earliest)
    total = np.full(size + 1, FAR)
    chosen = np.full(size, -1, dtype=np.int64)
    total[0] = 0
    queue = np.empty(size, dtype=np.int64)
    head = 0
    tail = 0
    entered = 0
    for end in range(size):
        while entered <= latest[end]:
            before = total[entered] + (prices[entered - 1] if entered > 0 else 0)
            while tail > head:
                last = queue[tail - 1]
                if total[last] + (prices[last - 1] if last > 0 else 0) < before:
                    break
                tail -= 1
            queue[tail] = entered
            tail += 1
            entered += 1
        while head < tail and queue[head] < earliest[end]:
            head += 1
        if head < tail and latest[end] >= 0:
            start = queue[head]
            worth = total[start] + (prices[start - 1] if start > 0 else 0)
            if worth < FAR // 2:
                total[end + 1] = worth
                chosen[end] = start
    return breaks_before(chosen)


@hot_loop
def cheapest_centroid_breaks(
    positions: Floats, sums: Floats, cost: float, earliest: Int64s, latest: Int64s, prices: Int64s
) -> Flags:
    """Break links at the least total price as :func:`cheapest_breaks` does, means near their members.

    The radius of an interval is not monotone, so every start is looked at.
    """
    size = len(earliest)
    total = np.full(size + 1, FAR)
    chosen = np.full(size, -1, dtype=np.int64)
    total[0] = 0
    for end in range(size):
        for start in range(latest[end], earliest[end] - 1, -1):
            worth = total[start] + (prices[start - 1] if start > 0 else 0)
            if worth < min(total[end + 1], FAR // 2) and radius(positions, sums, start, end) <= cost:
                total[end + 1] = worth
                chosen[end] = start
    return breaks_before(chosen)


@dataclass(frozen=True, eq=False)
class Links:
    """Neighbours along a line at one distortion: which may be kept, and which windows must lose one."""

    groups: Int64s
    """The component of each rank."""
    count: int
    """How many components there are, those off the line included."""
    earliest: Int64s
    latest: Int64s
    """The earliest and latest start of an interval for each end."""
    usable: Flags
    """Links whose two ends are of different components and within reach of each other."""
    starts: Int64s
    ends: Int64s
    """Windows just out of reach all of whose links are usable; the others lose a link for nothing."""

    @classmethod
    def within(cls, groups: Int64s, count: int, earliest: Int64s, latest: Int64s | None = None) -> Links:
        """Build from the earliest start of each end; ``latest`` where intervals must not be too short."""
        size = len(groups)
        ranks = np.arange(size)
        usable = (earliest[1:] <= ranks[:-1]) & (groups[1:] != groups[:-1])
        # One rank before the earliest start is out of reach. Where the end before still reached that
        # rank, no shorter window is out of reach.
        ends = np.flatnonzero(earliest > 0)
        ends = ends[earliest[ends - 1] < earliest[ends]]
        starts = earliest[ends] - 1
        unusable = np.concatenate(([0], np.cumsum(~usable)))
        open_windows = unusable[ends] - unusable[starts] == 0
        return cls(
            groups,
            count,
            earliest,
            ranks if latest is None else latest,
            usable,
            starts[open_windows],
            ends[open_windows],
        )

    @property
    def most_joined(self) -> int:
        """How many components could be joined if no window had to lose a link."""
        size = len(self.usable)
        zero = np.zeros(size, dtype=np.int64)
        kept = np.zeros(size, dtype=np.bool_)
        parent = np.empty(self.count, dtype=np.int64)
        loop = keep_forest.for_size(size)
        return int(loop(np.arange(size), self.groups, self.usable, zero, 1, parent, kept))

    def joined_without(self, broken: Flags) -> int:
        """Return how many components the links that are not broken join."""
        parent = np.empty(self.count, dtype=np.int64)
        return int(joined.for_size(len(broken) * 50)(self.groups, broken, parent))


@dataclass(frozen=True, eq=False)
class Priced:
    """What the prices gave: a bound on the components joined, and the best breaks met."""

    most_joined: int
    broken: Flags
    joined: int


def price_windows(line: OrderedValues, links: Links, cost: float, effort: Effort, most_steps: int) -> Priced:
    """Follow the subgradient of the window prices; now and then cut the line at the cheapest links.

    The intervals cost no more than ``cost``, in ticks.
    """
    size = len(links.usable)
    most = links.most_joined
    multipliers = np.zeros(len(links.starts), dtype=np.int64)
    spare = links.ends - links.starts - 1
    parent = np.empty(links.count, dtype=np.int64)
    kept = np.zeros(size, dtype=np.bool_)
    keep = keep_forest.for_size(size * 200)
    walk, between = min(most_steps, MOST_WALKED // len(links.groups)), STEPS_BETWEEN_CUTS
    cut = partial(cheapest_breaks.for_size(size * 200), links.earliest, links.latest)
    if line.cost_name == "centroid":
        within = max(1, int(np.maximum(links.latest - links.earliest + 1, 0).sum()))
        loop = cheapest_centroid_breaks.for_size(within * 200)
        cut = partial(loop, *shifted_sums(line), cost, links.earliest, links.latest)
        walk = min(walk, most_steps // CENTROID_SHARE, MOST_LOOKED_AT // within)
        between = max(between, most_steps * within // MOST_LOOKED_AT)
    broken = cut(links.usable.astype(np.int64))
    found = links.joined_without(broken)
    least = most * SCALE
    pace, stalled = 1.0, 0
    for step in range(most_steps):
        if most <= found or (step % 16 == 0 and effort.should_stop()):
            break
        changes = np.zeros(size + 1, dtype=np.int64)
        np.add.at(changes, links.starts, multipliers)
        np.subtract.at(changes, links.ends, multipliers)
        prices = np.cumsum(changes[:-1])
        rank = keep(
            np.argsort(prices, kind="stable"), links.groups, links.usable, prices, SCALE, parent, kept
        )
        worth = rank * SCALE - int(prices[kept].sum()) + int((multipliers * spare).sum())
        if worth < least:
            stalled = 0 if worth < least - SCALE // 1000 else stalled + 1
            least = worth
            most = min(most, worth // SCALE)
        else:
            stalled += 1
        if step % between == 0:
            # Losing a kept link costs one component; among equals, lose the dearest.
            trial = cut(kept * (2 * SCALE) - np.minimum(prices, SCALE) + SCALE)
            reached = links.joined_without(trial)
            if reached > found:
                found, broken = reached, trial
        if stalled >= 20:
            pace, stalled = pace * 0.7, 0
            if pace < 1e-4:
                break
        held = np.concatenate(([0], np.cumsum(kept)))
        excess = held[links.ends] - held[links.starts] - spare
        moving = (excess > 0) | (multipliers > 0)
        norm = int((excess[moving] ** 2).sum())
        if norm == 0:
            break
        stride = pace * (worth - (found - 0.5) * SCALE) / norm
        multipliers = np.maximum(multipliers + np.rint(stride * excess).astype(np.int64), 0)
    return Priced(most, *_spared(links, cut, broken, found, most, walk, effort))


def _spared(
    links: Links,
    cut: Callable[[Int64s], Flags],
    broken: Flags,
    found: int,
    most: int,
    steps: int,
    effort: Effort,
) -> tuple[Flags, int]:
    """Break as few links as can be of a forest that holds those not broken, again and again.

    The components joined never get fewer: what was broken before breaks as many links of the forest as it
    fails to join. Among equals chance decides, so that the walk goes on.
    """
    random = np.random.default_rng(effort.seed)
    free = np.zeros(len(broken), dtype=np.int64)
    parent, kept = np.empty(links.count, dtype=np.int64), np.zeros(len(broken), dtype=np.bool_)
    best, spare = broken, max(1, SCALE // len(broken))
    keep = keep_forest.for_size(len(broken) * steps)
    for _ in range(steps):
        if found >= most or effort.should_stop():
            break
        order = np.lexsort((random.random(len(broken)), broken))
        keep(order, links.groups, links.usable, free, 1, parent, kept)
        broken = cut(kept * SCALE + random.integers(0, spare, len(broken)))
        reached = links.joined_without(broken)
        if reached > found:
            found, best = reached, broken
    return best, found
