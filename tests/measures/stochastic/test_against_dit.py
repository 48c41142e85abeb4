"""dit, an independent library, computes the same numbers where it can compute them."""

from __future__ import annotations

import warnings
from importlib import import_module
from math import inf
from typing import Any

import numpy as np
import pytest

from hartley.measures.stochastic import (
    JointDistribution,
    entropy,
    gacs_korner_information,
    maximal_correlation,
    maximal_leakage,
    mutual_information,
    renyi_divergence,
    sibson_information,
)
from sample_sizes import sample
from strategies_distributions import written_out

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    dit = pytest.importorskip("dit", reason="dit, the independent library, is not installed")
    for part in ("divergences", "multivariate", "other", "shannon"):
        import_module(f"dit.{part}")

pytestmark = pytest.mark.filterwarnings("ignore")
AGREED = 1e-9
S, X = [0], [1]


def random_tables() -> list[np.ndarray]:
    rng = np.random.default_rng(2024)
    found = []
    for number in range(sample(40, 300)):
        shape = rng.integers(1, 6, size=2)
        table = rng.integers(1, 20, size=shape) * (rng.random(shape) < (0.5 if number % 2 else 1.0))
        if number % 5 == 0:
            # Two blocks, so that something is common for certain.
            table = np.block([[table, np.zeros((len(table), 2))], [np.zeros((2, shape[1])), np.ones((2, 2))]])
        if table.sum():
            found.append(table)
    return found


@pytest.fixture(params=random_tables(), ids=lambda table: f"{table.shape[0]}x{table.shape[1]}")
def both(request: pytest.FixtureRequest) -> tuple[JointDistribution, Any]:
    ours = JointDistribution.from_table(request.param)
    table = written_out(ours)
    places = [(int(s), int(x)) for s, x in zip(*np.nonzero(table), strict=True)]
    theirs = dit.Distribution(places, [float(table[place]) for place in places])
    return ours, theirs


def test_mutual_information(both: tuple[JointDistribution, Any]) -> None:
    ours, theirs = both
    assert mutual_information(ours) == pytest.approx(dit.shannon.mutual_information(theirs, S, X), abs=AGREED)


@pytest.mark.parametrize("order", [0.0, 0.5, 1.0, 2.0, 5.0, inf])
def test_renyi_entropy(both: tuple[JointDistribution, Any], order: float) -> None:
    ours, theirs = both
    assert entropy(ours.sensitive_probabilities, order) == pytest.approx(
        dit.other.renyi_entropy(theirs, order, S), abs=AGREED
    )


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, 5.0])
def test_renyi_divergence(both: tuple[JointDistribution, Any], order: float) -> None:
    ours, theirs = both
    table = written_out(ours)
    product = np.outer(table.sum(axis=1), table.sum(axis=0))
    places = [(s, x) for s in range(table.shape[0]) for x in range(table.shape[1])]
    independent = dit.Distribution(places, [float(product[place]) for place in places])
    assert renyi_divergence(table.ravel(), product.ravel(), order) == pytest.approx(
        dit.divergences.renyi_divergence(theirs, independent, order), abs=AGREED
    )


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, 5.0])
def test_sibson_information(both: tuple[JointDistribution, Any], order: float) -> None:
    ours, theirs = both
    assert sibson_information(ours, order) == pytest.approx(
        dit.other.sibson_mutual_information(theirs, S, X, order), abs=AGREED
    )


def test_maximal_leakage(both: tuple[JointDistribution, Any]) -> None:
    ours, theirs = both
    assert maximal_leakage(ours) == pytest.approx(dit.other.maximal_leakage(theirs, S, X), abs=AGREED)


def test_gacs_korner_information(both: tuple[JointDistribution, Any]) -> None:
    ours, theirs = both
    assert gacs_korner_information(ours) == pytest.approx(
        dit.multivariate.gk_common_information(theirs, [S, X]), abs=AGREED
    )


def test_maximal_correlation(both: tuple[JointDistribution, Any]) -> None:
    ours, theirs = both
    if min(ours.sensitive_size, ours.observations) == 1:
        # dit has no second singular value to take here; by definition a constant does not correlate.
        assert maximal_correlation(ours) == 0
        return
    assert maximal_correlation(ours) == pytest.approx(
        dit.divergences.maximum_correlation(theirs, [S, X]), abs=AGREED
    )
