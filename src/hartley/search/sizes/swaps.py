r"""Local search for clusters of at most m values that hold what is required, whatever is required.

State: clusters of m places each; every public value has a place, the places left over are empty. Move: the
contents of two places of different clusters change places. Goal: no cluster lacks anything. What is lacking,
summed over clusters and counts, is the cost. A cluster that holds no code of a count lacks nothing of it: it
is empty, or beside side information it is not seen with that side value.

Many moves start from a cluster that lacks something. A move that costs :math:`d > 0` is taken
with probability :math:`e^{-d/T}` at a low temperature T; moves that cost nothing are
always taken, which is what carries the search across plateaus.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.model import Partition
from hartley.model.arrays import Flags, Int64s
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.enough_loops import first_bit

PERIOD = 2_147_483_647
"""The random numbers are those of Park and Miller, who count to this prime."""
CHUNK = 50_000
"""Moves between two questions whether to stop, compiled; a few hundredths of a second."""
MOST_CELLS = 50_000_000
"""Clusters times codes that the search is willing to keep counts for."""
STEPS_OF_A_MOVE = 4
WORST_STEP = 64
"""Moves that cost this much more are never taken."""

DRAW, COST, LACKING = 0, 1, 2
"""Where the running numbers stand: the last random number, the cost, how many clusters lack something."""


class Codes(NamedTuple):
    """The codes of every public value, for loops; empty places are values without any."""

    starts: Int64s
    """Value x holds ``codes[starts[x]:starts[x + 1]]``."""
    codes: Int64s
    count_of: Int64s
    """The count of every code."""
    is_plain: Flags
    """Whether every two codes of a count are apart."""
    next_code: Int64s
    """For each code the first of its count that is apart from it; empty where all counts are plain."""
    ends: Int64s
    """Where the codes of each count end."""
    rows: Int64s
    """The rows of each value; empty where no number of rows is asked for."""

    @classmethod
    def of(cls, enough: Enough, places: int) -> Codes:
        """Lay the codes of a demand out for so many places."""
        empty = places - enough.size
        starts = np.concatenate((enough.value_ptr, np.full(empty, enough.value_ptr[-1])))
        is_plain = enough.is_plain
        codes = enough.value_code.astype(np.int64)
        kinds = np.arange(enough.width)
        if is_plain.all():
            # Codes that occur nowhere would only take room.
            kinds, codes = np.unique(codes, return_inverse=True)
        count_of = np.searchsorted(enough.offsets, kinds, side="right") - 1
        rows = (
            np.concatenate((enough.rows, np.zeros(empty, dtype=np.int64))) if enough.row_k > 1 else kinds[:0]
        )
        following = kinds[:0] if is_plain.all() else enough.next_code
        return cls(
            starts.astype(np.int64),
            codes.astype(np.int64),
            count_of.astype(np.int64),
            is_plain,
            following.astype(np.int64),
            enough.offsets[1:].astype(np.int64),
            rows.astype(np.int64),
        )


class Held(NamedTuple):
    """What every cluster holds, and what is wanted of it; loops change the arrays in place."""

    need: Int64s
    """What is wanted of each count, then of the rows."""
    held: npt.NDArray[np.int32]
    """In how many values of each cluster each code is."""
    shown: Int64s
    """How many codes that are apart each cluster has of each count, then its rows."""
    words: Int64s
    """The codes that each cluster holds as bits of words of 32, where some count is not plain."""

    @classmethod
    def nothing(cls, need: Int64s, clusters: int, codes: Codes) -> Held:
        """Return empty clusters."""
        kinds = len(codes.count_of)
        return cls(
            need,
            np.zeros((clusters, kinds), dtype=np.int32),
            np.zeros((clusters, len(need)), dtype=np.int64),
            np.zeros((clusters, (kinds >> 5) + 1 if len(codes.next_code) else 0), dtype=np.int64),
        )


@hot_loop
def lacks(count: int, need: int) -> int:
    """Return what a cluster that shows so many codes lacks; one that shows none lacks nothing."""
    return need - count if 0 < count < need else 0


@hot_loop
def chain_length(cluster: int, count: int, codes: Codes, words: Int64s) -> int:
    """Return how many codes of a count in a cluster are apart: the first, then the next from it on."""
    length = 0
    code, end = codes.ends[count - 1] if count > 0 else 0, codes.ends[count]
    while code < end:
        word = words[cluster, code >> 5] >> (code & 31)
        if word == 0:
            code = ((code >> 5) + 1) << 5
            continue
        code += first_bit(word)
        if code < end:
            length += 1
            code = codes.next_code[code]
    return length


@hot_loop
def shift(cluster: int, value: int, step: int, codes: Codes, state: Held) -> int:
    """Add a value to a cluster (``step`` 1) or take it out (-1); give the change of what it lacks."""
    change = 0
    for entry in range(codes.starts[value], codes.starts[value + 1]):
        code = codes.codes[entry]
        state.held[cluster, code] += step
        if state.held[cluster, code] == (1 if step > 0 else 0):
            count = codes.count_of[code]
            shown = state.shown[cluster, count]
            change -= lacks(shown, state.need[count])
            if codes.is_plain[count]:
                shown += step
            else:
                state.words[cluster, code >> 5] ^= 1 << (code & 31)
                shown = chain_length(cluster, count, codes, state.words)
            change += lacks(shown, state.need[count])
            state.shown[cluster, count] = shown
    if len(codes.rows):
        last = len(state.need) - 1
        change -= lacks(state.shown[cluster, last], state.need[last])
        state.shown[cluster, last] += step * codes.rows[value]
        change += lacks(state.shown[cluster, last], state.need[last])
    return change


@hot_loop
def exchange(one: int, mine: int, other: int, yours: int, codes: Codes, state: Held) -> tuple[int, int]:
    """Let two clusters change two values; give the change of what each of them lacks."""
    of_one = shift(one, mine, -1, codes, state)
    of_one += shift(one, yours, 1, codes, state)
    of_other = shift(other, yours, -1, codes, state)
    of_other += shift(other, mine, 1, codes, state)
    return of_one, of_other


@hot_loop
def gains(cluster: int, leaving: int, coming: int, codes: Codes, held: npt.NDArray[np.int32]) -> int:
    """Return how many more codes a cluster shows when one value leaves it and another comes."""
    more = 0
    for entry in range(codes.starts[leaving], codes.starts[leaving + 1]):
        code = codes.codes[entry]
        if held[cluster, code] == 1:
            more -= 1
            for other in range(codes.starts[coming], codes.starts[coming + 1]):
                if codes.codes[other] == code:
                    more += 1
                    break
    for entry in range(codes.starts[coming], codes.starts[coming + 1]):
        if held[cluster, codes.codes[entry]] == 0:
            more += 1
    return more


@hot_loop
def swap_loop(
    moves: int,
    largest: int,
    focus: int,
    chances: Int64s,
    places: Int64s,
    codes: Codes,
    state: Held,
    lack: Int64s,
    lacking: Int64s,
    rank: Int64s,
    running: Int64s,
) -> None:
    """Try so many moves, or stop where no cluster lacks anything."""
    draw = running[DRAW]
    cost = running[COST]
    many = running[LACKING]
    is_simple = len(codes.is_plain) == 1 and codes.is_plain[0] and len(codes.rows) == 0
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
        if is_simple:
            # Most moves are refused. Of one plain count it is quicker to look first and change nothing.
            count = state.shown[one, 0]
            change = lacks(count + gains(one, mine, yours, codes, state.held), state.need[0])
            change -= lacks(count, state.need[0])
            count = state.shown[other, 0]
            change += lacks(count + gains(other, yours, mine, codes, state.held), state.need[0])
            change -= lacks(count, state.need[0])
            if change > 0:
                following = draw * 48271 % PERIOD
                if change >= WORST_STEP or following >= chances[change]:
                    draw = following
                    continue
        of_one, of_other = exchange(one, mine, other, yours, codes, state)
        change = of_one + of_other
        draw = draw * 48271 % PERIOD
        if change > 0 and (change >= WORST_STEP or draw >= chances[change]):
            exchange(one, yours, other, mine, codes, state)
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
def fill(largest: int, places: Int64s, codes: Codes, state: Held, lack: Int64s) -> None:
    """Put every value into the cluster of its place, from empty clusters."""
    for place in range(len(places)):
        lack[place // largest] += shift(place // largest, places[place], 1, codes, state)


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


class SwapSearch:
    """A search under way: clusters of at most ``largest`` values, each to hold what a demand wants."""

    def __init__(self, enough: Enough, largest: int, places: Int64s, seed: int) -> None:
        self.enough, self.largest = enough, largest
        self.places = places
        """The value at every place; numbers from ``enough.size`` on are empty places."""
        clusters = len(places) // largest
        self._codes = Codes.of(enough, len(places))
        self._state = Held.nothing(enough.least.astype(np.int64), clusters, self._codes)
        self._lack = np.zeros(clusters, dtype=np.int64)
        fill.for_size(len(enough.value_code))(largest, places, self._codes, self._state, self._lack)
        short = np.flatnonzero(self._lack)
        self._lacking = np.zeros(clusters, dtype=np.int64)
        self._lacking[: len(short)] = short
        self._rank = np.full(clusters, -1, dtype=np.int64)
        self._rank[short] = np.arange(len(short))
        first = seed % (PERIOD - 1) + 1
        self._running = np.array([first, self._lack.sum(), len(short)], dtype=np.int64)

    @staticmethod
    def fits(enough: Enough, clusters: int) -> bool:
        """Tell whether the counts this search keeps are few enough."""
        return clusters * min(enough.width, len(enough.value_code)) <= MOST_CELLS

    @property
    def cost(self) -> int:
        """How much is lacking in all; 0 where the goal is reached."""
        return int(self._running[COST])

    def run(self, moves: int, heat: Heat, effort: Effort, steps: int | None = None) -> bool:
        """Try so many moves, fewer where the effort ends; tell whether the goal is reached."""
        steps, chances = steps or STEPS_OF_A_MOVE * moves, heat.chances
        while moves > 0 and self.cost and not effort.should_stop():
            loop = swap_loop.for_size(steps, in_pieces=True)
            now = min(moves, swap_loop.piece(loop, CHUNK))
            loop(
                now,
                self.largest,
                int(heat.focus * PERIOD),
                chances,
                self.places,
                self._codes,
                self._state,
                self._lack,
                self._lacking,
                self._rank,
                self._running,
            )
            moves -= now
        return not self.cost

    def anneal(self, moves: int, effort: Effort) -> bool:
        """Try so many moves at falling temperature; tell whether the goal is reached."""
        steps = STEPS_OF_A_MOVE * moves
        return any(self.run(-(-moves // len(COOLING)), heat, effort, steps) for heat in COOLING)

    @property
    def partition(self) -> Partition:
        """The clusters as they are now."""
        return partition_of_places(self.places, self.largest, self.enough.size)


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


def dealt_places(enough: Enough, largest: int, clusters: int) -> Int64s:
    """Deal the values out to the clusters in turn, to and fro, those with most codes first."""
    held = np.diff(enough.value_ptr)
    first = np.zeros(enough.size, dtype=np.int64)
    first[held > 0] = enough.value_code[enough.value_ptr[:-1][held > 0]]
    order = np.concatenate((np.lexsort((first, -held)), np.arange(enough.size, clusters * largest)))
    turn, cluster = np.divmod(np.arange(len(order)), clusters)
    cluster = np.where(turn % 2, clusters - 1 - cluster, cluster)
    places = np.empty(len(order), dtype=np.int64)
    places[cluster * largest + turn] = order
    return places
