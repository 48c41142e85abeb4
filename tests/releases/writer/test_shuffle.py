"""Random orders made from counts: every row is there, and every order is as likely as any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from math import factorial, isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.releases.writer import row_order
from hartley.releases.writer.row_order import deal, measure_boxes, mixed_in_boxes, settle, shuffled

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


def in_boxes(generator: np.random.Generator) -> np.ndarray:
    return mixed_in_boxes(np.arange(4, dtype=np.int32), generator)


def settled(generator: np.random.Generator) -> np.ndarray:
    codes = np.arange(4, dtype=np.int32)
    assert settle(codes, 3, generator.integers(1 << 32, size=16, dtype=np.uint32)) == 0
    return codes


@pytest.mark.parametrize("order", [in_one_block, in_three_blocks, in_boxes, settled])
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


def test_a_word_that_would_favour_a_place_is_refused() -> None:
    codes = np.arange(3, dtype=np.int32)
    # 2^32 = 1 modulo 3: of the words, one too many would lead to the first place.
    assert settle(codes, 2, np.array([0], dtype=np.uint32)) == 2
    assert codes.tolist() == [0, 1, 2]
    assert settle(codes, 2, np.array([0, 1], dtype=np.uint32)) == 1
    assert codes.tolist() == [2, 1, 0]


def test_the_loops_do_the_same_compiled() -> None:
    generator = np.random.default_rng(3)
    codes = generator.integers(50, size=2000).astype(np.int32)
    boxes = generator.integers(256, size=2000, dtype=np.uint8)
    sizes = np.bincount(boxes, minlength=256)
    for measure in (measure_boxes.plain, measure_boxes.compiled):
        found = np.zeros(256, dtype=np.int64)
        measure(boxes, found)
        assert found.tolist() == sizes.tolist()
    words = generator.integers(1 << 32, size=2100, dtype=np.uint32)
    outcomes = []
    for lay, mix in ((deal.plain, settle.plain), (deal.compiled, settle.compiled)):
        dealt = np.empty_like(codes)
        lay(codes, boxes, np.cumsum(sizes) - sizes, dealt)
        unsettled = mix(dealt, len(dealt) - 1, words)
        outcomes.append((dealt.tolist(), unsettled))
    assert outcomes[0] == outcomes[1]


def test_large_blocks_go_through_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_order, "BOXED_FROM", 1000)
    monkeypatch.setattr(row_order, "_SPARE", 0)  # so that words run out, and more are drawn
    (block,) = shuffled(np.full(40, 100), np.random.default_rng(9))
    assert np.bincount(block).tolist() == [100] * 40
    # A random order of 4000 places: the mean place of a code's rows is near the middle.
    middle = np.array([np.flatnonzero(block == code).mean() for code in range(40)])
    assert abs(middle - 2000).max() < 5 * 4000 / isqrt(12 * 100)
