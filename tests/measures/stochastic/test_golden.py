"""Every figure of the table of golden values (Sections II to VI on seven small tables)."""

from __future__ import annotations

import json
from math import inf, log2
from pathlib import Path

import numpy as np
import pytest

from hartley.measures.boolean_rank import boolean_rank, common_information
from hartley.measures.distinguishability import max_symmetric_difference, symmetric_differences
from hartley.measures.overlap import components, maximin_information
from hartley.measures.stochastic import (
    CHI2,
    HELLINGER,
    KL,
    TOTAL_VARIATION,
    JointDistribution,
    arimoto_information,
    entropy,
    f_information,
    gacs_korner_information,
    ldp_epsilon,
    log_lift,
    log_lift_on_support,
    max_renyi_divergence,
    maximal_alpha_leakage,
    maximal_correlation,
    maximal_leakage,
    maximal_realizable_leakage,
    mutual_information,
    renyi_divergence,
    sibson_information,
    singular_values,
    worst_case_entropy_leakage,
    wyner_information,
)
from hartley.measures.uncertainty import (
    conditional_entropy,
    distinct_l,
    least_posterior_entropy,
    max_uncertainty_reduction,
    min_uncertainty_reduction,
)
from sample_sizes import sample

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "measures_golden.json").read_text())
CASES = [name for name in GOLDEN if not name.startswith("_")]
COUNTS = {"R1_full": "R1", "R2_sparse": "R2", "R3_blocks": "R3"}


def near(value: float | str) -> object:
    return pytest.approx(float(value), abs=2e-11)


def load(name: str) -> JointDistribution:
    # The joint tables are printed to twelve digits; the counts behind three of them are exact.
    exact = COUNTS.get(name)
    return JointDistribution.from_table(GOLDEN["_counts"][exact] if exact else GOLDEN[name]["joint"])


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[dict, JointDistribution]:
    return GOLDEN[request.param], load(request.param)


def test_non_stochastic_measures_of_the_support(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    joint = distribution.support
    assert [joint.sensitive.size, joint.public.size] == golden["shape"]
    assert conditional_entropy(joint) == near(golden["H0_S_given_X"])
    assert least_posterior_entropy(joint) == near(golden["B0_S_given_X"])
    assert min_uncertainty_reduction(joint) == near(golden["I0_S_to_X"])
    assert max_uncertainty_reduction(joint) == near(golden["L0_S_to_X"])
    assert min_uncertainty_reduction(joint.reversed) == near(golden["I0_X_to_S"])
    assert max_uncertainty_reduction(joint.reversed) == near(golden["L0_X_to_S"])
    assert distinct_l(joint) == golden["k_anonymity"]
    assert maximin_information(joint) == near(golden["Istar"])
    assert components(joint).clusters() == golden["x_partition"]


def test_boolean_rank_and_its_logarithm(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    rank = boolean_rank(distribution.support)
    assert rank.is_exact
    assert rank.low == golden["boolean_rank"]
    assert common_information(distribution.support).high == near(golden["Cstar_nonstochastic_wyner"])


def test_symmetric_differences(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    assert symmetric_differences(distribution.support).tolist() == golden["symdiff"]
    assert max_symmetric_difference(distribution.support).amount == golden["symdiff_max"]


def test_entropies_and_averages(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    assert entropy(distribution.sensitive_probabilities) == near(golden["H_S"])
    assert entropy(distribution.observation_probabilities) == near(golden["H_X"])
    assert mutual_information(distribution) == near(golden["MI"])
    assert gacs_korner_information(distribution) == near(golden["GK"])
    assert worst_case_entropy_leakage(distribution) == near(golden["worst_case_entropy_leak"])


def test_f_information(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    for name, deviation in (
        ("kl_bits", KL),
        ("chi2", CHI2),
        ("tv", TOTAL_VARIATION),
        ("sqhellinger", HELLINGER),
    ):
        assert f_information(distribution, deviation) == near(golden["f_information"][name])


def test_every_order(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    product = np.outer(distribution.sensitive_probabilities, distribution.observation_probabilities)
    joint = np.zeros_like(product)
    joint[distribution.indices, distribution.observation_of] = distribution.probabilities
    for name, wanted in golden["Sibson_S_X"].items():
        order = float(name)
        assert sibson_information(distribution, order) == near(wanted)
        assert sibson_information(distribution.reversed, order) == near(golden["Sibson_X_S"][name])
        assert arimoto_information(distribution, order) == near(golden["Arimoto_S_X"][name])
        assert max_renyi_divergence(distribution, order) == near(golden["max_x_Renyi"][name])
        assert renyi_divergence(joint.ravel(), product.ravel(), order) == near(
            golden["Renyi_joint_vs_product"][name]
        )


def test_maximal_leakages(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    assert maximal_leakage(distribution) == near(golden["maximal_leakage"])
    assert maximal_realizable_leakage(distribution) == near(golden["maximal_realizable_leakage"])
    for name, wanted in golden["max_alpha_leakage"].items():
        found = maximal_alpha_leakage(distribution, float(name))
        assert found.gap_bits <= 1e-10
        assert found.bits == pytest.approx(wanted, abs=2e-10)


def test_differential_privacy_and_log_lift(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    assert ldp_epsilon(distribution) == near(golden["ldp_eps_nats"])
    assert log_lift(distribution) == near(golden["log_lift_eps_nats_full"])
    assert log_lift_on_support(distribution) == near(golden["log_lift_eps_nats_support"])


def test_correlation_and_its_spectrum(case: tuple[dict, JointDistribution]) -> None:
    golden, distribution = case
    values = singular_values(distribution)
    assert values.tolist() == near_all(golden["singular_values"])
    assert maximal_correlation(distribution) == near(golden["hgr_maximal_correlation"])
    assert int((values > 1 - 1e-9).sum()) == golden["sv1_multiplicity"]


WITH_WYNER = [name for name in CASES if GOLDEN[name]["wyner_C"] is not None]


@pytest.mark.parametrize("name", WITH_WYNER[: sample(len(WITH_WYNER), len(WITH_WYNER))])
def test_wyner_information_comes_down_to_the_least_known(name: str) -> None:
    golden = GOLDEN[name]
    found = wyner_information(load(name))
    assert found.low == pytest.approx(golden["MI"], abs=1e-9)
    assert found.high == pytest.approx(golden["wyner_C"], abs=1e-7)
    assert found.high >= golden["wyner_C"] - 1e-9


def test_printed_figures_of_the_toy_are_these_expressions() -> None:
    toy = JointDistribution.from_table(GOLDEN["toy_uniform"]["joint"])
    assert mutual_information(toy) == near(9 / 4)
    assert maximal_leakage(toy) == near(log2(5.5))
    assert sibson_information(toy, 0) == near(log2(8 / 3))
    assert maximal_realizable_leakage(toy) == near(log2(8))
    assert ldp_epsilon(toy) == inf


def near_all(values: list[float]) -> object:
    return pytest.approx(values, abs=2e-11)
