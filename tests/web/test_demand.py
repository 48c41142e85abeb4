"""Requirements, shapes and withheld rows: what the page asks for is what the workflow answers."""

from __future__ import annotations

import pytest

from hartley import workflow

AGE = {"sensitive": ["age"], "public": ["cholesterol"], "missing": "drop", "search": "optimal"}


@pytest.fixture
def asked(browser):
    described = browser.post("/api/open", json={"which": "example"}).json()
    return {"revision": described["revision"], **AGE}


def searched(browser, asked, **more):
    found = browser.post("/api/search", json={**asked, **more}).json()
    while found["state"] == "running":
        found = browser.get("/api/search").json()
    return found


def points(frontier):
    return [(point["distinct_l"], point["max_distortion"], point["withheld_rows"]) for point in frontier]


def test_requirements_are_kept_from_the_frontier_to_the_release(browser, asked, clinic_csv):
    require = [{"name": "row-k", "wanted": 10}, {"name": "distinct-l", "wanted": 9}]
    found = searched(browser, asked, require=require)["frontier"]
    expected = workflow.frontier(
        clinic_csv,
        sensitive="age",
        public="cholesterol",
        missing="drop",
        require=["row-k=10", "distinct-l=9"],
    ).frontier
    assert points(found["points"]) == points([point.to_dict() for point in expected.points])
    # The suggestion is the release closest to the table, and says so.
    assert found["suggested"] == 0
    kept = expected.points[0].distinct_l
    assert found["because"].startswith(f"{kept} candidates, because no release that keeps what you require")
    made = browser.post("/api/release", json={"revision": asked["revision"], "point": 0}).json()
    verdicts = {one["name"]: one for one in made["release"]["requirements"]}
    assert verdicts["row-k"]["found"] >= 10
    assert verdicts["distinct-l"]["holds"]
    assert made["release"]["point"]["proven_optimal"] == expected.points[0].proven_optimal


def test_values_that_are_apart_are_counted_apart(browser, asked):
    require = [{"name": "separated-l", "wanted": 3, "column": "age"}, {"name": "row-k", "wanted": 3}]
    found = searched(browser, asked, require=require, tolerance={"age": 4})["frontier"]
    assert [point["separated_l"] for point in found["points"]] == sorted(
        {point["separated_l"] for point in found["points"]}
    )
    place = found["suggested"]
    made = browser.post("/api/release", json={"revision": asked["revision"], "point": place}).json()
    assert {one["name"]: one["found"] for one in made["release"]["requirements"]}["separated-l"] >= 3


def test_each_of_several_columns_can_be_required(browser, asked):
    require = [{"name": "distinct-l", "wanted": 3, "each": True}]
    found = searched(browser, {**asked, "sensitive": ["age", "pain"]}, require=require)["frontier"]
    assert [one["column"] for one in found["points"][0]["requirements"]] == ["age", "pain"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"require": [{"name": "row-k", "wanted": 4000}]}, "no release can meet “at least 4000 rows”"),
        ({"require": [{"name": "row-k", "wanted": 0}]}, "a whole number from 1 on"),
        ({"require": [{"name": "row-k", "wanted": 2.5}]}, "a whole number from 1 on"),
        ({"require": "row-k=5"}, "requirements are a list"),
        ({"require": [{"name": "l9", "wanted": 1}]}, "unknown requirement"),
        ({"require": [{"name": "separated-l", "wanted": 3}]}, "needs a tolerance"),
        ({"require": [{"name": "row-k", "wanted": 2}] * 2}, "row-k is required twice"),
        ({"tolerance": {"pulse": 4}}, "is of a protected column"),
        ({"tolerance": {"age": -4}}, "tolerance"),
        ({"withhold": 11}, "“Rows to withhold” goes from 0 to 10"),
        ({"shape": "round"}, "unknown shape"),
        ({"shape": "intervals", "borders": -5}, "“Intervals may begin at” needs a step above 0"),
    ],
)
def test_what_makes_no_sense_or_cannot_be_had_is_answered_in_words(browser, asked, more, said):
    found = searched(browser, asked, **more)
    assert found["state"] == "failed"
    assert said in found["message"]
