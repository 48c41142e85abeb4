"""Rectangles of a joint range: sets of sensitive and public values of which every pair occurs.

Inside a rectangle S and X say nothing about each other. The functions work on one component at a time, with
sets as bits of Python integers. What is too large to be solved is known between two numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange


@dataclass(frozen=True)
class Rectangle:
    """A set of sensitive values and a set of observations, every pair of which occurs; bit i is value i."""

    sensitive: int
    observations: int


def component_ranges(joint: JointRange) -> Iterator[JointRange]:
    """Return the joint range of each component, its values numbered anew in their order.

    >>> from hartley.examples import toy
    >>> [(part.sensitive.size, part.observations) for part in component_ranges(toy())]
    [(2, 2), (1, 2), (1, 1), (1, 1), (1, 1)]
    """
    groups = overlap_partition(joint).labels
    of_pair = groups[joint.indices]
    order = np.argsort(of_pair, kind="stable")
    ends = np.cumsum(np.bincount(of_pair))[:-1]
    for pairs in np.split(order, ends):
        yield JointRange.from_codes(
            public_codes=np.unique(joint.observation_of[pairs], return_inverse=True)[1],
            sensitive_codes=np.unique(joint.indices[pairs], return_inverse=True)[1],
            rows=joint.rows[pairs],
        )


def candidate_sets(joint: JointRange) -> list[int]:
    """Return the candidates of each observation as the bits of a number."""
    sets = []
    for observation in range(joint.observations):
        bits = 0
        for value in joint.candidates(observation).tolist():
            bits |= 1 << value
        sets.append(bits)
    return sets


def maximal_rectangles(sets: list[int], most: int) -> list[Rectangle] | None:
    """Return every rectangle that cannot be made larger, or ``None`` where there are more than ``most``.

    Their sensitive sets are the non-empty intersections of candidate sets (in formal concept
    analysis: the extents), in ascending order.

    >>> [(bin(r.sensitive), bin(r.observations)) for r in maximal_rectangles([0b11, 0b01], 10)]
    [('0b1', '0b11'), ('0b11', '0b1')]
    """
    found: set[int] = set()
    for bits in sets:
        found |= {common for known in found if (common := known & bits)}
        found.add(bits)
        if len(found) > most:
            return None
    return [
        Rectangle(extent, sum(1 << i for i, bits in enumerate(sets) if extent & ~bits == 0))
        for extent in sorted(found)
    ]


def members(bits: int) -> list[int]:
    """List the places of the bits that are set.

    >>> members(0b1011)
    [0, 1, 3]
    """
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


@dataclass(frozen=True)
class RankBounds:
    """The quantity is no less than ``low`` and no more than ``high``.

    >>> RankBounds(1.0, 2.0), RankBounds(2.0, 2.0).is_exact
    (RankBounds(low=1.0, high=2.0), True)
    """

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Whether the two ends are the same number."""
        return self.low == self.high
