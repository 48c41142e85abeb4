"""Delimited files: what is read is what stands there, to the character."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hartley.errors import TableError
from hartley.tables import ReadOptions, Roles, open_table
from hartley.tables.counting import grid
from hartley.tables.sources import csv as csv_source
from hartley.tables.sources import csv_check
from hartley.tables.sources.csv_check import check_records, line_of_record

CELLS = st.one_of(
    st.sampled_from(
        ["", "a", "007", '"', '""', "\n", "\r\n", "\r", ",", ";", "\t", " ", "é", "😀", "#", "\\", "'"]
    ),
    st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=6),
)


def rows_of(path: Path, width: int, **options: str) -> list[tuple[str | None, ...]]:
    names = tuple(f"n{place}" for place in range(width))
    table = open_table(path, ReadOptions(**options))  # type: ignore[arg-type]
    assert table.column_names == names
    rows = table.connection.execute(table.rows_sql(names)).fetchall()
    assert [row[0] for row in rows] == list(range(1, table.row_count + 1))
    return [row[1:] for row in rows]


@settings(max_examples=120, deadline=None)
@given(data=st.data(), width=st.integers(1, 4))
def test_every_cell_comes_back_to_the_character(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, width: int
) -> None:
    rows = data.draw(st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=6))
    ending = data.draw(st.sampled_from(["\n", "\r\n"]))
    delimiter = data.draw(st.sampled_from([",", ";", "\t", "|"]))
    mark = data.draw(st.sampled_from(["", "\ufeff"]))
    everywhere = data.draw(st.booleans())

    def written(cell: str) -> str:
        needs_quotes = everywhere or any(letter in cell for letter in ('"', "\r", "\n", delimiter))
        return '"' + cell.replace('"', '""') + '"' if needs_quotes or (width == 1 and not cell) else cell

    records = [[f"n{place}" for place in range(width)], *([written(cell) for cell in row] for row in rows)]
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes((mark + "".join(delimiter.join(record) + ending for record in records)).encode())
    expected = [tuple(cell or ("" if everywhere or width == 1 else None) for cell in row) for row in rows]
    assert rows_of(path, width, delimiter=delimiter) == expected
    if all("\r" not in cell for row in rows for cell in row):  # Python's reader agrees on where cells end
        text = path.read_text("utf-8-sig")
        read = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        assert read[1:] == [list(row) for row in rows]


def test_packed_and_translated_files_are_the_same_table(tmp_path: Path) -> None:
    content = "n0,n1\r\né,1\r\n,2"
    plain, packed, translated = (tmp_path / name for name in ("t.csv", "t.csv.gz", "u.csv.gz"))
    plain.write_bytes(content.encode())
    packed.write_bytes(gzip.compress(content.encode()))
    translated.write_bytes(gzip.compress(content.encode("utf-16")))
    expected = [("é", "1"), (None, "2")]
    assert rows_of(plain, 2) == rows_of(packed, 2) == expected
    assert rows_of(translated, 2, encoding="utf-16") == expected


@pytest.mark.parametrize("name", ["t.tsv", "t.tab", "t.TXT"])
def test_tab_separated_files_need_no_option(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("n0\tn1\na,b\t2\n")
    assert rows_of(path, 2) == [("a,b", "2")]


def test_a_file_name_is_never_a_pattern(tmp_path: Path) -> None:
    for name in ("a*.csv", "[ab]*.csv", "o'clock?.csv"):
        (tmp_path / "ab.csv").write_text("n0\nwrong\n")
        (tmp_path / name).write_text(f"n0\n{name}\n")
        assert rows_of(tmp_path / name, 1) == [(name,)]


def test_names_that_differ_in_case_only_are_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('Age,age,"a ""b"" c",\n1,2,3,4\n')
    table = open_table(path)
    assert table.column_names == ("Age", "age", 'a "b" c', "")
    joint = table.joint_range(Roles(sensitive=("age",), public=("Age", 'a "b" c', ""))).joint
    assert (joint.sensitive.labels(), joint.public.labels()) == ([2], [(1, 3, 4)])


def test_many_blocks_are_checked_like_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'a,b\r\n1,2\r\n"x\r\n,y",2\r\n3,4\r\n,""\r\n5,6'
    whole = check_records(io.BytesIO(text), ",", "t")
    for block in range(1, len(text)):
        monkeypatch.setattr("hartley.tables.sources.csv_check.BLOCK", block)
        assert check_records(io.BytesIO(text), ",", "t") == whole
    assert (whole.records, whole.has_line_breaks_in_cells) == (5, True)


WELL_WRITTEN = ['"a"', '"b,;c"', '"d ""e"" f"', '""', '""""', "g", "", '"é"']
ODD = ['"x\ny"', '"x\r\ny"', '"x"y', 'x"y', 'x""', '"x', '"x"" ', "x\r", "x\ry", '"\r"', "\0", '"x,"']


def shape_of(content: bytes, delimiter: str) -> object:
    try:
        return check_records(io.BytesIO(content), delimiter, "t.csv")
    except TableError as error:
        return str(error)


@settings(max_examples=400, deadline=None)
@given(data=st.data(), width=st.integers(1, 3), block=st.integers(1, 60))
def test_lines_with_quotes_are_checked_at_once_as_one_by_one(
    data: st.DataObject, width: int, block: int
) -> None:
    delimiter, ending = data.draw(st.sampled_from([",", ";"])), data.draw(st.sampled_from(["\n", "\r\n"]))
    cells = st.sampled_from(WELL_WRITTEN + (ODD if data.draw(st.booleans()) else []))
    widths = st.sampled_from([width] * 12 + [width + 1, max(width - 1, 1)] * data.draw(st.booleans()))
    endings = st.sampled_from([ending] * 12 + ["\n", "\r\n", "\n\n"] * data.draw(st.booleans()))
    records = data.draw(st.lists(widths.flatmap(lambda size: st.tuples(*[cells] * size)), max_size=12))
    names = tuple(data.draw(st.sampled_from(['"{}"', "{}"])).format(f"n{place}") for place in range(width))
    lines = [delimiter.join(record) + data.draw(endings) for record in [names, *records]]
    text = data.draw(st.sampled_from(["", "\ufeff"])) + "".join(lines)
    content = (text if data.draw(st.booleans()) else text.removesuffix(ending)).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_check, "BLOCK", block)
        at_once = shape_of(content, delimiter)
        patch.setattr(csv_check._Check, "_takes_at_once", lambda *_: False)
        assert at_once == shape_of(content, delimiter)


def test_blocks_of_lines_with_quotes_are_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b'"x","y"\r\n' + b'"a ""b"", c",1\r\n' * 40 + b',"d"\r\n' * 40
    whole = shape_of(content, ",")
    taken: list[bytes] = []
    slowly = csv_check._Check._take_line
    monkeypatch.setattr(
        csv_check._Check, "_take_line", lambda check, text: (taken.append(text), slowly(check, text))
    )
    monkeypatch.setattr(csv_check, "BLOCK", 64)
    assert shape_of(content, ",") == whole == csv_check.CsvShape(("x", "y"), 80, 14, False)
    assert taken == [b'"x","y"\r']


def test_a_record_is_found_by_its_first_line() -> None:
    text = b'a,b\n1,"x\n\ny"\n2,3\n'
    assert [line_of_record(io.BytesIO(text), record) for record in range(3)] == [1, 2, 5]


def test_a_large_file_is_read_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("s,x\n" + "".join(f"{i % 7},{i % 11}\n" for i in range(5000)))
    roles = Roles(sensitive=("s",), public=("x",))
    in_memory = open_table(path).joint_range(roles)
    monkeypatch.setattr("hartley.tables.sources.csv.KEPT_IN_MEMORY", 0)
    assert open_table(path).joint_range(roles) == in_memory
    assert in_memory.joint.pairs == 77


def test_no_rows_of_a_file_are_held_while_they_are_joined_to_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,s\n" + "".join(f"x{row % 500},s{row % 40}\n" for row in range(5000)))
    monkeypatch.setattr(csv_source, "KEPT_IN_MEMORY", 0)
    explained = []
    stream = grid.batches

    def explaining(connection: Any, query: str, rows: int) -> Any:
        explained.append(connection.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()[0][1])
        return stream(connection, query, rows)

    monkeypatch.setattr(grid, "batches", explaining)
    open_table(path).range_summary(Roles(sensitive=("s",), public=("x",)))
    (plan,) = explained
    held = []

    def look(node: dict[str, Any]) -> None:
        children = node.get("children", [])
        if "JOIN" in node["name"]:
            held.append(json.dumps(children[1]))
        for child in children:
            look(child)

    for node in json.loads(plan):
        look(node)
    assert len(held) == 2
    assert "csv" in plan.lower()
    assert not any("csv" in side.lower() for side in held)
