r"""Clusters of at most two values, exactly: a matching (Theorem S4).

A value that is not enough by itself must be paired with one that makes it enough. Two values
that are enough each may be paired or not, so draw an edge between them as well, and where
the number of values is odd add one more such value that stands for "alone". Then every cluster can
be enough if and only if this graph has a perfect matching, which Edmonds'
algorithm finds. Where it fails there is none (Tutte, Berge).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model import Partition
from hartley.model.arrays import Flags, Int64s
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.enough import Enough

MOST_VALUES = 3_000
"""Up to here the graph is kept as a square of flags."""
PAIRS_AT_A_TIME = 200_000
NOBODY = -1
STEPS_BETWEEN_QUESTIONS = 20_000_000
"""Elementary steps of the matching between two questions whether to stop; a tree takes one for each flag."""


def pair_up(enough: Enough, effort: Effort = UNLIMITED) -> Partition | Literal["impossible"] | None:
    """Return clusters of at most two values that are enough, or that there are none.

    Nothing where the effort ends before either is found. There are none where some values taken away would
    leave more odd parts than they are (Tutte, Berge). Values that are enough by themselves stay alone where
    nobody needs them.
    """
    graph = _graph(enough, effort)
    if graph is None:
        return None
    fits, rich = graph
    mates = np.full(len(fits), NOBODY, dtype=np.int64)
    loop = match_some.for_size(fits.size)
    root, trees = 0, max(1, STEPS_BETWEEN_QUESTIONS // fits.size)
    while 0 <= root < len(fits):
        if effort.should_stop():
            return None
        root = int(loop(root, trees, fits, mates))
    if root == NOBODY:
        return "impossible"
    values = np.arange(enough.size)
    # Two values that need nobody stay apart.
    alone = rich[values] & rich[mates[values]]
    return Partition(np.where(alone, values, np.minimum(values, mates[values])))


def _graph(enough: Enough, effort: Effort) -> tuple[Flags, Flags] | None:
    """Return which values may be matched, and which need nobody; nothing where the effort ends."""
    size = enough.size
    rich = np.ones(size + size % 2, dtype=bool)
    rich[:size] = enough.are_enough(np.arange(size), size)
    fits = rich[:, np.newaxis] & rich
    every_one, every_other = np.triu_indices(size, 1)
    for begin in range(0, len(every_one), PAIRS_AT_A_TIME):
        if effort.should_stop():
            return None
        one = every_one[begin : begin + PAIRS_AT_A_TIME]
        other = every_other[begin : begin + PAIRS_AT_A_TIME]
        pairs = enough.take(np.column_stack((one, other)).ravel())
        holds = pairs.are_enough(np.repeat(np.arange(len(one)), 2), len(one))
        fits[one, other] |= holds
        fits[other, one] |= holds
    np.fill_diagonal(fits, False)
    return fits, rich


@hot_loop
def match_some(root: int, trees: int, fits: Flags, mates: Int64s) -> int:
    """Match the nodes from a root on, each with another that fits, growing no more than so many trees.

    Gives the next root, as many as there are nodes where all are matched, ``NOBODY`` where they cannot be.
    """
    size = len(fits)
    for node in range(size if root == 0 else 0):
        if mates[node] == NOBODY:
            for other in range(size):
                if fits[node, other] and mates[other] == NOBODY:
                    mates[node] = other
                    mates[other] = node
                    break
    parents = np.empty(size, dtype=np.int64)
    while root < size and trees > 0:
        if mates[root] != NOBODY:
            root += 1
            continue
        trees -= 1
        end = free_end(fits, mates, root, parents)
        if end == NOBODY:
            return NOBODY
        while end != NOBODY:
            before = parents[end]
            next_end = mates[before]
            mates[end] = before
            mates[before] = end
            end = next_end
    return root


@hot_loop
def free_end(fits: Flags, mates: Int64s, root: int, parents: Int64s) -> int:
    """Grow a tree of alternating paths from a free node; give another free node it reaches.

    An odd cycle is shrunk to the node where it leaves the tree (its base).
    """
    size = len(fits)
    even = np.zeros(size, dtype=np.bool_)
    base = np.arange(size)
    queue = np.empty(size, dtype=np.int64)
    parents[:] = NOBODY
    even[root] = True
    queue[0] = root
    head = 0
    tail = 1
    while head < tail:
        node = queue[head]
        head += 1
        for other in range(size):
            if not fits[node, other] or base[node] == base[other] or mates[node] == other:
                continue
            if other == root or (mates[other] != NOBODY and parents[mates[other]] != NOBODY):
                stem = meeting_base(mates, parents, base, node, other)
                inside = np.zeros(size, dtype=np.bool_)
                mark_stem(mates, parents, base, inside, node, stem, other)
                mark_stem(mates, parents, base, inside, other, stem, node)
                for member in range(size):
                    if inside[base[member]]:
                        base[member] = stem
                        if not even[member]:
                            even[member] = True
                            queue[tail] = member
                            tail += 1
            elif parents[other] == NOBODY:
                parents[other] = node
                if mates[other] == NOBODY:
                    return other
                even[mates[other]] = True
                queue[tail] = mates[other]
                tail += 1
    return NOBODY


@hot_loop
def meeting_base(mates: Int64s, parents: Int64s, base: Int64s, one: int, other: int) -> int:
    """Return the base at which the paths of two even nodes to the root meet."""
    passed = np.zeros(len(base), dtype=np.bool_)
    while True:
        one = base[one]
        passed[one] = True
        if mates[one] == NOBODY:
            break
        one = parents[mates[one]]
    while True:
        other = base[other]
        if passed[other]:
            return other
        other = parents[mates[other]]


@hot_loop
def mark_stem(
    mates: Int64s,
    parents: Int64s,
    base: Int64s,
    inside: Flags,
    node: int,
    stem: int,
    child: int,
) -> None:
    """Flag the bases on the way from a node to the stem, and turn the tree's links for the way back."""
    while base[node] != stem:
        inside[base[node]] = True
        inside[base[mates[node]]] = True
        parents[node] = child
        child = mates[node]
        node = parents[mates[node]]
