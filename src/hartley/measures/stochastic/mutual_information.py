"""Shannon's mutual information."""

from __future__ import annotations

import numpy as np

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies


@of_frequencies
def mutual_information(distribution: JointDistribution) -> float:
    r"""Bits about S that a released value gives on average, :math:`I(S; X)`.

    .. math:: \sum_{s, x} p(s, x) \log_2 \frac{p(s, x)}{p(s) p(x)}

    Never less than Gács and Körner's common information; neither more nor less than
    :math:`I_*` or :math:`L_0` in general: an average may hide both.

    >>> mutual_information(JointDistribution.from_table([[1, 0], [0, 1]]))
    1.0
    """
    return max(0.0, float(np.dot(distribution.probabilities, np.log2(distribution.lift))))
