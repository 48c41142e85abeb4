"""What large tables cost: ratios of CPU time against bare queries, measured in one run.

    python benchmarks/scale.py [--rows N] [--only audit,release,verify,limit,pandas,spark] [--quick]

The data is made here, in a temporary folder that is removed: |S| = 1000, |X| = rows / 1000, each public
value with about a hundred sensitive ones, so that 1e8 rows hold 1e7 pairs. Each work runs in
a process of its own, ours and the rival's in alternation; the figure is the least CPU time of
its turns, all threads together, and the peak memory is that of the process. The exit code is 1 where a
goal is missed; goals are checked at 1e8 rows, and shown at any.
"""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scale_release

ROLES = {"sensitive": "s", "public": "x"}
FULL = 100_000_000


@dataclass(frozen=True)
class Cost:
    """What a work cost in a process of its own."""

    cpu: float
    wall: float
    peak_mb: int
    answer: Any


def make(path: Path, rows: int, candidates: int = 100) -> None:
    """Write the table; every row is a function of its number, so that runs repeat.

    ``candidates`` is the number of sensitive values that a public value can have.
    """
    import duckdb

    public = max(rows // 1000, 100)
    duckdb.connect().execute(
        f"COPY (SELECT x, ((x * 31 + hash(i + {rows}) % {candidates} * 7) % 1000)::INTEGER AS s, "
        f"(hash(i * 3) % 50)::INTEGER AS other FROM (SELECT i, (hash(i) % {public})::INTEGER AS x "
        f"FROM range({rows}) t(i))) TO '{path}' (FORMAT parquet)"
    )


# The works, each run by name in a process of its own; starting and importing is part of the cost of each.


def bare_pairs(path: Path) -> Any:
    """Count the distinct pairs, in DuckDB alone."""
    import duckdb

    query = f"SELECT count(*) FROM (SELECT DISTINCT x, s FROM read_parquet('{path}'))"
    return duckdb.connect().execute(query).fetchall()[0][0]


def our_audit(path: Path, memory_limit: str | None = None) -> Any:
    """Audit the file."""
    from hartley import audit
    from hartley.tables import ReadOptions

    found = audit(path, sensitive="s", public="x", options=ReadOptions(memory_limit=memory_limit)).audit
    return [found.pairs, found.distinct_l, found.components, found.row_k]


def limited_audit(path: Path) -> Any:
    """Audit the file with two gigabytes."""
    return our_audit(path, "2GB")


def pandas_nunique(path: Path) -> Any:
    """Count distinct sensitive values in pandas alone."""
    frame = _pandas(path)
    start = _cpu()
    found = int(frame.groupby("x")["s"].nunique().min())
    return [found, _cpu() - start]


def pandas_audit(path: Path) -> Any:
    """Audit a pandas frame."""
    from hartley import audit

    frame = _pandas(path)
    audit(frame.head(300_000), sensitive="s", public="x")  # loads the compiled loops
    start = _cpu()
    found = audit(frame, sensitive="s", public="x").audit.distinct_l
    return [found, _cpu() - start]


def _pandas(path: Path) -> Any:
    import pandas as pd

    return pd.read_parquet(path, columns=["x", "s"])


def spark_audit(path: Path) -> Any:
    """Audit the file in Spark, on a master and two workers."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from hartley import audit
    from servers import running_spark

    fetched: list[int] = []
    with running_spark() as session:
        session.sparkContext.setLogLevel("ERROR")
        frame = session.read.parquet(str(path))
        fetch = type(frame).toArrow

        def counted(frame: Any) -> Any:
            table = fetch(frame)
            fetched.append(table.nbytes)
            return table

        type(frame).toArrow = counted
        start = time.monotonic()
        found = audit(frame, sensitive="s", public="x").audit
        wall = time.monotonic() - start
    return [[found.pairs, found.distinct_l, found.components, found.row_k], wall, sum(fetched)]


WORKS: dict[str, Callable[[Path], Any]] = {
    work.__name__: work
    for work in (
        bare_pairs,
        our_audit,
        limited_audit,
        pandas_nunique,
        pandas_audit,
        spark_audit,
    )
} | scale_release.WORKS


def _cpu(who: int = resource.RUSAGE_SELF) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def run_here(name: str, path: Path) -> None:
    """Do one work and print what it cost."""
    start = time.monotonic()
    answer = WORKS[name](path)
    # Not getrusage for memory: what it says after exec includes the memory of the parent.
    status = Path("/proc/self/status").read_text()
    (high_water,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(json.dumps([_cpu(), time.monotonic() - start, int(high_water) // 1024, answer]))


def costs(path: Path, *names: str, turns: int) -> list[Cost]:
    """Give the least cost of each work, done in alternation."""
    best: dict[str, Cost] = {}
    for _ in range(turns):
        for name in names:
            done = subprocess.run(
                [sys.executable, __file__, "--work", name, str(path)],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise SystemExit(f"{name} failed: {done.stderr[-2000:]}")
            cost = Cost(*json.loads(done.stdout.splitlines()[-1]))
            if name not in best or cost.cpu < best[name].cpu:
                best[name] = cost
    return [best[name] for name in names]


class Figures:
    """Prints figures, and remembers whether a goal was missed."""

    def __init__(self, rows: int) -> None:
        self.is_full = rows >= FULL
        self.missed = 0

    def say(self, holds: bool | None, found: str, what: str, *, is_checked: bool | None = None) -> None:
        """Print one figure."""
        checked = self.is_full if is_checked is None else is_checked
        mark = "    " if holds is None else "ok  " if holds else "MISS" if checked else "miss"
        self.missed += mark == "MISS"
        print(f"{mark} {found:>16}  {what}", flush=True)


def audits(path: Path, turns: int, figures: Figures) -> None:
    """Audit a file, against the bare count of its pairs."""
    bare, ours = costs(path, "bare_pairs", "our_audit", turns=turns)
    assert bare.answer == ours.answer[0], "another number of pairs"
    ratio = ours.cpu / bare.cpu
    figures.say(
        ratio <= 1.3,
        f"{ratio:.2f} times",
        f"audit, {bare.answer:,} pairs: ours {ours.cpu:.1f} s of CPU, {ours.wall:.1f} s; "
        f"DuckDB's count of distinct pairs {bare.cpu:.1f} s of CPU, {bare.wall:.1f} s, {bare.peak_mb} MB "
        "(goal: at most 1.3)",
    )
    figures.say(ours.peak_mb < 2000, f"{ours.peak_mb} MB", "peak memory of that audit (goal: under 2 GB)")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=FULL, help="for example 1e7")
    parser.add_argument("--only", default="audit,release,verify,limit,pandas,spark")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="1e6 rows, one turn; ratios mean little")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        run_here(options.work[0], Path(options.work[1]))
        return 0
    rows, turns = (1_000_000, 1) if options.quick else (options.rows, options.turns)
    only = options.only.split(",")
    figures = Figures(rows)
    with tempfile.TemporaryDirectory(prefix="hartley-scale-") as name:
        path = Path(name) / "t.parquet"
        make(path, rows)
        print(f"     {rows:,} rows, {path.stat().st_size / 1e6:,.0f} MB of Parquet", flush=True)
        if "audit" in only:
            audits(path, turns, figures)
            more = Path(name) / "more.parquet"
            make(more, rows, candidates=1000)
            audits(more, turns, figures)
            more.unlink()
        if "limit" in only:
            (ours,) = costs(path, "limited_audit", turns=1)
            figures.say(
                True, f"{ours.peak_mb} MB", f"audit with --memory-limit 2GB finishes: {ours.wall:.1f} s"
            )
        if "release" in only:
            scale_release.releases(path, turns, costs, figures.say)
        if "verify" in only:
            scale_release.verifications(path, turns, costs, figures.say)
        small = path
        if rows > 10_000_000 and {"pandas", "spark"} & set(only):
            small = Path(name) / "small.parquet"
            make(small, 10_000_000)
        if "pandas" in only:
            theirs, ours = costs(small, "pandas_nunique", "pandas_audit", turns=turns)
            assert theirs.answer[0] == ours.answer[0], "another distinct l"
            ratio = ours.answer[1] / theirs.answer[1]
            figures.say(
                ratio <= 1.3,
                f"{ratio:.2f} times",
                f"audit of a pandas frame: ours {ours.answer[1]:.2f} s of CPU, groupby(x)[s].nunique() "
                f"{theirs.answer[1]:.2f} s (goal: at most 1.3)",
                is_checked=rows >= 10_000_000,
            )
        if "spark" in only:
            (duck,) = costs(small, "our_audit", turns=1)
            (spark,) = costs(small, "spark_audit", turns=1)
            same = spark.answer[0] == duck.answer
            figures.say(
                same,
                "same answer" if same else "OTHER ANSWER",
                f"audit in Spark on two workers {spark.answer[1]:.1f} s, in DuckDB {duck.wall:.1f} s; "
                f"{spark.answer[2]:,} bytes reached the driver",
                is_checked=True,
            )
    return 1 if figures.missed else 0


if __name__ == "__main__":
    sys.exit(main())
