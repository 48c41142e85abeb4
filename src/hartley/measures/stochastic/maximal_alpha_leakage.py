r"""Maximal α-leakage (Liao, Kosut, Sankar and du Pin Calmon).

Between the orders 1 and infinity it is the capacity of order α of the channel from S to X,
found by Arimoto's alternating maximisation. For a prior :math:`q` over S let

.. math:: f(q) = \sum_x \Big( \sum_s q(s) p(x | s)^\alpha \Big)^{1 / \alpha}
          = \max_r \sum_{s, x} q(s)^{1/\alpha} p(x | s) r(s | x)^{(\alpha - 1)/\alpha}.

Maximising over :math:`r` and over :math:`q` in turn never lowers :math:`f`, and both have a closed form.
:math:`f` is concave, so its slope at the prior reached bounds what is left to gain: the gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log2

import numpy as np

from hartley.errors import OptionError
from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.measures.stochastic.maximal_leakage import maximal_leakage
from hartley.measures.stochastic.mutual_information import mutual_information
from hartley.model.arrays import Floats

TOLERANCE_BITS = 1e-10
MOST_ROUNDS = 20_000


@dataclass(frozen=True)
class AlphaLeakage:
    """A maximal α-leakage as far as it was found."""

    order: float
    bits: float
    """Reached by some prior, so never more than the true value."""
    gap_bits: float
    """The true value is at most this much more; 0 where a formula gives it."""
    rounds: int
    """Rounds of the alternating maximisation."""


@of_frequencies
def maximal_alpha_leakage(
    distribution: JointDistribution,
    order: float,
    *,
    tolerance_bits: float = TOLERANCE_BITS,
    most_rounds: int = MOST_ROUNDS,
) -> AlphaLeakage:
    r"""Most bits that a release leaks about any function of S, tuned by the order.

    Written :math:`\mathcal L_\alpha^{\max}(S \to X)`. Order 1 is the mutual information
    at the prior of the table, infinity the maximal leakage,
    and in between the largest Sibson information over all priors. It jumps at 1: from
    above it tends to the channel's capacity, not to the mutual information. Below 1 it is not defined.

    >>> noisy = JointDistribution.from_table([[3, 1], [1, 3]])
    >>> [round(maximal_alpha_leakage(noisy, order).bits, 6) for order in (1, 2, inf)]
    [0.188722, 0.321928, 0.584963]
    """
    if not order >= 1:
        raise OptionError(f"no maximal leakage of order {order:g}; its order is 1 or more, infinity allowed")
    if order == 1:
        return AlphaLeakage(order, mutual_information(distribution), 0.0, 0)
    if order == inf:
        return AlphaLeakage(order, maximal_leakage(distribution), 0.0, 0)
    return _capacity(distribution, order, tolerance_bits, most_rounds)


def _capacity(
    distribution: JointDistribution, order: float, tolerance_bits: float, most_rounds: int
) -> AlphaLeakage:
    starts, values, size = distribution.indptr[:-1], distribution.indices, distribution.sensitive_size
    # Each column is scaled by its largest entry, so that powers of small entries do no harm.
    largest = distribution.largest_of_observations(distribution.channel)
    scaled = (distribution.channel / largest[distribution.observation_of]) ** order
    prior = np.full(size, 1.0 / size)
    exponent = order / (order - 1)
    best, gap, rounds = 0.0, inf, 0
    while True:
        inner = np.add.reduceat(prior[values] * scaled, starts)
        norms = largest * inner ** (1 / order)
        # f(q) = Σ norms; α ∂f/∂q(s) = Σ_x p(x|s)^α (…)^{1/α − 1}, and Σ_s q(s) of it is f again.
        slopes = np.asarray(
            np.bincount(
                values, weights=scaled * (norms / inner)[distribution.observation_of], minlength=size
            ),
            dtype=float,
        )
        value = float(norms.sum())
        most = value + (float(slopes.max()) - value) / order
        best = max(best, exponent * log2(value))
        gap = max(0.0, min(gap, exponent * log2(most) - best))
        if gap <= tolerance_bits or rounds == most_rounds:
            return AlphaLeakage(order, max(0.0, best), gap, rounds)
        rounds += 1
        prior = _next_prior(prior, slopes, exponent)


def _next_prior(prior: Floats, slopes: Floats, exponent: float) -> Floats:
    with np.errstate(divide="ignore"):
        logs = np.log(prior) + exponent * np.log(slopes)
    raised = np.exp(logs - logs.max())
    return np.asarray(raised / raised.sum())
