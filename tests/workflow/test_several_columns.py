"""Releases of several columns: what is said of them, and how long they may take."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from random import Random

import numpy as np
import pyarrow as pa
import pytest

import hartley
from hartley.measures.usefulness import Usefulness
from hartley.measures.utility import Resolution
from hartley.model import JointRange
from hartley.search.effort import Effort
from hartley.search.problem import SECONDS_UNASKED, Problem
from hartley.workflow.request.time_limit import SearchLimits


def table(rows: int = 40) -> pa.Table:
    source = Random(3)
    return pa.table(
        {
            "pay": [source.randint(1, 6) for _ in range(rows)],
            "age": [source.randint(20, 26) for _ in range(rows)],
            "sex": [source.choice("fm") for _ in range(rows)],
        }
    )


ROLES = {"sensitive": "pay", "public": ["age", "sex"]}


def test_where_nobody_says_how_long_only_a_search_that_may_never_end_has_a_limit():
    few, many = (
        JointRange.from_codes(
            public_codes=np.arange(size), sensitive_codes=np.arange(size) % 5, side_codes=np.arange(size) % 2
        )
        for size in (2_000, 2_001)
    )
    asked = [
        Problem(joint=joint, leakage="l0", utility=Resolution(joint.public.size)) for joint in (few, many)
    ]
    assert [one.default_seconds for one in asked] == [None, SECONDS_UNASKED]
    assert replace(asked[1], joint=many.without_side()).default_seconds is None
    assert replace(asked[1], shape=replace(asked[1].shape, name="columns")).default_seconds is None


def test_where_nobody_says_how_long_a_search_over_columns_has_a_limit_that_is_told():
    heard: list[str] = []
    told = Effort(progress=lambda *told: heard.append(told[-1]))
    limited = SearchLimits(effort=told).start(SECONDS_UNASKED)
    assert 0 < limited.remaining() <= SECONDS_UNASKED
    assert heard == ["searching, for at most 60 seconds"]
    assert SearchLimits(effort=told).start().remaining() == inf
    assert SearchLimits(time_limit=5.0).start(SECONDS_UNASKED).remaining() <= 5
    stopped = SearchLimits(effort=Effort(should_stop=lambda: True)).start(SECONDS_UNASKED)
    assert stopped.should_stop()


def test_a_release_says_whether_its_search_was_stopped(tmp_path):
    whole = hartley.release(table(), tmp_path / "a.csv", **ROLES, require={"distinct_l": 3})
    assert whole.to_dict()["complete"] is True
    effort = Effort(should_stop=lambda: True)
    stopped = hartley.release(table(), tmp_path / "b.csv", **ROLES, require={"distinct_l": 3}, effort=effort)
    assert stopped.complete is False
    assert stopped.after.distinct_l >= 3
    assert stopped.verification.holds
    from hartley.report.words.release import proof

    assert "stopped at its time limit" in proof(stopped)
    assert "stopped" not in proof(whole)


def test_a_point_that_is_looked_at_has_its_usefulness():
    found = hartley.frontier(table(), **ROLES)
    for point in found.frontier.points:
        use = found.usefulness(point)
        plain = Usefulness.of(found.joint, point.partition)
        assert [one.name for one in use.columns] == [one.name for one in plain.columns]
        assert use.values_after <= plain.values_after
        assert point.mean_distortion == pytest.approx(use.loss)


def towns() -> pa.Table:
    source = Random(4)
    rows = range(30)
    return pa.table(
        {
            "pay": [source.randint(1, 4) for _ in rows],
            "town": [source.choice("abcd") for _ in rows],
            "rank": [source.choice(["low", "mid", "high"]) for _ in rows],
        }
    )


def test_weights_orders_and_hierarchies_are_distances_of_single_columns(tmp_path):
    from hartley.workflow.request.objective import Objective

    public = hartley.Alphabet.of_values(
        [("a", "low", 0), ("b", "mid", 10), ("c", "high", 5)], columns=("town", "rank", "age")
    )
    said = Objective(
        hierarchy={"town": [("a", "north"), ("b", "north"), ("c", "south")]},
        order={"rank": ["low", "mid", "high"]},
        weight={"age": 2.0, "rank": 0.5},
    )
    utility = said.utility_for(public)

    def cost(*clusters):
        return utility.costs(hartley.Partition.from_clusters(clusters)).max()

    # Towns half way up, ranks half of half apart, ages their whole range apart, twice.
    assert cost([0, 1], [2]) == pytest.approx(max(0.5, 0.25, 2 * 0.5))
    only_towns = Objective(hierarchy=said.hierarchy).utility_for(
        public.__class__.of_values([("a", 0), ("b", 0), ("c", 0)], columns=("town", "age"))
    )
    assert only_towns.costs(hartley.Partition.from_clusters([[0, 1], [2]])).max() == 0.5
    assert only_towns.costs(hartley.Partition.whole(3)).max() == 1.0
    made = hartley.release(
        towns(),
        tmp_path / "out.csv",
        sensitive="pay",
        public=["town", "rank"],
        require={"distinct_l": 3},
        order={"rank": ["low", "mid", "high"]},
        weight={"town": 3},
    )
    assert made.after.distinct_l >= 3


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"order": {"rank": ["low", "mid"]}}, "the order lacks 1 of the values"),
        ({"hierarchy": {"town": [("a", "n")]}}, "lacks 3 of the values of column 'town'"),
        ({"weight": {"nowhere": 2}}, "nowhere"),
    ],
)
def test_what_is_said_of_a_column_and_does_not_fit_is_refused(tmp_path, said, error):
    with pytest.raises(hartley.errors.HartleyError, match=error):
        hartley.release(
            towns(),
            tmp_path / "o.csv",
            sensitive="pay",
            public=["town", "rank"],
            require={"distinct_l": 2},
            **said,
        )


def test_what_is_certain_is_released_over_several_columns(tmp_path):
    source = Random(1)
    rows = pa.table(
        {
            "pay": [i // 2 for i in range(24)],
            "age": [20 + i for i in range(24)],
            "sex": [source.choice("fm") for _ in range(24)],
        }
    )
    found = hartley.frontier(rows, **ROLES, leakage="istar")
    bits = [point.leakage_bits for point in found.frontier.points]
    assert bits == sorted(bits, reverse=True)
    assert bits[-1] == 0
    assert all(point.lower_bound_bits <= point.leakage_bits + 1e-9 for point in found.frontier.points)
    made = hartley.release(rows, tmp_path / "out.csv", **ROLES, leakage="istar", require={"max_leakage": 1.0})
    assert made.after.istar_bits <= 1
    assert made.verification.holds


def test_a_frontier_searched_from_both_ends_has_every_level_that_matters():
    from hartley.model.requirement import Requirement
    from hartley.search.solve import solve

    found = hartley.frontier(table(30), **ROLES)
    assert found.frontier.complete
    for level in range(1, found.joint.sensitive.size + 1):
        alone = solve(found.question.asking(Requirement("distinct-l", level)))
        point = found.frontier.meeting({"distinct_l": level})
        assert point.max_distortion <= alone.cost + 1e-9
        assert point.distinct_l >= level
