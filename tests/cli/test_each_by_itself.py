"""Several sensitive columns are protected each by itself, and the likeliest guess stands beside l."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict

import pytest

import hartley
from hartley.cli.program import run

refuses_danger = True


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawn = random.Random(3)
    lines = ["age,status,pay"]
    for _ in range(150):
        age = drawn.randrange(20, 50)
        lines.append(f"{age},{drawn.choice('abc') if age % 4 else 'a'},{drawn.randrange(1000, 3000)}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


ROLES = ["-s", "status", "-s", "pay", "-p", "age"]


def released(capsys, *options):
    code = run(
        ["release", "people.csv", "out.csv", *ROLES, *options, "--keep-order", "--overwrite", "--json"]
    )
    assert code == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def classes(column):
    """Recount the values of a column in each class of the file."""
    with open("people.csv", newline="") as before, open("out.csv", newline="") as after:
        found = defaultdict(Counter)
        for row, shown in zip(csv.DictReader(before), csv.DictReader(after), strict=True):
            found[shown["age"]][row[column]] += 1
        return list(found.values())


def test_each_column_keeps_what_is_required_and_the_guess_is_that_of_the_file(capsys):
    found = released(capsys, "--distinct-l", "3")
    assert [(one["name"], one["column"]) for one in found["requirements"]] == [
        ("distinct-l", "status"),
        ("distinct-l", "pay"),
    ]
    for one in found["by_sensitive"]:
        counts = classes(one["column"])
        assert one["distinct_l"] == min(map(len, counts)) >= 3
        share, rows = max((max(each.values()) / each.total(), each.total()) for each in counts)
        assert found["likeliest_guess"]["columns"][one["column"]] == {"share": share, "rows": rows}
    assert found["likeliest_guess"]["share"] == max(
        one["likeliest_guess"]["share"] for one in found["by_sensitive"]
    )


def test_jointly_counts_the_joint_value(capsys):
    found = released(capsys, "--distinct-l", "3", "--jointly")
    assert [one["column"] for one in found["requirements"]] == [None]
    assert min(map(len, classes("status"))) == 1


def test_a_column_that_stays_exposed_by_itself_is_not_published(capsys):
    call = ["release", "people.csv", "out.csv", *ROLES, "--require", "distinct-l:pay=3"]
    assert run(call) == 3
    assert "one candidate for 'status'" in capsys.readouterr().err


def test_nobody_is_called_protected_jointly_whose_value_of_one_column_can_be_read_off(tmp_path, capsys):
    rows = [
        f"{age},{'no' if age == 1 else 'ny'[row % 2]},{'abc'[row % 3]}" for age in (1, 2) for row in range(9)
    ]
    (tmp_path / "two.csv").write_text("\n".join(["age,ill,class", *rows]) + "\n")
    call = ["two.csv", "-s", "ill", "-s", "class", "-p", "age", "--jointly"]
    for words in (["audit"], ["release"]):
        more = ["out.csv", "--distinct-l", "3"] if words == ["release"] else []
        assert run([*words, call[0], *more, *call[1:]]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "AT RISK" in said
        assert "9 of 18 people can have their exact ill read off from age" in said


@pytest.mark.parametrize("command", ["audit", "frontier", "release"])
def test_each_and_jointly_together_are_refused(command, capsys):
    out = ["out.csv"] if command == "release" else []
    call = [command, "people.csv", *out, *ROLES, "--require", "distinct-l=2", "--jointly", "--each"]
    assert run(call) == 2
    assert capsys.readouterr().err.endswith("--each and --jointly contradict each other; give one\n")


def test_jointly_needs_two_columns(capsys):
    assert run(["audit", "people.csv", "-s", "status", "-p", "age", "--jointly"]) == 2
    assert "--jointly counts two sensitive columns or more" in capsys.readouterr().err
    with pytest.raises(hartley.HartleyError, match="jointly"):
        hartley.audit("people.csv", sensitive="status", public="age", jointly=True)


def test_an_audit_says_the_verdict_of_the_worst_column_and_the_guess(capsys):
    assert run(["audit", "people.csv", *ROLES]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "EXPOSED" in said
    assert "can have their exact status read off from age" in said
    assert "each by itself: 1 of 3 values of status" in said
    assert "In the worst class 100 % have the same status" in said


def test_candidates_that_lie_close_are_pointed_out_with_the_tolerance(tmp_path, capsys):
    lines = ["age,pay"] + [f"{20 + row // 6},{1000 * (row // 6) + row}" for row in range(120)]
    (tmp_path / "close.csv").write_text("\n".join(lines) + "\n")
    assert run(["audit", "close.csv", "-s", "pay", "-p", "age"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "For 1e+02 % of the rows" not in said
    assert "For 100 % of the rows all candidates for pay lie within 5 % of its range" in said
    assert "ask a release for values that are apart (--tolerance pay=956 --separated-l 3)" in said
