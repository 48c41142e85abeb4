"""One nasty table through every source, and one answer.

Where a source has no type for a column, the type is stated: as text or number declared by the
reader, or as ISO text that every reader takes for a date. The empty text is left out, because
workbooks and the files of statistics programs cannot tell it from a missing one.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from hartley.errors import InputError
from hartley.measures.audit import audit_of_summary, measure
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.estimate import estimate
from hartley.tables.locations import ENDINGS
from servers import lacking
from tables.test_one_answer import pandas_frame, relation

NASTY = pa.table(
    {
        "whole": pa.array([2**60 + 1, 2**60, None, 2**53 + 1, -1, -1, 0, 2**53], pa.int64()),
        "fraction": [0.0, -0.0, float("nan"), None, 1.1, 1.10, 1e-5, -2.5],
        "text": ["1.10", "1.1", "007", "7", "é", "é", None, "Ω😀"],
        "day": pa.array([dt.date(2024, 2, 29), dt.date(1970, 1, 1), None] + [dt.date(1969, 12, 31)] * 5),
        "truth": pa.array([True, False, None, True, True, False, False, None]),
    }
)
ROLES = [
    Roles(sensitive=("text",), public=("whole",)),
    Roles(sensitive=("whole",), public=("fraction", "text")),
    Roles(sensitive=("day",), public=("text",), side=("fraction",)),
    Roles(sensitive=("fraction",), public=("day", "whole")),
]
TRUTH = Roles(sensitive=("truth",), public=("text", "day"))
PLAIN = ReadOptions()
WITHOUT_TYPES = ReadOptions(text=("text",), number=("whole", "fraction"))
WIDE_AS_TEXT = ReadOptions(number=("whole",))
"""Doubles cannot hold 2^60 + 1: such a file has it as text, and the reader declares it a number."""


def cells(
    truth: Callable[[bool], Any] = bool, day: Callable[[dt.date], Any] = dt.date.isoformat
) -> list[list[Any]]:
    """Give the rows in plain Python, missing as ``None``."""
    plain = []
    for row in NASTY.to_pylist():
        row["fraction"] = None if row["fraction"] != row["fraction"] else row["fraction"]
        row["truth"] = None if row["truth"] is None else truth(row["truth"])
        row["day"] = None if row["day"] is None else day(row["day"])
        plain.append(list(row.values()))
    return plain


def text_file(folder: Path, ending: str, delimiter: str) -> Path:
    path = folder / f"nasty.{ending}"
    lines = [NASTY.column_names] + [
        ["" if cell is None else f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in row]
        for row in cells(truth=lambda truth: str(truth).lower())
    ]
    path.write_text("\n".join(delimiter.join(line) for line in lines) + "\n", encoding="utf-8")
    return path


def json_lines(folder: Path) -> Path:
    path = folder / "nasty.jsonl"
    rows = [json.dumps(dict(zip(NASTY.column_names, row, strict=True))) for row in cells()]
    path.write_text("\n".join(rows) + "\n")
    return path


def parquet(folder: Path) -> Path:
    pq.write_table(NASTY, folder / "nasty.parquet")
    return folder / "nasty.parquet"


def arrow(folder: Path) -> Path:
    feather.write_feather(NASTY, folder / "nasty.arrow")
    return folder / "nasty.arrow"


def many_files(folder: Path) -> Path:
    for place in range(3):
        pq.write_table(NASTY.slice(3 * place, 3), folder / f"part-{place}.parquet")
    return folder / "part-*.parquet"


def workbook(folder: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(NASTY.column_names)
    for whole, *rest in cells(day=lambda day: day):
        # A spreadsheet has no dates before 1900.
        book.active.append([None if whole is None else str(whole), *rest])
    book.save(folder / "nasty.xlsx")
    return folder / "nasty.xlsx"


def labelled(folder: Path, ending: str) -> Path:
    statistics = pytest.importorskip("pyreadstat")
    columns = list(zip(*cells(truth=float, day=lambda day: day), strict=True))
    frame = pd.DataFrame(
        {
            "whole": ["" if cell is None else str(cell) for cell in columns[0]],
            "fraction": pd.array(columns[1], dtype=float),
            "text": ["" if cell is None else cell for cell in columns[2]],
            "day": pd.Series(columns[3], dtype=object),
            "truth": pd.array(columns[4], dtype=float),
        }
    )
    path = folder / f"nasty.{ending}"
    if ending == "dta":
        statistics.write_dta(frame, str(path), variable_format={"day": "%td"})
    else:
        statistics.write_sav(frame, str(path))
    return path


def sqlite(folder: Path) -> str:
    pytest.importorskip("adbc_driver_sqlite")
    path = folder / "nasty.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE nasty ({', '.join(NASTY.column_names)})")
        connection.executemany("INSERT INTO nasty VALUES (?, ?, ?, ?, ?)", cells(truth=int))
    connection.close()
    return f"sqlite:///{path}"


def dask(folder: Path) -> Any:
    del folder
    frames = pytest.importorskip("dask.dataframe")
    return frames.from_pandas(NASTY.to_pandas(types_mapper=pd.ArrowDtype), npartitions=3)


def ibis(folder: Path, table: pa.Table = NASTY) -> Any:
    del folder
    return pytest.importorskip("ibis").memtable(table)


SOURCES: dict[str, tuple[Callable[[Path], Any], ReadOptions]] = {
    "csv": (lambda folder: text_file(folder, "csv", ","), WITHOUT_TYPES),
    "tsv": (lambda folder: text_file(folder, "tsv", "\t"), WITHOUT_TYPES),
    "json lines": (json_lines, PLAIN),
    "parquet": (parquet, PLAIN),
    "arrow": (arrow, PLAIN),
    "many files": (many_files, PLAIN),
    "workbook": (workbook, WIDE_AS_TEXT),
    "stata": (lambda folder: labelled(folder, "dta"), WIDE_AS_TEXT),
    "spss": (lambda folder: labelled(folder, "sav"), WIDE_AS_TEXT),
    "sqlite": (sqlite, ReadOptions(query="nasty")),
    "pyarrow": (lambda _: NASTY, PLAIN),
    "pandas": (lambda _: pandas_frame(NASTY), PLAIN),
    "pandas with arrow types": (lambda _: NASTY.to_pandas(types_mapper=pd.ArrowDtype), PLAIN),
    "polars": (lambda _: pl.from_arrow(NASTY), PLAIN),
    "polars lazy": (lambda _: pl.from_arrow(NASTY).lazy(), PLAIN),
    "duckdb": (lambda _: relation(NASTY), PLAIN),
    "dask": (dask, PLAIN),
    "ibis": (ibis, PLAIN),
}


def require_one_answer(source: Any, options: ReadOptions, *, has_truth: bool) -> None:
    """Ask a source for every joint range, and for the audit that its engine counts."""
    expected, found = open_table(NASTY), open_table(source, options)
    try:
        for roles in [*ROLES, *([TRUTH] if has_truth else [])]:
            joint = expected.joint_range(roles).joint
            assert found.joint_range(roles).joint == joint
            assert audit_of_summary(found.range_summary(roles).summary) == measure(joint)
    finally:
        found.close()
        expected.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", SOURCES)
def test_the_nasty_table_has_one_answer(name: str, tmp_path: Path) -> None:
    make, options = SOURCES[name]
    # Truth values are numbers or words where a source has no type for them.
    has_truth = name not in ("csv", "tsv", "stata", "spss", "sqlite")
    require_one_answer(make(tmp_path), options, has_truth=has_truth)


def test_every_kind_of_file_is_in_the_matrix_and_has_an_estimate(tmp_path: Path) -> None:
    found = [make(tmp_path) for make, _ in SOURCES.values()]
    files = [path for path in found if isinstance(path, Path)]
    kinds = {ENDINGS[path.suffix] for path in files}
    assert kinds == set(ENDINGS.values()), "each kind of file needs an entry in SOURCES"
    assert all(estimate(path).seconds >= 0 for path in files)


ODD = pa.table(
    {
        name: [place, place % 3, place * 7 % 5, place % 2]
        for place, name in enumerate(
            [
                "a`b",
                "a.b",
                'q"u',
                "it's",
                "c0",
                "n",
                "count",
                "hartley_row_count",
                "é",
                "[x]",
                "a,b",
                "~/x",
                "v0",
            ]
        )
    }
)
TWINS = pa.table({"A": [1, 2, 2], "a": [3, 3, 4], "b": [5, 6, 7]})


def named_oddly(table: pa.Table, folder: Path) -> dict[str, Any]:
    """Give a table of whole numbers from everywhere that can hold its names."""
    frames = pytest.importorskip("dask.dataframe")
    pq.write_table(table, folder / "t.parquet")
    feather.write_feather(table, folder / "t.arrow")
    table.to_pandas().to_csv(folder / "t.csv", index=False)
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    return {
        **{ending: folder / f"t.{ending}" for ending in ("parquet", "arrow", "csv", "jsonl")},
        "pandas": table.to_pandas(),
        "polars": pl.from_arrow(table),
        "polars lazy": pl.from_arrow(table).lazy(),
        "dask": frames.from_pandas(table.to_pandas(), npartitions=2),
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_names_that_an_engine_reads_in_its_own_way_are_names_here(tmp_path: Path) -> None:
    sources = named_oddly(ODD, tmp_path)
    sources |= {"duckdb": relation(ODD), "ibis": ibis(tmp_path, ODD)}
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in ODD.column_names)
        connection.execute(f"CREATE TABLE t ({quoted})")
        insert = f"INSERT INTO t VALUES ({', '.join('?' * ODD.num_columns)})"  # noqa: S608
        connection.executemany(insert, [tuple(row.values()) for row in ODD.to_pylist()])
    connection.close()
    expected = open_table(ODD)
    for name, source in {**sources, "sqlite": f"sqlite:///{path}"}.items():
        found = open_table(source, ReadOptions(query="t") if name == "sqlite" else PLAIN)
        for one, other in pairwise(ODD.column_names):
            roles = Roles(sensitive=(one,), public=(other,))
            assert found.joint_range(roles) == expected.joint_range(roles), (name, one, other)
        found.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_columns_whose_names_differ_in_capitals_only_are_two_or_refused(tmp_path: Path) -> None:
    roles = Roles(sensitive=("a",), public=("A",))
    expected = open_table(TWINS).joint_range(roles)
    assert expected.joint.sensitive.labels() == [3, 4]
    for name, source in named_oddly(TWINS, tmp_path).items():
        assert open_table(source).joint_range(roles) == expected, name
    # DuckDB gives the second another name, and Ibis would take it for the first.
    with pytest.raises(InputError, match="no column 'a'"):
        open_table(relation(TWINS)).joint_range(roles)
    with pytest.raises(InputError, match="differ in capitals only"):
        open_table(ibis(tmp_path, TWINS))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        ([True, False, None, None], [False, True, None]),
        ([None, None, "b", "a"], ["a", "b", None]),
        ([Decimal("1.10"), None, Decimal("12345678901234567890.12"), None], None),
        ([dt.date(2024, 1, 1), None, dt.datetime(2024, 1, 1), None], "mixes kinds of values"),
        ([b"a", b"b", "a", "b"], "mixes kinds of values"),
        ([2**60 + 1, 1, 1.5, 2.5], "mixes kinds of values"),
        ([1, 2, "a", "b"], "mixes kinds of values"),
    ],
)
def test_python_objects_in_parts_are_what_they_are_in_one_frame_or_refused(cells: Any, labels: Any) -> None:
    dask = pytest.importorskip("dask")
    frames = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object), "s": [0, 1, 0, 1]})
    roles = Roles(sensitive=("s",), public=("x",))
    with dask.config.set({"dataframe.convert-string": False}):
        parts = open_table(frames.from_pandas(frame, npartitions=2))
        if isinstance(labels, str):
            with pytest.raises(InputError, match=labels):
                parts.joint_range(roles)
            return
        found = parts.joint_range(roles)
    assert found == open_table(frame).joint_range(roles)
    assert labels is None or found.joint.public.labels() == labels


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_what_a_lazy_frame_cannot_give_is_refused_in_one_line(tmp_path: Path) -> None:
    frames = pytest.importorskip("dask.dataframe")
    long = pa.table({"x": pa.array([Decimal("1" * 50), Decimal(2)], pa.decimal256(60, 2)), "s": [1, 2]})
    parts = frames.from_pandas(long.to_pandas(types_mapper=pd.ArrowDtype), npartitions=2)
    with pytest.raises(InputError, match="'x' holds decimals of more than 38 digits"):
        open_table(parts).joint_range(Roles(sensitive=("s",), public=("x",)))
    spans = pa.table({"x": pa.array([1, 2], pa.duration("us")), "s": [1, 2]})
    with pytest.raises(InputError, match="the frame of ibis cannot be computed"):
        open_table(ibis(tmp_path, spans))


def test_the_nasty_table_has_one_answer_in_postgresql(postgresql: str) -> None:
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(postgresql) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("matrix", NASTY, mode="replace")
        connection.commit()
    require_one_answer(postgresql, ReadOptions(query="matrix"), has_truth=True)


def test_ci_has_every_optional_reader() -> None:
    """Skipping a source is for other machines."""
    for package in (
        "python_calamine",
        "pyreadstat",
        "adbc_driver_sqlite",
        "dask.dataframe",
        "ibis",
        "openpyxl",
    ):
        try:
            __import__(package)
        except ImportError:
            lacking(f"{package} is not installed")
