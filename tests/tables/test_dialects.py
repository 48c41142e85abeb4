"""Files of other countries and programs: separators, decimal commas, missing words, Windows encodings."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from hartley import Study, apply, audit, verify
from hartley.cli.program import run
from hartley.errors import HartleyError, worded
from hartley.notes import heard_notes
from hartley.tables import ReadOptions, open_table

GERMAN = "Alter;Größe;Befund;Version\n41;1,80;NA;1.10\n42;1,75;x;1.1\n41;1,8;.;1.10\n43;;y;2.0\n"
READ = ReadOptions(decimal=",", missing_words=("NA", "."))


def german(folder: Path) -> Path:
    path = folder / "german.csv"
    path.write_text(GERMAN, encoding="utf-8")
    return path


def kinds(path: Path, options: ReadOptions) -> dict[str, str | None]:
    return {column.name: column.kind for column in open_table(path, options).columns}


def cells(path: Path, options: ReadOptions, name: str) -> list[object]:
    table = open_table(path, options)
    return [row[1] for row in sorted(table.connection.execute(table.rows_sql([], typed=[name])).fetchall())]


def test_semicolons_are_found_and_said(tmp_path):
    said: list[str] = []
    with heard_notes(said.append):
        assert open_table(german(tmp_path)).column_names == ("Alter", "Größe", "Befund", "Version")
    assert worded(said[0]) == (
        "german.csv: the header has semicolons and no commas, so the cells are read as separated by "
        "semicolons; delimiter says otherwise"
    )


@pytest.mark.parametrize(("mark", "ending"), [(";", ".csv"), ("\t", ".csv"), ("|", ".csv"), (",", ".tsv")])
def test_other_marks_are_found_in_the_header_and_nowhere_else(tmp_path, mark, ending):
    path = tmp_path / f"t{ending}"
    path.write_text(f'a{mark}"b,;c"\n1{mark}2\n', encoding="utf-8")
    assert open_table(path).column_names == ("a", "b,;c")
    path.write_text("a;b,c\n1;2,3\n" if ending == ".csv" else "a;b\tc\n1;2\t3\n", encoding="utf-8")
    assert open_table(path).column_names == (("a;b", "c"))


def test_decimal_commas_and_missing_words_are_read_where_they_are_said(tmp_path):
    path = german(tmp_path)
    assert kinds(path, ReadOptions()) == {
        "Alter": "number",
        "Größe": "text",
        "Befund": "text",
        "Version": "number",
    }
    assert kinds(path, READ) == {"Alter": "number", "Größe": "number", "Befund": "text", "Version": "text"}
    assert cells(path, READ, "Größe") == [1.8, 1.75, 1.8, None]
    assert cells(path, READ, "Befund") == [None, "x", None, "y"]


def test_a_point_is_no_decimal_sign_where_the_comma_is(tmp_path):
    path = german(tmp_path)
    with pytest.raises(HartleyError, match="column 'Version' is to be a number, but line 2 holds something"):
        open_table(path, ReadOptions(decimal=",", number=("Version",))).typed_columns(["Version"])
    assert kinds(path, ReadOptions(decimal=",", text=("Größe",)))["Größe"] == "text"


def test_another_reading_is_suggested_where_it_would_make_numbers(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("bmi;age;sex\n21,5;41;NA\nNA;.;f\n30;43;m\n", encoding="utf-8")
    said: list[str] = []
    with heard_notes(said.append):
        assert [column.kind for column in open_table(path).columns] == ["text", "text", "text"]
    assert [worded(one) for one in said[1:]] == [
        "column 'bmi' is read as text; it looks like numbers with a decimal comma: decimal=',', "
        "and words for empty cells: missing_words='NA'",
        "column 'age' is read as text; it looks like numbers with words for empty cells: missing_words='.'",
    ]


@pytest.mark.parametrize("decimal", [".", ","])
def test_a_few_words_in_a_column_of_numbers_are_pointed_out(tmp_path, decimal):
    path = tmp_path / "r.csv"
    rows = [f"{row};{row % 7};0{row % 7}123;1.{row + 100},50" for row in range(60)]
    path.write_text("\n".join(["age;kids;zip;pay", *rows, "sum;NA;;", ";no;80331;"]) + "\n", encoding="utf-8")
    said: list[str] = []
    with heard_notes(said.append):
        assert {column.kind for column in open_table(path, ReadOptions(decimal=decimal)).columns} == {"text"}
    noted = [worded(one) for one in said if "looks like numbers" in one]
    assert noted == [
        "column 'age' is read as text; it looks like numbers but for 1 cell of 61: correct it, or read such "
        "words as empty (missing_words)",
        "column 'kids' is read as text; it looks like numbers but for 1 cell of 62: correct it, or read such "
        "words as empty (missing_words)",
        "column 'pay' is read as text; it looks like numbers with marks between thousands, of money or "
        "percent: write them without, as 12500",
    ]


def test_no_reading_is_suggested_that_cells_with_types_refuse(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("".join(f'{{"bmi": "{row},5", "age": {row}}}\n' for row in range(20)), encoding="utf-8")
    said: list[str] = []
    with heard_notes(said.append):
        assert [column.kind for column in open_table(path).columns] == ["text", "number"]
    assert said == []


def test_the_command_line_says_notes_on_stderr_and_answers_the_same(tmp_path, capsys):
    path = german(tmp_path)
    assert run(["audit", str(path), "-s", "Alter", "-p", "Größe", "--json"]) == 0
    captured = capsys.readouterr()
    assert "hartley: note: german.csv: the header has semicolons" in captured.err
    assert "--decimal ," in captured.err
    assert json.loads(captured.out)["public"]["values"] == 4
    asked = ["-s", "Alter", "-p", "Größe", "--decimal", ",", "--json"]
    assert run(["audit", str(path), *asked]) == 0
    captured = capsys.readouterr()
    assert "--decimal" not in captured.err
    assert json.loads(captured.out)["public"]["values"] == 3


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("Straße,naïve", "cp1252", "Windows-1252 (Western Europe)"),
        ("Álava,Íñigo", "cp1252", "Windows-1252 (Western Europe)"),
        ("Łódź,żółw", "cp1250", "Windows-1250 (Central Europe)"),
        ("Москва,адрес", "cp1251", "Windows-1251 (Cyrillic)"),
    ],
)
def test_a_windows_encoding_is_suggested_by_name(tmp_path, text, encoding, name):
    path = tmp_path / "t.csv"
    path.write_bytes(f"{text}\n1,2\n".encode(encoding))
    with pytest.raises(HartleyError) as refused:
        open_table(path)
    assert f"it looks like {name}: read it with encoding='{encoding}'" in worded(str(refused.value))
    assert open_table(path, ReadOptions(encoding=encoding)).column_names == tuple(text.split(","))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"decimal": ";"}, "the decimal sign must be '.' or ','"),
        ({"decimal": ",", "delimiter": ","}, "cannot both separate cells and stand in numbers"),
        ({"missing_words": "NA"}, "must be a tuple of words"),
        ({"missing_words": ("NA", "x\ud800")}, "must be a text in UTF-8"),
    ],
)
def test_a_reading_that_cannot_be_is_refused(options, says):
    with pytest.raises(HartleyError, match=says):
        ReadOptions(**options)


def test_what_only_text_files_need_is_refused_elsewhere(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-8")
    for options in (ReadOptions(decimal=","), ReadOptions(missing_words=("NA",))):
        with pytest.raises(HartleyError, match="is for CSV and TSV files"):
            open_table(path, options)


def test_release_verify_and_apply_read_alike(tmp_path):
    chance = random.Random(5)
    rows = [
        f"{chance.randint(20, 60)};{chance.randint(150, 190)},{chance.randint(1, 9)};"
        f"{chance.choice(['NA', 'x', 'y'])};{chance.randint(1, 9)}.{chance.randint(0, 9)}"
        for _ in range(60)
    ]
    path, later = tmp_path / "german.csv", tmp_path / "later.csv"
    header = "Alter;Größe;Befund;Version\n"
    path.write_text(header + "\n".join(rows) + "\n", encoding="cp1252")
    later.write_text(header + "\n".join(rows[:40]) + "\n", encoding="cp1252")
    options = ReadOptions(decimal=",", missing_words=("NA",), encoding="cp1252")
    with Study(
        path, sensitive="Alter", public="Größe", harmless=("Befund", "Version"), options=options
    ) as study:
        made = study.release(tmp_path / "out.csv", require={"distinct_l": 3}, exposure="accept")
    found = verify(
        made.output, original=path, policy=made.policy, certificate=made.certificate, record=made.record
    )
    assert [check for check in found.checks if not check.holds] == []
    released = (tmp_path / "out.csv").read_text(encoding="cp1252")
    assert released.startswith("Größe;Befund;Version\n")
    assert "NA" not in released
    applied = apply(made.policy, later, tmp_path / "later_out.csv", unmet="accept")
    assert applied.rows == 40
    wrong = path.read_text(encoding="cp1252").replace(",", ".", 1)
    path.write_text(wrong, encoding="cp1252")
    assert not verify(made.output, original=path, policy=made.policy, certificate=made.certificate).holds


def test_an_audit_of_the_translated_file_is_the_same(tmp_path):
    path, plain = german(tmp_path), tmp_path / "plain.csv"
    plain.write_text(
        "Alter,Größe,Befund,Version\n41,1.80,,v1.10\n42,1.75,x,v1.1\n41,1.8,,v1.10\n43,,y,v2.0\n",
        encoding="utf-8",
    )
    one = audit(path, sensitive="Alter", public=("Größe", "Befund", "Version"), options=READ).to_dict()
    other = audit(plain, sensitive="Alter", public=("Größe", "Befund", "Version")).to_dict()
    assert {key: one[key] for key in one if key != "witnesses"} | {"each": 0} == {
        key: other[key] for key in other if key != "witnesses"
    } | {"each": 0}


def test_a_word_of_one_column_is_missing_there_alone(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b=c\n99,99\n1,-\nb=c=99,2\n", encoding="utf-8")
    asked = ReadOptions(missing_words=("b=c=99", "b=c=-"))
    assert cells(path, asked, "a") == [99, 1, None]
    assert cells(path, asked, "b=c") == [None, None, 2]
