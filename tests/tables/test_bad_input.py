"""What bad input gets: one clear line, and no cell of the table in it."""

from __future__ import annotations

import datetime as dt
import gzip
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from hartley.errors import ColumnError, InputError, OptionError, TableError
from hartley.tables import ReadOptions, Roles, open_table

ENDINGS = (
    "ends in another way than line 1, or holds a bare carriage return; "
    "end all lines with \\n or all with \\r\\n"
)


def refusal(source: object, **options: object) -> str:
    with pytest.raises(InputError) as refused:
        open_table(source, ReadOptions(**options))  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.csv: the file is empty"),
        (b"\n\n", "t.csv: the file is empty; it needs a header and at least one row"),
        (
            b"n" * 200_000 + b",s\n1,2\n",
            "t.csv: a column name has more than 131,072 letters; the first line must be a header",
        ),
        (b"a,b\n", "t.csv: the file has a header but no rows"),
        (b"a,b", "t.csv: the file has a header but no rows"),
        (b"a,a,b\n1,2,3\n", "t.csv: column 'a' appears twice; give each column its own name"),
        (
            b"sep=;\na;b;c\n1;2;secret\n",
            "t.csv: line 2 has 3 cells where the header has 2; if line 1 is no header, remove it",
        ),
        (b"a,b\n1,2\nsecret\n", "t.csv: line 3 has 1 cell where the header has 2"),
        (b"a,b\n1,2\n1,secret,3\n", "t.csv: line 3 has 3 cells where the header has 2"),
        (b'a,b\n"x\ny",2\n1,"secret","3"\n', "t.csv: line 4 has 3 cells where the header has 2"),
        (b"a,b\n\n1,2\n", "t.csv: line 2 is empty; remove it"),
        (b'a,b\n1,"x"\n\n1,2\n', "t.csv: line 3 is empty; remove it"),
        (b"a\n1\n\n2\n", "t.csv: line 3 is empty; remove it"),
        (b"a,b\n1,2\r\n3,4\n", f"t.csv: line 2 {ENDINGS}"),
        (b"a,b\r\n1,2\n3,4\r\n", f"t.csv: line 2 {ENDINGS}"),
        (b"a,b\r\n1,2\r\n3,4\n", f"t.csv: line 3 {ENDINGS}"),
        (b"a,b\n1\r,2\n3,4\n", f"t.csv: line 2 {ENDINGS}"),
        (b'a,b\n1,"secret\n2,3\n', "t.csv: the quote that opens on line 2 is never closed"),
        (
            b'a,b\n1,2\n1,a "secret" b\n',
            't.csv: line 3 holds a quote in the middle of a cell; put the cell in quotes and write "" for "',
        ),
        (
            b'a,b\n"secret"x,2\n',
            't.csv: line 2 holds a quote in the middle of a cell; put the cell in quotes and write "" for "',
        ),
        (
            b"a,b\n1,2\n3,\xe9\n",
            "t.csv: line 3 is not UTF-8; it looks like Windows-1252 (Western Europe): "
            "read it with encoding='cp1252'",
        ),
        (
            "a,b\n1,2\n".encode("utf-16"),
            "t.csv: the file is UTF-16, not UTF-8; read it with encoding='utf-16'",
        ),
        (
            b"a,b\n1,2\n\0,3\n",
            "t.csv: line 3 holds a NUL byte; the file is not text, or not UTF-8 (encoding)",
        ),
        (b'a,"b\nc"\n1,2\n', "t.csv: a column name holds a line break; give the columns one-line names"),
    ],
)
def test_a_csv_file_that_breaks_a_rule_is_refused_with_the_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert refusal(path) == message


def test_a_ragged_record_far_into_a_large_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 700_000 + b"1\n" + b"1,2\n" * 10)
    assert refusal(path) == "t.csv: line 700002 has 1 cell where the header has 2"


def test_what_is_no_readable_file_is_refused(tmp_path: Path) -> None:
    missing = tmp_path / "none.csv"
    assert refusal(missing) == f"no file {str(missing)!r}; give the path of a table"
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    assert refusal(folder) == f"{str(folder)!r} is a folder; give the path of a table in it"
    odd = tmp_path / "t.odd"
    odd.write_text("a")
    assert refusal(odd) == (
        "t.odd: unknown kind of file; the name must end in one of "
        ".csv, .tsv, .tab, .txt, .jsonl, .ndjson, .parquet, .pq, .arrow, .feather, .ipc, .xlsx, .xls, .xlsb, "
        ".ods, .dta, .sav (text also with .gz, .zst, .bz2, .xz)"
    )
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(b"a,b\n1,2\n")
    assert refusal(packed) == "t.csv.gz: the compressed file is damaged, or not gzip"
    packed.write_bytes(gzip.compress(b"a,b\n1,2\n" * 100)[:-20])
    assert refusal(packed) == "t.csv.gz: the compressed file is damaged, or not gzip"
    looped = tmp_path / "loop.csv"
    looped.symlink_to(looped)
    assert refusal(looped).startswith(f"{str(looped)!r} cannot be read: ")


def test_encodings_are_named_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\né,1\n".encode("latin-1"))
    table = open_table(path, ReadOptions(encoding="latin-1"))
    assert table.connection.execute(table.rows_sql(("a",))).fetchall() == [(1, "é")]
    assert refusal(path, encoding="utf-32") == (
        "t.csv: the file is not utf-32; name its encoding with encoding"
    )
    assert refusal(path, encoding="klingon") == (
        "unknown encoding 'klingon'; for example 'utf-8', 'latin-1', 'utf-16'"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": secret}\n', "t.jsonl: line 2 is not JSON; put one object on each line"),
        (b'{"a": 1}\n\n{"a": 2\n', "t.jsonl: line 3 is not JSON; put one object on each line"),
        (
            b'{"a": "\xe9"}\n',
            "t.jsonl: line 1 is not UTF-8; name the file's encoding, for example encoding='latin-1'",
        ),
        (b'{"a": 1}\n[1]\n', "t.jsonl: row 2 is not a JSON object; put one object on each line"),
        (b'{"a": 1, "a": 2}\n', "t.jsonl: row 1 has a key twice; give each column its own name"),
        (b"\n\n", "t.jsonl: the file has no rows"),
        (b"{}\n{}\n", "t.jsonl: the objects have no keys, so there are no columns"),
        (b"", "t.jsonl: the file is empty"),
    ],
)
def test_a_json_file_that_is_no_table_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    assert refusal(path) == message


def test_a_parquet_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 nothing")
    assert refusal(path) == "t.parquet: the file is not a Parquet file that can be read"
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    assert refusal(path) == "t.parquet: column 'a' appears twice; give each column its own name"
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), path)
    assert refusal(path) == "t.parquet: the file has columns but no rows"


def test_what_is_no_frame_is_refused() -> None:
    import pandas as pd

    assert refusal(7) == (
        "a builtins.int is no table; give a path, or a data frame of "
        "pandas, polars, pyarrow (a Table), DuckDB, PySpark, Dask or Ibis"
    )
    assert refusal(pl.Series([1])).startswith("a polars.series.series.Series is no table; ")
    assert refusal(pa.table({"a": pa.array([], pa.int64())})) == "the table has columns but no rows"
    assert refusal(pl.LazyFrame({"a": []})) == "the table has columns but no rows"
    twice = "column 'a' appears twice in the table; give each column its own name"
    assert refusal(pa.table([[1], [2]], names=["a", "a"])) == twice
    assert refusal(pd.DataFrame([[1, 2]], columns=["a", "a"])) == twice
    assert refusal(pd.DataFrame([[1, 2]])) == "column name 0 is not text; rename the columns to text"


NESTED = "is a list or a structure; only columns of single values can be measured"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (pa.array([[1], [2]]), NESTED),
        (pa.array([{"k": 1}, {"k": 2}]), NESTED),
        (pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())), NESTED),
        (
            pa.array([b"secret", b"x"]),
            "holds binary data; only numbers, text, dates and truth values can be measured",
        ),
        (pa.array([1, 2], pa.time64("us")), "holds times of day; read it as text (text)"),
        (pa.array([1, 2], pa.duration("us")), "holds durations; read it as text (text)"),
        (
            pa.array([1.0, float("inf")]),
            "holds infinite numbers; read it as text (text), or take them out",
        ),
        (
            pa.array([1, 2], pa.timestamp("ns")),
            "holds times finer than a microsecond; read it as text (text)",
        ),
    ],
)
def test_a_column_that_cannot_be_measured_is_refused_when_it_is_needed(
    tmp_path: Path, cells: pa.Array, reason: str
) -> None:
    frame = pa.table({"s": [1, 2], "x": cells})
    path = tmp_path / "t.parquet"
    pq.write_table(frame, path)
    sources: list[object] = [frame]
    if not pa.types.is_duration(cells.type):  # Parquet has no durations, only their numbers
        sources.append(path)
    if not pa.types.is_map(cells.type):
        sources.append(pl.from_arrow(frame).lazy())
    for source in sources:
        table = open_table(source)
        assert table.joint_range(Roles(sensitive=("s",), public=("s",))).joint.pairs == 2
        with pytest.raises(ColumnError) as refused:
            table.joint_range(Roles(sensitive=("s",), public=("x",)))
        assert str(refused.value) == f"column 'x' {reason}"


def test_a_frame_column_of_mixed_kinds_is_refused() -> None:
    import pandas as pd

    table = open_table(pd.DataFrame({"s": [1, 2], "x": [1, "secret"]}))
    with pytest.raises(ColumnError, match="column 'x' mixes kinds of values; make them one kind first"):
        table.joint_range(Roles(sensitive=("s",), public=("x",)))


ZONED = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
MIXED = "mixes kinds of values; make them one kind first"
FINE = "holds times finer than a microsecond; turn it into text first"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (
            [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5)],
            "mixes kinds of values; make them one kind first",
        ),
        ([dt.datetime(2020, 1, 1), ZONED], MIXED),
        ([ZONED, dt.datetime(2020, 1, 1)], MIXED),
        ("nanosecond", FINE),
        ("period", "is of type pandas.period; turn it into text, numbers or dates first"),
    ],
)
def test_what_arrow_would_change_in_a_pandas_column_is_refused(cells: Any, reason: str) -> None:
    import pandas as pd

    if cells == "nanosecond":
        cells = [pd.Timestamp("2020-01-01 00:00:00.000000001"), None]
    column = (
        pd.period_range("2020-01", periods=2, freq="M")
        if cells == "period"
        else pd.Series(cells, dtype=object)
    )
    frames = [pd.DataFrame({"s": [1, 2], "x": column})]
    if reason != FINE and cells != "period":
        frames.append(pd.DataFrame({"s": [1, 2], "x": pd.Categorical(cells)}))
    for frame in frames:
        with pytest.raises(ColumnError) as refused:
            open_table(frame).joint_range(Roles(sensitive=("s",), public=("x",)))
        assert str(refused.value) == f"column 'x' {reason}"


def test_decimals_of_more_digits_than_the_engine_holds_are_refused_from_every_file(tmp_path: Path) -> None:
    numbers = pa.array([Decimal(10**60), Decimal(10**60 + 1)], pa.decimal256(76, 0))
    frame = pa.table({"s": [1, 2], "x": numbers})
    pq.write_table(frame, tmp_path / "t.parquet")
    feather.write_feather(frame, tmp_path / "t.arrow")
    for source in (frame, tmp_path / "t.parquet", tmp_path / "t.arrow"):
        with pytest.raises(ColumnError, match="'x' holds decimals of more than 38 digits; turn it into text"):
            open_table(source).joint_range(Roles(sensitive=("s",), public=("x",)))


def test_a_json_column_of_mixed_kinds_needs_the_user_to_decide(tmp_path: Path) -> None:
    path = tmp_path / "t.ndjson"
    path.write_text('{"s": 1, "x": 1}\n{"s": 2, "x": "1"}\n')
    roles = Roles(sensitive=("s",), public=("x",))
    with pytest.raises(ColumnError, match=r"column 'x' mixes kinds of values; read it as text \(text\)"):
        open_table(path).joint_range(roles)
    as_text = open_table(path, ReadOptions(text=("x",))).joint_range(roles).joint
    assert as_text.public.labels() == ["1"]


def test_absent_columns_are_named_with_the_nearest() -> None:
    frame = pa.table({"age": [1], "chol": [2]})
    with pytest.raises(ColumnError, match=r"^no column 'agee'; did you mean 'age'\?$"):
        open_table(frame).joint_range(Roles(sensitive=("agee",), public=("chol",)))
    with pytest.raises(ColumnError, match=r"^no column 'weight'; the table has 'age', 'chol'$"):
        open_table(frame, ReadOptions(text=("weight",)))


def test_a_declared_number_that_is_none_is_refused_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('s,x\n1,"a\nb"\n007,2\nsecret,3\n')
    table = open_table(path, ReadOptions(number=("s",)))
    with pytest.raises(ColumnError) as refused:
        table.joint_range(Roles(sensitive=("s",), public=("x",)))
    assert str(refused.value) == "column 's' is to be a number, but line 5 holds something else"
    frame = pa.table({"s": ["1", "secret"], "d": pa.array([1, 2], pa.date32())})
    with pytest.raises(ColumnError, match="column 's' is to be a number, but row 2 holds something else"):
        _ = open_table(frame, ReadOptions(number=("s",))).columns
    with pytest.raises(ColumnError, match="column 'd' is a date; only text can be declared a number"):
        _ = open_table(frame, ReadOptions(number=("d",))).columns
    path.write_text("s\n" + "1" * 39 + "\n")
    with pytest.raises(ColumnError, match="column 's' holds numbers of more than 38 digits"):
        _ = open_table(path, ReadOptions(number=("s",))).columns


def test_rows_that_all_lack_a_value_leave_nothing_to_measure() -> None:
    table = open_table(pa.table({"s": [1, None], "x": [None, 1]}))
    with pytest.raises(TableError, match="every row has a missing value"):
        table.joint_range(Roles(sensitive=("s",), public=("x",)), missing="drop")


def test_options_of_missing_values_are_checked() -> None:
    table = open_table(pa.table({"s": [1, None], "x": ["a", None]}))
    roles = Roles(sensitive=("s",), public=("x",))
    with pytest.raises(OptionError, match="choose 'value' or 'drop'"):
        table.joint_range(roles, missing="keep")  # type: ignore[arg-type]
    with pytest.raises(ColumnError, match="no public column is a number"):
        table.joint_range(roles, missing_at=3)
    with pytest.raises(OptionError, match="must be a finite number, not nan"):
        table.joint_range(roles, missing_at=float("nan"))
