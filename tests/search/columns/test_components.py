"""What is certain over several columns, against every partition of small tables."""

from __future__ import annotations

import numpy as np
import pytest

from hartley.measures.overlap import components, overlap_partition
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.columns.cells import CategoryCells, NumberCells, cells_of
from hartley.search.columns.components import ComponentSearch
from hartley.search.columns.loops.cells import gap_of
from hartley.search.problem import Problem
from hartley.search.solve import fewest_components, solve
from reference_every_partition import every_partition

SLACK = 1e-9


def small(rng: np.random.Generator) -> JointRange:
    size = int(rng.integers(3, 7))
    values = sorted({(int(rng.integers(0, 8)), str(rng.choice(["x", "y"]))) for _ in range(size)})
    pairs = [(value, int(rng.integers(0, 6))) for value in values for _ in range(int(rng.integers(1, 3)))]
    public = Alphabet.of_values(values, columns=("a", "b"))
    return JointRange.from_codes(
        public_codes=np.array([values.index(value) for value, _ in pairs]),
        sensitive_codes=np.unique([code for _, code in pairs], return_inverse=True)[1],
        public=public,
    )


@pytest.mark.parametrize("combination", ["max", "sum"])
def test_no_partition_beats_the_contraction_bound_and_joins_are_what_they_say(combination):
    rng = np.random.default_rng(5)
    closed = asked = 0
    for _ in range(15):
        joint = small(rng)
        if joint.public.size < 2:
            continue
        utility = ColumnsDistortion.of(joint.public, combination=combination)
        question = Problem(joint=joint, utility=utility, requirements=())
        search, answers = fewest_components(question)
        least: dict[int, float] = {}
        for labels in every_partition(joint.public.size):
            partition = Partition(np.array(labels))
            left = overlap_partition(joint.release(partition)).size
            cost = float(utility.costs(partition).max())
            least[left] = min(least.get(left, np.inf), cost)
            assert search.bound(left) / 2 <= cost + SLACK
            assert search.fewest(2 * cost + SLACK) <= left
        for answer in answers:
            left = overlap_partition(joint.release(answer.partition)).size
            best = min(cost for count, cost in least.items() if count <= left)
            assert answer.lower_bound_cost <= best + SLACK
            assert answer.cost >= best - SLACK
            asked += 1
            closed += answer.cost <= best + SLACK
        assert overlap_partition(joint.release(answers[-1].partition)).size == 1
    assert closed >= 0.8 * asked


def test_the_spanning_tree_is_that_of_all_gaps():
    rng = np.random.default_rng(2)
    for norm in ("max", "sum"):
        for _ in range(10):
            size = int(rng.integers(5, 60))
            columns = [NumberCells(rng.random(size)), CategoryCells(rng.integers(0, 3, size))]
            cells = cells_of(columns, norm)
            component = rng.integers(0, max(2, size // 3), size)
            search = ComponentSearch(cells, component)
            gaps = sorted(
                (gap_of(cells, one, other), one, other)
                for one in range(size)
                for other in range(one)
                if search.component[one] != search.component[other]
            )
            leader = list(range(search.size))
            lengths = []
            for gap, one, other in gaps:
                first, second = leader[search.component[one]], leader[search.component[other]]
                if first != second:
                    leader = [first if each == second else each for each in leader]
                    lengths.append(gap)
            assert search.lengths == pytest.approx(lengths)


def test_8_a_split_into_parts_that_share_a_candidate_leaves_the_components():
    rng = np.random.default_rng(8)
    for _ in range(60):
        joint = small(rng)
        partition = Partition(rng.integers(0, 3, joint.public.size))
        before = overlap_partition(joint.release(partition)).size
        candidates = [set(joint.candidates(place).tolist()) for place in range(joint.public.size)]
        for cluster in partition.clusters():
            half = cluster[: len(cluster) // 2]
            rest = [place for place in cluster if place not in half]
            held = [set().union(*(candidates[place] for place in part)) for part in (half, rest)]
            if not half or not held[0] & held[1]:
                continue
            labels = partition.labels.copy()
            labels[list(half)] = partition.size
            assert overlap_partition(joint.release(Partition(labels))).size == before


def test_problem_three_over_columns_leaves_one_component_and_enough_candidates():
    rng = np.random.default_rng(11)
    for _ in range(12):
        joint = small(rng)
        most = len(np.unique(joint.indices))
        if joint.public.size < 3 or most < 2:
            continue
        utility = ColumnsDistortion.of(joint.public)
        wanted = Requirement("distinct-l", 2)
        asked = Problem(joint=joint, utility=utility, requirements=(wanted,), leakage="joint")
        answer = solve(asked)
        released = joint.release(answer.partition)
        assert components(released).size == 1
        assert np.diff(released.indptr).min() >= 2
        assert answer.lower_bound_cost <= answer.cost
        best = min(
            float(utility.costs(partition).max())
            for labels in every_partition(joint.public.size)
            if components(made := joint.release(partition := Partition(np.array(labels)))).size == 1
            and np.diff(made.indptr).min() >= 2
        )
        assert answer.lower_bound_cost <= best + SLACK
        assert answer.cost >= best - SLACK
