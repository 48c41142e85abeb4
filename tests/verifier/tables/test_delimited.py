"""Delimited text, split by the verifier: the same cells as by the rules, one after the other."""

from __future__ import annotations

import csv
import io
import re

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
    except TableError:
        return "refused"


def records(text: str, mark: str) -> list[tuple[str | None, ...]]:
    """Split a text by the rules of this file, cell by cell."""
    cell = re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{mark}\r\n]*))({mark}|\r?\n|\Z)', re.DOTALL)
    found: list[tuple[str | None, ...]] = []
    record: list[str | None] = []
    place = 0
    while place < len(text) or record:
        here = cell.match(text, place)
        if here is None:
            raise TableError("a cell that is none")
        quoted, plain, end = here.groups()
        record.append(plain or None if quoted is None else quoted.replace('""', '"'))
        place = here.end()
        if end != mark:
            found += [tuple(record)] if record != [None] or quoted is not None else []
            record = []
    if any(len(one) != len(found[0]) for one in found):
        raise TableError("a record of another length")
    return found[1:]


@settings(max_examples=600, deadline=None)
@given(
    pieces=st.lists(PIECES, max_size=30),
    mark=st.sampled_from([",", ";"]),
    header=st.sampled_from(["x{}y\n", "x\n", '"x"{}"y{}z"\r\n']),
    at_once=st.sampled_from([1 << 9, 1 << 25]),
)
def test_text_is_split_as_it_is_cell_by_cell(pieces: list[str], mark: str, header: str, at_once: int) -> None:
    text = header.format(mark, mark) + "".join(pieces)
    try:
        expected: object = records(text, mark)
    except TableError:
        expected = "refused"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "AT_ONCE", at_once)
        assert outcome(text, mark) == expected


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12),
    ending=st.sampled_from(["\n", "\r\n"]),
    at_once=st.sampled_from([1 << 9, 1 << 25]),
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
def test_quotes_are_no_part_of_cells(ending: str, last: str) -> None:
    text = ending.join(['x,"y"', '"a ""b"", ä",1', ',""', '"new\nline","ret\r\nurn"', '"""",""""""']) + last
    assert cells(text) == [('a "b", ä', "1"), (None, ""), ("new\nline", "ret\r\nurn"), ('"', '""')]


@pytest.mark.parametrize(
    "text", ["x,y\n1,2\r", "x,y\n1,2\r3,4\n", 'x,y\n1,"2', 'x,y\n1,"2\n', 'x,y\na"b"c,1\n', 'x,y\n"a"b,1\n']
)
def test_what_readers_split_in_different_ways_is_refused(text: str) -> None:
    with pytest.raises(TableError, match="cannot be split"):
        cells(text)


def test_an_empty_cell_in_quotes_is_text_and_one_without_is_missing() -> None:
    assert cells('x,y\n"",\n,""\n') == [("", None), (None, "")]


@pytest.mark.parametrize("text", ["x,y\n1,2\n3\n4,5,6\n", "x,y\n1\n2,3,4", 'x,y\n"1",2,3\n', "x\n1\n2,3\n"])
def test_a_record_of_another_length_is_refused_though_others_make_up_for_it(text: str) -> None:
    with pytest.raises(TableError, match="another number of cells"):
        cells(text)


def test_a_line_may_be_longer_than_what_is_split_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "AT_ONCE", 64)
    lines = [(str(number) * size, "y") for number, size in enumerate([1, 500, 3, 90, 1000, 2] * 9)]
    assert cells("\n".join(["x,y", *map(",".join, lines)])) == lines
