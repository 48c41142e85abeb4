"""How unlike two values of a text column are, from a file or by pairs; and what is wrong with such a file."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest

import hartley
from hartley.cli.program import run

UNLIKE = {("cook", "waiter"): 0.1, ("cook", "judge"): 1.0, ("judge", "waiter"): 1.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generator = random.Random(5)
    rows = [(generator.choice(["cook", "waiter", "judge"]), 20 + k % 6, k % 7) for k in range(60)]
    pd.DataFrame(rows, columns=["job", "age", "s"]).to_csv(tmp_path / "t.csv", index=False)
    lines = [f"{one},{other},{number}" for (one, other), number in UNLIKE.items()]
    (tmp_path / "unlike.csv").write_text("\n".join(["value,other,number", *lines]) + "\n")
    return tmp_path


def called(folder: Path, *options: str) -> int:
    given = [option.replace("@", f"{folder}/") for option in options]
    call = ["release", str(folder / "t.csv"), str(folder / "o.csv"), "-s", "s", "-p", "job", "-p", "age"]
    return run([*call, "--overwrite", "--distinct-l", "6", "--json", *given])


def test_like_values_are_merged_and_unlike_ones_are_not(folder, capsys):
    assert called(folder, "--dissimilarity", "job=@unlike.csv", "--objective", "worst") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["verified"]
    released = pd.read_csv(folder / "o.csv", dtype=str)
    assert not any("judge" in job and job != "judge" for job in released["job"])
    frame = pd.read_csv(folder / "t.csv")
    with hartley.Study(frame, sensitive="s", public=["job", "age"]) as study:
        found = study.frontier(dissimilarity={"job": UNLIKE}).to_dict()
    worst = {point["distinct_l"]: point["max_distortion"] for point in found["points"]}
    assert min(worst[level] for level in worst if level >= 6) == pytest.approx(
        result["point"]["max_distortion"]
    )


WRONG = {
    "two columns": ("value,other\ncook,judge\n", "three columns"),
    "no number": ("value,other,number\ncook,judge,far\n", "line 2 needs a number"),
    "below zero": ("value,other,number\ncook,judge,-1\n", "line 2 needs a number"),
    "unlike itself": ("value,other,number\ncook,cook,1\n", "unlike itself"),
    "two numbers": ("value,other,number\ncook,judge,1\njudge,cook,0.5\n", "another number"),
    "pairs that lack": ("value,other,number\ncook,judge,1\n", "must cover all pairs"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_the_file_is_one_line(folder, capsys, name):
    text, reason = WRONG[name]
    (folder / "wrong.csv").write_text(text)
    assert called(folder, "--dissimilarity", "job=@wrong.csv") == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("hartley: ")]
    assert reason in line


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--dissimilarity", "age=@unlike.csv"], "is for text"),
        (["--dissimilarity", "size=@unlike.csv"], "no public column 'size'"),
        (["--dissimilarity", "job=@none.csv"], "none.csv"),
        (["--dissimilarity", "job"], "job=unlike.csv"),
        (["--dissimilarity", "job=@unlike.csv", "--shape", "columns"], "--shape any"),
        (["--dissimilarity", "job=@unlike.csv", "--order", "job=@unlike.csv"], "give one of them"),
    ],
)
def test_what_does_not_fit_is_one_line(folder, capsys, options, reason):
    assert called(folder, *options) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("hartley: ")]
    assert reason in line


def test_of_one_column_no_shape_is_advised_that_refuses_it(folder, capsys):
    call = ["release", str(folder / "t.csv"), str(folder / "o.csv"), "-s", "s", "-p", "job"]
    assert run([*call, "--distinct-l", "2", "--dissimilarity", f"job={folder}/unlike.csv"]) == 2
    said = capsys.readouterr().err
    assert said == "hartley: --dissimilarity needs several public columns; name more\n"
