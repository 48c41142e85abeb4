"""What somebody types at first: labels that can be read, and one line where a call cannot be meant."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hartley.cli.program import run

LINES = [
    "town,age,sex,ill",
    *(f"{'ABCD'[n % 4]},{20 + n},{'fm'[n // 4 % 2]},{'xyz'[n // 8 % 3]}" for n in range(24)),
]


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.csv"
    path.write_text("\n".join(LINES) + "\n")
    return path


def refused(capsys: pytest.CaptureFixture[str], *call: str) -> str:
    capsys.readouterr()
    assert run(["release", "t.csv", "out.csv", *call]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert not Path("out.csv").exists()
    return said


@pytest.mark.parametrize("shape", ["intervals", "columns"])
def test_borders_that_no_value_lies_between_are_refused(
    capsys: pytest.CaptureFixture[str], shape: str
) -> None:
    call = ["-s", "ill", "-p", "age", "--distinct-l", "2", "--shape", shape]
    for borders in ("50,60", "5,20"):
        said = refused(capsys, *call, "--borders", f"age={borders}")
        assert "no border of 'age' lies among its values, which go from 20 to 43" in said
    assert run(["release", "t.csv", "out.csv", *call, "--borders", "age=30,60"]) == 0


def test_a_column_that_is_named_twice_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for twice in (["-s", "ill", "-s", "ill", "-p", "age"], ["-s", "ill", "-p", "age", "-p", "age"]):
        assert "named twice" in refused(capsys, *twice, "--distinct-l", "2")


def test_a_release_of_which_nothing_is_asked_is_told_what_to_ask(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(capsys, "-p", "age", "-p", "sex")
    assert "name a sensitive column with --sensitive" in said
    assert "--row-k alone" in said


def test_groups_of_one_column_of_text_are_written_in_words(table: Path) -> None:
    table.write_text("sex,ill\nf,x\nf,x\nm,y\nm,y\nd,z\nd,z\nn,x\nn,y\nn,z\n")
    assert run(["release", "t.csv", "out.csv", "-s", "ill", "-p", "sex", "--distinct-l", "3"]) == 0
    labels = set(Path("out.csv").read_text().split("\n")) - {"sex", ""}
    assert labels == {"d or f or m", "n"}
    documents = ["--policy", "out.policy.json", "--certificate", "out.certificate.json"]
    assert run(["verify", "out.csv", "--original", "t.csv", *documents]) == 0


def test_the_codebook_says_which_columns_are_as_they_were() -> None:
    call = ["-s", "ill", "-p", "age", "-p", "sex", "--distinct-l", "3"]
    assert run(["release", "t.csv", "out.csv", *call]) == 0
    lines = csv.DictReader(Path("out.codebook.csv").read_text().splitlines())
    told = {line["column"]: line["treatment"] for line in lines}
    assert told == {"age": "recoded", "sex": "unchanged"}
