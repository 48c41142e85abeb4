"""Delimited text, split by the verifier: the same cells whether lines are split at once or one by one."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.errors import TableError
from hartley.verifier.tables import delimited
from hartley.verifier.tables.delimited import Delimited

PIECES = st.sampled_from(
    ["a", "", "1.10", "ä", ",", ";", '"', '""', '"a"', '"x,y"', '"\n"', "\n", "\r\n", "\r", " "]
)
CELLS = st.sampled_from(
    ["", "a", "b c", "1.10", "ä\u2028", '"', "x,y", "new\nline", "ret\r\nurn", "semi;colon"]
)


def cells(text: str, mark: str = ",") -> list[tuple[str | None, ...]]:
    found = Delimited(text, mark, "t.csv")
    width = len(found.header())
    rows: list[tuple[str | None, ...]] = []
    for columns in found.columns(range(width)):
        rows += zip(*(column.to_pylist() for column in columns), strict=True)
    return rows


def outcome(text: str, mark: str) -> object:
    try:
        return cells(text, mark)
    except TableError as error:
        return str(error)


@settings(max_examples=400, deadline=None)
@given(pieces=st.lists(PIECES, max_size=30), mark=st.sampled_from([",", ";"]), at_once=st.integers(0, 12))
def test_lines_are_split_at_once_as_one_by_one(pieces: list[str], mark: str, at_once: int) -> None:
    text = f"x{mark}y\n" + "".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "AT_ONCE", at_once)
        quickly = outcome(text, mark)
        patch.setattr(Delimited, "_split", lambda *_: None)
        assert quickly == outcome(text, mark)


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12),
    ending=st.sampled_from(["\n", "\r\n"]),
    at_once=st.integers(0, 40),
)
def test_cells_are_those_that_were_written(rows: list[tuple[str, ...]], ending: str, at_once: int) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=ending).writerows([("x", "y", "z"), *rows])
    expected = [tuple(cell or None for cell in row) for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "AT_ONCE", at_once)
        assert cells(out.getvalue()) == expected


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_records_in_quotes_are_split_at_once(ending: str, last: str) -> None:
    text = ending.join(['x,"y"', '"a ""b"", ä",1', ',""', '"new\nline","ret\r\nurn"', '"""",""""""']) + last
    found = Delimited(text, ",", "t.csv")
    place = text.index("\n") + 1
    assert found._split(text[place:], 2, [0, 1]) is not None
    assert cells(text) == [('a "b", ä', "1"), (None, ""), ("new\nline", "ret\r\nurn"), ('"', '""')]


@pytest.mark.parametrize(
    "text", ["", "\n", "\n\r\n", "x,y\n1,2\r", 'x,y\n1,"2"\r', 'x,y\n1,"2', "x\n\n1\n", "x\n\r"]
)
def test_ends_of_files_are_split_at_once_as_one_by_one(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    quickly = outcome(text, ",")
    monkeypatch.setattr(Delimited, "_split", lambda *_: None)
    assert quickly == outcome(text, ",")


def test_an_empty_cell_in_quotes_is_text_and_one_without_is_missing() -> None:
    assert cells('x,y\n"",\n,""\n') == [("", None), (None, "")]


@pytest.mark.parametrize("text", ["x,y\n1,2\n3\n4,5,6\n", "x,y\n1\n2,3,4", 'x,y\n"1",2,3\n', "x\n1\n2,3\n"])
def test_a_record_of_another_length_is_refused_though_others_make_up_for_it(text: str) -> None:
    with pytest.raises(TableError, match="another number of cells"):
        cells(text)
