"""A search that is stopped after any number of questions gives true points, true bounds, and says so."""

from __future__ import annotations

import random
from functools import partial
from itertools import count, pairwise
from math import inf

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.effort import Effort
from hartley.search.frontier import frontier as optimal_frontier
from hartley.search.greedy.runs import greedy_frontier, greedy_run
from hartley.search.points.measured import point_of_partition
from hartley.search.problem import Problem
from sample_sizes import sample

SIZE = 13
"""More values than are enumerated, so that the searches themselves are stopped."""


def stopping_after(questions: int) -> Effort:
    asked = count()
    return Effort(should_stop=lambda: next(asked) >= questions, remaining=lambda: inf)


def _asked(questions: list[None]) -> bool:
    questions.append(None)
    return False


def table(rng: random.Random, *, side: bool) -> JointRange:
    width = rng.randint(3, 9)
    triples = {
        (x, rng.randrange(width), rng.randrange(2)) for x in range(SIZE) for _ in range(rng.randint(1, 3))
    }
    columns = [np.unique(column, return_inverse=True)[1] for column in np.array(sorted(triples)).T]
    return JointRange.from_codes(
        public_codes=columns[0], sensitive_codes=columns[1], side_codes=columns[2] if side else None
    )


def utility_of(name: str, rng: random.Random) -> Utility:
    if name == "resolution":
        return Resolution(SIZE)
    positions = np.array([float(rng.randrange(40)) for _ in range(SIZE)])
    return LineDistortion(positions, name)  # type: ignore[arg-type]


@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("utility", ["resolution", "midpoint", "centroid", "member"])
@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
def test_whenever_it_is_stopped_points_and_bounds_are_true(leakage, utility, side):
    rng = random.Random(f"{leakage} {utility} {side}")
    joint = table(rng, side=side)
    question = Problem(joint=joint, leakage=leakage, utility=utility_of(utility, rng))
    whole = optimal_frontier(question, stopping_after(1500))
    for questions in [0, 1, 2, 4, 7, *(rng.randrange(8, 400) for _ in range(sample(5, 40)))]:
        stopped = optimal_frontier(question, stopping_after(questions))
        for point in stopped.points:
            measured = point_of_partition(question, point.cut)
            assert (measured.leakage_bits, measured.distinct_l) == (point.leakage_bits, point.distinct_l)
            assert (measured.components, measured.clusters) == (point.components, point.clusters)
            assert measured.utility == pytest.approx(point.utility)
            if leakage == "joint":
                assert point.components == 1
            # What the whole search found at this utility or better is not below the bound.
            better = [p.leakage_bits for p in whole.points if p.utility >= point.utility - 1e-9]
            if better:
                assert point.lower_bound_bits <= min(better) + 1e-9
            assert point.lower_bound_bits <= point.leakage_bits + 1e-9
            if point.proven_optimal:
                assert point.leakage_bits <= min(better) + 1e-9
        if stopped.complete and whole.complete:
            assert [p.leakage_bits for p in stopped.points] == [p.leakage_bits for p in whole.points]


@pytest.mark.parametrize("utility", ["resolution", "midpoint", "centroid", "member"])
@pytest.mark.parametrize("leakage", ["l0", "istar"])
def test_a_stopped_search_is_no_worse_than_the_greedy_run_before_it(leakage, utility):
    rng = random.Random(f"{leakage} {utility}")
    for _ in range(6):
        question = Problem(joint=table(rng, side=False), leakage=leakage, utility=utility_of(utility, rng))
        asked: list[None] = []
        counting = Effort(should_stop=partial(_asked, asked))
        greedy = greedy_frontier(question, greedy_run(question, None, counting))
        for further in range(6):
            found = optimal_frontier(question, stopping_after(len(asked) + further))
            for point in greedy.points:
                assert any(
                    ours.leakage_bits <= point.leakage_bits + 1e-9 and ours.utility >= point.utility - 1e-9
                    for ours in found.points
                )


def test_a_greedy_run_that_was_stopped_is_not_complete():
    rng = random.Random(3)
    joint = table(rng, side=True)
    question = Problem(joint=joint, leakage="l0", utility=Resolution(SIZE))
    assert greedy_frontier(question, greedy_run(question, None, Effort())).complete
    run = greedy_run(question, None, stopping_after(2))
    assert not greedy_frontier(question, run).complete
    assert run.stop(0.0) is None
    assert run.tree.partition(run.tree.steps) == Partition.singletons(SIZE)


def test_problem_3_stopped_before_one_group_is_left_says_that_it_was_stopped():
    joint = JointRange.from_pairs([(x, x) for x in range(SIZE)])
    question = Problem(joint=joint, leakage="joint", utility=LineDistortion(np.arange(float(SIZE))))
    with pytest.raises(UnreachableError, match="stopped before"):
        greedy_frontier(question, greedy_run(question, 1.0, stopping_after(SIZE + 3)))


@pytest.mark.parametrize("utility", ["resolution", "midpoint", "centroid"])
def test_with_requirements_a_limit_leaves_no_level_out_and_a_longer_one_makes_none_worse(utility):
    rng = random.Random(utility)
    question = Problem(
        joint=table(rng, side=False),
        leakage="l0",
        utility=utility_of(utility, rng),
        requirements=(Requirement("row-k", 3),),
    )
    whole = optimal_frontier(question, Effort())
    found = []
    for limit in (4, 12, 30, 60):
        asked = count()
        effort = Effort(
            should_stop=lambda asked=asked, limit=limit: next(asked) >= limit, remaining=lambda: 1.0
        )
        found.append(optimal_frontier(question, effort))
    assert utility == "resolution" or not found[0].complete
    for stopped in found:
        assert stopped.points[-1].distinct_l == whole.points[-1].distinct_l
    for shorter, longer in pairwise([*found, whole]):
        for point in shorter.points:
            assert any(
                other.utility >= point.utility - 1e-9 and other.leakage_bits <= point.leakage_bits + 1e-9
                for other in longer.points
            )
