r"""Local search for a partition in which every cluster keeps enough candidates.

State: clusters of m places each; every public value has a place, the places left over
are empty. Move: the contents of two places of different clusters change places. Goal: no
cluster lacks candidates. What is lacking, summed over clusters (and over the side values
that a cluster shows), is the cost.

Many moves start from a cluster that lacks something. A move that costs :math:`d > 0` is taken
with probability :math:`e^{-d/T}` at a low temperature T; moves that cost nothing are
always taken, which is what carries the search across plateaus.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.model import Partition
from hartley.model.arrays import Int64s
from hartley.search.effort import Effort
from hartley.search.resolution.layout import CandidateSets

PERIOD = 2_147_483_647
"""The random numbers are those of Park and Miller, who count to this prime."""
CHUNK = 50_000
"""Moves between two questions whether to stop, compiled; a few hundredths of a second."""
MOST_CELLS = 50_000_000
"""Clusters times candidates that the search is willing to keep counts for."""
STEPS_OF_A_MOVE = 4
WORST_STEP = 64
"""Moves that cost this much more are never taken."""

DRAW, COST, LACKING = 0, 1, 2
"""Where the running numbers stand: the last random number, the cost, how many clusters lack something."""


@hot_loop
def shift(
    cluster: int,
    value: int,
    step: int,
    starts: Int64s,
    candidates: Int64s,
    side_of: Int64s,
    need: Int64s,
    held: npt.NDArray[np.int32],
    shown: Int64s,
) -> int:
    """Add a value to a cluster (``step`` 1) or take it out (-1); give the change of what it lacks."""
    change = 0
    for entry in range(starts[value], starts[value + 1]):
        candidate = candidates[entry]
        held[cluster, candidate] += step
        if held[cluster, candidate] == (1 if step > 0 else 0):
            side = side_of[candidate]
            count = shown[cluster, side]
            if 0 < count < need[side]:
                change -= need[side] - count
            count += step
            if 0 < count < need[side]:
                change += need[side] - count
            shown[cluster, side] = count
    return change


@hot_loop
def lacks(count: int, need: int) -> int:
    """Return what a cluster that shows so many candidates lacks; one that shows none lacks nothing."""
    return need - count if 0 < count < need else 0


@hot_loop
def gains(
    cluster: int,
    leaving: int,
    coming: int,
    starts: Int64s,
    candidates: Int64s,
    held: npt.NDArray[np.int32],
) -> int:
    """Return how many more candidates a cluster shows when one value leaves it and another comes."""
    more = 0
    for entry in range(starts[leaving], starts[leaving + 1]):
        candidate = candidates[entry]
        if held[cluster, candidate] == 1:
            more -= 1
            for other in range(starts[coming], starts[coming + 1]):
                if candidates[other] == candidate:
                    more += 1
                    break
    for entry in range(starts[coming], starts[coming + 1]):
        if held[cluster, candidates[entry]] == 0:
            more += 1
    return more


@hot_loop
def swap_loop(
    moves: int,
    largest: int,
    focus: int,
    chances: Int64s,
    places: Int64s,
    starts: Int64s,
    candidates: Int64s,
    side_of: Int64s,
    need: Int64s,
    held: npt.NDArray[np.int32],
    shown: Int64s,
    lack: Int64s,
    lacking: Int64s,
    rank: Int64s,
    running: Int64s,
) -> None:
    """Try so many moves, or stop where no cluster lacks anything."""
    draw = running[DRAW]
    cost = running[COST]
    many = running[LACKING]
    for _ in range(moves):
        if cost == 0:
            break
        draw = draw * 48271 % PERIOD
        focused = draw < focus
        draw = draw * 48271 % PERIOD
        if focused:
            one = lacking[draw % many]
            draw = draw * 48271 % PERIOD
            here = one * largest + draw % largest
        else:
            here = draw % len(places)
            one = here // largest
        draw = draw * 48271 % PERIOD
        there = draw % len(places)
        other = there // largest
        if one == other:
            continue
        mine = places[here]
        yours = places[there]
        if len(need) == 1:
            # Most moves are refused. Without side values it is quicker to look first and change nothing.
            count = shown[one, 0]
            more = gains(one, mine, yours, starts, candidates, held)
            change = lacks(count + more, need[0]) - lacks(count, need[0])
            count = shown[other, 0]
            more = gains(other, yours, mine, starts, candidates, held)
            change += lacks(count + more, need[0]) - lacks(count, need[0])
            if change > 0:
                following = draw * 48271 % PERIOD
                if change >= WORST_STEP or following >= chances[change]:
                    draw = following
                    continue
        of_one = shift(one, mine, -1, starts, candidates, side_of, need, held, shown)
        of_one += shift(one, yours, 1, starts, candidates, side_of, need, held, shown)
        of_other = shift(other, yours, -1, starts, candidates, side_of, need, held, shown)
        of_other += shift(other, mine, 1, starts, candidates, side_of, need, held, shown)
        change = of_one + of_other
        draw = draw * 48271 % PERIOD
        if change > 0 and (change >= WORST_STEP or draw >= chances[change]):
            shift(one, yours, -1, starts, candidates, side_of, need, held, shown)
            shift(one, mine, 1, starts, candidates, side_of, need, held, shown)
            shift(other, mine, -1, starts, candidates, side_of, need, held, shown)
            shift(other, yours, 1, starts, candidates, side_of, need, held, shown)
            continue
        places[here] = yours
        places[there] = mine
        cost += change
        lack[one] += of_one
        lack[other] += of_other
        for cluster in (one, other):
            if lack[cluster] > 0:
                if rank[cluster] < 0:
                    rank[cluster] = many
                    lacking[many] = cluster
                    many += 1
            elif rank[cluster] >= 0:
                many -= 1
                last = lacking[many]
                lacking[rank[cluster]] = last
                rank[last] = rank[cluster]
                rank[cluster] = -1
    running[DRAW] = draw
    running[COST] = cost
    running[LACKING] = many


@hot_loop
def fill(
    largest: int,
    places: Int64s,
    starts: Int64s,
    candidates: Int64s,
    side_of: Int64s,
    need: Int64s,
    held: npt.NDArray[np.int32],
    shown: Int64s,
    lack: Int64s,
) -> None:
    """Put every value into the cluster of its place, from empty clusters."""
    for place in range(len(places)):
        cluster = place // largest
        lack[cluster] += shift(cluster, places[place], 1, starts, candidates, side_of, need, held, shown)


@dataclass(frozen=True)
class Heat:
    """How a stretch of the search behaves."""

    temperature: float
    focus: float
    """Share of the moves that start from a cluster that lacks something."""

    @property
    def chances(self) -> Int64s:
        """Below which random number a move that costs 0, 1, 2, ... is taken."""
        steps = range(WORST_STEP)
        return np.array([int(PERIOD * exp(-step / self.temperature)) for step in steps], dtype=np.int64)


QUICK = Heat(0.1, 0.9)
"""Good where goals are near; most are."""
COOLING = tuple(Heat(0.25 * 0.35 ** (stage / 39), 0.4) for stage in range(40))
"""From a temperature that mixes to one that freezes, for goals that are hard to reach."""


@dataclass(eq=False)
class SwapSearch:
    """A search under way: clusters of at most ``largest`` values, each to keep what is needed."""

    sets: CandidateSets
    largest: int
    places: Int64s
    """The value at every place; numbers from ``sets.size`` on are empty places."""
    seed: int
    need: Int64s = field(init=False)
    _starts: Int64s = field(init=False)
    _held: npt.NDArray[np.int32] = field(init=False)
    _shown: Int64s = field(init=False)
    _lack: Int64s = field(init=False)
    _lacking: Int64s = field(init=False)
    _rank: Int64s = field(init=False)
    _running: Int64s = field(init=False)

    def __post_init__(self) -> None:
        empty = len(self.places) - self.sets.size
        self._starts = np.concatenate((self.sets.starts, np.full(empty, self.sets.starts[-1])))
        clusters = len(self.places) // self.largest
        self._held = np.zeros((clusters, self.sets.kinds), dtype=np.int32)
        self._running = np.array([self.seed % (PERIOD - 1) + 1, 0, 0], dtype=np.int64)
        self.ask(np.zeros(len(self.sets.before), dtype=np.int64))

    @staticmethod
    def fits(sets: CandidateSets, clusters: int) -> bool:
        """Tell whether the counts this search keeps are few enough."""
        return clusters * sets.kinds <= MOST_CELLS

    @property
    def cost(self) -> int:
        """How many candidates are lacking in all; 0 where the goal is reached."""
        return int(self._running[COST])

    def ask(self, need: Int64s) -> None:
        """Set how many candidates a cluster must show under each side value that it shows."""
        self.need = need
        clusters = len(self._held)
        self._held[:] = 0
        self._shown = np.zeros((clusters, len(need)), dtype=np.int64)
        self._lack = np.zeros(clusters, dtype=np.int64)
        sets = self.sets
        fill.for_size(len(sets.candidates))(
            self.largest,
            self.places,
            self._starts,
            sets.candidates,
            sets.side_of,
            need,
            self._held,
            self._shown,
            self._lack,
        )
        self._lacking = np.zeros(clusters, dtype=np.int64)
        self._rank = np.full(clusters, -1, dtype=np.int64)
        short = np.flatnonzero(self._lack)
        self._lacking[: len(short)] = short
        self._rank[short] = np.arange(len(short))
        self._running[COST] = self._lack.sum()
        self._running[LACKING] = len(short)

    def run(self, moves: int, heat: Heat, effort: Effort) -> bool:
        """Try so many moves, fewer where the effort ends; tell whether the goal is reached."""
        return self._run(moves, heat, effort, STEPS_OF_A_MOVE * moves)

    def anneal(self, moves: int, effort: Effort) -> bool:
        """Try so many moves at falling temperature; tell whether the goal is reached."""
        steps = STEPS_OF_A_MOVE * moves
        return any(self._run(-(-moves // len(COOLING)), heat, effort, steps) for heat in COOLING)

    def _run(self, moves: int, heat: Heat, effort: Effort, steps: int) -> bool:
        chances = heat.chances
        while moves > 0 and self.cost and not effort.should_stop():
            loop = swap_loop.for_size(steps, in_pieces=True)
            now = min(moves, swap_loop.piece(loop, CHUNK))
            loop(
                now,
                self.largest,
                int(heat.focus * PERIOD),
                chances,
                self.places,
                self._starts,
                self.sets.candidates,
                self.sets.side_of,
                self.need,
                self._held,
                self._shown,
                self._lack,
                self._lacking,
                self._rank,
                self._running,
            )
            moves -= now
        return not self.cost

    def partition(self) -> Partition:
        """Return the clusters as they are now."""
        return partition_of_places(self.places, self.largest, self.sets.size)


def partition_of_places(places: Int64s, largest: int, size: int) -> Partition:
    """Return the partition in which places count the clusters off, ``largest`` at a time."""
    labels = np.empty(len(places), dtype=np.int64)
    labels[places] = np.arange(len(places)) // largest
    return Partition(labels[:size])


def places_of_partition(partition: Partition, largest: int, clusters: int) -> Int64s:
    """Return the places of every cluster; more clusters than there are stand empty."""
    size = len(partition.labels)
    places = np.full(clusters * largest, -1, dtype=np.int64)
    order = np.argsort(partition.labels, kind="stable")
    ends = np.cumsum(partition.sizes)
    within = np.arange(size) - np.repeat(ends - partition.sizes, partition.sizes)
    places[partition.labels[order].astype(np.int64) * largest + within] = order
    places[places < 0] = np.arange(size, clusters * largest)
    return places


def dealt_places(sets: CandidateSets, largest: int, clusters: int) -> Int64s:
    """Deal the values out to the clusters in turn, to and fro, those with most candidates first."""
    size = sets.size
    first = sets.candidates[sets.starts[:-1]]
    order = np.concatenate((np.lexsort((first, -sets.counts)), np.arange(size, clusters * largest)))
    turn, cluster = np.divmod(np.arange(len(order)), clusters)
    cluster = np.where(turn % 2, clusters - 1 - cluster, cluster)
    places = np.empty(len(order), dtype=np.int64)
    places[cluster * largest + turn] = order
    return places
