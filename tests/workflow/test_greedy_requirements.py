"""The paper's searches under a tolerance and under requirements that combine, as points of a frontier."""

from __future__ import annotations

from math import log2

import numpy as np
import pyarrow as pa
import pytest

import hartley
from hartley.errors import OptionError, UnreachableError
from hartley.measures.overlap import maximin_information
from hartley.measures.separation import separated_values
from hartley.measures.uncertainty import distinct_l
from hartley.measures.verdicts import verdicts
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement


def table(seed, rows=24):
    rng = np.random.default_rng(seed)
    return pa.table({"age": rng.integers(20, 40, rows), "chol": rng.integers(0, 30, rows)})


def run(seed, **more):
    return hartley.frontier(table(seed), sensitive="age", public="chol", search="greedy", **more)


@pytest.mark.parametrize("leakage", ["l0", "istar"])
@pytest.mark.parametrize("utility", ["resolution", "distortion"])
def test_a_tolerance_of_nothing_is_the_paper(leakage, utility):
    for seed in range(4):
        plain = run(seed, leakage=leakage, utility=utility)
        apart = run(seed, leakage=leakage, utility=utility, tolerance={"age": 0})
        assert plain.run.tree == apart.run.tree
        one, other = (
            np.array([(p.step, p.leakage_bits, p.utility, p.distinct_l) for p in found.frontier.points])
            for found in (plain, apart)
        )
        assert one == pytest.approx(other)


@pytest.mark.parametrize("leakage", ["l0", "istar"])
def test_every_point_is_measured_with_the_tolerance(leakage):
    close = Closeness.of({"age": 3})
    for seed in range(4):
        found = run(seed, leakage=leakage, tolerance={"age": 3})
        for point in found.frontier.points:
            released = found.joint.release(point.partition)
            assert point.separated_l == distinct_l(released, None, close)
            bits = (
                maximin_information(released, None, close)
                if leakage == "istar"
                else log2(separated_values(found.joint, close) / distinct_l(released, None, close))
            )
            assert point.leakage_bits == pytest.approx(bits)


def test_points_keep_what_is_required_from_the_first_step_on_that_does():
    for seed in range(4):
        asked = {"separated_l": 2, "row_k": 3, "distinct_l": 3}
        found = run(seed, tolerance={"age": 3}, require=asked)
        first = found.frontier.points[0]
        assert all(verdict.holds for point in found.frontier.points for verdict in point.verdicts)
        before = found.run.tree.partition(first.step - 1)
        released = found.joint.release(before)
        wanted = [Requirement(name.replace("_", "-"), number) for name, number in asked.items()]
        assert not all(one.holds for one in verdicts(released, wanted, Closeness.of({"age": 3})))


def test_a_release_by_the_paper_keeps_all_that_is_required(tmp_path):
    made = hartley.release(
        table(1),
        tmp_path / "out.csv",
        sensitive="age",
        public="chol",
        search="greedy",
        tolerance={"age": 3},
        require={"separated_l": 3, "row_k": 4},
    )
    assert [verdict.holds for verdict in made.requirements] == [True, True]


def test_what_the_greedy_search_cannot_do_is_said():
    with pytest.raises(OptionError, match="optimal"):
        run(0, leakage="joint", tolerance={"age": 3})
    with pytest.raises(UnreachableError, match="row-k=99"):
        run(0, require={"row_k": 99})
