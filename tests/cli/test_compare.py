from __future__ import annotations

import csv
import json
import random

import pytest

from hartley.cli.program import run

KEYS = {
    "method",
    "title",
    "setting",
    "leakage_bits",
    "l0_bits",
    "istar_bits",
    "utility",
    "distinct_l",
    "row_k",
    "components",
    "clusters",
    "largest_cluster",
    "max_distortion",
    "lower_bound_bits",
    "proven_optimal",
    "complete",
    "cpu_seconds",
    "not_applicable",
}


@pytest.fixture
def table(tmp_path):
    source = random.Random(7)
    path = tmp_path / "small.csv"
    rows = [(source.randint(1, 6), source.randint(1, 10), source.choice("abcde")) for _ in range(30)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("age", "chol", "town"), *rows])
    return path


def test_the_json_is_one_document_with_every_method(table, capsys):
    assert run(["compare", str(table), "-s", "age", "-p", "chol", "--distinct-l", "3", "--json"]) == 0
    out = capsys.readouterr().out
    found = json.loads(out)
    assert found["target"] == {"kind": "distinct_l", "number": 3, "given": True}
    assert all(set(row) >= KEYS for row in found["methods"])
    assert [row["method"] for row in found["methods"][:2]] == ["optimal", "greedy"]
    assert found["methods"][-1]["method"] == "noise"
    assert set(found["noise"]) >= {"before", "after"}
    assert found["better_than_optimal"] == []
    assert found["finding"].startswith("To leave 3 ages possible for everyone, hartley")
    for row in found["methods"][:-1]:
        assert (row["not_applicable"] is None) == (row["distinct_l"] is not None and row["distinct_l"] >= 3)


def test_the_table_says_in_words_what_it_shows(table, capsys):
    assert run(["compare", str(table), "-s", "age", "-p", "chol", "--largest-cluster", "3"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "ways to protect age in chol" in shown
    assert "With at most 3 values sharing a released value, hartley" in shown
    assert "privacy-funnel" in shown
    assert "Resolution: bits of detail kept" in shown


def test_a_text_column_is_compared_too(table, capsys):
    assert run(["compare", str(table), "-s", "age", "-p", "town", "--distinct-l", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["utility"] == "resolution"
    assert found["methods"][0]["max_distortion"] is None


def test_the_figure_has_our_frontier_and_the_others(table, tmp_path, capsys):
    pytest.importorskip("altair")
    figure = tmp_path / "compared.svg"
    assert run(["compare", str(table), "-s", "age", "-p", "chol", "--plot", str(figure)]) == 0
    capsys.readouterr()
    drawn = figure.read_text("utf-8")
    assert "mondrian" in drawn
    assert "greedy" in drawn


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--distinct-l", "2", "--max-leakage", "1"], 2, "give one target, not both"),
        (["--distinct-l", "99"], 3, "no release leaves 99 candidates"),
        (["--distinct-l", "0"], 2, "--distinct-l needs a whole number from 1 on"),
        (["--hierarchy", "chol"], 2, "cannot read --hierarchy 'chol'"),
        (["--hierarchy", "chol=nowhere.csv"], 2, "no file of values 'nowhere.csv'"),
        (["--hierarchy", "town=nowhere.csv"], 2, "no public column"),
        (["--time-limit", "0"], 2, "--time-limit needs a number of seconds above 0"),
        (["--plot", "figure.bmp"], 2, "cannot draw into 'figure.bmp'"),
    ],
)
def test_a_wrong_call_is_answered_in_one_line(table, capsys, arguments, code, said):
    assert run(["compare", str(table), "-s", "age", "-p", "chol", *arguments]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert len(shown.err.strip().splitlines()) == 1


def test_a_bad_hierarchy_file_is_answered_in_one_line(table, tmp_path, capsys):
    words = tmp_path / "town.csv"
    words.write_text("value,level1\na,north\n", encoding="utf-8")
    assert run(["compare", str(table), "-s", "age", "-p", "town", "--hierarchy", f"town={words}"]) == 2
    said = capsys.readouterr().err.strip()
    assert said == "hartley: town.csv: the hierarchy table lacks 4 of the values of column 'town'"
