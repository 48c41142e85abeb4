from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.measures.stochastic import Sampling
from hartley.model import JointRange, Partition


def test_the_papers_data_is_too_thin_for_statistics() -> None:
    # 294 rows, 281 pairs, 269 of them seen once (errata of the Hungarian data).
    sampling = Sampling(rows=294, pairs=281, seen_once=269)
    assert round(sampling.rows_per_pair, 3) == 1.046
    assert round(sampling.coverage, 3) == 0.085
    assert sampling.regime == "non-stochastic"


def test_coverage_counts_pairs_seen_once() -> None:
    joint = JointRange.from_codes(
        public_codes=np.array([0, 1, 2]), sensitive_codes=np.array([0, 1, 0]), rows=np.array([1, 5, 4])
    )
    assert Sampling.of(joint).coverage == 0.9
    assert Sampling.of(joint, Partition.from_clusters([[0, 2], [1]])).coverage == 1


def test_a_few_rows_that_are_alike_are_no_reason_to_trust() -> None:
    assert Sampling(rows=3, pairs=1, seen_once=0).coverage == 1
    assert Sampling(rows=3, pairs=1, seen_once=0).regime == "non-stochastic"


def test_many_rows_of_pairs_seen_often_can_be_trusted() -> None:
    assert Sampling(rows=5000, pairs=100, seen_once=2).regime == "stochastic"


def test_between_thin_and_full_is_transitional() -> None:
    assert Sampling(rows=5000, pairs=2000, seen_once=1000).regime == "transitional"


@given(st.integers(1, 10**7), st.floats(0, 1))
def test_more_pairs_seen_once_never_make_a_table_more_trusted(rows: int, share: float) -> None:
    once = int(share * rows)
    ranks = {"non-stochastic": 0, "transitional": 1, "stochastic": 2}
    sampling = Sampling(rows=rows, pairs=max(1, once), seen_once=once)
    assert 0 <= sampling.least_coverage <= sampling.coverage + 1e-12
    if once:
        fewer = Sampling(rows=rows, pairs=max(1, once), seen_once=once - 1)
        assert ranks[fewer.regime] >= ranks[sampling.regime]


def test_the_estimate_meets_the_truth_on_simulated_tables() -> None:
    rng = np.random.default_rng(5)
    truth = rng.dirichlet(np.full(400, 0.3))
    misses = []
    for _ in range(50):
        counts = rng.multinomial(500, truth)
        estimate = Sampling(rows=500, pairs=int((counts > 0).sum()), seen_once=int((counts == 1).sum()))
        misses.append(estimate.coverage - truth[counts > 0].sum())
    assert np.mean(misses) == pytest.approx(0, abs=0.01)
