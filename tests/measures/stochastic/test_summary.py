from __future__ import annotations

import csv
import json
from math import isfinite
from pathlib import Path

import numpy as np
import pytest

from hartley.examples import toy
from hartley.measures.stochastic import JointDistribution, StochasticMeasures, StochasticSummary
from hartley.model import JointRange, Partition
from sample_sizes import sample

KEYS = [
    "rows_per_pair",
    "coverage",
    "regime",
    "mutual_information_bits",
    "gacs_korner_bits",
    "maximal_leakage_bits",
    "maximal_realizable_leakage_bits",
    "worst_case_entropy_leakage_bits",
    "sibson_bits",
    "arimoto_bits",
    "max_renyi_bits",
    "max_alpha_leakage_bits",
    "f_information",
    "ldp_epsilon_nats",
    "ldp_attainable",
    "log_lift_nats",
    "hgr_maximal_correlation",
    "max_symmetric_difference",
]


def test_json_has_the_agreed_keys() -> None:
    numbers = StochasticSummary.of(toy()).to_dict()
    assert [key for key in numbers if key in KEYS] == KEYS
    for name in ("sibson_bits", "arimoto_bits", "max_renyi_bits"):
        assert list(numbers[name]) == ["0", "0.5", "1", "2", "5", "inf"]
    assert list(numbers["max_alpha_leakage_bits"]) == ["1", "1.5", "2", "5", "inf"]
    assert list(numbers["f_information"]) == ["kl", "chi2", "tv", "hellinger"]


def test_infinite_numbers_are_null_with_a_flag_and_json_stays_strict() -> None:
    numbers = StochasticSummary.of(toy()).to_dict()
    assert numbers["ldp_epsilon_nats"] is None
    assert numbers["ldp_attainable"] is False
    assert numbers["log_lift_nats"] is None
    assert numbers["log_lift_finite"] is False
    json.dumps(numbers, allow_nan=False)


def test_finite_numbers_carry_their_flags_too() -> None:
    numbers = StochasticMeasures.of(JointDistribution.from_table([[3, 1], [1, 3]])).to_dict()
    assert isfinite(numbers["ldp_epsilon_nats"])
    assert numbers["ldp_attainable"] is True
    assert numbers["log_lift_finite"] is True


def test_a_partition_is_judged_as_the_table_it_makes() -> None:
    clusters = Partition.from_clusters([[0, 2, 6], [1, 4], [3, 5]])
    one = StochasticSummary.of(toy(), clusters)
    other = StochasticSummary.of(toy().release(clusters))
    assert one == other
    # Golden value of Q4, uniform on the eight pairs.
    assert one.measures.mutual_information_bits == pytest.approx(1)


def test_every_number_has_a_sentence() -> None:
    for joint in (toy(), JointRange.from_pairs([(x, s) for x in "ab" for s in "cd"])):
        summary = StochasticSummary.of(joint)
        words = summary.plain_words()
        numbers = set(summary.to_dict()) - {"ldp_attainable", "log_lift_finite"}
        assert set(words) == numbers, "each number needs a sentence in SENTENCES"
        for sentence in words.values():
            assert sentence.endswith(".")
            assert "nan" not in sentence


def test_the_sentences_tell_the_switch_and_the_regime() -> None:
    words = StochasticSummary.of(toy()).plain_words()
    assert "The switch from worst case to statistics" in words["max_renyi_bits"]
    assert "too thin for statistics" in words["regime"]
    assert "No differential privacy" in words["ldp_epsilon_nats"]


def test_the_papers_data(hungarian_heart: Path) -> None:
    with hungarian_heart.open() as file:
        joint = JointRange.from_pairs([(row["chol"], row["age"]) for row in csv.DictReader(file)])
    numbers = StochasticSummary.of(joint).to_dict()
    assert round(numbers["rows_per_pair"], 3) == 1.046
    assert round(numbers["coverage"], 3) == 0.085
    assert numbers["regime"] == "non-stochastic"
    assert numbers["ldp_attainable"] is False
    assert numbers["hgr_maximal_correlation"] == 1
    assert max(numbers["max_alpha_leakage_gap_bits"].values()) <= 1e-9


def test_large_alphabets_stay_sparse() -> None:
    # Written out the table would have 10^10 cells, or 4 * 10^8 where a person waits.
    rng = np.random.default_rng(7)
    size = sample(100_000, 100_000)
    joint = JointRange.from_codes(
        public_codes=np.concatenate((np.arange(size), rng.integers(size, size=2 * size))),
        sensitive_codes=np.concatenate((rng.permutation(size), rng.integers(size, size=2 * size))),
    )
    measures = StochasticMeasures.of(JointDistribution.of(joint))
    assert measures.mutual_information_bits <= measures.maximal_leakage_bits
    assert measures.maximal_leakage_bits <= measures.maximal_realizable_leakage_bits
