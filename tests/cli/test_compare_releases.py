"""Released files side by side, whoever made them, and settings of ours by their numbers."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from hartley.cli.program import run


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
    assert copy["usefulness"]["regressions"][0]["mean_overlap"] == pytest.approx(1)
    assert bands["usefulness"]["regressions"][0]["mean_overlap"] < 0.9
    assert run([*call, "--row-k", "3", "--plot", "trade.svg"]) == 3
    assert "bands.csv" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_the_usefulness_of_a_file_stands_in_its_audit(capsys):
    call = ["audit", "bands.csv", "--against", "people.csv", *ROLES, "--regress", "wage ~ age"]
    assert run([*call, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["against"]["usefulness"]
    assert 0 < shown["two_way_marginals"] < 1
    assert run(["audit", "people.csv", *ROLES, "--regress", "wage ~ age"]) == 2
    assert "--against" in capsys.readouterr().err


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
