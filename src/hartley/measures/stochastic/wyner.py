r"""Wyner's common information.

:math:`C(S; X) = \min_{S - W - X} I(S, X; W)` splits over components,
:math:`C = K + \sum_c p(c) C_c`. A component of a single row or column adds nothing; a small one is minimised
numerically, which gives an upper bound; a large one is bounded by its entropies.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.rectangles import RankBounds
from hartley.measures.stochastic.distribution import JointDistribution
from hartley.measures.stochastic.entropy import entropy
from hartley.measures.stochastic.gacs_korner import gacs_korner_information
from hartley.measures.stochastic.mutual_information import mutual_information
from hartley.measures.stochastic.product_mixture import entropy_inside_mixture

MOST_CELLS = 36
"""Components of more cells are bounded by their entropies instead of minimised."""


def wyner_information(distribution: JointDistribution) -> RankBounds:
    r"""Bits of a common cause that explains all dependence of S and X, :math:`C(S; X)`, between two bounds.

    ``high`` is reached by a common cause that was found, so it is always a true upper bound; on small
    alphabets it is the minimum as far as a numerical search can tell. ``low`` is the mutual information.
    The two are equal where every component has a single row or column or is independent.

    >>> both = wyner_information(JointDistribution.from_table([[1, 1], [1, 0]]))
    >>> round(both.high, 6)
    0.666667
    """
    common = gacs_korner_information(distribution)
    low = high = common
    for share, component in _components(distribution):
        part = _of_component(component)
        low, high = low + share * part.low, high + share * part.high
    return RankBounds(low, high)


def _components(distribution: JointDistribution) -> Iterator[tuple[float, JointDistribution]]:
    """Return probability of each component with more than one row and column, and its own distribution."""
    of_pair = overlap_partition(distribution.support).labels[distribution.indices]
    order = np.argsort(of_pair, kind="stable")
    ends = np.cumsum(np.bincount(of_pair))[:-1]
    for pairs in np.split(order, ends):
        observations, public_codes = np.unique(distribution.observation_of[pairs], return_inverse=True)
        values, sensitive_codes = np.unique(distribution.indices[pairs], return_inverse=True)
        if min(len(observations), len(values)) > 1:
            weights = distribution.probabilities[pairs]
            yield (
                float(weights.sum()),
                JointDistribution.from_codes(public_codes, sensitive_codes, weights),
            )


def _of_component(distribution: JointDistribution) -> RankBounds:
    low = mutual_information(distribution)
    high = min(entropy(distribution.sensitive_probabilities), entropy(distribution.observation_probabilities))
    if low < 1e-15:
        return RankBounds(0.0, 0.0)
    if distribution.sensitive_size * distribution.observations <= MOST_CELLS:
        inside = entropy_inside_mixture(distribution)
        if inside is not None:
            high = min(high, entropy(distribution.probabilities) - inside / log(2))
    return RankBounds(min(low, high), high)
