"""Labels of other tools are read as they are meant, or counted as unread."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from hartley.model import Alphabet
from hartley.tables.labels.fits import column_fit
from hartley.tables.labels.forms import read_label

AGES = [17, 18, 19, 20, 29, 30, 64, 65, 66]
DAYS = [
    dt.date(2019, 12, 31),
    dt.date(2020, 1, 1),
    dt.date(2020, 3, 31),
    dt.date(2020, 4, 1),
    dt.date(2021, 1, 1),
]


def fitting(values, label, kind="text", groups=None):
    """Return the values that a label may stand for; nothing where it cannot be read."""
    original = Alphabet.of_values(values, ("x",)).coordinates[0]
    released = Alphabet.of_values([label], ("x",)).coordinates[0]
    assert released.kind == kind
    found = column_fit(original, released, groups)
    if found.unread:
        return None
    return {values[place] for place in range(len(values)) if len(found.fit.labels_of(place))}


@pytest.mark.parametrize(
    ("label", "held"),
    [
        ("[18, 30)", {18, 19, 20, 29}),
        ("(18, 30]", {19, 20, 29, 30}),
        ("]18; 30[", {19, 20, 29}),
        ("18-29", {18, 19, 20, 29}),
        ("18 – 29", {18, 19, 20, 29}),
        ("18 to 29 years", {18, 19, 20, 29}),
        ("18~29", {18, 19, 20, 29}),
        ("18..29", {18, 19, 20, 29}),
        (">=65", {65, 66}),
        ("≥ 65", {65, 66}),
        ("65+", {65, 66}),
        ("65 and over", {65, 66}),
        (">65", {66}),
        ("over 65", {66}),
        ("<18", {17}),
        ("under 18", {17}),
        ("up to 18", {17, 18}),
        ("18 or younger", {17, 18}),
        ("(-inf, 18]", {17, 18}),
        ("[65, ∞)", {65, 66}),
        ("{18, 65}", {18, 65}),
        ("1*", {17, 18, 19}),
        ("*", set(AGES)),
        ("17.0", {17}),
        ("[17, 18] or missing", {17, 18}),
        ("[17, 18] #2", {17, 18}),
        ("18 to under 30", {18, 19, 20, 29}),
        ("99-120", set()),
        ("old", None),
        ("18-", None),
        ("30-18", None),
    ],
)
def test_a_label_of_numbers(label, held):
    assert fitting(AGES, label) == held


@pytest.mark.parametrize(
    ("label", "held"),
    [
        ("2020", DAYS[1:4]),
        ("2020-Q1", DAYS[1:3]),
        ("2020-H1", DAYS[1:4]),
        ("2020-03", DAYS[2:3]),
        ("2020-W14", DAYS[2:4]),
        ("2020-Q1 to 2020-Q2", DAYS[1:4]),
        ("before 2020-03", DAYS[:2]),
        ("2020-04 and later", DAYS[3:]),
        ("after 2020", DAYS[4:]),
        ("2020-01-01", DAYS[1:2]),
        ("2020-13", None),
    ],
)
def test_a_label_of_dates(label, held):
    assert fitting(DAYS, label) == (None if held is None else set(held))


@pytest.mark.parametrize(
    ("label", "held"),
    [
        ("{Lyon, Nice}", {"Lyon", "Nice"}),
        ("{Aix, en P., Nice}", {"Aix, en P.", "Nice"}),
        ("Lyon", {"Lyon"}),
        ("L***", {"Lyon"}),
        ("L*", {"Lyon", "Lille"}),
        ("South", {"Nice", "Aix, en P."}),
        ("Lyon or Nice", {"Lyon", "Nice"}),
        ("Lyon or Nice #2", {"Lyon", "Nice"}),
        ("Aix, en P., Lyon or Nice", {"Aix, en P.", "Lyon", "Nice"}),
        ('{"Aix, en P.", Nice}', {"Nice", "Aix, en P."}),
        ("Lyon or Paris", None),
        ("all others", {"Lyon", "Lille", "Nice", "Aix, en P."}),
        ("18-29", None),
        ("{Lyon, Paris}", None),
        ("Paris", None),
    ],
)
def test_a_label_of_text(label, held):
    towns = ["Lyon", "Lille", "Nice", "Aix, en P."]
    groups = {"South": frozenset({"Nice", "Aix, en P."})}
    assert fitting(towns, label, groups=groups) == held


def test_an_empty_text_is_an_empty_cell_unless_the_original_has_such_a_text():
    assert fitting([1, 2, None], "") == {None}
    assert fitting(["a", "", None], "") == {""}


def test_other_is_what_no_other_label_names():
    original = Alphabet.of_values(["a", "b", "c or d", "e", "f", None], ("x",)).coordinates[0]
    released = Alphabet.of_values(["a", 'b or "c or d"', "other or missing", None], ("x",)).coordinates[0]
    found = column_fit(original, released)
    held = {
        cell: {original.cells[place] for place in range(6) if label in found.fit.labels_of(place)}
        for label, cell in enumerate(released.cells)
    }
    assert held == {
        "a": {"a"},
        'b or "c or d"': {"b", "c or d"},
        "other or missing": {"e", "f", None},
        None: {None},
    }
    one = Alphabet.of_values(["a"], ("x",)).coordinates[0]
    both = Alphabet.of_values(["a", "other"], ("x",)).coordinates[0]
    assert column_fit(one, both).unread == ("other",)  # nothing is left for it


def test_a_value_that_looks_like_a_label_is_the_value():
    assert fitting(["18-29", "30-39"], "18-29") == {"18-29"}
    assert fitting(["12***", "12345"], "12***") == {"12***"}


def test_a_word_for_a_missing_cell_is_one_unless_it_is_a_value():
    assert fitting(["a", "b"], "NA") == {"a", "b"}  # as sdcMicro and R write what they suppress
    assert fitting(["a", "NA"], "NA") == {"NA"}
    assert fitting([1, 2, None], "NA") == {None}


def test_members_of_a_set_may_stand_in_single_quotes():
    assert fitting(["m", "f", "it's"], "{'m', \"it's\"}") == {"m", "it's"}
    assert fitting([1, 2, 3], "{'1', '3'}") == {1, 3}


def test_an_empty_cell_is_missing_where_the_original_has_such_and_else_anything():
    for values, held in (([1, 2, None], {None}), ([1, 2], {1, 2})):
        original = Alphabet.of_values(values, ("x",)).coordinates[0]
        released = Alphabet.of_values([1, None], ("x",)).coordinates[0]
        fit = column_fit(original, released).fit
        assert {values[place] for place in range(len(values)) if 1 in fit.labels_of(place)} == held


def test_numbers_are_compared_by_value_whatever_their_type_and_size():
    original = Alphabet.of_values([0.5, 1.0, 2.0], ("x",)).coordinates[0]
    released = Alphabet.of_values([1, 2, 7], ("x",)).coordinates[0]
    found = column_fit(original, released)
    assert found.fit.exact.tolist() == [-1, 0, 1]
    assert found.unknown == 1
    big = 2**60
    one = Alphabet.of_values([big, big + 1], ("x",)).coordinates[0]
    other = Alphabet.of_values([big + 1], ("x",)).coordinates[0]
    assert column_fit(one, other).fit.exact.tolist() == [-1, 0]


def test_reading_never_fails_whatever_is_written():
    source = np.random.default_rng(5)
    letters = list("0159-+.,*{}[]()<> aQW#to≥")
    for _ in range(3000):
        text = "".join(source.choice(letters, source.integers(1, 9)))
        for kind in ("number", "date", "text"):
            read_label(text, kind)
