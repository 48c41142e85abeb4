"""How good and how fast the optimal searches under resolution are, as Markdown tables.

    python benchmarks/optimality_resolution.py [--quick] [--data hungarian_heart.csv]

Seconds are CPU seconds of this process, loops compiled. The greedy column is the paper's search.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

import numpy as np
from meter import compile_loops, table, timed
from sweeps import levels, sweep

from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import distinct_l
from hartley.measures.utility import Resolution
from hartley.model import JointRange
from hartley.search.answer import Answer
from hartley.search.greedy import narrowest_first
from hartley.search.sizes.withheld import Withholding, sizes_of_components

SIZES = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30)
"""The sizes of the largest cluster at which the families are compared with greedy."""


@dataclass(frozen=True)
class Family:
    """How a random table is drawn."""

    name: str
    sensitive_share: float
    """Sensitive values for each public value."""
    density: float
    """Chance of one more candidate, again and again."""
    skewed: bool = False

    def table(self, size: int, seed: int, sensitive: int | None = None) -> JointRange:
        """Draw a table of this many public values."""
        rng = random.Random(f"{self.name} {size} {seed}")
        many = sensitive or max(1, int(self.sensitive_share * size))
        publics: list[int] = []
        sensitives: list[int] = []
        for value in range(size):
            count = 1
            while rng.random() < self.density and count < many:
                count += 1
            if self.skewed:
                shown = {min(int(many * rng.random() ** 2), many - 1) for _ in range(count)}
            else:
                shown = set(rng.sample(range(many), count))
            publics += [value] * len(shown)
            sensitives += sorted(shown)
        codes = np.unique(sensitives, return_inverse=True)[1]
        return JointRange.from_codes(public_codes=np.array(publics), sensitive_codes=codes)


FAMILIES = (
    Family("uniform sparse", 0.5, 0.3),
    Family("uniform dense", 0.5, 0.7),
    Family("skewed", 0.5, 0.5, skewed=True),
    Family("functional", 0.3, 0.0),
)


def paper_data(path: Path) -> JointRange:
    """Read age by cholesterol, missing at -9."""
    with path.open() as file:
        pairs = {(float(row["chol"] or -9), int(row["age"])) for row in csv.DictReader(file)}
    return JointRange.from_pairs(sorted(pairs))


def greedy_candidates(joint: JointRange) -> list[tuple[int, int]]:
    """Give the largest cluster and the candidates of every step of the paper's search."""
    run = narrowest_first(joint, Resolution(joint.public.size))
    steps = [run.partition(step) for step in range(run.steps + 1)]
    return [(int(step.sizes.max()), distinct_l(joint, step)) for step in steps]


def best_within(points: Iterable[tuple[int, int]], largest: int) -> int:
    """Give the most candidates among points whose largest cluster is no larger."""
    return max(candidates for cost, candidates in points if cost <= largest)


def points_of(joint: JointRange, levels: Sequence[Answer]) -> list[tuple[int, int]]:
    """Give the cost and the candidates of every level."""
    return [(int(level.cost), distinct_l(joint, level.partition)) for level in levels]


def report_paper_data(path: Path) -> None:
    """Print the whole frontier of the paper's data."""
    joint = paper_data(path)
    levels(joint)
    found, seconds = timed(lambda: levels(joint))
    greedy = greedy_candidates(joint)
    points = points_of(joint, found)
    rows = [
        (level.cost, kept, best_within(greedy, int(level.cost)), "yes" if level.proven_optimal else "no")
        for level, (_, kept) in zip(found, points, strict=True)
    ]
    head = ("largest cluster", "candidates kept", "greedy", "proven")
    table(f"Age by cholesterol, L0 under resolution: {seconds} for the frontier", head, rows)
    both, seconds = timed(lambda: levels(joint, leakage="joint"))
    same = points_of(joint, both) == [point for point in points if point[0] > 1]
    proven = sum(level.proven_optimal for level in both)
    print(
        f"\nProblem (3): {proven} of {len(both)} levels proven, "
        f"{'all' if same else 'not all'} as good as without I* = 0, {seconds}."
    )


def report_families(sizes: Sequence[int], instances: int) -> None:
    """Print how many levels of random tables are proven, and what greedy loses."""
    rows = []
    all_levels = all_proven = 0
    for family in FAMILIES:
        for size in sizes:
            count = proven = greedy_better = 0
            shares: list[float] = []
            excess: list[float] = []
            seconds = 0.0
            for seed in range(instances):
                joint = family.table(size, seed)
                found, spent = timed(lambda joint=joint: levels(joint))
                seconds += spent
                count += len(found)
                proven += sum(level.proven_optimal for level in found)
                greedy, points = greedy_candidates(joint), points_of(joint, found)
                for largest in SIZES:
                    ours, theirs = best_within(points, largest), best_within(greedy, largest)
                    shares.append(theirs / ours)
                    excess.append(log2(ours / theirs))
                    greedy_better += theirs > ours
            assert not greedy_better
            all_levels, all_proven = all_levels + count, all_proven + proven
            rows.append(
                (
                    family.name,
                    size,
                    f"{proven} of {count}",
                    f"{np.mean(shares):.3f}",
                    f"{np.mean(excess):.2f}",
                    seconds / instances,
                )
            )
    head = (
        "family", "values", "levels proven", "greedy's share of the candidates", "greedy's excess, bits",
        "s per frontier",
    )  # fmt: skip
    title = f"Random tables, L0 under resolution: {all_proven} of {all_levels} levels proven"
    table(f"{title} ({all_proven / all_levels:.1%})", head, rows)


def report_ten_thousand(largest_clusters: Sequence[int], sensitive: int) -> None:
    """Print single levels of tables of ten thousand values."""
    rows = []
    for family in FAMILIES:
        joint = family.table(10_000, 0, sensitive)
        for largest in largest_clusters:
            level, seconds = timed(lambda joint=joint, largest=largest: sweep(joint).best_within(largest))
            proven = (
                "yes"
                if level.proven_optimal
                else f"gap {level.leakage_bits - level.lower_bound_bits:.3f} bit"
            )
            rows.append((family.name, largest, distinct_l(joint, level.partition), proven, seconds))
    head = ("family", "largest cluster", "candidates kept", "proven", "s")
    table(f"10,000 values, {sensitive} sensitive values, L0 under resolution", head, rows)


def sizes_of(joint: JointRange) -> list[int]:
    """Give the sizes of the largest cluster that lower what is certain."""
    return list(sizes_of_components(Withholding(joint, 0)))


def report_million(size: int) -> None:
    """Print whole frontiers of I* for very many values."""
    rows = []
    rng = np.random.default_rng(0)
    for name, parts in (("half as many components", size // 2), ("all values apart", size)):
        codes = rng.integers(0, parts, size=size) if parts < size else rng.permutation(size)
        codes = np.unique(codes, return_inverse=True)[1]
        joint = JointRange.from_codes(public_codes=np.arange(size), sensitive_codes=codes)
        found, seconds = timed(lambda joint=joint: sizes_of(joint))
        size = found[len(found) // 2]
        level, cutting = timed(lambda joint=joint, size=size: Withholding(joint, 0).answer(size))
        assert maximin_information(joint, level.partition) == level.leakage_bits
        rows.append((name, len(found), seconds, cutting))
    head = ("table", "levels, all proven", "s for the frontier", "s to build one partition")
    table(f"{size:,} values, I* under resolution", head, rows)


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller tables")
    parser.add_argument("--data", type=Path, help="the Hungarian heart data as CSV")
    options = parser.parse_args()
    compile_loops()
    if options.data:
        report_paper_data(options.data)
    report_families((50, 100) if options.quick else (50, 100, 200), 1 if options.quick else 5)
    report_ten_thousand((3, 10) if options.quick else (3, 5, 10, 20), 1_000)
    report_million(100_000 if options.quick else 1_000_000)


if __name__ == "__main__":
    main()
