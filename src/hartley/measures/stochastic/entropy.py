"""Rényi's entropy of every order; order 1 is Shannon's, order 0 Hartley's."""

from __future__ import annotations

from math import log

import numpy as np

from hartley.measures.stochastic.tilted_mean import require_order, tilted_mean, tilted_means
from hartley.model.arrays import Floats, Int64s


def entropy(probabilities: Floats, order: float = 1.0) -> float:
    r"""Bits needed to name a value of this distribution, :math:`H_\alpha`.

    .. math:: \frac{1}{1 - \alpha} \log_2 \sum_s p(s)^\alpha

    Order 0 counts the values that occur (Hartley), 1 is the average (Shannon), infinity looks at the
    likeliest value alone.

    >>> from math import inf
    >>> skewed = np.array([0.5, 0.25, 0.25])
    >>> round(entropy(skewed, 0), 4), entropy(skewed), entropy(skewed, inf)
    (1.585, 1.5, 1.0)
    """
    present = probabilities[probabilities > 0]
    return max(0.0, -tilted_mean(present, np.log(present), require_order(order) - 1) / log(2))


def entropies(probabilities: Floats, starts: Int64s, order: float = 1.0) -> Floats:
    """Return the entropy of each of several distributions that stand one behind the other, all positive."""
    means = tilted_means(probabilities, np.log(probabilities), require_order(order) - 1, starts)
    return np.maximum(0.0, -means / log(2)) + 0.0
