"""A report of what a release must keep: requirements, tolerance, shape and withheld rows."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow
import pytest

import hartley
from hartley.cli.program import run
from hartley.report.words.release import may_withhold, proof
from hartley.search.effort import Effort


@pytest.fixture
def table(tmp_path: Path) -> Path:
    source = np.random.default_rng(4)
    ages, weights = source.integers(20, 60, 120), source.integers(50, 90, 120)
    path = tmp_path / "clinic.csv"
    path.write_text(
        "age,weight\n" + "".join(f"{age},{weight}\n" for age, weight in zip(ages, weights, strict=True))
    )
    return path


def words(page: Path) -> str:
    text = re.sub(r"<style.*?</style>|<svg.*?</svg>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


def reported(table: Path, *asked: str) -> str:
    page = table.with_suffix(".html")
    assert run(["report", str(table), "-s", "age", "-p", "weight", "-o", str(page), *asked]) == 0
    return words(page)


def test_a_report_is_of_the_point_that_keeps_every_requirement(table):
    said = reported(table, "--distinct-l", "5", "--require", "row-k=8", "--shape", "intervals")
    assert "keep at least eight rows and at least five different ages" in said
    made = hartley.release(
        table,
        table.with_name("out.csv"),
        sensitive="age",
        public="weight",
        require={"distinct_l": 5, "row_k": 8},
        shape="intervals",
    )
    frontier = hartley.frontier(
        table, sensitive="age", public="weight", require={"row_k": 8}, shape="intervals"
    ).frontier
    point = frontier.meeting({"distinct_l": 5, "row_k": 8})
    assert point.max_distortion == made.point.max_distortion
    assert f"Different released values {point.clusters}" in said


def test_a_tolerance_is_counted_and_said(table):
    said = reported(table, "--separated-l", "3", "--tolerance", "age=4", "--for", "public")
    assert "Every released value leaves possible at least three ages more than 4 years apart." in said


def test_withheld_rows_and_caps_are_said(table):
    said = reported(table, "--row-k", "4", "--max-distortion", "9", "--withhold", "5%")
    assert "move no value farther than 9 and keep at least four rows" in said


def test_the_command_of_a_report_makes_it_again(table, monkeypatch):
    asked = ("--require", "distinct-l=4", "--shape", "intervals", "--borders", "5", "--tolerance", "age=1")
    said = reported(table, *asked)
    page = table.with_suffix(".html")
    command = re.search(r"hartley report clinic\.csv[^<]*", page.read_text(encoding="utf-8"))
    assert command is not None
    page.unlink()
    monkeypatch.chdir(table.parent)
    import shlex

    assert run(shlex.split(command[0])[1:]) == 0
    assert words(page) == said


def test_what_cannot_be_kept_is_refused_and_nothing_is_written(table):
    page = table.with_suffix(".html")
    asked = ["report", str(table), "-s", "age", "-p", "weight", "-o", str(page)]
    assert run([*asked, "--require", "row-k=999"]) == 3
    assert run([*asked, "--require", "row-k=0"]) == 2
    assert not page.exists()


def test_a_report_of_several_columns_is_of_the_table_that_a_release_would_write(tmp_path):
    source = np.random.default_rng(5)
    path = tmp_path / "people.csv"
    people = [
        (source.integers(20, 40), source.choice(list("abcdefgh")), source.integers(9)) for _ in range(60)
    ]
    path.write_text("age,town,pay\n" + "".join(f"{age},{town},{pay}\n" for age, town, pay in people))
    asked = ["-s", "pay", "-p", "age", "-p", "town", "--distinct-l", "3"]
    page = tmp_path / "page.html"
    assert run(["report", str(path), *asked, "-o", str(page)]) == 0
    said = words(page)
    made = hartley.Study(path, sensitive="pay", public=["age", "town"]).release(
        tmp_path / "out.csv", require={"distinct_l": 3}
    )
    use = made.usefulness
    assert f"{use.values_before} combinations of age and town became {use.values_after};" in said
    assert "Left for everyone, at least (l-diversity) 3 of 9 values of pay" in said
    assert "this one keeps most detail on average, and no bound is known for that" in said
    page.unlink()
    assert run(["report", str(path), *asked, "--objective", "worst", "-o", str(page)]) == 0
    assert "has a smaller worst class" in words(page)
    assert "greedy" not in said
    assert "exact pay can be read off from age and town. " in said
    assert "cluster value" not in said


def test_codebooks_are_beside_the_best_of_equal_bands():
    books = SimpleNamespace(
        loss=0.2,
        worst_width=0.4,
        least_loss=None,
        withheld_rows=0,
        maximal=True,
        ladder_loss=0.3,
        ladder_nodes=1_200,
        proven_optimal_ladder=True,
    )
    point = SimpleNamespace(codebooks=books, levels=None)
    found = {"point": point, "before": SimpleNamespace(side=None), "together_all": None}
    books.withhold = 0  # of persons, a budget that buys nothing is not searched with
    assert may_withhold(SimpleNamespace(**found, unused_budget=0))
    assert not may_withhold(SimpleNamespace(**found, unused_budget=27))
    said = proof(SimpleNamespace(complete=True, point=SimpleNamespace(codebooks=books)))
    assert "; the best of 1,200 codebooks of equal bands loses 30 %. " in said


@pytest.mark.parametrize("shape", ["tree", "columns"])
def test_a_report_over_several_columns_is_of_the_release_in_every_shape(tmp_path, shape):
    source = np.random.default_rng(5)
    table = tmp_path / "staff.csv"
    rows = zip(
        source.integers(20, 40, 80), source.choice(["f", "m"], 80), source.integers(1, 9, 80), strict=True
    )
    table.write_text("age,sex,grade\n" + "".join(f"{age},{sex},{grade}\n" for age, sex, grade in rows))
    page, roles = tmp_path / "page.html", ["-s", "grade", "-p", "age", "-p", "sex", "--distinct-l", "3"]
    assert run(["report", str(table), *roles, "--shape", shape, "-o", str(page)]) == 0
    made = hartley.release(
        table,
        tmp_path / "out.csv",
        sensitive="grade",
        public=["age", "sex"],
        shape=shape,
        distinct_l=3,
    )
    assert f"Different released values {made.point.clusters}" in words(page)


def test_codebooks_of_a_report_are_searched_as_long_as_those_of_a_release(tmp_path):
    source, n = np.random.default_rng(5), 200
    columns = {"pay": source.integers(0, 60, n), "age": source.integers(18, 60, n)}
    columns |= {"weeks": source.integers(0, 50, n), "sex": source.choice(["f", "m"], n)}
    study = hartley.Study(pyarrow.table(columns), sensitive="pay", public=["age", "weeks", "sex"])
    with study:
        made = study.release(tmp_path / "out.csv", shape="columns", distinct_l=3).point
        found = study.frontier(shape="columns")
        assert found.meeting({"distinct_l": 3}).partition == made.partition


def test_a_report_whose_frontier_was_stopped_is_of_the_release_all_the_same(tmp_path):
    source, n = np.random.default_rng(6), 120
    columns = {"age": source.integers(20, 60, n), "team": source.choice(list("abcd"), n)}
    table = pyarrow.table({**columns, "grade": source.integers(1, 30, n)})
    asked = {"sensitive": "grade", "public": ["age", "team"]}
    with hartley.Study(table, **asked) as study:
        made = study.release(tmp_path / "out.csv", distinct_l=3, withhold="5%").point
        found = study.frontier(withhold="5%", effort=Effort(should_stop=lambda: True))
        point = found.meeting({"distinct_l": 3})
        assert (point.partition, point.withheld) == (made.partition, made.withheld)
        assert found.frontier.meeting({"distinct_l": 3}).partition != made.partition


def test_the_axis_over_several_columns_has_no_unit_of_theirs(tmp_path):
    table = tmp_path / "staff.csv"
    table.write_text("age,size,grade\n" + "".join(f"{20 + n % 7},{n % 5},{n % 3}\n" for n in range(40)))
    page = tmp_path / "page.html"
    roles = ["-s", "grade", "-p", "age", "-p", "size", "--distinct-l", "2", "--require", "row-k=2"]
    assert run(["report", str(table), *roles, "-o", str(page)]) == 0
    drawn = page.read_text(encoding="utf-8")
    assert "in units of" not in drawn
    assert "Detail lost on average (share of a column)" in drawn
    assert "proven: no recoding" not in drawn
    assert run(["report", str(table), *roles, "--objective", "worst", "-o", str(page), "--overwrite"]) == 0
    assert "The widest class" in page.read_text(encoding="utf-8")


def test_the_axis_of_dates_is_in_days_and_bands_are_no_midpoints(tmp_path):
    table, page = tmp_path / "stays.csv", tmp_path / "page.html"
    table.write_text("day,ill\n" + "".join(f"2024-01-{1 + n % 28:02},{n % 5}\n" for n in range(90)))
    asked = ["-s", "ill", "-p", "day", "--distinct-l", "4", "--shape", "intervals", "--borders", "week"]
    assert run(["report", str(table), *asked, "-o", str(page)]) == 0
    assert "How far a value moves at most (days)" in page.read_text(encoding="utf-8")
    assert "Values that share a label are released as their range" in words(page)
    assert "midpoint" not in words(page)


def test_a_report_for_persons_counts_persons(tmp_path):
    table, page = tmp_path / "visits.csv", tmp_path / "page.html"
    lines = [f"p{n // 2},{20 + n // 2 % 6},{'abc'[n // 2 % 3]}\n" for n in range(60)]
    table.write_text("who,age,ill\n" + "".join(lines))
    asked = ["report", str(table), "-s", "ill", "-p", "age", "--person", "who", "-o", str(page)]
    assert run(asked) == 2  # a report for persons is of a release, and nothing is asked for
    assert run([*asked, "--distinct-l", "3"]) == 0
    said = words(page)
    assert "visits.csv, 60 rows of 30 persons" in said
    assert "As the table is: All 30 people can have their exact ill read off" in said
    assert "Persons behind every released value, at least (k-anonymity) " in said
    assert "Persons per value (row k) persons that share a released value, at least" in said
    # The frontier counts rows: none of its points need hold for persons, so none is drawn or said to be best.
    assert "of those that hold for a reader who links all rows of a person" in said
    assert "Revealed by the most exposed person" not in page.read_text(encoding="utf-8")
    assert "a reader who links the rows of a person may be left with fewer" in said
    assert "holds against such a reader" not in said  # --transparent is not proved for --person


def test_what_is_withheld_is_listed_last_and_several_columns_have_combinations(table):
    with table.open("a") as more:
        more.writelines(f"{age},{weight}\n" for age, weight in [(21, 1), (31, 2000), (41, 4000)])
    said = reported(table, "--distinct-l", "3", "--withhold", "3", "--shape", "intervals")
    assert re.search(r"weight \d.* missing 3 The chosen point", said)
    said = reported(table, "-p", "age", "--overwrite", "--time-limit", "2")
    assert re.search(r"To publish weight and age \(\d+ combinations\)", said)


def test_whose_value_is_meant_is_said_where_its_would_be_taken_for_the_other_columns(table):
    said = reported(table, "--distinct-l", "5")
    assert re.search(r"of the \d+ values? of weight occurs? with so few", said)
    assert " of its " in said.split("As the table is:")[1].split("Which rules")[0]
