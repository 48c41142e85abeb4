"""Everything a search over columns needs at hand: the cells, the demand, the index, scratch paper."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from hartley.errors import InputError
from hartley.hot_loops import HotLoop
from hartley.model.arrays import Floats, Ints, Places, frozen_array, sparse_zeros
from hartley.model.partition import numbered_by_first
from hartley.search.columns.cells import TABLE
from hartley.search.columns.costs import Runs, boxes_of, sides_of
from hartley.search.columns.loops.cells import Cells, Marks, Needs, side_of
from hartley.search.columns.loops.index import (
    LEAF,
    MOST_WORDS,
    Indexed,
    Sorting,
    Tree,
    Walk,
    grow_tree,
    reaches,
)
from hartley.search.columns.loops.mend import MOST_DISSOLVED, Clusters, Near
from hartley.search.columns.loops.near import bound_cluster, near_tuples
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough

T = TypeVar("T", bound=tuple[Any, ...])


def as_lists(values: T) -> T:
    """Return a named tuple whose arrays are lists (of lists where they have two dimensions)."""
    fields = cast("Any", values)._asdict()
    lists = {name: value.tolist() for name, value in fields.items() if isinstance(value, np.ndarray)}
    return cast("T", cast("Any", values)._replace(**lists))


STEPS_PER_TUPLE = 1000
"""Elementary steps that a search takes for each tuple, about."""
COMPILED_FROM = 4_000_000
"""Steps from which a loop is worth the compiler's time where nothing is compiled yet.

Compiling the loops that polish takes as long as they need, as they are written, for some 4,000 tuples.
"""
SELDOM_COMPILED_FROM = 12_000_000
"""The same for all other loops, which have less to do."""
LOADED_FROM = 100_000
"""Steps from which loops that were compiled before are worth loading."""
NEAREST = 48
PER_CODE = 4
MOST_NEAR = 248
MOST_TUPLES = 1 << 30
"""Tuples and boxes of them are numbered in 32 bits."""
MOST_LISTED = 1 << 26
"""Entries of lists of near tuples that are kept at most; beyond that they are made anew."""
MOST_LOOKED_AT, LEAST_LOOKED_AT = 200_000_000, 512
"""Tuples that are looked at, about, for the lists of all tuples, and for one list where these are very many.

So lists take time in proportion to the tuples. Of up to 14,000 tuples, and where the index tells which are
far, no list misses a tuple by it; in 8 columns that have nothing to do with each other, lists of 50,000 do.
"""
TUPLES_AT_A_TIME = 500_000
"""Tuples that a compiled loop looks at, about, before the clock is looked at."""
WALKS_AT_A_TIME = 16
"""Walks through the index between two looks at the clock."""


def needs_of(demand: Enough) -> Needs:
    """Return a demand as the loops take it."""
    tolerant = not bool(demand.is_plain.all())
    # The loops look at the first count: where rows alone are asked for, it is one that wants nothing.
    offsets, wanted = (demand.offsets, demand.wanted) if len(demand.wanted) else ([0, 0], [0])
    return Needs(
        ptr=demand.value_ptr,
        code=frozen_array(demand.value_code.astype(np.int32, copy=False)),
        next_code=demand.next_code,
        offsets=np.array(offsets, dtype=np.int64),
        count_of=np.repeat(np.arange(len(demand.wanted)), np.diff(demand.offsets)).astype(np.int64),
        wanted=np.array(wanted, dtype=np.int64),
        rows=demand.rows,
        row_k=int(demand.row_k),
        plain=len(demand.wanted) == 1 and not tolerant and demand.row_k <= 1 and not demand.is_beside,
        tolerant=tolerant,
        beside=demand.is_beside,
    )


def marks_of(demand: Enough) -> Marks:
    """Return fresh scratch paper for the loops."""
    width = max(demand.width, 1)
    return Marks(
        seen=np.zeros(width, dtype=np.int64),
        kept=np.zeros(width, dtype=np.int64),
        codes=np.zeros(width, dtype=np.int64),
        tally=np.zeros(max(len(demand.wanted), 1), dtype=np.int64),
        stamp=np.zeros(1, dtype=np.int64),
    )


class Prepared:
    """One table of tuples and one demand, with the index and scratch paper that all steps share."""

    def __init__(self, cells: Cells, demand: Enough, effort: Effort = UNLIMITED) -> None:
        self.cells = cells
        self.demand = demand
        self.effort = effort
        self.needs = needs_of(demand)
        self.marks = marks_of(demand)
        self.size, self.columns = cells.place.shape
        if self.size > MOST_TUPLES:
            raise InputError(f"a search over columns takes at most {MOST_TUPLES:,} different tuples")
        box = np.ascontiguousarray(cells.place.min(axis=0)), np.ascontiguousarray(cells.place.max(axis=0))
        self.widest = float(side_of(cells, *box))
        """The side of one cluster of everything; no cluster is wider."""
        self.looked = sparse_zeros((self.size,), np.bool_)
        """Whether the bound has been raised by each tuple."""
        self.most_looked_at = max(MOST_LOOKED_AT // max(self.size, 1), LEAST_LOOKED_AT)
        """Tuples that are looked at, about, for one list of near tuples."""
        self._listed = 0

    def loop(self, loop: HotLoop[..., Any], compiled_from: int = SELDOM_COMPILED_FROM) -> Callable[..., Any]:
        """Return a hot loop as it should run on a table of this size."""
        steps = self.size * STEPS_PER_TUPLE
        least = LOADED_FROM if loop.is_at_hand(steps, LOADED_FROM) else compiled_from
        chosen = loop.for_size(steps, least)
        return loop.interpreted if chosen is loop.plain else chosen

    @cached_property
    def lists(self) -> tuple[Cells, Needs, Marks]:
        """The cells, the demand and scratch paper of their own for loops that run as written."""
        return as_lists(self.cells), as_lists(self.needs), as_lists(self.marks)

    @property
    def indexed(self) -> Indexed:
        """The table with its index, as loops take it."""
        return Indexed(self.cells, self.needs, self.marks, self.tree, self.walk)

    @cached_property
    def indexed_lists(self) -> Indexed:
        """The same for loops that run as written."""
        return Indexed(*self.lists, as_lists(self.tree), as_lists(self.walk))

    @cached_property
    def reach(self) -> Floats:
        """The reach of each tuple, below 0 where it is not known yet."""
        return np.full(self.size, -1.0)

    @cached_property
    def near(self) -> Near:
        """The lists of near tuples that were made."""
        return self._no_lists()

    @cached_property
    def tree(self) -> Tree:
        """The index."""
        n, columns, words = self.size, self.columns, (self.demand.width + 63) // 64
        most = 4 * (n // LEAF + 2)
        room = Tree(
            order=sparse_zeros((n,), np.int32),
            first=sparse_zeros((most,), np.int32),
            last=sparse_zeros((most,), np.int32),
            left=sparse_zeros((most,), np.int32),
            right=sparse_zeros((most,), np.int32),
            low=sparse_zeros((most, columns), np.float64),
            high=sparse_zeros((most, columns), np.float64),
            bits=sparse_zeros((most, words if 0 < words <= MOST_WORDS else 1), np.uint64),
        )
        paper = Sorting(
            key=sparse_zeros((n,), np.float64),
            other_line=sparse_zeros((n,), np.int32),
            other_key=sparse_zeros((n,), np.float64),
        )
        counts, loop = np.zeros(2, dtype=np.int64), self.loop(grow_tree)
        piece = grow_tree.piece(loop, TUPLES_AT_A_TIME)
        while counts[1] == 0 or counts[0] < counts[1]:
            # Where there is no time left, boxes that are not halved yet stay whole: all walks end soon.
            leaf = n if self.effort.should_stop() else LEAF
            loop(self.cells, self.needs, room, paper, counts, leaf, piece)
        boxes = {name: each[: counts[1]] for name, each in room._asdict().items() if name != "order"}
        return room._replace(**boxes)

    def forget_index(self) -> None:
        """Free the memory of the index, and of all that was found with it; it is made anew when needed."""
        for name in ("tree", "walk", "indexed_lists", "reach", "near"):
            self.__dict__.pop(name, None)
        self.looked[:] = False
        self._listed = 0

    @cached_property
    def walk(self) -> Walk:
        """Scratch paper for walks through the index."""
        most = 2 * self.size + 1000
        return Walk(
            gap=sparse_zeros((most,), np.float64),
            item=sparse_zeros((most,), np.int32),
            mask=np.zeros(self.tree.bits.shape[1], dtype=np.uint64),
            times=np.zeros(max(self.demand.width, 1), dtype=np.int64),
            met=sparse_zeros((self.size if not self.needs.plain else 1,), np.int32),
            met_gap=sparse_zeros((self.size if not self.needs.plain else 1,), np.float64),
        )

    @cached_property
    def has_windows(self) -> bool:
        """Whether windows bound the side of a cluster: for the combination max, without tables."""
        return self.cells.norm == 0 and not bool((self.cells.kind == TABLE).any())

    def raise_bound(self, members: Places, bound: float, side: float) -> float:
        """Return the bound, raised by the reaches and windows of the members of a cluster of this side.

        Of as many members as there is time for.
        """
        bounded = self.loop(bound_cluster)
        some = bound_cluster.piece(bounded, WALKS_AT_A_TIME)
        known = self.indexed, self.reach, self.looked
        members = members[~self.looked[members]]
        for start in range(0, len(members), some):
            if start and self.effort.should_stop():
                break
            turn = members[start : start + some]
            bound = float(bounded(*known, turn, bound, side, self.widest, self.has_windows))
        return bound

    def reaches_of(self, members: Places) -> Floats:
        """Return the reaches of some tuples; 0, which is never too much, where there is no time left."""
        unknown = members[self.reach[members] < 0]
        loop = self.loop(reaches)
        some = reaches.piece(loop, WALKS_AT_A_TIME)
        for start in range(0, len(unknown), some):
            if start and self.effort.should_stop():
                break
            turn = unknown[start : start + some]
            out = np.empty(len(turn))
            loop(self.indexed, turn, self.widest, out)
            self.reach[turn] = out
        return np.maximum(self.reach[members], 0.0)

    def list_near(self, members: Ints, most_gap: float) -> None:
        """Make the lists of near tuples that are missing; they are empty where there is no time left."""
        listing = self.loop(near_tuples)
        table = self.indexed_lists if listing is near_tuples.interpreted else self.indexed
        if self._listed > MOST_LISTED:
            self.near, self._listed = self._no_lists(), 0
        for one in members[self.near.start[members] < 0]:
            if self._listed + MOST_NEAR > len(self.near.pool):
                pool = np.empty(2 * len(self.near.pool), dtype=np.int32)
                pool[: self._listed] = self.near.pool[: self._listed]
                self.near = self.near._replace(pool=pool)
            out = self.near.pool[self._listed : self._listed + MOST_NEAR]
            got = 0
            if not self.effort.should_stop():
                limits = (NEAREST, PER_CODE, self.demand.width, MOST_NEAR, self.most_looked_at)
                got = listing(table, int(one), most_gap, *limits, out)
            self.near.start[one], self.near.size[one] = self._listed, got
            self._listed += got

    def _no_lists(self) -> Near:
        return Near(
            start=np.full(self.size, -1, dtype=np.int64),
            size=sparse_zeros((self.size,), np.int16),
            pool=np.zeros(1 << 14, dtype=np.int32),
        )

    def clusters(self, labels: Ints) -> Clusters:
        """Return a partition that the loops can change.

        There is room for a cluster of every tuple. Nothing is written where no cluster is yet, so that what
        is never used takes no memory.
        """
        n = self.size
        runs = Runs.of(labels)
        order, starts, count = runs.order, runs.starts, len(runs.starts)
        most = n + 4 * MOST_DISSOLVED + 16
        after, before = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        after[order[:-1]], before[order[1:]] = order[1:], order[:-1]
        after[order[starts + runs.sizes - 1]], before[order[starts]] = -1, -1
        low, high = (sparse_zeros((most, self.columns), np.float64) for _ in range(2))
        side = sparse_zeros((most,), np.float64)
        for some, piece in runs.pieces():
            low[some], high[some] = boxes_of(self.cells, piece)
            side[some] = sides_of(self.cells, low[some], high[some])
        size, head = sparse_zeros((most,), np.int32), sparse_zeros((most,), np.int32)
        size[:count], head[:count] = runs.sizes, order[starts]
        ids = np.zeros(most, dtype=np.int32)
        ids[: most - count] = np.arange(most - 1, count - 1, -1, dtype=np.int32)
        room = 2 * n + 100 * (int(self.needs.wanted.sum()) + self.needs.row_k + 64)
        return Clusters(
            label=labels.astype(np.int32),
            after=after,
            before=before,
            head=head,
            size=size,
            low=low,
            high=high,
            side=side,
            ids=ids,
            moved=sparse_zeros((room,), np.int32),
            moved_from=sparse_zeros((room,), np.int32),
            queue=sparse_zeros((room,), np.int32),
            counts=np.array([most - count, 0, 0], dtype=np.int64),
            buffer=sparse_zeros((n,), np.int32),
        )


def compact(labels: Ints) -> Ints:
    """Return the labels renumbered by the first tuple of each cluster."""
    return numbered_by_first(np.asarray(labels))
