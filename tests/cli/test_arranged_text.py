"""Text in bands and groups: an order, a taxonomy, siblings; and what is wrong with them."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from hartley.cli.program import run
from hartley.releases.policy import Policy

ORDER = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"
TREE = (
    "value,level1,level2\na,AB,lo\nb,AB,lo\nc,CD,lo\nd,CD,lo\ne,EF,hi\nf,EF,hi\ng,GH,hi\nh,GH,hi\ni,GH,hi\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generator = random.Random(3)
    rows = [(generator.choice("abcdefg"), generator.randrange(9)) for _ in range(60)] + [("h", 1), ("i", 2)]
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("x", "s"), *rows])
    for name, text in (("order.txt", ORDER), ("tree.csv", TREE)):
        (tmp_path / name).write_text(text)
    return tmp_path


def called(folder: Path, *options: str) -> int:
    given = [option.replace("@", f"{folder}/") for option in options]
    call = ["release", str(folder / "t.csv"), str(folder / "o.csv"), "-s", "s", "-p", "x", "--overwrite"]
    return run([*call, "--distinct-l", "4", "--shape", "intervals", "--json", *given])


CASES = {
    "an order": (("--order", "x=@order.txt"), {"a", "b to c", "d", "e", "f", "g to j"}),
    "a taxonomy": (("--hierarchy", "x=@tree.csv"), {"a", "b", "CD", "e", "f", "GH"}),
    "siblings in order": (
        ("--hierarchy", "x=@tree.csv", "--order", "x=@order.txt"),
        {"a", "b", "CD", "e", "f", "GH"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_text_is_grouped_as_is_known_of_it(folder, capsys, name):
    options, labels = CASES[name]
    assert called(folder, *options) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["verified"]
    assert result["point"]["shape_price"] >= 1
    with (folder / "o.csv").open(newline="", encoding="utf-8") as file:
        assert {row["x"] for row in csv.DictReader(file)} == labels
    assert Policy.read(folder / "o.policy.json").codebooks[0].form == "groups"


def test_a_value_of_the_order_that_did_not_occur_finds_its_band(folder, capsys):
    assert called(folder, "--order", "x=@order.txt") == 0
    (folder / "new.csv").write_text("x,s\nj,3\n")
    call = ["apply", str(folder / "o.policy.json"), str(folder / "new.csv"), str(folder / "n.csv")]
    assert run([*call, "--accept-unmet"]) == 0
    assert (folder / "n.csv").read_text().split() == ["x", "g", "to", "j"]
    capsys.readouterr()


WRONG = {
    "no order": ([], "has no order"),
    "an order that misses values": (["--order", "x=@short.txt"], "misses 'd'"),
    "an order that repeats one": (["--order", "x=@twice.txt"], "names 'a' more than once"),
    "a hierarchy that misses values": (["--hierarchy", "x=@few.csv"], "misses 'b'"),
    "a hierarchy that repeats one": (["--hierarchy", "x=@again.csv"], "names 'a' more than once"),
    "borders on text": (["--order", "x=@order.txt", "--borders", "10"], "is text"),
    "a file that is not there": (["--order", "x=@none.txt"], "none.txt"),
    "another column": (["--order", "y=@order.txt"], "no public column 'y'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_it_is_one_line(folder, capsys, name):
    (folder / "short.txt").write_text("a\nb\nc\n")
    (folder / "twice.txt").write_text("a\n" + ORDER)
    (folder / "few.csv").write_text("value,level1\na,A\n")
    (folder / "again.csv").write_text(TREE + "a,AB,hi\n")
    options, reason = WRONG[name]
    assert called(folder, *options) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("hartley: ")]
    assert len(lines) == 1
    assert reason in lines[0]
