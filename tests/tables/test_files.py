"""Kinds of files: what each one says, and what is refused."""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from hartley import release, scratch
from hartley.errors import InputError, OptionError
from hartley.model.demand import Target
from hartley.scratch import PREFIX, remove_abandoned
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.counting.fetch_range import RangeRead

FRAME = pa.table({"s": [1, 2, 2, 3], "x": ["a", "b", "é", None]})
ROLES = Roles(sensitive=("s",), public=("x",))
CSV = b"s,x\n1,a\n2,b\n2,\xc3\xa9\n3,\n"


def read(source: object, **options: object) -> RangeRead:
    table = open_table(source, ReadOptions(**options))
    try:
        return table.joint_range(ROLES)
    finally:
        table.close()


def refusal(source: object, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(source, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def zstd(data: bytes) -> bytes:
    return pa.compress(data, "zstd", asbytes=True)


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("zst", zstd)]
)
def test_packed_text_is_the_text(tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]) -> None:
    (tmp_path / f"t.csv.{ending}").write_bytes(pack(CSV))
    (tmp_path / f"t.jsonl.{ending}").write_bytes(
        pack('{"s":1,"x":"a"}\n{"s":2,"x":"b"}\n{"s":2,"x":"é"}\n{"s":3}\n'.encode())
    )
    assert read(tmp_path / f"t.csv.{ending}") == read(FRAME)
    assert read(tmp_path / f"t.jsonl.{ending}") == read(FRAME)
    damaged = tmp_path / f"d.csv.{ending}"
    damaged.write_bytes(pack(CSV * 100)[:-7])
    assert "the compressed file is damaged" in refusal(damaged)


@pytest.mark.parametrize("ending", ["arrow", "feather", "ipc"])
@pytest.mark.parametrize("compression", ["lz4", "zstd", "uncompressed"])
def test_arrow_files(tmp_path: Path, ending: str, compression: str) -> None:
    path = tmp_path / f"t.{ending}"
    feather.write_feather(FRAME, path, compression=compression)
    assert read(path) == read(FRAME)


def test_arrow_files_of_odd_types_are_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    odd = FRAME.set_column(0, "s", FRAME["s"].cast(pa.float16()))
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, odd.schema) as writer:
        writer.write_table(odd)
    assert read(path) == read(FRAME)


def test_a_damaged_arrow_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    feather.write_feather(FRAME, path)
    path.write_bytes(path.read_bytes()[:-9])
    assert refusal(path).startswith("t.arrow: the file is not an Arrow file")


def test_many_files_are_one_table(tmp_path: Path) -> None:
    for place, (start, stop) in enumerate(((0, 1), (1, 4))):
        piece = FRAME.slice(start, stop - start)
        pq.write_table(piece, tmp_path / f"p{place}.parquet")
        feather.write_feather(piece, tmp_path / f"p{place}.arrow")
        lines = CSV.split(b"\n")[1:-1]
        (tmp_path / f"p{place}.csv").write_bytes(b"s,x\n" + b"\n".join(lines[start:stop]) + b"\n")
    (tmp_path / "p0.jsonl").write_text('{"s":1,"x":"a"}\n')
    (tmp_path / "p1.jsonl").write_text('{"s":2,"x":"b"}\n{"s":2,"x":"é"}\n{"s":3,"x":null}\n')
    for ending in ("parquet", "arrow", "csv", "jsonl"):
        assert read(tmp_path / f"p*.{ending}") == read(FRAME), ending
        assert read(str(tmp_path / f"p?.{ending}")) == read(FRAME), ending
    assert (
        refusal(tmp_path / "p*")
        == f"{str(tmp_path / 'p*')!r} fits files of several kinds; let the pattern name one kind"
    )
    assert refusal(tmp_path / "q*.csv").startswith("no file fits")


def test_many_files_of_different_columns_are_refused(tmp_path: Path) -> None:
    other = FRAME.rename_columns(["s", "y"])
    for place, frame in enumerate((FRAME, other)):
        pq.write_table(frame, tmp_path / f"p{place}.parquet")
        feather.write_feather(frame, tmp_path / f"p{place}.arrow")
    (tmp_path / "p0.csv").write_bytes(CSV)
    (tmp_path / "p1.csv").write_bytes(CSV.replace(b"s,x", b"s,y"))
    (tmp_path / "p0.jsonl").write_text('{"s":1,"x":"a"}\n')
    (tmp_path / "p1.jsonl").write_text('{"s":1,"y":"a"}\n')
    for ending in ("parquet", "arrow", "csv"):
        assert refusal(tmp_path / f"p*.{ending}").startswith(
            f"p1.{ending} has other columns than p0.{ending}"
        )
    assert "the files have different columns" in refusal(tmp_path / "p*.jsonl")


def test_many_parquet_files_of_different_types_are_refused(tmp_path: Path) -> None:
    pq.write_table(FRAME, tmp_path / "p0.parquet")
    pq.write_table(FRAME.set_column(0, "s", FRAME["s"].cast(pa.float64())), tmp_path / "p1.parquet")
    assert "or of other types" in refusal(tmp_path / "p*.parquet")


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a[1].csv").write_bytes(CSV)
    (tmp_path / "a1.csv").write_bytes(b"other\n1\n")
    assert read(tmp_path / "a[1].csv") == read(FRAME)


def test_the_line_of_a_wrong_cell_is_named_in_many_files(tmp_path: Path) -> None:
    (tmp_path / "p0.csv").write_bytes(b"s,x\n1,1\n")
    (tmp_path / "p1.csv").write_bytes(b"s,x\n1,2\n1,secret\n")
    message = refusal(tmp_path / "p*.csv", number=("x",))
    assert message == "column 'x' is to be a number, but line 3 of p1.csv holds something else"


def workbook(path: Path, rows: list[list[object]], **sheets: list[list[object]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for name, more in sheets.items():
        sheet = book.create_sheet(name)
        for row in more:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_is_what_its_cells_are(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    rows: list[list[object]] = [
        ["n", "t", "d", "m", "b", "mixed"],
        [1.5, "007", dt.date(2024, 2, 29), dt.datetime(2024, 1, 1, 2, 3, 4), True, 1],
        [2, "7", None, dt.datetime(1960, 1, 1), False, "x"],
    ]
    table = open_table(workbook(tmp_path / "t.xlsx", rows, more=[["s", "x"], [1, "a"]]))
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds == {"n": "number", "t": "text", "d": "date", "m": "timestamp", "b": "boolean", "mixed": None}
    joint = table.joint_range(Roles(sensitive=("t",), public=("m",))).joint
    assert joint.sensitive.labels() == ["007", "7"]
    assert joint.public.labels() == [dt.datetime(1960, 1, 1), dt.datetime(2024, 1, 1, 2, 3, 4)]
    mixed = open_table(tmp_path / "t.xlsx", ReadOptions(text=("mixed",)))
    assert mixed.joint_range(Roles(sensitive=("n",), public=("mixed",))).joint.public.labels() == ["1", "x"]
    sheet = open_table(tmp_path / "t.xlsx", ReadOptions(sheet="more"))
    assert sheet.column_names == ("s", "x")


def test_cells_of_a_workbook_without_a_value_are_not_taken_for_missing(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    path = workbook(
        tmp_path / "t.xlsx",
        [["s", "x", "error"], [1, "=1+1", "#N/A"], [2, None, "b"]],
        **{"a & b": [["s", "x"], [1, "=2"], [2, "c"]]},
    )
    formula = "column 'x' holds formulas that were never computed"
    assert refusal(path).startswith(formula)
    assert refusal(path, text=("x",)).startswith(formula)
    assert refusal(path, sheet="a & b").startswith(formula)
    table = open_table(path, ReadOptions(text=("error",)))
    with pytest.raises(InputError, match="column 'error' holds errors such as #N/A"):
        table.joint_range(Roles(sensitive=("s",), public=("error",)))
    assert table.joint_range(Roles(sensitive=("s",), public=("s",))).joint.pairs == 2


def test_bad_workbooks_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    good = workbook(tmp_path / "t.xlsx", [["s", "x"], [1, "a"]])
    assert refusal(good, sheet="none") == "t.xlsx has no sheet 'none'; it has 'Sheet'"
    (tmp_path / "no.xlsx").write_text("hello")
    assert refusal(tmp_path / "no.xlsx") == "no.xlsx: the file is not a workbook that can be read"
    assert "appears twice" in refusal(workbook(tmp_path / "d.xlsx", [["s", "s"], [1, 2]]))
    assert "column 2 has no name" in refusal(workbook(tmp_path / "e.xlsx", [["s", None], [1, 2]]))
    assert "header but no rows" in refusal(workbook(tmp_path / "h.xlsx", [["s", "x"]]))
    assert "the sheet is empty" in refusal(workbook(tmp_path / "z.xlsx", []))


def test_a_sheet_with_a_cell_far_away_does_not_take_the_memory_of_all_between(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    path = workbook(tmp_path / "t.xlsx", [["s", "x"], [1, "a"]], far=[["s", "x"], [1, "b"], [2, "b"]])
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(path)
    book["far"]["XFD1048576"] = 1
    book.save(path)
    assert read(path).joint.public.labels() == ["a"]
    assert "nearly empty and reaches to row 1,048,576" in refusal(path, sheet="far")


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_labelled_files_give_codes_and_keep_labels(tmp_path: Path, ending: str) -> None:
    statistics = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"s": [1.0, 2.0, 2.0, 3.0], "x": ["a", "b", "é", ""]})
    path = tmp_path / f"t.{ending}"
    write = statistics.write_dta if ending == "dta" else statistics.write_sav
    write(
        frame,
        str(path),
        column_labels={"s": "Finding"},
        variable_value_labels={"s": {1: "none", 2: "some"}},
    )
    assert read(path) == read(FRAME)
    labels = open_table(path).source.labels
    assert labels is not None
    assert labels.of_values == {"s": {1: "none", 2: "some"}}


def test_stata_files_with_extended_missing_values(tmp_path: Path) -> None:
    statistics = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"s": [1, 2, "a"], "x": ["a", "b", "c"]})
    statistics.write_dta(frame, str(tmp_path / "t.dta"), missing_user_values={"s": ["a"]})
    assert refusal(tmp_path / "t.dta").startswith("column 's' holds extended missing values")


def test_codes_that_spss_declares_missing_are_values(tmp_path: Path) -> None:
    statistics = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"s": [1.0, -9.0], "x": ["a", "b"]})
    statistics.write_sav(frame, str(tmp_path / "t.sav"), missing_ranges={"s": [-9]})
    assert open_table(tmp_path / "t.sav").joint_range(ROLES).joint.sensitive.labels() == [-9, 1]


def test_a_name_that_stands_twice_in_a_labelled_file_is_refused(tmp_path: Path) -> None:
    statistics = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "t.sav"
    statistics.write_sav(pandas.DataFrame({"age": [1.0], "agf": [2.0]}), str(path))
    path.write_bytes(path.read_bytes().replace(b"=agf", b"=age"))
    assert refusal(path) == "t.sav: a column appears twice; give each column its own name"


def test_damaged_labelled_files_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    (tmp_path / "t.dta").write_text("hello")
    (tmp_path / "t.sav").write_text("hello")
    assert refusal(tmp_path / "t.dta") == "t.dta: the file is not a Stata file that can be read"
    assert refusal(tmp_path / "t.sav") == "t.sav: the file is not a SPSS file that can be read"


@pytest.mark.parametrize("size", ["2", "a lot", "-1GB", "2 gigabytes", "1KB"])
def test_a_memory_limit_must_be_a_size(size: str) -> None:
    with pytest.raises(OptionError):
        ReadOptions(memory_limit=size)


def test_a_memory_limit_that_is_too_small_is_a_clear_error(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "t.parquet"
    wide = "repeat(md5(i::VARCHAR), 4000)"
    duckdb.sql(f"COPY (SELECT i AS s, {wide} AS x FROM range(3000) t(i)) TO '{path}'")
    message = refusal(path, memory_limit="33MB")
    assert message == "a memory limit of 33MB is too small for this table; give more (memory_limit)"


def test_the_scratch_folder_of_a_killed_process_is_removed_by_the_next(tmp_path: Path) -> None:
    code = (
        "import os, signal; from hartley.scratch import scratch_folder; "
        "(scratch_folder() / 'spill').write_text('x'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == -signal.SIGKILL
    assert list(tmp_path.glob(PREFIX + "*"))
    remove_abandoned(tmp_path)
    assert not list(tmp_path.glob(PREFIX + "*"))


def test_the_scratch_folder_of_a_living_process_is_left_alone() -> None:
    table = open_table(FRAME)
    remove_abandoned(Path(tempfile.gettempdir()))
    assert table.joint_range(ROLES).joint.pairs == 4
    assert list(Path(tempfile.gettempdir()).glob(PREFIX + "*"))


@pytest.mark.parametrize("name", ["~t", "file:t", "s3:t", "http:t"])
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_a_name_that_means_something_elsewhere_is_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write = {".csv": lambda _, path: Path(path).write_bytes(CSV), ".parquet": pq.write_table}
    write.get(ending, feather.write_feather)(FRAME, tmp_path / f"{name}{ending}")
    assert read(f"{name}{ending}").joint.pairs == 4
    made = release(
        f"{name}{ending}",
        f"{name}.out{ending}",
        target=Target("largest_cluster", 2),
        sensitive="s",
        public="x",
        utility="resolution",
    )
    assert made.verification.holds
    assert made.output.exists()


@pytest.mark.parametrize("encoding", ["rot13", "hex", "base64", "zlib", "utf-8x", "utf-8\0"])
def test_what_is_no_encoding_of_text_is_refused(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(CSV)
    with pytest.raises(OptionError, match="unknown encoding"):
        read(path, encoding=encoding)


def test_a_file_of_a_byte_order_mark_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf")
    with pytest.raises(InputError, match="the file is empty"):
        read(path)


def test_json_lines_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"s": 1, "x": "a"}\n{"s": 2, "x": "b"}\n')
    assert read(path).joint.pairs == 2
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read(packed).joint.pairs == 2


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    os.mkfifo(path)
    with pytest.raises(InputError, match="is no file but a pipe"):
        read(path)


@pytest.mark.parametrize("moment", ["before it is locked", "while it is locked"])
def test_a_scratch_folder_that_another_process_takes_for_abandoned_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    lock, taken = scratch.hold_lock, []

    def taken_first(file: int) -> None:
        if not taken:
            (folder,) = tmp_path.glob(PREFIX + "*")
            taken.append(folder)
            shutil.rmtree(folder)
            if moment == "while it is locked":
                raise BlockingIOError
        lock(file)

    monkeypatch.setattr(scratch, "hold_lock", taken_first)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_home", None)
    folder = scratch.scratch_folder()
    assert folder.is_dir()
    assert taken[0] not in folder.parents
