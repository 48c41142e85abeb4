"""What an audit costs: ratios of CPU time against named rivals, measured in one run.

    python benchmarks/audit.py [--quick]

CPU time is that of the whole process, all threads together; each figure is the least of a few
turns, ours and the rival's in alternation. The compiled loops are loaded before the clock
starts. ``--quick`` takes small sizes, to see that everything runs; its ratios mean little, and
its goals are not checked. The exit code is 1 where a goal is missed.
"""

# ruff: noqa: S608 (the queries are written here)

from __future__ import annotations

import argparse
import importlib.util
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from meter import Seconds, timed

from hartley.measures.overlap import maximin_information, overlap_partition
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.model import JointRange
from hartley.tables import Roles, open_table

ROLES = Roles(sensitive=("s",), public=("x",))


@dataclass(frozen=True)
class Figure:
    """One line of the outcome."""

    what: str
    found: str
    holds: bool | None
    """Whether the goal is met; nothing where there is no goal."""


def cpu(who: int = resource.RUSAGE_SELF) -> float:
    """Give the seconds of CPU that this process, or its children, have used."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def seconds(*works: Callable[[], Any], turns: int = 3) -> list[Seconds]:
    """Give the least CPU time of each work, done in alternation, with the most memory held meanwhile."""
    return [min(of_one) for of_one in zip(*([timed(w)[1] for w in works] for _ in range(turns)), strict=True)]


def components(pairs: int) -> list[Figure]:
    """Components of a bipartite graph, against SciPy's on the same arrays."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rng = np.random.default_rng(20)
    figures = []
    for sensitive, public in ((1_000, pairs // 100), (pairs // 10, pairs // 10), (pairs // 100, pairs // 2)):
        x = np.concatenate([np.arange(public), rng.integers(0, public, pairs - public)])
        s = rng.integers(0, sensitive, pairs)
        s[:sensitive] = np.arange(sensitive)
        joint = JointRange.from_codes(public_codes=x, sensitive_codes=s)
        # The rival's nodes: the sensitive values, then the public ones, each linked to its candidates.
        starts = np.concatenate([np.zeros(sensitive, dtype=np.int32), joint.indptr.astype(np.int32)])
        shape = (sensitive + public, sensitive + public)
        graph = csr_array((np.ones(joint.pairs), joint.indices, starts), shape=shape)
        assert overlap_partition(joint).size == connected_components(graph, directed=False)[0]

        def rival(graph: Any = graph) -> None:
            connected_components(graph, directed=False)

        def ours(joint: JointRange = joint) -> None:
            overlap_partition(joint)

        mine, theirs = seconds(ours, rival)
        figures.append(
            Figure(
                f"components of {joint.pairs:,} pairs, |S|={sensitive:,}, |X|={public:,}: "
                f"ours {mine}, scipy connected_components {theirs} (goal: 3 times faster)",
                f"{theirs / mine:.1f} times faster",
                theirs >= 3 * mine,
            )
        )
    return figures


def parquet(rows: int, folder: Path) -> list[Figure]:
    """L0 and I* of a Parquet file, against DuckDB's count of distinct values."""
    import duckdb

    figures = []
    for kind, public in (("whole numbers", "x"), ("text", "'p' || x")):
        path = folder / "t.parquet"
        duckdb.sql(
            f"COPY (SELECT {public} AS x, s FROM (SELECT (hash(i) % {rows // 100})::INTEGER AS x, "
            f"(hash(i + {rows}) % 1000)::INTEGER AS s FROM range({rows}) t(i))) TO '{path}'"
        )

        def rival(path: Path = path) -> None:
            query = "SELECT x, count(DISTINCT s) FROM read_parquet(?) GROUP BY x"
            duckdb.connect().execute(query, [str(path)]).fetchnumpy()

        def ours(path: Path = path) -> None:
            joint = open_table(path).joint_range(ROLES).joint
            max_uncertainty_reduction(joint)
            maximin_information(joint)

        ours()
        mine, theirs = seconds(ours, rival)
        figures.append(
            Figure(
                f"L0 and I* of {rows:,} rows of Parquet, public {kind}: ours {mine}, "
                f"DuckDB count(DISTINCT s) GROUP BY x {theirs} (goal: at most 1.5 times)",
                f"{mine / theirs:.2f} times",
                mine <= 1.5 * theirs,
            )
        )
        peak = subprocess.run(
            [sys.executable, __file__, "--peak-of", str(path)], check=True, capture_output=True, text=True
        )
        megabytes, pairs = peak.stdout.split()
        figures.append(
            Figure(
                f"peak memory of that audit in a process of its own, {pairs} pairs (goal: under 1 GB)",
                f"{megabytes} MB",
                int(megabytes) < 1000,
            )
        )
    return figures


def print_peak_of(path: Path) -> None:
    """Audit a file and print the most memory that took, in MB, and the number of pairs."""
    joint = open_table(path).joint_range(ROLES).joint
    max_uncertainty_reduction(joint)
    maximin_information(joint)
    # Not getrusage: what it says after exec includes the memory of the parent.
    status = Path("/proc/self/status").read_text()
    (high_water,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(int(high_water) // 1024, joint.pairs)


def libraries(rows: int) -> list[Figure]:
    """Rivals that work on frames and distributions, on the sizes they can do."""
    figures = []
    rng = np.random.default_rng(3)
    if importlib.util.find_spec("pycanon") and importlib.util.find_spec("pandas"):
        import pandas as pd
        from pycanon import anonymity

        frame = pd.DataFrame({"s": rng.integers(0, 50, rows), "x": rng.integers(0, rows // 100, rows)})

        def ours() -> int:
            return distinct_l(open_table(frame).joint_range(ROLES).joint)

        def rival() -> int:
            return int(anonymity.l_diversity(frame, ["x"], ["s"]))

        assert ours() == rival()
        mine, theirs = seconds(ours, rival)
        figures.append(_beside(f"distinct l of {rows:,} rows", "pyCANON l_diversity", mine, theirs))
    else:
        figures.append(Figure("pyCANON (pip install --no-deps pycanon)", "not installed", None))
    if importlib.util.find_spec("dit"):
        import dit
        from dit.multivariate import gk_common_information

        # dit enumerates sigma-algebras, 2^n sets for n values: a dozen values is what it can do in a moment.
        pairs = [(f"x{x}", f"s{x // 6}{(x % 6 + step) // 4}") for x in range(12) for step in (0, 1)]
        joint = JointRange.from_pairs(dict.fromkeys(pairs))
        weights = [1 / joint.pairs] * joint.pairs
        distribution = dit.Distribution(list(dict.fromkeys(pairs)), weights)

        def istar() -> float:
            return maximin_information(joint)

        def gacs_korner() -> float:
            return float(gk_common_information(distribution, [[0], [1]]))

        # Two components of equal weight: both measures say one bit.
        assert abs(istar() - gacs_korner()) < 1e-9
        mine, theirs = seconds(istar, gacs_korner)
        figures.append(
            _beside(f"common part of {joint.pairs} pairs, |X|=12", "dit gk_common_information", mine, theirs)
        )
    else:
        figures.append(Figure("dit (pip install dit)", "not installed", None))
    return figures


def _beside(what: str, rival: str, mine: Seconds, theirs: Seconds) -> Figure:
    return Figure(
        f"{what}: ours {mine * 1000:.2f} ms, {mine.megabytes:.0f} MB, "
        f"{rival} {theirs * 1000:.2f} ms, {theirs.megabytes:.0f} MB",
        f"{theirs / mine:.1f} times faster",
        None,
    )


def start_up(folder: Path) -> list[Figure]:
    """Measure the first second of a newcomer: help, and the audit of a small file."""
    if importlib.util.find_spec("hartley.__main__") is None:
        return [Figure("the command line", "not there yet", None)]
    path = folder / "clinic.csv"
    rng = np.random.default_rng(1)
    lines = [f"{rng.integers(30, 68)},{rng.integers(90, 400)},p{i}" for i in range(300)]
    path.write_text("age,chol,patient\n" + "\n".join(lines) + "\n")
    audit = ["audit", str(path), "--sensitive", "age", "--public", "chol", "--json"]
    figures = []
    for what, arguments, goal in (
        ("hartley --help", ["--help"], 0.3),
        ("hartley audit of a CSV of 300 rows", audit, 0.5),
    ):
        command = [sys.executable, "-X", "importtime", "-m", "hartley", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert done.returncode == 0, done.stderr[-500:]

        def work(arguments: list[str] = arguments) -> None:
            subprocess.run([sys.executable, "-m", "hartley", *arguments], capture_output=True, check=True)

        best = float("inf")
        for _ in range(3):
            start = cpu(resource.RUSAGE_CHILDREN)
            work()
            best = min(best, cpu(resource.RUSAGE_CHILDREN) - start)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        told = f"{best:.2f} s, at most {peak} MB with all before it"
        figures.append(Figure(f"{what} (goal: under {goal} s of CPU)", told, best < goal))
        figures.append(
            Figure(
                f"{what} without the compiler",
                "numba imported" if "numba" in imported else "numba not imported",
                "numba" not in imported,
            )
        )
    return figures


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="small sizes; goals are not checked")
    parser.add_argument("--peak-of", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak_of:
        print_peak_of(options.peak_of)
        return 0
    size = 1_000_000 if options.quick else 10_000_000
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for section in (
            lambda: start_up(folder),
            lambda: parquet(size, folder),
            lambda: components(size),
            lambda: libraries(10_000 if options.quick else 200_000),
        ):
            for figure in section():
                mark = "    " if figure.holds is None or options.quick else "ok  " if figure.holds else "MISS"
                missed += mark == "MISS"
                print(f"{mark} {figure.found:>20}  {figure.what}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
