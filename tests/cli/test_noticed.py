"""What an audit without roles notices of columns: persons, codes, dates, numbers that mean missing."""

from __future__ import annotations

import json

import openpyxl
import pytest

from hartley.cli.program import run


@pytest.fixture
def visits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["patient_id,age,race,born,status"]
    for row in range(120):
        age = 999 if row == 7 else 20 + row // 2 % 40
        born = f"{1 + row % 28:02d}.{1 + row % 12:02d}.{1950 + row % 40}"
        lines.append(f"{100 + row // 2},{age},{1 + row % 9},{born},{'abc'[row % 3]}")
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.usefixtures("visits")
def test_an_audit_without_roles_says_what_it_noticed(capsys):
    assert run(["audit", "visits.csv"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "patient_id repeats: 60 persons with 2 rows each on average" in said
    assert "--person patient_id" in said
    assert "999 may mean missing" in said
    assert "If 999 in age means that nothing is known, add --missing-word age=999:" in said
    assert "looks like codes" in said
    assert run(["audit", "visits.csv", "--json"]) == 0
    columns = {one["name"]: one for one in json.loads(capsys.readouterr().out)["columns"]}
    assert columns["patient_id"]["identifier"]
    assert columns["patient_id"]["rows_each"] == 2
    assert columns["race"]["codes"]
    assert not columns["age"]["codes"]
    assert columns["age"]["missing_code"] == 999
    assert not columns["born"]["identifier"]


@pytest.mark.usefixtures("visits")
def test_rows_of_persons_are_pointed_out_where_nobody_says_who_they_are(capsys):
    roles = ["-s", "status", "-p", "age"]
    noted = "column 'patient_id' repeats: 60 persons with 2 rows each on average"
    release = ["release", "visits.csv", "o.csv", *roles, "--row-k", "2"]
    for call in (["audit", "visits.csv", *roles], ["audit", "visits.csv", "-s", "status"], release):
        assert run(call) == 0
        said = capsys.readouterr().err
        assert noted in said
        assert "--person patient_id" in said
    assert run(["audit", "visits.csv", *roles, "--person", "patient_id"]) == 0
    assert noted not in capsys.readouterr().err


@pytest.mark.usefixtures("visits")
def test_a_workbook_with_several_sheets_says_which_is_read(tmp_path, capsys):
    book = openpyxl.Workbook()
    book.active.title = "Legend"
    book.active.append(["column", "meaning"])
    book.active.append(["age", "in years"])
    data = book.create_sheet("Data")
    data.append(["age", "status"])
    for row in range(30):
        data.append([999 if row == 7 else 20 + row, "ab"[row % 2]])
    book.save(tmp_path / "book.xlsx")
    assert run(["audit", "book.xlsx"]) == 0
    streams = capsys.readouterr()
    assert "'Data', which has the most rows, is read, and not 'Legend'" in " ".join(streams.err.split())
    assert "30 rows, 2 columns" in streams.out
    said = " ".join(streams.out.split())
    assert "If 999 in age means that nothing is known, empty these cells in book.xlsx first" in said


def test_codes_do_not_move_and_missing_codes_are_found_among_fractions(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{i % 3 % 2},{1 + i % 5},{20 + i},{-9 if i % 9 == 0 else 50.5 + i / 4},{'abcde'[i * 7 % 5]}"
        for i in range(60)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["female,race,age,weight,illness", *lines]) + "\n")
    assert run(["audit", "t.csv", "--json"]) == 0
    columns = {one["name"]: one for one in json.loads(capsys.readouterr().out)["columns"]}
    assert columns["female"]["codes"]
    assert columns["weight"]["missing_code"] == -9
    call = ["release", "t.csv", "o.csv", "-s", "illness", "-p", "female", "-p", "race", "-p", "age"]
    assert run([*call, "--distinct-l", "3"]) == 0
    streams = capsys.readouterr()
    said, noted = " ".join(streams.out.split()), " ".join(streams.err.split())
    assert "age: moves by" in said
    assert "race: moves" not in said
    assert "female: moves" not in said
    assert "correlation" not in said
    assert "the numbers of column 'race' look like codes; --text race recodes them as categories" in noted
    assert run([*call, "--distinct-l", "3", "--overwrite", "--number", "race", "--text", "female"]) == 0
    assert "look like codes" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("header", "kinds", "suggested"),
    [
        ("age,sex,parity,case", "aab2", "-s case -p age -p sex"),
        ("Diagnosedatum,Alter,Status", "da3", "-s Status -p Alter"),
        ("year,gender,ageGroup,vocab", "aaab", "-s vocab -p gender -p ageGroup"),
        ("Geb.-Datum,Alter,Geschl.,Status", "dba2", "-s Status -p Alter -p Geschl."),
        ("job,gender", "aa", "-s job -p gender"),
        ("country,kind,law,year,gdp", "aaabc", "-s gdp -p country -p kind -p year"),
    ],
)
def test_what_readers_know_is_published_and_results_are_protected(
    tmp_path, monkeypatch, capsys, header, kinds, suggested
):
    monkeypatch.chdir(tmp_path)
    cells = {
        "a": lambda row: f"{row % 7}x",
        "b": lambda row: f"{row % 12}.5",
        "c": lambda row: f"{row}.25",
        "d": lambda row: f"0{1 + row % 9}.02.1990",
    }
    made = [[cells.get(kind, lambda row: "yn?"[row % 3])(row) for kind in kinds] for row in range(60)]
    (tmp_path / "t.csv").write_text("\n".join([header, *map(",".join, made)]) + "\n")
    assert run(["audit", "t.csv"]) == 0
    assert suggested in " ".join(capsys.readouterr().out.replace("\\\n", "").split())


def test_of_few_sensitive_values_three_are_suggested_and_a_missing_one_is_none(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + row},{['never', 'daily', 'often', 'once', ''][min(row % 9, 4)]}" for row in range(90)]
    (tmp_path / "t.csv").write_text("\n".join(["age,smokes", *rows]) + "\n")
    assert run(["audit", "t.csv", "-s", "smokes", "-p", "age"]) == 0
    assert "--distinct-l 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    "cell", ['"{0},500"', '"{0}.500,50"', '"{0}90,50"', '"{0} 500,5"', "$4{0}.5", "{0}%"]
)
def test_numbers_with_marks_are_pointed_out(tmp_path, monkeypatch, capsys, cell):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + row},{cell.format(row + 1)}" for row in range(29)] + ['60,"12.300,75"']
    (tmp_path / "t.csv").write_text("\n".join(["age,pay", *rows]) + "\n")
    assert run(["audit", "t.csv"]) == 0
    assert "it looks like numbers with marks between thousands" in capsys.readouterr().err


def test_a_number_that_may_mean_missing_is_read_so_in_its_column_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + row % 40};{999 if row % 9 == 0 else row % 5},0;{'abc'[row % 3]}" for row in range(120)]
    (tmp_path / "t.csv").write_text("\n".join(["age;children;status", *rows, "999;1,0;b"]) + "\n")
    assert run(["audit", "t.csv", "--decimal", ","]) == 0
    said = " ".join(capsys.readouterr().out.replace("\\\n", "").split())
    assert (
        "If 999 in age and 999,0 in children mean that nothing is known, add --missing-word age=999" in said
    )
    assert "--missing-word children=999,0: they are then no numbers to merge with." in said
    assert "-s status -p age -p children --decimal , --missing-word age=999 --missing-word children" in said
    call = ["release", "t.csv", "o.csv", "-s", "status", "-p", "children", "-p", "age", "--distinct-l", "2"]
    words = ["--missing-word", "children=999,0", "--missing-word", "age=9.0"]
    assert run([*call, "--decimal", ",", *words]) == 0
    streams = capsys.readouterr()
    assert "14 rows left out, missing or withheld" in " ".join(streams.out.split())
    assert "no cell of t.csv is 'age=9.0' (--missing-word); cells are compared as" in streams.err
    held = ["verify", "o.csv", "--original", "t.csv", "--policy", "o.policy.json"]
    assert run(held) == 0
    assert "CONFIRMED" in capsys.readouterr().out


def test_a_release_points_out_numbers_that_may_mean_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{'999' if row == 7 else f'{60 + row % 30},5'};{'-9' if row == 8 else row % 7};{row % 3}"
        for row in range(90)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["weight;visits;hiv", *rows]) + "\n")
    call = ["release", "t.csv", "o.csv", "-s", "hiv", "-p", "weight", "-p", "visits", "--distinct-l", "2"]
    call += ["--decimal", ",", "--overwrite"]
    assert run(call) == 0
    said = capsys.readouterr().err
    assert "999 in column 'weight' may mean that nothing is known" in said
    assert "--missing-word visits=-9 reads it as empty" in said
    words = ["--missing-word", "weight=999", "--missing-word", "visits=-9", "--missing", "drop"]
    assert run([*call, *words]) == 0
    assert "may mean" not in capsys.readouterr().err
    assert run([*call, "--number", "weight", "--number", "visits"]) == 0
    assert "may mean" not in capsys.readouterr().err


def test_spellings_of_one_value_are_pointed_out_and_above_all_of_a_sensitive_one(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    rows = [f"{row},{'mwMw'[row % 4]},{['no', 'No ', 'yes'][row % 3]}" for row in range(120)]
    (tmp_path / "t.csv").write_text("\n".join(["age,sex,hiv", *rows]) + "\n")
    assert run(["audit", "t.csv"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "1 differs from another in spaces or capitals alone" in said
    assert run(["audit", "t.csv", "-s", "hiv", "-p", "sex"]) == 0
    noted = "1 value of 'hiv' differs from others in spaces or capital letters alone and still counts as"
    assert noted in capsys.readouterr().err
    call = ["release", "t.csv", "o.csv", "-s", "hiv", "-p", "age", "--distinct-l", "2"]
    assert run(call) == 0
    assert noted in capsys.readouterr().err
    (tmp_path / "groups.csv").write_text("value,group\nno,no\nNo ,no\nyes,yes\n")
    assert run([*call, "--overwrite", "--groups", "hiv=groups.csv"]) == 0
    assert "capital" not in capsys.readouterr().err


def test_words_for_answers_that_are_not_known_are_pointed_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + row % 9},{['ja', 'nein', 'k.A.'][row % 3]}" for row in range(90)]
    (tmp_path / "t.csv").write_text("\n".join(["age,hiv", *rows]) + "\n")
    call = ["release", "t.csv", "o.csv", "-s", "hiv", "-p", "age", "--distinct-l", "2"]
    noted = "a word in 'hiv' for answers that are not known still counts as one that remains possible"
    for asked in (["audit", "t.csv", "-s", "hiv", "-p", "age"], call):
        assert run(asked) == 0
        said = capsys.readouterr().err
        assert noted in said
        assert "k.A." not in said
    assert run([*call, "--overwrite", "--missing-word", "hiv=k.A.", "--missing", "drop"]) == 0
    assert noted not in capsys.readouterr().err


def test_dates_that_are_read_as_text_are_in_no_suggested_call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{1 + row % 28:02d}.{1 + row % 12:02d}.{60 + row % 40},{row % 40},{'abc'[row % 3]}"
        for row in range(120)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["birth,age,status", *rows]) + "\n")
    assert run(["audit", "t.csv"]) == 0
    assert "-s status -p age" in " ".join(capsys.readouterr().out.split())
    assert run(["audit", "t.csv", "-s", "status", "-p", "birth", "-p", "age"]) == 0
    said = capsys.readouterr().out.replace("\\\n", "")
    assert "Left out: birth, which looks like dates and is read as text." in " ".join(said.split())
    assert run(said[said.index("hartley release") :].split()[1:]) == 0
    assert run(["audit", "t.csv", "-s", "status", "-p", "birth", "--text", "birth"]) == 0
    said = capsys.readouterr().out.replace("\\\n", "")
    assert "-p birth --distinct-l 3 --text birth" in " ".join(said.split())


def test_a_call_that_is_suggested_leaves_out_empty_cells_that_cannot_be_merged(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{'' if row == 7 else 20 + row % 40},{'abc'[row % 3]}" for row in range(120)]
    (tmp_path / "t.csv").write_text("\n".join(["age,status", *rows]) + "\n")
    assert run(["audit", "t.csv", "-s", "status", "-p", "age"]) == 0
    said = capsys.readouterr().out.replace("\\\n", "")
    assert "Rows with an empty age are left out" in said
    call = said[said.index("hartley release") :].split()
    assert call[-2:] == ["--missing", "drop"]
    assert run(call[1:]) == 0


def test_what_is_guessed_is_shared_by_many_and_races_have_no_order(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    races, degrees = ("1. White", "2. Black", "3. Other"), ("1. None", "2. School", "3. College")
    lines = [f"{races[row % 3]},{degrees[row % 3]},{row % 12 + 1},{row * 37 % 89}" for row in range(120)]
    (tmp_path / "people.csv").write_text("\n".join(["race,education,Subject,x", *lines]) + "\n")
    assert run(["audit", "people.csv"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The values of education have an order that is known: with --order education=auto" in said
    assert "Subject repeats: 12 persons with 10 rows each" in said
    assert "-s x -p race -p education --person Subject" in said
    lines = [f"{row % 3},{row * 37 % 113},{row % 5},{row / 7:.3f}" for row in range(120)]
    (tmp_path / "trial.csv").write_text("\n".join(["arm,dose,plot,yield", *lines]) + "\n")
    assert run(["audit", "trial.csv"]) == 0
    assert "-s yield -p arm -p plot" in " ".join(capsys.readouterr().out.split())
    lines = [
        f"{1940 + row * 7 % 60}-01-05,{'IJC'[row % 3]}{row % 6}.9,{150 + row % 40}" for row in range(120)
    ]
    (tmp_path / "ward.csv").write_text("\n".join(["Geb.-Datum,ICD,Größe", *lines]) + "\n")
    assert run(["audit", "ward.csv"]) == 0
    assert "-s ICD -p Geb.-Datum" in " ".join(capsys.readouterr().out.split())
