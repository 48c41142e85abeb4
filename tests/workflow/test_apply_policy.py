"""A policy on new data: seen and unseen values, every kind of frame, and the audit of the result."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from hartley import release
from hartley.errors import ColumnError, OptionError, PolicyError, UnreachableError, WriteError
from hartley.model.demand import Target
from hartley.releases.policy import Policy
from hartley.tables import Roles, open_table
from hartley.workflow.apply_policy import apply
from random_tables import read_released, write_table

COLUMNS = {
    "x": [10, 11, 20, 21, 30, 31],
    "t": ["a", "b", "a", "b", "a", None],
    "k": ["u", "v", "u", "v", "u", "v"],
    "s": ["p", "q", "p", "q", "p", "q"],
}


def rows(**columns: list[Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def policy_for(folder: Path, **options: Any) -> Policy:
    source = folder / "in.csv"
    write_table(source, rows(**COLUMNS))
    settings = {
        "target": Target("distinct_l", 2),
        "sensitive": "s",
        "public": "x",
        "search": "greedy",
        "overwrite": True,
        "keep_order": True,
        **options,
    }
    return Policy.read(release(source, folder / "out.csv", **settings).policy)


def test_the_same_data_gives_the_same_release(tmp_path: Path) -> None:
    policy = policy_for(tmp_path)
    result = apply(policy, tmp_path / "in.csv", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    assert result.target_holds is True
    assert result.after is not None
    assert result.after.distinct_l == 2


def test_unseen_values_are_an_error_by_default_and_no_cell_is_told(tmp_path: Path) -> None:
    policy = policy_for(tmp_path)
    new = tmp_path / "new.csv"
    write_table(new, rows(x=[10, 7777, 7777], s=["p", "q", "q"]))
    with pytest.raises(PolicyError, match="never seen 1 public value, in 2 rows;") as error:
        apply(policy, new, tmp_path / "new.out.csv")
    assert "7777" not in str(error.value)
    assert not (tmp_path / "new.out.csv").exists()


def test_unseen_values_go_to_the_nearest_cluster(tmp_path: Path) -> None:
    policy = policy_for(tmp_path)
    new = tmp_path / "new.csv"
    write_table(new, rows(x=[10, 9, 26, 7777], s=["p", "q", "q", "p"]))
    result = apply(policy, new, tmp_path / "new.out.csv", unseen="nearest")
    assert [row["x"] for row in read_released(tmp_path / "new.out.csv")] == ["10.5", "10.5", "30.5", "30.5"]
    assert (result.unseen_values, result.unseen_rows) == (3, 3)


def test_unseen_values_can_be_suppressed(tmp_path: Path) -> None:
    policy = policy_for(tmp_path, keep="k", target=Target("largest_cluster", 2))
    new = tmp_path / "new.csv"
    write_table(new, rows(x=[10, None, 26], k=["u", "v", "w"], s=["p", "q", "q"]))
    result = apply(policy, new, tmp_path / "new.out.csv", unseen="suppress")
    found = read_released(tmp_path / "new.out.csv")
    assert [row["x"] for row in found][1:] == [None, None]
    assert [row["k"] for row in found] == ["u", "v", "w"]
    assert result.after is not None
    assert result.after.distinct_l == 1
    assert result.target_holds is None  # a target on the size of clusters says nothing about new rows


def test_text_has_no_nearest_value(tmp_path: Path) -> None:
    policy = policy_for(tmp_path, public="t", utility="resolution")
    new = tmp_path / "new.csv"
    write_table(new, rows(t=["a", "zzz"], s=["p", "q"]))
    with pytest.raises(PolicyError, match="use unseen='suppress'") as error:
        apply(policy, new, tmp_path / "new.out.csv", unseen="nearest")
    assert "zzz" not in str(error.value)


def test_a_target_that_does_not_hold_for_new_data_is_told(tmp_path: Path) -> None:
    policy = policy_for(tmp_path)
    new = tmp_path / "new.csv"
    write_table(new, rows(x=[10, 11], s=["p", "p"]))
    with pytest.raises(UnreachableError, match="does not keep what the policy was made for"):
        apply(policy, new, tmp_path / "new.out.csv")
    assert not (tmp_path / "new.out.csv").exists()
    result = apply(policy, new, tmp_path / "new.out.csv", unmet="accept")
    assert result.target_holds is False


def test_what_is_required_and_does_not_hold_is_not_written(tmp_path: Path) -> None:
    policy = policy_for(tmp_path)
    new = tmp_path / "new.csv"
    write_table(new, rows(x=[10, 11], s=["p", "p"]))
    with pytest.raises(UnreachableError, match="nothing was written"):
        apply(policy, new, tmp_path / "new.out.csv", require=["distinct-l=2"])
    assert not (tmp_path / "new.out.csv").exists()


def test_without_the_sensitive_column_nothing_is_claimed(tmp_path: Path) -> None:
    policy = policy_for(tmp_path)
    new = tmp_path / "new.csv"
    write_table(new, rows(x=[10, 11], y=[1, 2]))
    result = apply(policy, new, tmp_path / "new.out.csv")
    assert (result.after, result.target_holds) == (None, None)
    with pytest.raises(ColumnError, match="nothing can be required"):
        apply(policy, new, tmp_path / "other.csv", require=["distinct-l=2"])


def test_sensitive_columns_are_published_where_the_side_information_is_lacking(tmp_path: Path) -> None:
    policy = policy_for(tmp_path, target=Target("distinct_l", 1), side="k", publish_sensitive=True)
    new = tmp_path / "new.csv"
    write_table(new, rows(x=[10, 31], s=["p", "r"]))
    result = apply(policy, new, tmp_path / "new.out.csv")
    assert result.after is None
    assert [row["s"] for row in read_released(result.output)] == ["p", "r"]


def test_under_joint_leakage_nothing_may_be_certain_in_new_data(tmp_path: Path) -> None:
    policy = policy_for(tmp_path, leakage="joint", search="optimal")
    by_label: dict[Any, int] = {}
    for value, number in policy.entries():
        by_label.setdefault(number, value[0])
    assert len(by_label) > 1
    new = tmp_path / "new.csv"
    xs = [value for value in by_label.values() for _ in range(2)]
    write_table(new, rows(x=xs, s=[f"{x}{place % 2}" for place, x in enumerate(xs)]))
    result = apply(policy, new, tmp_path / "new.out.csv", unmet="accept")
    assert result.after is not None
    assert result.after.distinct_l == 2
    assert result.after.components > 1
    assert result.target_holds is False


def test_a_table_of_other_columns_or_kinds_is_refused(tmp_path: Path) -> None:
    policy = policy_for(tmp_path, keep="k", target=Target("largest_cluster", 2))
    new = tmp_path / "new.csv"
    write_table(new, rows(y=[10, 11], s=["p", "q"]))
    with pytest.raises(ColumnError, match=r"made for other columns: new\.csv has no column 'x'"):
        apply(policy, new, tmp_path / "new.out.csv")
    write_table(new, rows(x=["ten", "eleven"], k=["u", "v"], s=["p", "q"]))
    with pytest.raises(ColumnError, match="'x' is to be a number"):
        apply(policy, new, tmp_path / "new.out.csv")
    with pytest.raises(OptionError, match="is the input itself"):
        apply(policy, new, new, overwrite=True)
    (tmp_path / "there.csv").write_text("mine")
    with pytest.raises(WriteError, match="exists already"):
        apply(policy, tmp_path / "in.csv", tmp_path / "there.csv")


def test_numbers_of_another_type_are_the_same_values(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    policy = policy_for(tmp_path)
    new = tmp_path / "new.parquet"
    pq.write_table(pa.table({"x": [10.0, 31.0], "s": ["p", "q"]}), new)
    result = apply(policy, new, tmp_path / "new.out.parquet", unmet="accept")
    assert pq.read_table(result.output).column("x").to_pylist() == [10.5, 30.5]
    pq.write_table(pa.table({"x": [10.5], "s": ["p"]}), new)
    with pytest.raises(PolicyError, match="never seen"):
        apply(policy, new, tmp_path / "more.parquet")


FRAME = {
    "x": [10, 11, 20, 21, 30, 31],
    "d": [dt.date(2024, 1, n + 1) for n in range(6)],
    "k": ["u", "v", "u", "v", "u", "v"],
    "s": ["p", "q", "p", "q", "p", "q"],
}


def frame_policy(folder: Path) -> Policy:
    import pyarrow as pa

    result = release(
        pa.table(FRAME),
        folder / "out.csv",
        target=Target("largest_cluster", 2),
        sensitive="s",
        public=("x", "d"),
        keep="k",
        utility="resolution",
        search="greedy",
    )
    return Policy.read(result.policy)


def test_pandas_gives_pandas_without_its_index(tmp_path: Path) -> None:
    import pandas as pd

    policy = frame_policy(tmp_path)
    frame = pd.DataFrame(FRAME, index=list("fedcba"))
    frame["k"] = frame["k"].astype("category")
    frame["extra"] = 1
    found = policy.apply(frame)
    assert type(found) is pd.DataFrame
    assert list(found.columns) == ["x", "d", "k"]
    assert list(found.index) == list(range(6))
    assert found["x"].dtype == frame["x"].dtype
    assert isinstance(found["k"].dtype, pd.CategoricalDtype)
    assert list(found["k"]) == FRAME["k"]
    assert found[["x", "d"]].drop_duplicates().shape[0] == len(policy.clusters)


def test_polars_arrow_and_duckdb_give_their_own_kind(tmp_path: Path) -> None:
    import duckdb
    import polars as pl
    import pyarrow as pa

    policy = frame_policy(tmp_path)
    table = pa.table(FRAME)
    expected = policy.apply(table).to_pylist()
    assert type(policy.apply(table)) is pa.Table
    eager = policy.apply(pl.DataFrame(FRAME))
    assert type(eager) is pl.DataFrame
    assert eager.to_dicts() == expected
    lazy = policy.apply(pl.DataFrame(FRAME).lazy())
    assert type(lazy) is pl.LazyFrame
    assert lazy.collect().to_dicts() == expected
    relation = policy.apply(duckdb.connect().from_arrow(table))
    assert type(relation) is duckdb.DuckDBPyRelation
    assert relation.to_arrow_table().to_pylist() == expected
    assert policy.apply(table.slice(0, 1)).to_pylist() == expected[:1]


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow"])
def test_labels_with_decimals_stay_as_they_are_in_new_data_of_whole_numbers(
    tmp_path: Path, ending: str
) -> None:
    source, new = tmp_path / "decimals.csv", tmp_path / "whole.csv"
    write_table(source, rows(x=[1, 1.5, 2, 2.5], s=list("pqpq")))
    made = release(source, tmp_path / "out.csv", target=Target("distinct_l", 2), sensitive="s", public="x")
    labels = [cluster.label[0] for cluster in Policy.read(made.policy).clusters]
    assert labels == ["1.25", "2.25"]
    write_table(new, rows(x=[1, 1, 2, 2], s=list("pqpq")))
    result = apply(made.policy, new, tmp_path / f"new.out.{ending}")
    frame = open_table(result.output)
    found = frame.joint_range(Roles(sensitive=("x",), public=("x",))).joint.public.labels()
    frame.close()
    assert sorted(map(float, found)) == [1.25, 2.25]


def test_clusters_that_new_data_cannot_hold_leave_the_labels_of_others_alone(tmp_path: Path) -> None:
    source, new = tmp_path / "decimals.csv", tmp_path / "whole.csv"
    write_table(source, rows(x=[1.5, 1.75, 3, 4, 7, 8], k=list("abcdef"), s=list("pqpqpq")))
    made = release(
        source,
        tmp_path / "out.csv",
        target=Target("largest_cluster", 1),
        sensitive="s",
        public="x",
        harmless="k",
        exposure="accept",
        labels="member",
    )
    write_table(new, rows(x=[3, 4], k=["c", "d"], s=["p", "q"]))
    # Shuffled, so counted: whole numbers lack the clusters of 1.5 and 1.75.
    result = apply(made.policy, new, tmp_path / "new.out.csv")
    found = {row["k"]: row["x"] for row in read_released(result.output)}
    assert found == {"c": "3", "d": "4"}


def test_a_codebook_beyond_the_type_of_the_new_data_is_no_error_and_no_cell_is_told(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    source = tmp_path / "large.csv"
    write_table(source, rows(x=[1, 1000, 10**20, 10**20 + 1], s=list("pqpq")))
    options = {"sensitive": "s", "public": "x", "labels": "member", "utility": "resolution"}
    made = release(source, tmp_path / "out.csv", target=Target("largest_cluster", 1), **options)
    policy = Policy.read(made.policy)
    narrow = pl.DataFrame({"x": pl.Series([1, 1], dtype=pl.Int8), "s": ["p", "q"]})
    assert [int(cell) for cell in policy.apply(narrow)["x"]] == [1, 1]
    new = tmp_path / "new.csv"
    write_table(new, rows(x=[1, 7], s=list("pq")))
    with pytest.raises(PolicyError, match="never seen 1 public value, in 1 row;"):
        apply(policy, new, tmp_path / "new.out.csv")


@pytest.mark.parametrize("unseen", ["error", "nearest", "suppress"])
def test_infinity_is_refused_and_finer_times_than_labels_have_are(tmp_path: Path, unseen: Any) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    policy = policy_for(tmp_path)
    endless = pa.table({"x": [10.0, float("-inf")]})
    for frame in (endless, endless.to_pandas(), pl.from_arrow(endless)):
        with pytest.raises(ColumnError, match="'x' holds infinite numbers"):
            policy.apply(frame, unseen=unseen)
    moments = {"x": pa.array([dt.datetime(2024, 1, 1, n) for n in range(6)], pa.timestamp("ns"))}
    made = release(
        pa.table({**COLUMNS, **moments}),
        tmp_path / "moments.csv",
        target=Target("distinct_l", 2),
        sensitive="s",
        public="x",
    )
    fine = pd.DataFrame({"x": [pd.Timestamp("2024-01-01 00:00:00.000000001")]})
    with pytest.raises(ColumnError, match="'x' holds times finer than a microsecond"):
        Policy.read(made.policy).apply(fine, unseen=unseen)


@pytest.mark.parametrize("unseen", ["error", "nearest", "suppress"])
def test_readings_of_a_clock_are_no_instants(tmp_path: Path, unseen: Any) -> None:
    import pyarrow as pa

    hours = [dt.datetime(2024, 1, 1, hour) for hour in range(6)]
    tables = {
        "none": pa.table({**COLUMNS, "x": pa.array(hours, pa.timestamp("us"))}),
        "a time zone": pa.table({**COLUMNS, "x": pa.array(hours, pa.timestamp("us", "Europe/Berlin"))}),
    }
    for name, other in (("none", "a time zone"), ("a time zone", "none")):
        made = release(
            tables[name],
            tmp_path / f"{name}.parquet",
            target=Target("distinct_l", 2),
            sensitive="s",
            public="x",
        )
        policy = Policy.read(made.policy)
        assert policy.apply(tables[name]).num_rows == 6
        with pytest.raises(ColumnError, match=r"'x' has (no|a) time zone there and (one|none) here"):
            policy.apply(tables[other], unseen=unseen)


def test_what_an_arrow_table_says_about_itself_is_not_released(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    policy = policy_for(tmp_path)
    frame = pa.table(COLUMNS).replace_schema_metadata({"note": "s of row 1 is p"})
    assert policy.apply(frame).schema.metadata is None


def test_unseen_values_in_a_frame(tmp_path: Path) -> None:
    import pyarrow as pa

    policy = frame_policy(tmp_path)
    new = pa.table({**FRAME, "x": [10, 11, 20, 21, 30, 99]})
    with pytest.raises(PolicyError, match="never seen"):
        policy.apply(new)
    assert policy.apply(new, unseen="suppress").column("x").to_pylist()[-1] is None
    assert policy.apply(new, unseen="nearest").num_rows == 6
    with pytest.raises(OptionError, match="unknown way"):
        policy.apply(new, unseen="guess")  # type: ignore[arg-type]
