from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from hartley.errors import InputError
from hartley.measures import stochastic
from hartley.measures.stochastic import JointDistribution, mutual_information
from hartley.model import JointRange, Partition
from strategies import joint_ranges, joint_ranges_with_partition
from strategies_distributions import distributions, tables, written_out


def test_probabilities_are_row_frequencies() -> None:
    joint = JointRange.from_pairs([("a", 1), ("a", 1), ("a", 2), ("b", 2)])
    assert JointDistribution.of(joint).probabilities.tolist() == [0.5, 0.25, 0.25]


def test_empty_rows_and_columns_are_not_in_the_range() -> None:
    assert JointDistribution.from_table([[0, 0, 0], [1, 0, 2]]) == JointDistribution.from_table([[1, 2]])


@settings(deadline=None)
@given(tables())
def test_a_table_comes_back_as_it_went_in(table: np.ndarray) -> None:
    distribution = JointDistribution.from_table(table)
    assert np.allclose(written_out(distribution), table / table.sum(), rtol=0, atol=1e-15)
    assert np.allclose(written_out(distribution.reversed), table.T / table.sum(), rtol=0, atol=1e-15)
    assert distribution.support.pairs == (table > 0).sum()


@settings(deadline=None)
@given(joint_ranges_with_partition())
def test_release_of_the_table_and_of_its_frequencies_agree(both: tuple[JointRange, Partition]) -> None:
    joint, partition = both
    one = JointDistribution.of(joint, partition)
    other = JointDistribution.of(joint).release(partition)
    assert np.array_equal(one.indices, other.indices)
    assert np.array_equal(one.indptr, other.indptr)
    assert np.allclose(one.probabilities, other.probabilities, rtol=0, atol=1e-15)


@settings(deadline=None)
@given(joint_ranges(side=True))
def test_with_side_information_the_reader_sees_both_values(joint: JointRange) -> None:
    together = JointDistribution.of(joint)
    assert together.observations == joint.observations
    assert (
        mutual_information(together) >= mutual_information(JointDistribution.of(joint.without_side())) - 1e-12
    )


@settings(deadline=None)
@given(distributions())
def test_the_marginals_and_conditionals_are_consistent(distribution: JointDistribution) -> None:
    assert distribution.sensitive_probabilities.sum() == pytest.approx(1)
    assert distribution.observation_probabilities.sum() == pytest.approx(1)
    sums = np.add.reduceat(distribution.posterior, distribution.indptr[:-1])
    assert np.allclose(sums, 1)
    assert np.allclose(np.bincount(distribution.indices, weights=distribution.channel), 1)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, -1]], "no weight below zero"),
        ([[0, 0]], "at least one pair"),
        ([[float("inf"), 1]], "positive and finite"),
        ([1, 2], "rows and columns"),
    ],
)
def test_what_is_no_table_of_weights_is_refused(table: object, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        JointDistribution.from_table(table)


def test_every_sensitive_value_must_occur() -> None:
    with pytest.raises(InputError, match="must occur"):
        JointDistribution(3, np.array([0, 1]), np.array([0]), np.array([1.0]))


def test_a_partition_of_another_size_is_refused() -> None:
    with pytest.raises(InputError, match="does not fit"):
        JointDistribution.from_table([[1, 1]]).release(Partition.singletons(3))


def test_distributions_cannot_be_changed() -> None:
    distribution = JointDistribution.from_table([[1, 2]])
    with pytest.raises(ValueError, match="read-only"):
        distribution.probabilities[0] = 1


def test_every_measure_takes_a_joint_range_by_its_row_frequencies() -> None:
    joint = JointRange.from_pairs([("a", 1), ("a", 1), ("a", 2), ("b", 2), ("b", 3)])
    rows = JointDistribution.of(joint)
    orders = {"arimoto_conditional_entropy", "arimoto_information", "max_renyi_divergence"}
    orders |= {"maximal_alpha_leakage", "sibson_information"}
    for name in (
        *sorted(orders),
        *("gacs_korner_information", "ldp_epsilon", "log_lift", "log_lift_on_support", "maximal_correlation"),
        *("maximal_leakage", "maximal_realizable_leakage", "mutual_information", "wyner_information"),
        "worst_case_entropy_leakage",
    ):
        further = (2.0,) if name in orders else ()
        measure = getattr(stochastic, name)
        assert measure(joint, *further) == measure(rows, *further), name
