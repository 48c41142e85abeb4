"""Dates as they are written in Europe and the United States."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from hartley import Study, apply, verify
from hartley.errors import ColumnError, OptionError, worded
from hartley.notes import heard_notes
from hartley.tables import ReadOptions, open_table

DAYS = [dt.date(1950, 1, 1) + dt.timedelta(days=97 * step) for step in range(24)]


def written(folder: Path, form: str, days: list[dt.date] = DAYS) -> Path:
    path = folder / "dates.csv"
    lines = [f"{day:{form}},{'xyz'[place % 3]}" for place, day in enumerate(days)]
    path.write_text("\n".join(["born,ill", *lines, ",x"]) + "\n", encoding="utf-8")
    return path


def read(path: Path, options: ReadOptions | None = None) -> tuple[str, list[object], list[str]]:
    said: list[str] = []
    with heard_notes(said.append):
        table = open_table(path, options or ReadOptions())
        (column,) = table.typed_columns(["born"])
        query = table.rows_sql([], typed=["born"])
        cells = [row[1] for row in sorted(table.connection.execute(query).fetchall())]
    return column.kind, cells, [worded(one) for one in said]


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%-d.%-m.%Y"])
def test_dates_that_can_be_read_in_one_way_are_read_with_a_note(tmp_path, form):
    kind, cells, said = read(written(tmp_path, form))
    assert kind == "date"
    assert cells == [(day - dt.date(1970, 1, 1)).days for day in DAYS] + [None]
    assert len(said) == 1
    assert "'born' is read as dates written" in said[0]


def test_slashes_that_may_be_both_stay_text_and_the_options_are_named(tmp_path):
    path = written(tmp_path, "%d/%m/%Y", [dt.date(2000, month, 1 + month % 5) for month in range(1, 13)])
    kind, _, said = read(path)
    assert kind == "text"
    assert "say dates='dd/mm/yyyy' or dates='mm/dd/yyyy'" in said[0]
    _, european, _ = read(path, ReadOptions(dates=("dd/mm/yyyy",)))
    _, american, _ = read(path, ReadOptions(dates=("born=mm/dd/yyyy",)))
    assert european != american
    with (
        Study(path, sensitive="ill", public="born") as study,
        pytest.raises(OptionError, match="looks like dates"),
    ):
        study.release(tmp_path / "out.csv", distinct_l=2)


def test_another_column_may_tell_whether_the_day_comes_first(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("born,died\n01/02/1950,03/04/2001\n02/03/1951,25/04/2001\n", encoding="utf-8")
    assert open_table(path).source.date_formats == {"born": "dd/mm/yyyy", "died": "dd/mm/yyyy"}


def test_a_cell_that_is_no_date_leaves_the_column_text_and_a_named_one_refused(tmp_path):
    path = written(tmp_path, "%d.%m.%Y")
    path.write_text(path.read_text() + "31.02.2000,x\n", encoding="utf-8")
    assert read(path)[0] == "text"
    with pytest.raises(ColumnError, match="no dates written"):
        open_table(path, ReadOptions(dates=("born=dd.mm.yyyy",)))
    assert read(written(tmp_path, "%d.%m.%Y"), ReadOptions(text=("born",)))[0] == "text"


@pytest.mark.parametrize("said", [("dd.mm.yy",), ("dd.mm.yyyy", "dd/mm/yyyy"), ("born=",)])
def test_unknown_or_doubled_ways_are_refused(said):
    with pytest.raises(OptionError):
        ReadOptions(dates=said)


def test_a_release_of_such_dates_is_verified_and_applied_again(tmp_path):
    path = written(tmp_path, "%d.%m.%Y")
    with Study(path, sensitive="ill", public="born", missing="drop") as study:
        made = study.release(tmp_path / "out.csv", distinct_l=3)
    found = verify(
        made.output, original=path, policy=made.policy, certificate=made.certificate, record=made.record
    )
    assert found.holds
    again = apply(made.policy, path, tmp_path / "again.csv")
    assert again.rows == made.rows
    assert sorted((tmp_path / "again.csv").read_text().split()) == sorted(made.output.read_text().split())
