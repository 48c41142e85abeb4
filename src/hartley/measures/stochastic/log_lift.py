"""Log-lift: by what factor one value can change the belief in one sensitive value, up or down."""

from __future__ import annotations

from math import inf

import numpy as np

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies


@of_frequencies
def log_lift(distribution: JointDistribution) -> float:
    r"""Largest change of belief in nats, over all pairs, :math:`\max |\ln p(s | x) / p(s)|`.

    Infinite as soon as a value rules a sensitive value out. With
    :math:`\epsilon_{\mathrm{LDP}}` it holds that log-lift ≤ :math:`\epsilon_{\mathrm{LDP}}` ≤ 2 log-lift.

    >>> round(log_lift(JointDistribution.from_table([[3, 1], [1, 3]])), 6)
    0.693147
    """
    # Paper: equation (LDP) takes the maximum over the pairs that occur. Here: over all pairs,
    # because otherwise the 2ε claim below it is false; see log_lift_on_support.
    return log_lift_on_support(distribution) if distribution.is_full else inf


@of_frequencies
def log_lift_on_support(distribution: JointDistribution) -> float:
    """Largest change of belief in nats over the pairs that occur, as equation (LDP) prints it.

    Finite, but no bound on local differential privacy unless every pair occurs.

    >>> log_lift_on_support(JointDistribution.from_table([[1, 0], [0, 1]])) == float(np.log(2))
    True
    """
    return float(np.abs(np.log(distribution.lift)).max())
