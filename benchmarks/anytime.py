"""What a frontier is after 1, 3, 10 and 30 seconds, on tables that are hard to prove.

    python benchmarks/anytime.py [--limits 1,3,10,30] [--only WORDS]

Every limit is a search of its own, from the beginning, greedy start included, as the command line makes it.
The limit is in CPU seconds of this process, so that what else the machine does matters little (the command's
``--time-limit`` goes by the clock on the wall). *Cost* is what the leakages of the longest search cost within
a limit, over what they cost in the end, on average. *Gap* is the least leakage found less the bound, in bits,
on average over the costs of the longest search. Neither counts that a longer search has more levels.
``python docs/images/anytime.py`` draws the table once it stands in docs/optimality.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from ablation import clinic_table, line_tables, with_side
from meter import Seconds, table, timed
from optimality_resolution import FAMILIES

from hartley.frontiers import Frontier
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model.words import ROUNDING
from hartley.search.effort import Effort
from hartley.search.frontier import frontier as optimal_frontier
from hartley.search.problem import Problem


def pulse() -> Problem:
    """Return ages by pulse of the made-up clinic, means as released values."""
    joint, positions = clinic_table(5, 0)
    return Problem(joint=joint, leakage="l0", utility=LineDistortion(positions, "centroid"))


def dense() -> Problem:
    """Return 200 values of many candidates each."""
    family = next(family for family in FAMILIES if family.name == "uniform dense")
    return Problem(joint=family.table(200, 0), leakage="l0", utility=Resolution(200))


def connected() -> Problem:
    """Return 100 values on a line, means as released values, nothing to be certain."""
    joint, positions = list(line_tables((100,)))[2]
    return Problem(joint=joint, leakage="joint", utility=LineDistortion(positions, "centroid"))


def beside() -> Problem:
    """Return 60 values with side information."""
    family = next(family for family in FAMILIES if family.name == "skewed")
    return Problem(joint=with_side(family.table(60, 1), 2, 60), leakage="l0", utility=Resolution(60))


QUESTIONS: dict[str, Callable[[], Problem]] = {
    "clinic, age by pulse, L0, centroid": pulse,
    "uniform dense, 200 values, L0, resolution": dense,
    "line, 100 values, problem (3), centroid": connected,
    "skewed, 60 values, side information, L0, resolution": beside,
}


def within(question: Problem, seconds: float) -> Frontier:
    """Search a frontier for so many CPU seconds."""
    end = time.process_time() + seconds
    effort = Effort(
        should_stop=lambda: time.process_time() >= end,
        remaining=lambda: max(end - time.process_time(), 0.0),
    )
    return optimal_frontier(question, effort)


def cost_ratio(found: Frontier, last: Frontier) -> float:
    """Return what the leakages of the last frontier cost in one, over their cost in the last, on average."""
    ratios = []
    for point in last.points:
        costs = [p.cost for p in found.points if p.leakage_bits <= point.leakage_bits + ROUNDING]
        if point.cost > 0:
            ratios.append(min(costs) / point.cost)
    return sum(ratios) / len(ratios) if ratios else 1.0


def gap(found: Frontier, last: Frontier) -> float:
    """Return leakage less its bound within the costs of the last frontier, on average."""
    gaps = []
    for point in last.points:
        cost = point.cost * (1 + 1e-9)
        least = min(p.leakage_bits for p in found.points if p.cost <= cost)
        # What nothing within a greater cost goes below, nothing within this one does.
        bounds = [p.lower_bound_bits or 0.0 for p in found.points if p.cost * (1 + 1e-9) >= cost]
        gaps.append(least - max(bounds, default=0.0))
    return sum(gaps) / len(gaps)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limits", default="1,3,10,30", help="CPU seconds, with commas between")
    parser.add_argument("--only", default="", help="only tables whose name holds one of these words")
    options = parser.parse_args()
    limits = [float(limit) for limit in options.limits.split(",")]
    rows = []
    for name, build in QUESTIONS.items():
        if not any(word in name for word in options.only.split(",")):
            continue
        question = build()
        within(question, 0.3)  # loads or compiles the loops
        found: list[tuple[Frontier, Seconds]] = []
        for limit in limits:
            if not found or not found[-1][0].complete:  # what came to its end does so again
                found.append(timed(lambda q=question, limit=limit: within(q, limit)))
            else:
                found.append(found[-1])
        last = found[-1][0]
        for limit, (frontier, spent) in zip(limits, found, strict=True):
            points = frontier.points
            proven = sum(point.proven_optimal for point in points)
            ratio = f"{cost_ratio(frontier, last):.4f}"
            rows.append((name, f"{limit:g}", len(points), proven, ratio, f"{gap(frontier, last):.3f}", spent))
    head = ("table", "limit, s", "levels", "proven", "cost", "gap, bits", "CPU, memory")
    table("Frontiers under a limit", head, rows)


if __name__ == "__main__":
    main()
