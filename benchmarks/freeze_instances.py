"""Work out the optima of the frozen instances anew and write them beside ``hartley.instances``.

Of 8 values all partitions are looked at, of 10 the least costs of L0 come from a program over subsets; both
are written here and share nothing with the searches. Of 20 and 30 values only what a search proves is kept;
what it proves of 8 and 10 values is compared.

    python benchmarks/freeze_instances.py
"""

from __future__ import annotations

import json
import sys
from math import log2
from pathlib import Path

import hartley
from hartley import JointRange, Partition, instances
from hartley.instances import load, names
from hartley.measures.overlap import components
from hartley.measures.uncertainty import candidate_counts
from hartley.measures.utility import LineDistortion, Resolution, Utility

PLACE = Path(instances.__file__).with_suffix(".json")


def utilities(joint: JointRange) -> dict[str, Utility]:
    """Return the costs by name."""
    line = joint.public
    return {
        "size": Resolution(line.size),
        "midpoint": LineDistortion.of(line, "midpoint"),
        "centroid": LineDistortion.of(line, "centroid"),
    }


def by_all_partitions(joint: JointRange) -> dict[str, dict[int, float]]:
    """Return the least cost of every level by looking at every partition."""
    found: dict[str, dict[int, float]] = {}
    costs = utilities(joint)
    for partition in Partition.all(joint.public.size):
        levels = {
            "l0": int(candidate_counts(joint, partition).min()),
            "istar": components(joint, partition).size,
        }
        for name, utility in costs.items():
            cost = float(utility.costs(partition).max())
            for leakage, level in levels.items():
                best = found.setdefault(f"{leakage} {name}", {})
                best[level] = min(best.get(level, cost), cost)
    return {question: steps(best, rising=question.startswith("l0")) for question, best in found.items()}


def steps(best: dict[int, float], *, rising: bool) -> dict[int, float]:
    """Return the least cost of each level or a better one, for levels that are reached."""
    kept: dict[int, float] = {}
    least = float("inf")
    for level in sorted(best, reverse=rising):
        least = min(least, best[level])
        kept[level] = least
    return dict(sorted(kept.items()))


def by_subsets(joint: JointRange, utility: Utility) -> dict[int, float]:
    """Return the least cost of every number of candidates: the best first cluster, and what it leaves."""
    size = joint.public.size
    bits = [sum(1 << int(code) for code in joint.candidates(value)) for value in range(size)]
    held, cost = [0] * (1 << size), [0.0] * (1 << size)
    for mask in range(1, 1 << size):
        members = [value for value in range(size) if mask >> value & 1]
        for value in members:
            held[mask] |= bits[value]
        inside = Partition.from_clusters(
            [members, *([value] for value in range(size) if value not in members)]
        )
        cost[mask] = (
            float(utility.costs(inside).max()) if len(members) > 1 else float(utility.name == "resolution")
        )
    best: dict[int, float] = {}
    for wanted in range(1, joint.sensitive.size + 1):
        least = [0.0] + [float("inf")] * ((1 << size) - 1)
        enough = [mask.bit_count() >= wanted for mask in held]
        for mask in range(1, 1 << size):
            first = mask & -mask
            others = mask ^ first
            part = others
            while True:
                cluster = part | first
                if enough[cluster]:
                    least[mask] = min(least[mask], max(cost[cluster], least[mask ^ cluster]))
                if not part:
                    break
                part = (part - 1) & others
        if least[-1] < float("inf"):
            best[wanted] = least[-1]
    return best


def by_search(joint: JointRange, leakage: str, utility: Utility) -> dict[int, float] | None:
    """Return the least cost of every level where a frontier proves all of them."""
    found = hartley.frontier(joint, leakage=leakage, utility=utility, time_limit=20)
    if not all(point.proven_optimal for point in found):
        return None
    best = {}
    for point in found:
        level = point.distinct_l if leakage == "l0" else round(2**point.leakage_bits)
        assert leakage != "l0" or abs(point.leakage_bits - log2(joint.sensitive.size / level)) < 1e-12
        best[level] = float(point.largest_cluster if point.max_distortion is None else point.max_distortion)
    most = max(best)
    if leakage == "l0":  # every number of candidates up to the most
        return {
            level: min(cost for reached, cost in best.items() if reached >= level)
            for level in range(1, most + 1)
        }
    return dict(sorted(best.items()))


def optima(name: str) -> dict[str, dict[int, float]]:
    """Return what is known of an instance; raise where two ways disagree."""
    joint = load(name).joint
    known: dict[str, dict[int, float]] = {}
    if joint.public.size == 8:
        known = by_all_partitions(joint)
        known |= {f"l0 {one}": by_subsets(joint, utility) for one, utility in utilities(joint).items()}
    if joint.public.size == 10:
        known = {f"l0 {one}": by_subsets(joint, utility) for one, utility in utilities(joint).items()}
    for leakage in ("l0", "istar"):
        for one, utility in utilities(joint).items():
            if one == "centroid" and joint.public.size > 10:
                continue
            question = f"{leakage} {one}"
            found = by_search(joint, leakage, utility)
            if question not in known:
                if found is not None:
                    known[question] = found
                continue
            assert found is not None, (name, question)
            levels = known[question]
            for level, cost in found.items():
                assert abs(levels[level] - cost) < 1e-9, (name, question, level, levels[level], cost)
    return known


def main() -> None:
    """Write the file."""
    told = {}
    for number, name in enumerate(names()):
        told[name] = {
            question: {str(level): round(cost, 9) for level, cost in best.items()}
            for question, best in sorted(optima(name).items())
        }
        if number % 10 == 9:
            print(name, sum(map(len, told.values())), "questions", file=sys.stderr, flush=True)
    lines = (f'"{name}":{json.dumps(known, separators=(",", ":"))}' for name, known in told.items())
    PLACE.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
