"""Small problems by the thousand: how many joint ranges of twenty values are answered per CPU second.

python benchmarks/small_problems.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import hartley
from hartley.hot_loops import repeated

CALLS: tuple[tuple[str, Callable[[Any], Any], int], ...] = (
    ("measure(joint)", hartley.measure, 600),
    ("audit(joint)", hartley.audit, 600),
    ("greedy, l0, resolution", lambda joint: hartley.greedy(joint, "l0", "resolution"), 600),
    ("solve, l = 4, size", lambda joint: hartley.solve(joint, distinct_l=4, utility="size"), 600),
    ("solve, l = 4, midpoint", lambda joint: hartley.solve(joint, distinct_l=4, utility="midpoint"), 600),
    ("solve, l = 4, centroid", lambda joint: hartley.solve(joint, distinct_l=4, utility="centroid"), 600),
)


def main() -> None:
    """Print a line for each kind of call, without and with loops that expect to be repeated."""
    joints = [hartley.instances.load(f"line-20-{seed}").joint for seed in range(600)]
    print(f"{'call':26} {'as it is':>10} {'repeated':>10}  per CPU second")
    for name, call, times in CALLS:
        rates = []
        for expected in (1, 1000):
            with repeated(expected):
                for joint in joints[:300]:
                    call(joint)
                start = time.process_time()
                for joint in joints[:times]:
                    call(joint)
                rates.append(times / (time.process_time() - start))
        print(f"{name:26} {rates[0]:10,.0f} {rates[1]:10,.0f}", flush=True)


if __name__ == "__main__":
    main()
