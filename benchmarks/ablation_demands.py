"""What each optional method of the searches for a demand buys: it is switched off, and costs are compared.

    python benchmarks/ablation_demands.py [--room WORDS] [--only WORDS] [--seconds 5]

Rooms are the searches for the least cost of what keeps a demand: one column, on a line or by size, several
columns, one codebook for each column, each with rows withheld and without. Every table is searched once with
everything and once without each method. *Dearer* counts the tables on which the search without a method
costs more, or loses more at the same cost; *cost* is the mean of its cost over that of the whole search,
*loss* the mean relative width of a row's cluster, where a search minds it. Seconds are CPU seconds, loops
compiled; a search is stopped after ``--seconds`` of them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from ablation import WARM_UP, Method, clinic_table, is_chosen, line_tables, within
from columns import mixture, prepared
from meter import compile_loops, forget_peak, peak_gigabytes
from optimality_resolution import FAMILIES
from sklearn.datasets import load_diabetes

from hartley.errors import UnreachableError
from hartley.examples import clinic
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange
from hartley.model.requirement import Requirement
from hartley.model.words import CODEWORDS
from hartley.search.codebooks import CodebookOptions, CodebookProblem, PublicColumn, codebooks_of
from hartley.search.columns.search import ColumnsSearch, search_columns
from hartley.search.columns.withheld import withhold_tuples
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.problem import Problem
from hartley.search.solve import solve

LINE, LINE_HELD = "line", "line, withheld"
SIZES, SIZES_HELD = "sizes", "sizes, withheld"
COLUMNS, COLUMNS_HELD = "columns", "columns, withheld"
CODEBOOKS, CODEBOOKS_HELD = "codebooks", "codebooks, withheld"
ROOMS = (LINE, LINE_HELD, SIZES, SIZES_HELD, COLUMNS, COLUMNS_HELD, CODEBOOKS, CODEBOOKS_HELD)
HEAD = ("Without", "Where", "Tables", "Proven", "Proven without", "Dearer", "Cost")
HEAD += ("Loss", "Loss without", "s", "s without", "MB at most")
HELD = 0.05
"""Share of the rows that may be withheld where any may."""
NOWHERE = 1e9
"""What a search costs that finds nothing, over what it costs otherwise."""


@dataclass(frozen=True)
class Outcome:
    """What a search came to."""

    cost: float
    is_proven: bool
    loss: float = 0.0


Search = Callable[[Effort], Outcome]
"""A search, within an effort."""


def returns(answer: object) -> Callable[..., Any]:
    """Return the same whatever is asked."""
    return lambda *_, **__: answer


def first(*given: Any, **__: object) -> Any:
    """Return the first thing given as it is."""
    return given[0]


def second(_: object, given: Any, *__: object) -> Any:
    """Return what a method is given as it is."""
    return given


def labels(_: object, given: Any, *__: object) -> Any:
    """Return labels as they are."""
    return given.astype(np.int64)


def one_block(cells: Any, *_: object) -> Any:
    """Put all tuples into one block."""
    return np.zeros(len(cells.place), dtype=np.int64)


def never_exact(search: ColumnsSearch, *given: Any, **more: Any) -> None:
    """Make a search over columns that does not look at every division of a small table."""
    PLAIN_SEARCH(search, *given, **{**more, "all_divisions_up_to": 0})


PLAIN_SEARCH = ColumnsSearch.__init__


def without(name: str, rooms: tuple[str, ...], *off: tuple[str, Any]) -> Method:
    """Return a method of some rooms, with what is put in place of which names when it is off."""
    return Method(name, rooms, (), off)


ONE_COLUMN = (LINE, LINE_HELD, SIZES, SIZES_HELD)
BANDS = "codebooks.refinement.Refinement"
BOTH = (CODEBOOKS, CODEBOOKS_HELD)
METHODS = (
    without("all partitions of few", ONE_COLUMN, ("few_values.walk.MOST_VALUES", 0)),
    without("counting clusters", (LINE,), ("line.bounds.most_clusters", lambda enough: enough.size)),
    without("values forced in", (LINE_HELD,), ("line.top_up.TopUp._forced_in", returns(None))),
    without("a cluster withheld", (LINE_HELD,), ("line.top_up.TopUp._with_a_cluster", returns(None))),
    without("dealing", (SIZES,), ("sizes.search.SizeSearch._dealt", returns(None))),
    without("matching", (SIZES,), ("sizes.search.MOST_VALUES", 0)),
    without("cheap values withheld", (SIZES_HELD,), ("sizes.withheld._cheapest_enough", returns(None))),
    without("all divisions of few", (COLUMNS,), ("columns.search.ColumnsSearch.__init__", never_exact)),
    without("blocks of categories", (COLUMNS,), ("columns.search.blocks_first", one_block)),
    without("other rules for cuts", (COLUMNS,), ("columns.search.RULES", (0,))),
    without("peeling", (COLUMNS,), ("columns.search.peel", labels), ("columns.polish.peel", labels)),
    without("mending", (COLUMNS,), ("columns.mend._Mender.mended", returns(False))),
    without("companions", (COLUMNS,), ("columns.mend._Mender.companions", returns([]))),
    without("windows", (COLUMNS,), ("columns.prepared.Prepared.has_windows", False)),
    without("Mondrian as a start", (COLUMNS,), ("columns.search.ColumnsSearch.lowered", returns([]))),
    without("divided anew", (COLUMNS,), ("columns.search.ColumnsSearch.lowered_exactly", second)),
    without("polish", (COLUMNS,), ("columns.search.ColumnsSearch.polished", second)),
    without("polish of all starts", (COLUMNS,), ("columns.search.POLISH_ALL_UP_TO", 0)),
    without("far tuples", (COLUMNS_HELD,), ("columns.withheld._Tuples.topped_up", returns(None))),
    without("worst clusters", (COLUMNS_HELD,), ("columns.withheld._Tuples.less_its_worst", second)),
    without("rounds", BOTH, (f"{BANDS}._perturb", returns(0))),
    without("best bands of a line", BOTH, (f"{BANDS}._improve_lines", returns(None))),
    without("single splits", BOTH, (f"{BANDS}._polished", second)),
    without("round borders first", BOTH, ("codebooks.column.PublicColumn.with_round_borders", first)),
)


def demanded(joint: JointRange, utility: Any, wanted: int, budget: int, effort: Effort) -> Outcome:
    """Search one column."""
    asked = Problem(
        joint=joint, utility=utility, requirements=(Requirement("distinct-l", wanted),), budget=budget
    )
    answer = solve(asked, effort)
    return Outcome(answer.cost, answer.is_proven)


def over_columns(columns: Any, demand: Enough, effort: Effort) -> Outcome:
    """Search several columns."""
    found = search_columns(columns, demand, effort=effort)
    return Outcome(found.worst, found.proven, found.loss)


def over_columns_held(columns: Any, demand: Enough, effort: Effort) -> Outcome:
    """Search several columns, with rows withheld."""
    base = search_columns(columns, demand, polish=False, effort=effort)
    budget = int(HELD * demand.rows.sum())
    found = withhold_tuples(columns, demand, budget, base, effort=effort)
    return Outcome(found.worst, found.worst <= found.bound * (1 + 1e-12), found.loss)


def by_codebooks(problem: CodebookProblem, share: float, effort: Effort) -> Outcome:
    """Search one codebook for each column; what is minded is the loss, then the width of the boxes."""
    withhold = int(share * problem.rows)
    found = codebooks_of(problem, withhold=withhold, options=CodebookOptions(rounds=8), effort=effort)
    return Outcome(found.loss, found.loss <= found.lower_bound * (1 + 1e-9), found.box_width)


def column_tables() -> Iterator[tuple[pd.DataFrame, tuple[int, ...]]]:
    """Yield tables of several columns, and how many candidates are asked of each."""
    for numbers, categories in ((3, 0), (3, 2)):
        for size, wanted in ((11, 2), (40, 2), (100, 3), (300, 5)):
            for seed in range(2):
                yield mixture(size, numbers, categories, 12, seed), (wanted,)
    people = diabetes_of(("age", "bmi", "bp"))
    yield people.assign(c0=diabetes_of(("sex",))["n0"].astype(int)), (3, 6)
    yield diabetes_of(("age", "bmi")), (3, 8)
    yield diabetes_of(("age", "bmi", "bp", "s1", "s6")), (4,)


def diabetes_of(names: Sequence[str]) -> pd.DataFrame:
    """Return columns of scikit-learn's table of patients as the search takes them, in bands of the target."""
    patients = load_diabetes(scaled=False, as_frame=True).frame
    numbers = {f"n{place}": patients[name].to_numpy(float) for place, name in enumerate(names)}
    return pd.DataFrame(numbers | {"s": pd.factorize(patients["target"] // 15, sort=True)[0]})


def skewed_lines() -> Iterator[tuple[JointRange, np.ndarray]]:
    """Draw numbers with a long tail beside sensitive values of which few are frequent."""
    for size, kinds in ((300, 8), (300, 20), (800, 30)):
        source = np.random.default_rng(size + kinds)
        numbers = source.lognormal(3, 0.8, size).round(1)
        kind = source.zipf(1.5, size).clip(1, kinds)
        joint = JointRange.from_pairs(sorted(zip(numbers.tolist(), kind.tolist(), strict=True)))
        yield joint, np.array([float(label) for label in joint.public.labels()])


def codebook_problems() -> Iterator[CodebookProblem]:
    """Yield tables of the clinic, drawn ones and of patients, as the search for codebooks takes them."""
    rows = [row for row in clinic() if all(row[place] is not None for place in (0, 1, 3, 4, 5))]
    yield problem_of([[row[place] for row in rows] for place in (1, 3, 4, 5)], [row[0] for row in rows], 4)
    drawn = [(mixture(size, 3, size % 4, 12, seed).round(1), 3) for size, seed in product((150, 401), (0, 1))]
    patients = diabetes_of(("age", "bmi", "bp"))
    for frame, wanted in (*drawn, (patients, 3), (patients, 6), (diabetes_of(("age", "bmi")), 4)):
        public = [frame[name].tolist() for name in frame.columns if name != "s"]
        yield problem_of(public, frame["s"].tolist(), wanted)


def problem_of(columns: list[list[Any]], sensitive: list[Any], wanted: int) -> CodebookProblem:
    """Return a table whose rows are all different tuples to the search."""
    codes = np.unique(np.array(sensitive), return_inverse=True)[1]
    width = int(codes.max()) + 1
    demand = Enough(
        value_ptr=np.arange(len(codes) + 1),
        value_code=codes.astype(np.int32),
        next_code=np.arange(1, width + 1),
        offsets=np.array([0, width]),
        wanted=np.array([wanted]),
        rows=np.ones(len(codes), dtype=np.int64),
    )
    public = (PublicColumn.of_cells(f"c{place}", cells) for place, cells in enumerate(columns))
    return CodebookProblem(tuple(public), demand)


def searches(room: str) -> Iterator[Search]:
    """Yield the searches of a room."""
    if room in (LINE, LINE_HELD):
        tails = [*skewed_lines()] if room == LINE_HELD else []
        for joint, positions in [*line_tables((10, 40)), clinic_table(5, 0), *tails]:
            for codeword, wanted in product(CODEWORDS, (2, 4, 8, 12)):
                if wanted <= joint.sensitive.size:
                    budget = wanted + int(HELD * joint.rows.sum()) if room == LINE_HELD else 0
                    yield partial(demanded, joint, LineDistortion(positions, codeword), wanted, budget)
    elif room in (SIZES, SIZES_HELD):
        for family in FAMILIES:
            for size, wanted in product((11, 40, 90), (2, 3, 5, 8)):
                joint = family.table(size, 1)
                if wanted <= joint.sensitive.size:
                    budget = wanted + int(HELD * joint.rows.sum()) if room == SIZES_HELD else 0
                    yield partial(demanded, joint, Resolution(size), wanted, budget)
    elif room in (COLUMNS, COLUMNS_HELD):
        run = over_columns if room == COLUMNS else over_columns_held
        for table, levels in column_tables():
            columns, demand = prepared(table)
            for wanted in levels:
                yield partial(run, columns, demand.asking(0, wanted))
    else:
        for problem in codebook_problems():
            yield partial(by_codebooks, problem, HELD if room == CODEBOOKS_HELD else 0.0)


def timed(search: Search, seconds: float) -> tuple[Outcome, float]:
    """Return what a search comes to within a limit of CPU seconds, and how many it took."""
    begin = time.process_time()
    try:
        found = search(within(seconds))
    except UnreachableError:
        found = Outcome(NOWHERE, False)
    return found, time.process_time() - begin


def row(
    method: Method, room: str, cases: list[Search], whole: list[tuple[Outcome, float]], seconds: float
) -> str:
    """Return the line of the table for one method in one room."""
    forget_peak()
    with method.switched_off():
        others = [timed(search, seconds) for search in cases]
    dearer = nothing = 0
    ratios: list[float] = []
    for (mine, _), (other, _) in zip(whole, others, strict=True):
        if other.cost == NOWHERE:
            nothing += mine.cost != NOWHERE
            continue
        more = other.cost > mine.cost * (1 + 1e-9)
        same = not more and other.cost >= mine.cost * (1 - 1e-9)
        dearer += more or (same and other.loss > mine.loss * (1 + 1e-6) + 1e-12)
        if mine.cost > 0:
            ratios.append(other.cost / mine.cost)
    minds_loss = room not in ONE_COLUMN
    losses = [np.mean([found.loss for found, _ in each]) for each in (whole, others)]
    cells = (
        method.name,
        room,
        len(cases),
        sum(found.is_proven for found, _ in whole),
        sum(found.is_proven for found, _ in others),
        dearer + nothing,
        f"{np.mean(ratios):.4f}" if ratios else "-",
        f"{losses[0]:.4f}" if minds_loss else "-",
        f"{losses[1]:.4f}" if minds_loss else "-",
        f"{sum(seconds for _, seconds in whole):.2f}",
        f"{sum(seconds for _, seconds in others):.2f}",
        f"{peak_gigabytes() * 1024:.0f}",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--room", default="", choices=("", *ROOMS), help="only this room")
    parser.add_argument("--only", default="", help="only methods whose name holds one of these words")
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU seconds for one search")
    given = parser.parse_args()
    compile_loops()
    print("| " + " | ".join(HEAD) + " |")
    print("|---" * len(HEAD) + "|", flush=True)
    for room in ROOMS:
        methods = [one for one in METHODS if room in one.families and is_chosen(one, given.only)]
        if given.room not in ("", room) or not methods:
            continue
        cases = list(searches(room))
        for search in cases:
            timed(search, WARM_UP)  # loops are compiled or loaded
        whole = [timed(search, given.seconds) for search in cases]
        for method in methods:
            print(row(method, room, cases, whole, given.seconds), flush=True)


if __name__ == "__main__":
    main()
