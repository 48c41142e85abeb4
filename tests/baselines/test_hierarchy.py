import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hartley.baselines.hierarchy import Hierarchy, hierarchies_for, in_step
from hartley.errors import InputError
from hartley.model import Alphabet, Partition


@given(
    st.lists(st.integers(-5000, 5000), min_size=1, max_size=20, unique=True),
    st.integers(1, 50),
    st.booleans(),
)
def test_intervals_are_aligned_and_double_and_the_top_says_nothing(values, width, missing):
    cells = [*values, None] if missing else values
    tree = Hierarchy.of_intervals(Alphabet.of_values(cells), width=width)
    assert tree.words[0] == tuple(cells)
    assert tree.partition(tree.height) == Partition.whole(len(cells))
    for level in range(1, tree.height):
        groups = [value // (width * 2 ** (level - 1)) for value in values]
        assert tree.partition(level) == Partition(np.array([*groups, 10**6] if missing else groups))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30, unique=True), st.floats(1e-3, 1e3))
def test_intervals_are_nested_whatever_the_rounding(values, width):
    tree = Hierarchy.of_intervals(Alphabet.of_values(values), width=width)
    for level in range(tree.height):
        assert tree.partition(level).refines(tree.partition(level + 1))


@pytest.mark.parametrize("first", [10**12, 10**13 - 7, 2**53 - 5000, -(10**15)])
def test_intervals_of_long_numbers_are_as_fine_as_those_of_short_ones(first):
    steps = [0, 3, 40, 41, 500, 999]
    long = Hierarchy.of_intervals(Alphabet.of_values([first + step for step in steps]), width=5)
    number = [(first + step) // 5 for step in steps]
    for level in range(1, long.height):
        assert long.partition(level) == Partition(np.array([n >> (level - 1) for n in number]))
    assert len(set(long.words[1])) == len(set(number))


def test_intervals_of_numbers_whose_range_is_no_number():
    tree = Hierarchy.of_intervals(Alphabet.of_values([-1e308, 1.0, 1e308]))
    assert [tree.partition(level).size for level in (0, 1, tree.height)] == [3, 3, 1]


def test_missing_is_a_word_of_its_own_until_the_top():
    tree = Hierarchy.of_intervals(Alphabet.of_values([3, None, 4]), width=5)
    assert [words[1] for words in tree.words] == [None, None, "*"]


@pytest.mark.parametrize(
    ("values", "width"), [([85, 603], 5), ([0, 100], 1), ([0.0, 1.0], 0.01), ([7, 7.5], 0.005)]
)
def test_the_first_width_is_a_round_hundredth_of_the_range(values, width):
    cells = Alphabet.of_values(values)
    assert Hierarchy.of_intervals(cells) == Hierarchy.of_intervals(cells, width=width)


def test_one_value_has_intervals_too():
    assert Hierarchy.of_intervals(Alphabet.of_values([4])).words == ((4,), (4,), ("*",))


def test_a_column_of_nothing_but_missing_is_only_suppressed():
    cells = Alphabet.of_values([None], columns=("age",))
    assert Hierarchy.of_column(cells).words == ((None,), ("*",))


def test_intervals_of_dates_count_days():
    days = Alphabet.of_values([dt.date(1970, 1, 3), dt.date(1970, 1, 7), dt.date(1970, 1, 9)])
    assert Hierarchy.of_intervals(days, width=7).partition(1) == Partition(np.array([0, 0, 1]))


def test_text_has_no_intervals():
    with pytest.raises(InputError, match="'colour' has no intervals"):
        Hierarchy.of_intervals(Alphabet.of_values(["red"], columns=("colour",)))


@pytest.mark.parametrize("width", [0, -1, float("nan"), float("inf")])
def test_a_width_must_be_positive(width):
    with pytest.raises(InputError, match="positive number"):
        Hierarchy.of_intervals(Alphabet.of_values([1, 2]), width=width)


def test_a_table_is_matched_by_value_or_by_how_it_is_written_and_empty_is_missing():
    cells = Alphabet.of_values([1, 2, None])
    tree = Hierarchy.of_rows(cells, [("1", "low"), (2, "low"), ("", "none"), (99, "high")])
    assert tree.words == ((1, 2, None), ("low", "low", "none"), ("*", "*", "*"))


def test_a_table_with_a_top_gets_no_second_one():
    tree = Hierarchy.of_rows(Alphabet.of_values(["a", "b"]), [("a", "all"), ("b", "all")])
    assert tree.height == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "u", "v"), ("b", "u", "w")], "nested"),
        ([("a", "u")], "lacks 1 of the values of column 'letter'"),
        ([("a", "u"), ("b", "u", "v")], "equally many words"),
        ([("a",), ("b",)], "equally many words"),
        ([("a", "u"), ("a", "v"), ("b", "u")], "twice"),
    ],
)
def test_a_table_that_is_no_hierarchy_is_refused(rows, message):
    with pytest.raises(InputError, match=message):
        Hierarchy.of_rows(Alphabet.of_values(["a", "b"], columns=("letter",)), rows)


def test_a_refusal_names_no_cell():
    with pytest.raises(InputError) as refused:
        Hierarchy.of_rows(Alphabet.of_values(["secretive", "b"]), [("b", "u")])
    assert "secretive" not in str(refused.value)


def test_a_hierarchy_needs_a_single_word_at_the_top():
    with pytest.raises(InputError, match="top level"):
        Hierarchy((("a", "b"),))


def test_columns_rise_in_step_and_the_shorter_waits_at_its_top():
    pairs = Alphabet.of_values([("red", 1), ("red", 9), ("blue", 1)], columns=("colour", "size"))
    chain = in_step([Hierarchy.of_column(pairs, column=0), Hierarchy.of_intervals(pairs, width=5, column=1)])
    assert chain.words[1] == (("*", 0), ("*", 1), ("*", 0))
    assert chain.words[2] == (("*", 0),) * 3


def test_every_column_needs_its_hierarchy():
    pairs = Alphabet.of_values([("red", 1), ("blue", 2)], columns=("colour", "size"))
    assert [tree.height > 1 for tree in hierarchies_for(pairs)] == [False, True]
    with pytest.raises(InputError, match="one hierarchy each"):
        hierarchies_for(pairs, hierarchies_for(pairs)[:1])
