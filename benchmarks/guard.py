"""Print how fast everything is against its goals; exit with 1 where a goal is missed.

    python benchmarks/guard.py [--only start,first,wide,groups,greedy,verify,release]
    python benchmarks/guard.py --only labels,growth,million,audit,elsewhere,twenty,columns,drawn,cold

The first line takes a few minutes; the second, of commands as users type them (`guard_users.py`), a quarter
of an hour. Without ``--only`` both run.

Every work runs in a process of its own; times are CPU seconds, all threads together. Ratios are against
something that everybody can run in the same minutes on the same machine: DuckDB, SciPy, or a sort. A machine
that does much else at the time is slower without being so; run it again before believing a miss.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from math import log10
from pathlib import Path

import guard_users
import numpy as np
import verification
from meter import Cost, compile_loops, cost, peak_gigabytes

SMALL, LARGE = 100_000, 1_000_000
TURNS = 3
"""How often a growth is measured; the least of its times counts, at both sizes."""
VALUES = 1_000_000
ROWS, PUBLIC = 2_000_000, 20_000
COLUMNS = 1_200
FAMILIES = (
    ("two of 100", None),
    ("two or three of 1,000", None),
    ("Zipf", None),
    ("giant component", None),
    ("all sets equal", None),
    ("long blocks", "scattered"),
    ("long blocks", "a hundred places"),
    ("Zipf", "scattered"),
    ("two or three of 10,000", "scattered"),
    ("each its own", "all equal"),
    ("one component", "all equal"),
)
"""Tables on which Algorithm 1 has been slow, and where their values lie; under resolution where nowhere."""


def greedy(folder: Path) -> list[list[float | str]]:
    """Run Algorithm 1 at two sizes, and sort as many numbers beside it."""
    del folder
    from greedy_families import POSITIONS, TABLES

    from hartley.measures.utility import LineDistortion, Resolution, Utility
    from hartley.search.greedy import narrowest_first

    compile_loops()

    def run(name: str, place: str | None, size: int) -> float:
        joint = TABLES[name](size)
        measure: Utility = Resolution(size)
        if place is not None:
            measure = LineDistortion(POSITIONS[place](size), "centroid")
        return least(lambda: narrowest_first(joint, measure))

    def least(work: Callable[[], object]) -> float:
        return min(cost(work).seconds for _ in range(TURNS))

    def bare(size: int) -> float:
        numbers = np.random.default_rng(size).random(size)
        return least(lambda: numbers[np.argsort(numbers)].cumsum())

    for name, place in FAMILIES:
        run(name, place, 500)  # compiles
    loop = log10(bare(LARGE) / bare(SMALL))
    return [
        [f"{name}, {place or 'by size'}", run(name, place, SMALL), run(name, place, LARGE), loop]
        for name, place in FAMILIES
    ]


def groups_ours(folder: Path) -> int:
    """Group a million values by a million links."""
    del folder
    from hartley.measures.overlap import linked_roots

    one, other = _links()
    return int(np.count_nonzero(linked_roots(VALUES, one, other) == np.arange(VALUES)))


def groups_scipy(folder: Path) -> int:
    """Group the same values by SciPy."""
    del folder
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    one, other = _links()
    found = connected_components(coo_array((np.ones(len(one)), (one, other)), shape=(VALUES, VALUES)), False)
    return int(found[0])


def _links() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    return rng.integers(0, VALUES, VALUES), rng.integers(0, VALUES, VALUES)


def release(folder: Path) -> int:
    """Release a table of a million different public values."""
    import pyarrow as pa

    import hartley

    rng = np.random.default_rng(5)
    table = pa.table(
        {"x": rng.choice(20 * VALUES, VALUES, replace=False), "s": rng.integers(0, 1000, VALUES)}
    )
    made = hartley.release(
        table,
        folder / "values.csv",
        sensitive="s",
        public="x",
        require={"distinct_l": 20},
        search="greedy",
        overwrite=True,
    )
    return made.rows


def to_verify(folder: Path) -> int:
    """Make a release of many rows with nearly as many pairs, to be verified."""
    return verification.make(folder, ROWS, PUBLIC)


def verify_ours(folder: Path) -> bool:
    """Verify the release."""
    return verification.ours(folder)


def verify_duckdb(folder: Path) -> bool:
    """Do the same in DuckDB alone."""
    return verification.in_duckdb(folder)


def wide(folder: Path) -> int:
    """Audit a table of many columns, none of them named."""
    import hartley

    path = folder / "wide.csv"
    return len(hartley.audit(path, sensitive="c0").each)


WORKS: dict[str, Callable[[Path], object]] = {
    work.__name__: work
    for work in (greedy, groups_ours, groups_scipy, release, to_verify, verify_ours, verify_duckdb, wide)
}
"""The works that run in a process of their own."""


def measured(name: str, folder: Path) -> tuple[Cost, object]:
    """Return what a work costs in a process of its own, with all that it loads, and its answer."""
    done = subprocess.run(
        [sys.executable, __file__, "--work", name, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env=_environment(folder),
    )
    if done.returncode:
        raise SystemExit(f"{name} failed: {done.stderr[-2000:]}")
    seconds, gigabytes, answer = json.loads(done.stdout.splitlines()[-1])
    return Cost(seconds, gigabytes), answer


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of a work: with bytecode that is kept, as where modules are installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


class Goals:
    """Prints figures beside their goals, and counts those missed."""

    def __init__(self) -> None:
        self.missed = 0

    def say(self, what: str, found: float, goal: float, unit: str, more: str = "") -> None:
        """Print one figure."""
        holds = found <= goal
        self.missed += not holds
        mark = "ok  " if holds else "MISS"
        print(f"{mark} {found:9.2f} {unit:<8} (goal {goal:.3g})  {what}{more}", flush=True)


def check_greedy(folder: Path, goals: Goals) -> None:
    """Measure how every family grows beside a sort, and what a million values take.

    Where a million numbers leave a machine's caches, a bare sort grows by more than 1.2 itself. No search
    that sorts grows more slowly there, so the goal is then the sort's own growth, and the line says so.
    """
    spent, rows = measured("greedy", folder)
    for name, small, large, loop in rows:  # type: ignore[attr-defined]
        growth = log10(max(large, 1e-3) / max(small, 1e-3))
        what = "; the goal is 1.2" if loop <= 1.2 else "; the goal is the sort's, which is above 1.2 here"
        goals.say(
            f"greedy, {name}: growth from 1e5 to 1e6",
            growth,
            max(1.2, loop),
            "exponent",
            f"; a sort has {loop:.2f}{what}",
        )
        goals.say(f"greedy, {name}: a million values", large, 6, "s")
    goals.say("greedy: memory", spent.gigabytes, 2, "GB")


def check_groups(folder: Path, goals: Goals) -> None:
    """Measure groups of a million links, against SciPy."""
    for name in ("groups_ours", "groups_scipy"):
        measured(name, folder)  # keeps the bytecode
    (ours, mine), (theirs, others) = measured("groups_ours", folder), measured("groups_scipy", folder)
    assert mine == others, "other groups"
    goals.say("groups of a million links", ours.seconds / theirs.seconds, 2, "x SciPy", _beside(ours))


def check_release(folder: Path, goals: Goals) -> None:
    """Measure a release of a million different values, from reading to verifying."""
    spent, _ = measured("release", folder)
    goals.say("release of a million different values", spent.seconds, 15, "s", _beside(spent))
    goals.say("release of a million different values: memory", spent.gigabytes, 1.5, "GB")


def check_verify(folder: Path, goals: Goals) -> None:
    """Measure verification, against a script for DuckDB that does the same."""
    measured("to_verify", folder)
    (ours, holds), (theirs, agrees) = measured("verify_ours", folder), measured("verify_duckdb", folder)
    assert holds, "the release does not hold"
    assert agrees, "DuckDB finds another answer"
    goals.say(f"verification of {ROWS:,} rows", ours.seconds / theirs.seconds, 2.5, "x DuckDB", _beside(ours))


def check_wide(folder: Path, goals: Goals) -> None:
    """Measure an audit of many columns."""
    cells = np.random.default_rng(0).integers(0, 50, (1000, COLUMNS))
    names = ",".join(f"c{place}" for place in range(COLUMNS))
    np.savetxt(folder / "wide.csv", cells, fmt="%d", delimiter=",", header=names, comments="")
    spent, _ = measured("wide", folder)
    goals.say(f"audit of {COLUMNS:,} columns", spent.seconds, 3, "s", _beside(spent))


def check_start(folder: Path, goals: Goals) -> None:
    """Measure an audit of a small table, and the help, from the shell; each is started once before."""
    cells = np.random.default_rng(1).integers(0, 90, (300, 2))
    np.savetxt(folder / "small.csv", cells, fmt="%d", delimiter=",", header="age,chol", comments="")
    audit = ["audit", str(folder / "small.csv"), "--sensitive", "age", "--public", "chol"]
    for what, command, goal in (
        ("hartley audit of 300 rows", audit, 0.5),
        ("hartley --help", ["--help"], 0.3),
    ):
        spent = [_from_the_shell(command, folder) for _ in range(11)][1:]
        goals.say(what, min(spent), goal, "s", f"; {max(spent):.2f} s at most of ten")


FIRST = (
    ("clinic.csv", "--public", "cholesterol"),
    ("clinic.csv", "--public", "pulse", "--utility", "resolution"),
    ("clinic.csv", "--public", "cholesterol", "--leakage", "joint", "--utility", "resolution"),
    ("clinic.csv", "--public", "cholesterol", "--codeword", "centroid"),
    ("clinic.csv", "--public", "cholesterol", "--withhold", "2%"),
    ("clinic.csv", "--public", "pulse", "--public", "sex", "--shape", "columns"),
    ("first.csv", "--public", "pulse"),
)
"""Frontiers of small tables that need loops which were never compiled before."""


def check_first(folder: Path, goals: Goals) -> None:
    """Count what first frontiers of small tables say of the compiler; and start six that compile at once."""
    from hartley.examples import CLINIC_COLUMNS, clinic

    cells = np.random.default_rng(2).integers(0, (40, 60), (300, 2))
    np.savetxt(folder / "first.csv", cells, fmt="%d", delimiter=",", header="age,pulse", comments="")
    with (folder / "clinic.csv").open("w", newline="") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    for number, (name, *asked) in enumerate(FIRST):
        environment = _environment(folder) | {"NUMBA_CACHE_DIR": str(folder / f"compiled-{number}")}
        command = [
            sys.executable,
            "-m",
            "hartley",
            "frontier",
            str(folder / name),
            "--sensitive",
            "age",
            *asked,
        ]
        took: list[str] = []
        said = ""
        for _ in range(2):
            begin = time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            took.append(f"{time.monotonic() - begin:.1f} s")
            said += done.stderr
        goals.say(
            f"a first frontier, {name} {' '.join(asked[1:])}: words of compiling",
            said.count("compiling"),
            0,
            "lines",
            f"; by the clock {took[0]}, again {took[1]}",
        )
    environment = _environment(folder) | {"NUMBA_CACHE_DIR": str(folder / "compiled")}
    many = [
        subprocess.Popen(
            [sys.executable, __file__, "--work", "chains", str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(6)
    ]
    ends = [one.communicate() for one in many]
    answers = {json.loads(out.splitlines()[-1])[2] for out, _ in ends if out}
    wrong = sum(one.returncode != 0 for one in many) + sum(bool(err) for _, err in ends) + len(answers) - 1
    goals.say("six processes that compile at once: failures, warnings, other answers", wrong, 0, "")


def chains(folder: Path) -> int:
    """Count chains of codes, compiled."""
    del folder
    from hartley.measures.separation import count_chains

    codes, lengths = np.arange(100_000) % 500, np.zeros(200, dtype=np.int64)
    count_chains.compiled(np.arange(100_000) // 500, codes, np.arange(1, 501), lengths)
    return int(lengths.sum())


def _from_the_shell(command: list[str], folder: Path) -> float:
    """Return the CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = [sys.executable, "-m", "hartley", *command]
    subprocess.run(run, capture_output=True, check=True, env=_environment(folder))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _beside(spent: Cost) -> str:
    return f"; {spent.seconds:.1f} s, {spent.gigabytes:.2f} GB"


WORKS["chains"] = chains
CHECKS = {
    "start": check_start,
    "first": check_first,
    "wide": check_wide,
    "groups": check_groups,
    "greedy": check_greedy,
    "verify": check_verify,
    "release": check_release,
} | guard_users.CHECKS


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", default=",".join(CHECKS), help="for example greedy,start")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        answer = WORKS[options.work[0]](Path(options.work[1]))
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps([usage.ru_utime + usage.ru_stime, peak_gigabytes(), answer]))
        return 0
    goals = Goals()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hartley-guard-") as folder:
        for name in options.only.split(","):
            CHECKS[name](Path(folder), goals)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    print(f"{goals.missed} missed; {time.monotonic() - begin:.0f} s, load of the machine {load:.1f}")
    return 1 if goals.missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
