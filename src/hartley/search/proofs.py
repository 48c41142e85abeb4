"""Why no partition can do better: the short part of a proof, from which the rest is a calculation.

**Resolution.** A statement says that clusters of at most ``largest_cluster`` public values cannot leave
``distinct_l`` candidates everywhere (or fewer ``components``). Its data make that a short calculation. A
statement about a larger cluster also serves every smaller one.

**Distortion.** A statement holds the place, the multipliers or the group that the proof rests on. Its check
goes back to positions, sensitive values and the definition of a cluster's cost.

The tests check statements by code that shares nothing with the searches. What a release's record proves has
statements of its own, which the verifier checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hartley.model.arrays import Int64s


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
