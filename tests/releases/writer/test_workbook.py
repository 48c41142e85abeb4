"""Releases as workbooks: cells of their kinds, nothing of the source; what none can hold is refused."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pyarrow as pa
import pytest

from hartley import ReadOptions, release, verify
from hartley.errors import HartleyError, WriteError
from hartley.releases.writer.workbook_file import write_workbook


def source(folder: Path) -> Path:
    book = openpyxl.Workbook()
    book.properties.creator = "Dr. Secret"
    book.properties.title = "ward 7"
    sheet = book.active
    sheet.append(["pay", "age", "born", "town", "note"])
    for row in range(24):
        day = dt.date(1950, 1, 1) + dt.timedelta(days=40 * row)
        sheet.append([row % 5, 20 + row, day, "xy"[row % 7 == 0], None if row == 3 else row / 4])
    path = folder / "source.xlsx"
    book.save(path)
    return path


def test_a_workbook_is_released_and_verified(tmp_path):
    path = source(tmp_path)
    made = release(
        path, tmp_path / "out.xlsx", sensitive="pay", public=["age", "born"], keep=["town"], distinct_l=2
    )
    documents = {"policy": made.policy, "certificate": made.certificate, "record": made.record}
    assert verify(made.output, original=path, **documents).holds
    header, *rows = openpyxl.load_workbook(made.output).active.iter_rows()
    assert [cell.value for cell in header] == ["age", "born", "town"]
    assert len(rows) == 24
    with ZipFile(made.output) as book:
        everything = b"".join(book.read(name) for name in book.namelist())
    assert b"Secret" not in everything
    assert b"ward 7" not in everything
    sheet = openpyxl.load_workbook(made.output)
    sheet.active["A2"] = "99 to 100"
    sheet.save(made.output)
    assert not verify(made.output, original=path, **documents).holds


@pytest.mark.parametrize(
    "cells", [[2**60], [float("inf")], ["a\x01b"], [""], [dt.date(1800, 1, 1)], ["x" * 40_000]]
)
def test_what_a_workbook_would_change_is_refused(tmp_path, cells):
    with pytest.raises(WriteError):
        write_workbook(tmp_path / "o.xlsx", pa.table({"a": cells}))


def test_text_that_begins_as_a_formula_does_is_text(tmp_path):
    write_workbook(tmp_path / "o.xlsx", pa.table({"=a": ["=1+1", "x"]}))
    cells = [row[0] for row in openpyxl.load_workbook(tmp_path / "o.xlsx").active.iter_rows()]
    assert [(cell.value, cell.data_type) for cell in cells] == [("=a", "s"), ("=1+1", "s"), ("x", "s")]


def test_a_released_workbook_with_a_cell_far_away_is_refused(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 1, 2, 2], "pay": [1, 2, 3, 4]})
    made = release(table, tmp_path / "out.xlsx", sensitive="pay", public="age", distinct_l=2)
    book = openpyxl.load_workbook(made.output)
    book.active["XFD1048576"] = 1
    book.save(made.output)
    with pytest.raises(HartleyError, match="the file cannot be read as its name says"):
        verify(made.output, original=table, policy=made.policy)


def test_numbers_that_are_read_as_text_have_no_decimals(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["pay", "zip", "grade"])
    for row in range(24):
        book.active.append([row % 5, None if row == 3 else 1067 + row % 2, "none" if row == 2 else row % 3])
    path = tmp_path / "source.xlsx"
    book.save(path)
    options = ReadOptions(text=("zip", "grade"))
    made = release(
        path, tmp_path / "out.xlsx", sensitive="pay", public=["zip", "grade"], options=options, distinct_l=2
    )
    assert verify(made.output, original=path, policy=made.policy, record=made.record).holds
    _, *rows = openpyxl.load_workbook(made.output).active.iter_rows(values_only=True)
    assert {part for row in rows for cell in row for part in str(cell).split(" or ")} == {
        *("1067", "1068", "missing", "0", "1", "2", "none")
    }
