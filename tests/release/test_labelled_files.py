"""Stata, SPSS and Arrow files go in and come out: labels and untouched columns are what they were."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather

from hartley.errors import WriteError
from hartley.workflow.releasing import release
from hartley.workflow.target import Target

COUNT = 48
CELLS: dict[str, list[Any]] = {
    "age": [30 + i % 4 for i in range(COUNT)],
    "chol": [100.5 + 10 * (i % 8) for i in range(COUNT)],
    "smoker": [float(i % 2 + 1) for i in range(COUNT)],
    "site": [["Wien", "Györ", ""][i % 3] for i in range(COUNT)],
    "seen": [dt.date(2024, 1, 1 + i % 5) for i in range(COUNT)],
}
VALUES = {"smoker": {1: "no", 2: "yes"}, "chol": {100.5: "lowest"}}
COLUMNS = {"smoker": "Smokes", "chol": "Cholesterol", "site": "Centre"}


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_labels_and_untouched_columns_survive_a_release(tmp_path: Path, ending: str) -> None:
    statistics = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    is_stata = ending == "dta"
    write, read = (
        (statistics.write_dta, statistics.read_dta)
        if is_stata
        else (statistics.write_sav, statistics.read_sav)
    )
    source, out = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    dates = {"variable_format": {"seen": "%td"}} if is_stata else {"missing_ranges": {"smoker": [2]}}
    # Stata labels whole numbers only.
    values = {"smoker": VALUES["smoker"]} if is_stata else VALUES
    write(pandas.DataFrame(CELLS), str(source), column_labels=COLUMNS, variable_value_labels=values, **dates)
    result = release(
        source,
        out,
        target=Target("distinct_l", 3),
        sensitive="age",
        public="chol",
        harmless=("smoker", "site", "seen"),
    )
    assert result.verification.holds
    before, _ = read(str(source), user_missing=True)
    after, meta = read(str(out), user_missing=True)
    untouched = ["smoker", "site", "seen"]
    assert list(after.columns) == ["chol", *untouched]
    rows = [Counter(map(tuple, frame[untouched].astype(str).values.tolist())) for frame in (before, after)]
    assert rows[0] == rows[1]
    assert meta.variable_value_labels == {"smoker": VALUES["smoker"]}
    assert {name: label for name, label in meta.column_names_to_labels.items() if label} == COLUMNS
    if not is_stata:
        assert meta.missing_ranges == {"smoker": [{"lo": 2.0, "hi": 2.0}]}


def test_an_arrow_file_is_released_as_an_arrow_file(tmp_path: Path) -> None:
    source, out = tmp_path / "in.arrow", tmp_path / "out.feather"
    feather.write_feather(pa.table(CELLS), source)
    result = release(
        source, out, target=Target("distinct_l", 3), sensitive="age", public="chol", harmless=("seen", "site")
    )
    assert result.verification.holds
    found = feather.read_table(out)
    assert found.column_names == ["chol", "site", "seen"]
    assert found.schema.field("seen").type == pa.date32()
    assert Counter(found["site"].to_pylist()) == Counter(CELLS["site"])


def test_what_a_stata_file_would_round_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    frame = pa.table({**CELLS, "number": [2**60 + i for i in range(COUNT)]})
    with pytest.raises(WriteError, match="'number' holds whole numbers beyond 2\\^53"):
        release(
            frame,
            tmp_path / "out.dta",
            target=Target("distinct_l", 3),
            sensitive="age",
            public="chol",
            harmless="number",
        )
    assert not list(tmp_path.iterdir())
