"""Cells that a spreadsheet would run: found, defused and verified, by two programs that agree."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import duckdb
import pytest

import hartley
from hartley.cli import main
from hartley.errors import ColumnError
from hartley.releases.writer.publication import defused, defused_sql, is_run, runs_sql
from hartley.verifier.expected_cells import _defused as verifier_defused

LETTERS = ["=", "+", "-", "@", "'", " ", "\t", "\n", "5", ".", ",", "e", "%", "a", "(", "＝", "\u00a0", '"']
RUN = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+A1",
    "-A1",
    "@SUM(A1)",
    " =A1",
    "\t=A1",
    "\r@x",
    "＝A1",
    "-1-1",
    "+49 40 1",
]
PLAIN = ["", "a=b", "-5", "+5", "-1,000.50", "-.5", "1e-5", "-3 %", "-", "--", "+", "'it", "x", "(1)"]


def some_cells() -> list[str]:
    chance = random.Random(5)
    return ["".join(chance.choices(LETTERS, k=chance.randint(1, 6))) for _ in range(4000)]


def test_cells_that_run_and_cells_that_do_not() -> None:
    assert [cell for cell in RUN if not is_run(cell)] == []
    assert [cell for cell in PLAIN if is_run(cell)] == ["-3 %"]


def test_writer_engine_and_verifier_agree_about_every_cell() -> None:
    cells = sorted({*some_cells(), *RUN, *PLAIN})
    engine = duckdb.connect()
    engine.execute("CREATE TABLE cells (c VARCHAR)")
    engine.executemany("INSERT INTO cells VALUES (?)", [[cell] for cell in cells[:800]])
    found = engine.execute(f"SELECT c, {runs_sql('c')}, {defused_sql('c')} FROM cells").fetchall()  # noqa: S608
    assert found == [(cell, is_run(cell), defused(cell)) for cell, _, _ in found]
    assert [verifier_defused(cell) for cell in cells] == [defused(cell) for cell in cells]


def test_no_defused_cell_runs_and_different_cells_stay_different() -> None:
    cells = {*some_cells(), *RUN, *PLAIN}
    made = {defused(cell) for cell in cells}
    assert len(made) == len(cells)
    assert not any(map(is_run, made))
    assert all(defused(cell) == cell for cell in cells if not is_run(cell.lstrip("'")))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.csv"
    rows = [
        (x, "ab"[(x + copy) % 2], RUN[x % len(RUN)] if copy else "fine") for x in range(12) for copy in (0, 1)
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("x", "s", "note"), *rows])
    return path


@pytest.mark.parametrize("keep_order", [False, True])
def test_a_release_defuses_kept_cells_and_is_verified(notes: Path, keep_order: bool) -> None:
    out = notes.with_name("out.csv")
    made = hartley.release(
        notes, out, sensitive="s", public="x", harmless="note", require={"distinct_l": 2},
        exposure="accept", defuse_formulas=True, keep_order=keep_order,
    )  # fmt: skip
    assert dict(made.formula_cells) == {"note": 12}
    with out.open(newline="", encoding="utf-8") as file:
        cells = [row["note"] for row in csv.DictReader(file)]
    assert not any(map(is_run, cells))
    assert sorted(cells) == sorted(
        str(defused(cell)) for cell in [*(RUN[x % len(RUN)] for x in range(12)), *["fine"] * 12]
    )
    assert hartley.verify(out, original=notes, policy=made.policy, certificate=made.certificate).holds
    again = out.read_text(encoding="utf-8").replace("'=", "=", 1)
    out.write_text(again, encoding="utf-8")
    assert not hartley.verify(out, original=notes, policy=made.policy, certificate=made.certificate).holds


def test_labels_are_defused_as_well(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("s,x\na,=A1\nb,=A1\na,town\nb,town\n", encoding="utf-8")
    made = hartley.release(
        table, tmp_path / "o.csv", sensitive="s", public="x", require={"distinct_l": 2}, defuse_formulas=True
    )
    assert sorted((tmp_path / "o.csv").read_text(encoding="utf-8").split()) == [
        "'=A1",
        "'=A1",
        "town",
        "town",
        "x",
    ]
    hartley.apply(made.policy, table, tmp_path / "again.csv")
    assert "\n=" not in (tmp_path / "again.csv").read_text(encoding="utf-8")


def test_the_name_of_a_column_is_not_changed(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("s,=x\na,1\nb,1\n", encoding="utf-8")
    asked = {"sensitive": "s", "public": "=x", "require": {"distinct_l": 2}}
    with pytest.raises(ColumnError, match="rename it"):
        hartley.release(table, tmp_path / "o.csv", defuse_formulas=True, **asked)
    assert dict(hartley.release(table, tmp_path / "o.csv", **asked).formula_cells) == {"=x": 1}


def test_a_parquet_file_is_left_as_it_is(notes: Path) -> None:
    made = hartley.release(
        notes, notes.with_name("o.parquet"), sensitive="s", public="x", harmless="note",
        require={"distinct_l": 2}, exposure="accept", defuse_formulas=True,
    )  # fmt: skip
    assert dict(made.formula_cells) == {}


def test_the_command_warns_on_stderr(
    notes: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(notes.parent)
    line = "release notes.csv o.csv -s s -p x --distinct-l 2 --harmless note --accept-exposure --json"
    for more, said in (
        ("", "would run them; --defuse-formulas"),
        ("--overwrite --defuse-formulas", "has a quote"),
    ):
        monkeypatch.setattr("sys.argv", ["hartley", *line.split(), *more.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code in (0, None)
        printed, told = capsys.readouterr()
        assert json.loads(printed)["formula_cells"] == {"note": 12}
        assert "12 cells of 'note'" in told
        assert said in told
        assert not any(cell in told for cell in RUN)
