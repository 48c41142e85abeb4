"""Swap search for clusters of at most m values that are enough, for any requirements.

Clusters have m places each; every value has a place, the places left over are empty. A move exchanges what
two places of different clusters hold. What all clusters lack together is made small: a move that costs
nothing is always taken, one that costs d with probability exp(-d / T).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Places
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.enough_loops import first_bit

PERIOD = 2_147_483_647
"""The random numbers are those of Park and Miller, who count to this prime."""
CHUNK = 20_000
"""Moves between two questions whether to stop."""
MOST_CELLS = 30_000_000
"""Clusters times codes that the search is willing to keep counts for."""
WORST_STEP = 64
DRAW, COST = 0, 1
COOLING = (0.2, 0.11, 0.08)
"""Temperatures, one after another."""
FOCUS = 0.7


@hot_loop
def lack_of(
    cluster: int, words: Places, next_code: Places, offsets: Places, least: Places, rows: Places
) -> int:
    """Return what a cluster lacks, all counts and the rows together."""
    lack = max(0, least[len(least) - 1] - rows[cluster])
    for count in range(len(least) - 1):
        length = 0
        code = offsets[count]
        end = offsets[count + 1]
        while length < least[count] and code < end:
            at = code >> 5
            word = words[cluster, at] >> (code & 31)
            while word == 0 and at < (end - 1) >> 5:
                at += 1
                code = at << 5
                word = words[cluster, at]
            if word == 0:
                break
            code += first_bit(word)
            if code >= end:
                break
            length += 1
            code = next_code[code]
        lack += least[count] - length
    return int(lack)


@hot_loop
def move_value(
    cluster: int,
    value: int,
    step: int,
    value_ptr: Places,
    value_code: npt.NDArray[np.integer],
    row_count: Places,
    held: npt.NDArray[np.int32],
    words: Places,
    rows: Places,
) -> None:
    """Put a value into a cluster, or take it out."""
    if value >= len(row_count):
        return
    rows[cluster] += step * row_count[value]
    for entry in range(value_ptr[value], value_ptr[value + 1]):
        code = value_code[entry]
        held[cluster, code] += step
        if step > 0 and held[cluster, code] == 1:
            words[cluster, code >> 5] |= 1 << (code & 31)
        elif step < 0 and held[cluster, code] == 0:
            words[cluster, code >> 5] &= ~(1 << (code & 31))


@hot_loop
def swap_values(
    moves: int,
    largest: int,
    focus: int,
    chances: Places,
    places: Places,
    value_ptr: Places,
    value_code: npt.NDArray[np.integer],
    next_code: Places,
    offsets: Places,
    least: Places,
    row_count: Places,
    held: npt.NDArray[np.int32],
    words: Places,
    rows: Places,
    lack: Places,
    running: Places,
) -> None:
    """Try so many moves, or stop where no cluster lacks anything."""
    draw = running[DRAW]
    cost = running[COST]
    clusters = len(lack)
    for _ in range(moves):
        if cost == 0:
            break
        draw = draw * 48271 % PERIOD
        one = draw % clusters
        draw = draw * 48271 % PERIOD
        if lack[one] == 0 and draw < focus:
            continue
        draw = draw * 48271 % PERIOD
        here = one * largest + draw % largest
        draw = draw * 48271 % PERIOD
        there = draw % len(places)
        other = there // largest
        mine = places[here]
        yours = places[there]
        if one == other or (mine >= len(row_count) and yours >= len(row_count)):
            continue
        move_value(one, mine, -1, value_ptr, value_code, row_count, held, words, rows)
        move_value(one, yours, 1, value_ptr, value_code, row_count, held, words, rows)
        move_value(other, yours, -1, value_ptr, value_code, row_count, held, words, rows)
        move_value(other, mine, 1, value_ptr, value_code, row_count, held, words, rows)
        of_one = lack_of(one, words, next_code, offsets, least, rows)
        of_other = lack_of(other, words, next_code, offsets, least, rows)
        change = of_one + of_other - lack[one] - lack[other]
        draw = draw * 48271 % PERIOD
        if change > 0 and (change >= WORST_STEP or draw >= chances[change]):
            move_value(one, yours, -1, value_ptr, value_code, row_count, held, words, rows)
            move_value(one, mine, 1, value_ptr, value_code, row_count, held, words, rows)
            move_value(other, mine, -1, value_ptr, value_code, row_count, held, words, rows)
            move_value(other, yours, 1, value_ptr, value_code, row_count, held, words, rows)
            continue
        places[here] = yours
        places[there] = mine
        lack[one] = of_one
        lack[other] = of_other
        cost += change
    running[DRAW] = draw
    running[COST] = cost


@dataclass(eq=False)
class EnoughSwaps:
    """A swap search for one size of the largest cluster; ``labels`` are the clusters as they are now."""

    enough: Enough
    largest: int
    places: Places
    """The value at every place; numbers from the number of values on are empty places."""
    seed: int

    def __post_init__(self) -> None:
        self._running = np.array([self.seed % (PERIOD - 1) + 1, 0], dtype=np.int64)
        self._fill()

    @staticmethod
    def fits(enough: Enough, clusters: int) -> bool:
        """Tell whether the counts that the search keeps are few enough."""
        return clusters * max(enough.width, 1) <= MOST_CELLS

    @property
    def cost(self) -> int:
        """What is lacking in all; 0 where every cluster is enough."""
        return int(self._running[COST])

    @property
    def labels(self) -> Places:
        """The cluster of each value."""
        labels = np.empty(len(self.places), dtype=np.int64)
        labels[self.places] = np.arange(len(self.places)) // self.largest
        return labels[: self.enough.size]

    def ask(self, enough: Enough) -> None:
        """Go on with another demand on the same values."""
        self.enough = enough
        self._fill()

    def _fill(self) -> None:
        enough, clusters = self.enough, len(self.places) // self.largest
        self._held = np.zeros((clusters, max(enough.width, 1)), dtype=np.int32)
        self._words = np.zeros((clusters, (enough.width >> 5) + 1), dtype=np.int64)
        self._rows = np.zeros(clusters, dtype=np.int64)
        put = move_value.for_size(8 * len(enough.value_code))
        lack_loop = lack_of.for_size(8 * len(enough.value_code))
        for place, value in enumerate(self.places.tolist()):
            put(place // self.largest, value, 1, *self._values, self._held, self._words, self._rows)
        self._lack = np.array(
            [lack_loop(cluster, self._words, *self._codes, self._rows) for cluster in range(clusters)],
            dtype=np.int64,
        )
        self._running[COST] = self._lack.sum()

    @property
    def _values(self) -> tuple[Places, npt.NDArray[np.integer], Places]:
        return self.enough.value_ptr, self.enough.value_code, self.enough.rows

    @property
    def _codes(self) -> tuple[Places, Places, Places]:
        return self.enough.next_code, self.enough.offsets, self.enough.least

    def run(self, moves: int, effort: Effort) -> bool:
        """Try about so many moves in all at falling temperatures; tell whether every cluster is enough."""
        for temperature in COOLING:
            steps = range(WORST_STEP)
            chances = np.array([int(PERIOD * exp(-step / temperature)) for step in steps], dtype=np.int64)
            left = -(-moves // len(COOLING))
            while left > 0 and self.cost and not effort.should_stop():
                loop = swap_values.for_size(16 * moves, in_pieces=True)
                now = min(left, swap_values.piece(loop, CHUNK))
                value_ptr, value_code, row_count = self._values
                loop(
                    now,
                    self.largest,
                    int(FOCUS * PERIOD),
                    chances,
                    self.places,
                    value_ptr,
                    value_code,
                    *self._codes,
                    row_count,
                    self._held,
                    self._words,
                    self._rows,
                    self._lack,
                    self._running,
                )
                left -= now
        return not self.cost


def dealt_places(enough: Enough, largest: int, clusters: int) -> Places:
    """Deal the values out to the clusters in turn, to and fro, those that hold most codes first."""
    counts = np.diff(enough.value_ptr)
    first = np.zeros(enough.size, dtype=np.int64)
    first[counts > 0] = enough.value_code[enough.value_ptr[:-1][counts > 0]]
    order = np.concatenate((np.lexsort((first, -counts)), np.arange(enough.size, clusters * largest)))
    turn, cluster = np.divmod(np.arange(len(order)), clusters)
    cluster = np.where(turn % 2, clusters - 1 - cluster, cluster)
    places = np.empty(len(order), dtype=np.int64)
    places[cluster * largest + turn] = order
    return places
