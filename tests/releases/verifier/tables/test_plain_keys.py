"""Cells as one array mean what they mean one by one."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.releases.verifier.tables.plain_keys import PlainKeys, meaning, places_of, text_keys
from hartley.releases.verifier.tables.reread import as_kind

TEXTS = st.one_of(
    st.none(),
    st.integers(-(10**19), 10**19).map(str),
    st.decimals(-1000, 1000, places=3).map(str),
    st.sampled_from(["007", "7", "-0", "0", "0.50", "0.5", "", " 7", "x", "1e3", "+7", "1.", ".5"]),
)
PLAIN = st.one_of(st.none(), st.integers(-9999, 9999).map(str), st.decimals(-99, 99, places=2).map(str))


@settings(max_examples=400, deadline=None)
@given(
    texts=st.one_of(st.lists(TEXTS, max_size=12), st.lists(PLAIN, max_size=12)),
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


NUMBERS = st.lists(st.one_of(st.none(), st.decimals(-20, 20, places=1).map(str)), unique=True, max_size=9)
WHOLE = st.lists(st.one_of(st.none(), st.integers(-20, 10**17).map(str)), unique=True, max_size=9)


@settings(max_examples=200, deadline=None)
@given(st.one_of(NUMBERS, WHOLE), st.one_of(NUMBERS, WHOLE))
def test_keys_are_found_by_value(here: list[str | None], there: list[str | None]) -> None:
    _, keys = meaning(text_keys(here)[1], "number")
    _, others = meaning(text_keys(there)[1], "number")
    listed = list(keys)
    expected = [listed.index(one) if one in listed else -1 for one in others]
    assert places_of(keys, others).tolist() == expected
    assert places_of(list(keys), others).tolist() == expected
    assert all(one is None or isinstance(one, int | Decimal) for one in others)
