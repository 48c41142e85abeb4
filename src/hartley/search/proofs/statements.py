"""Why no partition can do better: the short part of a proof, from which the rest is a calculation.

**Resolution.** A statement says that clusters of at most ``largest_cluster`` public values cannot leave
``distinct_l`` candidates everywhere (or fewer ``components``). Its data make that a short calculation, done
in :mod:`~hartley.search.proofs.check`. A statement about a larger cluster also serves every smaller one.

**Distortion.** A statement holds the place, the multipliers or the group that the proof rests on. Its check
goes back to positions, sensitive values and the definition of a cluster's cost, in plain Python; it is slow
and meant to be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from hartley.measures.overlap import components
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s
from hartley.model.disjoint_sets import DisjointSets


@dataclass(frozen=True, kw_only=True)
class ForestCertificate:
    """Every public value ties one component to one cluster; so few ties leave so many parts."""

    largest_cluster: int
    components: int
    """Components of the untouched table."""


@dataclass(frozen=True, kw_only=True)
class CutCertificate:
    r"""Too few candidates to go round.

    Set r values aside: at least :math:`q = \lceil N/m \rceil - r` clusters hold none of them. If
    each of these had k candidates, qk different pairs (value, candidate) would be in use, a
    value at most k times and a candidate at most q times. Charge some values k (or all they
    show), some candidates q (or all their occurrences), and every pair of none of these
    one; it comes to less than qk. To charge candidates only is to count them, to
    charge values only is to cover bins.
    """

    largest_cluster: int
    distinct_l: int
    set_aside: Sequence[int]
    charged_values: Sequence[int]
    charged_candidates: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class SizePriceCertificate:
    r"""Prices by number of candidates under which the values cannot pay for q clusters.

    Any at most m values whose numbers of candidates add up to k cost at least ``unit``;
    all values together cost less than q units.
    """

    largest_cluster: int
    distinct_l: int
    unit: int
    prices: Sequence[int]
    """Price of a value with 0, 1, ..., k candidates (k stands for k or more)."""


@dataclass(frozen=True, kw_only=True)
class ValuePriceCertificate:
    """Prices of the values under which they cannot pay for q clusters.

    Any at most m values with k candidates between them cost at least ``unit``; all values
    together cost less than q units.
    """

    largest_cluster: int
    distinct_l: int
    unit: int
    prices: Sequence[int]
    """Price of each public value."""


@dataclass(frozen=True, kw_only=True)
class PairingCertificate:
    """A barrier (Tutte, Berge): taking it away leaves more odd parts than it has members.

    For clusters of two. Two values fit when together they have k candidates, or when
    each has k alone; an odd number of values is made even by one more that has k.
    """

    largest_cluster: int
    distinct_l: int
    barrier: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class SliceCertificate:
    """What holds for the rows of one side value alone holds for the whole table."""

    side_value: int
    certificate: CandidateCertificate


@dataclass(frozen=True, kw_only=True)
class SideForestCertificate:
    """Merging ties each side value's observations as in :class:`ForestCertificate`, one side value at a time.

    No partition leaves fewer components than merging everything does, either.
    """

    largest_cluster: int
    components: int


CandidateCertificate: TypeAlias = (
    CutCertificate | SizePriceCertificate | ValuePriceCertificate | PairingCertificate
)


Verdict = Literal["holds", "fails", "taken on trust"]


@dataclass(frozen=True)
class WindowCertificate:
    """Every cluster of this public value with ``distinct_l`` sensitive values costs at least ``cost``."""

    place: int
    distinct_l: int
    cost: float


@dataclass(frozen=True)
class CentroidEndCertificate:
    """The first or last public value of a line has no cheap cluster with ``distinct_l`` sensitive values.

    A solver found no set of public values, this one and enough sensitive values among them, whose mean
    lies nearer to this value and to every other member. The search of the solver is taken on trust.
    """

    place: int
    distinct_l: int
    cost: float


@dataclass(frozen=True)
class CountCertificate:
    """So few clusters can hold ``distinct_l`` sensitive values each that one costs at least ``cost``."""

    distinct_l: int
    clusters: int
    """One cluster more, and they cannot all hold enough."""
    cost: float


@dataclass(frozen=True)
class SweepCertificate:
    """No partition leaves ``distinct_l`` candidates everywhere at less than ``cost``: all cases were met.

    An exhaustive search, whose record is the search itself. It is taken on trust.
    """

    distinct_l: int
    cost: float


@dataclass(frozen=True, eq=False)
class LagrangianCertificate:
    """At a distortion of ``cost`` at least ``components`` components remain.

    Every window just out of reach must be cut somewhere. ``starts`` and ``ends`` are such windows, by their
    ranks along the line, and ``multipliers`` the price of cutting none of their links, in units of
    1 / ``SCALE``; with links at the prices left over, the dearest forest joins no more components than
    this allows.
    """

    cost: float
    components: int
    starts: Int64s
    ends: Int64s
    multipliers: Int64s


SCALE = 1 << 20
"""Multipliers are whole numbers of this part of one, so that their sums are exact."""

DistortionCertificate = (
    WindowCertificate | CentroidEndCertificate | CountCertificate | SweepCertificate | LagrangianCertificate
)


def verdict(joint: JointRange, utility: LineDistortion, certificate: DistortionCertificate) -> Verdict:
    """Check a certificate from the definitions.

    >>> from hartley.examples import toy
    >>> joint = toy()
    >>> utility = LineDistortion.of(joint.public)
    >>> verdict(joint, utility, WindowCertificate(place=5, distinct_l=3, cost=0.45))
    'holds'
    >>> verdict(joint, utility, WindowCertificate(place=5, distinct_l=3, cost=0.46))
    'fails'
    """
    if isinstance(certificate, WindowCertificate):
        holds = _window_holds(joint, utility, certificate)
    elif isinstance(certificate, CountCertificate):
        holds = _count_holds(joint, utility, certificate)
    elif isinstance(certificate, LagrangianCertificate):
        holds = _forest_holds(joint, utility, certificate)
    else:
        return "taken on trust"
    return "holds" if holds else "fails"


def _window_holds(joint: JointRange, utility: LineDistortion, certificate: WindowCertificate) -> bool:
    """Look at every pair of ends around the place, and at all that lies between."""
    ticks = utility.grid.ticks.tolist()
    here = ticks[certificate.place]
    if here != here:
        own = len(joint.candidates(certificate.place))
        return own < certificate.distinct_l or certificate.cost <= 0
    placed = sorted(
        (position, place)
        for place, position in enumerate(utility.grid.ticks.tolist())
        if position == position
    )
    lows = [entry for entry in placed if entry[0] <= here]
    highs = [entry for entry in placed if entry[0] >= here]
    for low, _ in reversed(lows):
        values: set[int] = set()
        inside: list[float] = []
        for position, place in placed:
            if low <= position < here or place == certificate.place:
                values.update(joint.candidates(place).tolist())
                inside.append(position)
        if _hull_cost(utility, low, here, inside) >= certificate.cost:
            break
        for high, place in highs:
            if place != certificate.place:
                values.update(joint.candidates(place).tolist())
                inside.append(high)
            if _hull_cost(utility, low, high, inside) >= certificate.cost:
                break
            if len(values) >= certificate.distinct_l:
                return False
    return True


def _count_holds(joint: JointRange, utility: LineDistortion, certificate: CountCertificate) -> bool:
    """Count where each sensitive value occurs, then values that can share no cheaper cluster."""
    placed = sorted(
        (position, place)
        for place, position in enumerate(utility.grid.ticks.tolist())
        if position == position
    )
    occurs: dict[int, int] = {}
    for _, place in placed:
        for value in joint.candidates(place).tolist():
            occurs[value] = occurs.get(value, 0) + 1
    more = certificate.clusters + 1
    if sum(min(count, more) for count in occurs.values()) >= more * certificate.distinct_l:
        return False
    if certificate.clusters == 1:
        labels = [
            0 if position == position else place + 1 for place, position in enumerate(utility.grid.ticks)
        ]
        return certificate.cost <= float(utility.costs(Partition(np.array(labels))).max())
    needed, inside = 1, [placed[0][0]]
    for position, _ in placed[1:]:
        inside.append(position)
        if _hull_cost(utility, inside[0], position, inside) >= certificate.cost:
            needed, inside = needed + 1, [position]
    return needed > certificate.clusters


def _hull_cost(utility: LineDistortion, low: float, high: float, inside: list[float]) -> float:
    """Return the least cost of any cluster with these ends and members among these, all in ticks."""
    if utility.codeword == "member":
        ticks = min(max(member - low, high - member) for member in inside)
    else:
        ticks = (high - low) / 2
    return ticks / utility.grid.per_unit


def _forest_holds(joint: JointRange, utility: LineDistortion, certificate: LagrangianCertificate) -> bool:
    r"""Add up the Lagrangian in whole numbers.

    A partition into intervals keeps the links inside its clusters. Those that join
    components form, at most, a forest F; a window out of reach of length k keeps at most k - 1
    links. So :math:`|F| \le \max_F \sum_{t \in F} (1 - \text{prices on } t) + \sum_w p_w (k_w - 1)`.
    """
    order = sorted(
        (position, place)
        for place, position in enumerate(utility.grid.ticks.tolist())
        if position == position
    )
    positions = [position for position, _ in order]
    group = components(joint).labels.tolist()
    groups = [group[place] for _, place in order]
    price = [0] * max(len(order) - 1, 0)
    free = 0
    columns = (certificate.starts.tolist(), certificate.ends.tolist(), certificate.multipliers.tolist())
    for start, end, multiplier in zip(*columns, strict=True):
        inside = positions[start : end + 1]
        out_of_reach = _hull_cost(utility, inside[0], inside[-1], inside) > certificate.cost
        if multiplier < 0 or end <= start or not out_of_reach:
            return False
        for link in range(start, end):
            price[link] += multiplier
        free += multiplier * (end - start - 1)
    usable = []
    for link, (low, high) in enumerate(pairwise(positions)):
        reachable = _hull_cost(utility, low, high, [low, high]) <= certificate.cost
        if reachable and groups[link] != groups[link + 1] and price[link] < SCALE:
            usable.append((price[link], link))
    count = len(set(group))
    joined = DisjointSets.of(count)
    worth = free
    for cost, link in sorted(usable):
        if joined.unite(groups[link], groups[link + 1]):
            worth += SCALE - cost
    return count - Fraction(worth, SCALE).__floor__() >= certificate.components
