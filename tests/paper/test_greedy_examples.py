"""Examples 2 to 5 and the convergence and frontier figures, step by step.

``golden_toy.json`` holds the values by the paper's own definitions; where the paper prints another one,
the misprint stands beside the assertion.
"""

from __future__ import annotations

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

from hartley.examples import toy
from hartley.frontiers import frontier_of_runs
from hartley.measures.overlap import components
from hartley.measures.trajectory import Trajectory, trajectory
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, MergeTree
from hartley.search.greedy import component_joining, joint_search, narrowest_first

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden_toy.json").read_text())["examples"]


def centroid(joint: JointRange) -> LineDistortion:
    return LineDistortion.of(joint.public, "centroid")


def example(name: str) -> tuple[JointRange, MergeTree, Utility, Trajectory]:
    joint = toy(x7=4) if name.startswith("4") else toy()
    utility: Utility = centroid(joint) if "U2" in name else Resolution(7)
    if name.startswith("2"):
        run = narrowest_first(joint, utility)
    elif name.startswith("5"):
        run = joint_search(joint, utility, utility_weight=0.3)
    else:
        run = component_joining(joint, utility)
    return joint, run, utility, trajectory(joint, run, utility)


def named(joint: JointRange, clusters: list[list[int]]) -> list[list[str]]:
    return [[joint.public.label(place) for place in cluster] for cluster in clusters]


@pytest.mark.parametrize("name", GOLDEN)
def test_example_step_by_step(name: str) -> None:
    joint, run, _, along = example(name)
    path: list[dict[str, Any]] = GOLDEN[name]["path"]
    assert run.steps == len(path) - 1
    for step in path:
        t = step["t"]
        partition = run.partition(t)
        assert named(joint, partition.clusters()) == step["clusters"]
        assert named(joint, components(joint, partition).clusters()) == step["components"]
        assert along.distinct_l[t] == step["k"]
        assert along.l0[t] == pytest.approx(step["l0"])
        assert along.istar[t] == pytest.approx(step["istar"])
        assert along.utility[t] == pytest.approx(step["u2" if "U2" in name else "u1"])


@pytest.mark.parametrize("name", [name for name in GOLDEN if not name.startswith("5")])
def test_example_stops_where_its_weight_says(name: str) -> None:
    _, run, _, along = example(name)
    weight = float(name.split("lambda=")[1])
    leakage = "l0" if name.startswith("2") else "istar"
    lagrangian = along.lagrangian(leakage, weight)
    for step in GOLDEN[name]["path"]:
        assert lagrangian[step["t"]] == pytest.approx(step["lagrangian"])
    stop = along.stop(leakage, weight)
    assert stop == GOLDEN[name]["stop"]
    assert all(lagrangian[t + 1] < lagrangian[t] for t in range(stop))
    assert stop == run.steps or lagrangian[stop + 1] >= lagrangian[stop]


def test_example_2_with_distortion_ends_in_one_cluster() -> None:
    # Printed: Q(2) has two clusters; but its printed change of 0.0758 is that of one cluster.
    _, run, _, along = example("2b: L0, U2 centroid, lambda=2.5")
    assert run.partition(2).size == 1
    lagrangian = along.lagrangian("l0", 2.5)
    assert lagrangian[2] - lagrangian[1] == pytest.approx(0.0758, abs=5e-5)
    # Printed: {x1,x2,x7}, {x3,x5}, {x4,x6} is returned.
    assert run.partition(1).clusters() == [[0, 1, 3], [2, 4], [5, 6]]


def test_example_4_stops_at_3_for_other_weights() -> None:
    # Printed: stops at t=3 for weight 0.3; the fourth merge changes the Lagrangian by -0.615.
    _, _, _, along = example("4: Istar, U2 centroid, x7=4, lambda=0.3")
    lagrangian = along.lagrangian("istar", 0.3)
    assert lagrangian[4] - lagrangian[3] == pytest.approx(-0.615, abs=5e-4)
    assert [along.stop("istar", weight) for weight in (0.7792, 0.7794, 1.0321, 1.0323)] == [4, 3, 3, 2]


def test_convergence_of_algorithm_1() -> None:
    _, _, _, one = example("2a: L0, U1, lambda=0.3")
    # Printed: 1.7428, 1.282, 0.7578, 0; the second is 1.2183.
    assert one.lagrangian("l0", 0.3) == pytest.approx([1.7428, 1.2183, 0.7578, 0], abs=1e-4)
    _, _, _, two = example("2b: L0, U2 centroid, lambda=2.5")
    assert two.lagrangian("l0", 2.5)[:2] == pytest.approx([2.5850, 2.21], abs=1e-4)


def test_convergence_of_algorithm_2() -> None:
    _, _, _, one = example("3: Istar, U1, lambda=0.3")
    assert one.lagrangian("istar", 0.3) == pytest.approx([1.4797, 1.4578, 1.0428, 0.4578, -0.3667], abs=1e-4)
    # Printed: 3.1641, 2.5422, 2.1272, 1.5422, 0.3667, which is the leakage plus the weighted utility.
    assert one.istar + 0.3 * one.utility == pytest.approx([3.1641, 2.5422, 2.1272, 1.5422, 0.3667], abs=1e-4)
    _, _, _, two = example("4: Istar, U2 centroid, x7=4, lambda=0.3")
    # Printed: the second is 2.0015.
    assert two.lagrangian("istar", 0.3)[:4] == pytest.approx([2.3219, 2.0150, 1.6150, 1.2001], abs=1.1e-4)


def test_frontier_figure_of_the_toy() -> None:
    _, run, utility, along = example("3: Istar, U1, lambda=0.3")
    points = frontier_of_runs([(run, along)], utility, "istar").points
    assert [point.step for point in points] == [0, 3, 4]
    drawn = [(1 - p.utility / log2(7), p.leakage_bits / log2(5)) for p in points]
    figure = [(0.0, 1.0), (0.356207187108022, 0.430676558073393), (0.56457503405358, 0.0)]
    assert drawn == [pytest.approx(point) for point in figure]

    _, run, utility, along = example("4: Istar, U2 centroid, x7=4, lambda=0.3")
    points = frontier_of_runs([(run, along)], utility, "istar").points
    drawn = [(p.utility / points[-1].utility, p.leakage_bits / log2(5)) for p in points]
    figure = [
        (0.0, 1.0),
        (0.0256410256410256, 0.861353116146786),
        (0.0512820512820513, 0.682606194485985),
        (0.342051282051282, 0.430676558073393),
        (1.0, 0.0),
    ]
    # Printed: 0.342051, read off 0.667; the distortion is 2/3, and 2/3 / 1.95 is 0.341880.
    assert drawn == [pytest.approx(point, abs=2e-4) for point in figure]


def test_problem_3_has_one_component_at_its_end() -> None:
    _, run, utility, along = example("5: L0 with Istar=0 (problem 3), U1, lambda=0.3")
    (point,) = frontier_of_runs([(run, along)], utility, "joint").points
    assert (point.step, point.components, point.distinct_l) == (4, 1, 2)
    assert point.utility == pytest.approx(log2(7 / 3))
