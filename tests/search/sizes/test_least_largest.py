"""Clusters of fewest values under any requirements, some rows withheld or none, against all partitions."""

from __future__ import annotations

import random
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from enough_instances import joint_of, random_requirements, random_rows
from hartley.measures.overlap import components, linked_range, overlap_partition
from hartley.model import JointRange, Partition
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.effort import UNLIMITED
from hartley.search.enough import Enough
from hartley.search.sizes.cluster_count import most_clusters
from hartley.search.sizes.search import SizeSearch, least_largest_cluster, smallest_serving
from hartley.search.sizes.swaps import QUICK, SwapSearch, dealt_places
from hartley.search.sizes.withheld import Withholding, least_largest_withholding
from paper_levels import istar_level, l0_levels
from reference_every_partition import clusters_of_every_partition, every_partition
from reference_requirements import Twin


def instance(rng, largest=8):
    rows = random_rows(rng, rng.randint(1, largest), rng.randint(1, 6))
    joint = joint_of(rows)
    requirements, closeness, tolerance = random_requirements(rng, joint)
    return Enough.of(joint, requirements, closeness), Twin(rows, requirements, tolerance, "size")


def test_the_smallest_largest_cluster_against_all_partitions():
    rng = random.Random(41)
    levels = equal = proven = 0
    for _ in range(300):
        enough, twin = instance(rng)
        best = twin.least_cost()[0]
        if best == inf:
            continue
        answer = least_largest_cluster(enough)
        assert enough.is_met_by(answer.partition)
        assert answer.lower_bound_cost <= best <= answer.cost
        levels += 1
        equal += answer.cost == best
        proven += answer.is_proven
    assert equal == levels
    assert proven > 0.85 * levels


def most_counted(enough, clusters):
    """The most that so many clusters can all keep, by counting."""
    wanted = 0
    while most_clusters(enough.asking(0, wanted + 1)) >= clusters:
        wanted += 1
    return wanted


def test_counting_bounds_what_clusters_can_keep():
    rng = random.Random(42)
    tight = levels = 0
    for _ in range(300):
        rows = random_rows(rng, rng.randint(1, 7), rng.randint(1, 6))
        tolerance = rng.randint(0, 4)
        joint = joint_of(rows)
        enough = Enough.of(joint, [Requirement("separated-l", 1)], Closeness.of({"sensitive": tolerance}))
        size = joint.public.size
        kept_by = {}
        shown = [Twin(rows, [], tolerance, "size").shown(subset) for subset in range(1 << size)]
        from enough_instances import spaced

        counts = np.array([spaced(values, tolerance) for values in shown])
        clusters = clusters_of_every_partition(size)
        fewest = counts[clusters].min(axis=1)
        worst = np.bitwise_count(clusters).max(axis=1)
        is_functional = len({x for x, _ in rows}) == len(set(rows))
        for largest in range(1, size + 1):
            kept_by[largest] = int(fewest[worst <= largest].max())
            bound = most_counted(enough, -(-size // largest))
            assert kept_by[largest] <= bound
            levels += 1
            tight += kept_by[largest] == bound
            if is_functional:
                assert kept_by[largest] == bound
                assert SizeSearch.of(enough.asking(0, bound)).of_size(largest).partition is not None
        number = np.array([len(set(row)) for row in clusters.tolist()])
        wanted = rng.randint(1, 3)
        possible = number[fewest >= wanted].max(initial=0)
        assert most_clusters(enough.asking(0, wanted)) >= possible
    assert tight > 0.9 * levels


def test_two_candidates_are_not_always_kept_where_counting_says_so():
    """{0}, {0}, {1}, {3, 4} at a tolerance of 1: four spaced pairs, and yet no two clusters of two."""
    joint = joint_of([(1.0, 0), (2.0, 0), (3.0, 1), (4.0, 3), (4.0, 4)])
    enough = Enough.of(joint, [Requirement("separated-l", 2)], Closeness.of({"sensitive": 1}))
    assert most_clusters(enough) == 2
    assert SizeSearch.of(enough).of_size(2).is_excluded


def test_one_sensitive_value_each_is_solved_by_dealing():
    rng = np.random.default_rng(43)
    joint = JointRange.from_codes(
        public_codes=np.arange(3000),
        sensitive_codes=np.concatenate((np.arange(400), rng.integers(400, size=2600))),
    )
    for tolerance in (0, 2, 9):
        enough = Enough.of(joint, [Requirement("separated-l", 1)], Closeness.of({"sensitive": tolerance}))
        for largest in (5, 40, 300):
            kept = most_counted(enough, -(-enough.size // largest))
            assert SizeSearch.of(enough.asking(0, kept)).of_size(largest).partition is not None


def test_a_tolerance_of_nothing_keeps_what_the_search_for_candidates_keeps():
    rng = random.Random(44)
    for _ in range(25):
        joint = joint_of(random_rows(rng, rng.randint(2, 9), rng.randint(2, 6)))
        for level in l0_levels(joint).levels:
            wanted = round(joint.sensitive.size / 2**level.leakage_bits)
            closeness = Closeness.of({"sensitive": 0})
            answer = least_largest_cluster(Enough.of(joint, [Requirement("separated-l", wanted)], closeness))
            assert answer.cost <= level.cost


def test_swaps_keep_count_and_end_where_all_is_enough():
    rng = random.Random(45)
    for _ in range(20):
        joint = joint_of(random_rows(rng, 40, 12))
        enough = Enough.of(
            joint,
            [Requirement("separated-l", 3), Requirement("row-k", 5)],
            Closeness.of({"sensitive": rng.randint(0, 3)}),
        )
        search = SwapSearch(enough, 5, dealt_places(enough, 5, 8), 3)
        reached = search.run(10_000, QUICK, UNLIMITED)
        labels = search.partition.labels.astype(np.int64)
        held = enough.counts_of_clusters(labels, 8)
        assert search.cost == int(np.maximum(enough.least - held, 0).sum())
        assert reached is bool((held >= enough.least).all())
        assert np.bincount(labels).max() <= 5


def test_rows_withheld_where_the_number_of_values_counts():
    rng = random.Random(46)
    levels = equal = 0
    for _ in range(200):
        enough, twin = instance(rng, 6)
        if twin.least_cost()[0] == inf:
            continue
        budget = rng.randint(0, len(twin.rows))
        # Where everything is withheld, that costs as much as a value by itself.
        best = max(1, twin.least_cost_withholding(budget))
        answer = least_largest_withholding(enough, budget)
        assert answer.lower_bound_cost <= best <= answer.cost
        assert answer.withheld_rows <= budget
        assert enough.is_met_by(answer.partition)
        levels += 1
        equal += answer.cost == best
    assert equal > 0.75 * levels


def test_fewest_components_with_rows_withheld_is_the_closed_form():
    rng = random.Random(47)
    for _ in range(30):
        rows = random_rows(rng, rng.randint(2, 6), rng.randint(2, 6))
        closeness = Closeness.of({"sensitive": rng.choice((0, 0, 1))})
        joint = joint_of(rows)
        linked = linked_range(joint, closeness)[0]
        size = joint.public.size
        counts = np.array([sum(x == label for x, _ in rows) for label in joint.public.labels()])
        best: dict[tuple[int, int], int] = {}
        for labels in every_partition(size):
            partition = Partition(labels.astype(np.int64))
            left = overlap_partition(joint, partition, closeness).size
            for block in (-1, *range(partition.size)):
                kept = [len(c) for number, c in enumerate(partition.clusters()) if number != block]
                used = int(counts[labels == block].sum()) if block >= 0 else 0
                key = (max(kept, default=0), used)
                best[key] = min(best.get(key, size + 1), left)
        for largest in range(1, size + 1):
            for budget in range(len(rows) + 1):
                fewest = min(
                    left for (worst, used), left in best.items() if worst <= largest and used <= budget
                )
                answer = Withholding(linked, budget).answer(largest)
                assert round(2**answer.leakage_bits) == fewest
                assert overlap_partition(joint, answer.partition, closeness).size == fewest
                assert int(counts[answer.withheld].sum()) == answer.withheld_rows <= budget
                kept = np.setdiff1d(np.arange(size), answer.withheld)
                if len(kept):
                    assert Partition(answer.partition.labels[kept]).sizes.max() <= largest


def test_a_component_that_keeps_a_value_is_needed():
    """Components of 2, 1, 1, 1 values with rows (2, 2), 1, 1, 1: two are left within 3 rows, not one."""
    rows = [(1.0, 0), (1.0, 0), (2.0, 0), (2.0, 0), (3.0, 10), (4.0, 20), (5.0, 30)]
    answer = Withholding(joint_of(rows), 3).answer(2)
    assert answer.leakage_bits == 1


def test_components_with_a_tolerance_follow_the_closed_form():
    rng = random.Random(48)
    for _ in range(60):
        joint = joint_of(random_rows(rng, rng.randint(2, 6), rng.randint(2, 6)))
        closeness = Closeness.of({"sensitive": rng.randint(0, 2)})
        linked = linked_range(joint, closeness)[0]
        size = joint.public.size
        parts = components(linked).size
        for largest in range(1, size + 1):
            level = istar_level(linked, largest)
            left = overlap_partition(joint, level.partition, closeness).size
            assert left == max(1, parts - size - (-size // largest))


@pytest.mark.parametrize("is_excluded", [False, True])
def test_a_size_that_was_not_reached_raises_the_bound_only_where_it_is_excluded(is_excluded: bool) -> None:
    nothing = SimpleNamespace(partition=None, is_excluded=is_excluded)
    search: Any = SimpleNamespace(
        least=lambda _: 2,
        enough=SimpleNamespace(is_beside=False),
        of_size=lambda *_, at_length: nothing if at_length else None,
    )
    found, bound = smallest_serving(search, 1, Partition.whole(9), UNLIMITED)
    assert found == Partition.whole(9)
    assert bound == (9 if is_excluded else 2)
