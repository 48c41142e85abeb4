"""The theorems that the searches under distortion lean on, and the counterexamples that bound them."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from line_search import least_distortion
from paper_levels import fewest_components_within
from reference_optimal_distortion import Instance, Measured, cluster_cost, instances, is_contiguous, measured

GOLDEN_SMALL = [i for i in instances(300, seed=21) if len(i.positions) <= 6]


def on_a_line() -> list[Instance]:
    kept = [i for i in GOLDEN_SMALL if not any(map(isnan, i.positions))]
    return [i for i in kept if len(set(i.positions)) == len(i.positions)]


def fewest(every: list[Measured], cost: float) -> int:
    return min(m.components for m in every if m.cost <= cost)


@pytest.mark.parametrize("codeword", ["midpoint", "member"])
def test_intervals_leave_as_few_components_as_any_partition(codeword):
    for instance in on_a_line():
        every = measured(instance, codeword)
        intervals = [m for m in every if is_contiguous(instance, m.partition)]
        for cost in {m.cost for m in every}:
            assert fewest(intervals, cost) == fewest(every, cost)


def test_intervals_cost_at_most_twice_the_optimum():
    for instance in on_a_line():
        every = measured(instance, "midpoint")
        for wanted in range(1, max(m.distinct_l for m in every) + 1):
            optimum = min(m.cost for m in every if m.distinct_l >= wanted)
            contiguous = min(
                m.cost for m in every if m.distinct_l >= wanted and is_contiguous(instance, m.partition)
            )
            assert contiguous <= 2 * optimum + 1e-12


@pytest.mark.parametrize("codeword", ["centroid", "member"])
def test_midpoint_never_distorts_more(codeword):
    for instance in GOLDEN_SMALL:
        midpoint = {m.partition: m.cost for m in measured(instance, "midpoint")}
        for m in measured(instance, codeword):
            assert midpoint[m.partition] <= m.cost + 1e-12


@given(
    st.lists(st.integers(0, 50), min_size=2, max_size=9),
    st.data(),
)
@settings(max_examples=300, deadline=None)
def test_the_window_between_the_ends_costs_no_more_than_the_cluster(values, data):
    positions = sorted(map(float, values))
    members = sorted(data.draw(st.sets(st.integers(0, len(values) - 1), min_size=1)))
    cluster = [positions[i] for i in members]
    window = positions[members[0] : members[-1] + 1]
    for codeword in ("midpoint", "member"):
        assert cluster_cost(window, codeword) <= cluster_cost(cluster, codeword)
    assert cluster_cost(window, "midpoint") <= cluster_cost(cluster, "centroid") + 1e-12


@pytest.mark.parametrize("codeword", ["midpoint", "member"])
def test_some_optimal_partition_is_a_chain_with_at_most_two_spans_over_a_value(codeword):
    for instance in on_a_line():
        every = measured(instance, codeword)
        chains = [m for m in every if is_chain(instance, m.partition)]
        for wanted in range(1, max(m.distinct_l for m in every) + 1):
            best = min(m.cost for m in every if m.distinct_l >= wanted)
            assert min((m.cost for m in chains if m.distinct_l >= wanted), default=inf) == best


def is_chain(instance: Instance, partition: tuple[int, ...]) -> bool:
    spans = []
    for cluster in partition:
        inside = [p for i, p in enumerate(instance.positions) if cluster >> i & 1]
        spans.append((min(inside), max(inside)))
    nested = any(a != b and a[0] <= b[0] and b[1] <= a[1] for a in spans for b in spans)
    crowded = any(sum(low <= p <= high for low, high in spans) > 2 for p in instance.positions)
    return not nested and not crowded


def test_contiguous_is_not_global():
    """A, A, B, B at 1, 2, 3, 4: a span of 2 against 3 for intervals."""
    instance = Instance((1.0, 2.0, 3.0, 4.0), tuple(map(frozenset, ([0], [0], [1], [1]))))
    every = measured(instance, "midpoint")
    assert min(m.cost for m in every if m.distinct_l == 2) == 2 / 2
    intervals = [m for m in every if is_contiguous(instance, m.partition)]
    assert min(m.cost for m in intervals if m.distinct_l == 2) == 3 / 2
    joint = JointRange.from_pairs([(1, "A"), (2, "A"), (3, "B"), (4, "B")])
    best = least_distortion(joint, LineDistortion.of(joint.public), 2)
    assert (best.cost, best.proven_optimal) == (1.0, True)
    assert best.partition.clusters() == [[0, 2], [1, 3]]


def test_fewest_components_by_centroid_need_not_be_contiguous():
    """X = (16, 26, 66, 71, 99, 103), S = (0, 2, 1, 3, 2, 0), D = 16.5: intervals 2, optimum 1."""
    positions = (16.0, 26.0, 66.0, 71.0, 99.0, 103.0)
    instance = Instance(positions, tuple(frozenset([s]) for s in (0, 2, 1, 3, 2, 0)))
    every = measured(instance, "centroid")
    intervals = [m for m in every if is_contiguous(instance, m.partition)]
    assert (fewest(every, 16.5), fewest(intervals, 16.5)) == (1, 2)
    joint = JointRange.from_codes(public_codes=np.arange(6), sensitive_codes=np.array([0, 2, 1, 3, 2, 0]))
    level = fewest_components_within(joint, LineDistortion(np.array(positions), "centroid"), 16.5)
    assert not level.proven_optimal or level.leakage_bits == 0.0
    assert level.lower_bound_bits == 0.0


def test_a_set_that_cannot_be_split_costs_intervals_twice_as_much():
    """L at 0, R at 2, the middle near 1: one span of about 1 on each side if the middle can be split."""
    positions = (0.0, 0.9, 1.0, 1.1, 2.0)
    pairs = [(0, 0), (0, 1), (1, 2), (2, 3), (3, 2), (4, 0), (4, 1), (4, 3)]
    public, sensitive = zip(*pairs, strict=True)
    joint = JointRange.from_codes(public_codes=np.array(public), sensitive_codes=np.array(sensitive))
    best = least_distortion(joint, LineDistortion(np.array(positions)), 4)
    instance = Instance(positions, tuple(frozenset(s for x, s in pairs if x == i) for i in range(5)))
    assert best.cost == min(m.cost for m in measured(instance, "midpoint") if m.distinct_l == 4)
    assert best.proven_optimal
