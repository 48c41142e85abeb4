"""Csiszár's f-information: how far the joint distribution is from independence, by any convex f."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.model.arrays import Floats


@dataclass(frozen=True)
class Deviation:
    """A convex function of the lift that is zero where the lift is one, and its value just above zero."""

    name: str
    of_lift: Callable[[Floats], Floats]
    """The function f, for arrays of positive numbers."""
    at_zero: float
    """The limit f(0+), which every absent pair contributes; may be infinite."""


KL = Deviation("kl", lambda t: t * np.log2(t), 0.0)
CHI2 = Deviation("chi2", lambda t: (t - 1) ** 2, 1.0)
TOTAL_VARIATION = Deviation("tv", lambda t: np.abs(t - 1) / 2, 0.5)
HELLINGER = Deviation("hellinger", lambda t: (1 - np.sqrt(t)) ** 2, 1.0)
DEVIATIONS: tuple[Deviation, ...] = (KL, CHI2, TOTAL_VARIATION, HELLINGER)


@of_frequencies
def f_information(distribution: JointDistribution, deviation: Deviation) -> float:
    r"""Distance of the joint distribution from independence, :math:`I_f(S; X)`.

    .. math:: \sum_{s, x} p(s) p(x) f\!\left(\frac{p(s, x)}{p(s) p(x)}\right)

    over all pairs, also those that never occur. With ``KL`` it is the mutual information in
    bits; the others are plain numbers.

    >>> twins = JointDistribution.from_table([[1, 0], [0, 1]])
    >>> [f_information(twins, deviation) for deviation in (KL, CHI2, TOTAL_VARIATION)]
    [1.0, 1.0, 0.5]
    """
    expected = (
        distribution.sensitive_probabilities[distribution.indices]
        * distribution.observation_probabilities[distribution.observation_of]
    )
    of_present = float(np.dot(expected, deviation.of_lift(distribution.lift)))
    if distribution.is_full or deviation.at_zero == 0:
        return max(0.0, of_present)
    # The absent pairs are too many to list; their expected mass is what the present ones leave.
    absent = max(0.0, 1.0 - float(expected.sum()))
    return max(0.0, of_present + deviation.at_zero * absent)
