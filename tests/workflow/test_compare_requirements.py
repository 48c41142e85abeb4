"""Every method runs to the same requirements, ours with rows withheld where that is asked."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hartley
from hartley.errors import OptionError
from hartley.report.words.comparison import finding, target_words

TABLE = pa.table({"age": [30, 41, 52, 30, 41, 52, 30], "chol": [180, 181, 190, 195, 230, 231, 300]})


def compared(**more):
    return hartley.compare(TABLE, sensitive="age", public="chol", time_limit=10, **more)


def test_every_method_keeps_all_that_is_required():
    found = compared(require={"separated_l": 2, "row_k": 3}, tolerance={"age": 10})
    shown = found.to_dict()
    assert [one["name"] for one in shown["requirements"]] == ["separated-l", "row-k"]
    answered = [row for row in shown["methods"] if row["not_applicable"] is None and row["method"] != "noise"]
    assert len(answered) > 5
    assert all(row["row_k"] >= 3 and row["distinct_l"] >= 2 for row in answered)
    assert not found.better
    said = target_words(found)
    assert "at least two ages more than 10 years apart and at least three rows" in said


def test_our_search_withholds_and_says_so():
    plain, withheld = (compared(require={"distinct_l": 2}, withhold=rows) for rows in (0, 3))
    assert "requirements" not in plain.to_dict()
    assert withheld.ours.point.withheld_rows == 3
    assert withheld.ours.point.max_distortion < plain.ours.point.max_distortion
    assert "3 of 7 rows have their chol withheld by hartley" in finding(withheld)


@pytest.mark.parametrize(
    "more",
    [
        {"tolerance": {"age": 10}},
        {"withhold": 3},
        {"require": {"row_k": 3, "max_distortion": 40}},
        {"require": {"distinct_l": 2}, "withhold": ["0", "1"]},
    ],
)
def test_what_cannot_be_compared_is_refused(more):
    with pytest.raises(OptionError):
        compared(**more)
