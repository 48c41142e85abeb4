"""How many random questions about one public column are proven, at what cost and in what time, as a table.

    python benchmarks/one_column.py [--questions 42] [--seed 0]

Questions are of 20 to 40 public values, for each way to count what a cluster costs: one number of candidates,
the same with a number of rows, frontiers of each leakage, and by size also frontiers beside side information.
Seconds are CPU seconds of this process, after a first question that compiles loops.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np
import sweeps
from meter import compile_loops

from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange
from hartley.model.requirement import Requirement
from hartley.search.enough import Enough
from hartley.search.line.cheapest import cheapest_clusters
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.sizes.search import least_largest_cluster

COSTS = ("midpoint", "member", "centroid", "size")


def random_table(rng: np.random.Generator, *, with_side: bool = False) -> JointRange:
    """Return 20 to 40 public values with one to three of a few sensitive values each."""
    size, kinds = int(rng.integers(20, 41)), int(rng.integers(4, 11))
    public = np.repeat(np.arange(size), rng.integers(1, 4, size))
    sensitive = np.append(rng.integers(kinds, size=len(public)), np.arange(kinds))
    public = np.append(public, rng.integers(size, size=kinds))
    side = rng.integers(3, size=len(public)) if with_side else None
    return JointRange.from_codes(public_codes=public, sensitive_codes=sensitive, side_codes=side)


def utility_of(cost: str, joint: JointRange, rng: np.random.Generator) -> LineDistortion | Resolution:
    """Return what a cluster costs; along a line at whole positions with random gaps."""
    positions = np.cumsum(rng.integers(1, 10, joint.public.size)).astype(float)
    return Resolution(joint.public.size) if cost == "size" else LineDistortion(positions, cost)  # type: ignore[arg-type]


def asked(cost: str, joint: JointRange, rng: np.random.Generator, row_k: int) -> tuple[int, int, float]:
    """Answer one question; give how many answers there are, how many are proven, and the cost."""
    utility = utility_of(cost, joint, rng)
    wanted = [Requirement("distinct-l", int(rng.integers(2, 5)))]
    if row_k:
        wanted.append(Requirement("row-k", row_k))
    if isinstance(utility, Resolution):
        found = least_largest_cluster(Enough.of(joint, wanted))
    else:
        found = cheapest_clusters(OrderedValues.of(joint, utility, wanted))
    return 1, int(found.is_proven), found.cost


def frontier(cost: str, joint: JointRange, rng: np.random.Generator, leakage: str) -> tuple[int, int, float]:
    """Search a frontier; its cost is the area under the levels, the less the better."""
    levels = sweeps.levels(joint, utility_of(cost, joint, rng), leakage)  # type: ignore[arg-type]
    area, bits = 0.0, 10.0
    for level in levels:
        area += (bits - level.leakage_bits) * level.cost
        bits = level.leakage_bits
    return len(levels), sum(level.proven_optimal for level in levels), area


def kinds_of_question(
    cost: str,
) -> Iterator[tuple[str, Callable[[np.random.Generator], tuple[int, int, float]]]]:
    """Yield the kinds of question with what answers one."""
    yield "l", lambda rng: asked(cost, random_table(rng), rng, 0)
    yield "l and k", lambda rng: asked(cost, random_table(rng), rng, 4)
    for leakage in ("l0", "istar", "joint"):
        yield f"frontier {leakage}", lambda rng, of=leakage: frontier(cost, random_table(rng), rng, of)
    if cost == "size":
        for leakage in ("l0", "istar", "joint"):
            yield (
                f"side {leakage}",
                lambda rng, of=leakage: frontier(cost, random_table(rng, with_side=True), rng, of),
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=42)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    compile_loops()
    print("| cost | question | answers | proven | sum of costs | CPU s |\n|---|---|---|---|---|---|")
    for cost in COSTS:
        for name, answer in kinds_of_question(cost):
            if given.only not in f"{cost} {name}":
                continue
            answer(np.random.default_rng([given.seed, 1_000_000]))
            begin = time.process_time()
            found = [answer(np.random.default_rng([given.seed, number])) for number in range(given.questions)]
            seconds = time.process_time() - begin
            totals = [sum(column) for column in zip(*found, strict=True)]
            print(
                f"| {cost} | {name} | {totals[0]} | {totals[1]} | {totals[2]:.6g} | {seconds:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
