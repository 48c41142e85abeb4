from __future__ import annotations

from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import given, settings

from hartley.measures.stochastic import (
    JointDistribution,
    entropy,
    gacs_korner_information,
    mutual_information,
    wyner_information,
)
from sample_sizes import sample
from strategies_distributions import distributions


def binary_entropy(a: float) -> float:
    return -a * log2(a) - (1 - a) * log2(1 - a)


@pytest.mark.parametrize("a", [0.05, 0.1, 0.3])
def test_doubly_symmetric_binary_source_has_wyners_own_formula(a: float) -> None:
    source = JointDistribution.from_table([[1 - a, a], [a, 1 - a]])
    wanted = 1 + binary_entropy(a) - 2 * binary_entropy((1 - sqrt(1 - 2 * a)) / 2)
    assert wyner_information(source).high == pytest.approx(wanted, abs=1e-7)


def test_three_pairs_of_four_need_two_thirds_of_a_bit() -> None:
    assert wyner_information(JointDistribution.from_table([[1, 1], [1, 0]])).high == pytest.approx(
        2 / 3, abs=1e-7
    )


def test_it_splits_over_components() -> None:
    block = np.array([[1, 1], [1, 0]])
    both = np.zeros((4, 4))
    both[:2, :2], both[2:, 2:] = block, block
    assert wyner_information(JointDistribution.from_table(both)).high == pytest.approx(1 + 2 / 3, abs=1e-7)


def test_it_is_exact_where_one_side_decides_the_other() -> None:
    found = wyner_information(JointDistribution.from_table([[1, 2, 0], [0, 0, 3]]))
    assert found.is_exact
    assert found.high == pytest.approx(1)


def test_independence_needs_no_common_cause() -> None:
    found = wyner_information(JointDistribution.from_table(np.outer([1, 2, 3], [2, 5])))
    assert found.high == pytest.approx(0, abs=1e-12)


@settings(deadline=None, max_examples=sample(10, 50))
@given(distributions(max_sensitive=3, max_public=3))
def test_it_lies_between_mutual_information_and_the_smaller_entropy(distribution: JointDistribution) -> None:
    found = wyner_information(distribution)
    assert gacs_korner_information(distribution) <= found.low + 1e-9
    assert found.low == pytest.approx(mutual_information(distribution), abs=1e-9)
    assert found.low <= found.high
    least = min(
        entropy(distribution.sensitive_probabilities), entropy(distribution.observation_probabilities)
    )
    assert found.high <= least + 1e-9


def test_large_components_are_bounded_by_their_entropies() -> None:
    large = JointDistribution.from_table(np.eye(40) + 1)
    found = wyner_information(large)
    assert found.low == pytest.approx(mutual_information(large))
    assert found.high == pytest.approx(log2(40))
    assert not found.is_exact
