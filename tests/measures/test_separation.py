"""The measures with a tolerance: definitions, theorems and counterexamples."""

from __future__ import annotations

import json
import random
from math import log2
from pathlib import Path

import pytest

from enough_instances import joint_of, joint_of_two, random_rows, spaced
from hartley.measures.overlap import maximin_information, overlap_partition
from hartley.measures.separation import least_spread, separated_values
from hartley.measures.uncertainty import candidate_counts, distinct_l, max_uncertainty_reduction
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.closeness import Closeness
from sample_sizes import sample

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden_practice.json").read_text())


def within(tolerance):
    return Closeness.of({"sensitive": tolerance})


def random_partition(rng, size):
    return Partition.from_clusters(
        [
            c
            for c in (
                [p for p in range(size) if p % k == r] for k in [rng.randint(1, size)] for r in range(k)
            )
            if c
        ]
    )


def slow_components(joint, partition, tolerance):
    """Count groups of clusters linked by a shared or close sensitive value."""
    shown = [
        {joint.sensitive.label(s) for place in cluster for s in joint.candidates(place)}
        for cluster in partition.clusters()
    ]
    left = list(range(len(shown)))
    groups = 0
    while left:
        groups += 1
        reached = [left.pop()]
        while reached:
            one = reached.pop()
            linked = [
                other
                for other in left
                if any(abs(s - t) <= tolerance for s in shown[one] for t in shown[other])
            ]
            left = [other for other in left if other not in linked]
            reached += linked
    return groups


@pytest.mark.parametrize("instance", GOLDEN["instances"], ids=lambda instance: instance["name"])
def test_golden_measures(instance):
    joint = joint_of((float(x), s) for s, x in instance["rows"])
    for level in instance["tolerance"]:
        closeness = within(level["tau"])
        assert separated_values(joint, closeness) == level["separated_values"]
        assert distinct_l(joint, None, closeness) == level["separated_l_untouched"]
        assert max_uncertainty_reduction(joint, None, closeness) == pytest.approx(level["l0_bits_untouched"])
        assert overlap_partition(joint, None, closeness).size == level["components_untouched"]


@pytest.mark.parametrize("case", GOLDEN["packing"], ids=str)
def test_golden_packings(case):
    joint = JointRange.from_pairs([(0, s) for s in case["values"]])
    assert separated_values(joint, within(case["tau"])) == case["separated"]


def test_measures_follow_their_definitions():
    rng = random.Random(11)
    for _ in range(sample(400, 4000)):
        joint = joint_of(random_rows(rng, rng.randint(1, 7), rng.randint(1, 7)))
        partition, tolerance = random_partition(rng, joint.public.size), rng.randint(0, 5)
        closeness = within(tolerance)
        shown = [
            [joint.sensitive.label(s) for place in cluster for s in joint.candidates(place)]
            for cluster in partition.clusters()
        ]
        counts = [spaced(values, tolerance) for values in shown]
        assert candidate_counts(joint, partition, closeness).tolist() == counts
        whole = spaced(joint.sensitive.labels(), tolerance)
        assert max_uncertainty_reduction(joint, partition, closeness) == log2(whole / min(counts))
        assert least_spread(joint.release(partition), closeness) == min(max(v) - min(v) for v in shown)
        found = slow_components(joint, partition, tolerance)
        assert maximin_information(joint, partition, closeness) == log2(found)


def test_a_tolerance_of_nothing_is_the_paper():
    rng = random.Random(12)
    for _ in range(sample(200, 2000)):
        joint = joint_of(random_rows(rng, rng.randint(1, 7), rng.randint(1, 7)))
        partition = random_partition(rng, joint.public.size)
        zero = within(0)
        assert distinct_l(joint, partition, zero) == distinct_l(joint, partition)
        assert max_uncertainty_reduction(joint, partition, zero) == max_uncertainty_reduction(
            joint, partition
        )
        assert maximin_information(joint, partition, zero) == maximin_information(joint, partition)


def test_what_is_certain_is_never_more_than_the_worst_case():
    """Proposition 1 with a tolerance, also for two sensitive columns and groups."""
    rng = random.Random(13)
    for _ in range(sample(1500, 15_000)):
        if rng.random() < 0.5:
            joint = joint_of(random_rows(rng, rng.randint(1, 7), rng.randint(1, 7), missing=True))
            closeness = within(rng.randint(0, 5))
        else:
            joint = joint_of_two(rng, rng.randint(1, 6))
            groups = {"kind": {"a": "g", "b": "g", "c": "h"}} if rng.random() < 0.5 else None
            closeness = Closeness.of({"x": rng.randint(0, 4)}, groups)
        partition = random_partition(rng, joint.public.size)
        certain = maximin_information(joint, partition, closeness)
        assert certain <= max_uncertainty_reduction(joint, partition, closeness) + 1e-12


def test_links_of_close_values_are_needed():
    """Without them what is certain would be more than the worst case: {1}, {2} at a tolerance of 4."""
    joint = joint_of([(1.0, 1), (2.0, 2)])
    assert maximin_information(joint) == 1.0
    assert max_uncertainty_reduction(joint, None, within(4)) == 0.0
    assert maximin_information(joint, None, within(4)) == 0.0


def test_bits_neither_rise_nor_fall_with_the_tolerance():
    rising = joint_of([(1.0, 1), (1.0, 3), (2.0, 3), (2.0, 4)])
    assert max_uncertainty_reduction(rising, None, within(0)) == log2(3 / 2)
    assert max_uncertainty_reduction(rising, None, within(1)) == 1.0
    falling = joint_of([(1.0, 1), (2.0, 2)])
    assert max_uncertainty_reduction(falling, None, within(0)) == 1.0
    assert max_uncertainty_reduction(falling, None, within(4)) == 0.0


def test_counts_that_are_apart_are_not_submodular():
    def n(*values):
        return separated_values(JointRange.from_pairs([(0, s) for s in values]), within(5))

    assert n(1, 5) + n(5, 7) < n(1, 5, 7) + n(5)


def test_counts_that_are_apart_grow_and_add_up():
    rng = random.Random(14)
    for _ in range(sample(400, 4000)):
        one = [rng.randrange(15) for _ in range(rng.randint(1, 5))]
        two = [rng.randrange(15) for _ in range(rng.randint(1, 5))]
        tolerance = rng.randint(0, 5)

        def n(values, tolerance=tolerance):
            return separated_values(JointRange.from_pairs([(0, s) for s in values]), within(tolerance))

        assert max(n(one), n(two)) <= n(one + two) <= n(one) + n(two)
        if min(abs(s - t) for s in one for t in two) > tolerance:
            assert n(one + two) == n(one) + n(two)


def test_fixed_bands_count_up_to_twice_as_much():
    rng = random.Random(15)
    for _ in range(sample(400, 4000)):
        values = [rng.randrange(30) for _ in range(rng.randint(1, 7))]
        tolerance = rng.randint(1, 6)
        offset = rng.randrange(tolerance)
        cells = len({(value - offset) // tolerance for value in values})
        assert spaced(values, tolerance) <= cells <= 2 * spaced(values, tolerance)


def grouped_range(joint: JointRange, closeness: Closeness) -> JointRange:
    """Return the table with groups as sensitive values, where closeness is by groups alone."""
    codes, pair = closeness.codes(joint.sensitive), joint.observation_of
    assert codes.is_plain
    return JointRange.from_codes(
        public_codes=joint.public_of[pair],
        sensitive_codes=codes.code_of[joint.indices],
        public=joint.public,
        sensitive=Alphabet.numbered(codes.width, "group"),
        rows=joint.rows,
    )


def test_groups_are_the_paper_with_groups_for_values():
    rng = random.Random(16)
    for _ in range(sample(100, 1000)):
        joint = joint_of(random_rows(rng, rng.randint(1, 7), rng.randint(1, 6)))
        closeness = Closeness.of(groups={"sensitive": {s: str(s % 3) for s in joint.sensitive.labels()}})
        grouped = grouped_range(joint, closeness)
        assert candidate_counts(joint, None, closeness).tolist() == candidate_counts(grouped).tolist()
        assert maximin_information(joint, None, closeness) == maximin_information(grouped)


def test_side_information_is_counted_from_what_was_known_before():
    joint = JointRange.from_pairs(
        [("x", 41, "f"), ("x", 50, "f"), ("y", 50, "f"), ("y", 70, "m"), ("x", 71, "m")]
    )
    closeness = within(3)
    # Of "m" one value apart is possible before and after; of "f" two before, and one after y.
    assert max_uncertainty_reduction(joint, None, closeness) == 1.0


def test_a_spread_takes_no_account_of_missing_values():
    joint = JointRange.from_pairs([("x", 41), ("x", None), ("x", 50), ("y", 41), ("y", 90)])
    assert least_spread(joint, within(3)) == 9
    assert least_spread(joint, Closeness()) is None
    alone = JointRange.from_pairs([("x", None), ("y", 3)])
    assert least_spread(alone, within(3)) == 0


def test_dates_are_apart_by_days():
    import datetime as dt

    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 5), dt.date(2024, 2, 1)]
    joint = JointRange.from_codes(
        public_codes=[0, 0, 0],
        sensitive_codes=[0, 1, 2],
        sensitive=Alphabet.of_values(days, ("day",)),
    )
    assert distinct_l(joint, None, Closeness.of({"day": 4})) == 2
    assert least_spread(joint, Closeness.of({"day": 4})) == 31


def test_a_wide_spread_gives_no_bits():
    """{0, 5} and {1, 4}: one bit is certain, more than the spreads 5 and 3 would allow."""
    joint = joint_of([(1.0, 0), (1.0, 5), (2.0, 1), (2.0, 4)])
    assert least_spread(joint, within(0)) == 3
    assert maximin_information(joint) == 1.0 > log2(5 / 3)
