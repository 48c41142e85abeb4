"""Sibson's mutual information of every order."""

from __future__ import annotations

from math import log

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.measures.stochastic.renyi_divergence import posterior_divergences
from hartley.measures.stochastic.tilted_mean import outer_tilt, tilted_mean


@of_frequencies
def sibson_information(distribution: JointDistribution, order: float) -> float:
    r"""Bits about S in a released value, by Sibson's rule, :math:`I_\alpha(S; X)`.

    .. math:: \frac{\alpha}{\alpha - 1} \log_2 \sum_x \Big( \sum_s p(s) p(x | s)^\alpha \Big)^{1 / \alpha}

    Order 0 is :math:`-\log_2 \max_x p([\![S | x]\!])`, order 1 the mutual information, infinity the
    maximal leakage (Section VI). Never falls as the order grows; not symmetric.

    >>> from math import inf
    >>> twins = JointDistribution.from_table([[1, 0], [0, 1]])
    >>> [sibson_information(twins, order) for order in (0, 0.5, 1, 2, inf)]
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    # The formula is the tilted mean, over observations, of D_α(p(s|x) ‖ p(s)).
    divergences = posterior_divergences(distribution, order) * log(2)
    return tilted_mean(distribution.observation_probabilities, divergences, outer_tilt(order)) / log(2)
