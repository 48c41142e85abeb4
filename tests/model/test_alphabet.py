from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from hartley.errors import InputError
from hartley.measures.utility import LineDistortion
from hartley.model import Alphabet
from hartley.model.alphabet import label_to_json


def test_labels_come_back_as_they_were_given():
    labels = [3, 1, 2]
    assert Alphabet.of_values(labels).labels() == labels


def test_integers_beyond_two_to_the_53_stay_exact():
    labels = [2**60 + 1, 2**60, 0.5]
    assert Alphabet.of_values(labels).labels() == labels
    assert Alphabet.of_values([2**60 + 1, 2**60]).labels() == [2**60 + 1, 2**60]
    assert Alphabet.of_values([2**80 + 1, 2**80]).labels() == [2**80 + 1, 2**80]


@pytest.mark.parametrize(
    "labels",
    [
        [2**60 + 9, 2**60 + 1, 2**60 + 4],
        [-(2**63), -(2**63) + 3, -(2**63) + 8],
        [2**64 - 1, 2**64 - 4, 2**64 - 9],
        [Decimal(10**27 + 5), Decimal(10**27), Decimal(10**27 + 1)],
        [Decimal("1000000000000000.01"), Decimal("1000000000000000.02"), Decimal("1000000000000000.05")],
    ],
)
def test_distances_of_long_numbers_are_exact(labels):
    column = Alphabet.of_values([*labels, None]).coordinates[0]
    found = column.positions[:3]
    for one, here in zip(labels, found, strict=True):
        for other, there in zip(labels, found, strict=True):
            assert here - there == pytest.approx(float(Fraction(one) - Fraction(other)), rel=1e-15)
    assert np.isnan(column.positions[3])
    assert not column.is_blurred


def test_numbers_that_distances_cannot_tell_apart_have_no_distortion():
    public = Alphabet.of_values([0, 2**60, 2**60 + 1], columns=("x",))
    assert public.coordinates[0].is_blurred
    with pytest.raises(InputError, match=r"column 'x' .* use utility='resolution'"):
        LineDistortion.of(public)
    given = Alphabet.of_values([0, 2**60, 2**60 + 1], columns=("x",), positions=[0, 1, 1])
    assert LineDistortion.of(given).size == 3


def test_nan_is_a_missing_value():
    alphabet = Alphabet.of_values([1.5, float("nan")])
    assert alphabet.labels() == [1.5, None]
    assert alphabet.missing.tolist() == [False, True]


def test_a_value_given_twice_is_refused():
    with pytest.raises(InputError, match="each value once"):
        Alphabet.of_values(["a", "a"])


def test_text_has_no_positions():
    assert Alphabet.of_values(["a", "b"]).positions is None


def test_dates_lie_at_their_day_and_timestamps_at_their_second():
    days = Alphabet.of_values([dt.date(1970, 1, 2), None, dt.date(1970, 1, 1)])
    assert np.array_equal(days.positions, [1.0, np.nan, 0.0], equal_nan=True)
    seconds = Alphabet.of_values([dt.datetime(1970, 1, 1, 0, 1), dt.datetime(1970, 1, 1)])
    assert seconds.positions.tolist() == [60.0, 0.0]


def test_truth_values_lie_at_zero_and_one():
    assert Alphabet.of_values([False, True]).positions.tolist() == [0.0, 1.0]


def test_given_positions_take_the_place_of_the_values_own():
    alphabet = Alphabet.of_values(["low", "high"], positions=[0, 10])
    assert alphabet.positions.tolist() == [0.0, 10.0]
    with pytest.raises(InputError, match="2 values need 2 positions"):
        Alphabet.of_values(["low", "high"], positions=[0])


def test_several_columns_act_as_one_joint_value():
    alphabet = Alphabet.of_values([("f", 30), ("m", 30)], columns=("sex", "age"))
    assert alphabet.size == 2
    assert alphabet.label(1) == ("m", 30)
    assert alphabet.place(("m", 30)) == 1
    assert alphabet.positions is None


def test_an_unknown_value_is_not_repeated_in_the_message():
    with pytest.raises(InputError) as error:
        Alphabet.of_values([61, 62], columns=("age",)).place(63)
    assert "63" not in str(error.value)


def test_equal_alphabets_are_equal_values():
    one, other = (Alphabet.of_values([1, None], columns=("x",)) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != Alphabet.of_values([1, None], columns=("y",))
    assert one != Alphabet.of_values([1, None], columns=("x",), positions=[1, -9])


def test_arrays_of_an_alphabet_cannot_be_changed():
    alphabet = Alphabet.of_values([1, 2])
    with pytest.raises(ValueError, match="read-only"):
        alphabet.coordinates[0].values[0] = 5


def test_taking_places_reorders_everything():
    alphabet = Alphabet.of_values(["a", "b", "c"], positions=[1, 2, 3]).take(np.array([2, 0]))
    assert alphabet.labels() == ["c", "a"]
    assert alphabet.positions.tolist() == [3.0, 1.0]


@pytest.mark.parametrize(
    ("label", "json"),
    [(1, 1), (None, None), (True, True), (Decimal("1.10"), "1.10"), (dt.date(2020, 1, 2), "2020-01-02")],
)
def test_labels_become_json_values(label, json):
    assert label_to_json(label) == json
    assert label_to_json((label, "b")) == [json, "b"]
