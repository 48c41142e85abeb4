"""A table asked for its columns, its joint range and its rows."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley.measures.overlap import overlap_partition
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.counting.fetch_range import RangeRead


def test_a_table_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "clinic.csv"
    path.write_text("age,born,name,seen\n41,1980-01-01,x,2024-01-01T10:00\n")
    table = open_table(str(path))
    assert (table.name, table.row_count) == ("clinic.csv", 1)
    assert [(column.name, column.kind) for column in table.columns] == [
        ("age", "number"),
        ("born", "date"),
        ("name", "text"),
        ("seen", "timestamp"),
    ]
    frame = open_table(pl.DataFrame({"ok": [True], "tags": [[1]]}))
    assert frame.name == "the table"
    assert [column.kind for column in frame.columns] == ["boolean", None]


@pytest.mark.parametrize("cells", [[7], [7, 7, 7], [None], [None, None]])
def test_one_row_one_value_and_nothing_but_missing_are_valid(cells: list[int | None]) -> None:
    frame = pa.table({"s": pa.array(cells, pa.int64()), "x": pa.array(cells, pa.int64())})
    read = open_table(frame).joint_range(Roles(sensitive=("s",), public=("x",)))
    assert (read.joint.pairs, read.joint.public.labels(), read.joint.rows.tolist()) == (
        1,
        cells[:1],
        [len(cells)],
    )


def test_a_column_of_nothing_has_only_missing() -> None:
    table = open_table(pa.table({"s": [1, 2], "x": pa.nulls(2)}))
    assert table.joint_range(Roles(sensitive=("s",), public=("x",))).joint.public.labels() == [None]


def test_rows_with_missing_values_can_be_left_out_and_are_counted() -> None:
    frame = pa.table({"s": [1, None, 2, 2], "x": ["a", "a", None, "b"], "z": [None, 1, 1, 1]})
    for source in (frame, pl.from_arrow(frame).lazy()):
        table = open_table(source)
        kept = table.joint_range(Roles(sensitive=("s",), public=("x",)), missing="drop")
        assert (kept.dropped_rows, kept.joint.public.labels(), kept.joint.sensitive.labels()) == (
            2,
            ["a", "b"],
            [1, 2],
        )
        everything = table.joint_range(Roles(sensitive=("s",), public=("x",)))
        assert (everything.dropped_rows, int(everything.joint.rows.sum())) == (0, 4)


def test_missing_takes_the_place_of_the_number_it_is_given() -> None:
    for cells in ([5, None, 1, 3], [5.5, None, 1.0, 3.0]):
        table = open_table(pa.table({"s": [1, 2, 3, 4], "x": cells}))
        roles = Roles(sensitive=("s",), public=("x",))
        for at, place in ((0, 0), (2.5, 1), (3, 2), (9, 3)):
            public = table.joint_range(roles, missing_at=at).joint.public
            assert public.labels().index(None) == place
            assert public.positions is not None
            assert public.positions[place] == at
            assert bool((np.diff(public.positions) >= 0).all())
        public = table.joint_range(roles).joint.public
        assert public.labels()[-1] is None
        assert public.given_positions is None


def test_the_place_of_missing_holds_in_joint_values_and_leaves_other_roles_alone() -> None:
    table = open_table(pa.table({"s": [1, None, 3], "x": [5, None, 1], "y": ["a", None, "b"]}))
    joint = table.joint_range(Roles(sensitive=("s",), public=("x", "y")), missing_at=2).joint
    assert joint.public.labels() == [(1, "b"), (None, None), (5, "a")]
    assert joint.sensitive.labels() == [1, 3, None]
    dense = table.joint_range(Roles(sensitive=("s",), public=("x",)), missing_at=2).joint
    assert [dense.candidates(x).tolist() for x in range(3)] == [[1], [2], [0]]
    nothing_missing = open_table(pa.table({"s": [1, 2], "x": [5, 4]}))
    roles = Roles(sensitive=("s",), public=("x",))
    assert nothing_missing.joint_range(roles, missing_at=2) == nothing_missing.joint_range(roles)


def test_several_columns_of_a_role_act_as_one_value_sorted_column_by_column() -> None:
    frame = pa.table({"s": [1, 2, 3, 3], "x": ["b", "a", None, "a"], "y": [2, None, 1, 10]})
    joint = open_table(frame).joint_range(Roles(sensitive=("s",), public=("x", "y"), side=("y",))).joint
    assert joint.public.labels() == [("a", 10), ("a", None), ("b", 2), (None, 1)]
    assert joint.side is not None
    assert joint.side.labels() == [1, 2, 10, None]


def test_a_sensitive_column_may_be_public_too() -> None:
    frame = pa.table({"age": [30, 41, 41], "chol": [180, 180, 214]})
    joint = open_table(frame).joint_range(Roles(sensitive=("age",), public=("age", "chol"))).joint
    assert joint.pairs == joint.public.size == 3


def test_many_rows_are_counted_in_the_engine_with_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    frame = pa.table(
        {"s": rng.integers(0, 9, 3000), "x": rng.integers(-50, 50, 3000) / 4, "a": ["u", "v", "w"] * 1000}
    )
    roles = Roles(sensitive=("s",), public=("x",), side=("a",))
    fetched = open_table(frame).joint_range(roles)
    monkeypatch.setattr("hartley.tables.counting.fetch_range.COUNTED_FROM", 1)
    assert open_table(frame).joint_range(roles) == fetched
    assert open_table(pl.from_arrow(frame).lazy()).joint_range(roles) == fetched


def test_a_long_stretch_of_numbers_gets_a_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pa.table({"s": [1, 2, 3, 4], "x": [2**62, -(2**62), None, 5]})
    roles = Roles(sensitive=("s",), public=("x",))
    joint = open_table(frame).joint_range(roles).joint
    assert joint.public.labels() == [-(2**62), 5, 2**62, None]
    short = pa.table({"s": [1, 2, 3, 4], "x": [7, 5, None, -5]})
    own_code = open_table(short).joint_range(roles)
    monkeypatch.setattr("hartley.tables.counting.first_look.LONGEST_STRETCH", -1)
    assert open_table(short).joint_range(roles) == own_code


def test_rows_come_untouched_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('d,n,t\n2024-01-02,1.10,"a, ""b"""\n,007,""\n2024-01-01,1.1,\n', encoding="utf-8")
    table = open_table(path)
    rows = table.connection.execute(table.rows_sql(("n", "t", "d"), typed=("d",))).fetchall()
    day = (dt.date(2024, 1, 2) - dt.date(1970, 1, 1)).days
    assert rows == [
        (1, "1.10", 'a, "b"', "2024-01-02", day),
        (2, "007", "", None, None),
        (3, "1.1", None, "2024-01-01", day - 1),
    ]
    again = tmp_path / "again.csv"
    released = (
        table.connection.sql(table.rows_sql(("d", "n", "t"))).order("r").project("o0 AS d, o1 AS n, o2 AS t")
    )
    released.write_csv(str(again))
    rewritten = open_table(again)
    assert (
        rewritten.connection.execute(rewritten.rows_sql(("n", "t", "d"))).fetchall()
        == table.connection.execute(table.rows_sql(("n", "t", "d"))).fetchall()
    )


def test_rows_of_frames_keep_their_types_and_order(tmp_path: Path) -> None:
    frame = pa.table({"x": [3.5, -0.0, float("nan")], "t": ["b", None, "a"]})
    path = tmp_path / "t.parquet"
    pq.write_table(frame, path)
    for source in (frame, path, pl.from_arrow(frame).lazy(), pl.from_arrow(frame)):
        table = open_table(source)
        rows = table.connection.execute(table.rows_sql(("t", "x"), typed=("x",))).fetchall()
        assert [row[:2] for row in rows] == [(1, "b"), (2, None), (3, "a")]
        assert str(rows[2][2]) == "nan"
        assert [row[3] for row in rows] == [3.5, 0.0, None]


def test_declared_text_and_numbers_hold_for_frames_too() -> None:
    frame = pd.DataFrame({"s": [1.5, 2.0, None], "x": ["007", "7", "8"]})
    roles = Roles(sensitive=("s",), public=("x",))
    joint = open_table(frame, ReadOptions(text=("s",), number=("x",))).joint_range(roles).joint
    assert joint.sensitive.labels() == ["1.5", "2.0", None]
    assert joint.public.labels() == [7, 8]


def hungarian(path: Path) -> RangeRead:
    return open_table(path).joint_range(Roles(sensitive=("age",), public=("chol",)))


def test_the_hungarian_data_has_the_counts_of_the_errata(hungarian_heart: Path) -> None:
    # errata.md: 294 rows, |S| = 38, |X| = 154, 281 pairs, 269 of them seen once, 2 components.
    joint = hungarian(hungarian_heart).joint
    assert (joint.sensitive.size, joint.public.size, joint.pairs) == (38, 154, 281)
    assert int(joint.rows.sum()) == 294
    assert int((joint.rows == 1).sum()) == 269
    assert overlap_partition(joint).size == 2
