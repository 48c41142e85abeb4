"""Pairs come out sorted and joined, and keys are numbered in their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.model.pair_sort import numbered_keys, rows_of_pairs

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(1, 9)), min_size=1, max_size=40)


@pytest.mark.parametrize("is_weighted", [False, True])
@given(pairs=PAIRS)
def test_pairs_are_sorted_and_joined_by_the_definition(
    is_weighted: bool, pairs: list[tuple[int, int, int]]
) -> None:
    observed, sensitive, rows = (np.array(column) for column in zip(*pairs, strict=True))
    expected: dict[tuple[int, int], int] = {}
    for x, s, n in pairs:
        expected[x, s] = expected.get((x, s), 0) + (n if is_weighted else 1)
    indptr, indices, counts = rows_of_pairs(observed, sensitive, rows if is_weighted else None, 5, 6)
    of_row = np.repeat(np.arange(5), np.diff(indptr)).tolist()
    assert list(zip(of_row, indices.tolist(), strict=True)) == sorted(expected)
    assert counts.tolist() == [expected[pair] for pair in sorted(expected)]


def test_narrow_counts_of_rows_add_up_to_more_than_they_hold() -> None:
    _, _, counts = rows_of_pairs(np.zeros(300, int), np.zeros(300, int), np.full(300, 100, np.uint8), 1, 1)
    assert counts.tolist() == [30_000]


@given(keys=st.lists(st.integers(0, 30), min_size=1, max_size=40), spare=st.sampled_from([1, 10_000]))
def test_keys_are_numbered_in_their_order(keys: list[int], spare: int) -> None:
    different, places = numbered_keys(np.array(keys), max(keys) + spare)
    assert different.tolist() == sorted(set(keys))
    assert different[places].tolist() == keys
