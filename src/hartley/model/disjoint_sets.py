"""Groups that are joined one pair after another (union-find): the one place where that is written.

A group is led by its smallest member, its root. Loops keep the leaders in an array of their own and call
:func:`root_of` and :func:`unite`; Python code uses :class:`DisjointSets`.
"""

from __future__ import annotations

from dataclasses import dataclass

from hartley.hot_loops import hot_part
from hartley.model.arrays import Ints


@hot_part
def root_of(parent: Ints, member: int) -> int:
    """Return the root of a member's group, and shorten the way to it."""
    while parent[member] != member:
        parent[member] = parent[parent[member]]
        member = parent[member]
    return member


@hot_part
def unite(parent: Ints, one: int, other: int) -> bool:
    """Join the groups of two members; tell whether they were two groups."""
    while parent[one] != one:
        parent[one] = parent[parent[one]]
        one = parent[one]
    while parent[other] != other:
        parent[other] = parent[parent[other]]
        other = parent[other]
    if one == other:
        return False
    if one < other:
        parent[other] = one
    else:
        parent[one] = other
    return True


@dataclass(frozen=True, eq=False)
class DisjointSets:
    """Numbers in groups that can be joined.

    >>> groups = DisjointSets.of(4)
    >>> groups.unite(3, 1), groups.unite(1, 3), groups.roots()
    (True, False, [0, 1, 2, 1])
    """

    parent: list[int]

    @classmethod
    def of(cls, size: int) -> DisjointSets:
        """Return so many groups of one number each."""
        return cls(list(range(size)))

    def root(self, member: int) -> int:
        """Return the smallest number of a member's group."""
        parent = self.parent
        while parent[member] != member:
            parent[member] = parent[parent[member]]
            member = parent[member]
        return member

    def unite(self, one: int, other: int) -> bool:
        """Join the groups of two members; tell whether they were two groups."""
        one, other = self.root(one), self.root(other)
        if one == other:
            return False
        self.parent[max(one, other)] = min(one, other)
        return True

    def roots(self) -> list[int]:
        """Return the root of every number's group."""
        return [self.root(member) for member in range(len(self.parent))]
