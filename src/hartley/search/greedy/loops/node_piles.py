"""Pairing heaps: many piles of numbered nodes, of which each knows its first, in arrays that all share.

A node comes before another that has more candidates; of equals, the one with more values does, then the one
with the earlier place. A pile is named by its first node, -1 where it is empty. Any node can be taken out,
for it knows what stands before it.
"""

from __future__ import annotations

from typing import NamedTuple

from hartley.hot_loops import hot_part
from hartley.model.arrays import Ints


class Nodes(NamedTuple):
    """All nodes of all piles; loops change the arrays in place."""

    shown: Ints
    """How many candidates each has."""
    many: Ints
    """How many values."""
    place: Ints
    below: Ints
    """The first of the nodes right below."""
    beside: Ints
    """The next of those below the same node."""
    before: Ints
    """The one it stands beside; of the first one, the node above."""


@hot_part
def comes_first(one: int, other: int, nodes: Nodes) -> bool:
    """Tell whether a node comes before another."""
    if nodes.shown[one] != nodes.shown[other]:
        return bool(nodes.shown[one] < nodes.shown[other])
    if nodes.many[one] != nodes.many[other]:
        return bool(nodes.many[one] > nodes.many[other])
    return bool(nodes.place[one] < nodes.place[other])


@hot_part
def melded(one: int, other: int, nodes: Nodes) -> int:
    """Make one pile of two."""
    if one < 0:
        return other
    if other < 0:
        return one
    if comes_first(other, one, nodes):
        one, other = other, one
    first = nodes.below[one]
    nodes.beside[other] = first
    nodes.before[other] = one
    if first >= 0:
        nodes.before[first] = other
    nodes.below[one] = other
    return one


@hot_part
def gathered(first: int, nodes: Nodes) -> int:
    """Make one pile of nodes that stand side by side: two at a time, then all from the last to the first."""
    node, pairs = first, -1
    while node >= 0:
        other = nodes.beside[node]
        following = -1
        nodes.beside[node] = -1
        if other >= 0:
            following = nodes.beside[other]
            nodes.beside[other] = -1
        pair = melded(node, other, nodes)
        nodes.beside[pair] = pairs
        pairs, node = pair, following
    pile = -1
    while pairs >= 0:
        following = nodes.beside[pairs]
        nodes.beside[pairs] = -1
        pile = melded(pile, pairs, nodes)
        pairs = following
    if pile >= 0:
        nodes.before[pile] = -1
    return pile


@hot_part
def without_first(pile: int, nodes: Nodes) -> int:
    """Take the first node out of a pile."""
    first = nodes.below[pile]
    nodes.below[pile] = -1
    return gathered(first, nodes)


@hot_part
def without(node: int, pile: int, nodes: Nodes) -> int:
    """Take any node out of its pile."""
    if node == pile:
        return without_first(pile, nodes)
    before, following = nodes.before[node], nodes.beside[node]
    if nodes.below[before] == node:
        nodes.below[before] = following
    else:
        nodes.beside[before] = following
    if following >= 0:
        nodes.before[following] = before
    nodes.beside[node] = -1
    nodes.before[node] = -1
    return melded(pile, without_first(node, nodes), nodes)


@hot_part
def second(pile: int, nodes: Nodes) -> int:
    """Return the node that comes next after the first, -1 if there is none."""
    first = int(nodes.below[pile])
    if first >= 0 and nodes.beside[first] >= 0:
        first = gathered(first, nodes)
        nodes.below[pile] = first
        nodes.before[first] = pile
    return first
