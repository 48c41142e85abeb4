from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.errors import InputError
from hartley.model import MergeTree, Partition


@st.composite
def runs(draw: st.DrawFn) -> tuple[MergeTree, list[Partition]]:
    size = draw(st.integers(1, 9))
    now, kept, joined, ends = Partition.singletons(size), [], [], [0]
    road = [now]
    while now.size > 1 and draw(st.booleans()):
        for _ in range(draw(st.integers(1, now.size - 1))):
            a, b = sorted(draw(st.permutations(range(now.size)))[:2])
            kept.append(int(now.firsts[a]))
            joined.append(int(now.firsts[b]))
            now = now.merge(a, b)
        ends.append(len(kept))
        road.append(now)
    return MergeTree(size, np.array(kept, int), np.array(joined, int), np.array(ends)), road


@given(runs())
def test_the_partition_at_every_step_is_the_one_on_the_road(run):
    tree, road = run
    assert tree.steps == len(road) - 1
    assert [tree.partition(step) for step in range(tree.steps + 1)] == road


@pytest.mark.parametrize(
    ("kept", "joined", "ends"),
    [
        ([0, 0, 0], [1, 2, 3], [0, 3]),
        ([1], [0], [0, 1]),
        ([0], [3], [0, 1]),
        ([0, 1], [2, 2], [0, 2]),
        ([0], [1], [0, 0, 1]),
        ([0], [1], [0]),
        ([0], [1], [1]),
    ],
)
def test_what_is_no_run_is_refused(kept, joined, ends):
    with pytest.raises(InputError):
        MergeTree(3, np.array(kept), np.array(joined), np.array(ends))


def test_a_step_outside_the_run_is_refused():
    with pytest.raises(InputError, match="steps 0 to 1"):
        MergeTree.of_merges(2, np.array([0]), np.array([1])).partition(2)
