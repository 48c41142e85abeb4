"""Many cells at once are written and read as one by one."""

from __future__ import annotations

import random
from decimal import Decimal

import numpy as np

from hartley.model import Coordinate
from hartley.releases.cell_text import cell_text, column_texts, parse_cell, parse_cells

TEXTS = [
    "0",
    "-0",
    "7",
    "-7",
    "1.5",
    "-1.50",
    "2.0",
    "-0.0",
    "00.5",
    "5.",
    ".5",
    "1e3",
    "1E-7",
    "123456789012345",
]
TEXTS += [
    "123456789012345",
    "1234567890123456",
    "1234567890123456.5",
    "0.1000000000000000055511151231257827",
    "99.0001",
]


def test_many_numbers_are_read_as_one_by_one() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        texts = rng.choices(TEXTS, k=rng.randint(1, 4))
        texts += [cell_text(rng.choice([rng.gauss(0, 1), rng.randrange(100) / 8, 1e22])) for _ in range(2)]
        alone = [parse_cell(text, "number") for text in texts]
        together = parse_cells(texts, "number")
        assert [(type(cell), str(cell)) for cell in together] == [(type(cell), str(cell)) for cell in alone]


def test_many_floats_are_written_as_one_by_one() -> None:
    rng = random.Random(6)
    odd = [0.0, -0.0, 1e22, 1e-7, 5e-324, 0.1 + 0.2, 2.0**60, float(Decimal("123456.789"))]
    for _ in range(500):
        values = np.array([rng.choice([rng.gauss(0, 1e3), float(rng.randrange(50)), *odd]) for _ in range(6)])
        for missing in (np.zeros(6, dtype=bool), np.array([False, True] * 3)):
            column = Coordinate("x", "number", values, missing)
            assert column_texts(column) == [cell_text(cell) for cell in column.cells]


def test_many_days_and_moments_are_read_as_one_by_one() -> None:
    days = ["2024-02-29", None, "0001-01-01", "2024-02-29"]
    moments = ["2024-02-29 07:30:00", "2024-02-29 07:30:00.000001", None, "9999-12-31 23:59:59"]
    assert parse_cells(days, "date") == [parse_cell(text, "date") for text in days]
    assert parse_cells(moments, "timestamp") == [parse_cell(text, "timestamp") for text in moments]
    with_zone = [f"{text}+00:00" for text in moments if text is not None]
    assert parse_cells(with_zone, "timestamp") == [parse_cell(text, "timestamp") for text in with_zone]
