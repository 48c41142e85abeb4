"""Ticks of whole columns are those of the cells one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hartley.model import Coordinate
from hartley.releases.ticks import Scale, _numbers, _plain_numbers, scale_of


def drawn(rng: random.Random) -> np.ndarray:
    size = rng.randint(1, 12)
    if rng.random() < 0.2:
        return np.array([rng.randrange(-(10**6), 10**6) for _ in range(size)])
    unit = rng.choice([1, 2, 4, 10, 100, 1000, 3, 10**7, 0.001, 1e-12])
    values = [rng.randrange(-(10**5), 10**5) / unit for _ in range(size)]
    if rng.random() < 0.3:
        values[0] = rng.choice([-0.0, 0.1 + 0.2, 1e22, 1e-7, 2.5e14, 123456789.123456])
    return np.array(values)


def same(one: Scale, other: Scale) -> bool:
    labels = [tick + 5 for tick in one.ticks if tick is not None]
    return (one.ticks, one.per_unit) == (other.ticks, other.per_unit) and [
        repr(one.value(tick)) for tick in labels
    ] == [repr(other.value(tick)) for tick in labels]


@pytest.mark.parametrize("finer", [1, 9])
def test_a_column_at_once_has_the_ticks_of_its_cells(finer: int) -> None:
    rng = random.Random(f"ticks {finer}")
    met = 0
    for _ in range(1500):
        values = drawn(rng)
        column = Coordinate("x", "number", values, np.zeros(len(values), dtype=bool))
        found = _plain_numbers(column, finer)
        if found is not None:
            met += 1
            assert same(found, _numbers(column.cells, None, finer)), values
    assert met > 500


def test_missing_cells_have_no_tick() -> None:
    column = Coordinate("x", "number", np.array([1.5, 0.0, 2.25]), np.array([False, True, False]))
    scale = scale_of(column)
    assert scale is not None
    assert scale.ticks == (1500, None, 2250)


def test_floats_of_many_digits_have_their_ticks_all_at_once() -> None:
    rng = random.Random(8)
    for _ in range(500):
        values = np.array([rng.gauss(0, 10.0 ** rng.randint(-2, 9)) for _ in range(8)])
        column = Coordinate("x", "number", values, np.zeros(8, dtype=bool))
        found = _plain_numbers(column, 1)
        if any("e" in repr(value) for value in values.tolist()):
            assert found is None
        else:
            assert found is not None
            assert same(found, _numbers(column.cells, None, 1)), values
