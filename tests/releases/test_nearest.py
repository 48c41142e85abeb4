"""Which value that was seen is nearest: exactly, with ties, decimals, dates and numbers beyond 2^53."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal
from fractions import Fraction
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from hartley.errors import PolicyError
from hartley.releases.nearest import Nearest


def book(kinds: list[str], clusters: list[list[tuple[Any, ...]]]) -> Any:
    """A policy, as far as it is looked at."""
    return SimpleNamespace(
        public=[SimpleNamespace(kind=kind) for kind in kinds],
        clusters=[SimpleNamespace(label=(str(number),)) for number in range(len(clusters))],
        entries=lambda: [(value, number) for number, cluster in enumerate(clusters) for value in cluster],
    )


def place(cell: Any) -> Fraction:
    if isinstance(cell, dt.date):
        return Fraction(cell.toordinal())
    return Fraction(cell)


def twin(kinds: list[str], clusters: list[list[tuple[Any, ...]]], value: tuple[Any, ...]) -> int | None:
    """The definition: the least worst distance in units of the ranges, then the earlier cluster."""
    spans = []
    for column in range(len(kinds)):
        if kinds[column] == "text":
            spans.append(Fraction(1))
            continue
        at = [place(one[column]) for cluster in clusters for one in cluster if one[column] is not None]
        spans.append((max(at) - min(at) if at else 0) or Fraction(1))
    best: tuple[Any, int] = (inf, -1)
    for number, cluster in enumerate(clusters):
        for one in cluster:
            worst: Any = Fraction(0)
            for column, (a, b) in enumerate(zip(value, one, strict=True)):
                if a != b and (kinds[column] == "text" or a is None or b is None):
                    worst = inf
                elif a != b:
                    worst = max(worst, abs(place(a) - place(b)) / spans[column])
            best = min(best, (worst, number))
    return None if best[0] == inf else best[1]


def some_cell(chance: random.Random, kind: str, scale: int) -> Any:
    if chance.random() < 0.08:
        return None
    step = chance.randrange(12)
    return {
        "number": 2**scale + step if scale else Decimal(step) / 10,
        "date": dt.date(2024, 2, 20) + dt.timedelta(days=step),
        "text": "ab"[step % 2],
    }[kind]


@pytest.mark.parametrize("kinds", [["number"], ["date"], ["number", "date"], ["number", "text", "number"]])
def test_the_nearest_value_is_that_of_the_definition(kinds: list[str]) -> None:
    chance = random.Random(11)
    ties = 0
    for _ in range(250):
        scale = chance.choice((0, 0, 53, 60, 80))
        values = list({tuple(some_cell(chance, kind, scale) for kind in kinds) for _ in range(9)})
        cut = chance.randrange(1, len(values)) if len(values) > 1 else 1
        clusters = [part for part in (values[:cut], values[cut:]) if part]
        nearest = Nearest(book(kinds, clusters))
        for _ in range(4):
            value = tuple(some_cell(chance, kind, scale) for kind in kinds)
            expected = twin(kinds, clusters, value)
            ties += twin(kinds, clusters[::-1], value) == expected == 0 and len(clusters) == 2
            if expected is None:
                with pytest.raises(PolicyError, match="no nearest"):
                    nearest.label(value)
            else:
                assert nearest.label(value) == (str(expected),)
    assert ties > 5


def test_neighbours_beyond_two_to_the_53_are_told_apart() -> None:
    top = 2**60
    nearest = Nearest(book(["number"], [[(top,), (top + 1,)], [(top + 2,), (top + 3,)]]))
    assert nearest.label((top + 9,)) == ("1",)
    assert nearest.label((top - 1,)) == ("0",)


def test_tenths_tie_where_floats_do_not() -> None:
    nearest = Nearest(book(["number"], [[(Decimal("0.1"),)], [(Decimal("0.3"),)]]))
    assert abs(0.2 - 0.1) != abs(0.2 - 0.3)
    assert nearest.label((Decimal("0.2"),)) == ("0",)


def test_a_value_far_beyond_every_float_still_has_a_nearest() -> None:
    clusters = [[(Decimal("1e-300"),)], [(Decimal("2e-300"),)]]
    assert Nearest(book(["number"], clusters)).label((10**300,)) == ("1",)


def test_times_of_day_and_zones_are_counted_in_microseconds() -> None:
    early = dt.datetime(2024, 1, 1, 12, 0, 0, 1, tzinfo=dt.UTC)
    late = dt.datetime(2024, 1, 1, 12, 0, 0, 4, tzinfo=dt.UTC)
    nearest = Nearest(book(["timestamp"], [[(late,)], [(early,)]]))
    assert nearest.label((early + dt.timedelta(microseconds=1),)) == ("1",)
    assert nearest.label((late.replace(tzinfo=dt.timezone(dt.timedelta(hours=9))),)) == ("1",)
