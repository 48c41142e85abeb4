"""The measures against their formulas as printed, on dense tables."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.errors import InputError, OptionError
from hartley.measures.stochastic import (
    DEVIATIONS,
    Deviation,
    JointDistribution,
    arimoto_information,
    f_information,
    ldp_epsilon,
    max_renyi_divergence,
    mutual_information,
    renyi_divergence,
    sibson_information,
)
from reference_stochastic import (
    plain_arimoto,
    plain_f_information,
    plain_ldp,
    plain_mutual_information,
    plain_renyi,
    plain_sibson,
)
from strategies_distributions import distributions, written_out

orders = st.one_of(st.sampled_from((0.0, 0.5, 1.0, 2.0, 5.0, inf)), st.floats(0.05, 0.9), st.floats(1.1, 30))
every = settings(deadline=None)


@every
@given(distributions(), orders)
def test_every_order_agrees_with_its_printed_formula(distribution: JointDistribution, order: float) -> None:
    table = written_out(distribution)
    prior = table.sum(axis=1)
    assert sibson_information(distribution, order) == pytest.approx(plain_sibson(table, order), abs=1e-9)
    assert arimoto_information(distribution, order) == pytest.approx(plain_arimoto(table, order), abs=1e-9)
    assert max_renyi_divergence(distribution, order) == pytest.approx(
        max(plain_renyi(column / column.sum(), prior, order) for column in table.T), abs=1e-9
    )


@every
@given(distributions())
def test_averages_agree_with_their_printed_formulas(distribution: JointDistribution) -> None:
    table = written_out(distribution)
    assert mutual_information(distribution) == pytest.approx(plain_mutual_information(table), abs=1e-12)
    assert ldp_epsilon(distribution) == pytest.approx(plain_ldp(table), abs=1e-12)
    for deviation in DEVIATIONS:
        assert f_information(distribution, deviation) == pytest.approx(
            plain_f_information(table, deviation.of_lift, deviation.at_zero), abs=1e-12
        )


@every
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6).filter(
        lambda pairs: any(p for p, _ in pairs) and any(q for _, q in pairs)
    ),
    orders,
)
def test_divergence_between_any_two_distributions(pairs: list[tuple[int, int]], order: float) -> None:
    one, other = (np.array(column) / sum(column) for column in zip(*pairs, strict=True))
    assert renyi_divergence(one, other, order) == pytest.approx(plain_renyi(one, other, order), abs=1e-9)


def test_divergence_is_infinite_where_a_value_is_excluded_only_from_order_one_on() -> None:
    one, other = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    assert renyi_divergence(one, other, 0.5) == pytest.approx(1)
    assert renyi_divergence(one, other, 1) == inf
    assert renyi_divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0) == inf


def test_reverse_divergence_is_infinite_when_a_pair_is_missing() -> None:
    reverse = Deviation("reverse kl", lambda t: -np.log2(t), inf)
    assert f_information(JointDistribution.from_table([[1, 0], [1, 1]]), reverse) == inf
    assert f_information(JointDistribution.from_table([[1, 1], [1, 1]]), reverse) == 0


def test_no_order_overflows_or_underflows() -> None:
    steep = JointDistribution.from_table([[1, 1e-12], [1e-12, 1]])
    for order in (1e-6, 1e-3, 300.0, 1e6):
        assert np.isfinite(sibson_information(steep, order))
        assert np.isfinite(arimoto_information(steep, order))
        assert np.isfinite(max_renyi_divergence(steep, order))
    assert sibson_information(steep, 1e6) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("order", [-0.5, float("nan")])
def test_orders_below_zero_are_refused(order: float) -> None:
    coin = JointDistribution.from_table([[1, 0], [0, 1]])
    for measure in (sibson_information, arimoto_information, max_renyi_divergence):
        with pytest.raises(OptionError, match="an order is 0 or more"):
            measure(coin, order)


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(InputError, match="sum to 1"):
        renyi_divergence(np.array([0.5, 0.6]), np.array([0.5, 0.5]), 1)
    with pytest.raises(InputError, match="same values"):
        renyi_divergence(np.array([1.0]), np.array([0.5, 0.5]), 1)
