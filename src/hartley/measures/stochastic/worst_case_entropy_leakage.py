"""Worst-case entropy leakage (Calmon and Fawaz)."""

from __future__ import annotations

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.measures.stochastic.entropy import entropies, entropy


@of_frequencies
def worst_case_entropy_leakage(distribution: JointDistribution) -> float:
    r"""Most bits of Shannon uncertainty about S that one value takes away.

    .. math:: H(S) - \min_x H(S | X = x)

    Never less than the mutual information, which is the same with the average over x.

    >>> worst_case_entropy_leakage(JointDistribution.from_table([[1, 1], [0, 2]])) > 0.8
    True
    """
    # Paper: H(S) − max over x (Section VI). Here: min over x, because the value that leaves
    # least uncertainty is the worst case for the person; the maximum would be the best.
    prior = entropy(distribution.sensitive_probabilities)
    return max(0.0, float(prior - entropies(distribution.posterior, distribution.indptr[:-1]).min()))
