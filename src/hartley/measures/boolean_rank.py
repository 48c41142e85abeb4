r"""How many independent pieces a joint range is made of: its Boolean rank.

The paper asks for a non-stochastic relative of Wyner's common information. The proposal
here: the least variable W given which S and X are unrelated,
:math:`[\![S, X | w]\!] = [\![S | w]\!] \times [\![X | w]\!]`.
Each w is a rectangle inside the joint range and together they cover it, so the least
number of values of W is the Boolean rank and :math:`C_*(S; X)` its logarithm.

The rank is the sum over components and equal rows or columns count once. A component is
solved exactly (all maximal rectangles, then the least cover) where it is small; finding
it is NP-hard, so elsewhere two bounds are given. Sets are the bits of Python integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log2

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.arrays import different

EXACT_PAIRS = 600
"""Components of more pairs are only bounded."""
MOST_RECTANGLES = 600
"""Components of more maximal rectangles are only bounded."""
MOST_NODES = 500
"""Nodes of the search tree for a least cover, after which its bounds are taken."""


def common_information(joint: JointRange, partition: Partition | None = None) -> RankBounds:
    r"""Bits that name a piece in which S and X are unrelated, :math:`C_*(S; X) = \log_2` of the Boolean rank.

    Between :math:`I_*` and the smaller of :math:`H_0(S)` and :math:`H_0(X)`; 0 if and only if every pair
    occurs.

    >>> from hartley.examples import toy
    >>> common_information(toy()) == RankBounds(log2(6), log2(6))
    True
    """
    rank = boolean_rank(joint, partition)
    return RankBounds(log2(rank.low), log2(rank.high))


def boolean_rank(joint: JointRange, partition: Partition | None = None) -> RankBounds:
    """Least number of rectangles of occurring pairs that cover all occurring pairs.

    >>> from hartley.examples import toy
    >>> boolean_rank(toy())
    RankBounds(low=6, high=6)
    """
    released = joint.release(partition)
    low = high = 0
    for component in component_ranges(_without_twins(released)):
        part = _rank_of_component(component)
        low, high = low + int(part.low), high + int(part.high)
    return RankBounds(low, high)


def _without_twins(joint: JointRange) -> JointRange:
    """Keep one of the observations with the same candidates, and likewise of the sensitive values."""
    for _ in range(2):
        keep = np.zeros(joint.observations, dtype=bool)
        keep[_first_of_equals(joint)] = True
        pairs = keep[joint.observation_of]
        joint = JointRange.from_codes(
            public_codes=np.unique(joint.observation_of[pairs], return_inverse=True)[1],
            sensitive_codes=np.unique(joint.indices[pairs], return_inverse=True)[1],
        ).reversed
    return joint


def _first_of_equals(joint: JointRange) -> list[int]:
    seen: dict[bytes, int] = {}
    indices, indptr = np.ascontiguousarray(joint.indices), joint.indptr.tolist()
    for observation in range(joint.observations):
        seen.setdefault(indices[indptr[observation] : indptr[observation + 1]].tobytes(), observation)
    return list(seen.values())


def _rank_of_component(joint: JointRange) -> RankBounds:
    narrow = min(joint.sensitive.size, joint.observations)
    if narrow <= 2:
        # Without twins, fewer rectangles than the shorter side has values cannot do.
        return RankBounds(narrow, narrow)
    low, high = _telling_values(joint), narrow
    if low == high or joint.pairs > EXACT_PAIRS:
        return RankBounds(low, high)
    sets = candidate_sets(joint)
    low = max(low, _isolated_pairs(joint, sets))
    if low == high:
        return RankBounds(low, high)
    rectangles = maximal_rectangles(sets, MOST_RECTANGLES)
    if rectangles is None:
        return RankBounds(low, high)
    return _least_cover(joint, rectangles, low, high)


def _telling_values(joint: JointRange) -> int:
    """Count the sensitive values that some observation shows alone, and the other way round.

    No rectangle can hold the lone pairs of two of them.
    """
    best = 1
    for side in (joint, joint.reversed):
        alone = np.flatnonzero(np.diff(side.indptr) == 1)
        best = max(best, len(different(side.indices[side.indptr[alone]])))
    return best


def _isolated_pairs(joint: JointRange, sets: list[int]) -> int:
    """Count greedily chosen pairs of which no two lie in one rectangle; each needs one of its own."""
    rarity = np.diff(joint.indptr)[joint.observation_of] + np.bincount(joint.indices)[joint.indices]
    chosen: list[tuple[int, int]] = []
    for pair in np.argsort(rarity, kind="stable").tolist():
        s, x = int(joint.indices[pair]), int(joint.observation_of[pair])
        if all(not (sets[x] >> t & 1 and sets[y] >> s & 1) for t, y in chosen):
            chosen.append((s, x))
    return len(chosen)


def _least_cover(joint: JointRange, rectangles: list[Rectangle], low: int, high: int) -> RankBounds:
    from scipy.optimize import Bounds as Box
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csc_array

    place = {
        (s, x): pair
        for pair, (s, x) in enumerate(zip(joint.indices.tolist(), joint.observation_of.tolist(), strict=True))
    }
    rows, columns = [], []
    for number, rectangle in enumerate(rectangles):
        for s in members(rectangle.sensitive):
            for x in members(rectangle.observations):
                rows.append(place[s, x])
                columns.append(number)
    covers = csc_array(
        (np.ones(len(rows)), (np.array(rows), np.array(columns))), shape=(joint.pairs, len(rectangles))
    )
    count = len(rectangles)
    result = milp(
        np.ones(count),
        constraints=LinearConstraint(covers, lb=1.0),
        bounds=Box(np.zeros(count), np.ones(count)),
        integrality=np.ones(count),
        options={"node_limit": MOST_NODES},
    )
    if result.x is not None:
        chosen = np.flatnonzero(np.asarray(result.x) > 0.5)
        # A solver's word is not taken for it: the cover is checked.
        if bool((covers[:, chosen].sum(axis=1) >= 1).all()):
            high = min(high, len(chosen))
    if result.mip_dual_bound is not None and np.isfinite(result.mip_dual_bound):
        low = max(low, int(np.ceil(result.mip_dual_bound - 1e-6)))
    return RankBounds(min(low, high), high)


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
