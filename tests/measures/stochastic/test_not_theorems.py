"""What one might believe of the measures, and a table that shows it false."""

from __future__ import annotations

from math import inf, isfinite, log2

import pytest

from hartley.examples import toy
from hartley.measures.overlap import maximin_information
from hartley.measures.stochastic import (
    JointDistribution,
    arimoto_information,
    ldp_epsilon,
    log_lift_on_support,
    max_renyi_divergence,
    maximal_leakage,
    maximal_realizable_leakage,
    mutual_information,
    sibson_information,
)
from hartley.measures.uncertainty import max_uncertainty_reduction, min_uncertainty_reduction

FULL = JointDistribution.from_table([[7, 3, 1, 4, 5], [2, 6, 3, 1, 8], [1, 2, 9, 3, 5], [4, 4, 2, 7, 3]])
SPARSE = JointDistribution.from_table(
    [[5, 0, 2, 0, 0, 1], [0, 3, 0, 0, 4, 0], [0, 0, 6, 1, 0, 0], [2, 0, 0, 3, 0, 0], [0, 1, 0, 0, 2, 7]]
)


@pytest.fixture
def example() -> JointDistribution:
    return JointDistribution.of(toy())


def test_certain_information_may_exceed_i0() -> None:
    assert maximin_information(toy()) == log2(5)
    assert min_uncertainty_reduction(toy()) == log2(3)


def test_certain_information_may_exceed_mutual_information(example: JointDistribution) -> None:
    assert maximin_information(toy()) > mutual_information(example) + 0.05


def test_l0_and_maximal_leakage_may_lie_either_way(example: JointDistribution) -> None:
    assert max_uncertainty_reduction(toy()) > maximal_leakage(example) + 0.1
    assert max_uncertainty_reduction(FULL.support) == 0 < maximal_leakage(FULL)


def test_mutual_information_may_exceed_l0() -> None:
    assert mutual_information(FULL) > 0.2 > max_uncertainty_reduction(FULL.support)


def test_l0_may_exceed_realizable_leakage_when_sensitive_values_are_not_equally_likely() -> None:
    # One sensitive value in half of the rows, shown alone; nine others share the other half.
    split = JointDistribution.from_table([[9, 0]] + [[0, 1]] * 9)
    assert maximal_realizable_leakage(split) == pytest.approx(1)
    assert max_uncertainty_reduction(split.support) == log2(10)


def test_average_leakages_may_exceed_the_largest_divergence_of_order_zero() -> None:
    assert max_renyi_divergence(FULL, 0) == pytest.approx(0)
    assert mutual_information(FULL) > 0.2
    assert maximal_leakage(FULL) > 0.8


def test_neither_l0_nor_sibson_is_symmetric() -> None:
    assert max_uncertainty_reduction(toy()) == log2(6)
    assert max_uncertainty_reduction(toy().reversed) == log2(7)
    assert abs(sibson_information(SPARSE, 2) - sibson_information(SPARSE.reversed, 2)) > 1e-3


def test_arimoto_may_fall_as_the_order_grows() -> None:
    values = [arimoto_information(SPARSE, order) for order in (0, 0.5, 1, 2, 5, inf)]
    assert values[:5] == sorted(values[:5])
    assert values[5] < values[4] - 0.1


def test_log_lift_over_the_support_bounds_no_differential_privacy(example: JointDistribution) -> None:
    assert isfinite(log_lift_on_support(example))
    assert ldp_epsilon(example) == inf
    # Nor does it when the missing pair is put in with almost no probability.
    present = log_lift_on_support(JointDistribution.from_table([[1, 0], [1, 1]]))
    assert ldp_epsilon(JointDistribution.from_table([[1, 1e-9], [1, 1]])) > 2 * present
