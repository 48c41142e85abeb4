"""What a swap would change, told without making it."""

from __future__ import annotations

import random

import numpy as np

from hartley.model import JointRange
from hartley.search.resolution.layout import CandidateSets
from hartley.search.resolution.swaps import fill, gains, lacks, shift


def test_what_a_swap_would_change_is_what_it_changes():
    changes = set()
    for seed in range(60):
        source = random.Random(seed)
        pairs = [(x, s) for x in range(12) for s in source.sample(range(8), source.randint(1, 4))]
        sets = CandidateSets.of(JointRange.from_pairs(pairs))
        largest, places = 3, np.array(source.sample(range(12), 12), dtype=np.int64)
        need = np.array([source.randint(1, 8)], dtype=np.int64)
        held = np.zeros((4, sets.kinds), dtype=np.int32)
        shown, lack = np.zeros((4, 1), dtype=np.int64), np.zeros(4, dtype=np.int64)
        table = (sets.starts, sets.candidates, sets.side_of, need, held, shown)
        fill(largest, places, *table, lack)
        for _ in range(20):
            here, there = source.sample(range(12), 2)
            cluster, leaving, coming = here // largest, places[here], places[there]
            if there // largest == cluster:
                continue
            count = int(shown[cluster, 0])
            more = gains(cluster, leaving, coming, sets.starts, sets.candidates, held)
            change = shift(cluster, leaving, -1, *table) + shift(cluster, coming, 1, *table)
            assert shown[cluster, 0] == count + more
            assert lacks(count + more, int(need[0])) - lacks(count, int(need[0])) == change
            changes.add(change)
            shift(cluster, coming, -1, *table)
            shift(cluster, leaving, 1, *table)
    assert min(changes) < 0 < max(changes)


def test_a_cluster_that_shows_nothing_lacks_nothing():
    assert [lacks(count, 3) for count in range(5)] == [0, 2, 1, 0, 0]
