"""Orders of tuples before a tree is grown."""

from __future__ import annotations

import numpy as np

from hartley.search.trees.orders import near_each_other, sorted_by


def test_several_keys_sort_as_lexsort_does() -> None:
    draw = np.random.default_rng(3)
    for most in (1, 3, 300, 70_000):
        keys = [draw.integers(0, most, 200) for _ in range(3)]
        assert sorted_by(keys).tolist() == np.lexsort(keys[::-1]).tolist()


def test_roots_stay_together_and_boxes_stand_in_few_runs() -> None:
    across, down = (one.ravel() for one in np.meshgrid(np.arange(32), np.arange(32)))
    ranks = np.column_stack([across, down, np.zeros(1024, dtype=np.int64)])
    root_of = (down >= 16).astype(np.int64)
    order = near_each_other(ranks, root_of)
    assert sorted(order.tolist()) == list(range(1024))
    assert root_of[order].tolist() == [0] * 512 + [1] * 512
    for column in (across, down):
        inside = (column < 8)[order]
        assert np.count_nonzero(inside[1:] & ~inside[:-1]) + inside[0] <= 8
