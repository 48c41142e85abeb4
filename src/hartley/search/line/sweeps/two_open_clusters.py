r"""Is there any partition within a cost, intervals or not? Decided exactly, for midpoint and member.

**Theorem L4.** If some partition is enough everywhere at a cost of D, one of this form is: no cluster's
span lies inside another's, no value lies inside more than two spans, and where two spans overlap the older
cluster takes no value once it has enough. *Proof.* All that is used of "enough" is that a larger set of
values is enough if a smaller one is. A nested cluster joins the outer one. Of three spans A, B, C that share
a point, in order, every member of B lies before the end of A or after the start of C: B is dissolved into
them. Values that the older cluster does not need go to the younger, inside whose span they lie; a
member-coded cluster that loses its codeword this way lies within D on one side of it, so any member serves.
Nothing added lies outside a span, so no cost grows; the number of clusters, then the sum of spans, falls
each time. ∎

So a sweep along the line with at most two open clusters meets every case. A state of the sweep is what the
open clusters still can reach and what they hold; a state that can do no more than another is dropped. The
number of states is bounded by ``most_states``: beyond it the sweep goes on with the most promising ones, can
then still find a partition, but proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hartley.model.arrays import Int64s
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.sweeps.two_open_clusters_loops import (
    ANCHOR,
    BEFORE,
    HELD,
    LACK,
    OLDER,
    TAKER,
    YOUNGER,
    mark_maximal,
    open_at,
    succeed,
)

STEPS_PER_STATE = 60
"""Elementary steps that a state takes, about, to be carried over one value."""


@dataclass(frozen=True)
class ChainAnswer:
    """What the sweep found: clusters of ranks, or the proof that there are none, or neither."""

    cluster_of: Int64s | None
    exhausted: bool
    """Whether every case was met, so that finding nothing is a proof."""

    @property
    def impossible(self) -> bool:
        """Whether no partition at all is within the cost."""
        return self.cluster_of is None and self.exhausted


def chain_within(
    values: OrderedValues, cost: float, most_states: int = 4000, effort: Effort = UNLIMITED
) -> ChainAnswer:
    """Look for a partition of the line that is enough everywhere, within a cost in ticks."""
    return _Sweep(values, cost, most_states).run(effort)


class _Sweep:
    """One sweep along the line."""

    def __init__(self, values: OrderedValues, cost: float, most_states: int) -> None:
        self.positions = values.ticks
        self.demand = values.held
        self.cost = cost
        self.halved = values.windows.cost == "midpoint"
        self.most_states = most_states
        self.ends = _ends(values.windows.within(cost))
        self.size = values.size
        words = self.demand.words
        self.full = np.bitwise_or.reduce(words, axis=0)
        self.anywhere = np.zeros_like(words)
        self.once = np.zeros_like(words)
        self.rows_before = np.concatenate(([0], np.cumsum(self.demand.rows)))
        # What is worth compiling is told by the line: states are few on a short one.
        self.steps = self.size**2 * STEPS_PER_STATE

    def run(self, effort: Effort) -> ChainAnswer:
        layers = [self.begun()]
        exhausted = True
        for rank in range(1, self.size):
            if effort.should_stop():
                return ChainAnswer(None, False)
            layer = self.undominated(self.successors(layers[-1], rank))
            if len(layer) > self.most_states:
                exhausted = False
                layer = layer[self.by_promise(layer)[: self.most_states]]
            if not len(layer):
                return ChainAnswer(None, exhausted)
            layers.append(layer)
        ended = (layers[-1][:, YOUNGER] < 0) & (layers[-1][:, OLDER + LACK] == 0)
        if not ended.any():
            return ChainAnswer(None, exhausted)
        return ChainAnswer(_trace(layers, int(np.argmax(ended))), exhausted)

    def begun(self) -> Int64s:
        row = np.zeros((1, HELD + 2 * self.demand.words.shape[1]), dtype=np.int64)
        row[:, YOUNGER:BEFORE] = -1
        open_at(row[0], OLDER, 0, self.demand, self.full, self.positions)
        return row

    def successors(self, states: Int64s, rank: int) -> Int64s:
        # Of a lone cluster come two states, of a pair two; one row more to write into.
        out = np.empty((2 * len(states) + 1, states.shape[1]), dtype=np.int64)
        rows_ahead = np.maximum(self.rows_before[self.ends[: rank + 1] + 1] - self.rows_before[rank + 1], 0)
        loop = succeed.for_size(self.steps, in_pieces=True)
        count = loop(
            states,
            rank,
            self.positions,
            self.demand,
            self.full,
            self.ends,
            self.cost,
            self.halved,
            self.anywhere,
            self.once,
            rows_ahead,
            out,
        )
        return out[: int(count)]

    def undominated(self, states: Int64s) -> Int64s:
        """Drop states that can do no more than another one."""
        kept = np.zeros(len(states), dtype=np.bool_)
        mark_maximal.for_size(self.steps, in_pieces=True)(states, _by_weight(states), kept)
        return states[kept]

    def by_promise(self, states: Int64s) -> Int64s:
        """Order states by what their clusters lack, then by how far they reach."""
        alone = states[:, YOUNGER] < 0
        lacking = states[:, OLDER + LACK] + np.where(alone, 0, states[:, YOUNGER + LACK])
        last = np.where(alone, states[:, OLDER], states[:, YOUNGER])
        return np.lexsort((-states[:, OLDER], -last, lacking)).astype(np.int64)


def _by_weight(states: Int64s) -> Int64s:
    """Order states by their first ranks, then those that lack least before those that they may cover."""
    anchors = states[:, OLDER + ANCHOR] + states[:, YOUNGER + ANCHOR]
    lacks = states[:, OLDER + LACK] + states[:, YOUNGER + LACK]
    return np.lexsort((-anchors, lacks, states[:, YOUNGER], states[:, OLDER])).astype(np.int64)


def _trace(layers: list[Int64s], row: int) -> Int64s:
    """Return the cluster of each rank, named by its first rank, walking back through the sweep."""
    cluster_of = np.empty(len(layers), dtype=np.int64)
    for rank in range(len(layers) - 1, -1, -1):
        cluster_of[rank] = layers[rank][row, TAKER]
        row = int(layers[rank][row, BEFORE])
    return cluster_of


def _ends(earliest: Int64s) -> Int64s:
    """Turn the earliest start of each end into the latest end of each start."""
    return np.searchsorted(earliest, np.arange(len(earliest)), side="right") - 1
