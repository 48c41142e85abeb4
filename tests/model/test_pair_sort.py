"""Sorting pairs by counting gives what sorting by comparison gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.model.pair_sort import (
    _by_comparison,
    _on_grid,
    by_counting,
    count_pairs,
    numbered_keys,
    rows_of_pairs,
)

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(1, 9)), min_size=1, max_size=40)


@pytest.mark.parametrize("is_weighted", [False, True])
@given(pairs=PAIRS)
def test_counting_agrees_with_comparing_and_with_the_definition(
    is_weighted: bool, pairs: list[tuple[int, int, int]]
) -> None:
    observed, sensitive, rows = (np.array(column) for column in zip(*pairs, strict=True))
    weights = rows if is_weighted else None
    expected: dict[tuple[int, int], int] = {}
    for x, s, n in pairs:
        expected[x, s] = expected.get((x, s), 0) + (n if is_weighted else 1)
    indptr, indices, counts = _by_comparison(observed, sensitive, weights, 5, 6)
    of_row = np.repeat(np.arange(5), np.diff(indptr)).tolist()
    assert list(zip(of_row, indices.tolist(), strict=True)) == sorted(expected)
    assert counts.tolist() == [expected[pair] for pair in sorted(expected)]

    for one, other in zip(
        _on_grid(observed, sensitive, weights, 5, 6), (indptr, indices, counts), strict=True
    ):
        assert one.tolist() == other.tolist()

    plain = (np.zeros(6, np.int64), np.empty(len(pairs), np.int32), np.empty(len(pairs), np.int64))
    found = count_pairs(
        observed, sensitive, rows if is_weighted else rows[:0], 6, np.empty(len(pairs), np.int32), *plain
    )
    assert plain[0].tolist() == indptr.tolist()
    assert plain[1][:found].tolist() == indices.tolist()
    assert plain[2][:found].tolist() == counts.tolist()


@pytest.mark.parametrize("size", [3, 700])
def test_the_compiled_loop_agrees_on_many_pairs(size: int) -> None:
    rng = np.random.default_rng(size)
    observed, sensitive = rng.integers(0, size, 600_000), rng.integers(0, 500, 600_000)
    rows = rng.integers(1, 4, 600_000)
    for weights in (None, rows):
        counted = by_counting(observed, sensitive, weights, size, 500)
        compared = _by_comparison(observed, sensitive, weights, size, 500)
        chosen = rows_of_pairs(observed, sensitive, weights, size, 500)
        for one, other, third in zip(counted, compared, chosen, strict=True):
            assert np.array_equal(one, other)
            assert np.array_equal(one, third)


@given(keys=st.lists(st.integers(0, 30), min_size=1, max_size=40), spare=st.sampled_from([1, 10_000]))
def test_keys_are_numbered_in_their_order(keys: list[int], spare: int) -> None:
    different, places = numbered_keys(np.array(keys), max(keys) + spare)
    assert different.tolist() == sorted(set(keys))
    assert different[places].tolist() == keys
