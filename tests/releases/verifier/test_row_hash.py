"""Rows counted by hash tables: every row once, as often as it came, whatever the batches and the codes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.releases.verifier.row_hash import RowNumbers, slot_of

CODES = st.sampled_from([0, 1, 2, 15, 16, 17, 2**16, 2**31 - 2, 2**31 - 1])


def counter(found: RowNumbers) -> Counter[tuple[int, ...]]:
    codes, counts = found.counted()
    rows = list(zip(*(column.tolist() for column in codes), strict=True))
    assert len(set(rows)) == len(rows), "a row that comes twice"
    return Counter(dict(zip(rows, counts.tolist(), strict=True)))


@settings(max_examples=200, deadline=None)
@given(data=st.data(), columns=st.integers(1, 5), batches=st.integers(1, 4))
def test_every_row_is_counted_as_often_as_it_came(data: st.DataObject, columns: int, batches: int) -> None:
    found, expected = RowNumbers(columns), Counter[tuple[int, ...]]()
    for _ in range(batches):
        row = st.tuples(st.tuples(*[CODES] * columns), st.integers(1, 2**40))
        rows = data.draw(st.lists(row, min_size=1, max_size=30))
        for codes, count in rows:
            expected[codes] += count
        cells = np.array([codes for codes, _ in rows], dtype=np.int32)
        found.add(list(cells.T), np.array([count for _, count in rows]))
    assert counter(found) == expected


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_many_rows_are_counted_by_compiled_loops(columns: int) -> None:
    draws = np.random.default_rng(columns)
    found, expected = RowNumbers(columns), Counter[tuple[int, ...]]()
    for _ in range(3):
        codes = [draws.integers(0, 300, 50_000, dtype=np.int32) for _ in range(columns)]
        found.add(codes, np.ones(50_000, dtype=np.int64))
        expected.update(zip(*(column.tolist() for column in codes), strict=True))
    assert counter(found) == expected


def test_compiled_and_plain_slots_are_the_same() -> None:
    slots = np.zeros((64, 2), dtype=np.int64)
    for one, other in ((0, 0), (2**31 - 1, 2**31 - 1), (12345, 678), (2**31 - 1, 0)):
        assert slot_of(slots, one, other) == slot_of.compiled(slots, one, other)
