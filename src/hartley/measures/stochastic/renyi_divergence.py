"""Rényi's divergence of every order."""

from __future__ import annotations

from math import inf, log

import numpy as np

from hartley.errors import InputError
from hartley.measures.stochastic.distribution import JointDistribution
from hartley.measures.stochastic.tilted_mean import require_order, tilted_mean, tilted_means
from hartley.model.arrays import Floats


def renyi_divergence(one: Floats, other: Floats, order: float) -> float:
    r"""How far one distribution is from another, :math:`D_\alpha(p \| q)`, in bits.

    .. math:: \frac{1}{\alpha - 1} \log_2 \sum_s p(s)^\alpha q(s)^{1 - \alpha}

    Order 0 is :math:`-\log_2 q(p > 0)`, order 1 Kullback and Leibler's, infinity the largest log ratio.
    From order 1 on it is infinite when p has a value that q excludes; below, when they share no value.

    >>> p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    >>> renyi_divergence(p, q, 0), renyi_divergence(p, q, inf)
    (0.0, 1.0)
    """
    # Paper: the sum of Section VI runs over the released values. Here: over the sensitive
    # values, because the divergence compares distributions of S.
    require_order(order)
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if one.shape != other.shape or one.ndim != 1:
        raise InputError("a divergence compares two distributions over the same values")
    if bool((one < 0).any() or (other < 0).any()) or not np.allclose([one.sum(), other.sum()], 1, atol=1e-9):
        raise InputError("probabilities are 0 or more and sum to 1")
    shared = (one > 0) & (other > 0)
    if not shared.any() or (order >= 1 and bool((one[~shared] > 0).any())):
        return inf
    weights = one[shared]
    mass = 1.0 if not (one[~shared] > 0).any() else float(weights.sum())
    mean = tilted_mean(weights / weights.sum(), np.log(weights / other[shared]), order - 1)
    if mass < 1:
        mean += log(mass) / (order - 1)
    return max(0.0, mean / log(2))


def posterior_divergences(distribution: JointDistribution, order: float) -> Floats:
    r"""Bits by which each observation changes the belief about S, :math:`D_\alpha(p(s | x) \| p(s))`.

    >>> posterior_divergences(JointDistribution.from_table([[1, 1], [0, 2]]), 0)
    array([1., 0.])
    """
    means = tilted_means(
        distribution.posterior, np.log(distribution.lift), require_order(order) - 1, distribution.indptr[:-1]
    )
    return np.maximum(0.0, means / log(2)) + 0.0
