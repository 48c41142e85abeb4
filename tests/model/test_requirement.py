"""Requirements are read in one syntax, refuse nonsense in one line, and speak plain English."""

from __future__ import annotations

import pytest

from hartley.errors import ColumnError, OptionError
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement, of_each_column, require_consistent, require_fitting


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("distinct-l=5", Requirement("distinct-l", 5)),
        (" row-k = 5", Requirement("row-k", 5)),
        ("separated-l:age=3", Requirement("separated-l", 3, "age")),
        ("distinct-l:a=b=4", Requirement("distinct-l", 4, "a=b")),
        ("l0=2.5", Requirement("l0", 2.5)),
        ("istar=0", Requirement("istar", 0.0)),
    ],
)
def test_a_requirement_is_read_from_text(text, expected):
    assert Requirement.parse(text) == expected


@pytest.mark.parametrize("text", ["distinct-l=5", "separated-l:age=3", "row-k=10", "l0=2.5", "istar=0"])
def test_text_and_requirement_are_the_same(text):
    assert Requirement.parse(text).text == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("distinct-l", "cannot read"),
        ("distinct-l:=5", "cannot read"),
        ("distinct-k=5", "did you mean 'distinct-l'"),
        ("shannon=5", "choose 'distinct-l'"),
        ("distinct-l=2.5", "whole number"),
        ("distinct-l=five", "whole number"),
        ("l0=x", "number of bits"),
        ("l0=-1", "from 0 on"),
        ("l0=inf", "from 0 on"),
        ("row-k=-1", "from 1 on"),
        ("distinct-l=0", "from 1 on"),
        ("row-k:age=5", "takes no column"),
        ("istar:age=0", "takes no column"),
        ("guess-at-most=x", "a share such as 80%"),
        ("guess-at-most=100%", "between 0% and 100%"),
        ("entropy-l=0.5", "from 1 on"),
        ("recursive-cl=3", "two numbers c,l"),
        ("recursive-cl=3,1", "from 2 on"),
        ("recursive-cl=0,2", "above 0"),
        ("t-closeness=2", "from 0 to 1"),
        ("beta-likeness=0", "above 0"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text, says):
    with pytest.raises(OptionError, match=says) as refused:
        Requirement.parse(text)
    assert "\n" not in str(refused.value)


def test_a_mapping_gives_the_same_as_text():
    found = Requirement.of_mapping({"distinct_l": 5, "row_k": 10, "separated_l:age": 3})
    assert [item.text for item in found] == ["distinct-l=5", "row-k=10", "separated-l:age=3"]


@pytest.mark.parametrize("number", [True, 2.5, "5", None])
def test_a_mapping_refuses_what_is_no_whole_number(number):
    with pytest.raises(OptionError, match="whole number"):
        Requirement.of_mapping({"distinct_l": number})


def test_doubled_and_contradicting_requirements_are_refused():
    five, seven = Requirement("distinct-l", 5), Requirement("distinct-l", 7)
    with pytest.raises(OptionError, match="with 5 and with 7"):
        require_consistent([five, seven])
    with pytest.raises(OptionError, match="required twice; say it once"):
        require_consistent([five, five])
    apart = (five, Requirement("distinct-l", 7, "age"))
    assert require_consistent(apart) == apart


def test_a_requirement_must_fit_the_table():
    with pytest.raises(ColumnError, match="'pulse', which is not sensitive"):
        require_fitting([Requirement("distinct-l", 2, "pulse")], ["age"])
    with pytest.raises(OptionError, match="needs a tolerance or groups"):
        require_fitting([Requirement("separated-l", 2)], ["age"])
    with pytest.raises(OptionError, match="for 'income'"):
        require_fitting(
            [Requirement("separated-l", 2, "income")], ["age", "income"], Closeness.of({"age": 4})
        )
    require_fitting([Requirement("separated-l", 2)], ["age"], Closeness.of({"age": 4}))


def test_each_stands_for_every_column_that_can_be_counted():
    given = [Requirement("distinct-l", 5), Requirement("separated-l", 3), Requirement("row-k", 9)]
    found = of_each_column(given, ["age", "income"], Closeness.of({"age": 4}))
    assert [item.text for item in found] == [
        "distinct-l:age=5",
        "distinct-l:income=5",
        "separated-l:age=3",
        "row-k=9",
    ]


@pytest.mark.parametrize(
    ("requirement", "sensitive", "closeness", "sentence"),
    [
        (Requirement("separated-l", 3), ["age"], {"age": 4}, "at least three ages more than 4 years apart"),
        (
            Requirement("separated-l", 2),
            ["dose"],
            {"dose": "0.5"},
            "at least two values of dose more than 0.5 apart",
        ),
        (Requirement("distinct-l", 5), ["age"], None, "at least five different ages"),
        (
            Requirement("distinct-l", 20, "dose"),
            ["age", "dose"],
            None,
            "at least 20 different values of dose",
        ),
        (Requirement("row-k", 1), ["age"], None, "at least one row"),
        (Requirement("row-k", 10), ["age"], None, "at least ten rows"),
        (Requirement("l0", 2.5), ["age"], None, "at most 2.5 bits about age from any one released value"),
        (Requirement("istar", 1), ["age"], None, "at most 1 bit about age for certain"),
        (
            Requirement("separated-l", 3),
            ["pay", "age"],
            {"age": 4},
            "at least three combinations of pay and age that differ by more than 4 years in age or in pay",
        ),
    ],
)
def test_a_requirement_says_itself_in_words(requirement, sensitive, closeness, sentence):
    assert requirement.sentence(sensitive, Closeness.of(closeness)) == sentence


def test_groups_are_said_as_groups():
    closeness = Closeness.of(groups={"diagnosis": {"flu": "airways"}})
    found = Requirement("separated-l", 2).sentence(["diagnosis"], closeness)
    assert found == "at least two groups of diagnosis"


def test_a_verdict_is_as_json_has_it():
    verdict = Requirement("distinct-l", 5, "age").verdict(4)
    assert verdict.to_dict() == {
        "name": "distinct-l",
        "column": "age",
        "wanted": 5,
        "found": 4,
        "holds": False,
    }
    assert Requirement("l0", 2.0).verdict(2.0 + 1e-12).holds
