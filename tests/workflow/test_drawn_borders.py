"""Borders set by hand: what their bands keep and cost, counted anew from the rows."""

from __future__ import annotations

import datetime as dt
from random import Random

import pyarrow as pa
import pytest

import hartley
from hartley.errors import InputError
from hartley.workflow.demands.drawn_borders import BorderLine, BorderMove
from sample_sizes import sample


def small_table(seed: int) -> tuple[list[int], list[float | None]]:
    random = Random(seed)
    rows = random.randint(6, 24)
    places = [random.randint(0, 30) * random.choice((1, 1, 0.5)) for _ in range(8)]
    ages = [random.randint(30, 36) for _ in range(rows)]
    return ages, [random.choice([*places, None]) if seed % 3 else random.choice(places) for _ in range(rows)]


def of_rows(ages, doses, borders):
    """The slow twin: candidates, rows and values of each band, and the largest half width."""
    bands: dict[int, list[tuple[float, int]]] = {}
    for age, dose in zip(ages, doses, strict=True):
        if dose is not None:
            bands.setdefault(sum(border <= dose for border in borders), []).append((dose, age))
    told = [
        (len({age for _, age in band}), len(band), len({dose for dose, _ in band}))
        for _, band in sorted(bands.items())
    ]
    widest = max(max(band)[0] - min(band)[0] for band in bands.values())
    return told, widest / 2


@pytest.mark.parametrize("seed", range(sample(40, 2000)))
def test_bands_between_borders_are_counted_as_from_the_rows(seed):
    random = Random(seed)
    ages, doses = small_table(seed)
    if len({dose for dose in doses if dose is not None}) < 2:
        pytest.skip("one value has no border")
    table = pa.table({"age": ages, "dose": pa.array(doses, pa.float64())})
    found = hartley.frontier(table, sensitive="age", public="dose", shape="intervals", missing="drop")
    line = BorderLine.of(found.question)
    assert line is not None
    for point in found.frontier.points:
        own = line.borders_of(point)
        assert own is not None
        # The borders of a point make that point.
        again = line.drawn(point, own).point
        assert again.partition == point.partition
        assert (again.distinct_l, again.max_distortion) == (point.distinct_l, point.max_distortion)
    borders = line.settled([random.uniform(-1, 31) for _ in range(random.randint(0, 4))])
    for _ in range(6):
        drawn = line.drawn(found.frontier.points[0], borders)
        told, widest = of_rows(ages, doses, drawn.borders)
        assert [(band.candidates, band.rows, band.values) for band in drawn.bands] == told
        assert drawn.point.max_distortion == pytest.approx(widest)
        assert drawn.point.distinct_l == min(candidates for candidates, _, _ in told)
        assert drawn.point.lower_bound_cost is None
        if not borders:
            break
        number = random.randrange(len(borders))
        by_hand = BorderMove(number, to=random.uniform(-5, 35))
        move = random.choice([BorderMove(number, by=random.choice((-2, -1, 1, 2))), by_hand])
        moved = line.settled(borders, move)
        # No border is lost or passes another, and all others stay.
        assert len(moved) == len(borders)
        assert list(moved) == sorted(set(moved))
        assert [one for i, one in enumerate(moved) if i != number] == [
            one for i, one in enumerate(borders) if i != number
        ]
        borders = moved


def test_a_band_is_cut_through_its_middle_row():
    table = pa.table({"age": [1, 2, 3, 4, 5, 6], "dose": [0.0, 10, 20, 30, 40, 50]})
    found = hartley.frontier(table, sensitive="age", public="dose", shape="intervals")
    line = BorderLine.of(found.question)
    assert line.split([]) == (30.0,)
    assert line.split([20.0]) == (20.0, 40.0)
    with pytest.raises(InputError, match="no band can be cut"):
        line.split([10, 20, 30, 40, 50])
    with pytest.raises(InputError, match="no such border"):
        line.settled([10], BorderMove(1, by=1))


def test_borders_stay_on_the_grid_that_is_asked_for():
    table = pa.table({"age": [1, 2, 3, 4, 5, 6], "dose": [1.0, 9, 14, 16, 22, 38]})
    found = hartley.frontier(table, sensitive="age", public="dose", shape="intervals", borders=10)
    line = BorderLine.of(found.question)
    assert line.settled([10.0], BorderMove(0, by=1)) == (20.0,)
    assert line.settled([10.0], BorderMove(0, to=33.0)) == (30.0,)
    assert [band.label for band in line.drawn(found.frontier.points[0], (20.0,)).bands] == [
        "under 20",
        "20 and over",
    ]


def test_dates_have_borders_of_days():
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=9 * i) for i in range(8)]
    table = pa.table({"age": list(range(8)), "seen": days})
    found = hartley.frontier(table, sensitive="age", public="seen", shape="intervals", borders="month")
    line = BorderLine.of(found.question)
    first = (dt.date(2024, 2, 1) - dt.date(1970, 1, 1)).days
    moved = line.settled([float(first)], BorderMove(0, by=1))
    assert moved == (float(first + 29),)
    assert [band.label for band in line.drawn(found.frontier.points[0], moved).bands] == [
        "before 2024-03",
        "2024-03 and later",
    ]


def test_borders_that_cannot_be_moved_one_by_one_are_not_offered():
    table = pa.table({"age": [1, 2, 3, 4], "dose": [1.0, 9, 14, 16]})
    found = hartley.frontier(table, sensitive="age", public="dose")
    assert BorderLine.of(found.question) is None
