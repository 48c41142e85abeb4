"""One table, one answer: every kind of file and frame gives the same joint range."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.model import JointRange
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.counting.fetch_range import RangeRead


def relation(frame: pa.Table) -> duckdb.DuckDBPyRelation:
    return duckdb.connect().from_arrow(frame)


def pandas_frame(frame: pa.Table) -> pd.DataFrame:
    """Give the table in pandas' own types; plain ones have no missing integer, and no type for dates."""
    own = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    plain = frame.to_pandas(types_mapper=own.get)
    for name in frame.column_names:
        if pa.types.is_date(frame[name].type) and frame[name].null_count == len(frame):
            plain[name] = plain[name].astype(pd.ArrowDtype(pa.date32()))
    return plain


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda frame: frame,
    "pandas": pandas_frame,
    "pandas with arrow types": lambda frame: frame.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars lazy": lambda frame: pl.from_arrow(frame).lazy(),
    "duckdb": relation,
}


def written(frame: pa.Table, folder: Path) -> dict[str, Path]:
    """Write the table as every kind of file; moments in ISO form, truth values as words."""
    paths = {kind: folder / f"t.{kind}" for kind in ("parquet", "csv", "tsv", "jsonl")}
    pq.write_table(frame, paths["parquet"])
    rows = [[_text(cell) for cell in row.values()] for row in frame.to_pylist()]
    for kind, delimiter in (("csv", ","), ("tsv", "\t")):
        lines = [delimiter.join(row) for row in [list(frame.column_names), *rows]]
        paths[kind].write_text("\n".join(lines) + "\n", encoding="utf-8")
    with paths["jsonl"].open("w", encoding="utf-8") as stream:
        for row in frame.to_pylist():
            stream.write(json.dumps({name: _json(cell) for name, cell in row.items()}) + "\n")
    return paths


def _text(cell: object) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, dt.datetime):
        return cell.isoformat()
    return '""' if cell == "" else f'"{cell}"' if isinstance(cell, str) else str(cell)


def _json(cell: object) -> object:
    if cell is None or cell != cell:
        return None
    if isinstance(cell, (dt.date, dt.datetime)):
        return cell.isoformat()
    return float(cell) if isinstance(cell, Decimal) else cell


NASTY = pa.table(
    {
        "whole": pa.array([2**60 + 1, 2**60, None, 2**53 + 1, -1, -1, 0, 2**53], pa.int64()),
        "fraction": [0.0, -0.0, float("nan"), None, 1.1, 1.10, 1e-5, -2.5],
        "text": ["1.10", "1.1", "007", "7", "é", "", None, "Ω"],
        "decimal": pa.array(
            [Decimal(cell) for cell in ("1.10", "1.1", "0.01", "0.02", "-3.00", "7", "99.99")] + [None],
            pa.decimal128(10, 2),
        ),
        "day": pa.array([dt.date(2024, 2, 29), dt.date(1, 1, 1), None] + [dt.date(1969, 12, 31)] * 5),
        "moment": pa.array(
            [dt.datetime(2024, 2, 29, 1, 2, 3, 456789), None] + [dt.datetime(1960, 1, 1)] * 6,
            pa.timestamp("us"),
        ),
        "instant": pa.array(
            [dt.datetime(2024, 2, 29, 1, 2, 3, tzinfo=dt.UTC), None]
            + [dt.datetime(1960, 1, 1, tzinfo=dt.UTC)] * 6,
            pa.timestamp("us", "Europe/Berlin"),
        ),
        "truth": [True, False, None, True, True, False, False, None],
        "category": pa.array(["b", "a", None, "b", "c", "a", "é", "b"]).dictionary_encode(),
    }
)
# A file without types says truth values in words, and cannot tell text from numbers.
STATED = ReadOptions(text=("text", "truth"))
EVERY_COLUMN = [
    Roles(sensitive=(name,), public=tuple(other for other in NASTY.column_names if other != name))
    for name in NASTY.column_names
]


def test_the_nasty_table_is_the_same_from_everywhere(tmp_path: Path) -> None:
    sources = {name: make(NASTY) for name, make in FRAMES.items()} | written(NASTY, tmp_path)
    expected = [open_table(NASTY, STATED).joint_range(roles) for roles in EVERY_COLUMN]
    for name, source in sources.items():
        table = open_table(source, STATED)
        assert [table.joint_range(roles) for roles in EVERY_COLUMN] == expected, name


def test_the_nasty_table_has_the_values_that_one_reads_in_it() -> None:
    def values(name: str) -> list[object]:
        roles = Roles(sensitive=(name,), public=(name,))
        return open_table(NASTY).joint_range(roles).joint.sensitive.labels()

    assert values("whole") == [-1, 0, 2**53, 2**53 + 1, 2**60, 2**60 + 1, None]
    assert values("fraction") == [-2.5, 0.0, 1e-5, 1.1, None]
    assert values("text") == ["", "007", "1.1", "1.10", "7", "é", "Ω", None]
    assert values("decimal") == [-3, 0.01, 0.02, 1.1, 7, 99.99, None]
    assert values("day") == [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(2024, 2, 29), None]
    assert values("truth") == [False, True, None]
    assert values("category") == ["a", "b", "c", "é", None]
    assert values("moment") == [
        dt.datetime(1960, 1, 1),
        dt.datetime(2024, 2, 29, 1, 2, 3, 456789),
        None,
    ]
    assert values("instant") == [
        dt.datetime(1960, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2024, 2, 29, 1, 2, 3, tzinfo=dt.UTC),
        None,
    ]


WORDS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "007", "7", "é", "😀", "NaN", "A"]))
WHOLE = st.one_of(st.none(), st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1))
FLOATS = st.one_of(
    st.none(), st.sampled_from([0.0, -0.0, 1.0, float("nan"), 0.1]), st.floats(allow_infinity=False)
)
DAYS = st.one_of(st.none(), st.dates())
TRUTH = st.one_of(st.none(), st.booleans())
KINDS: dict[str, tuple[st.SearchStrategy[Any], pa.DataType]] = {
    "word": (WORDS, pa.string()),
    "whole": (WHOLE, pa.int64()),
    "float": (FLOATS, pa.float64()),
    "day": (DAYS, pa.date32()),
    "truth": (TRUTH, pa.bool_()),
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    length = draw(st.integers(1, 8))
    return pa.table(
        {
            name: pa.array(draw(st.lists(cells, min_size=length, max_size=length)), kind)
            for name, (cells, kind) in KINDS.items()
        }
    )


def by_definition(frame: pa.Table, roles: Roles) -> set[tuple[object, object, int]]:
    """Count the pairs in plain Python."""
    counts: dict[tuple[object, object], int] = {}
    for row in frame.to_pylist():
        cells = {name: None if cell != cell else cell for name, cell in row.items()}
        pair = (
            tuple(cells[name] for name in roles.public),
            tuple(cells[name] for name in roles.sensitive),
        )
        counts[pair] = counts.get(pair, 0) + 1
    return {(public, sensitive, rows) for (public, sensitive), rows in counts.items()}


def pairs_of(joint: JointRange) -> set[tuple[object, object, int]]:
    def cells(label: object) -> object:
        return label if isinstance(label, tuple) else (label,)

    return {
        (cells(joint.public.label(x)), cells(joint.sensitive.label(s)), int(rows))
        for x, s, rows in zip(joint.observation_of, joint.indices, joint.rows, strict=True)
    }


@settings(max_examples=40, deadline=None)
@given(
    frame=tables(),
    public=st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=3, unique=True),
    sensitive=st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=2, unique=True),
    order=st.randoms(use_true_random=False),
)
def test_random_tables_are_the_same_from_every_frame(
    frame: pa.Table, public: list[str], sensitive: list[str], order: Any
) -> None:
    roles = Roles(sensitive=tuple(sensitive), public=tuple(public))
    expected = open_table(frame).joint_range(roles)
    assert pairs_of(expected.joint) == by_definition(frame, roles)
    for alphabet in (expected.joint.public, expected.joint.sensitive):
        assert alphabet.labels() == sorted(set(alphabet.labels()), key=_place)
    for name, make in FRAMES.items():
        assert open_table(make(frame)).joint_range(roles) == expected, name
    shuffled = list(range(len(frame)))
    order.shuffle(shuffled)
    assert open_table(frame.take(shuffled)).joint_range(roles) == expected


def _place(label: object) -> object:
    cells = label if isinstance(label, tuple) else (label,)
    return tuple((cell is None, cell if cell is not None else 0) for cell in cells)


def test_integers_beyond_64_bits_are_the_same_from_everywhere(tmp_path: Path) -> None:
    numbers = [2**100, 2**100 + 1, -5, None]
    decimals = pa.array([None if n is None else Decimal(n) for n in numbers], pa.decimal128(38, 0))
    frame = pl.DataFrame({"s": [1, 2, 3, 4], "x": pl.Series(numbers, dtype=pl.Int128)})
    path = tmp_path / "t.csv"
    path.write_text("s,x\n" + "".join(f"{i + 1},{'' if n is None else n}\n" for i, n in enumerate(numbers)))
    hugeint = duckdb.connect().sql(
        "SELECT s, CASE s WHEN 1 THEN pow2 WHEN 2 THEN pow2 + 1 WHEN 3 THEN -5 END AS x "
        "FROM (SELECT unnest([1, 2, 3, 4]) AS s, 1267650600228229401496703205376::HUGEINT AS pow2)"
    )
    sources = [
        pa.table({"s": [1, 2, 3, 4], "x": decimals}),
        frame,
        frame.lazy(),
        pd.DataFrame({"s": [1, 2, 3, 4], "x": np.array(numbers, dtype=object)}),
        hugeint,
        path,
    ]
    answers = [open_table(source).joint_range(Roles(sensitive=("s",), public=("x",))) for source in sources]
    assert answers[0].joint.public.labels() == [-5, 2**100, 2**100 + 1, None]
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([3, 1, None], pa.int8()),
        pa.array([3, 1, None], pa.uint64()),
        pa.array([3, 1, None], pa.float16()),
        pa.array([3, 1, None], pa.float32()),
        pa.array([Decimal(3), Decimal(1), None], pa.decimal256(50, 3)),
        pa.array([3, 1, None]).dictionary_encode(),
    ],
)
def test_a_number_is_the_same_in_every_type_of_number(cells: pa.Array) -> None:
    roles = Roles(sensitive=("s",), public=("x",))
    expected = open_table(pa.table({"s": [1, 2, 3], "x": [3, 1, None]})).joint_range(roles)
    assert open_table(pa.table({"s": [1, 2, 3], "x": cells})).joint_range(roles) == expected


def test_an_instant_is_the_same_in_every_unit_and_zone(tmp_path: Path) -> None:
    roles = Roles(sensitive=("s",), public=("x",))
    instants = [dt.datetime(2020, 5, 1, 12, tzinfo=dt.UTC), None, dt.datetime(1960, 1, 1, tzinfo=dt.UTC)]
    expected = None
    for kind in (
        pa.timestamp("s", "UTC"),
        pa.timestamp("ms", "Asia/Tokyo"),
        pa.timestamp("us", "+05:30"),
        pa.timestamp("ns", "Europe/Berlin"),
    ):
        frame = pa.table({"s": [1, 2, 3], "x": pa.array(instants, pa.timestamp("us", "UTC")).cast(kind)})
        pq.write_table(frame, tmp_path / "t.parquet")
        sources: list[Any] = [frame, tmp_path / "t.parquet", frame.to_pandas()]
        if kind.tz != "+05:30":  # polars knows no zones without a name
            sources.append(pl.from_arrow(frame).lazy())
        for source in sources:
            found = open_table(source).joint_range(roles)
            expected = expected or found
            assert found == expected
    assert expected is not None
    assert expected.joint.public.labels() == [instants[2], instants[0], None]


def test_a_decimal_with_a_negative_scale_is_its_number(tmp_path: Path) -> None:
    frame = pa.table({"s": [1, 2], "x": pa.array([Decimal("1e3"), None], pa.decimal128(5, -2))})
    path = tmp_path / "t.arrow"
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, frame.schema) as writer:
        writer.write_table(frame)
    for source in (frame, path):
        joint = open_table(source).joint_range(Roles(sensitive=("s",), public=("x",))).joint
        assert joint.public.labels() == [1000, None]


def test_text_is_the_same_in_every_type_of_text() -> None:
    roles = Roles(sensitive=("s",), public=("x",))
    answers: list[RangeRead] = []
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        cells = pa.array(["é", None, "a"]).cast(kind)
        answers.append(open_table(pa.table({"s": [1, 2, 3], "x": cells})).joint_range(roles))
    frame = pl.DataFrame({"s": [1, 2, 3], "x": pl.Series(["é", None, "a"], dtype=pl.Categorical)})
    answers.append(open_table(frame).joint_range(roles))
    answers.append(open_table(frame.lazy()).joint_range(roles))
    assert answers[0].joint.public.labels() == ["a", "é", None]
    assert all(answer == answers[0] for answer in answers)
