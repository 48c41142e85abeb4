"""What is dangerous to publish is never blessed: refused unless the curator accepts it, and said in red."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pyarrow as pa
import pytest

import hartley
from hartley.cli.program import run
from hartley.errors import UnreachableError
from hartley.report.words.audit import headline
from hartley.report.words.release import verdict

refuses_danger = True

LINES = ["age,status"] + [f"{20 + row % 20},{'abc'[row % 3 if row % 20 > 3 else 0]}" for row in range(120)]


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "people.csv"
    path.write_text("\n".join(LINES) + "\n")
    return path


@pytest.mark.parametrize(
    "asked",
    [
        ("--distinct-l", "1"),
        ("--max-distortion", "0"),
        ("--row-k", "2"),
        ("--utility-weight", "1000"),
        ("--max-leakage", "20"),
        ("--leakage", "istar", "--max-leakage", "20"),
        ("--require", "l0=20"),
    ],
    ids=" ".join,
)
def test_a_release_in_which_someone_keeps_one_candidate_is_not_written(tmp_path, capsys, asked):
    call = ["release", "people.csv", "out.csv", "-s", "status", "-p", "age", *asked]
    assert run(call) == 3
    said = capsys.readouterr().err
    assert "one candidate for 'status'" in said
    assert "--accept-exposure" in said
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
    assert run([*call, "--accept-exposure"]) == 0
    assert "EXPOSED" in capsys.readouterr().out


def test_no_suggestion_of_an_audit_leaves_one_candidate(capsys):
    assert run(["audit", "people.csv", "-s", "status", "-p", "age"]) == 0
    assert "--distinct-l 3" in capsys.readouterr().out


def test_persons_who_keep_one_candidate_are_not_published(tmp_path):
    rows = {"who": [1, 1, 2, 3, 4, 4], "age": [20, 21, 20, 20, 30, 31], "status": list("aabcdd")}
    with pytest.raises(UnreachableError, match="persons would be left with one candidate"):
        hartley.release(
            pa.table(rows),
            tmp_path / "out.csv",
            sensitive="status",
            public="age",
            person="who",
            require={"row_k": 1},
            shape="columns",
        )


def test_rows_alone_are_counted_where_no_column_is_sensitive(tmp_path, capsys):
    lines = ["age,sex,status"] + [f"{20 + row % 23},{'fm'[row % 2]},{'abc'[row % 3]}" for row in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    call = ["release", "t.csv", "o.csv", "-p", "age", "-p", "sex"]
    assert run([*call, "--row-k", "5"]) == 0
    assert "(k-anonymity: k =" in " ".join(capsys.readouterr().out.split())
    with open("o.csv", newline="") as file:
        assert min(Counter(map(tuple, list(csv.reader(file))[1:])).values()) >= 5
    documents = [
        "--policy",
        "o.policy.json",
        "--certificate",
        "o.certificate.json",
        "--record",
        "o.record.json",
    ]
    assert run(["verify", "o.csv", "--original", "t.csv", *documents]) == 0
    capsys.readouterr()
    for asked in (
        ["--distinct-l", "3"],
        ["--row-k", "5", "--require", "distinct-l=2"],
        ["--max-leakage", "1"],
    ):
        assert run([*call, *asked, "--overwrite"]) == 2
        assert "name one with --sensitive" in capsys.readouterr().err


def staff(folder):
    lines = ["Staff no,Name,pay,status"]
    lines += [f"{4000 + 7 * row},P. Person{row},{2000 + 13 * row},{'abcde'[row % 5]}" for row in range(60)]
    (folder / "staff.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("column", ["Staff no", "Name"])
@pytest.mark.parametrize("role", ["-p", "--keep"])
def test_columns_that_name_people_are_not_published(tmp_path, capsys, column, role):
    staff(tmp_path)
    call = ["release", "staff.csv", "out.csv", "-s", "status", "-p", "pay", role, column, "--distinct-l", "3"]
    assert run(call) == 2
    said = capsys.readouterr().err
    assert f"column '{column}' looks like a n" in said
    assert "--accept-identifier" in said
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("column", ["Staff no", "Name"])
def test_a_column_that_names_people_is_not_published_as_the_sensitive_one_either(tmp_path, capsys, column):
    staff(tmp_path)
    call = ["release", "staff.csv", "out.csv", "-s", column, "-p", "pay", "--distinct-l", "3"]
    assert run([*call, "--publish-sensitive"]) == 2
    assert f"column '{column}' looks like a n" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
    assert run(call) == 0


def test_a_number_of_people_is_published_on_the_curators_word_and_never_as_a_list(tmp_path, capsys):
    staff(tmp_path)
    call = ["release", "staff.csv", "out.csv", "-s", "status", "-p", "Staff no", "--distinct-l", "3"]
    accepted = [*call, "--accept-identifier", "Staff no"]
    assert run([*accepted, "--labels", "set"]) == 2
    assert "never published" in capsys.readouterr().err
    assert run([*accepted, "--labels", "member"]) == 2
    assert run([*accepted, "--json"]) == 0
    streams = capsys.readouterr()
    assert [one["column"] for one in json.loads(streams.out)["identifiers"]] == ["Staff no"]
    named = ["release", "staff.csv", "o.csv", "-s", "status", "-p", "Name", "--distinct-l", "3"]
    assert run([*named, "--accept-identifier", "Name"]) == 2
    assert "never published" in capsys.readouterr().err


def test_only_what_names_people_can_be_accepted_as_such(tmp_path, capsys):
    staff(tmp_path)
    call = ["release", "staff.csv", "out.csv", "-s", "status", "-p", "pay", "--distinct-l", "3"]
    assert run([*call, "--accept-identifier", "pay"]) == 2
    assert "does not look like it names people" in capsys.readouterr().err


def test_an_audit_flags_what_names_people_and_never_suggests_it(tmp_path, capsys):
    staff(tmp_path)
    assert run(["audit", "staff.csv", "-s", "status", "--json"]) == 0
    assert [one["column"] for one in json.loads(capsys.readouterr().out)["identifiers"]] == [
        "Staff no",
        "Name",
    ]
    assert run(["audit", "staff.csv", "-s", "status"]) == 0
    assert "-p pay --distinct-l 3" in " ".join(capsys.readouterr().out.replace("\\\n", "").split())


@pytest.mark.parametrize(
    ("statuses", "wanted", "word"),
    [("aa", 1, "EXPOSED"), ("abc", 2, "AT RISK"), ("abc", 3, "PROTECTED"), ("ab", 2, "PROTECTED")],
)
def test_the_words_follow_one_rule(tmp_path, statuses, wanted, word):
    given = statuses if wanted == 3 else statuses[:2]
    rows = [(age, status) for age in range(2) for status in given]
    rows += [(2, status) for status in statuses]
    table = pa.table({"age": [age for age, _ in rows], "status": [status for _, status in rows]})
    asked = {"sensitive": "status", "public": "age", "require": {"distinct_l": wanted}}
    made = hartley.release(table, tmp_path / "out.csv", exposure="accept", **asked)
    assert verdict(made).word == word
    assert headline(made.after).word == word
    found = hartley.audit(table, sensitive="status", public="age", require={"distinct_l": 4})
    assert headline(found.audit, holds=found.holds).word == ("EXPOSED" if word == "EXPOSED" else "AT RISK")


def test_a_balanced_point_leaves_two_candidates(table):
    assert hartley.frontier(table, sensitive="status", public="age").frontier.balanced().distinct_l > 1


def test_a_report_without_a_target_recommends_nothing_that_exposes(tmp_path, capsys):
    assert run(["report", "people.csv", "-s", "status", "-p", "age", "-o", "r.html"]) == 0
    page = (tmp_path / "r.html").read_text()
    assert "<strong>EXPOSED.</strong>" not in page
    capsys.readouterr()
    assert run(["frontier", "people.csv", "-s", "status", "-p", "age", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["points"][0]["distinct_l"] == 1


def test_names_that_were_taken_for_what_is_sensitive_are_not_suggested_for_publication(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    names = ["Abel", "Haas", "Krause", "Lange", "Vogt", "Weber", "Yilmaz", "Zimmer"]
    rows = "".join(f"{names[row * 3 % 8]},{20 + row % 30}\n" for row in range(60))
    (tmp_path / "t.csv").write_text(f"Surname,age\n{rows}", encoding="utf-8")
    assert run(["audit", "t.csv", "-s", "Surname", "-p", "age"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "AT RISK" in said
    assert "Surname looks like names of persons, by its name. Do not publish it." in said
    assert "--publish-sensitive" not in said
    assert run(["audit", "t.csv", "-s", "age", "-p", "Surname"]) == 0
    assert "-p Surname" not in capsys.readouterr().out
