"""How many bytes a pair the large searches hold, beside the table itself, and how long they take.

    python benchmarks/memory.py [--pairs 1000000] [--only WORDS]

Every search runs in a process of its own, once on a small table, so that its loops are loaded, and then on
tables of so many pairs of public and sensitive value. What is counted is the most memory of the process while
it searches, less what it held before, over the pairs. The goal is 200 bytes. Several columns are drawn with
one pair for every tuple, and their bytes are for a pair as well. Polished, as a release is, they take minutes
at a million pairs: ``--only polished --pairs 100000``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from greedy_families import scattered_points, several_of
from meter import compile_loops, forget_peak, peak_gigabytes
from sweeps import sweep

from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange
from hartley.model.requirement import Requirement
from hartley.search.columns.search import ColumnsResult, search_columns
from hartley.search.columns.withheld import withhold_tuples
from hartley.search.effort import Effort
from hartley.search.greedy import component_joining, joint_search, narrowest_first
from hartley.search.line.intervals import least_intervals
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.sizes.withheld import Withholding, sizes_of_components

GOAL = 200
WARM_UP = 2_000
SECONDS = 60.0
"""A search is stopped after this time."""


def bounded() -> Effort:
    """Return an effort that ends after a minute of CPU."""
    end = time.process_time() + SECONDS
    return Effort(
        should_stop=lambda: time.process_time() >= end,
        remaining=lambda: max(end - time.process_time(), 0.0),
    )


def two_each(pairs: int) -> JointRange:
    """Return half as many public values, with two of a thousand sensitive values each."""
    return several_of(1_000, 2)(pairs // 2)


def one_each(pairs: int) -> JointRange:
    """Return many components: each public value has one of half as many sensitive values."""
    sensitive = np.unique(np.random.default_rng(pairs).integers(0, pairs // 2, pairs), return_inverse=True)[1]
    return JointRange.from_codes(public_codes=np.arange(pairs), sensitive_codes=sensitive)


def line(joint: JointRange) -> LineDistortion:
    """Return positions at random on a line."""
    return LineDistortion(scattered_points(joint.public.size), "midpoint")


def by_size(joint: JointRange) -> Resolution:
    """Return resolution."""
    return Resolution(joint.public.size)


def required(joint: JointRange) -> object:
    """Search intervals that keep candidates and rows."""
    values = OrderedValues.of(joint, line(joint), [Requirement("distinct-l", 5), Requirement("row-k", 10)])
    return least_intervals(values)


def over_columns(numbers: int, categories: int) -> Callable[[int], tuple[Any, Any]]:
    """Return what draws so many columns as the search takes them."""

    def draw(pairs: int) -> tuple[Any, Any]:
        from columns import mixture, prepared

        columns, demand = prepared(mixture(pairs, numbers, categories, 50))
        return columns, demand.asking(0, 5)

    return draw


def search_over_columns(drawn: tuple[Any, Any], polish: bool = False) -> ColumnsResult:
    """Search boxes that keep five candidates."""
    columns, demand = drawn
    return search_columns(columns, demand, polish=polish)


def withhold_over_columns(drawn: tuple[Any, Any]) -> object:
    """Search boxes with a hundredth of the rows withheld; what is kept is polished."""
    columns, demand = drawn
    base = search_over_columns(drawn)
    return withhold_tuples(columns, demand, int(demand.rows.sum()) // 100, base, effort=bounded())


SEARCHES: dict[str, tuple[Callable[[int], object], Callable[..., object]]] = {
    "greedy, L0, resolution": (two_each, lambda j: narrowest_first(j, by_size(j))),
    "greedy, L0, line": (two_each, lambda j: narrowest_first(j, line(j))),
    "greedy, I*, resolution": (one_each, lambda j: component_joining(j, by_size(j))),
    "greedy, I*, line": (one_each, lambda j: component_joining(j, line(j))),
    "greedy, problem (3), resolution": (one_each, lambda j: joint_search(j, by_size(j), 0.3)),
    "optimal, L0, line": (two_each, lambda j: sweep(j, line(j), "l0", bounded()).solve(5)),
    "optimal, I*, line": (one_each, lambda j: sweep(j, line(j), "istar", bounded()).best_within(40.0)),
    "optimal, L0, resolution": (two_each, lambda j: sweep(j, None, "l0", bounded()).best_within(5)),
    "optimal, I*, resolution": (one_each, lambda j: list(sizes_of_components(Withholding(j, 0)))),
    "intervals with requirements": (two_each, required),
    "several columns": (over_columns(4, 0), search_over_columns),
    "several columns, two of categories": (over_columns(3, 2), search_over_columns),
    "several columns, eight": (over_columns(8, 0), search_over_columns),
    "several columns polished": (over_columns(4, 0), lambda drawn: search_over_columns(drawn, polish=True)),
    "several columns polished, rows withheld": (over_columns(4, 0), withhold_over_columns),
}


def measure(name: str, pairs: int) -> None:
    """Print one line of the table."""
    compile_loops()
    build, search = SEARCHES[name]
    search(build(WARM_UP))
    drawn = build(pairs)
    forget_peak()
    before = peak_gigabytes()
    begin = time.process_time()
    found = search(drawn)
    seconds = time.process_time() - begin
    bytes_each = (peak_gigabytes() - before) * 2**30 / pairs
    del found
    mark = "" if bytes_each <= GOAL else " (above)"
    print(f"| {name} | {bytes_each:.0f}{mark} | {peak_gigabytes() * 1024:.0f} | {seconds:.1f} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="only searches whose name holds one of these words")
    parser.add_argument("--search", help="measure this one, in this process")
    options = parser.parse_args()
    if options.search is not None:
        measure(options.search, options.pairs)
        return
    print(
        f"| Search of {options.pairs:,} pairs | Bytes a pair | MB in all | CPU s |\n|---|---|---|---|",
        flush=True,
    )
    for name in SEARCHES:
        if any(word in name for word in options.only.split(";")):
            command = [sys.executable, Path(__file__), "--pairs", str(options.pairs), "--search", name]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
