"""Hierarchies of numbers and dates: named ranges are joined, never cut, and have no gaps."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

import hartley
from hartley.cli.program import run

CALL = [
    "release",
    "t.csv",
    "o.csv",
    "-s",
    "illness",
    "-p",
    "age",
    "-p",
    "sex",
    "--distinct-l",
    "2",
    "--overwrite",
]
DRAW = random.Random(3)
SHAPE = ["--shape", "columns"]


@pytest.fixture(autouse=True)
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        f"{16 + i % 70},{'fm'[i % 2]},{DRAW.choice('uvw')},{1990 + i % 30}-0{1 + i % 9}-11"
        for i in range(300)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["age,sex,illness,seen", *lines]) + "\n")
    monkeypatch.chdir(tmp_path)


def ages(column: str = "age") -> set[str]:
    with Path("o.csv").open(encoding="utf-8", newline="") as file:
        return {row[column] for row in csv.DictReader(file)}


@pytest.mark.parametrize("mark", [",", ";"])
def test_ranges_have_the_names_of_the_file(mark: str) -> None:
    rows = ["from,to,label", ",17,minor", "18,39,young", "40,64,middle", "65,,old"]
    Path("h.csv").write_text("\n".join(rows).replace(",", mark) + "\n")
    assert run([*CALL, *SHAPE, "--hierarchy", "age=h.csv"]) == 0
    assert ages() == {"minor", "young", "middle", "old"}
    assert run(["verify", "o.csv", "--original", "t.csv", "--policy", "o.policy.json"]) == 0


def test_ranges_are_joined_under_the_name_of_the_wider_one_and_never_cut() -> None:
    rows = ["from,to,label,wider", ",17,minor,minor", "18,39,young,adult", "40,,middle,adult"]
    Path("h.csv").write_text("\n".join(rows) + "\n")
    assert run([*CALL[:-3], *SHAPE, "--row-k", "100", "--overwrite", "--hierarchy", "age=h.csv"]) == 0
    assert ages() <= {"minor", "young", "adult", "middle", "under 40", "all"}


def test_values_of_numbers_and_ranges_of_dates() -> None:
    groups = [f"{age},{'under 50' if age < 50 else 'from 50 on'}" for age in range(16, 86)]
    Path("v.csv").write_text("\n".join(["value,level1", *groups]) + "\n")
    Path("d.csv").write_text("from,to,label\n,1999-12-31,last century\n2000-01-01,,this century\n")
    made = hartley.release(
        "t.csv", "o.csv", sensitive="illness", public=["age", "seen"], distinct_l=2, overwrite=True,
        shape="columns", hierarchy={"age": "v.csv", "seen": "d.csv"},
    )  # fmt: skip
    assert made.after.distinct_l >= 2
    assert ages() == {"under 50", "from 50 on"}
    assert ages("seen") == {"last century", "this century"}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["0,39,a", "35,64,b", "65,,c"], "ranges 'a' and 'b' of the hierarchy of 'age' overlap"),
        (["0,39,a", "45,64,b", "65,,c"], "leaves a gap between 'a' and 'b'"),
        (["20,39,a", "40,,b"], "misses values below 'a'"),
        (["0,39,a", "40,60,b"], "misses values above 'b'"),
        (["0,39,a", "x,64,b"], "has 'x' where a number belongs"),
        (["39,0,a", "40,,b"], "range 'a' of the hierarchy of 'age' ends before it begins"),
        (["0,39,a", "40,64,b", "65,,a"], "'a' of the hierarchy of 'age' is not one range but several"),
        ([",,a"], "names one range"),
        (["0,39,", "40,,b"], "lacks a name"),
    ],
)
def test_what_is_wrong_with_ranges_is_one_line(
    rows: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("h.csv").write_text("\n".join(["from,to,label", *rows]) + "\n")
    assert run([*CALL, *SHAPE, "--hierarchy", "age=h.csv"]) == 2
    streams = capsys.readouterr()
    assert said in streams.err
    assert len(streams.err.splitlines()) == 1
    assert not Path("o.csv").exists()


def test_other_shapes_refuse_them(capsys: pytest.CaptureFixture[str]) -> None:
    Path("h.csv").write_text("from,to,label\n,39,a\n40,,b\n")
    assert run([*CALL, "--hierarchy", "age=h.csv"]) == 2
    assert "hierarchies of these are of --shape columns" in capsys.readouterr().err
    assert run([*CALL, *SHAPE, "--hierarchy", "age=h.csv", "--borders", "age=20,40"]) == 2
    assert "give one" in capsys.readouterr().err


def test_ranges_may_stop_short_of_each_other_where_no_value_lies_between(tmp_path: Path) -> None:
    rows = [f"{20 + row / 4},{row % 5}" for row in range(80)]
    (tmp_path / "fine.csv").write_text("\n".join(["age,ill", *rows]) + "\n")
    (tmp_path / "h.csv").write_text("from;to;label\n;29,99;young\n30;;old\n")
    call = ["release", "fine.csv", "o.csv", "-s", "ill", "-p", "age", "--distinct-l", "3"]
    assert run([*call, "--shape", "columns", "--hierarchy", "age=h.csv"]) == 0
    assert ages() == {"young", "old"}


def test_fractions_may_not_fall_between_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{i / 4},{'fm'[i % 2]},{DRAW.choice('uvw')}" for i in range(300)]
    Path("t.csv").write_text("\n".join(["age,sex,illness", *lines]) + "\n")
    Path("h.csv").write_text("from,to,label\n,39,a\n40,,b\n")
    assert run([*CALL, *SHAPE, "--hierarchy", "age=h.csv"]) == 2
    assert "leaves a gap between 'a' and 'b'" in capsys.readouterr().err
    Path("h.csv").write_text("from,to,label\n,40,a\n40,,b\n")
    assert run([*CALL, *SHAPE, "--hierarchy", "age=h.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["requirements"][0]["holds"]
    assert ages() == {"a", "b"}
