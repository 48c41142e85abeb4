"""Requirements, shapes and withheld rows: what the page asks for is what the workflow answers."""

from __future__ import annotations

from itertools import pairwise

import pytest

import hartley

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
    expected = hartley.frontier(
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
    require = [{"name": "distinct-l", "wanted": 2, "each": True}]
    found = searched(browser, {**asked, "sensitive": ["sex", "pain"]}, require=require)["frontier"]
    assert [one["column"] for one in found["points"][0]["requirements"]] == ["sex", "pain"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"require": [{"name": "row-k", "wanted": 4000}]}, "no release can meet “at least 4000 rows”"),
        ({"require": [{"name": "row-k", "wanted": 0}]}, "a whole number from 1 on"),
        ({"require": [{"name": "row-k", "wanted": 2.5}]}, "a whole number from 1 on"),
        ({"require": "row-k=5"}, "must be a list"),
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


def test_intervals_begin_where_the_form_says(browser, asked):
    found = searched(browser, asked, shape="intervals", borders=10)["frontier"]
    assert {point["shape"] for point in found["points"]} == {"intervals"}
    seen = browser.post("/api/look", json={"revision": asked["revision"], "point": found["suggested"]}).json()
    ends = [line["members"].split(", ") for line in seen["codebook"]["lines"]]
    assert all(int(one[-1]) // 10 < int(other[0]) // 10 for one, other in pairwise(ends))


def test_what_withholding_buys_is_said_and_the_release_counts_it(browser, asked, clinic_csv):
    few = {**asked, "public": ["pulse"]}
    found = searched(browser, few, withhold=3, withheld_label="-1")["frontier"]
    plain = hartley.frontier(clinic_csv, sensitive="age", public="pulse", missing="drop").frontier
    assert points(found["without"]) == points([point.to_dict() for point in plain.points])
    place = found["suggested"]
    point = found["points"][place]
    before = plain.best_utility_with(point["distinct_l"]).max_distortion
    assert point["max_distortion"] < before
    moved = f"lets everyone else's move at most {point['max_distortion']:g} instead of {before:g}."
    assert found["bought"][place] == f"Withholding the pulse of {point['withheld_rows']} of 297 rows {moved}"
    made = browser.post("/api/release", json={"revision": asked["revision"], "point": place}).json()
    assert made["release"]["point"]["withheld_rows"] == point["withheld_rows"]
    assert sum(line["withheld"] for line in made["codebook"]["lines"]) == 1


def test_each_column_has_a_strip_that_holds_every_row(browser, asked):
    found = searched(browser, {**asked, "public": ["pulse", "sex"]}, time_limit=3)["frontier"]
    place = {"revision": asked["revision"], "point": found["suggested"]}
    seen = browser.post("/api/look", json=place).json()
    line, categories = seen["strips"]
    assert (line["name"], categories["name"]) == ("pulse", "sex")
    assert sum(rows for _, rows, _ in line["line"]["marks"]) == seen["rows"]
    assert [line["line"]["marks"][end][0] for end in (0, -1)] == [0, 1]
    assert sum(one["rows"] for one in line["line"]["classes"]) == seen["rows"]
    assert sum(one["rows"] for one in categories["categories"]) == seen["rows"]
    assert [one["name"] for one in seen["usefulness"]["columns"]] == ["pulse", "sex"]
    # The codebook is looked up in by what stands in it.
    every = seen["codebook"]
    some = browser.post("/api/codebook", json={**place, "find": every["lines"][0]["released"]}).json()
    assert every["lines"][0] in some["lines"]
    assert browser.post("/api/codebook", json={**place, "find": "no such value"}).json()["found"] == 0


def test_each_column_can_have_bands_of_its_own(browser, asked):
    several = {**asked, "public": ["pain", "sex"], "shape": "columns"}
    found = searched(browser, several, time_limit=5)["frontier"]
    place = {"revision": asked["revision"], "point": found["suggested"]}
    seen = browser.post("/api/look", json=place).json()
    assert sum(line["rows"] for line in seen["codebook"]["lines"]) == seen["rows"]
    made = browser.post("/api/release", json=place).json()
    assert made["release"]["after"]["distinct_l"] == found["points"][found["suggested"]]["distinct_l"]


def test_the_work_is_there_for_a_page_that_is_loaded_again(browser, asked):
    browser.post("/api/audit", json=asked)
    found = searched(browser, asked, require=[{"name": "row-k", "wanted": 20}])
    place = {"revision": asked["revision"], "point": 0}
    seen = browser.post("/api/look", json=place).json()
    made = browser.post("/api/release", json=place).json()
    work = browser.get("/api/session").json()
    assert work["table"]["revision"] == asked["revision"]
    assert work["asked"]["require"] == [{"name": "row-k", "wanted": 20}]
    assert (work["search"], work["look"]) == (found, seen)
    assert {**work["release"], "links": work["links"]} == made
    # What was made for other choices is not taken up again.
    browser.post("/api/audit", json={**asked, "public": ["pulse"]})
    assert {"asked", "look", "release"} & set(browser.get("/api/session").json()) == set()
