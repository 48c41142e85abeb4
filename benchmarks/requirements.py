"""How fast requirements with a tolerance are on one column, beside the same without, as Markdown tables.

    python benchmarks/requirements.py [--quick]

Seconds are CPU seconds of this process, compiled loops warm. Targets are those of the specification, for a
loaded machine of two cores.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import numpy as np
from meter import compile_loops, table, timed

from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.line.borders import Borders
from hartley.search.line.bounds import line_bound
from hartley.search.line.intervals import finest_within, least_intervals
from hartley.search.line.ordered_values import OrderedValues


def random_table(size: int, sensitive: int, seed: int = 0) -> JointRange:
    """Return public values at random gaps, each with one to three of the sensitive values."""
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 4, size)
    public, values = np.repeat(np.arange(size), times), rng.integers(sensitive, size=int(times.sum()))
    # Every sensitive value must occur.
    public = np.concatenate((public, rng.integers(size, size=sensitive)))
    values = np.concatenate((values, np.arange(sensitive)))
    return JointRange.from_codes(public_codes=public, sensitive_codes=values)


def positions_of(size: int, seed: int = 1) -> LineDistortion:
    """Return whole-numbered positions with an average gap of ten."""
    return LineDistortion(np.cumsum(np.random.default_rng(seed).integers(1, 20, size)).astype(float))


def demands(
    joint: JointRange, utility: LineDistortion, wanted: int, tolerance: int
) -> dict[str, OrderedValues]:
    """Return the line under one demand without a tolerance, one with, and three requirements together."""
    close = Closeness.of({"sensitive": tolerance})
    apart, distinct = Requirement("separated-l", wanted), Requirement("distinct-l", wanted)
    return {
        "distinct": OrderedValues.of(joint, utility, [distinct]),
        "separated": OrderedValues.of(joint, utility, [apart], close),
        "all three": OrderedValues.of(joint, utility, [apart, distinct, Requirement("row-k", 10)], close),
    }


def windows(size: int) -> Iterable[tuple[object, ...]]:
    """Time the latest starts of windows that are enough."""
    for sensitive in (1000, size):
        joint, utility = random_table(size, sensitive), positions_of(size)
        for wanted in (2, 20, 100):
            seconds = []
            for values in demands(joint, utility, wanted, sensitive // 500).values():
                values.enough.latest_starts()
                seconds.append(timed(values.enough.latest_starts)[1])
            yield size, sensitive, wanted, *seconds


def least_spans(size: int) -> Iterable[tuple[object, ...]]:
    """Time bound, least cost and finest intervals, and the same with borders every ten."""
    joint, utility = random_table(size, 1000), positions_of(size)
    for wanted in (2, 20, 100):
        for name, values in demands(joint, utility, wanted, 2).items():
            latest = timed(lambda v=values: v.latest)[1]
            bound, bound_seconds = timed(lambda v=values: v.in_units(line_bound(v)))
            answer, seconds = timed(lambda v=values, b=bound: least_intervals(v, known_bound=b))
            anywhere = Borders.anywhere(values.positions)
            _, finest = timed(lambda v=values, a=answer, w=anywhere: finest_within(v, a.cost, w))
            grid = Borders.on_grid(values.positions, 10)
            on_grid, grid_seconds = timed(
                lambda v=values, b=bound, g=grid: least_intervals(v, g, known_bound=b)
            )
            yield (
                size,
                wanted,
                name,
                latest,
                bound_seconds,
                seconds,
                finest,
                grid_seconds,
                f"{2 * bound:g} / {2 * answer.cost:g} / {2 * on_grid.cost:g}",
                f"{answer.partition.size} / {on_grid.partition.size}",
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="ten thousand values only")
    sizes = (10**4,) if parser.parse_args().quick else (10**4, 10**6)
    compile_loops()
    for size in (10**4,):
        list(windows(size))
        list(least_spans(size))
    head = ("values", "sensitive", "l", "distinct s", "separated s", "all three s")
    table("Windows", head, (row for size in sizes for row in windows(size)))
    head = ("values", "l", "demand", "windows s", "bound s", "least + finest s", "finest s", "borders s")
    shown = ("span: bound / intervals / borders 10", "bands")
    table("Least span", (*head, *shown), (row for size in sizes for row in least_spans(size)))


if __name__ == "__main__":
    main()
