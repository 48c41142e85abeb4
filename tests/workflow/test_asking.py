"""What is asked for in Python: one name or several, and words that are checked where they enter."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import hartley
from hartley.errors import OptionError

TABLE = pa.table({"age": [30, 40, 50, 30], "chol": [1, 2, 3, 4]})


def test_one_requirement_may_stand_alone():
    found = hartley.audit(TABLE, sensitive="age", public="chol", require="distinct-l=2")
    assert [verdict.name for verdict in found.requirements] == ["distinct-l"]
    assert not found.holds


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"codeword": "mean"}, "codeword"),
        ({"combination": "most"}, "combination"),
        ({"name": "all"}, "utility"),
    ],
)
def test_a_word_about_utility_that_means_nothing_is_refused_at_once(given, what):
    with pytest.raises(OptionError, match=f"unknown {what}"):
        hartley.UtilityChoice(**given)


@pytest.mark.parametrize("search", ["optimal", "greedy"])
def test_no_distortion_is_plain_zero(search):
    found = hartley.frontier(TABLE, sensitive="age", public="chol", search=search).frontier
    assert '"utility": 0.0' in json.dumps(found.points[0].to_dict())
