from __future__ import annotations

import numpy as np
import pytest

from hartley.measures.stochastic import (
    JointDistribution,
    f_information,
    maximal_correlation,
    singular_values,
)
from hartley.measures.stochastic.f_information import CHI2


def random_distribution(seed: int, sensitive: int, public: int, pairs: int) -> JointDistribution:
    rng = np.random.default_rng(seed)
    s = np.concatenate((np.arange(sensitive), rng.integers(sensitive, size=pairs)))
    x = np.concatenate((rng.integers(public, size=sensitive), rng.integers(public, size=pairs)))
    _, x = np.unique(x, return_inverse=True)
    return JointDistribution.from_codes(x, s, rng.exponential(size=len(s)))


@pytest.mark.parametrize(("sensitive", "public"), [(700, 400), (400, 700)])
def test_the_sparse_way_equals_the_dense_way(sensitive: int, public: int) -> None:
    distribution = random_distribution(1, sensitive, public, 20_000)
    assert distribution.observations * distribution.sensitive_size > 250_000
    assert maximal_correlation(distribution) == pytest.approx(singular_values(distribution)[1], abs=1e-10)


def test_it_is_the_same_every_time() -> None:
    distribution = random_distribution(2, 900, 900, 5_000)
    assert maximal_correlation(distribution) == maximal_correlation(distribution)


def test_a_long_chain_is_nearly_but_not_quite_one() -> None:
    # A path of S and X values: the gap to one shrinks with its length but it is one component.
    size = 700
    chain = JointDistribution.from_codes(
        np.repeat(np.arange(size), 2)[: 2 * size - 1],
        np.concatenate(([0], np.repeat(np.arange(1, size), 2))),
        np.ones(2 * size - 1),
    )
    value = maximal_correlation(chain)
    assert 0.9999 < value < 1
    assert value == pytest.approx(singular_values(chain)[1], abs=1e-9)


def test_independent_values_do_not_correlate_however_many() -> None:
    rng = np.random.default_rng(0)
    for size in (3, 600):
        table = np.outer(rng.exponential(size=size), rng.exponential(size=size))
        distribution = JointDistribution.from_table(table)
        assert maximal_correlation(distribution) < 1e-7
        assert f_information(distribution, CHI2) < 1e-12


def test_a_constant_does_not_correlate() -> None:
    assert maximal_correlation(JointDistribution.from_table([[1, 2, 3]])) == 0


def test_known_correlation_of_a_noisy_bit() -> None:
    # Of a bit that is flipped with probability a it is 1 − 2a.
    assert maximal_correlation(JointDistribution.from_table([[9, 1], [1, 9]])) == pytest.approx(0.8)
