"""What a joint range answers in small things: results equal by value, what is wrong in one line."""

from __future__ import annotations

import pickle

import pytest

import hartley
from hartley.errors import InputError, OptionError
from hartley.examples import toy


def test_results_are_equal_by_value_after_a_trip_through_pickle() -> None:
    joint = toy()
    for made in (
        hartley.frontier(joint, leakage="l0", utility="resolution"),
        hartley.greedy(joint, "istar", "resolution"),
        hartley.audit(joint),
    ):
        assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 (our own)
    assert hartley.greedy(joint, "l0", "resolution") != hartley.greedy(joint, "istar", "resolution")


def test_what_is_given_by_place_and_has_no_place_is_named() -> None:
    with pytest.raises(OptionError, match=r"^frontier takes only 'source' by place; give the rest by name"):
        hartley.frontier(toy(), "l0", "resolution")  # type: ignore[misc]
    with pytest.raises(OptionError, match=r"^audit takes nothing by place"):
        hartley.Study(toy()).audit("l0")  # type: ignore[misc]


def test_leakages_of_instances_are_named_as_in_the_paper_too() -> None:
    one = hartley.instances.load("line-8-0")
    assert one.optimum("L0", "size") == one.optimum("l0", "size")
    assert one.optimum("I*", "size") == one.optimum("istar", "size")


def test_a_comparison_takes_what_is_required_by_its_name() -> None:
    joint = toy()
    found = hartley.compare(joint, distinct_l=2, utility="resolution")
    assert found.ours.point.distinct_l >= found.target.number == 2
    with pytest.raises(OptionError, match="in one way, not in both"):
        hartley.compare(joint, distinct_l=2, require={"row_k": 2})


def test_clusters_and_costs_of_ones_own_are_refused_in_one_line() -> None:
    joint = toy()
    with pytest.raises(InputError, match="one was named twice"):
        joint.partition([["x2", "x3"], ["x3"]])
    own = hartley.OwnUtility(7, str)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a cluster costs a number, and the function gave str"):
        hartley.utility_of(own, joint.partition([["x2", "x3"]]))
