"""How much remembering partners and compiling save: our merging of pairs against trying all pairs.

Run: python benchmarks/baselines.py [public values]. The rival is the slow twin of the tests, on the
same table in the same run; both must end in the same merges.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from meter import compile_loops, timed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import reference_baselines as reference
from baseline_tables import random_joint
from hartley.baselines.pair_merging import agglomerative_bottleneck, privacy_funnel


def main(size: int) -> None:
    """Compare on one random table of this many public values."""
    compile_loops()
    joint = random_joint(np.random.default_rng(0), size, max(2, size // 4), size)
    there = reference.kept(joint, reference.Partition.singletons(size))
    print(joint)
    for name, ours, rival in (
        (
            "bottleneck",
            lambda: agglomerative_bottleneck(joint),
            lambda: reference.merge_pairs(joint, (1.0, -0.0)),
        ),
        (
            "privacy funnel at half of H(X)",
            lambda: privacy_funnel(joint, at_least=there / 2),
            lambda: reference.merge_pairs(joint, (-1.0, 0.0), (0.0, 1.0), there / 2),
        ),
    ):
        ours()  # the compiler's time is not the search's
        run, fast = timed(ours)
        merges, slow = timed(rival)
        assert run.merges == merges
        print(f"{name}: {fast} against {slow} by trying all pairs: {float(slow) / fast:.0f} times faster")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 154)
