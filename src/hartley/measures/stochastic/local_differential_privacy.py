"""The local differential privacy that a release gives."""

from __future__ import annotations

from math import inf, log

import numpy as np

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies


@of_frequencies
def ldp_epsilon(distribution: JointDistribution) -> float:
    r"""Least :math:`\epsilon` for which the release is locally differentially private, in nats.

    .. math:: \max_{x, s, s'} \ln \frac{p(x | s)}{p(x | s')}

    Infinite as soon as one value rules one sensitive value out, so always when :math:`I_* > 0`
    (Section VI). Divide by ``ln 2`` for bits.

    >>> ldp_epsilon(JointDistribution.from_table([[3, 1], [1, 3]])) == log(3)
    True
    >>> ldp_epsilon(JointDistribution.from_table([[1, 0], [1, 1]]))
    inf
    """
    # Paper: natural e^ε next to base-2 logarithms. Here: ε in nats, as everybody's ε is.
    if not distribution.is_full:
        return inf
    starts = distribution.indptr[:-1]
    highest = np.maximum.reduceat(distribution.channel, starts)
    lowest = np.minimum.reduceat(distribution.channel, starts)
    return log((highest / lowest).max())
