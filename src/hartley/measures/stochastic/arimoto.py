"""Arimoto's mutual information of every order."""

from __future__ import annotations

from math import log

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.measures.stochastic.entropy import entropies, entropy
from hartley.measures.stochastic.tilted_mean import outer_tilt, require_order, tilted_mean


@of_frequencies
def arimoto_conditional_entropy(distribution: JointDistribution, order: float) -> float:
    r"""Bits about S still missing after an observation, by Arimoto's rule, :math:`H_\alpha^A(S | X)`.

    .. math:: \frac{\alpha}{1 - \alpha} \log_2 \sum_x \Big( \sum_s p(s, x)^\alpha \Big)^{1 / \alpha}

    Order 0 is the non-stochastic :math:`H_0(S | X)`.

    >>> round(arimoto_conditional_entropy(JointDistribution.from_table([[1, 1], [0, 2]]), 0), 12)
    1.0
    """
    left = entropies(distribution.posterior, distribution.indptr[:-1], require_order(order)) * log(2)
    return -tilted_mean(distribution.observation_probabilities, -left, outer_tilt(order)) / log(2)


@of_frequencies
def arimoto_information(distribution: JointDistribution, order: float) -> float:
    r"""Bits about S that an observation saves, by Arimoto's rule, :math:`H_\alpha(S) - H_\alpha^A(S | X)`.

    Order 0 is :math:`I_0(S \to X)` whatever the probabilities, order 1 the mutual information, order
    infinity how much better one guess gets. It need not grow with the order.

    >>> from math import inf
    >>> arimoto_information(JointDistribution.from_table([[3, 1], [1, 3]]), inf) == log(1.5) / log(2)
    True
    """
    prior = entropy(distribution.sensitive_probabilities, order)
    return max(0.0, prior - arimoto_conditional_entropy(distribution, order))
