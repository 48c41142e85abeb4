"""The largest Rényi divergence that one observation causes: the paper's bridge from worst case to average."""

from __future__ import annotations

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.measures.stochastic.renyi_divergence import posterior_divergences


@of_frequencies
def max_renyi_divergence(distribution: JointDistribution, order: float) -> float:
    r"""Most bits by which one observation changes the belief about S.

    .. math:: \max_x D_\alpha(p(s | x) \| p(s))

    Equation (MaxRenyi) of Section VI. With equally likely sensitive values order 0 is :math:`L_0(S \to X)`;
    order infinity is always the maximal realizable leakage. Never falls as the order grows.

    >>> from math import inf
    >>> skewed = JointDistribution.from_table([[3, 1], [1, 3]])
    >>> [round(max_renyi_divergence(skewed, order), 4) for order in (0, 1, inf)]
    [0.0, 0.1887, 0.585]
    """
    return float(posterior_divergences(distribution, order).max())
