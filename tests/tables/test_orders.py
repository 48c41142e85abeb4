"""Categories whose order is common are put in it, those that only sound ordered are asked for."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hartley.cli.program import run
from hartley.tables.looks.orders import known_order
from hartley.workflow.describe_table import describe

SCALES = [
    ["January", "February", "March", "April", "May"],
    ["Mo.", "Di."],
    ["Montag", "Dienstag", "Sonntag"],
    ["S", "M", "L", "XL"],
    ["Stage I", "Stage II", "Stage III", "Stage IV"],
    ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
    ["zeer ontevreden", "ontevreden", "neutraal", "tevreden", "zeer tevreden"],
    ["Pas du tout d'accord", "Pas d'accord", "D'accord", "Tout à fait d'accord"],
    ["never", "rarely", "sometimes", "often", "always"],
    ["kein Abschluss", "Hauptschule", "Realschule", "Abitur", "Hochschule"],
    ["sans diplôme", "brevet", "bac", "bac+2", "licence", "master", "doctorat"],
    ["1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad", "5. Advanced Degree"],
    ["faible", "modérée", "sévère", "très sévère"],
    ["keine", "leicht", "mittel", "schwer"],
    ["<12 yrs", "12 yrs", "13-15 yrs", "16 yrs", ">16 yrs"],
    ["under 18", "18 to 39", "40 to 64", "65 and over"],
]


@pytest.mark.parametrize("scale", [one for one in SCALES if len(one) > 2], ids=lambda one: one[0])
def test_common_words_are_put_in_their_order(scale: list[str]) -> None:
    assert known_order(sorted(scale)) == tuple(scale)


@pytest.mark.parametrize(
    "cells",
    [
        ["north", "east", "south"],
        ["low", "high", "unknown"],
        ["10115", "80331", "01067"],
        ["OX1 2AB", "M1 1AE", "LS1"],
    ],
)
def test_other_words_are_not(cells: list[str]) -> None:
    assert known_order(cells) is None


def test_a_name_that_sounds_ordered_is_asked_for() -> None:
    found = describe(
        pa.table(
            {
                "education": ["x", "y", "z"] * 9,
                "town": ["x", "y", "z"] * 9,
                "pain": ["low", "high", "medium"] * 9,
            }
        )
    )
    assert [one.order for one in found.columns] == ["asked", None, "known"]


def test_an_audit_suggests_the_order_and_a_release_takes_it(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    school = ["kein Abschluss", "Hauptschule", "Realschule", "Abitur", "Hochschule"]
    lines = [f"{school[i * i % 5]},{20 + i % 7},{'uvwxyz'[i * i % 11 % 6]}" for i in range(90)]
    (tmp_path / "t.csv").write_text("\n".join(["Abschluss,age,illness", *lines]) + "\n")
    assert run(["audit", "t.csv"]) == 0
    assert "have an order that is known: with --order Abschluss=auto" in " ".join(
        capsys.readouterr().out.split()
    )
    roles = ["-s", "illness", "-p", "Abschluss", "-p", "age"]
    assert run(["audit", "t.csv", *roles]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "--order Abschluss=auto" in said
    assert "Publish illness too? Add --publish-sensitive --transparent" in said
    columns = ["release", "t.csv", "o.csv", *roles, "--distinct-l", "3", "--shape", "columns"]
    assert run([*columns, "--order", "Abschluss=auto"]) == 0
    capsys.readouterr()
    assert run([*columns, "--overwrite", "--order", "age=auto", "--text", "age"]) == 2
    assert "the order of the values of column 'age' is not known" in capsys.readouterr().err


def test_an_audit_in_which_nobody_is_exposed_says_how_to_publish(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{'fm'[i % 2]},{'uvwxyz'[i // 2 % 6]}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["sex,illness", *lines]) + "\n")
    assert run(["audit", "t.csv", "-s", "illness", "-p", "sex"]) == 0
    said = capsys.readouterr().out
    assert "PROTECTED" in said
    assert "hartley release t.csv released.csv -s illness -p sex" in said
    assert run(["release", "t.csv", "released.csv", "-s", "illness", "-p", "sex", "--distinct-l", "5"]) == 0


def test_texts_of_a_million_letters_have_no_known_order() -> None:
    """With patterns that look again from every letter this would take hours."""
    assert known_order([" " * 10**6 + word for word in ("low", "medium", "high")]) is None
