"""Clusters as they lie on a line, and a tree over them that bounds what their unions cost.

Clusters stand in slots, in the order of their lowest members; a merged cluster stays in the earlier slot.
The tree's nodes bound the cost of every union with a cluster below them; its leaves are blocks of a few slots
that lie side by side. It is only built when first needed, and brought up to date when next needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_part
from hartley.measures.trajectory_loops import join_runs, member_cost, single_runs
from hartley.measures.utility import LineDistortion
from hartley.model.arrays import Floats, Int64s, Ints
from hartley.model.disjoint_sets import root_of

MIDPOINT, CENTROID, MEMBER = 0, 1, 2
EMPTY, MIXED = -1, -2
"""Kinds of slots and nodes: no cluster stands there any more; clusters of several classes do."""
LOW, HIGH, SUM, MANY = range(4)
"""The columns of a body: lowest and highest position, sum of the positions, and how many there are."""
BLOCK = 4
"""How many slots a leaf of the tree has."""
STEPS_OF_A_CHANGE = 16
"""Elementary steps that the tree takes to catch up with a slot that changed."""
CHANGED, IS_BUILT, WORK = range(3)
"""What ``state`` holds: how many slots changed since the tree was up to date, whether it was ever built, and
elementary steps since the slice began."""
# The columns of a node's bounds: greatest low end, least high end, least and greatest mean (under other
# codewords than the centroid: least low end, greatest high end), least and greatest number of values, least
# distance from the mean up to the high end and down to the low end (under the centroid only), least span.


class Slots(NamedTuple):
    """All clusters on the line, and the tree over them; loops change the arrays in place."""

    body: Floats
    label: Ints
    """The cluster's place in the alphabet, which decides ties."""
    kind: Ints
    """Its class: the kind of its candidate set, or its component, to be looked up through ``alias``."""
    alias: Ints
    """What each class has become part of."""
    after: Ints
    before: Ints
    runs: Ints
    links: Ints
    values: Floats
    run_used: Ints
    """Members' positions in sorted runs, for the member codeword."""
    bounds: Floats
    labels: Ints
    kinds: Ints
    """Nodes of the tree, the leaves last: the earliest label below each, and the class where it is one."""
    alike: Ints
    """A slot below each node, where all clusters there have the same body; elsewhere -1."""
    changed: Ints
    state: Ints
    stack: Floats
    largest: Floats
    """One number: the most values that a cluster has."""
    reach: float
    """How far positions lie from zero."""
    codeword: int
    is_exact: bool
    """Whether sums of positions are exact."""


def slots_for(
    places: Ints, positions: Floats, codeword: int, kind: Ints, alias: Ints, *, is_exact: bool
) -> Slots:
    """Lay out single values: their places in line order, those without a position last."""
    many = len(positions)
    body = np.ones((many, 4))
    body[:, :MANY] = positions[:, np.newaxis]
    half = 1 << (max(many - 1, 0) // BLOCK).bit_length()
    runs = np.arange(many if codeword == MEMBER else 0)
    links, values, run_used = single_runs.for_size(many)(positions[: len(runs)])
    return Slots(
        body=body,
        label=places.astype(np.int32),
        kind=kind,
        alias=alias,
        after=np.arange(1, many + 1, dtype=np.int32),
        before=np.arange(-1, many - 1, dtype=np.int32),
        runs=runs,
        links=links,
        values=values,
        run_used=run_used,
        bounds=np.empty((2 * half, 9), np.float64),
        labels=np.empty(2 * half, np.int32),
        kinds=np.full(2 * half, EMPTY, np.int32),
        alike=np.empty(2 * half, np.int32),
        # With more than an eighth of them changed, the tree is built anew.
        changed=np.empty(many // 4 + 4, np.int32),
        state=np.zeros(3, np.int64),
        stack=np.empty((256, 2), np.float64),
        largest=np.ones(1),
        reach=float(np.abs(positions).max(initial=0.0)),
        codeword=codeword,
        is_exact=is_exact,
    )


@hot_part
def union_cost(one: int, other: int, slots: Slots) -> float:
    """Return the distortion of the union of two clusters."""
    body = slots.body
    low = min(body[one, LOW], body[other, LOW])
    high = max(body[one, HIGH], body[other, HIGH])
    if slots.codeword == MIDPOINT:
        return float((high - low) / 2)
    if slots.codeword == CENTROID:
        count = body[one, MANY] + body[other, MANY]
        total = body[one, SUM] + body[other, SUM]
        return float(max(count * high - total, total - count * low) / count)
    return min(
        member_cost(low, high, slots.runs[one], slots.links, slots.values),
        member_cost(low, high, slots.runs[other], slots.links, slots.values),
    )


@hot_part
def join_slots(stays: int, leaves: int, kind: int, label: int, slots: Slots) -> None:
    """Merge a cluster into one of an earlier slot; the result has this class and this label."""
    body, after, before, state = slots.body, slots.after, slots.before, slots.state
    body[stays, HIGH] = max(body[stays, HIGH], body[leaves, HIGH])
    body[stays, SUM] += body[leaves, SUM]
    body[stays, MANY] += body[leaves, MANY]
    slots.largest[0] = max(slots.largest[0], body[stays, MANY])
    slots.label[stays] = label
    slots.kind[stays] = kind
    slots.kind[leaves] = EMPTY
    if after[leaves] < len(after):
        before[after[leaves]] = before[leaves]
    after[before[leaves]] = after[leaves]
    if slots.codeword == MEMBER:
        slots.runs[stays] = join_runs(
            slots.runs[stays], slots.runs[leaves], slots.links, slots.values, slots.run_used
        )
    if state[IS_BUILT] == 1:
        if state[CHANGED] + 2 > len(slots.changed):
            state[IS_BUILT] = 0
            state[CHANGED] = 0
        else:
            slots.changed[state[CHANGED]] = stays
            slots.changed[state[CHANGED] + 1] = leaves
            state[CHANGED] += 2


@hot_part
def near_and_far(slot: int, slots: Slots) -> tuple[float, float]:
    """Return the mean of a cluster, twice; under other codewords than the centroid, its ends."""
    body = slots.body
    if slots.codeword == CENTROID:
        mean = body[slot, SUM] / body[slot, MANY]
        return mean, mean
    return body[slot, LOW], body[slot, HIGH]


@hot_part
def slot_of_alike(one: int, two: int, slots: Slots) -> int:
    """Return one of two slots where their clusters have the same body, -1 elsewhere and where one is -1."""
    if one < 0 or two < 0:
        return -1
    body = slots.body
    for column in range(4):
        if body[one, column] != body[two, column]:
            return -1
    return one


@hot_part
def settle_block(block: int, slots: Slots) -> None:
    """Work a leaf out from the clusters of its slots."""
    body, bounds, labels, kinds, kind = slots.body, slots.bounds, slots.labels, slots.kinds, slots.kind
    node = len(kinds) // 2 + block
    kinds[node] = EMPTY
    for slot in range(block * BLOCK, min(block * BLOCK + BLOCK, len(kind))):
        if kind[slot] == EMPTY:
            continue
        low, high, many = body[slot, LOW], body[slot, HIGH], body[slot, MANY]
        near, far = near_and_far(slot, slots)
        if kinds[node] == EMPTY:
            kinds[node] = kind[slot]
            labels[node] = slots.label[slot]
            slots.alike[node] = slot
            bounds[node, 0], bounds[node, 1] = low, high
            bounds[node, 2], bounds[node, 3] = near, far
            bounds[node, 4], bounds[node, 5] = many, many
            bounds[node, 6], bounds[node, 7] = high - near, near - low
            bounds[node, 8] = high - low
            continue
        if kinds[node] != MIXED and (root_of(slots.alias, kinds[node]) != root_of(slots.alias, kind[slot])):
            kinds[node] = MIXED
        labels[node] = min(labels[node], slots.label[slot])
        slots.alike[node] = slot_of_alike(slots.alike[node], slot, slots)
        bounds[node, 0] = max(bounds[node, 0], low)
        bounds[node, 1] = min(bounds[node, 1], high)
        bounds[node, 2] = min(bounds[node, 2], near)
        bounds[node, 3] = max(bounds[node, 3], far)
        bounds[node, 4] = min(bounds[node, 4], many)
        bounds[node, 5] = max(bounds[node, 5], many)
        bounds[node, 6] = min(bounds[node, 6], high - near)
        bounds[node, 7] = min(bounds[node, 7], near - low)
        bounds[node, 8] = min(bounds[node, 8], high - low)


@hot_part
def settle_node(node: int, slots: Slots) -> None:
    """Work a node out from its two children."""
    bounds, labels, kinds = slots.bounds, slots.labels, slots.kinds
    one, two = 2 * node, 2 * node + 1
    if kinds[one] == EMPTY or kinds[two] == EMPTY:
        side = two if kinds[one] == EMPTY else one
        kinds[node] = kinds[side]
        if kinds[side] == EMPTY:
            # Nodes beyond the line stay untouched, and so take no memory.
            return
        labels[node] = labels[side]
        slots.alike[node] = slots.alike[side]
        for column in range(9):
            bounds[node, column] = bounds[side, column]
        return
    slots.alike[node] = slot_of_alike(slots.alike[one], slots.alike[two], slots)
    bounds[node, 0] = max(bounds[one, 0], bounds[two, 0])
    bounds[node, 1] = min(bounds[one, 1], bounds[two, 1])
    bounds[node, 2] = min(bounds[one, 2], bounds[two, 2])
    bounds[node, 3] = max(bounds[one, 3], bounds[two, 3])
    bounds[node, 4] = min(bounds[one, 4], bounds[two, 4])
    bounds[node, 5] = max(bounds[one, 5], bounds[two, 5])
    bounds[node, 6] = min(bounds[one, 6], bounds[two, 6])
    bounds[node, 7] = min(bounds[one, 7], bounds[two, 7])
    bounds[node, 8] = min(bounds[one, 8], bounds[two, 8])
    labels[node] = min(labels[one], labels[two])
    kinds[node] = MIXED
    if (
        kinds[one] != MIXED
        and kinds[two] != MIXED
        and root_of(slots.alias, kinds[one]) == root_of(slots.alias, kinds[two])
    ):
        kinds[node] = kinds[one]


@hot_part
def settle_tree(slots: Slots) -> None:
    """Bring the tree up to date with the slots that changed."""
    state = slots.state
    many = len(slots.after)
    half = len(slots.kinds) // 2
    if state[IS_BUILT] == 0 or state[CHANGED] * 8 > many:
        for block in range((many + BLOCK - 1) // BLOCK):
            settle_block(block, slots)
        for node in range(half - 1, 0, -1):
            settle_node(node, slots)
        state[WORK] += 2 * many
    else:
        for i in range(state[CHANGED]):
            block = slots.changed[i] // BLOCK
            settle_block(block, slots)
            node = (half + block) // 2
            while node > 0:
                settle_node(node, slots)
                node //= 2
        state[WORK] += STEPS_OF_A_CHANGE * state[CHANGED]
    state[CHANGED] = 0
    state[IS_BUILT] = 1


CODES = {"midpoint": MIDPOINT, "centroid": CENTROID, "member": MEMBER}


@dataclass(frozen=True, eq=False)
class LineOrder:
    """The values that have a position, from the lowest up, then those that have none."""

    places: Int64s
    """The place in the alphabet of each value in line order."""
    positions: Floats
    """The positions of those that have one, in ticks, ascending."""
    codeword: int
    is_exact: bool
    """Whether sums of positions are exact."""

    @classmethod
    def of(cls, utility: LineDistortion) -> LineOrder:
        """Sort the values of a utility by position, equal ones by place, those without one last."""
        ticks = utility.grid.ticks
        places = np.argsort(ticks, kind="stable")
        positions = ticks[places]
        positions = np.ascontiguousarray(positions[: int(np.searchsorted(positions, np.inf, side="right"))])
        return cls(places.astype(np.int64), positions, CODES[utility.codeword], utility.grid.is_exact)
