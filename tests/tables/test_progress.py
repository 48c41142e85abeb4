"""Long reads: an estimate before, progress while, and nothing left after Ctrl-C."""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hartley.tables import Roles, open_table
from hartley.tables.engine import on_progress
from hartley.tables.estimate import estimate
from hartley.tables.scratch import PREFIX


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "t.parquet"
    duckdb.sql(
        f"COPY (SELECT hash(i) % 1000 AS s, 'p' || hash(i) % 5000000 AS x "
        f"FROM range(18000000) t(i)) TO '{path}'"
    )
    return path


def test_an_estimate_comes_from_metadata(large: Path, tmp_path: Path) -> None:
    found = estimate(large)
    assert found is not None
    assert (found.rows, found.bytes) == (18_000_000, large.stat().st_size)
    text = tmp_path / "t.csv"
    text.write_text("a,b\n1,2\n")
    plain = estimate(str(text))
    assert plain is not None
    assert (plain.rows, plain.bytes) == (None, 8)
    assert estimate("postgresql://host/db") is None
    assert estimate(pa.table({"a": [1]})) is None
    assert estimate(tmp_path / "absent.csv") is None


def test_a_long_read_tells_how_far_it_has_come(large: Path) -> None:
    seen: list[float] = []
    on_progress(seen.append)
    try:
        table = open_table(large)
        table.range_summary(Roles(sensitive=("s",), public=("x",)))
    finally:
        on_progress(None)
    table.close()
    assert seen
    assert all(0 <= percent <= 100 for percent in seen)


def test_codes_that_stream_by_are_counted_as_progress() -> None:
    rows = pa.table({"s": pa.array(range(500_000)), "x": pa.array(range(500_000))})
    few = rows.set_column(0, "s", pc.bit_wise_and(rows["s"], 7)).set_column(
        1, "x", pc.bit_wise_and(rows["x"], 255)
    )
    seen: list[float] = []
    on_progress(seen.append)
    try:
        table = open_table(few)
        found = table.range_summary(Roles(sensitive=("s",), public=("x",)))
    finally:
        on_progress(None)
    table.close()
    assert (found.summary.pairs, found.summary.rows) == (256, 500_000)
    assert seen == sorted(seen)
    assert len(seen) > 2
    assert seen[-1] == 100


def test_ctrl_c_ends_a_read_in_one_line_and_leaves_nothing(large: Path, tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "hartley",
            "audit",
            str(large),
            "-s",
            "s",
            "-p",
            "x",
            "--memory-limit",
            "400MB",
        ],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while not list(folder.glob(f"{PREFIX}*/*/*")) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert process.poll() is None, "the read was over before it could be interrupted"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "hartley: interrupted; nothing was written"
    assert not list(folder.iterdir())
