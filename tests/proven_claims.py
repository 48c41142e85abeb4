"""What frontiers claim, against exact optima by another method: a long run by hand, with a seed and a count.

    python tests/proven_claims.py --frontiers 1000 [--seed 1] [--seconds 4]

Each frontier is of 13 to 16 public values, too many to go through all partitions, and is searched as the
command searches it. Dynamic programming over subsets (:mod:`reference_subsets`) then tells of every point
whether its two bounds are true, and whether what is called proven is the optimum. Points that lie between
two proven ones and were not found are counted apart: bounds of points do not exclude them, and nothing
says that they do. Leaves with exit code 1 where a claim is false.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange
from hartley.search.effort import Effort
from paper_levels import optimal_levels
from reference_subsets import Subsets, line_costs, sizes

QUESTIONS = [
    *((utility, leakage, "alone") for utility in ("resolution", "midpoint", "centroid", "member")
      for leakage in ("l0", "istar", "joint")),
    *((utility, "l0", reader) for utility in ("resolution", "midpoint") for reader in ("side", "kept")),
]  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """What became of the claims of one frontier."""

    question: tuple[str, str, str]
    points: int
    proven: int
    missing: int
    """True points between proven ones that are not there."""
    false: tuple[str, ...]


def judge(seed: int, number: int, size: int | None = None, seconds: float = inf) -> Judged:
    """Draw a table, search its frontier, and hold every claim against the truth."""
    chance = np.random.default_rng([seed, number])
    question = QUESTIONS[number % len(QUESTIONS)]
    utility_name, leakage, reader = question
    values = size or int(chance.choice((13, 14, 15, 16), p=(0.6, 0.2, 0.12, 0.08)))
    joint, shown, known = _table(chance, values, reader)
    utility: Any = Resolution(values)
    costs = sizes(values)
    costs[0] = 0
    if utility_name != "resolution":
        places = np.sort(chance.choice(chance.choice((20, 60, 400)), size=values, replace=False))
        utility = LineDistortion(places.astype(float), utility_name)
        costs = line_costs([Fraction(int(place)) for place in places], utility_name)
    subsets = Subsets(costs, shown, known)
    ends = time.process_time() + seconds
    effort = Effort(
        should_stop=lambda: time.process_time() > ends, remaining=lambda: ends - time.process_time()
    )
    found = optimal_levels(joint, leakage, utility, effort)  # type: ignore[arg-type]
    false: list[str] = []
    missing = 0
    for place, level in enumerate(found.levels):
        slack = 1e-9 * max(1.0, level.cost)
        if subsets.has(leakage, level.cost + slack, level.lower_bound_bits - 1e-7):
            false.append(f"less than {level.lower_bound_bits} bits at cost {level.cost}")
        least = subsets.least_cost(leakage, level.leakage_bits)
        if level.lower_bound_cost is not None and level.lower_bound_cost > least + slack:
            false.append(f"cost {least} where {level.lower_bound_cost} is the bound")
        if level.proven_optimal and not np.isclose(least, level.cost, rtol=1e-9, atol=1e-12):
            false.append(f"proven at {level.cost}, and {least} is possible")
        after = found.levels[place + 1] if place + 1 < len(found.levels) else None
        if after is not None and level.proven_optimal and after.proven_optimal:
            below = after.cost - 1e-9 * max(1.0, after.cost)
            missing += subsets.has(leakage, below, level.leakage_bits - 1e-6)
    proven = sum(level.proven_optimal for level in found.levels)
    return Judged(question, len(found.levels), proven, missing, tuple(false))


def _table(
    chance: np.random.Generator, values: int, reader: str
) -> tuple[JointRange, tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Draw who is seen with what; half the tables are poor in sensitive values, so that they fall apart."""
    sides = 1 if reader == "alone" else 2
    secrets = int(chance.integers(3, 9))
    rows: list[tuple[int, int, int]] = []
    for value in range(values):
        drawn = range(int(chance.integers(1, 3)))
        rows += [(value, int(chance.integers(secrets)), int(chance.integers(sides))) for _ in drawn]
    rows += [
        (int(chance.integers(values)), secret, side) for secret in range(secrets) for side in range(sides)
    ]
    public, sensitive, side = (np.array(column) for column in zip(*rows, strict=True))
    joint = JointRange.from_codes(
        public_codes=public, sensitive_codes=sensitive, side_codes=side if sides > 1 else None
    )
    shown = [[0] * values for _ in range(sides)]
    for value, secret, known in rows:
        shown[known][value] |= 1 << secret
    if reader == "kept":
        joint = joint.knowing(0)
    before = tuple(range(sides)) if reader == "side" else (0,) * sides
    return joint, tuple(map(tuple, shown)), before


def main() -> int:
    """Judge frontiers, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frontiers", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=4.0, help="processor time for each search")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    between: Counter[tuple[str, str, str]] = Counter()
    for number in range(given.first, given.first + given.frontiers):
        judged = judge(given.seed, number, seconds=given.seconds)
        counts += Counter(frontiers=1, points=judged.points, proven=judged.proven, false=len(judged.false))
        between[judged.question] += judged.missing
        for claim in judged.false:
            print(f"frontier {number} of seed {given.seed}, {judged.question}: {claim}", flush=True)
        if number % 50 == 49:
            print(dict(counts), "between proven points:", dict(+between), flush=True)
    print(f"seed {given.seed}:", dict(counts), "between proven points:", dict(+between))
    return 1 if counts["false"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
