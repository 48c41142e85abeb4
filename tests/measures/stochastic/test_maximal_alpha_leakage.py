from __future__ import annotations

from math import inf, log2

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import minimize

from hartley.errors import OptionError
from hartley.measures.stochastic import (
    JointDistribution,
    maximal_alpha_leakage,
    maximal_leakage,
    mutual_information,
)
from sample_sizes import sample
from strategies_distributions import distributions, written_out


def by_second_optimiser(distribution: JointDistribution, order: float) -> float:
    """Maximise Sibson's information over the prior with SciPy, the prior written as a softmax."""
    table = written_out(distribution)
    powers = (table / table.sum(axis=1, keepdims=True)) ** order

    def negative(logits: np.ndarray) -> float:
        prior = np.exp(logits - logits.max())
        prior /= prior.sum()
        return -order / (order - 1) * log2(((prior @ powers) ** (1 / order)).sum())

    starts = [np.zeros(len(table))] + [3.0 * row for row in np.eye(len(table))]
    return max(-minimize(negative, start, method="BFGS", options={"gtol": 1e-10}).fun for start in starts)


@settings(deadline=None, max_examples=sample(40, 200))
@given(distributions(max_sensitive=4, max_public=4))
@pytest.mark.parametrize("order", [1.5, 2.0, 5.0])
def test_agrees_with_a_second_optimiser(order: float, distribution: JointDistribution) -> None:
    found = maximal_alpha_leakage(distribution, order, tolerance_bits=1e-9)
    other = by_second_optimiser(distribution, order)
    assert other <= found.bits + found.gap_bits + 1e-9
    assert found.bits == pytest.approx(other, abs=2e-6)


@settings(deadline=None, max_examples=sample(60, 300))
@given(distributions())
def test_a_run_cut_short_still_brackets_the_truth(distribution: JointDistribution) -> None:
    full = maximal_alpha_leakage(distribution, 2.0)
    for rounds in (0, 1, 3):
        short = maximal_alpha_leakage(distribution, 2.0, most_rounds=rounds)
        assert short.rounds <= rounds
        assert short.bits <= full.bits + full.gap_bits + 1e-10
        assert full.bits <= short.bits + short.gap_bits + 1e-10


def test_the_ends_are_mutual_information_and_maximal_leakage() -> None:
    skewed = JointDistribution.from_table([[6, 1, 0], [1, 1, 2]])
    assert maximal_alpha_leakage(skewed, 1).bits == mutual_information(skewed)
    assert maximal_alpha_leakage(skewed, inf).bits == maximal_leakage(skewed)
    assert maximal_alpha_leakage(skewed, 400.0).bits == pytest.approx(maximal_leakage(skewed), abs=0.01)


def test_it_jumps_at_order_one_to_the_capacity() -> None:
    # A noiseless bit with a skewed prior: I = h(0.1), capacity 1.
    skewed = JointDistribution.from_table([[9, 0], [0, 1]])
    assert mutual_information(skewed) < 0.5
    assert maximal_alpha_leakage(skewed, 1.0001).bits == pytest.approx(1)


def test_closed_form_of_the_symmetric_channel() -> None:
    # By symmetry the uniform prior is best: I_2 = 2 log2(2 sqrt((0.9² + 0.1²) / 2)).
    symmetric = JointDistribution.from_table([[9, 1], [4, 36]])
    assert maximal_alpha_leakage(symmetric, 2).bits == pytest.approx(log2(2 * (0.81 + 0.01)), abs=1e-9)


@pytest.mark.parametrize("order", [0, 0.99, -1, float("nan")])
def test_orders_below_one_are_refused(order: float) -> None:
    with pytest.raises(OptionError, match="its order is 1 or more"):
        maximal_alpha_leakage(JointDistribution.from_table([[1, 1]]), order)
