"""Stata, SPSS and Arrow files go in and come out: labels and untouched columns are what they were."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather

from hartley import release
from hartley.errors import ColumnError, WriteError
from hartley.model.demand import Target

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
        exposure="accept",
    )
    assert result.verification.holds
    before, _ = read(str(source), user_missing=True)
    after, meta = read(str(out), user_missing=True)
    untouched = ["smoker", "site", "seen"]
    assert list(after.columns) == ["chol", *untouched]
    rows = [Counter(map(tuple, frame[untouched].astype(str).values.tolist())) for frame in (before, after)]
    assert rows[0] == rows[1]
    assert meta.variable_value_labels == {"smoker": VALUES["smoker"]}
    assert not any(meta.column_labels)
    if not is_stata:
        assert meta.missing_ranges == {"smoker": [{"lo": 2.0, "hi": 2.0}]}


def test_an_arrow_file_is_released_as_an_arrow_file(tmp_path: Path) -> None:
    source, out = tmp_path / "in.arrow", tmp_path / "out.feather"
    feather.write_feather(pa.table(CELLS), source)
    result = release(
        source,
        out,
        target=Target("distinct_l", 3),
        sensitive="age",
        public="chol",
        harmless=("seen", "site"),
        exposure="accept",
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
            exposure="accept",
        )
    assert not list(tmp_path.iterdir())


DAY = 86_400.0
ODD_TIMES: dict[str, tuple[str, str, list[float]]] = {
    "SPSS times beyond a day": ("sav", "DTIME12", [3600.0, 3600.0 + DAY, 3600.0 + 2 * DAY]),
    "SPSS times of day beyond a day": ("sav", "TIME8", [3600.0, 3600.0 + DAY, 7200.0]),
    "SPSS dates with a time of day": ("sav", "ADATE10", [160_000 * DAY, 160_000 * DAY + 3600, 160_001 * DAY]),
    "SPSS dates all at noon": ("sav", "DATE11", [160_000 * DAY + DAY / 2] * 3),
    "Stata parts of a day": ("dta", "%td", [700.0, 700.25, 700.5]),
    "Stata moments shown as times": ("dta", "%tcHH:MM", [3_600_000.0, 90_000_000.0, 7_200_000.0]),
}


def stored(path: Path, form: str, numbers: list[float]) -> Path:
    statistics = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    cells = pandas.DataFrame({"s": [float(i % 6) for i in range(12)], "x": [i // 3 for i in range(12)]})
    write = statistics.write_dta if path.suffix == ".dta" else statistics.write_sav
    write(cells.assign(k=numbers * 4), str(path), variable_format={"k": form})
    return path


def released(source: Any, out: Path, **options: Any) -> Any:
    given = {"target": Target("largest_cluster", 2), "sensitive": "s", "public": "x", "search": "greedy"}
    return release(source, out, **{**given, **options})


@pytest.mark.parametrize(("ending", "form", "numbers"), ODD_TIMES.values(), ids=ODD_TIMES)
def test_dates_and_times_that_their_format_does_not_show_are_refused(
    tmp_path: Path, ending: str, form: str, numbers: list[float]
) -> None:
    source = stored(tmp_path / f"in.{ending}", form, numbers)
    for options in ({"harmless": "k"}, {"public": "k"}):
        with pytest.raises(ColumnError, match=r"column 'k' .*that its format does not show"):
            released(source, tmp_path / f"out.{ending}", **options)
    assert [path.name for path in tmp_path.iterdir()] == [source.name]
    assert released(source, tmp_path / f"out.{ending}").verification.holds


def test_dates_beyond_the_calendar_stay_numbers(tmp_path: Path) -> None:
    source = stored(tmp_path / "in.dta", "%td", [5e6, 6e6, 7e6])
    assert released(
        source, tmp_path / "out.csv", harmless="k", exposure="accept", keep_order=True
    ).verification.holds
    cells = [line.split(",")[1] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert [float(cell) for cell in cells] == [5e6, 6e6, 7e6] * 4


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_moments_and_truth_values_go_into_labelled_files(tmp_path: Path, ending: str) -> None:
    statistics = pytest.importorskip("pyreadstat")
    read = statistics.read_dta if ending == "dta" else statistics.read_sav
    moments = [dt.datetime(2020, 1, 1, hour) for hour in range(12)]
    for kind in ("s", "ms", "us"):
        table = pa.table(
            {
                "s": [i % 4 for i in range(12)],
                "x": [i // 3 for i in range(12)],
                "at": pa.array(moments, pa.timestamp(kind)),
                "is": [True, False, None] * 4,
            }
        )
        out = tmp_path / f"{kind}.{ending}"
        assert released(
            table, out, harmless=("at", "is"), exposure="accept", keep_order=True
        ).verification.holds
        cells, _ = read(str(out), output_format="dict")
        assert list(cells["at"]) == moments
        assert [None if cell != cell else cell for cell in cells["is"]] == [1, 0, None] * 4


@pytest.mark.parametrize("ending", ["dta", "sav"])
@pytest.mark.parametrize(
    "cells",
    [
        pa.array(["", "a", "b"] * 4),
        pa.array([1.0, float("nan"), 2.0] * 4),
        pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.UTC)] * 12, pa.timestamp("us", "UTC")),
        pa.array([dt.datetime(2020, 1, 1, 0, 0, 0, 1)] * 12, pa.timestamp("us")),
        pa.array(["1.2345678901234567890", "2", "3"] * 4).cast(pa.decimal128(20, 19)),
    ],
)
def test_a_labelled_file_that_would_change_a_column_names_it(tmp_path: Path, ending: str, cells: Any) -> None:
    pytest.importorskip("pyreadstat")
    table = pa.table({"s": [i % 4 for i in range(12)], "x": [i // 3 for i in range(12)], "k": cells})
    with pytest.raises(WriteError, match=r"column 'k' holds cells that .* would change"):
        released(table, tmp_path / f"out.{ending}", harmless="k", exposure="accept")
    assert not list(tmp_path.iterdir())
