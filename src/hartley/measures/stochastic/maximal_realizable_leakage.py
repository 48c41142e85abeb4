"""Maximal realizable leakage (Issa, Kamath and Wagner)."""

from __future__ import annotations

from math import log2

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies


@of_frequencies
def maximal_realizable_leakage(distribution: JointDistribution) -> float:
    r"""Most bits by which the one most telling value improves a guess about S, :math:`\mathcal L^r(S \to X)`.

    .. math:: \log_2 \max_{s, x} \frac{p(s | x)}{p(s)}

    Never less than the maximal leakage, which averages over values (Section VI).

    >>> maximal_realizable_leakage(JointDistribution.from_table([[1, 0], [0, 3]]))
    2.0
    """
    return max(0.0, log2(distribution.lift.max()))
