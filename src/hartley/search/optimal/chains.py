r"""Is there any partition within a distortion, intervals or not? Decided exactly, for midpoint and member.

**Chain theorem.** If some partition leaves ``distinct_l`` candidates everywhere at a
distortion of D, one of this form does: no cluster's span lies inside another's, no value
lies inside more than two spans, and where two spans overlap the older cluster takes no value
once it has enough candidates. *Proof.* A nested cluster joins the outer one. Of three spans
A, B, C that share a point, in order, every member of B lies before the end of A or after the start of C: B is
dissolved into them. Values that the older cluster does not need go to the younger, inside whose span they
lie; a member-coded cluster that loses its codeword this way lies within D on one side of it, so any member
serves. Nothing added lies outside a span, so no cost grows; the number of clusters, then the sum of
spans, falls each time. ∎

So a sweep along the line with at most two open clusters meets every case. A state of the
sweep is what the open clusters still can reach and which sensitive values they hold; a state that can do no
more than another is dropped. The number of states is bounded by ``most_states``: beyond it the
sweep goes on with the most promising ones, can then still find a partition, but proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hartley.search.effort import UNLIMITED, Effort
from hartley.search.optimal.line import Line
from hartley.search.optimal.windows import Windows

ENOUGH = -1
"""Stands for the sensitive values of a cluster that has enough of them."""
FULL_COMPARISON = 400
"""Groups of states up to this size are compared pair by pair."""


class Open(NamedTuple):
    """An open cluster: its first rank, the last member that can be its codeword, its sensitive values."""

    first: int
    anchor: int
    held: int


class State(NamedTuple):
    """The open clusters: the older one, and the younger one where they overlap."""

    older: Open
    younger: Open | None


@dataclass(frozen=True)
class ChainAnswer:
    """What the sweep found: clusters of ranks, or the proof that there are none, or neither."""

    cluster_of: npt.NDArray[np.int64] | None
    exhausted: bool
    """Whether every case was met, so that finding nothing is a proof."""

    @property
    def impossible(self) -> bool:
        """Whether no partition at all is within the distortion."""
        return self.cluster_of is None and self.exhausted


def chain_within(
    line: Line,
    windows: Windows,
    distinct_l: int,
    cost: float,
    most_states: int = 4000,
    effort: Effort = UNLIMITED,
) -> ChainAnswer:
    """Look for a partition with this many candidates everywhere, within this distortion."""
    return _Sweep(line, windows, distinct_l, cost, most_states).run(effort)


class _Sweep:
    """One sweep along the line."""

    def __init__(self, line: Line, windows: Windows, distinct_l: int, cost: float, most_states: int) -> None:
        self.positions = line.positions.tolist()
        self.masks = line.masks
        self.wanted = distinct_l
        self.cost = cost
        self.halved = windows.cost == "midpoint"
        self.most_states = most_states
        self.ends = _ends(windows.within(cost))
        self.ahead: dict[int, list[tuple[int, int]]] = {}

    def run(self, effort: Effort) -> ChainAnswer:
        layers: list[dict[State, State | None]] = [{State(self.opened(0), None): None}]
        exhausted = True
        for rank in range(1, len(self.masks)):
            layer: dict[State, State | None] = {}
            for count, state in enumerate(layers[-1]):
                if count % 256 == 0 and effort.should_stop():
                    return ChainAnswer(None, False)
                for successor in self.successors(state, rank):
                    if successor not in layer and self.has_hope(successor, rank):
                        layer[successor] = state
            layer = self.undominated(layer)
            if len(layer) > self.most_states:
                exhausted = False
                kept = sorted(layer, key=self.promise)[: self.most_states]
                layer = {state: layer[state] for state in kept}
            if not layer:
                return ChainAnswer(None, exhausted)
            layers.append(layer)
        for state in layers[-1]:
            if state.younger is None and state.older.held == ENOUGH:
                return ChainAnswer(self.trace(layers, state), exhausted)
        return ChainAnswer(None, exhausted)

    def opened(self, rank: int) -> Open:
        return Open(rank, rank, self.with_values(0, self.masks[rank]))

    def with_values(self, held: int, values: int) -> int:
        if held == ENOUGH:
            return ENOUGH
        held |= values
        return ENOUGH if held.bit_count() >= self.wanted else held

    def can_anchor(self, cluster: Open, rank: int) -> bool:
        return not self.halved and self.positions[rank] - self.positions[cluster.first] <= self.cost

    def is_within(self, cluster: Open, rank: int) -> bool:
        if self.halved:
            return bool((self.positions[rank] - self.positions[cluster.first]) / 2 <= self.cost)
        return self.can_anchor(cluster, rank) or bool(
            self.positions[rank] - self.positions[cluster.anchor] <= self.cost
        )

    def taken(self, cluster: Open, rank: int) -> Open:
        anchor = rank if self.can_anchor(cluster, rank) else cluster.anchor
        return Open(cluster.first, anchor, self.with_values(cluster.held, self.masks[rank]))

    def is_useful(self, cluster: Open, rank: int) -> bool:
        new_values = cluster.held != ENOUGH and self.masks[rank] & ~cluster.held != 0
        return new_values or self.can_anchor(cluster, rank)

    def successors(self, state: State, rank: int) -> Iterable[State]:
        older, younger = state
        if younger is None:
            if self.is_within(older, rank):
                yield State(self.taken(older, rank), None)
            if older.held == ENOUGH:
                yield State(self.opened(rank), None)
            else:
                yield State(older, self.opened(rank))
            return
        # A span may not lie inside the older one: the younger cluster must reach at least as far.
        if not self.is_within(younger, rank) or not self.is_within(older, rank):
            return
        to_older, to_younger = self.is_useful(older, rank), self.is_useful(younger, rank)
        if to_older:
            grown = self.taken(older, rank)
            yield State(younger, None) if grown.held == ENOUGH else State(grown, younger)
        if to_younger or not to_older:
            yield State(older, self.taken(younger, rank))

    def has_hope(self, state: State, rank: int) -> bool:
        """Tell whether the open clusters can still find enough values ahead, each alone and both together."""
        spare = 0
        contested = -1
        for cluster in state:
            if cluster is None or cluster.held == ENOUGH:
                contested = 0
                continue
            anywhere, once = self.values_ahead(cluster.first, rank + 1)
            new = anywhere & ~cluster.held
            alone = new.bit_count() + cluster.held.bit_count() - self.wanted
            if alone < 0:
                return False
            spare += alone
            # The younger cluster reaches farther: what it sees once, nobody sees twice.
            contested &= new & once if cluster is state.younger else new
        return spare >= contested.bit_count()

    def values_ahead(self, first: int, rank: int) -> tuple[int, int]:
        """Give the values from a rank to the reach of a cluster: all, and those that lie there once."""
        known = self.ahead.get(first)
        if known is None:
            known = [(0, 0)]
            for member in range(self.ends[first], first, -1):
                anywhere, once = known[-1]
                values = self.masks[member]
                known.append((anywhere | values, (once & ~values) | (values & ~anywhere)))
            known.reverse()
            self.ahead[first] = known
        place = rank - first - 1
        return known[place] if place < len(known) else (0, 0)

    def undominated(self, layer: dict[State, State | None]) -> dict[State, State | None]:
        """Drop states that can do no more than another one."""
        free = [s.older for s in layer if s.younger is None and s.older.held == ENOUGH]
        groups: dict[tuple[int, ...], list[State]] = {}
        for state in layer:
            last = state.younger or state.older
            if any(
                cluster.first >= last.first
                and cluster.anchor >= last.anchor
                and not (state.younger is None and cluster == last)
                for cluster in free
            ):
                continue
            key = (state.older.first, -1 if state.younger is None else state.younger.first)
            groups.setdefault(key, []).append(state)
        kept: dict[State, State | None] = {}
        for states in groups.values():
            for state in _maximal(states) if len(states) <= FULL_COMPARISON else states:
                kept[state] = layer[state]
        return kept

    def promise(self, state: State) -> tuple[int, int, int]:
        missing = sum(
            self.wanted - cluster.held.bit_count()
            for cluster in state
            if cluster is not None and cluster.held != ENOUGH
        )
        return (missing, -(state.younger or state.older).first, -state.older.first)

    def trace(self, layers: list[dict[State, State | None]], state: State) -> npt.NDArray[np.int64]:
        """Give the cluster of each rank, named by its first rank, walking back through the sweep."""
        cluster_of = np.empty(len(layers), dtype=np.int64)
        for rank in range(len(layers) - 1, -1, -1):
            before = layers[rank][state]
            cluster_of[rank] = rank if before is None else self.taker(before, state, rank)
            if before is not None:
                state = before
        return cluster_of

    def taker(self, before: State, after: State, rank: int) -> int:
        """Tell which cluster took the rank between two states."""
        newest = after.younger or after.older
        if newest.first == rank:
            return rank
        if before.younger is None:
            return before.older.first
        grown = self.taken(before.older, rank)
        to_older = State(before.younger, None) if grown.held == ENOUGH else State(grown, before.younger)
        if self.is_useful(before.older, rank) and after == to_older:
            return before.older.first
        return before.younger.first


def _ends(earliest: npt.NDArray[np.int64]) -> list[int]:
    """Turn the earliest start of each end into the latest end of each start."""
    size = len(earliest)
    ends: list[int] = (np.searchsorted(earliest, np.arange(size), side="right") - 1).tolist()
    return ends


def _maximal(states: list[State]) -> list[State]:
    """Keep the states of one pair of first ranks that no other covers."""
    kept: list[State] = []
    for state in sorted(states, key=_weight, reverse=True):
        if not any(_covers(other, state) for other in kept):
            kept.append(state)
    return kept


def _weight(state: State) -> tuple[int, int]:
    values = anchors = 0
    for cluster in state:
        if cluster is not None:
            values += 1 << 20 if cluster.held == ENOUGH else cluster.held.bit_count()
            anchors += cluster.anchor
    return values, anchors


def _covers(one: State, other: State) -> bool:
    for mine, theirs in zip(one, other, strict=True):
        if mine is None or theirs is None:
            continue
        if mine.anchor < theirs.anchor or (theirs.held & ~mine.held if mine.held != ENOUGH else 0):
            return False
    return True
