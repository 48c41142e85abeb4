"""What is published: labels, combinations, and how unseen values are recoded."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from enough_instances import distinct_codes
from hartley.errors import InputError, OptionError, UnreachableError
from hartley.search.codebooks import (
    CodebookOptions,
    CodebookProblem,
    ColumnSettings,
    PublicColumn,
    codebooks_of,
)
from reference_codebooks import random_table

QUICK = CodebookOptions(rounds=3)


def demand_of(rows, sensitive, wanted, row_k=0):
    """Every row is a tuple of its own."""
    codes = np.unique(sensitive, return_inverse=True)[1]
    count = len(rows)
    return distinct_codes(np.arange(count + 1), codes, wanted, row_k=row_k)


def search(columns, sensitive, wanted, *, withhold=0, settings=None, options=QUICK):
    said = settings or {}
    public = [
        PublicColumn.of_cells(name, cells, said.get(name, ColumnSettings()))
        for name, cells in columns.items()
    ]
    rows = list(zip(*columns.values(), strict=True))
    return codebooks_of(
        CodebookProblem(tuple(public), demand_of(rows, sensitive, wanted)), withhold=withhold, options=options
    )


def test_every_tuple_is_recoded_to_the_words_of_its_combination():
    random = np.random.default_rng(31)
    for _ in range(25):
        table = random_table(random, missing=0.1)
        columns, demand = table.search_input()
        try:
            found = codebooks_of(CodebookProblem(tuple(columns), demand), withhold=4, options=QUICK)
        except UnreachableError:
            continue
        assert len(set(found.released)) == found.combinations == len(found.released)
        assert not set(found.released) & set(found.withheld)
        for place, cells in enumerate(table.public_tuples()):
            words = tuple(book.recode(cell) for book, cell in zip(found.codebooks, cells, strict=True))
            cluster = int(found.clusters[place])
            if cluster < found.combinations:
                assert words == found.released[cluster]
            else:
                assert words in found.withheld
        assert found.partition.size == len(set(found.clusters.tolist()))


def test_bands_are_named_by_whole_borders_and_hold_unseen_numbers():
    ages = [*range(17, 60), 88]
    found = search({"age": ages}, [n % 7 for n in range(len(ages))], 5)
    book = found.codebooks[0]
    assert all(border % 1 == 0 for border in book.bands.borders)
    assert book.recode(3) == book.recode(17)
    assert book.recode(110) == book.recode(88)
    assert book.words.startswith("age in ")


def test_given_borders_hold_for_the_ladder_too():
    ages = list(range(17, 60))
    sensitive = [n % 7 for n in range(len(ages))]
    options = CodebookOptions(rounds=3)
    found = search({"age": ages}, sensitive, 5, settings={"age": ColumnSettings(borders=7)}, options=options)
    assert all(border % 7 == 0 for border in found.codebooks[0].bands.borders)


def test_dates_are_published_by_calendar():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=23 * n) for n in range(40)]
    found = search({"visit": days}, [n % 4 for n in range(40)], 4)
    book = found.codebooks[0]
    assert book.recode(dt.date(2031, 5, 6)).endswith(" and later")
    assert all(dt.date.fromisoformat(band["from"]).day == 1 for band in book.to_dict()["bands"][1:])


def test_categories_are_kept_or_other_and_an_unseen_one_is_other():
    country = ["Spain"] * 6 + ["Peru"] * 5 + ["Laos", "Fiji", "Chad", "Togo"]
    found = search({"country": country}, [0, 1, 2] * 5, 3)
    book = found.codebooks[0]
    assert {group.label for group in book.groups} == {"Spain", "Peru", "other"}
    assert book.recode("Mali") == "other"
    assert book.words == "country: 2 kept, 4 as other"
    assert book.to_dict()["kept"] == ["Peru", "Spain"]


def test_a_category_called_other_is_not_confused_with_the_rest():
    country = ["other"] * 6 + ["Peru"] * 5 + ["Laos", "Fiji", "Chad", "Togo"]
    book = search({"country": country}, [0, 1, 2] * 5, 3).codebooks[0]
    assert book.recode("other") == "other"
    assert book.recode("Laos") == "all others"


def test_an_unseen_category_has_no_label_where_all_are_kept():
    found = search({"sex": ["f", "m"] * 6}, [0, 1, 2, 3] * 3, 2)
    book = found.codebooks[0]
    assert found.words == "sex kept"
    assert book.form == "kept"


def test_a_hierarchy_gives_its_names_and_places_unseen_values():
    rows = [
        *([value, "Asia", "World"] for value in ("Laos", "Japan", "Nepal")),
        *([value, "Europe", "World"] for value in ("Spain", "Italy", "Malta")),
    ]
    cells = ["Laos", "Japan", "Laos", "Japan"] + ["Spain"] * 4 + ["Italy"]
    found = search(
        {"country": cells},
        [0, 1, 2, 0, 0, 1, 2, 0, 1],
        3,
        settings={"country": ColumnSettings(hierarchy=rows)},
    )
    book = found.codebooks[0]
    assert book.recode("Japan") == book.recode("Laos") == book.recode("Nepal") == "Asia"
    assert book.recode("Spain") == book.recode("Malta") == "Europe"


def test_prefixes_take_in_what_begins_alike():
    cells = ["1043", "1044", "1051", "2011", "2012", "2013"] * 2
    found = search({"postcode": cells}, [0, 1, 2] * 4, 3, settings={"postcode": ColumnSettings(prefix=True)})
    book = found.codebooks[0]
    assert book.recode("1043") == book.recode("1999") == "1…"
    assert book.recode("2012") == "2…"


def test_an_order_makes_bands_of_categories():
    order = ("none", "primary", "secondary", "college", "doctorate")
    cells = ["none", "primary", "secondary", "college"] * 3
    found = search({"school": cells}, [0, 1, 0, 1] * 3, 2, settings={"school": ColumnSettings(order=order)})
    book = found.codebooks[0]
    assert book.recode("doctorate") == book.recode("college")
    assert all(
        label.startswith(("up to ", "all")) or " to " in label or label in order
        for label in book.bands.labels
    )


def test_missing_cells_stay_apart_unless_everything_is_merged():
    cells = [1, 2, 3, 4, 5, 6, None, None, None]
    apart = search({"x": cells}, [0, 1, 2] * 3, 3).codebooks[0]
    assert apart.recode(None) is None
    merged = search({"x": [1, 2, 3, 4, None]}, [0, 1, 0, 1, 2], 3).codebooks[0]
    assert merged.form == "all"
    assert merged.recode(None) == merged.recode(3) == "all"


def test_a_column_to_be_kept_is_kept_and_others_give_way():
    columns = {"sex": ["f", "m"] * 8, "age": list(range(16))}
    found = search(columns, [0, 1, 2, 3] * 4, 2, settings={"sex": ColumnSettings(keep=True)})
    assert found.codebooks[0].form == "kept"
    assert {words[0] for words in found.released} == {"f", "m"}


def test_what_cannot_be_kept_is_named():
    columns = {"name": list("abcdefgh"), "sex": ["f", "m"] * 4}
    with pytest.raises(UnreachableError, match="column 'name' cannot be kept as it is"):
        search(columns, [0, 1] * 4, 2, settings={"name": ColumnSettings(keep=True)})
    with pytest.raises(UnreachableError, match="the whole table does not meet"):
        search(columns, [0, 1] * 4, 3)


def test_a_heavier_column_keeps_more_detail():
    random = np.random.default_rng(5)
    columns = {"a": random.integers(0, 20, 60).tolist(), "b": random.integers(0, 20, 60).tolist()}
    sensitive = random.integers(0, 6, 60).tolist()
    plain = search(columns, sensitive, 4)
    heavy = search(columns, sensitive, 4, settings={"a": ColumnSettings(weight=10)})
    assert heavy.codebooks[0].mean_width <= plain.codebooks[0].mean_width


def test_withheld_rows_are_counted_and_fewer_than_the_demand_buy_nothing():
    random = np.random.default_rng(8)
    columns = {"a": random.integers(0, 30, 80).tolist(), "b": random.integers(0, 4, 80).tolist()}
    public = [PublicColumn.of_cells(name, cells) for name, cells in columns.items()]
    demand = demand_of(range(80), random.integers(0, 8, 80), 5)
    problem = CodebookProblem(tuple(public), demand)
    none, few, some = (codebooks_of(problem, withhold=rows, options=QUICK) for rows in (0, 4, 16))
    assert few.withheld_rows == none.withheld_rows == 0
    assert few.loss == none.loss
    assert some.loss <= none.loss
    withheld = np.flatnonzero(some.clusters == some.combinations)
    assert len(withheld) == some.withheld_rows
    if some.withheld_rows:
        assert some.withheld_l >= 5


def test_the_point_has_the_keys_that_were_promised():
    point = search({"age": list(range(40))}, [n % 5 for n in range(40)], 3).to_point()
    assert list(point) == [
        "shape", "codebooks", "loss", "ladder_loss", "ladder_nodes", "proven_optimal_ladder", "maximal",
        "column_wise_optimal", "lower_bound", "withheld_rows", "withheld_combinations", "withheld_l",
        "combinations", "choice_bits", "entropy_kept_bits",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (ColumnSettings(hierarchy=[["a", "x"]]), "the hierarchy of 'c' misses 'b', 'd'; add a line for each"),
        (
            ColumnSettings(hierarchy=[["a", "x"], ["b", "x"], ["d", "x"], ["a", "y"]]),
            "the hierarchy of 'c' names 'a' more than once",
        ),
        (
            ColumnSettings(hierarchy=[["a", "x", "p"], ["b", "x", "q"], ["d", "y", "q"]]),
            "the hierarchy of 'c' puts 'x' into 'p' and into 'q'; a group lies in one group",
        ),
        (ColumnSettings(order=["a", "b"]), "the order of 'c' misses 'd'; add a line for each"),
        (
            ColumnSettings(order=["a", "b", "d", "a"]),
            "the order of 'c' names 'a' more than once; name each once",
        ),
        (ColumnSettings(order=["a"], prefix=True), "column 'c' can have one of order and prefix, not both"),
        (
            ColumnSettings(borders=5),
            "column 'c' is text without an order and has no borders; give it an order",
        ),
        (ColumnSettings(weight=0), "the weight of 'c' must be a positive number, not 0"),
    ],
)
def test_what_is_wrong_with_a_column_is_said_in_one_line(settings, message):
    with pytest.raises(InputError) as error:
        PublicColumn.of_cells("c", ["a", "b", "d"], settings)
    assert str(error.value) == message


@pytest.mark.parametrize("options", [{"rounds": -1}, {"objective": "least"}])
def test_options_without_meaning_are_refused(options):
    with pytest.raises(OptionError):
        CodebookOptions(**options)


def test_a_negative_budget_is_refused():
    with pytest.raises(OptionError, match="must not be negative"):
        search({"age": list(range(9))}, [0, 1, 2] * 3, 2, withhold=-1)
