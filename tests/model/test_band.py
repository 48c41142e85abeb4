"""Bands and where their borders may lie."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.errors import InputError, OptionError
from hartley.model.shapes.band import Bands
from hartley.model.shapes.border_grid import (
    BorderGrid,
    calendar_grid,
    day_of,
    parse_grid,
    round_grid,
    roundest,
)

DAY = day_of(dt.date(2024, 1, 1))


def day(year, month, of_month=1):
    return day_of(dt.date(year, month, of_month))


def test_whole_numbers_are_told_by_first_and_last():
    bands = Bands("whole", (150.0, 160.0, 161.0))
    assert bands.labels == ("under 150", "150 to 159", "160", "161 and over")


def test_negative_whole_numbers_have_no_double_dash():
    assert Bands("whole", (-10.0, 0.0, 5.0)).labels == ("under -10", "-10 to -1", "0 to 4", "5 and over")


def test_other_numbers_are_told_by_their_borders():
    assert Bands("number", (150.0, 160.0)).label(1) == "150 to under 160"
    assert Bands("whole", (0.5, 160.0)).label(1) == "0.5 to under 160"


def test_dates_are_told_in_the_calendar_they_fit():
    assert Bands("date", (day(2024, 3), day(2024, 4))).label(1) == "2024-03"
    assert Bands("date", (day(2024, 1), day(2024, 4))).label(1) == "2024-Q1"
    assert Bands("date", (day(2024, 1), day(2024, 4)), calendar="month").label(1) == "2024-01 to 2024-03"
    assert Bands("date", (day(2020, 1), day(2025, 1))).label(1) == "2020 to 2024"
    assert Bands("date", (day(2024, 7), day(2025, 1)), calendar="half-year").label(1) == "2024-H2"
    assert Bands("date", (day(2024, 3, 4), day(2024, 3, 11)), calendar="week").label(1) == "2024-W10"
    assert Bands("date", (day(2024, 3, 5), day(2024, 3, 9))).label(1) == "2024-03-05 to 2024-03-08"
    assert Bands("date", (day(2024, 3), day(2024, 5))).labels[::2] == ("before 2024-03", "2024-05 and later")


def test_ordered_categories_are_told_by_their_names():
    bands = Bands("ordered", (2.0, 3.0), names=("low", "middle", "high", "top"))
    assert bands.labels == ("up to middle", "high", "top")
    assert [bands.place(name) for name in ("middle", "high", "top", "unheard of")] == [0, 1, 2, -1]


def test_ends_that_are_given_are_closed():
    bands = Bands("whole", (160.0,), low=150.0, high=170.0)
    assert bands.labels == ("150 to 159", "160 to 169")
    assert [bands.place(value) for value in (149, 150, 169, 170)] == [-1, 0, 1, -1]


def test_everything_is_one_band():
    assert Bands("whole", ()).labels == ("all",)


@pytest.mark.parametrize("borders", [(2.0, 1.0), (1.0, 1.0)])
def test_borders_must_rise(borders):
    with pytest.raises(InputError, match="must rise"):
        Bands("number", borders)


@given(st.lists(st.integers(-1000, 1000), unique=True, max_size=8), st.integers(-1500, 1500))
def test_every_number_finds_the_band_whose_borders_hold_it(borders, value):
    bands = Bands("whole", tuple(float(border) for border in sorted(borders)))
    low, high = bands.edges(bands.place(value))
    assert low is None or low <= value
    assert high is None or value < high
    assert len(set(bands.labels)) == bands.size


def test_a_moment_lies_within_its_day():
    bands = Bands("date", (day(2024, 1, 2),))
    assert bands.place(dt.datetime(2024, 1, 1, 23, 59)) == 0
    assert bands.place(dt.datetime(2024, 1, 2)) == 1


@given(st.lists(st.integers(-5000, 20000), unique=True, min_size=2, max_size=30))
def test_a_border_lies_between_the_values_it_parts(days):
    positions = np.array(sorted(days), dtype=float)
    grids = [BorderGrid(calendar=unit) for unit in ("day", "week", "month", "quarter", "half-year", "year")]
    for grid in [
        *grids,
        BorderGrid(step=5, calendar="year"),
        BorderGrid(step=7),
    ]:
        allowed = grid.allowed(positions)
        for place in np.flatnonzero(allowed):
            below, above = positions[place - 1], positions[place]
            border = grid.border(below, above)
            assert below < border <= above
            assert grid.start(int(grid.cells(np.array([border]))[0])) == border


def test_tenths_are_multiples_of_a_tenth():
    assert BorderGrid(step=0.1).cells(np.array([0.1, 0.2, 0.3, 0.7])).tolist() == [1, 2, 3, 7]
    assert BorderGrid(step=0.1).border(0.25, 0.3) == 0.3


def test_weeks_begin_on_monday():
    grid = BorderGrid(calendar="week")
    monday = dt.date(2024, 3, 4)
    cells = grid.cells(np.array([day_of(monday + dt.timedelta(days=n)) for n in (-1, 0, 6, 7)]))
    assert (np.diff(cells) == [1, 0, 1]).all()


def test_round_grids_are_a_twentieth_of_the_range_or_more():
    assert [round_grid(extent).step for extent in (73.0, 20.0, 1000.0, 0.0)] == [5.0, 1.0, 50.0, 1.0]
    assert [calendar_grid(extent).calendar for extent in (10, 60, 3000)] == ["day", "week", "month"]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_the_roundest_number_lies_in_the_gap(below, gap):
    assert below < roundest(below, below + gap) <= below + gap


@pytest.mark.parametrize(
    ("borders", "kind", "message"),
    [
        ("month", "number", "borders by month need dates; column 'x' holds numbers"),
        (5, "category", "column 'x' is text without an order and has no borders; give it an order"),
        (0, "number", "the step between borders of 'x' must be a positive number, not 0"),
        (-5, "number", "the step between borders of 'x' must be a positive number, not -5"),
        ("nan", "number", "the step between borders of 'x' must be a positive number, not nan"),
        ("fortnight", "date", "borders of 'x' cannot be 'fortnight'; give a number, 'each' or a calendar: "),
        (2.5, "date", "the step between borders of 'x' must be whole days, not 2.5"),
    ],
)
def test_borders_that_make_no_sense_are_refused_in_one_line(borders, kind, message):
    with pytest.raises(OptionError) as error:
        parse_grid(borders, "x", kind)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
