"""Maximal leakage (Issa, Kamath and Wagner)."""

from __future__ import annotations

from math import log2

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies


@of_frequencies
def maximal_leakage(distribution: JointDistribution) -> float:
    r"""Most bits by which a release improves the best guess of anything about S, :math:`\mathcal L(S \to X)`.

    .. math:: \log_2 \sum_x \max_s p(x | s)

    Sibson's information of order infinity (Section VI). Never less than :math:`I_*`
    and the mutual information, whatever the probabilities.

    >>> maximal_leakage(JointDistribution.from_table([[1, 0], [0, 1]]))
    1.0
    """
    return max(0.0, log2(distribution.largest_of_observations(distribution.channel).sum()))
