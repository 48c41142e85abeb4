"""One level asked for alone, under resolution, against all set partitions of small tables."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from paper_levels import istar_level, l0_level, smallest_clusters
from reference_optimal_resolution import Truth, random_table, truth

EXACT = 1e-12


def least_ratio(known: Truth, largest: int) -> float:
    return known.least_ratio(largest)


def fewest_parts(known: Truth, largest: int) -> float:
    return known.fewest_parts(largest)


def test_one_level_alone_is_the_level_of_the_frontier() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        joint = random_table(rng, 7)
        known = truth(joint)
        for largest in range(1, joint.public.size + 1):
            for level, optimum in (
                (l0_level(joint, largest), least_ratio),
                (istar_level(joint, largest), fewest_parts),
            ):
                assert level.cost <= largest
                assert level.leaks_least
                assert level.leakage_bits == pytest.approx(log2(optimum(known, largest)), abs=EXACT)


def test_the_least_cluster_size_for_a_number_of_candidates() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        joint = random_table(rng, 7)
        known = truth(joint)
        sensitive = joint.sensitive.size
        for wanted in range(1, sensitive + 1):
            reached = smallest_clusters(joint, wanted)
            least = int(known.largest[known.ratio <= sensitive / wanted + EXACT].min())
            assert (reached.cost, reached.is_proven) == (least, True)
            assert 2**reached.leakage_bits <= sensitive / wanted + EXACT
