"""Rows of the guard for what users type: `hartley` itself, by the shell, on tables made anew.

Each row is a command with its CPU seconds and memory, a growth between two sizes, or a ratio beside a rival
in the same minutes. One family is drawn anew in each run and printed, so that nobody chose it.
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from math import log
from pathlib import Path
from typing import Any, Protocol

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from meter import Cost

EIGHT = [f"c{number}" for number in range(8)]
KINDS = ("whole", "decimal", "date", "text")
GREEDY = ("--search", "greedy")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DRAWN_GROWTH = 1.35
"""The exponent that a family drawn at random may have; sorting alone has more than one."""
LIMIT = ("--memory-limit", "1GB")
COUNT = "select min(n), sum(c) from (select x, count(distinct s) n, count(*) c from {} group by x)"
BARE_COUNT = f"import duckdb, sys; duckdb.sql({COUNT!r}.format(repr(sys.argv[1]))).fetchall()"


class Goals(Protocol):
    """What prints figures beside their goals."""

    def say(self, what: str, found: float, goal: float, unit: str, more: str = "") -> None:
        """Print one figure."""


def spent(command: Sequence[str]) -> Cost:
    """Return what a command costs, with all that it starts; end with what it says where it fails."""
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = started.stdout.read() if started.stdout else ""
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {said[-2000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 2**30)


def hartley(*arguments: str | Path) -> Cost:
    """Return what hartley costs."""
    return spent([sys.executable, "-m", "hartley", *map(str, arguments)])


def publish(path: Path, public: Sequence[str], *more: str, level: int = 5) -> Cost:
    """Return what a release of a table costs, from reading to verifying."""
    named = [word for name in public for word in ("-p", name)]
    out = path.with_name("released.csv")
    return hartley("release", path, out, "-s", "s", *named, "--distinct-l", str(level), "--overwrite", *more)


def made(path: Path, columns: Mapping[str, Any]) -> Path:
    """Write a table, Parquet or CSV by its name."""
    table = pa.table(dict(columns))
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.parquet.write_table(table, path)
    return path


def eight(folder: Path, rows: int) -> Path:
    """Write a table of eight unrelated public columns."""
    rng = np.random.default_rng(rows)
    columns = {name: rng.integers(0, 100, rows) for name in EIGHT}
    return made(folder / f"eight-{rows}.parquet", columns | {"s": rng.integers(0, 50, rows)})


def persons(folder: Path, count: int) -> Path:
    """Write a table of three rows a person."""
    rng = np.random.default_rng(count)
    ages = np.repeat(rng.integers(18, 90, count), 3) + np.tile([0, 1, 2], count)
    who = np.repeat(np.arange(count), 3)
    columns = {"id": who, "x": ages, "s": rng.integers(0, 50, 3 * count)}
    return made(folder / f"persons-{count}.parquet", columns)


def values_of(kind: str, rng: np.random.Generator, rows: int, different: int) -> Any:
    """Return cells of a kind, at most so many of them different."""
    codes = rng.permutation(rows) if different >= rows else rng.integers(0, different, rows)
    if kind == "decimal":
        return rng.random(max(different, rows))[codes] * 1000
    if kind == "date":
        return np.datetime64("1950-01-01T00:00:00", "s") + codes * np.timedelta64(137, "s")
    if kind == "text":
        return ["".join(LETTERS[code // 26**place % 26] for place in range(5)) for code in codes.tolist()]
    return codes


def growth(goals: Goals, what: str, work: Callable[[int], Cost], sizes: tuple[int, int], goal: float) -> None:
    """Print the exponent by which the time grows between two sizes; what starting costs is left out."""
    start = hartley("--version").seconds
    small, large = (work(size) for size in sizes)
    grown = log(max(large.seconds - start, 0.01) / max(small.seconds - start, 0.01)) / log(
        sizes[1] / sizes[0]
    )
    goals.say(
        f"{what}: growth from {sizes[0]:,} to {sizes[1]:,}", grown, goal, "exponent",
        f"; {small.seconds:.1f} s, {large.seconds:.1f} s, {large.gigabytes:.2f} GB",
    )  # fmt: skip


def check_labels(folder: Path, goals: Goals) -> None:
    """Measure labels of far-apart values, whose middles collide, beside the frontier and a bare join."""
    rng = np.random.default_rng(1)
    rows = 2_000_000
    path = made(
        folder / "labels.parquet", {"x": rng.integers(0, 10**5, rows), "s": rng.integers(0, 1000, rows)}
    )
    how = ("--utility", "resolution", *GREEDY)
    ours = publish(path, ["x"], *how)
    frontier = hartley("frontier", path, "-s", "s", "-p", "x", *how)
    joined = folder / "joined.csv"
    bare = (
        "import duckdb, sys; c = duckdb.connect(); t, o = map(repr, sys.argv[1:]); "
        "c.execute('create table b as select distinct x, x // 2 as y from ' + t); "
        "c.execute('copy (select b.y from ' + t + ' t join b using (x) order by random()) to ' + o); "
        "c.execute('select y, count(*) from ' + o + ' group by y').fetchall()"
    )
    rival = spent([sys.executable, "-c", bare, str(path), str(joined)])
    goals.say(
        f"labels of {rows:,} rows under resolution", ours.seconds / (frontier.seconds + rival.seconds), 1.5,
        "x", f" frontier and DuckDB's join; {ours.seconds:.1f} s, {ours.gigabytes:.2f} GB, frontier "
        f"{frontier.seconds:.1f} s, DuckDB {rival.seconds:.1f} s",
    )  # fmt: skip


def check_growth(folder: Path, goals: Goals) -> None:
    """Eight columns and persons: near-linear."""
    limited = ("--time-limit", "5")
    growth(
        goals, "eight columns", lambda n: publish(eight(folder, n), EIGHT, *limited), (20_000, 100_000), 1.2
    )
    linked = ("--person", "id")
    growth(goals, "persons", lambda n: publish(persons(folder, n), ["x"], *linked), (4_000, 100_000), 1.2)


def check_million(folder: Path, goals: Goals) -> None:
    """Measure a million different values of each kind, and a kept column."""
    rng, rows = np.random.default_rng(2), 1_000_000
    columns = {kind: values_of(kind, rng, rows, rows) for kind in KINDS if kind != "text"}
    columns |= {
        "x": rng.integers(0, 10_000, rows),
        "k": rng.integers(0, 3, rows),
        "s": rng.integers(0, 100, rows),
    }
    path = made(folder / "million.parquet", columns)
    took = {kind: publish(path, [kind], *GREEDY, level=20) for kind in columns if kind in KINDS}
    # Texts of which every row has its own are never published: each stands in two rows.
    texts = 2 * values_of("text", rng, rows, rows)
    twice = made(folder / "texts.parquet", {"text": texts, "s": rng.integers(0, 100, 2 * rows)})
    took["text"] = publish(twice, ["text"], *GREEDY, level=20)
    for kind, cost in took.items():
        memory = 2 if kind == "text" else 1.5
        goals.say(f"a million different values, {kind}", cost.seconds, 15, "s")
        goals.say(f"a million different values, {kind}: memory", cost.gigabytes, memory, "GB")
    goals.say("decimals beside whole numbers", took["decimal"].seconds / took["whole"].seconds, 1.5, "x")
    kept = publish(path, ["x"], "--keep", "k")
    goals.say("a kept column, a million rows", kept.seconds, 20, "s", f"; {kept.gigabytes:.2f} GB")


def check_audit(folder: Path, goals: Goals) -> None:
    """Audits beside DuckDB's bare count of the same file."""
    for rows, name, goal in ((10_000_000, "audit.csv", 2.0), (1_000_000, "audit.parquet", 4.0)):
        rng = np.random.default_rng(rows)
        columns = {"x": rng.integers(0, 10_000, rows), "s": rng.integers(0, 100, rows)}
        path = made(folder / name, columns)
        ours = hartley("audit", path, "-s", "s", "-p", "x")
        bare = spent([sys.executable, "-c", BARE_COUNT, str(path)])
        goals.say(
            f"{name} of {rows:,} rows", ours.seconds / bare.seconds, goal, "x DuckDB",
            f"; {ours.seconds:.2f} s, {ours.gigabytes:.2f} GB beside {bare.seconds:.2f} s",
        )  # fmt: skip
    rng = np.random.default_rng(3)
    wide = made(folder / "wide.csv", {f"c{place}": rng.integers(0, 5, 2000) for place in range(5000)})
    ours = hartley("audit", wide, "-s", "c0")
    goals.say("audit of 5,000 columns", ours.seconds, 20, "s", f"; {ours.gigabytes:.2f} GB")


def check_elsewhere(folder: Path, goals: Goals) -> None:
    """Audits of a packed file, of SQLite, and of DuckDB under a limit, beside their own bare counts."""
    rows, rng = 3_000_000, np.random.default_rng(4)
    columns = {"x": rng.integers(0, 10_000, rows), "s": rng.integers(0, 100, rows)}
    plain = made(folder / "elsewhere.csv", columns)
    packed = folder / "packed.csv.gz"
    with plain.open("rb") as source, gzip.open(packed, "wb", compresslevel=3) as target:
        shutil.copyfileobj(source, target)
    lite, duck = folder / "held.sqlite", folder / "held.duckdb"
    with closing(sqlite3.connect(lite)) as connection, connection:
        connection.execute("CREATE TABLE t (x INTEGER, s INTEGER)")
        cells = zip(columns["x"].tolist(), columns["s"].tolist(), strict=True)
        connection.executemany("INSERT INTO t VALUES (?, ?)", cells)
    with closing(duckdb.connect(str(duck))) as engine:
        engine.execute(f"CREATE TABLE t AS FROM read_csv({str(plain)!r}), range(4)")
    in_sqlite = f"import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute({COUNT.format('t')!r}).fetchall()"
    in_duckdb = f"import duckdb, sys; duckdb.connect(sys.argv[1]).execute({COUNT.format('t')!r}).fetchall()"
    for what, named, script, path in (
        ("CSV.gz", [packed], BARE_COUNT, packed),
        ("SQLite", [f"sqlite:///{lite}", "--query", "t"], in_sqlite, lite),
        (
            "DuckDB, four times the rows, --memory-limit 1GB",
            [f"duckdb:///{duck}", "--query", "t", *LIMIT],
            in_duckdb,
            duck,
        ),
    ):
        ours = hartley("audit", *named, "-s", "s", "-p", "x")
        bare = spent([sys.executable, "-c", script, str(path)])
        goals.say(
            f"audit of {what}, {rows:,} rows", ours.seconds / bare.seconds, 2, "x its own count",
            f"; {ours.seconds:.2f} s, {ours.gigabytes:.2f} GB beside {bare.seconds:.2f} s",
        )  # fmt: skip
        goals.say(f"audit of {what}: memory", ours.gigabytes, 1.25, "GB")


def check_wide_release(folder: Path, goals: Goals) -> None:
    """Publish twenty columns, four of them recoded; and a tree of eight columns."""
    rows, rng = 1_000_000, np.random.default_rng(5)
    columns = {f"c{place}": rng.integers(0, 20, rows) for place in range(4)}
    columns |= {f"h{place}": rng.integers(0, 1000, rows) for place in range(16)}
    path = made(folder / "twenty.parquet", columns | {"s": rng.integers(0, 50, rows)})
    beside = [word for place in range(16) for word in ("--harmless", f"h{place}")]
    tree = ("--shape", "tree")
    twenty = publish(path, EIGHT[:4], *tree, "--accept-exposure", *beside)
    goals.say("twenty columns, four of them recoded", twenty.seconds, 120, "s")
    goals.say("twenty columns: memory", twenty.gigabytes, 1.5, "GB")
    eighth = publish(eight(folder, 1_000_000), EIGHT, *tree, "--transparent", "strict")
    goals.say("a transparent tree, 1e6 x 8", eighth.seconds, 60, "s")
    goals.say("a transparent tree, 1e6 x 8: memory", eighth.gigabytes, 2.5, "GB")


def check_columns(folder: Path, goals: Goals) -> None:
    """Eight columns of a million rows; codebooks by column, and a frontier of several columns."""
    large = eight(folder, 1_000_000)
    by_column = ("--shape", "columns", "--withhold", "2%")
    for what, cost, seconds, memory in (
        ("any shape, 1e6 x 8", publish(large, EIGHT), 120, 2.5),
        ("codebooks by column, 1e6 x 8", publish(large, EIGHT, *by_column), 60, 1.5),
        ("codebooks by column, 1e5 x 4", publish(eight(folder, 100_000), EIGHT[:4], *by_column), 30, 1),
        (
            "frontier of four columns, 1e5 rows",
            hartley("frontier", eight(folder, 100_000), "-s", "s", *(f"-p{name}" for name in EIGHT[:4])),
            60,
            2.5,
        ),
    ):
        goals.say(what, cost.seconds, seconds, "s")
        goals.say(f"{what}: memory", cost.gigabytes, memory, "GB")


def check_drawn(folder: Path, goals: Goals) -> None:
    """Measure a family that nobody chose: its parameters are drawn in this run and printed."""
    seed = random.SystemRandom().randrange(10**6)
    draw = random.Random(seed)
    kind, utility = draw.choice(KINDS), draw.choice(("resolution", "distortion"))
    # A text of which every row has its own is never published.
    part = draw.choice((1, 3, 20, 300)[kind == "text" :])
    secrets, level = draw.choice((5, 40, 1000)), draw.choice((2, 3, 5))
    how = GREEDY if kind == "text" else ("--search", draw.choice(("optimal", "greedy")), "--utility", utility)

    def work(rows: int) -> Cost:
        rng = np.random.default_rng(seed)
        cells = values_of(kind, rng, rows, rows // part)
        path = made(folder / f"drawn-{rows}.parquet", {"x": cells, "s": rng.integers(0, secrets, rows)})
        return publish(path, ["x"], *how, level=level)

    what = (
        f"drawn by {seed}: {kind}, one value for {part} rows, {secrets} secrets, l = {level}, {' '.join(how)}"
    )
    growth(goals, what, work, (50_000, 400_000), DRAWN_GROWTH)


def check_compiled(folder: Path, goals: Goals) -> None:
    """Cold start: the first release on a machine beside the second."""
    path = eight(folder, 100_000)
    kept = os.environ.get("NUMBA_CACHE_DIR")
    os.environ["NUMBA_CACHE_DIR"] = str(folder / "never-compiled")
    try:
        first, second = (publish(path, ["c0"]) for _ in range(2))
    finally:
        os.environ.pop("NUMBA_CACHE_DIR")
        os.environ |= {} if kept is None else {"NUMBA_CACHE_DIR": kept}
    goals.say("a first release of 1e5 rows", first.seconds / second.seconds, 2, "x", " the second")


CHECKS = {
    "labels": check_labels,
    "growth": check_growth,
    "million": check_million,
    "audit": check_audit,
    "elsewhere": check_elsewhere,
    "twenty": check_wide_release,
    "columns": check_columns,
    "drawn": check_drawn,
    "cold": check_compiled,
}
