"""Awkward types and spellings through every format: each release is confirmed by the verifier."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley import release
from hartley.errors import ColumnError, OptionError, WriteError
from hartley.model.demand import Target
from hartley.tables import ReadOptions, Table
from hartley.workflow.apply_policy import apply
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.verify_release import verify
from random_tables import read_released

ENDINGS = [".csv", ".parquet", ".jsonl"]


def confirmed(source: Any, output: Path, **options: Any) -> ReleaseResult:
    settings = {
        "sensitive": "s",
        "public": "x",
        "search": "greedy",
        "utility": "resolution",
        "target": Target("largest_cluster", 2),
        **options,
    }
    result = release(source, output, **settings)
    again = verify(output, original=source, policy=result.policy, certificate=result.certificate)
    assert again.holds, again.failures
    return result


def text_file(path: Path, content: str) -> Path:
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_decimals_that_no_float_holds_stay_exact(tmp_path: Path, ending: str) -> None:
    source = text_file(
        tmp_path / "in.csv",
        "x,k,s\n0.12345678901234567891,1,p\n0.12345678901234567893,2,q\n3.5,3,p\n7,4,q\n",
    )
    result = confirmed(source, tmp_path / f"out{ending}", harmless="k", exposure="accept", keep_order=True)
    # In between lies ...92; a type with twenty decimals has room for no more.
    assert (read_released(result.output)[0]["x"] or "").startswith("0.12345678901234567892")


@pytest.mark.parametrize("ending", ENDINGS)
def test_whole_numbers_that_no_float_holds_stay_exact(tmp_path: Path, ending: str) -> None:
    numbers = [2**64 - 1, -(2**63), 10**37 + 1, 2**53 + 1]
    source = text_file(tmp_path / "in.csv", "x,k,s\n" + "".join(f"{k % 3},{k},{k % 2}\n" for k in numbers))
    result = confirmed(source, tmp_path / f"out{ending}", harmless="k", exposure="accept", keep_order=True)
    assert [int(row["k"] or "") for row in read_released(result.output)] == numbers


@pytest.mark.parametrize("ending", ENDINGS)
def test_times_of_day_are_published_as_they_are(tmp_path: Path, ending: str) -> None:
    times = [dt.time(0), dt.time(23, 59, 59, 999999), dt.time(12, 30, 0, 500000), None]
    source = tmp_path / "in.parquet"
    pq.write_table(
        pa.table({"x": [1, 2, 3, 4], "k": pa.array(times, pa.time64("us")), "s": [1, 2] * 2}), source
    )
    result = confirmed(source, tmp_path / f"out{ending}", harmless="k", exposure="accept", keep_order=True)
    written = ["00:00:00", "23:59:59.999999", "12:30:00.5", None]
    if ending == ".parquet":
        assert pq.read_table(result.output)["k"].to_pylist() == times
    else:
        assert [row["k"] for row in read_released(result.output)] == written


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_intervals_are_not_written_as_text(tmp_path: Path, ending: str) -> None:
    import duckdb

    source = tmp_path / "in.parquet"
    query = "SELECT i AS x, i % 2 AS s, to_days(i::INTEGER) AS k FROM range(4) AS t(i)"
    duckdb.sql(query).write_parquet(str(source))
    with pytest.raises(ColumnError, match="only a Parquet file can hold it"):
        confirmed(source, tmp_path / f"out{ending}", harmless="k", exposure="accept")
    assert confirmed(source, tmp_path / "out.parquet", harmless="k", exposure="accept").rows == 4


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_durations_are_refused_before_any_work(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [dt.timedelta(days=1), dt.timedelta(days=40, seconds=3), None, None]
    table = pa.table({"x": [1, 2, 3, 4], "k": pa.array(days, pa.duration("us")), "s": [1, 2, 1, 2]})
    policy = confirmed(
        table.set_column(1, "k", [[1, 2, 3, 4]]), tmp_path / "in.csv", harmless="k", exposure="accept"
    ).policy
    monkeypatch.setattr(Table, "joint_range", None)
    source = tmp_path / "in.parquet"
    pq.write_table(table, source)
    for given in (table, source):
        for role in ("keep", "harmless"):
            with pytest.raises(ColumnError, match="'k' holds durations"):
                release(
                    given,
                    tmp_path / f"out{ending}",
                    **{role: "k"},
                    sensitive="s",
                    public="x",
                    target=Target("distinct_l", 1),
                )
        with pytest.raises(ColumnError, match="'k' holds durations"):
            apply(policy, given, tmp_path / f"out{ending}")


@pytest.mark.parametrize("ending", [*ENDINGS, ".arrow"])
def test_typed_columns_can_be_declared_text(tmp_path: Path, ending: str) -> None:
    endless, noon = float("inf"), dt.datetime(2024, 1, 1, 12)
    columns = {
        "double": pa.array([endless, -0.0, 0.0, 1e300]),
        "single": pa.array([0.1, -0.0, 0.0, None], pa.float32()),
        "decimal": pa.array([Decimal("0E-10"), Decimal("0.0000000001"), None, Decimal(5)]),
        "moment": pa.array([noon, noon.replace(microsecond=250_000), None, noon]),
        "instant": pa.array(
            [noon, noon.replace(microsecond=5), None, noon], pa.timestamp("us", "Asia/Kabul")
        ),
        "fine": pa.array([1, 10, 10**18 + 1, None], pa.int64()).cast(pa.timestamp("ns")),
        "time": pa.array([dt.time(1, 2, 3, 500_000), dt.time(1), None, dt.time(5)]),
        "truth": pa.array([True, False, None, True]),
    }
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({**columns, "s": [1, 2, 1, 2]}), source)
    options = ReadOptions(text=tuple(columns))
    for name in columns:
        out = tmp_path / f"{name}{ending}"
        if ending == ".jsonl" and name == "double":
            continue
        others = [other for other in columns if other != name and (ending, other) != (".jsonl", "double")]
        confirmed(source, out, public=name, harmless=others, exposure="accept", options=options)


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_moments_are_compared_to_the_nanosecond(tmp_path: Path, ending: str) -> None:
    source, out = tmp_path / "in.parquet", tmp_path / f"out{ending}"
    moments = pa.array([1, 10, 10**18 + 1, None], pa.int64()).cast(pa.timestamp("ns"))
    pq.write_table(pa.table({"x": [1, 2, 3, 4], "k": moments, "s": [1, 2, 1, 2]}), source)
    result = confirmed(source, out, harmless="k", exposure="accept")
    out.write_text(out.read_text().replace("00:00:00.000000001", "00:00:00.000000002"))
    found = verify(out, original=source, policy=result.policy)
    assert [check.name for check in found.failures] == ["rows"]


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("s")])
def test_dates_beyond_those_of_python_are_refused_in_one_line(tmp_path: Path, kind: pa.DataType) -> None:
    far = 5_000_000 if kind == pa.date32() else 5_000_000 * 86_400
    cells = pa.array([far, 0], pa.int32() if kind == pa.date32() else pa.int64()).cast(kind)
    table = pa.table({"x": [1, 2], "k": cells, "s": ["p", "q"]})
    source = tmp_path / "in.parquet"
    pq.write_table(table, source)
    for given in (table, source):
        with pytest.raises(ColumnError, match="'k' holds dates outside the years 1 to 9999"):
            confirmed(given, tmp_path / "out.parquet", harmless="k", exposure="accept")


def test_a_column_that_cannot_be_read_as_it_is_is_not_kept_either(tmp_path: Path) -> None:
    import pandas as pd

    mixed = pd.DataFrame({"x": [1, 2], "k": pd.Series([1, "a"], dtype=object), "s": ["p", "q"]})
    with pytest.raises(ColumnError, match="'k' mixes kinds of values"):
        confirmed(mixed, tmp_path / "out.parquet", harmless="k", exposure="accept")
    source = tmp_path / "long.parquet"
    long = pa.array([Decimal("1.10"), None], pa.decimal256(50, 2))
    pq.write_table(pa.table({"x": [1, 2], "k": long, "s": ["p", "q"]}), source)
    # The engine would give floats.
    with pytest.raises(ColumnError, match="'k' holds decimals of more than 38 digits"):
        confirmed(source, tmp_path / "out.parquet", harmless="k", exposure="accept")


@pytest.mark.parametrize("ending", ENDINGS)
def test_instants_and_clock_readings(tmp_path: Path, ending: str) -> None:
    zoned = (
        "2024-01-01T10:00:00Z,2024-01-01T10:00:00+01:00,p\n2024-01-01T12:00:01+01:00,2024-01-01 10:00:00Z,q\n"
    )
    source = text_file(tmp_path / "zoned.csv", "x,k,s\n" + zoned)
    assert confirmed(source, tmp_path / f"zoned-out{ending}", harmless="k", exposure="accept").rows == 2
    plain = "2024-01-01T10:00,true,p\n2024-01-01 10:00:01.25,false,q\n2024-01-03 10:00:00,,p\n"
    source = text_file(tmp_path / "plain.csv", "x,k,s\n" + plain)
    for labels in ("midpoint", "interval"):
        output = tmp_path / f"plain-{labels}{ending}"
        assert confirmed(source, output, harmless="k", exposure="accept", labels=labels).rows == 3


@pytest.mark.parametrize("ending", ENDINGS)
def test_json_truth_values_and_signed_zeros(tmp_path: Path, ending: str) -> None:
    rows = [{"x": True, "k": 1.0}, {"x": False, "k": -0.0}, {"x": None, "k": 0.0}]
    lines = [json.dumps({**row, "s": "pqp"[place]}) for place, row in enumerate(rows)]
    source = text_file(tmp_path / "in.jsonl", "\n".join(lines) + "\n")
    result = confirmed(source, tmp_path / f"out{ending}", harmless="k", exposure="accept", labels="member")
    # Only a CSV file shows the sign of a zero as it stands in the original, and there it is counted.
    zeros = {row["k"] for row in read_released(result.output)} - {"1.0"}
    assert zeros == ({"0.0", "-0.0"} if ending == ".csv" else {"0.0"})


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_type_of_a_parquet_file(tmp_path: Path, ending: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = tmp_path / "in.parquet"
    moments = [dt.datetime(2024, 1, 1, microsecond=place) for place in range(5)]
    columns = {
        "x": pa.array([1.5, -0.0, 0.0, float("nan"), None], pa.float64()),
        "single": pa.array([0.1, 0.2, 0.3, -0.0, 0.0], pa.float32()),
        "unsigned": pa.array([1, 2, 3, 4, 2**64 - 1], pa.uint64()),
        "moment": pa.array(moments, pa.timestamp("ns")),
        "decimal": pa.array([None, 1, 2, 3, 4]).cast(pa.decimal128(22, 2)),
        "list": pa.array([["a, b"], ["a", "b"], None, [], ["c"]]),
        "s": pa.array(list("pqrpq")),
    }
    pq.write_table(pa.table(columns), source)
    harmless = ["single", "unsigned", "moment", "decimal"]
    result = confirmed(source, tmp_path / f"out{ending}", harmless=harmless, exposure="accept")
    assert result.after_all.public.values == 5
    if ending == ".parquet":
        assert confirmed(source, tmp_path / "lists.parquet", harmless="list", exposure="accept").rows == 5
    else:
        with pytest.raises(Exception, match="only a Parquet file can hold it"):
            confirmed(source, tmp_path / f"lists{ending}", harmless="list", exposure="accept")


def test_numbers_that_json_cannot_hold_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa

    frame = pa.table({"x": [1, 2], "k": [1.0, float("inf")], "s": ["p", "q"]})
    with pytest.raises(WriteError, match="which JSON cannot; write Parquet"):
        confirmed(frame, tmp_path / "out.jsonl", keep="k")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_recoded_decimals_and_single_floats(tmp_path: Path, ending: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = tmp_path / "in.parquet"
    exact = pa.array(["1.25", "2.50", "3.75", "4.00"]).cast(pa.decimal128(10, 2))
    single = pa.array([0.1, 0.2, 0.7, 0.8], pa.float32())
    pq.write_table(pa.table({"x": exact, "y": single, "s": list("pqpq")}), source)
    result = confirmed(source, tmp_path / f"out{ending}", public=("x", "y"), labels="midpoint")
    if ending == ".parquet":
        # The middle of 1.25 and 2.50 has more decimals than the column.
        assert str(pq.read_schema(result.output).field("x").type) == "double"


@pytest.mark.parametrize("ending", ENDINGS)
def test_pandas_categories_zones_and_missing_truth_values(tmp_path: Path, ending: str) -> None:
    import pandas as pd

    days = pd.to_datetime(["2024-01-01"] * 4 + [None]).tz_localize("Europe/Berlin")
    frame = pd.DataFrame(
        {
            "x": pd.Categorical(list("abcab")),
            "k": days,
            "b": [True, False, True, None, True],
            "s": list("pqrpq"),
        }
    )
    assert confirmed(frame, tmp_path / f"out{ending}", keep="k", harmless="b", exposure="accept").rows == 5


def test_line_breaks_odd_names_and_words_like_null(tmp_path: Path) -> None:
    source = text_file(
        tmp_path / "in.csv", '"x,""1","k\'s",s\n1,"a\rb",p\n2,"c\r\nd",q\n3,NULL,p\n4,\\N,q\n5,  nan ,p\n'
    )
    for ending in ENDINGS:
        result = confirmed(
            source, tmp_path / f"{ending[1:]}{ending}", public='x,"1', keep="k's", keep_order=True
        )
        found = [row["k's"] for row in read_released(result.output)]
        assert found == ["a\rb", "c\r\nd", "NULL", "\\N", "  nan "]


def test_json_lines_hold_any_character(tmp_path: Path) -> None:
    texts = ["#", "a # b", "\x01", "\x02", '"', "\\", "\n", "\u2028", "\x7f", "{", "'"]
    lines = [json.dumps({"x": place, "#k": text, "s": place % 2}) for place, text in enumerate(texts)]
    source = text_file(tmp_path / "in.jsonl", "\n".join(lines))
    result = confirmed(source, tmp_path / "out.jsonl", harmless="#k", exposure="accept", keep_order=True)
    apply(result.policy, source, tmp_path / "new.jsonl.gz")
    written = result.output.read_bytes(), gzip.decompress((tmp_path / "new.jsonl.gz").read_bytes())
    for content in written:
        found = content.decode().removesuffix("\n").split("\n")
        assert [json.loads(line)["#k"] for line in found] == texts


def test_names_that_differ_in_case_only_are_refused(tmp_path: Path) -> None:
    source = text_file(tmp_path / "in.csv", "X,x,s\n1,a,p\n2,b,q\n")
    with pytest.raises(OptionError, match="differ only in upper and lower case"):
        confirmed(source, tmp_path / "out.csv", keep="X")


def test_a_column_may_be_public_and_sensitive(tmp_path: Path) -> None:
    source = text_file(tmp_path / "in.csv", "age,chol\n1,10\n2,20\n3,30\n4,40\n")
    result = confirmed(source, tmp_path / "out.csv", sensitive="age", public=("age", "chol"))
    assert dict(result.columns) == {"age": "recoded", "chol": "recoded"}
    assert result.after.distinct_l == 2


def test_the_smallest_tables(tmp_path: Path) -> None:
    one = text_file(tmp_path / "one.csv", "x,s\n5,p\n")
    assert confirmed(one, tmp_path / "one-out.csv").after.distinct_l == 1
    empty = text_file(tmp_path / "empty.csv", "x,s\n,p\n,q\n")
    assert confirmed(empty, tmp_path / "empty-out.csv").rows == 2
