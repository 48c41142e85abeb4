from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given

from hartley.errors import InputError
from hartley.examples import toy
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import (
    candidate_counts,
    conditional_entropy,
    distinct_l,
    hartley_entropy,
    is_independent,
    least_posterior_entropy,
    max_uncertainty_reduction,
    min_uncertainty_reduction,
    prior_counts,
    prior_counts_of_side,
    row_counts,
    row_k,
)
from hartley.model import Alphabet, JointRange, Partition
from strategies import joint_ranges, joint_ranges_with_partition

ALL = [
    candidate_counts,
    conditional_entropy,
    distinct_l,
    is_independent,
    least_posterior_entropy,
    max_uncertainty_reduction,
    min_uncertainty_reduction,
    row_k,
]


def test_the_toy_of_example_1():
    joint = toy()
    assert hartley_entropy(joint.sensitive.size) == log2(6)
    assert conditional_entropy(joint) == 1
    assert least_posterior_entropy(joint) == 0
    assert min_uncertainty_reduction(joint) == log2(6 / 2)
    assert max_uncertainty_reduction(joint) == log2(6)
    assert distinct_l(joint) == 1
    # Roles exchanged: X given S.
    assert min_uncertainty_reduction(joint.reversed) == log2(7 / 2)
    assert max_uncertainty_reduction(joint.reversed) == log2(7)


def test_nothing_possible_has_no_entropy():
    with pytest.raises(InputError):
        hartley_entropy(0)


def test_side_information_counts_from_what_the_reader_knew():
    # Knowing a=u leaves {1, 2}; the release then leaves {1}: one bit. Without a, from {1, 2, 3}.
    joint = JointRange.from_pairs([("x", 1, "u"), ("y", 2, "u"), ("x", 3, "v")])
    assert prior_counts(joint).tolist() == [2, 1, 2]
    assert max_uncertainty_reduction(joint) == 1
    assert max_uncertainty_reduction(joint.without_side()) == log2(3)
    assert max_uncertainty_reduction(joint, Partition.whole(2)) == 0


def test_what_is_seen_but_not_known_beforehand_is_part_of_what_the_reader_learns():
    # The second column is published beside the release: it narrows what is seen, not what was known.
    side = Alphabet.of_values([("u", "p"), ("u", "q"), ("v", "q")], columns=("a", "k"))
    joint = JointRange.from_codes(
        public_codes=np.array([0, 0, 1, 1, 0]),
        sensitive_codes=np.array([0, 1, 2, 3, 4]),
        side_codes=np.array([0, 1, 0, 2, 2]),
        side=side,
    )
    # u leaves {0, 1, 2} possible and v {3, 4}; u with p leaves {0, 2}, and with q {1}.
    for known, priors in ((2, [2, 1, 2]), (1, [3, 3, 2]), (0, [5, 5, 5])):
        assert prior_counts_of_side(joint.knowing(known)).tolist() == priors
    assert [max_uncertainty_reduction(joint.knowing(known)) for known in (2, 1, 0)] == [1, log2(3), log2(5)]


def test_rows_and_distinct_values_are_never_one_under_the_others_name():
    joint = JointRange.from_pairs([("a", 1)] * 5 + [("b", 1), ("b", 2)])
    assert (row_k(joint), distinct_l(joint)) == (2, 1)


@given(joint_ranges_with_partition(side=True))
def test_every_measure_equals_its_definition_by_counting(pair):
    joint, partition = pair
    candidates: dict[tuple[int, int], set[int]] = {}
    rows: dict[tuple[int, int], int] = {}
    prior: dict[int, set[int]] = {}
    for observation in range(joint.observations):
        seen = (
            int(partition.labels[joint.public_of[observation]]),
            int(joint.observed_side[observation]),
        )
        values = set(joint.candidates(observation).tolist())
        candidates.setdefault(seen, set()).update(values)
        prior.setdefault(seen[1], set()).update(values)
        span = slice(joint.indptr[observation], joint.indptr[observation + 1])
        rows[seen] = rows.get(seen, 0) + int(joint.rows[span].sum())
    counts = {seen: len(values) for seen, values in candidates.items()}
    ratios = [len(prior[seen[1]]) / count for seen, count in counts.items()]
    assert candidate_counts(joint, partition).tolist() == [counts[seen] for seen in sorted(counts)]
    assert row_counts(joint, partition).tolist() == [rows[seen] for seen in sorted(rows)]
    assert distinct_l(joint, partition) == min(counts.values())
    assert row_k(joint, partition) == min(rows.values())
    assert conditional_entropy(joint, partition) == log2(max(counts.values()))
    assert least_posterior_entropy(joint, partition) == log2(min(counts.values()))
    assert max_uncertainty_reduction(joint, partition) == log2(max(ratios))
    assert min_uncertainty_reduction(joint, partition) == log2(min(ratios))
    assert is_independent(joint, partition) == all(ratio == 1 for ratio in ratios)


@given(joint_ranges())
def test_lemma_1_leakage_and_distinct_l_say_the_same(joint):
    assert max_uncertainty_reduction(joint) == pytest.approx(
        log2(joint.sensitive.size / distinct_l(joint)), abs=1e-12
    )
    assert distinct_l(joint) == round(2 ** least_posterior_entropy(joint))


@given(joint_ranges(side=True))
def test_the_least_reduction_is_never_above_the_most(joint):
    assert 0 <= min_uncertainty_reduction(joint) <= max_uncertainty_reduction(joint)


@given(joint_ranges())
def test_proposition_1_certainty_never_exceeds_the_worst_case(joint):
    assert maximin_information(joint) <= max_uncertainty_reduction(joint) + 1e-12
    assert maximin_information(joint) <= max_uncertainty_reduction(joint.reversed) + 1e-12


def test_side_information_may_tell_for_certain_what_the_worst_case_leaves_out():
    joint = JointRange.from_pairs([("x", 1, "a"), ("x", 2, "a"), ("x", 3, "b"), ("x", 4, "b")])
    assert max_uncertainty_reduction(joint) == 0.0
    assert maximin_information(joint) == 1.0


@given(joint_ranges_with_partition(side=True))
def test_merging_never_raises_a_leakage(pair):
    joint, partition = pair
    for leakage in (max_uncertainty_reduction, min_uncertainty_reduction, maximin_information):
        assert leakage(joint, partition) <= leakage(joint) + 1e-12
    assert distinct_l(joint, partition) >= distinct_l(joint)
    assert row_k(joint, partition) >= row_k(joint)


@given(joint_ranges())
def test_nothing_merged_is_the_table_as_it_is(joint):
    singletons = Partition.singletons(joint.public.size)
    for measure in ALL:
        assert (measure(joint) == measure(joint, singletons)) is True or (
            measure(joint).tolist() == measure(joint, singletons).tolist()
        )


@pytest.mark.parametrize("measure", ALL, ids=lambda measure: measure.__name__)
def test_unknown_keywords_are_refused(measure):
    with pytest.raises(TypeError):
        measure(toy(), k=3)
