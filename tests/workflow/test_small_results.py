"""What a result of a joint range is when it is handed on: equal by value, refused in one line."""

from __future__ import annotations

import pickle

import pytest

import hartley
from hartley.errors import OptionError
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
