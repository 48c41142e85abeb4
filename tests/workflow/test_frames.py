"""Releases of data frames: what is no column does not matter, and what cannot be kept is refused."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from hartley import release, verify
from hartley.errors import ColumnError, HartleyError, TableError
from hartley.model.demand import Target
from hartley.releases.policy import Policy
from hartley.tables import Roles, open_table
from hartley.workflow.apply_policy import apply
from hartley.workflow.publication.write_release import ReleaseResult

BASE = {"p": [1, 2] * 6, "s": ["a", "b", "c"] * 4}


def released(frame: Any, output: Path, **more: Any) -> ReleaseResult:
    return release(
        frame,
        output,
        target=Target("distinct_l", 1),
        sensitive="s",
        public="p",
        search="greedy",
        keep_order=True,
        **more,
    )


@pytest.mark.parametrize(
    "with_index",
    [
        lambda frame: frame[frame.p > 1],
        lambda frame: frame.sort_values("s"),
        lambda frame: frame.set_index([[1] * 12, list("abcdefghijkl")]),
        lambda frame: frame.set_index(pd.Index([1, "x"] * 6, dtype=object)),
        lambda frame: frame.set_index(pd.Index([7] * 12, name="p")),
    ],
)
def test_the_index_of_pandas_is_no_column(tmp_path: Path, with_index: Any) -> None:
    frame = with_index(pd.DataFrame(BASE))
    made = released(frame, tmp_path / "o.csv")
    assert made.rows == len(frame)
    found = verify(made.output, original=frame, policy=made.policy, certificate=made.certificate)
    assert found.holds
    other = frame.sample(frac=1, random_state=3)
    found = verify(made.output, original=other, policy=made.policy, certificate=made.certificate)
    assert {check.name for check in found.failures} <= {"order"}


@pytest.mark.parametrize("keep", [(), ("k",)])
@pytest.mark.parametrize("make", [pl.DataFrame.lazy, lambda frame: duckdb.from_arrow(frame.to_arrow())])
def test_a_lazy_frame_keeps_its_rows_when_a_policy_is_applied(
    tmp_path: Path, make: Any, keep: tuple[str, ...]
) -> None:
    frame = pl.DataFrame({"p": [1, 1, 1, 2, 2, 2] * 5, "s": list("aabbab") * 5, "k": [1, 2] * 15})
    made = released(make(frame), tmp_path / "o.csv", keep=keep)
    new = apply(made.policy, make(frame), tmp_path / "a.csv")
    old = apply(made.policy, frame, tmp_path / "b.csv")
    assert (new.rows, new.after) == (30, old.after)


def in_pandas(cells: Any, dtype: Any = object) -> pd.DataFrame:
    return pd.DataFrame(BASE).assign(x=pd.Series(cells, dtype=dtype))


def in_arrow(cells: Any) -> pa.Table:
    return pa.table(BASE).append_column("x", cells)


UNION = pa.UnionArray.from_dense(
    pa.array([0, 1] * 6, pa.int8()),
    pa.array([row // 2 for row in range(12)], pa.int32()),
    [pa.array([1] * 6), pa.array(["x"] * 6)],
)
OBJECTS = pl.DataFrame(BASE).with_columns(pl.Series("x", [{"k": 1}, {"k": 2}] * 6, dtype=pl.Object))
LOST = {
    "objects of polars": OBJECTS,
    "objects of polars, lazy": OBJECTS.lazy(),
    "categories of periods": in_pandas(
        pd.period_range("2020-01", periods=12, freq="M").astype("category"), "category"
    ),
    "categories of intervals": pd.DataFrame(BASE).assign(x=pd.cut(np.arange(12), 3)),
    "numbers and text": in_pandas([1, "SECRET"] * 6),
    "times with a zone": in_pandas([dt.time(1, 2, tzinfo=dt.UTC)] * 12),
    "bytes and text": in_pandas([b"x", "x"] * 6),
    "numbers and truth values": in_pandas([1.0, True, 2.5] * 4),
    "sets": in_pandas([{1}, {2}] * 6),
    "unions": in_arrow(UNION),
    "fields of one name": in_arrow(pa.array([{"k": 1, "K": 2}] * 12)),
    "dictionaries of an unknown type": in_arrow(
        pa.DictionaryArray.from_arrays(
            pa.array([0, 1] * 6, pa.int8()),
            pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "odd", "nobody"), pa.array([5, 6])),
        )
    ),
    "zoned times of DuckDB": lambda: duckdb.sql(
        "SELECT i % 2 AS p, i % 3 AS s, '01:02:03+02'::TIMETZ AS x FROM range(12) t(i)"
    ),
}


@pytest.mark.parametrize("frame", LOST.values(), ids=LOST)
def test_a_column_that_would_be_changed_is_refused_and_elsewhere_does_not_matter(
    tmp_path: Path, frame: Any
) -> None:
    frame = frame() if callable(frame) else frame
    for output in ("kept.parquet", "kept.csv"):
        with pytest.raises(ColumnError, match=r"column 'x' (holds|is of|mixes)") as refused:
            released(frame, tmp_path / output, keep="x")
        assert "SECRET" not in str(refused.value)
    assert not list(tmp_path.iterdir())
    made = released(frame, tmp_path / "o.parquet")
    assert made.rows == 12
    assert verify(made.output, original=frame, policy=made.policy).holds


WIDE = pl.DataFrame(BASE).with_columns(pl.Series("x", [2**100, 5] * 6, dtype=pl.Int128))
KEPT = {
    "wide whole numbers": (WIDE, ["1267650600228229401496703205376", "5"] * 6),
    "wide whole numbers, lazy": (WIDE.lazy(), ["1267650600228229401496703205376", "5"] * 6),
    "Python's whole numbers": (in_pandas([2**100, pd.NA] * 6), ["1267650600228229401496703205376", ""] * 6),
    "halves": (in_arrow(pa.array([0.5, 0.25] * 6, pa.float16())), ["0.5", "0.25"] * 6),
    "halves that have no short digits": (
        in_arrow(pa.array([0.1] * 12, pa.float16())),
        ["0.099975586"] * 12,
    ),
    "long decimals in a dictionary": (
        in_arrow(pa.array([1, 2] * 6, pa.decimal256(40, 0)).dictionary_encode()),
        ["1", "2"] * 6,
    ),
    "decimals of whole hundreds": (
        in_arrow(pa.array([100, 200] * 6, pa.decimal128(5, -2))),
        ["100", "200"] * 6,
    ),
    "runs": (in_arrow(pc.run_end_encode(pa.array([1, 2] * 6, pa.float16()))), ["1.0", "2.0"] * 6),
    "dates beside missing ones": (in_pandas([dt.date(2020, 1, 1), pd.NA] * 6), ["2020-01-01", ""] * 6),
}


@pytest.mark.parametrize(("frame", "cells"), KEPT.values(), ids=KEPT)
def test_what_arrow_has_no_plain_type_for_is_kept_as_it_is(
    tmp_path: Path, frame: Any, cells: list[str]
) -> None:
    made = released(frame, tmp_path / "o.csv", keep="x")
    lines = made.output.read_text().splitlines()
    assert lines[0].split(",")[-1] == "x"
    assert [line.split(",")[-1] for line in lines[1:]] == cells


def test_dates_that_python_does_not_know_do_not_matter_where_they_are_not_published(tmp_path: Path) -> None:
    far = pl.DataFrame(BASE).with_columns(pl.Series("x", [10**7] * 12, dtype=pl.Int32).cast(pl.Date))
    assert released(far, tmp_path / "o.csv").rows == 12


def test_an_arrow_file_with_types_that_nobody_scans_is_read_without_them(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    feather.write_feather(in_arrow(UNION), path)
    table = open_table(path)
    assert table.joint_range(Roles(sensitive=("s",), public=("p",))).joint.pairs == 6
    table.close()
    with pytest.raises(ColumnError, match="column 'x' is of a type that cannot be read"):
        open_table(path).joint_range(Roles(sensitive=("s",), public=("x",)))


def test_what_a_frame_says_when_it_fails_is_not_told(tmp_path: Path) -> None:
    made = released(pl.DataFrame(BASE), tmp_path / "o.csv")
    bad = pl.DataFrame({**BASE, "p": ["SECRET"] * 12}).lazy().with_columns(pl.col("p").cast(pl.Int64))
    for use in (
        lambda: verify(made.output, original=bad, policy=made.policy),
        lambda: Policy.read(made.policy).apply(bad),
    ):
        with pytest.raises(TableError, match="cannot be computed") as failed:
            use()
        assert "SECRET" not in str(failed.value)


def test_folders_that_name_values_are_no_columns(tmp_path: Path) -> None:
    table = pa.table({"s": [row % 5 for row in range(15)], "p": [row % 3 for row in range(15)]})
    for folder in ("s=9", "year=2020"):
        (tmp_path / folder).mkdir()
        pq.write_table(table, tmp_path / folder / "t.parquet")
    for source in ("s=9/t.parquet", "year=2020/t.parquet", "*=*/t.parquet"):
        opened = open_table(tmp_path / source)
        joint = opened.joint_range(Roles(sensitive=("s",), public=("p",))).joint
        assert (joint.sensitive.size, joint.pairs) == (5, 15)
        opened.close()


def test_a_closed_relation_is_one_line(tmp_path: Path) -> None:
    connection = duckdb.connect()
    relation = connection.sql("SELECT i % 2 AS p, i % 3 AS s FROM range(12) t(i)")
    connection.close()
    with pytest.raises(HartleyError):
        released(relation, tmp_path / "o.csv")
