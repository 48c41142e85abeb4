"""What a swap would change, told without making it."""

from __future__ import annotations

import random

import numpy as np

from hartley.model import JointRange
from hartley.model.requirement import Requirement
from hartley.search.enough import Enough
from hartley.search.sizes.swaps import Codes, Held, fill, gains, lacks, shift


def test_what_a_swap_would_change_is_what_it_changes():
    changes = set()
    for seed in range(60):
        source = random.Random(seed)
        pairs = [(x, s) for x in range(12) for s in source.sample(range(8), source.randint(1, 4))]
        largest, places = 3, np.array(source.sample(range(12), 12), dtype=np.int64)
        need = source.randint(1, 8)
        enough = Enough.of(JointRange.from_pairs(pairs), [Requirement("distinct-l", need)])
        codes = Codes.of(enough, 12)
        state = Held.nothing(enough.least, 4, codes)
        fill(largest, places, codes, state, np.zeros(4, dtype=np.int64))
        for _ in range(20):
            here, there = source.sample(range(12), 2)
            cluster, leaving, coming = here // largest, places[here], places[there]
            if there // largest == cluster:
                continue
            count = int(state.shown[cluster, 0])
            more = gains(cluster, leaving, coming, codes, state.held)
            change = shift(cluster, leaving, -1, codes, state) + shift(cluster, coming, 1, codes, state)
            assert state.shown[cluster, 0] == count + more
            assert lacks(count + more, need) - lacks(count, need) == change
            changes.add(change)
            shift(cluster, coming, -1, codes, state)
            shift(cluster, leaving, 1, codes, state)
    assert min(changes) < 0 < max(changes)


def test_a_cluster_that_shows_nothing_lacks_nothing():
    assert [lacks(count, 3) for count in range(5)] == [0, 2, 1, 0, 0]
