"""How good and how fast the optimal searches under distortion are, as Markdown tables.

    python benchmarks/optimality_distortion.py [--quick] [--data hungarian_heart.csv]

Seconds are CPU seconds of this process. The greedy column is the paper's search with the same codeword.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from meter import compile_loops, table, timed
from sweeps import levels, sweep

from hartley.measures.uncertainty import distinct_l
from hartley.measures.utility import LineDistortion
from hartley.model import JointRange
from hartley.model.words import Codeword
from hartley.search.answer import Answer
from hartley.search.greedy import narrowest_first


def solved(joint: JointRange, utility: LineDistortion, wanted: int) -> Answer:
    """Return the least cost of one number of candidates, in ticks."""
    return sweep(joint, utility).solve(wanted)


def greedy_costs(joint: JointRange, utility: LineDistortion) -> dict[int, float]:
    """Give the least distortion of a step of the paper's search, for each number of candidates."""
    run = narrowest_first(joint, utility)
    costs: dict[int, float] = {}
    for step in range(run.steps + 1):
        partition = run.partition(step)
        cost, reached = float(utility.costs(partition).max()), distinct_l(joint, partition)
        for wanted in range(1, reached + 1):
            costs[wanted] = min(cost, costs.get(wanted, np.inf))
    return costs


def paper_data(path: Path) -> JointRange:
    """Read age by cholesterol, missing at -9."""
    with path.open() as lines:
        rows = sorted((float(row["chol"] or -9), int(row["age"])) for row in csv.DictReader(lines))
    return JointRange.from_pairs(rows, positions={x: x for x, _ in rows})


def paper_levels(joint: JointRange, codeword: Codeword) -> None:
    """Show the whole frontier of the paper's data."""
    utility = LineDistortion.of(joint.public, codeword)
    found, seconds = timed(lambda: levels(joint, utility))
    greedy = greedy_costs(joint, utility)
    rows = []
    for level in found:
        reached = round(joint.sensitive.size / 2**level.leakage_bits)
        most = round(joint.sensitive.size / 2**level.lower_bound_bits)
        rows.append(
            (
                reached,
                level.cost,
                "proven" if level.proven_optimal else f"at most {most}",
                greedy.get(reached, "-"),
            )
        )
    proven = sum(level.proven_optimal for level in found)
    table(
        f"hungarian_heart, L0, {codeword}: {proven} of {len(rows)} levels proven, {seconds}",
        ("distinct l", "distortion", "candidates at this distortion", "greedy distortion"),
        rows,
    )


def random_joint(size: int, values: int, density: float, seed: int) -> tuple[JointRange, np.ndarray]:
    """Random values on a line; a sensitive value each, and another with this probability, again and again."""
    source = random.Random(seed)
    positions = np.array(sorted(source.sample(range(4 * size), size)), dtype=float)
    public, sensitive = [], []
    number: dict[int, int] = {}
    for x in range(size):
        held = {source.randrange(values)}
        while source.random() < density and len(held) < values:
            held.add(source.randrange(values))
        public += [x] * len(held)
        sensitive += [number.setdefault(s, len(number)) for s in sorted(held)]
    joint = JointRange.from_codes(public_codes=np.array(public), sensitive_codes=np.array(sensitive))
    return joint, positions


def random_families(sizes: Iterable[int], instances: int) -> None:
    """Show how many levels of random families are proven."""
    rows = []
    for size in sizes:
        families = ((size // 3, 0.1), (10, 0.3), (size // 2, 0.3), (25, 0.5))
        for codeword in ("midpoint", "centroid"):
            proven = total = 0
            ratios, greedy_ratios, longest = [], [], 0.0
            for number in range(instances):
                values, density = families[number % len(families)]
                joint, positions = random_joint(size, values, density, 1000 * size + number)
                utility = LineDistortion(positions, codeword)
                greedy = greedy_costs(joint, utility)
                for wanted in (2, 3, 5, 8):
                    if wanted > joint.sensitive.size:
                        continue
                    best, seconds = timed(lambda j=joint, u=utility, w=wanted: solved(j, u, w))
                    longest = max(longest, seconds)
                    proven += best.is_settled
                    total += 1
                    ratios.append(best.cost / best.bound if best.bound else 1.0)
                    if wanted in greedy and best.cost:
                        greedy_ratios.append(greedy[wanted] / best.cost)
            beside = float(np.mean(greedy_ratios)) if greedy_ratios else "-"
            rows.append((size, codeword, total, proven, float(np.mean(ratios)), beside, longest))
    table(
        "Random families, L0: least distortion for 2, 3, 5, 8 candidates",
        ("n", "codeword", "levels", "proven", "found / bound", "greedy / found", "longest s"),
        rows,
    )


def long_lines(sizes: Iterable[int]) -> None:
    """Show bound and distortion on long lines."""
    rows = []
    for size in sizes:
        source = np.random.default_rng(size)
        values = 1000
        positions = np.sort(source.choice(20 * size, size, replace=False)).astype(float)
        twice = np.flatnonzero(source.random(size) < 0.4)
        public = np.concatenate([np.arange(size), twice])
        sensitive = source.integers(0, values, len(public))
        sensitive[:values] = np.arange(values)
        joint = JointRange.from_codes(public_codes=public, sensitive_codes=sensitive)
        utility = LineDistortion(positions)
        solved(joint, utility, 2)  # compiles, where that was not done before
        for wanted in (2, 5, 20, 100):
            best, seconds = timed(lambda j=joint, u=utility, w=wanted: solved(j, u, w))
            rows.append((size, wanted, best.cost, best.bound, best.cost / best.bound, seconds))
    table(
        "Long lines, L0, midpoint, 1000 sensitive values",
        ("n", "distinct l", "distortion", "bound", "found / bound", "s"),
        rows,
    )


def components(sizes: Iterable[int]) -> None:
    """Show how many levels of I* are proven."""
    rows = []
    for size in sizes:
        for codeword in ("midpoint", "centroid"):
            closed = total = 0
            found_sum = bound_sum = longest = 0.0
            for number in range(12 if size <= 200 else 3):
                source = random.Random(size + number)
                positions = np.array(sorted(source.sample(range(10 * size), size)), dtype=float)
                groups = int((0.5, 0.8, 0.95)[number % 3] * size)
                code: dict[int, int] = {}
                codes = [code.setdefault(source.randrange(groups), len(code)) for _ in range(size)]
                joint = JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=np.array(codes))
                utility = LineDistortion(positions, codeword)
                for cost in (3.0, 5.0, 8.0, 12.0, 20.0, 40.0):
                    level, seconds = timed(
                        lambda j=joint, u=utility, c=cost: sweep(j, u, "istar").best_within(c)
                    )
                    longest = max(longest, seconds)
                    closed += level.proven_optimal
                    total += 1
                    found_sum += 2**level.leakage_bits
                    bound_sum += 2**level.lower_bound_bits
            rows.append((size, codeword, total, closed, found_sum / total, bound_sum / total, longest))
    table(
        "I*: fewest components within a distortion of 3, 5, 8, 12, 20, 40 (values about 10 apart)",
        ("n", "codeword", "levels", "proven", "mean components", "mean bound", "longest s"),
        rows,
    )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--data", type=Path, default=None, help="hungarian_heart.csv")
    options = parser.parse_args()
    compile_loops()
    if options.data is not None:
        joint = paper_data(options.data)
        for codeword in ("midpoint", "member", "centroid")[: 1 if options.quick else 3]:
            paper_levels(joint, codeword)
    random_families((30, 60) if options.quick else (30, 60, 100, 150), 4 if options.quick else 8)
    components((30, 100) if options.quick else (30, 50, 100, 200, 500, 1000))
    long_lines((10_000,) if options.quick else (10_000, 100_000, 1_000_000))


if __name__ == "__main__":
    main()
