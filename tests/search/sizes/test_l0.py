"""Most candidates under resolution: the paper's data, theorems, starts, seeds and stopping."""

from __future__ import annotations

import csv
from math import log2
from pathlib import Path

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.examples import toy
from hartley.measures.uncertainty import distinct_l
from hartley.measures.utility import Resolution
from hartley.model import JointRange, Partition
from hartley.search.effort import Effort
from hartley.search.greedy import narrowest_first
from paper_levels import joint_levels, l0_level, l0_levels, smallest_clusters
from reference_optimal_resolution import random_table, truth

# spec optimal.md (c): the whole frontier of age by cholesterol, certified.
HUNGARIAN = {
    2: 2, 3: 5, 4: 6, 5: 8, 6: 10, 7: 12, 8: 13, 9: 15, 10: 17, 11: 19, 12: 20, 13: 21, 14: 22, 16: 23,
    18: 25, 20: 26, 22: 27, 26: 29, 31: 30, 39: 31, 52: 33, 77: 36, 154: 38,
}  # fmt: skip


def even_table(size: int, sensitive: int, density: float, seed: int, skew: float = 1.0) -> JointRange:
    rng = np.random.default_rng(seed)
    counts = np.minimum(rng.geometric(1 - density, size=size), sensitive)
    pairs = [
        (value, int(s))
        for value, count in enumerate(counts)
        for s in np.unique((sensitive * rng.random(count) ** skew).astype(int))
    ]
    codes = np.array(pairs)
    return JointRange.from_codes(
        public_codes=codes[:, 0], sensitive_codes=np.unique(codes[:, 1], return_inverse=True)[1]
    )


def age_by_cholesterol(path: Path) -> JointRange:
    with path.open() as file:
        pairs = {(row["chol"] or "-9", row["age"]) for row in csv.DictReader(file)}
    return JointRange.from_pairs(sorted(pairs))


def test_the_whole_frontier_of_the_papers_data_is_proven(hungarian_heart: Path) -> None:
    joint = age_by_cholesterol(hungarian_heart)
    levels = l0_levels(joint)
    assert levels.complete
    assert {int(level.cost): distinct_l(joint, level.partition) for level in levels.levels} == {
        1: 1,
        **HUNGARIAN,
    }
    assert all(level.proven_optimal for level in levels.levels)


def test_problem_3_costs_nothing_on_the_papers_data(hungarian_heart: Path) -> None:
    # spec optimal.md (e): the second component has one age, so two candidates force I* = 0.
    joint = age_by_cholesterol(hungarian_heart)
    levels = joint_levels(joint).levels
    assert {int(level.cost): distinct_l(joint, level.partition) for level in levels} == HUNGARIAN
    assert all(level.proven_optimal for level in levels)


def test_the_papers_example() -> None:
    # spec optimal.md (c): toy, candidates: least size; greedy needs 3, 4, 7 for 2, 3, 4.
    least = {wanted: smallest_clusters(toy(), wanted).cost for wanted in range(1, 7)}
    assert least == {1: 1, 2: 2, 3: 4, 4: 4, 5: 7, 6: 7}


def test_a_size_between_two_numbers_of_clusters_can_matter() -> None:
    # Two clusters either way, but only sizes 3 and 1 leave the rich value alone.
    joint = JointRange.from_pairs([(0, "a"), (1, "b"), (2, "c"), (3, "a"), (3, "b"), (3, "c")])
    assert truth(joint).least_ratio(2) == 3 / 2
    assert truth(joint).least_ratio(3) == 1
    assert [(level.cost, distinct_l(joint, level.partition)) for level in l0_levels(joint).levels] == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]


def test_one_candidate_per_value_is_solved_by_counting() -> None:
    # spec optimal.md (c), |S_x| = 1: floor(sum of min(f_s, q) / q), for every size.
    rng = np.random.default_rng(4)
    for _ in range(60):
        size = int(rng.integers(1, 60))
        codes = np.unique((12 * rng.random(size) ** rng.integers(1, 4)).astype(int), return_inverse=True)[1]
        joint = JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=codes)
        for largest in range(1, size + 1):
            clusters = -(-size // largest)
            level = l0_level(joint, largest)
            most = int(np.minimum(np.bincount(codes), clusters).sum()) // clusters
            assert level.leaks_least
            assert distinct_l(joint, level.partition) == most


def test_two_candidates_are_a_closed_form() -> None:
    # spec optimal.md (c), k = 2: R >= q, or the singles fill what is left twice.
    rng = np.random.default_rng(5)
    asked = 0
    for _ in range(300):
        joint = random_table(rng, 7)
        known = truth(joint)
        counts = np.diff(joint.indptr)
        single = np.bincount(joint.indices[joint.indptr[:-1][counts == 1]], minlength=joint.sensitive.size)
        for largest in range(2, joint.public.size + 1):
            left = -(-joint.public.size // largest) - int((counts > 1).sum())
            formula = left <= 0 or int(np.minimum(single, left).sum()) >= 2 * left
            assert formula == (known.least_ratio(largest) <= joint.sensitive.size / 2 + 1e-12)
            asked += 1
    assert asked > 500


def test_no_level_is_worse_than_greedy() -> None:
    for seed in range(6):
        joint = even_table(40, 15, 0.5, seed)
        run = narrowest_first(joint, Resolution(40))
        steps = [run.partition(step) for step in range(run.steps + 1)]
        stopped = Effort(should_stop=lambda: True)
        for levels in (l0_levels(joint, starts=steps), l0_levels(joint, stopped, steps)):
            for step in steps:
                fitting = [level for level in levels.levels if level.cost <= step.sizes.max()]
                assert (
                    fitting[-1].leakage_bits <= log2(joint.sensitive.size / distinct_l(joint, step)) + 1e-12
                )


def test_the_same_seed_gives_the_same_partitions() -> None:
    joint = even_table(60, 30, 0.5, 3)
    one, other = l0_levels(joint, Effort(seed=9)), l0_levels(joint, Effort(seed=9))
    assert [level.leakage_bits for level in one.levels] == [level.leakage_bits for level in other.levels]
    assert [level.partition for level in one.levels] == [level.partition for level in other.levels]


def test_a_search_stopped_at_any_moment_gives_valid_levels() -> None:
    joint = even_table(60, 30, 0.5, 3)
    whole = l0_levels(joint)
    for patience in (0, 1, 5, 20, 60):
        asked = iter(range(10**9))
        effort = Effort(should_stop=lambda asked=asked, patience=patience: next(asked) >= patience)
        levels = l0_levels(joint, effort)
        costs = {level.cost: level for level in whole.levels}
        for level in levels.levels:
            assert level.partition.sizes.max() <= level.cost
            if level.cost in costs:
                assert level.lower_bound_bits <= costs[level.cost].leakage_bits + 1e-12
    assert not l0_levels(joint, Effort(should_stop=lambda: True)).complete
    assert whole.complete


def test_levels_are_offered_as_they_are_found() -> None:
    heard: list[int] = []
    done: list[tuple[int, int]] = []
    effort = Effort(
        found=lambda levels: heard.append(len(list(levels()))), progress=lambda *said: done.append(said[:2])
    )
    levels = l0_levels(toy(), effort)
    assert heard == sorted(heard)
    assert heard[-1] == len(levels.levels)
    assert 0 < done[-1][0] <= done[-1][1]


def test_what_cannot_be_is_refused_in_one_line() -> None:
    with pytest.raises(UnreachableError, match="the most that can be reached is 6"):
        smallest_clusters(toy(), 7)


def test_random_families_are_proven_almost_everywhere() -> None:
    shapes = ((0.3, 1.0), (0.7, 1.0), (0.5, 2.0), (0.0, 1.0))
    levels = [
        level
        for density, skew in shapes
        for seed in range(2)
        for level in l0_levels(even_table(50, 25, density, seed, skew)).levels
    ]
    assert sum(level.proven_optimal for level in levels) >= 0.97 * len(levels)


def test_a_start_that_is_already_best_is_kept() -> None:
    joint = toy()
    best = Partition.from_clusters([[0, 1, 6], [2, 3, 4, 5]])
    assert l0_level(joint, 4, Effort(should_stop=lambda: True), [best]).partition == best
