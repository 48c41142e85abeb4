"""Which point a report is about."""

from __future__ import annotations

import pytest

from hartley.errors import UnreachableError
from hartley.frontiers import Frontier, Point
from hartley.model import Partition
from hartley.model.demand import Target
from hartley.report.study_report import Choice


def point(leakage: float, cost: float, candidates: int) -> Point:
    return Point(
        leakage_bits=leakage,
        utility=-cost,
        distinct_l=candidates,
        components=1,
        largest_cluster=candidates,
        max_distortion=cost,
        clusters=9 - candidates,
        cut=lambda: Partition.singletons(1),
    )


POINTS = (point(3, 0, 1), point(1, 2, 4), point(0.8, 8, 5), point(0, 10, 8))
FRONTIER = Frontier(
    leakage="l0", utility="distortion", search="optimal", codeword="midpoint", complete=True, points=POINTS
)


def test_the_balanced_point_is_the_knee():
    assert FRONTIER.balanced() is POINTS[1]


def test_a_frontier_of_one_point_is_balanced_there():
    alone = Frontier(
        leakage="l0", utility="distortion", search="optimal", codeword=None, complete=True, points=POINTS[:1]
    )
    assert alone.balanced() is POINTS[0]


@pytest.mark.parametrize(
    ("kind", "number", "chosen", "said"),
    [
        ("distinct_l", 5, 2, "leave at least 5 candidates"),
        ("max_leakage", 1.0, 1, "give away at most 1 bit"),
        ("largest_cluster", 4, 1, "at most 4 values share"),
        ("max_distortion", 9.5, 2, "farther than 9.5"),
        ("utility_weight", 100.0, 0, "utility weighted 100"),
    ],
)
def test_a_target_chooses_as_the_frontier_does_and_says_why(kind, number, chosen, said):
    choice = Choice.of(FRONTIER, Target(kind, number))
    assert choice.point is POINTS[chosen]
    assert said in choice.reason


def test_without_a_target_the_report_says_so():
    choice = Choice.of(FRONTIER, None)
    assert choice.point is POINTS[1]
    assert "no target was given" in choice.reason


def test_an_unreachable_target_is_refused():
    with pytest.raises(UnreachableError):
        Choice.of(FRONTIER, Target("distinct_l", 9))
