"""Hirschfeld, Gebelein and Rényi's maximal correlation."""

from __future__ import annotations

from math import sqrt

import numpy as np

from hartley.measures.overlap import overlap_partition
from hartley.measures.stochastic.distribution import JointDistribution, of_frequencies
from hartley.measures.stochastic.f_information import CHI2, f_information
from hartley.model.arrays import Floats

DENSE_CELLS = 250_000
"""Up to this many cells the matrix is written out and decomposed at once."""
INDEPENDENT = 1e-14
"""A χ²-information of rounding's size: there is no correlation to find."""


@of_frequencies
def maximal_correlation(distribution: JointDistribution) -> float:
    r"""Strongest correlation between any score of S and any score of X, :math:`\rho_m(S; X)`.

    The second singular value of :math:`p(s, x) / \sqrt{p(s) p(x)}`; 0 if and only if S and X are
    independent, 1 if and only if :math:`I_* > 0`. Values above 1e-6 are accurate to 1e-9.

    >>> maximal_correlation(JointDistribution.from_table([[3, 1], [1, 3]]))
    0.5
    """
    if min(distribution.sensitive_size, distribution.observations) == 1:
        return 0.0
    # Several components make it exactly one; found here because the spectrum finds it slowly.
    if overlap_partition(distribution.support).size > 1:
        return 1.0
    squares = f_information(distribution, CHI2)
    if squares <= INDEPENDENT:
        return 0.0
    if distribution.observations * distribution.sensitive_size <= DENSE_CELLS:
        second = float(singular_values(distribution)[1])
    else:
        second = _second_of_large(distribution)
    # χ² is the sum of all squared singular values but the first.
    return min(second, sqrt(squares), 1.0)


def singular_values(distribution: JointDistribution) -> Floats:
    """Return all singular values, largest first; the first is 1. Writes the whole matrix out.

    >>> singular_values(JointDistribution.from_table([[3, 1], [1, 3]])).round(6).tolist()
    [1.0, 0.5]
    """
    matrix = np.zeros((distribution.observations, distribution.sensitive_size))
    matrix[distribution.observation_of, distribution.indices] = _normalised(distribution)
    return np.asarray(np.linalg.svd(matrix, compute_uv=False))


def _normalised(distribution: JointDistribution) -> Floats:
    return distribution.probabilities / np.sqrt(
        distribution.sensitive_probabilities[distribution.indices]
        * distribution.observation_probabilities[distribution.observation_of]
    )


def _second_of_large(distribution: JointDistribution) -> float:
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator, eigsh

    matrix = csr_array(
        (_normalised(distribution), distribution.indices, distribution.indptr),
        shape=(distribution.observations, distribution.sensitive_size),
    )
    first = np.sqrt(distribution.sensitive_probabilities)
    if distribution.observations < distribution.sensitive_size:
        matrix, first = matrix.T.tocsr(), np.sqrt(distribution.observation_probabilities)
    transposed = matrix.T.tocsr()

    def without_first(vector: Floats) -> Floats:
        # The first singular pair is known (the square roots of the marginals), so it is taken out.
        vector = vector.ravel()
        image = np.asarray(transposed @ (matrix @ (vector - first * (first @ vector))))
        return np.asarray(image - first * (first @ image))

    size = len(first)
    # A fixed start that favours no direction: equally spread, never random.
    start = (np.arange(1, size + 1) * ((sqrt(5) - 1) / 2)) % 1.0 - 0.5
    start -= first * (first @ start)
    operator = LinearOperator((size, size), matvec=without_first, dtype=np.float64)
    (square,) = eigsh(
        operator, k=1, which="LA", v0=start, tol=1e-9, ncv=min(size, 40), return_eigenvectors=False
    )
    return sqrt(max(0.0, float(square)))
