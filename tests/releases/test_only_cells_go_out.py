"""A released table holds the cells that were chosen, and no other text of its source, in any format.

Sources say more than their cells: labels, categories that no row has, notes, properties, dictionaries, what
stood in a cell before it was emptied. A mark is put into every such place, and searched for in all bytes.
"""

from __future__ import annotations

import gzip
import io
import pickle
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pyreadstat
import pytest
from openpyxl.comments import Comment

from hartley import release
from hartley.releases.formats import ENDINGS
from hartley.releases.policy import Policy
from hartley.tables import ReadOptions

MARK = "Pseudo"
NUMBER = 7_777_777_777
"""A number in the place of a mark: the digits, or the eight bytes, must not be found."""
ROWS = 17
LEFT_OUT = 0
"""The row that has no sensitive value, so that it is left out."""
SITES = ("Graz", "Linz")
CATEGORIES = ("Graz", f"{MARK}1", "Linz", f"{MARK}2")

CELLS: dict[str, list[Any]] = {
    "age": [None, *(30 + place % 4 for place in range(1, ROWS))],
    "chol": [NUMBER, *(100 + 10 * (place % 8) for place in range(1, ROWS))],
    "site": [CATEGORIES[1], *(SITES[place % 2] for place in range(1, ROWS))],
    "smokes": [9.0, *(float(place % 2) for place in range(1, ROWS))],
    "name": [f"{MARK} {place}" for place in range(ROWS)],
}
LABELS = {0: "no", 1: "yes", 9: f"{MARK} refused", 8: f"{MARK} unknown"}


def in_pandas(folder: Path) -> Any:
    frame = pd.DataFrame(CELLS, index=[f"{MARK} {place}" for place in range(ROWS)])
    frame["site"] = pd.Categorical(frame["site"], categories=CATEGORIES)
    frame.index.name = frame.columns.name = MARK
    frame.attrs = {MARK: MARK}
    del folder
    return frame


def in_polars(folder: Path) -> Any:
    del folder
    return pl.DataFrame(CELLS).with_columns(pl.col("site").cast(pl.Enum(CATEGORIES)))


def in_arrow(folder: Path) -> Any:
    del folder
    codes = pa.array([CATEGORIES.index(site) for site in CELLS["site"]])
    site = pa.DictionaryArray.from_arrays(codes, list(CATEGORIES))
    table = pa.table({**CELLS, "site": site})
    fields = [field.with_metadata({MARK: MARK}) for field in table.schema]
    return table.cast(pa.schema(fields, metadata={MARK: MARK, "pandas": MARK}))


def in_duckdb(folder: Path) -> Any:
    connection = duckdb.connect()
    connection.register("rows", in_arrow(folder))
    connection.execute(f"CREATE TYPE place AS ENUM {CATEGORIES}")
    return connection.sql("SELECT * REPLACE (site::place AS site) FROM rows")


def in_parquet(folder: Path) -> Any:
    pq.write_table(in_arrow(folder), folder / f"{MARK}.parquet")
    return folder / f"{MARK}.parquet"


def in_feather(folder: Path) -> Any:
    feather.write_feather(in_arrow(folder), folder / f"{MARK}.arrow")
    return folder / f"{MARK}.arrow"


def in_csv(folder: Path) -> Any:
    pd.DataFrame(CELLS).to_csv(folder / f"{MARK}.csv", index=False)
    return folder / f"{MARK}.csv"


def in_excel(folder: Path) -> Any:
    book = openpyxl.Workbook()
    book.properties.creator = book.properties.title = book.properties.description = MARK
    sheet = book.active
    sheet.append(list(CELLS))
    for row in zip(*CELLS.values(), strict=True):
        sheet.append(row)
    sheet["B2"].comment = Comment(MARK, MARK)
    book.create_sheet(MARK).append([MARK])
    book.save(folder / f"{MARK}.xlsx")
    return folder / f"{MARK}.xlsx"


def in_sqlite(folder: Path) -> Any:
    with sqlite3.connect(folder / f"{MARK}.db") as database:
        pd.DataFrame(CELLS).to_sql("patients", database, index=False)
        database.execute(f"CREATE TABLE {MARK} AS SELECT '{MARK}' AS {MARK}")
    database.close()
    return f"sqlite:///{folder / f'{MARK}.db'}"


def in_stata(folder: Path) -> Any:
    return labelled(folder / f"{MARK}.dta", variable_format={"age": f"%td!{'!'.join(MARK)}"})


def in_spss(folder: Path) -> Any:
    missing = {"smokes": [{"lo": 7, "hi": NUMBER}], "site": [CATEGORIES[1]]}
    return labelled(folder / f"{MARK}.sav", note=MARK, missing_ranges=missing)


def labelled(path: Path, **options: Any) -> Path:
    values: dict[str, Any] = {"smokes": LABELS, "chol": {110: f"{MARK} lowest"}}
    if path.suffix == ".sav":
        values["site"] = {"Graz": "the city of Graz", CATEGORIES[1]: MARK, CATEGORIES[3]: MARK}
    write = pyreadstat.write_dta if path.suffix == ".dta" else pyreadstat.write_sav
    write(
        pd.DataFrame(CELLS),
        str(path),
        file_label=MARK,
        column_labels=dict.fromkeys(CELLS, MARK),
        variable_value_labels=values,
        **options,
    )
    return path


KINDS = sorted({format_: ending for ending, format_ in ENDINGS.items()}.values())
OTHER_SOURCES: list[tuple[Callable[[Path], Any], str]] = [
    (in_pandas, "out.parquet"),
    (in_polars, "out.arrow"),
    (in_duckdb, "out.parquet"),
    (in_parquet, "out.parquet"),
    (in_feather, "out.feather"),
    (in_csv, "out.csv"),
    (in_excel, "out.csv"),
    (in_sqlite, "out.parquet"),
    (in_stata, "out.dta"),
    (in_stata, "out.sav"),
    (in_spss, "out.sav"),
    (in_spss, "out.dta"),
]
FRAMES = (in_pandas, in_polars, in_arrow, in_duckdb)


def released(source: Any, output: Path) -> Any:
    reading = ReadOptions(query="SELECT * FROM patients") if isinstance(source, str) else ReadOptions()
    return release(
        source,
        output,
        sensitive="age",
        public="chol",
        harmless=("site", "smokes"),
        require={"distinct_l": 2},
        exposure="accept",
        missing="drop",
        search="greedy",
        options=reading,
    )


def holds_mark(found: bytes) -> bool:
    numbers = (NUMBER.to_bytes(8, "little"), np.float64(NUMBER).tobytes(), str(NUMBER).encode())
    return any(mark in found for mark in (MARK.encode(), MARK.encode("utf-16-le"), *numbers))


def everything_in(path: Path) -> bytes:
    """Return the bytes of a file, and after them what is packed in it."""
    found = path.read_bytes()
    if path.suffix == ".gz":
        found += gzip.decompress(found)
    if path.suffix in (".parquet", ".pq"):
        file = pq.ParquetFile(path, read_dictionary=["site"])
        plain = io.BytesIO()
        pq.write_table(file.read(), plain, compression="none")
        found += plain.getvalue() + repr(file.metadata.to_dict()).encode()
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as packed:
            found += b"".join(packed.read(name) for name in packed.namelist())
    return found


@pytest.mark.parametrize(
    ("source", "output"), [*((in_arrow, f"out{ending}") for ending in (*KINDS, ".csv.gz")), *OTHER_SOURCES]
)
def test_a_released_file_holds_no_other_text_of_its_source(
    tmp_path: Path, source: Callable[[Path], Any], output: str
) -> None:
    made = released(source(tmp_path), tmp_path / output)
    assert (made.rows, made.dropped_rows) == (ROWS - 1, 1)
    found = everything_in(made.output)
    assert b"Graz" in found
    assert not holds_mark(found)
    assert not holds_mark(made.certificate.read_bytes())


@pytest.mark.parametrize(("source", "output"), [(in_stata, "out.dta"), (in_spss, "out.sav")])
def test_values_in_the_file_keep_their_labels_and_codes_for_missing(
    tmp_path: Path, source: Callable[[Path], Any], output: str
) -> None:
    made = released(source(tmp_path), tmp_path / output)
    read = pyreadstat.read_dta if output.endswith(".dta") else pyreadstat.read_sav
    _, meta = read(str(made.output), user_missing=True)
    assert meta.variable_value_labels.pop("smokes") == {0: "no", 1: "yes"}
    assert meta.variable_value_labels == (
        {} if output == "out.dta" else {"site": {"Graz": "the city of Graz"}}
    )
    assert meta.missing_ranges == {}


def test_a_range_of_codes_for_missing_ends_with_the_cells_in_the_file(tmp_path: Path) -> None:
    cells = {"age": [1, 2, 3, 4], "chol": [1, 1, 2, 2], "code": [5.0, -8.0, -9.0, -9.0]}
    pyreadstat.write_sav(
        pd.DataFrame(cells), str(tmp_path / "in.sav"), missing_ranges={"code": [{"lo": -99, "hi": -1}, 7]}
    )
    made = release(
        tmp_path / "in.sav",
        tmp_path / "out.sav",
        sensitive="age",
        public="chol",
        harmless="code",
        require={"distinct_l": 2},
        exposure="accept",
    )
    _, meta = pyreadstat.read_sav(str(made.output), user_missing=True)
    assert meta.missing_ranges == {"code": [{"lo": -9.0, "hi": -8.0}]}


@pytest.mark.parametrize("source", FRAMES)
def test_a_released_frame_holds_no_other_text_of_its_source(
    tmp_path: Path, source: Callable[[Path], Any]
) -> None:
    policy = Policy.read(released(source(tmp_path), tmp_path / "out.csv").policy)
    frame = source(tmp_path)
    found = policy.apply(frame.filter("age IS NOT NULL") if source is in_duckdb else frame[1:])
    shown = found.to_arrow_table() if source is in_duckdb else found
    assert not holds_mark(pickle.dumps(shown))
    assert list(map(str, shown["site"])) == CELLS["site"][1:]


@pytest.mark.parametrize(
    "emptied",
    [
        pd.DataFrame({"k": pd.array([NUMBER, 1, 2, 3], "Int64")}),
        pd.DataFrame({"k": pd.array([NUMBER, 1, 2, 3], pd.ArrowDtype(pa.int64()))}),
        pl.DataFrame({"k": [NUMBER, 1, 2, 3]}),
        pa.table({"k": pa.array([NUMBER, 1, 2, 3], mask=np.array([True, False, False, False]))}),
    ],
    ids=["pandas", "pandas of Arrow", "polars", "Arrow"],
)
def test_a_released_frame_holds_nothing_of_a_cell_that_was_emptied(tmp_path: Path, emptied: Any) -> None:
    base: dict[str, list[Any]] = {"age": [1, 2, 1, 2], "chol": [1, 1, 2, 2], "k": [None, 1, 2, 3]}
    options: dict[str, Any] = {"harmless": "k", "require": {"distinct_l": 2}, "exposure": "accept"}
    made = release(pa.table(base), tmp_path / "out.csv", sensitive="age", public="chol", **options)
    if isinstance(emptied, pd.DataFrame):
        frame = pd.DataFrame(base).assign(k=emptied["k"])
        frame.loc[0, "k"] = pd.NA
    elif isinstance(emptied, pl.DataFrame):
        frame = pl.DataFrame(base).with_columns(
            emptied["k"].set(pl.Series([True, False, False, False]), None)
        )
    else:
        frame = pa.table({**base, "k": emptied["k"]})
    found = Policy.read(made.policy).apply(frame)
    assert not holds_mark(pickle.dumps(found))
    assert list(map(str, found["k"]))[1:] == ["1", "2", "3"]
