"""Released files side by side, whoever made them, and settings of ours by their numbers."""

from __future__ import annotations

import csv
import json
import shlex

import numpy as np
import pyarrow
import pyarrow.csv
import pytest

import hartley
from hartley.cli.program import run
from hartley.workflow.against.compare_releases import compare_releases


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = np.random.default_rng(0)
    ages = source.integers(20, 60, 240)
    wages = ages * 10 + source.integers(0, 40, 240)
    people = list(zip(ages.tolist(), source.choice(list("fm"), 240).tolist(), wages.tolist(), strict=True))
    bands = [(f"{age // 10 * 10}-{age // 10 * 10 + 9}", sex, wage) for age, sex, wage in people]
    for name, rows in (("people", people), ("bands", bands), ("copy", people[::-1])):
        with (tmp_path / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("age", "sex", "wage"), *rows])
    return tmp_path


ROLES = ["-s", "wage", "-p", "age", "-p", "sex"]


@pytest.mark.usefixtures("folder")
def test_files_of_others_are_measured_alike(capsys):
    call = ["compare", "people.csv", *ROLES, "--release", "bands.csv", "--release", "copy.csv"]
    assert run([*call, "--regress", "wage ~ age + sex", "--json"]) == 0
    bands, copy = json.loads(capsys.readouterr().out)["releases"]
    assert bands["against"]["disclosed_right"] == 0
    assert copy["against"]["disclosed_right"] == copy["against"]["disclosed_in_original"] > 0
    assert copy["usefulness"]["ncp"] == 0
    assert bands["usefulness"]["ncp"] == pytest.approx((9 / 39 + 0) / 2, abs=0.01)
    assert copy["usefulness"]["three_way_marginals"] == pytest.approx(1)
    assert copy["usefulness"]["pmse"] == 0
    assert copy["usefulness"]["query_error"] == 0
    assert 0 < bands["usefulness"]["query_error"] < 0.2
    assert copy["usefulness"]["regressions"][0]["mean_overlap"] == pytest.approx(1)
    assert bands["usefulness"]["regressions"][0]["mean_overlap"] < 0.9
    assert run([*call, "--row-k", "3", "--plot", "trade.svg"]) == 3
    assert "bands.csv" in capsys.readouterr().out


def test_of_several_files_the_one_that_cannot_be_read_is_named(folder, capsys):
    (folder / "words.csv").write_text("age,sex,wage\nyoung,f,200\nold,m,300\n")
    (folder / "lacking.csv").write_text("age,wage\n20,200\n")
    for name in ("words.csv", "lacking.csv"):
        assert run(["compare", "people.csv", *ROLES, "--release", "bands.csv", "--release", name]) == 2
        assert capsys.readouterr().err.startswith(f"hartley: {name}: ")


def test_long_names_of_files_cut_no_figure_off_and_strange_numbers_are_pointed_out(folder, capsys):
    name = "released_by_another_tool_with_midpoints_of_every_band.csv"
    with (folder / "people.csv").open(encoding="utf-8") as file:
        header, *people = csv.reader(file)
    bands = [(int(age) // 10 * 10 + 4.5, sex, wage) for age, sex, wage in people]
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *bands])
    call = ["compare", "people.csv", *ROLES, "--release", "bands.csv", "--release", name]
    assert run([*call, "--distinct-l", "2"]) == 0
    shown = capsys.readouterr().out
    assert "guessed  asked" in shown
    assert shown.count("holds\n") == 2
    assert f"2 {name}: most values of age are not in the original." in " ".join(shown.split())
    assert "bands.csv: most values" not in shown


@pytest.mark.usefixtures("folder")
def test_the_usefulness_of_a_file_stands_in_its_audit(capsys):
    call = ["audit", "bands.csv", "--against", "people.csv", *ROLES, "--regress", "wage ~ age"]
    assert run([*call, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["against"]["usefulness"]
    assert 0 < shown["two_way_marginals"] < 1
    assert run(["audit", "people.csv", *ROLES, "--regress", "wage ~ age"]) == 2
    assert "--against" in capsys.readouterr().err


def test_a_file_that_leaves_two_values_is_at_risk(tmp_path, capsys):
    cells = {"x": ["1-2"] * 4 + ["3-4"] * 6, "s": [*"abab", *"abcabc"]}
    people = {"x": [1, 2, 1, 2, 3, 3, 3, 4, 4, 4], "s": cells["s"]}
    for name, table in (("file", cells), ("people", people)):
        pyarrow.csv.write_csv(pyarrow.table(table), tmp_path / f"{name}.csv")
    against = ["--against", str(tmp_path / "people.csv"), "-s", "s", "-p", "x"]
    assert run(["audit", str(tmp_path / "file.csv"), *against]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "AT RISK Nobody's s is read off, rightly, from the file; some rows leave only 2 values of s." in shown
    )


@pytest.mark.usefixtures("folder")
def test_a_regression_may_name_columns_without_a_role(capsys):
    call = [
        "compare",
        "people.csv",
        "-s",
        "sex",
        "-p",
        "age",
        "--release",
        "bands.csv",
        "--release",
        "copy.csv",
    ]
    assert run([*call, "--regress", "wage ~ age", "--json"]) == 0
    bands, copy = json.loads(capsys.readouterr().out)["releases"]
    assert copy["usefulness"]["regressions"][0]["mean_overlap"] == pytest.approx(1)
    assert bands["usefulness"]["regressions"][0]["mean_overlap"] < 0.9
    assert copy["against"]["unique_rows"] < 50  # by age and sex; with the wage most rows are unique
    assert run([*call, "--regress", "wagee ~ age"]) == 2
    assert "the original: no column 'wagee'; did you mean 'wage'" in capsys.readouterr().err


def test_counts_on_a_file_are_off_by_what_its_labels_hide():
    """One column of four numbers, 10, 20, 30 and 40 times; a count asks for one of them."""
    people = {"x": [1] * 10 + [2] * 20 + [3] * 30 + [4] * 40, "s": ["a", "b"] * 50}
    hidden = {"x": ["1-2"] * 30 + ["3-4"] * 70, "s": people["s"]}
    strange = {"x": [1.0] * 10 + [2.2] * 20 + [3.3] * 30 + [3.9] * 40, "s": people["s"]}
    study = hartley.Study(pyarrow.table(people), sensitive="s", public="x")
    found = compare_releases(study, [pyarrow.table(hidden), pyarrow.table(strange)])
    banded, moved = (one.usefulness.query_error for one in found.releases)
    errors = [abs(15 - 10) / 10, abs(15 - 20) / 20, abs(35 - 30) / 30, abs(35 - 40) / 40]
    assert min(errors) < banded <= max(errors)
    assert any(banded == pytest.approx(one) for one in [*errors, (errors[1] + errors[2]) / 2])
    assert moved == 0


def test_a_release_measures_its_file_as_a_comparison_does(folder, capsys):
    call = ["release", "people.csv", "ours.csv", *ROLES, "--distinct-l", "3", "--publish-sensitive"]
    assert run([*call, "--regress", "wage ~ age + sex", "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)["file_usefulness"]
    asked = [
        "compare",
        "people.csv",
        *ROLES,
        "--release",
        "ours.csv",
        "--regress",
        "wage ~ age + sex",
        "--json",
    ]
    assert run(asked) == 0
    assert json.loads(capsys.readouterr().out)["releases"][0]["usefulness"] == measured
    assert run([*call, "--useful", "--overwrite"]) == 0
    assert "histograms of two columns have" in " ".join(capsys.readouterr().out.split())
    refused = ["release", "people.csv", "no.csv", *ROLES, "--distinct-l", "3", "--regress", "wage ~ age"]
    assert run(refused) == 2
    assert "'wage', which the release will not hold" in capsys.readouterr().err
    assert not (folder / "no.csv").exists()


def test_a_candidate_is_released_by_its_number(folder, capsys):
    call = ["compare", "people.csv", *ROLES, "--candidates", "--distinct-l", "3", "--time-limit", "1"]
    assert run([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["candidates"]
    assert [one["number"] for one in found] == [1, 2, 3, 4, 5]
    assert {one["shape"] for one in found} == {"any", "columns", "tree"}
    assert all(one["release"]["distinct_l"] >= 3 for one in found if one["refused"] is None)
    assert sum(one["refused"] is None for one in found) >= 3
    assert run([*call, "--take", "1", "-o", "out.csv"]) == 0
    assert (folder / "out.csv").exists()
    assert (folder / "out.certificate.json").exists()
    capsys.readouterr()
    assert run([*call, "--take", "9", "-o", "no.csv"]) == 2
    assert "no candidate 9" in capsys.readouterr().err
    assert run([*call, "--take", "2"]) == 2
    assert "--output" in capsys.readouterr().err
    assert run(["compare", "people.csv", *ROLES, "--take", "2"]) == 2
    assert "--candidates" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_what_candidates_must_keep_besides_holds_for_each(capsys):
    call = ["compare", "people.csv", *ROLES, "--candidates", "--time-limit", "1"]
    asked = ["--require", "distinct-l=3", "--row-k", "12", "--missing-word", "NA"]
    assert run([*call, *asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["candidates"]
    assert [one["distinct_l"] for one in found] == [3] * 5
    there = [one["release"] for one in found if one["refused"] is None]
    assert len(there) >= 3
    assert all(one["row_k"] >= 12 and one["holds"] for one in there)
    assert {one["name"] for release in there for one in release["requirements"]} == {"distinct-l", "row-k"}
    # The call that is suggested makes the candidates that are shown.
    assert run([*call, *asked]) == 0
    said = capsys.readouterr().out.split("To release one of them:")[1]
    suggested = shlex.split(said.replace("\\\n", " "))
    assert run([*suggested[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["after"]["row_k"] >= 12


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        (["--candidates", "--withhold", "5%"], "leave --withhold out"),
        (["--candidates", "--max-leakage", "1"], "say --require l0=BITS"),
        (["--candidates", "--max-distortion", "1"], "leave --max-distortion out"),
        (["--release", "bands.csv", "--max-leakage", "1"], "say --require l0=BITS"),
        (["--release", "bands.csv", "--scale", "age=2"], "leave --scale out"),
        (["--release", "bands.csv", "--leakage", "istar"], "leave --leakage out"),
        (["--release", "people.csv"], "two files"),
        (["--release", "./people.csv"], "two files"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_would_have_no_effect_is_refused(typed, line, capsys):
    assert run(["compare", "people.csv", *ROLES, *typed]) == 2
    assert line in capsys.readouterr().err


def test_the_use_of_a_release_is_measured_by_the_values_that_its_midpoints_stand_for(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + row % 50 + row % 50 / 8},2024-0{1 + row % 9}-1{row % 7},{row % 7}" for row in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["dose,day,ward", *rows]) + "\n")
    call = ["release", "t.csv", "o.csv", "-s", "ward", "--text", "ward", "--overwrite", "--useful", "--json"]
    for public in (["-p", "dose"], ["-p", "day"], ["-p", "dose", "-p", "day", "--labels", "midpoint"]):
        assert run([*call, *public, "--distinct-l", "4", "--missing-word", "NA"]) == 0
        streams = capsys.readouterr()
        found = json.loads(streams.out)["file_usefulness"]
        assert found["query_error"] < 0.5
        assert "no cell of o.csv" not in streams.err
