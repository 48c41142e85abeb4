"""Cells as one array mean what they mean one by one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable
from decimal import Decimal

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.verifier.tables.cell_numbers import CellNumbers
from hartley.verifier.tables.plain_keys import PlainKeys, meaning, places_of, text_keys
from hartley.verifier.tables.reread import as_kind

TEXTS = st.one_of(
    st.none(),
    st.integers(-(10**19), 10**19).map(str),
    st.decimals(-1000, 1000, places=3).map(str),
    st.sampled_from(["007", "7", "-0", "0", "0.50", "0.5", "", " 7", "x", "1e3", "+7", "1.", ".5"]),
)
PLAIN = st.one_of(st.none(), st.integers(-9999, 9999).map(str), st.decimals(-99, 99, places=2).map(str))
NARROW_FLOATS = st.one_of(
    st.none(), st.floats(-1000, 1000).filter(lambda one: not 0 < abs(one) < 1e-9).map(repr)
)
FLOATS = st.one_of(
    NARROW_FLOATS,
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**40), 10**40).map(str),
    st.sampled_from(
        ["1e-300", "1e300", "-0.0", "0.0", "1E+5", "100000.0", "1e-05", "0.00001", "1e16", "5e-324"]
    ),
)
DIGITS = st.decimals(-(10**20), 10**20, places=17).map(str)


@settings(max_examples=400, deadline=None)
@given(
    texts=st.one_of(
        *(st.lists(cells, max_size=12) for cells in (TEXTS, PLAIN, NARROW_FLOATS, FLOATS, DIGITS))
    ),
    kind=st.sampled_from(["number", "text", "date", None]),
)
def test_texts_at_once_mean_what_they_mean_one_by_one(texts: list[str | None], kind: str | None) -> None:
    codes, keys = text_keys(texts)
    assert [keys[code] for code in codes] == texts
    numbers, found = meaning(keys, kind)
    assert len(set(found)) == len(found)
    assert [found[numbers[code]] for code in codes] == [as_kind(text, kind) for text in texts]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), unique=True, max_size=12),
    st.sampled_from(["number", "text", "boolean", None]),
)
def test_whole_numbers_at_once_mean_what_they_mean_one_by_one(
    cells: list[int | None], kind: str | None
) -> None:
    keys = PlainKeys(pa.array(cells, pa.int64()))
    numbers, found = meaning(keys, kind)
    assert [found[number] for number in numbers] == [as_kind(cell, kind) for cell in cells]
    assert keys.reprs().to_pylist() == [repr(cell) for cell in cells]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.none(),
            st.floats(),
            st.floats(-1000, 1000),
            st.sampled_from([0.0, -0.0, float("nan"), 0.1, 1e-5, 1e16]),
        ),
        max_size=12,
    ),
    st.sampled_from([pa.float64(), pa.float32()]),
    st.sampled_from(["number", "text", "boolean", None]),
)
def test_floats_at_once_mean_what_they_mean_one_by_one(
    given_cells: list[float | None], type_: pa.DataType, kind: str | None
) -> None:
    column = pa.array(given_cells).cast(pa.float64()).cast(type_, safe=False)
    cells, numbers = column.to_pylist(), CellNumbers("x")
    half = len(column) // 2
    codes = [*numbers.codes(column[:half]), *numbers.codes(column[half:])]
    keys = numbers.keys()
    assert isinstance(keys, PlainKeys)
    assert [repr(keys[code]) for code in codes] == list(map(repr, cells))
    number, found = meaning(keys, kind)
    assert len(set(found)) == len(found)
    assert [found[number[code]] for code in codes] == [as_kind(cell, kind) for cell in cells]


CLOCK = st.datetimes(dt.datetime(2019, 12, 31), dt.datetime(2020, 1, 2))
MOMENTS = st.one_of(
    CLOCK.map(str),
    st.datetimes().map(dt.datetime.isoformat),
    st.sampled_from(["2020-01-01 00:00:00", "2020-01-01T00:00:00", "2020-01-01 00:00:00.000", "2020-01-01"]),
)
ZONES = st.sampled_from(["Z", "+00", "+00:00", "-0000", "+0530", "-23:59"])
ZONED = st.tuples(st.one_of(CLOCK, st.datetimes()).map(str), ZONES).map("".join)
ODD = st.sampled_from(
    [
        "",
        "x",
        "0000-01-01",
        "0000-12-31 23:59:59",
        "2020-02-30",
        "2020-02-30 00:00:00",
        "2021-02-29",
        "2020-13-01",
        "2020-01-01 24:00:00",
        "2020-01-01 23:59:60",
        "2020-01-01 00:00",
        "2020-01-01 00:00:00.1234567",
        "2020-01-01 00:00:00,5",
        "2020-01-01 00:00:00 ",
        "2020-01-01 00:00:00\n",
        "2020-01-01 00:00:00+24",
        "0001-01-01 00:00:00+01",
        "9999-12-31 23:59:59-01",
        "2020-W01-1",
        "20200101",
    ]
)
DAYS = st.dates().map(str)
FORMS = (MOMENTS, ZONED, DAYS, CLOCK.map(str), st.one_of(MOMENTS, ZONED, ODD), st.one_of(DAYS, ODD))


@settings(max_examples=500, deadline=None)
@given(st.data(), st.sampled_from(["date", "timestamp"]))
def test_moments_at_once_mean_what_they_mean_one_by_one(data: st.DataObject, kind: str) -> None:
    cells = data.draw(st.sampled_from(FORMS))
    texts, others = (data.draw(st.lists(st.one_of(st.none(), cells), max_size=9)) for _ in range(2))
    codes, keys = text_keys(texts)
    numbers, found = meaning(keys, kind)
    expected = [as_kind(text, kind) for text in texts]
    assert [repr(found[numbers[code]]) for code in codes] == [repr(one) for one in expected]
    assert len(set(found)) == len(found)
    if isinstance(found, PlainKeys):
        assert found.reprs().to_pylist() == [repr(one) for one in found]
    listed = list(found)
    _, sought = meaning(text_keys(others)[1], kind)
    places = [listed.index(one) if one in listed else -1 for one in sought]
    assert places_of(found, sought).tolist() == places_of(listed, sought).tolist() == places


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(
        [st.datetimes(), st.datetimes(dt.datetime(1, 1, 2), timezones=st.just(dt.UTC)), st.dates()]
    ).flatmap(lambda cells: st.lists(st.one_of(st.none(), cells), max_size=9, unique=True))
)
def test_python_moments_mean_the_same_as_an_array(cells: list[Hashable]) -> None:
    kind = "date" if any(type(cell) is dt.date for cell in cells) else "timestamp"
    numbers, found = meaning(cells, kind)
    expected = [as_kind(cell, kind) for cell in cells]
    assert [found[number] for number in numbers] == expected
    zones = [[getattr(one, "tzinfo", None) for one in each] for each in (expected, found)]
    assert set(zones[0]) == set(zones[1])
    assert not any(cells) or isinstance(found, PlainKeys)


def test_usual_cells_are_read_at_once() -> None:
    for texts, kind in (
        (["2020-01-01 00:00:00", "2020-01-01T00:00:00.5", None], "timestamp"),
        (["2020-01-01 00:00:00+00", "2020-01-01 00:00:00Z"], "timestamp"),
        (["2020-01-01", None], "date"),
        (["1381.170629858742", "-0.0011705162985874217", "1e-05", None], "number"),
    ):
        assert isinstance(meaning(text_keys(texts)[1], kind)[1], PlainKeys)


NUMBERS = st.lists(st.one_of(st.none(), st.decimals(-20, 20, places=1).map(str)), unique=True, max_size=9)
WHOLE = st.lists(st.one_of(st.none(), st.integers(-20, 10**17).map(str)), unique=True, max_size=9)


NEARLY = st.one_of(
    st.sampled_from(
        ["0.1", "0.10000000000000000000", "0.1000000000000000055", "1e-1", "12345678901234567890"]
    ),
    st.sampled_from(["12345678901234567890.0", "1e-30", "1e20", "100000000000000000000", "-0.0", "0"]),
    NARROW_FLOATS,
)
WIDE = st.lists(NEARLY, unique=True, max_size=9)


@settings(max_examples=300, deadline=None)
@given(st.one_of(NUMBERS, WHOLE, WIDE), st.one_of(NUMBERS, WHOLE, WIDE))
def test_keys_are_found_by_value(here: list[str | None], there: list[str | None]) -> None:
    _, keys = meaning(text_keys(here)[1], "number")
    _, others = meaning(text_keys(there)[1], "number")
    listed = list(keys)
    expected = [listed.index(one) if one in listed else -1 for one in others]
    assert places_of(keys, others).tolist() == expected
    assert places_of(list(keys), others).tolist() == expected
    assert all(one is None or isinstance(one, int | Decimal) for one in others)
