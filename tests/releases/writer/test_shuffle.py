"""Random orders made from counts: every row is there, and every order is as likely as any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.releases.writer.row_order import shuffled

Order = Callable[[np.random.Generator], np.ndarray]


@settings(max_examples=200, deadline=None)
@given(
    counts=st.lists(st.integers(0, 30), min_size=1, max_size=8),
    block=st.integers(1, 40),
    seed=st.integers(0, 2**64 - 1),
)
def test_every_code_comes_as_often_as_it_is_counted(counts: list[int], block: int, seed: int) -> None:
    blocks = list(shuffled(np.array(counts), np.random.default_rng(seed), block=block))
    found = np.bincount(np.concatenate([np.zeros(0, dtype=np.int32), *blocks]), minlength=len(counts))
    assert found.tolist() == counts


def in_one_block(generator: np.random.Generator) -> np.ndarray:
    return np.concatenate(list(shuffled(np.ones(4), generator)))


def in_three_blocks(generator: np.random.Generator) -> np.ndarray:
    return np.concatenate(list(shuffled(np.ones(4), generator, block=2)))


@pytest.mark.parametrize("order", [in_one_block, in_three_blocks])
def test_every_order_is_as_likely(order: Order) -> None:
    generator, turns = np.random.default_rng(20), 200 * factorial(4)
    found = Counter(tuple(order(generator).tolist()) for _ in range(turns))
    expected = turns / factorial(4)
    chi_square = sum((found[one] - expected) ** 2 / expected for one in permutations(range(4)))
    # Of 23 degrees of freedom; one sequence in a million uniform ones is above 70.
    assert chi_square < 70


def test_orders_of_equal_codes_are_as_likely_as_their_number() -> None:
    generator = np.random.default_rng(5)
    found = Counter(
        tuple(np.concatenate(list(shuffled(np.array([2, 1]), generator, block=1))).tolist())
        for _ in range(3000)
    )
    assert set(found) == {(0, 0, 1), (0, 1, 0), (1, 0, 0)}
    assert sum((times - 1000) ** 2 / 1000 for times in found.values()) < 30
