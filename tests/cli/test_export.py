"""``hartley export``: files, messages and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hartley.cli.program import run

ROWS = "age,chol,name\n30,180,a\n41,181,b\n41,214,\n52,215,d\n"


@pytest.fixture
def policy(tmp_path: Path) -> str:
    (tmp_path / "in.csv").write_text(ROWS)
    asked = ["-s", "age", "-p", "chol", "--distinct-l", "2", "--labels", "interval"]
    assert run(["release", str(tmp_path / "in.csv"), str(tmp_path / "out.csv"), *asked]) == 0
    return str(tmp_path / "out.policy.json")


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("sql", "WHEN r.x0 IN (180, 181) THEN '[180, 181]'"),
        ("python", "[['180'], ['[180, 181]']],"),
        ("r", "hartley_recode <- function(d) {"),
        ("stata", 'replace hartley_0 = "[180, 181]" if !hartley_done & (chol == 180)'),
        ("spss", "COMPUTE hartley_0 = '[180, 181]'."),
        ("csv", 'chol,chol_released\n180,"[180, 181]"\n'),
        ("dbt", "-- models/hartley_released.sql"),
    ],
)
def test_every_language_says_the_codebook(
    policy: str, to: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["export", policy, "--to", to]) == 0
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(("unseen", "refuses"), [("error", True), ("suppress", False)])
def test_syntax_lists_and_leaves_out_unseen_combinations_only_where_they_are_errors(
    tmp_path: Path, unseen: str, refuses: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.csv").write_text(ROWS)
    asked = ["-s", "age", "-p", "chol", "-p", "name", "--distinct-l", "2"]
    assert run(["release", str(tmp_path / "in.csv"), str(tmp_path / "out.csv"), *asked]) == 0
    capsys.readouterr()
    assert run(["export", str(tmp_path / "out.policy.json"), "--to", "spss", "--unseen", unseen]) == 0
    assert ("never seen; it is left out" in capsys.readouterr().out) == refuses


def test_a_file_is_written_once_and_only_its_owner_reads_it(
    policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "recode.sql"
    asked = ["export", policy, "--to", "sql", "--dialect", "snowflake", "-o", str(out)]
    capsys.readouterr()
    assert run([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "to": "sql",
        "dialect": "snowflake",
        "values": 4,
        "tables": [],
        "output": str(out),
        "files": [],
    }
    assert out.stat().st_mode & 0o077 == 0
    assert run(asked) == 2
    assert run([*asked, "--overwrite"]) == 0


def test_a_large_codebook_is_a_table_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "".join(f"{number % 2},{number}\n" for number in range(300))
    (tmp_path / "in.csv").write_text(f"s,x\n{lines}")
    asked = ["-s", "s", "-p", "x", "--distinct-l", "2", "--search", "greedy"]
    assert run(["release", str(tmp_path / "in.csv"), str(tmp_path / "out.csv"), *asked]) == 0
    capsys.readouterr()
    assert run(["export", str(tmp_path / "out.policy.json"), "--to", "sql"]) == 0
    shown = capsys.readouterr()
    assert "codebook is too large for conditions, so it is a table" in shown.err
    assert 'LEFT JOIN "hartley_codebook"' in shown.out


def test_how_the_policy_reads_cells_is_said_where_what_is_exported_does_not_know_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "".join(f"{number % 2};{number},5;{1 + number % 28:02d}.01.2020\n" for number in range(30))
    (tmp_path / "in.csv").write_text(f"s;x;d\n{lines}1;99,0;01.01.2020\n0;99,0;01.01.2020\n")
    read = ["-p", "d", "--decimal", ",", "--missing-word", "x=99,0"]
    out = str(tmp_path / "out.csv")
    assert (
        run(["release", str(tmp_path / "in.csv"), out, "-s", "s", "-p", "x", *read, "--distinct-l", "2"]) == 0
    )
    for language, is_said in (("sql", True), ("python", True), ("csv", False)):
        capsys.readouterr()
        assert run(["export", str(tmp_path / "out.policy.json"), "--to", language]) == 0
        said = "empty the cells of 'x=99,0', write numbers with points, write dates as 2024-12-31 before it"
        assert (said in capsys.readouterr().err) == is_said


def test_bad_calls_are_one_line(policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = json.loads(Path(policy).read_text()) | {"version": 1}
    (tmp_path / "old.json").write_text(json.dumps(old))
    for asked, said in [
        (
            [policy, "--to", "sql", "--dialect", "oracle"],
            "unknown dialect 'oracle'; choose 'duckdb'",
        ),
        ([str(tmp_path / "old.json"), "--to", "sql"], "policy of version 1"),
        ([policy, "--to", "r", "--dialect", "duckdb"], "--dialect is of SQL"),
    ]:
        capsys.readouterr()
        assert run(["export", *asked]) == 2
        message = capsys.readouterr().err
        assert said in message
        assert message.count("\n") == 1
