"""Gács and Körner's common information."""

from __future__ import annotations

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.measures.stochastic.entropy import entropy


@of_frequencies
def gacs_korner_information(distribution: JointDistribution) -> float:
    r"""Bits that S and X have in common without any doubt, on average, :math:`K(S; X)`.

    The entropy of the component a row falls in (Section VI-B). :math:`I_*` is its largest
    value over all probabilities with the same support: there the components weigh the same.

    >>> gacs_korner_information(JointDistribution.from_table([[1, 1, 0], [1, 1, 0], [0, 0, 4]]))
    1.0
    """
    groups = overlap_partition(distribution.support)
    masses = np.bincount(groups.labels, weights=distribution.sensitive_probabilities)
    # One group has mass one, whatever rounding made of the sum.
    return entropy(masses / masses.sum()) if groups.size > 1 else 0.0
