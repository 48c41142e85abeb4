"""Long reads: an estimate before, progress while, a memory limit that is kept, and nothing left after."""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from rich.console import Console
from rich.progress import Progress

from hartley import release, verify
from hartley.cli.progress import heard_on
from hartley.model.demand import Target
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.engine import on_progress
from hartley.tables.estimate import estimate

ROWS, VALUES = 3_600_000, 400_000
COLUMNS = ("-s", "s", "-p", "x")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose pairs take more than a hundred megabytes to count, and come back ten times each."""
    path = tmp_path_factory.mktemp("large") / "t.parquet"
    key = f"(i % {VALUES})"
    duckdb.sql(
        f"COPY (SELECT 's' || hash({key}) % 1000 AS s, md5({key}::VARCHAR) || md5({key}::VARCHAR) AS x "
        f"FROM range({ROWS}) t(i)) TO '{path}'"
    )
    return path


def hartley(scratch: Path, *arguments: object, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "hartley", *map(str, arguments)],
        env={**os.environ, "TMPDIR": str(scratch)},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more},
    )


def rest_shown(terminal: int) -> bytes:
    """What is shown on a terminal until its process ends."""
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            os.close(terminal)
            return shown


def spilled(scratch: Path) -> int:
    """How many bytes there are in the scratch folder; files and folders may vanish meanwhile."""
    total = 0
    for folder, _, names in os.walk(scratch):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.stat(os.path.join(folder, name)).st_size
    return total


def peak_megabytes(process: subprocess.Popen[str]) -> int:
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) // 1000 for line in status.splitlines() if line.startswith("VmHWM"))


def test_an_estimate_comes_from_metadata(large: Path, tmp_path: Path) -> None:
    found = estimate(large)
    assert found is not None
    assert (found.rows, found.bytes) == (ROWS, large.stat().st_size)
    text = tmp_path / "t.csv"
    text.write_text("a,b\n1,2\n")
    plain = estimate(str(text))
    assert plain is not None
    assert (plain.rows, plain.bytes) == (None, 8)
    assert estimate(pa.table({"a": [1]})) is None
    assert estimate(tmp_path / "absent.csv") is None
    database = tmp_path / "t.db"
    database.write_bytes(b"0" * 40_000_000)
    assert str(estimate(f"sqlite:///{database}")) == "40 MB; reading takes about 2 seconds"


def test_a_long_read_tells_how_far_it_has_come(large: Path) -> None:
    seen: list[float] = []
    on_progress(seen.append)
    try:
        table = open_table(large, ReadOptions(memory_limit="64MB"))
        table.range_summary(Roles(sensitive=("s",), public=("x",)))
    finally:
        on_progress(None)
    table.close()
    assert seen
    assert all(0 <= percent <= 100 for percent in seen)
    assert seen[-1] == 100


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
    assert found is not None
    assert (found.summary.pairs, found.summary.rows) == (256, 500_000)
    assert seen == sorted(seen)
    assert len(seen) > 2
    assert seen[-1] == 100


def test_a_memory_limit_is_kept_by_spilling_and_the_spill_is_removed(large: Path, tmp_path: Path) -> None:
    process = hartley(tmp_path, "audit", large, *COLUMNS, "--memory-limit", "64MB", "--json")
    most_spilled = most_memory = 0
    while process.poll() is None:
        most_spilled = max(most_spilled, spilled(tmp_path))
        most_memory = max(most_memory, peak_megabytes(process))
        time.sleep(0.02)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    found = json.loads(out)
    assert (found["rows"], found["pairs"], found["row_k"]) == (ROWS, VALUES, ROWS // VALUES)
    assert most_spilled > 20_000_000
    # Python with its packages takes about 120 MB before anything is read.
    assert most_memory < 64 + 200
    assert not list(tmp_path.iterdir())


def test_a_memory_limit_that_is_too_small_is_one_line_and_leaves_nothing(large: Path, tmp_path: Path) -> None:
    process = hartley(tmp_path, "audit", large, *COLUMNS, "--memory-limit", "32MB")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert err == "hartley: a memory limit of 32MB is too small for this table; give more (--memory-limit)\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "number", "code"),
    [
        ("audit", signal.SIGINT, 130),
        ("audit", signal.SIGTERM, 128 + signal.SIGTERM),
        ("frontier", signal.SIGINT, 130),
        ("release", signal.SIGTERM, 128 + signal.SIGTERM),
    ],
)
def test_a_read_that_is_interrupted_ends_in_one_line_and_leaves_nothing(
    large: Path, tmp_path: Path, command: str, number: int, code: int
) -> None:
    scratch, target = tmp_path / "scratch", tmp_path / "target"
    scratch.mkdir()
    target.mkdir()
    more = [target / "out.parquet", "--distinct-l", "2"] if command == "release" else []
    process = hartley(scratch, command, large, *more[:1], *COLUMNS, *more[1:], "--memory-limit", "64MB")
    end = time.monotonic() + 100
    while not spilled(scratch) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert process.poll() is None, "the read was over before it could be interrupted"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, "")
    assert err.splitlines()[-1] == "hartley: interrupted; nothing was written"
    assert not list(scratch.iterdir())
    assert not list(target.iterdir())


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".feather"])
def test_release_and_verifier_tell_how_far_they_have_come(tmp_path: Path, ending: str) -> None:
    rows = pa.table({"x": [row % 40 for row in range(500)], "s": [row * 7 % 5 for row in range(500)]})
    told: list[tuple[int, int, str]] = []
    made = release(
        rows,
        tmp_path / f"out{ending}",
        target=Target("distinct_l", 2),
        sensitive="s",
        public="x",
        progress=lambda *heard: told.append(heard),
    )
    for check in (
        lambda: None,
        lambda: verify(
            made.output,
            original=rows,
            policy=made.policy,
            certificate=made.certificate,
            progress=lambda *heard: told.append(heard),
        ),
    ):
        check()
        verified = [(done, total) for done, total, what in told if what == "verifying"]
        assert verified == sorted(verified)
        assert verified[0] < verified[-1]
        assert verified[-1][0] in (verified[-1][1], verified[-1][1] - 1)  # a header is taken for a row
        told.clear()


def test_a_terminal_shows_how_far_the_verifier_has_come(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    lines = (f"{row * 31 % 97},{row % 7}" for row in range(500))
    source.write_text("\n".join(["x,s", *lines]) + "\n")
    made = release(
        source,
        tmp_path / "out.csv",
        target=Target("largest_cluster", 4),
        sensitive="s",
        public="x",
        search="greedy",
    )
    ours, theirs = pty.openpty()
    # However short the work, it counts as long here: the last picture of the bar is always drawn.
    patient = "from hartley.cli import main, progress; progress.SHOW_AFTER = -1; main()"
    asked = ["verify", str(made.output), "--original", str(source), "--policy", str(made.policy)]
    process = subprocess.Popen(
        [sys.executable, "-c", patient, *asked],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        stdin=theirs,
    )
    os.close(theirs)
    shown = rest_shown(ours)
    assert process.wait(timeout=60) == 0
    assert b"verifying" in shown
    assert b"100%" in shown


def test_work_is_shown_from_half_a_second_on() -> None:
    clock, screen = [0.0], io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    with Progress(console=console, auto_refresh=False, get_time=lambda: clock[-1]) as bar:
        heard = heard_on(bar)
        for now, is_shown in ((0.1, False), (0.4, False), (0.6, True)):
            clock.append(now)
            heard(1, 4, "verifying")
            bar.refresh()
            assert ("verifying" in screen.getvalue()) is is_shown
    assert "25%" in screen.getvalue()


@pytest.mark.parametrize("command", ["audit", "frontier", "compare", "report"])
def test_every_command_shows_a_bar_while_it_reads_on_a_terminal(
    large: Path, tmp_path: Path, command: str
) -> None:
    ours, theirs = pty.openpty()
    more = ["-o", tmp_path / "r.html"] if command == "report" else []
    process = hartley(
        tmp_path,
        *(command, large, *COLUMNS, *more, "--memory-limit", "64MB"),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        stdin=theirs,
    )
    os.close(theirs)
    shown, end = b"", time.monotonic() + 100
    while b"reading" not in shown and time.monotonic() < end:
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    shown += rest_shown(ours)
    assert process.wait(timeout=60) == 130
    assert b"reading" in shown
    assert b"%" in shown
    assert not list(tmp_path.iterdir())
