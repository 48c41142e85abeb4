r"""Why no partition can do better.

Each certificate states that clusters of at most ``largest_cluster`` public values cannot
leave ``distinct_l`` candidates everywhere (or fewer ``components``). Its data make that a short
calculation, done in :mod:`~hartley.search.optimal.certificate_checks`. A certificate for a larger
cluster also serves every smaller one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


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
    charge values only is to cover bins, and the rest are cuts of a flow.
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
class ExhaustionCertificate:
    """A search through all cases found none; the check is to search again, in another way."""

    largest_cluster: int
    distinct_l: int


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
    CutCertificate | SizePriceCertificate | ValuePriceCertificate | PairingCertificate | ExhaustionCertificate
)
