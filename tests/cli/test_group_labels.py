"""Merged text has the name of its group where a hierarchy was given: in release, policy, apply and verify."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest

from hartley.cli.program import run

TREE = "value,level1,level2\nParis,France,Europe\nLyon,France,Europe\nRome,Italy,Europe\nMilan,Italy,Europe\n"
CITIES = {"Paris", "Lyon", "Rome", "Milan"}
GROUPS = {"France": {"Paris", "Lyon"}, "Italy": {"Rome", "Milan"}, "Europe": CITIES}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generator = random.Random(2)
    rows = [(generator.choice(sorted(CITIES)), 30 + k % 3, k % 5) for k in range(40)]
    pd.DataFrame(rows, columns=["city", "age", "s"]).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "tree.csv").write_text(TREE)
    return tmp_path


def released(folder: Path, *options: str) -> pd.DataFrame:
    call = ["release", str(folder / "t.csv"), str(folder / "o.csv"), "-s", "s", "-p", "city", "-p", "age"]
    call += ["--hierarchy", f"city={folder}/tree.csv", "--distinct-l", "4", "--keep-order", "--overwrite"]
    assert run([*call, "--json", *options]) == 0
    return pd.read_csv(folder / "o.csv", dtype=str)


def test_merged_values_have_the_name_of_the_lowest_group_that_holds_them(folder, capsys):
    table, before = released(folder), pd.read_csv(folder / "t.csv")
    assert json.loads(capsys.readouterr().out)["verified"]
    assert set(table["city"]) <= {*CITIES, *GROUPS}
    assert set(table["city"]) & set(GROUPS)
    for label, original in zip(table["city"], before["city"], strict=True):
        assert original in GROUPS.get(label, {label})
    classes = pd.concat([table, before["s"]], axis=1).groupby(["city", "age"])["s"].nunique()
    assert classes.min() >= 4


def test_apply_and_verify_know_the_groups(folder, capsys):
    table = released(folder)
    policy = str(folder / "o.policy.json")
    checked = ["verify", str(folder / "o.csv"), "--original", str(folder / "t.csv"), "--policy", policy]
    assert run(checked) == 0
    again = ["apply", policy, str(folder / "t.csv"), str(folder / "n.csv")]
    assert run(again) == 0
    new = pd.read_csv(folder / "n.csv", dtype=str)
    assert sorted(map(tuple, new.to_numpy())) == sorted(map(tuple, table.to_numpy()))
    capsys.readouterr()


def test_sets_are_written_where_they_are_asked_for(folder, capsys):
    table = released(folder, "--labels", "set")
    assert not set(table["city"]) & set(GROUPS)
    assert any(label.startswith("{") for label in table["city"])
    capsys.readouterr()
