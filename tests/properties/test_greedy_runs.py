"""What holds for every greedy run."""

from __future__ import annotations

import random

import numpy as np
import pytest

from greedy_instances import random_joint, random_positions, small_size
from hartley.frontiers import frontier_of_runs
from hartley.measures.trajectory import Trajectory, trajectory
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, MergeTree
from hartley.model.words import CODEWORDS
from hartley.search.greedy import component_joining, joint_search, narrowest_first

WEIGHTS = (0.0, 0.05, 0.3, 1.0, 3.0, 20.0)


def instances(count: int, side: bool = False) -> list[tuple[JointRange, Utility, MergeTree, Trajectory, str]]:
    rng = random.Random(count + side)
    found = []
    for number in range(count):
        size = small_size(rng, 18)
        joint = random_joint(rng, size, side)
        positions = np.array(random_positions(rng, size))
        utility: Utility = (
            Resolution(size) if number % 2 else LineDistortion(positions, CODEWORDS[number // 2 % 3])
        )
        name = ("l0", "istar", "joint")[number % 3]
        if name == "joint":
            run = joint_search(joint, utility, rng.choice(WEIGHTS))
        else:
            run = (narrowest_first if name == "l0" else component_joining)(joint, utility)
        found.append((joint, utility, run, trajectory(joint, run, utility), name))
    return found


def test_each_step_of_algorithm_2_removes_one_component() -> None:
    for _, _, _, along, name in instances(240):
        if name == "istar":
            assert (np.diff(along.components) == -1).all()


@pytest.mark.parametrize("side", [False, True])
def test_merging_never_raises_leakage_or_resolution(side: bool) -> None:
    for joint, _, run, along, _ in instances(240, side):
        assert (np.diff(along.l0) <= 1e-12).all()
        assert (np.diff(along.istar) <= 0).all()
        assert (np.diff(trajectory(joint, run, Resolution(run.size)).utility) <= 1e-12).all()


def test_each_step_of_algorithm_1_leaves_more_candidates_unless_a_value_has_no_position() -> None:
    for _, utility, _, along, name in instances(240):
        placed = not isinstance(utility, LineDistortion) or not np.isnan(utility.positions).any()
        if name == "l0" and placed:
            assert (np.diff(along.distinct_l) >= 1).all()


def test_run_for_each_weight_is_the_one_run_up_to_where_the_lagrangian_stops_falling() -> None:
    for _, _, run, along, name in instances(240):
        for weight in WEIGHTS:
            stop = along.stop(name, weight)
            lagrangian = along.lagrangian(name, weight)
            assert (np.diff(lagrangian[: stop + 1]) < 0).all()
            if stop < run.steps:
                assert lagrangian[stop + 1] - lagrangian[stop] >= -1e-12


def test_frontier_points_beat_one_another_in_nothing_and_beat_every_step() -> None:
    for _, utility, run, along, name in instances(240):
        if name == "joint" and along.components[-1] > 1:
            continue
        points = frontier_of_runs([(run, along)], utility, name).points
        bits, worth = [p.leakage_bits for p in points], [p.utility for p in points]
        assert bits == sorted(set(bits), reverse=True)
        assert worth == sorted(set(worth), reverse=True)
        steps = [t for t in range(run.steps + 1) if name != "joint" or along.components[t] == 1]
        for weight in WEIGHTS:
            best = min(along.lagrangian(name, weight)[steps])
            assert min(p.lagrangian(weight) for p in points) == pytest.approx(best)
        for point in points:
            assert point.partition == run.partition(point.step)
            assert point.partition.size == point.clusters
