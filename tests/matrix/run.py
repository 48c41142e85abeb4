"""Run the matrix by hand: `python tests/matrix/run.py --all`, or a part of it."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random, SystemRandom

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from matrix.cells import combinations
from matrix.runner import Tally, ask_all, without_the_walk


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every combination, not a sample")
    parser.add_argument("--cells", type=int, default=2000, help="how many combinations are drawn")
    parser.add_argument("--seed", type=int, help="the seed; without one, a new one that is printed")
    parser.add_argument("--most", type=int, default=5, help="public values of a table, at most")
    parser.add_argument("--only", action="append", default=[], help="keep combinations that hold this word")
    parser.add_argument("--without", action="append", default=[], help="leave out those that hold this word")
    parser.add_argument("--show", type=int, default=3, help="wrong cells to show of each cause")
    parser.add_argument("--large", action="store_true", help="ask the searches for many values instead")
    given = parser.parse_args()
    if given.large:
        without_the_walk()
    seed = SystemRandom().randrange(10**9) if given.seed is None else given.seed
    print(f"seed {seed}")
    random = Random(seed)
    chosen = [
        one
        for one in combinations()
        if all(f" {word} " in f" {str(one).replace(' × ', '  ')} " for word in given.only)
        and not any(f" {word} " in f" {str(one).replace(' × ', '  ')} " for word in given.without)
    ]
    if not given.all:
        chosen = random.sample(chosen, min(given.cells, len(chosen)))
    tally, began = Tally(may_miss=given.large), time.process_time()
    ask_all(random, chosen, tally, most=given.most)
    print(
        f"{len(chosen)} cells: {tally.right} right, {len(tally.wrong)} wrong, {len(tally.refused)} refused, "
        f"{sum(tally.unproven.values())} not proven; {time.process_time() - began:.0f} s"
    )
    shown: Counter[str] = Counter()
    for wrong in tally.wrong:
        cause = wrong.splitlines()[-1].split("(")[0].strip()
        shown[cause] += 1
        if shown[cause] <= given.show:
            print(wrong)
    for cause, count in tally.by_cause.most_common():
        print(f"{count:6} {cause}")
    reasons: Counter[str] = Counter(tally.refused.values())
    for reason, count in reasons.most_common(40):
        print(f"{count:6} refused: {reason[:160]}")
    unproven: Counter[str] = Counter()
    for one, count in tally.unproven.items():
        unproven[f"{one.call} {one.cost} {one.shape} {one.reader}"] += count
    for combination, count in unproven.most_common(40):
        print(f"{count:6} not proven: {combination}")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
