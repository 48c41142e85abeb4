"""Requirements, tolerances, groups and withheld rows as they are typed: words, and one line for bad input."""

from __future__ import annotations

import json

import pytest

from hartley.cli.program import run

ROWS = """age,city,chol
30,a,180
41,b,181
52,a,190
30,b,195
41,a,230
52,c,231
30,a,300
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table and files of groups."""
    (tmp_path / "clinic.csv").write_text(ROWS)
    (tmp_path / "twice.csv").write_text("value,group\na,x\nb,x\nb,y\n")
    (tmp_path / "none.csv").write_text("value,group\na,x\nb,\n")
    (tmp_path / "few.csv").write_text("value,group\na,x\nb,y\n")
    (tmp_path / "all.csv").write_text("value,group\na,x\nb,y\nc,y\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(text):
    return run(text.split())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--tolerance city=3", "'city' is text"),
        ("--tolerance age=-1", "must be 0 or more"),
        ("--tolerance chol=3", "not a sensitive column"),
        ("--tolerance age=4 --tolerance age=5", "given twice"),
        ("--tolerance age=4 --tolerance city=5", "only one column may have a tolerance"),
        ("--require distincl=5", "did you mean 'distinct-l'"),
        ("--require distinct-l=5 --require distinct-l=6", "required twice"),
        ("--require distinct-l:chol=3", "not sensitive"),
        ("--require separated-l=3", "needs a tolerance or groups"),
        ("--groups city=twice.csv", "stands above already"),
        ("--groups city=none.csv", "has no group"),
        ("--groups city=few.csv", "leave out 1 of its values"),
    ],
)
@pytest.mark.parametrize("command", ["audit clinic.csv", "frontier clinic.csv"])
def test_bad_requirements_are_one_line(folder, capsys, command, options, says):
    assert typed(f"{command} -s age -s city -p chol {options}") == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert says in said
    assert sorted(path.name for path in folder.iterdir()) == [
        "all.csv",
        "clinic.csv",
        "few.csv",
        "none.csv",
        "twice.csv",
    ]


@pytest.mark.parametrize(
    "options",
    [
        "--withhold=-1",
        "--withhold 150%",
        "--withhold 2.5.%",
        "--withhold 3 --withheld-label 181",
        "--withhold 3 --search greedy",
    ],
)
@pytest.mark.usefixtures("folder")
def test_bad_budgets_are_one_line(capsys, options):
    assert typed(f"release clinic.csv out.csv -s age -p chol --distinct-l 2 {options}") == 2
    assert "withh" in capsys.readouterr().err.strip().splitlines()[-1]


@pytest.mark.usefixtures("folder")
def test_an_audit_says_what_is_left_apart(capsys):
    assert typed("audit clinic.csv -s age -p chol --tolerance age=11 --require separated-l=2") == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "no two ages more than 11 years apart remain possible" in said
    assert "at least two ages more than 11 years apart 2 1 DOES NOT HOLD" in said


@pytest.mark.usefixtures("folder")
def test_budgets_stand_side_by_side(capsys):
    call = (
        "frontier clinic.csv -s age -p chol --require distinct-l=2 --withhold 0 --withhold 1 --withhold 50%"
    )
    assert typed(call) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "at most 3 of 7 rows withheld" in said
    assert "withholding 3 people's chol lets everyone else's move at most" in said
    assert "withholding up to 1 row buys nothing" in said
    assert typed(f"{call} --json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert [one["rows"] for one in shown["budgets"]] == [0, 1, 3]
    assert all(one["points"][0]["distinct_l"] >= 2 for one in shown["budgets"])


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_met_offers_what_can(capsys):
    call = "release clinic.csv out.csv -s age -p chol --distinct-l 2 --row-k 4 --max-distortion 40"
    assert typed(call) == 3
    said = capsys.readouterr().err
    assert "row-k=3 in place of 4; or --max-distortion 60 in place of 40" in said


@pytest.mark.usefixtures("folder")
def test_groups_count_as_one_in_a_release_and_in_what_is_made_by_its_policy(capsys):
    call = "-s city -p chol --groups city=all.csv --separated-l 2"
    assert typed(f"release clinic.csv out.csv {call} --json") == 0
    assert json.loads(capsys.readouterr().out)["requirements"][0]["found"] == 2
    assert typed("apply out.policy.json clinic.csv again.csv --require separated-l=3") == 3
    assert "separated-l is 2 where 3 is required" in capsys.readouterr().err
    assert typed("apply out.policy.json clinic.csv again.csv --require distinct-l:chol=3") == 2


@pytest.mark.parametrize("option", ["--distinct-l", "--row-k", "--max-distortion", "--missing-at"])
def test_an_option_given_twice_is_refused_where_the_last_would_win(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("s,x\n1,1\n2,2\n3,3\n", encoding="utf-8")
    assert run(["release", "t.csv", "o.csv", "-s", "s", "-p", "x", option, "5", option, "3"]) == 2
    said = f"hartley: {option} is given twice; say it once; see 'hartley release --help'\n"
    assert capsys.readouterr().err == said
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.usefixtures("folder")
def test_with_a_tolerance_points_and_releases_tell_what_is_apart(capsys):
    keys = {"tolerance", "separated_l", "separated_values", "l0_tolerance_bits", "istar_tolerance_bits"}
    asked = "-s age -p chol --tolerance age=10"
    for search in ("optimal", "greedy"):
        assert typed(f"frontier clinic.csv {asked} --search {search} --json") == 0
        points = json.loads(capsys.readouterr().out)["points"]
        assert all(keys <= point.keys() for point in points)
        assert all(point["l0_tolerance_bits"] == point["leakage_bits"] for point in points)
    assert typed(f"release clinic.csv out.csv {asked} --separated-l 2 --json") == 0
    made = json.loads(capsys.readouterr().out)
    assert all(keys <= made[reader].keys() for reader in ("before", "after", "after_all", "point"))
    assert made["after"]["separated_l"] >= 2 > made["before"]["separated_l"]


def test_more_values_than_there_are_is_not_blamed_on_empty_cells(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("x,s\n1,a\n2,b\n3,a\n,b\n,a\n")
    assert run(["release", "t.csv", "out.csv", "-s", "s", "-p", "x", "--distinct-l", "3"]) == 3
    assert "Empty cells" not in capsys.readouterr().err


def test_a_sensitive_column_can_be_published_recoded(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("\n".join(["pay", *map(str, range(100, 130))]) + "\n")
    assert run(["release", "t.csv", "out.csv", "-s", "pay", "-p", "pay", "--distinct-l", "3"]) == 0
    assert "PROTECTED" in capsys.readouterr().out
    assert "statement" not in json.loads((tmp_path / "out.certificate.json").read_text())["predicate"]


def test_a_release_in_which_nothing_changed_is_the_best_there_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{x},{y},{s}" for x in "ab" for y in "cd" for s in range(4)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y,s", *rows]) + "\n")
    assert run(["release", "t.csv", "out.csv", "-s", "s", "-p", "x", "-p", "y", "--distinct-l", "3"]) == 0
    assert "Proven: nothing had to be changed" in capsys.readouterr().out
