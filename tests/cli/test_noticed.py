"""What an audit without roles notices of columns: persons, codes, dates, numbers that mean missing."""

from __future__ import annotations

import json

import openpyxl
import pytest

from hartley.cli.program import run


@pytest.fixture
def visits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["patient_id,age,race,born,status"]
    for row in range(120):
        age = 999 if row == 7 else 20 + row // 2 % 40
        born = f"{1 + row % 28:02d}.{1 + row % 12:02d}.{1950 + row % 40}"
        lines.append(f"{100 + row // 2},{age},{1 + row % 9},{born},{'abc'[row % 3]}")
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.usefixtures("visits")
def test_an_audit_without_roles_says_what_it_noticed(capsys):
    assert run(["audit", "visits.csv"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "patient_id repeats: 60 persons with 2 rows each on average" in said
    assert "--person patient_id" in said
    assert "999 may mean missing" in said
    assert "looks like codes" in said
    assert run(["audit", "visits.csv", "--json"]) == 0
    columns = {one["name"]: one for one in json.loads(capsys.readouterr().out)["columns"]}
    assert columns["patient_id"]["identifier"]
    assert columns["patient_id"]["rows_each"] == 2
    assert columns["race"]["codes"]
    assert not columns["age"]["codes"]
    assert columns["age"]["missing_code"] == 999
    assert not columns["born"]["identifier"]


@pytest.mark.usefixtures("visits")
def test_a_workbook_with_several_sheets_says_which_is_read(tmp_path, capsys):
    book = openpyxl.Workbook()
    book.active.title = "Legend"
    book.active.append(["column", "meaning"])
    book.active.append(["age", "in years"])
    data = book.create_sheet("Data")
    data.append(["age", "status"])
    for row in range(30):
        data.append([20 + row, "ab"[row % 2]])
    book.save(tmp_path / "book.xlsx")
    assert run(["audit", "book.xlsx"]) == 0
    streams = capsys.readouterr()
    assert "'Data', which has the most rows, is read, and not 'Legend'" in " ".join(streams.err.split())
    assert "30 rows, 2 columns" in streams.out
