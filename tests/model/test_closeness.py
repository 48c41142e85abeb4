"""Tolerances and groups: exact decimals, missing values apart, and nonsense refused in one line."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from hartley.errors import ColumnError, HartleyError, OptionError
from hartley.model import Alphabet
from hartley.model.closeness import Closeness, plain_codes


def most_apart(codes, places):
    """The length of the greedy chain, as the definition of the codes says."""
    count, reach = 0, 0
    for code in sorted({int(codes.code_of[place]) for place in places}):
        if code >= reach:
            count, reach = count + 1, int(codes.next_code[code])
    return count


def separated(values, tolerance):
    alphabet = Alphabet.of_values(values, columns=("s",))
    return most_apart(Closeness.of({"s": tolerance}).codes(alphabet), range(len(values)))


@pytest.mark.parametrize(
    ("values", "tolerance", "expected"),
    [
        ([41, 42, 43, 44, 45], 4, 1),
        ([41, 42, 43, 44, 45], 1, 3),
        ([41, 42, 43, 44, 45], 0, 5),
        ([0.3, 0.4], 0.1, 1),
        ([0.1, 0.2, 0.3], "0.1", 2),
        ([Decimal("0.1"), Decimal("0.2"), Decimal("0.3")], Fraction(1, 10), 2),
        ([1, 5, 7], 5, 2),
        ([1, 5, None], 100, 2),
        ([float("inf"), 1.0, float("-inf"), 2.0], 1e9, 3),
        ([2**63 + 1, 2**63 + 3, 5], 1, 3),
        ([2**63 + 1, 2**63 + 3, 5], 2, 2),
        ([1e-17, 2e-17, 1.0], "1e-17", 2),
        ([dt.date(2024, 2, 28), dt.date(2024, 3, 1)], 2, 1),
        ([dt.date(2024, 2, 28), dt.date(2024, 3, 1)], 1, 2),
        ([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2, 0, 0, 0, 1)], 1, 2),
        ([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12)], 0.5, 1),
    ],
)
def test_values_count_as_two_only_where_they_are_more_than_the_tolerance_apart(values, tolerance, expected):
    assert separated(values, tolerance) == expected


def test_random_decimals_are_compared_exactly():
    rng = random.Random(5)
    for _ in range(400):
        digits = rng.choice((0, 1, 2, 17))
        values = {Decimal(rng.randrange(40)).scaleb(-digits) for _ in range(rng.randint(1, 8))}
        tolerance = Decimal(rng.randrange(20)).scaleb(-digits)
        ascending = sorted(values)
        count, last = 0, None
        for value in ascending:
            if last is None or value - last > tolerance:
                count, last = count + 1, value
        given = [float(value) for value in values] if rng.random() < 0.7 else list(values)
        assert separated(given, str(tolerance)) == count


def test_a_chain_of_joint_values_is_a_largest_set_that_is_apart():
    rng = random.Random(8)
    for _ in range(300):
        places = rng.sample([(x, k) for x in (*range(7), None) for k in "abc"], rng.randint(1, 9))
        tolerance = rng.randint(0, 4)
        alphabet = Alphabet.of_values(places, columns=("x", "kind"))
        grouped = rng.random() < 0.5
        groups = {"kind": {"a": "g", "b": "g", "c": "h"}} if grouped else None
        codes = Closeness.of({"x": tolerance}, groups).codes(alphabet)

        def apart(one, other, tolerance=tolerance, grouped=grouped):
            kinds = [{"a": "g", "b": "g", "c": "h"}[k] if grouped else k for _, k in (one, other)]
            if kinds[0] != kinds[1]:
                return True
            if one[0] is None or other[0] is None:
                return one[0] is not other[0]
            return abs(one[0] - other[0]) > tolerance

        best = max(
            size
            for size in range(len(places) + 1)
            for chosen in combinations(places, size)
            if all(apart(*pair) for pair in combinations(chosen, 2))
        )
        assert most_apart(codes, range(len(places))) == best


def test_no_tolerance_is_plain_and_zero_is_the_same():
    alphabet = Alphabet.of_values([3, 1, None, 2], columns=("s",))
    plain, zero = plain_codes(alphabet), Closeness.of({"s": 0}).codes(alphabet)
    assert plain.is_plain
    assert zero.is_plain
    assert plain.width == zero.width == 4


def test_one_column_of_several_is_counted_by_itself():
    alphabet = Alphabet.of_values([(1, "a"), (1, "b"), (None, "b")], columns=("x", "kind"))
    assert plain_codes(alphabet, "kind").code_of.tolist() == [0, 1, 1]
    assert Closeness.of({"x": 3}).codes(alphabet, "x").width == 2


def test_chains_link_neighbours_within_the_tolerance():
    alphabet = Alphabet.of_values([20, 21, 22, 30], columns=("age",))
    assert Closeness.of({"age": 1}).codes(alphabet).chains.tolist() == [0, 0, 0, 1]


AGE = Alphabet.of_values([(41, "x"), (42, "y")], columns=("age", "kind"))


@pytest.mark.parametrize(
    ("tolerance", "groups", "says"),
    [
        ({"age": -1}, None, "must be 0 or more"),
        ({"age": "x"}, None, "must be a number"),
        ({"age": True}, None, "must be a number"),
        ({"age": "1e999999999999"}, None, "must be a number"),
        ({"age": "1e400"}, None, "must be a number of at most 400 digits and finite"),
        ({"age": "-1e-999999999999"}, None, "must be a number"),
        ({"age": "9" * 5000}, None, "must be a number"),
        ({"age": float("nan")}, None, "must be a number"),
        ({"kind": 3}, None, "needs numbers or dates"),
        ({"pulse": 3}, None, "'pulse' is not a sensitive column"),
        ({"age": 1, "kind": 1}, None, "only one column may have a tolerance"),
        ({"age": 1}, {"age": {41: "a"}}, "a tolerance and groups"),
        (None, {"kind": {"x": "g"}}, "leave out 1 of its values"),
        (None, {"pulse": {"x": "g"}}, "groups cannot be given"),
    ],
)
def test_nonsense_is_refused_in_one_line_that_shows_no_cell(tolerance, groups, says):
    with pytest.raises(HartleyError, match=says) as refused:
        Closeness.of(tolerance, groups).require_fits(AGE)
    assert isinstance(refused.value, (OptionError, ColumnError))
    assert "\n" not in str(refused.value)
    assert "42" not in str(refused.value)


def test_a_tolerance_is_read_from_text():
    assert Closeness.of({"age": "4"}).to_dict() == {"age": 4}


def test_numbers_in_a_group_file_are_found_as_they_are_written():
    alphabet = Alphabet.of_values([1, 2, 3], columns=("code",))
    codes = Closeness.of(groups={"code": {"1": "a", "2": "a", "3": "b"}}).codes(alphabet)
    assert codes.width == 2
    assert np.array_equal(codes.code_of, [0, 0, 1])
