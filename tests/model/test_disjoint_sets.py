from __future__ import annotations

import numpy as np
import pytest

from hartley.model.disjoint_sets import DisjointSets, root_of, unite


@pytest.mark.parametrize("seed", range(300))
def test_groups_are_those_that_links_connect_and_the_smallest_member_leads(seed):
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 12))
    links = random.integers(0, size, (int(random.integers(0, 14)), 2)).tolist()
    groups, parent = DisjointSets.of(size), np.arange(size)
    least = list(range(size))  # the slow twin: relabel all members
    for one, other in links:
        were_two = least[one] != least[other]
        low, high = sorted((least[one], least[other]))
        least = [low if label == high else label for label in least]
        assert groups.unite(one, other) == unite(parent, one, other) == were_two
    assert groups.roots() == [root_of(parent, member) for member in range(size)] == least
