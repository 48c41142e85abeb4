"""With one codebook for each column, none is merged away while others keep their detail."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from hartley.cli.program import run

COLUMNS = ("age", "sex", "land", "town", "school")
CALL = ["release", "t.csv", "o.csv", "-s", "faith", *(word for name in COLUMNS for word in ("-p", name))]
SHAPE = ["--distinct-l", "2", "--shape", "columns", "--withhold", "2%", "--overwrite"]


@pytest.fixture(autouse=True)
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(5)
    lines = ["age,sex,land,town,school,faith"]
    for _ in range(1500):
        faith = "b" if draw.random() < 0.16 else "a"
        cells = (draw.randrange(18, 90), *map(draw.choice, ("fm", "uk", "ABCDEFGH", "uvwxy")), faith)
        lines.append(",".join(map(str, cells)))
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)


def labels() -> dict[str, set[str]]:
    with Path("o.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: {row[name] for row in rows if row[name]} for name in COLUMNS}


def test_every_column_keeps_some_detail(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CALL, *SHAPE]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert {name for name, found in labels().items() if len(found) < 2} == set()
    assert "would leave nothing of town; --weight decides otherwise." in said
    assert "Nothing is left" not in said


def test_weights_of_your_own_decide(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CALL, *SHAPE, "--weight", "age=1"]) == 0
    assert "Nothing is left of town" in " ".join(capsys.readouterr().out.split())
    assert labels()["town"] == {"all"}


def test_a_report_says_first_that_a_column_has_vanished() -> None:
    roles = [CALL[1], *CALL[3:]]
    assert run(["report", *roles, *SHAPE, "--weight", "age=1", "-o", "page.html"]) == 0
    said = Path("page.html").read_text(encoding="utf-8")
    assert "Nothing is left of town" in said.partition("As the table is")[0]
    assert "give more weight, or publish a column less" in said
    assert "town: nothing is left of it" in said


def test_missing_cells_are_a_band_of_their_own_where_a_column_is_spared() -> None:
    draw = random.Random(3)
    lines = Path("t.csv").read_text().splitlines()
    cells = [line.split(",") for line in lines[1:]]
    for row in cells:
        row[3] = str(draw.randrange(30)) if draw.random() < 0.7 else ""
    Path("t.csv").write_text("\n".join([lines[0], *(",".join(row) for row in cells)]) + "\n")
    assert run([*CALL, "--distinct-l", "2", "--shape", "columns"]) == 0


def test_where_empty_cells_cost_a_column_the_way_to_keep_it_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [f"{20 + row % 40},{'fm'[row // 40 % 2]},{row % 5}" for row in range(160)]
    Path("t.csv").write_text("\n".join(["age,sex,ill", *rows, "33,,2"]) + "\n")
    call = ["release", "t.csv", "out.csv", "-s", "ill", "-p", "age", "-p", "sex", "--distinct-l", "3"]
    shape = ["--shape", "columns", "--withhold", "1%", "--overwrite"]
    assert run([*call, *shape]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "What may keep it: leave rows with an empty cell out (--missing drop)" in said
    assert "--withhold 1%" not in said
    assert run([*call, *shape, "--missing", "drop"]) == 0
    assert "Nothing is left" not in capsys.readouterr().out
