"""Requirements that combine, tolerances, groups and withheld rows: counted again, whatever was asked for."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from hartley import release
from hartley.errors import OptionError, UnreachableError
from hartley.releases.policy import MeasuredColumn, Policy
from hartley.releases.record import Record
from hartley.verifier.recount import Apartness
from hartley.workflow.verify_release import verify

CASES = 24


def most_apart(values: list[tuple[Any, Any]], limit: Fraction, group_of: dict[str, str]) -> int:
    """Try every subset: numbers are apart by more than the limit, words by their groups, missing from all."""

    def is_apart(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
        if group_of.get(one[1], one[1]) != group_of.get(other[1], other[1]):
            return True
        if one[0] is None or other[0] is None:
            return one[0] is not other[0]
        return abs(Fraction(one[0]) - Fraction(other[0])) > limit

    for size in range(len(values), 0, -1):
        for chosen in combinations(values, size):
            if all(is_apart(*pair) for pair in combinations(chosen, 2)):
                return size
    return 0


def test_values_that_are_apart_are_counted_as_by_trying_every_subset() -> None:
    columns = [MeasuredColumn(name="age", kind="number"), MeasuredColumn(name="ill", kind="text")]
    for seed in range(400):
        random = Random(seed)
        limit = random.choice(["0", "1", "2.5"])
        groups = random.choice([{}, {"ill": {"p": "g", "q": "g", "r": "h"}}])
        values = {
            (random.choice([None, *map(Decimal, range(8))]), random.choice(["p", "q", "r", None]))
            for _ in range(random.randint(1, 7))
        }
        apart = Apartness.of(columns, {"age": limit}, groups)
        found = apart.count(map(apart.place, values))
        group_of = {} if not groups else groups["ill"]
        assert found == most_apart(list(values), Fraction(limit), group_of)


def random_case(random: Random) -> tuple[str, dict[str, float], dict[str, Any]]:
    rows = [
        (random.randint(0, 15), random.choice("abc"), random.randint(20, 40), random.choice("pqrs"))
        for _ in range(random.randint(8, 30))
    ]
    text = "x,y,age,ill\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    wanted: dict[str, float] = {"distinct_l": random.randint(1, 3)}
    options: dict[str, Any] = {"sensitive": ["age", "ill"], "public": random.choice(["x", "x", ["x", "y"]])}
    if random.random() < 0.4:
        wanted["row_k"] = random.randint(2, 4)
    if random.random() < 0.4:
        wanted["separated_l:age"] = 2
        options["tolerance"] = {"age": random.choice([1, 2.5, 4])}
    elif random.random() < 0.4:
        wanted["separated_l"] = 2
        options["groups"] = {"ill": {"p": "g", "q": "g", "r": "h", "s": "h"}}
    if random.random() < 0.3:
        wanted["distinct_l:ill"] = 2
    if random.random() < 0.3:
        options["withhold"] = random.choice(["10%", 3])
    if random.random() < 0.2:
        wanted["max_distortion"] = random.choice([4, 6])
    return text, wanted, options


def test_every_release_is_confirmed_and_every_requirement_is_in_its_record(tmp_path: Path) -> None:
    done, withheld = 0, 0
    source = tmp_path / "in.csv"
    for seed in range(CASES):
        text, wanted, options = random_case(Random(seed))
        source.write_text(text)
        try:
            made = release(source, tmp_path / "out.csv", require=wanted, overwrite=True, **options)
        except (UnreachableError, OptionError):
            continue
        found = verify(
            made.output,
            original=source,
            policy=made.policy,
            certificate=made.certificate,
            record=made.record,
        )
        assert found.holds, (seed, found.failures)
        named = {(one["name"], one["column"]): one["wanted"] for one in found.requirements}
        for name, number in wanted.items():
            kind, _, column = name.partition(":")
            if (kind, len(options["public"])) == ("max_distortion", 2):
                continue
            # What names no column is held for each of them by itself; rows are counted once.
            asked: list[str | None] = [column or None]
            if not column and kind == "separated_l":
                asked = [*options.get("tolerance", ()), *options.get("groups", ())]
            elif not column and kind == "distinct_l":
                asked = list(options["sensitive"])
            for one in asked:
                assert named[kind.replace("_", "-"), one] >= number
        record = Record.read(made.record)
        assert record.rows_withheld == made.point.withheld_rows
        withheld += record.rows_withheld
        done += 1
    assert done >= CASES // 3
    assert withheld


def falsified(path: Path, change: Any) -> Policy:
    """Give a policy with something changed and its checksum made anew."""
    document = json.loads(path.read_bytes())
    change(document)
    document["checksum"] = ""
    policy = msgspec.convert(document, Policy)
    return msgspec.structs.replace(policy, checksum=policy.content_hash())


def test_a_smaller_tolerance_or_more_withheld_rows_than_allowed_are_caught(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    lines = [f"{number},{20 + number * 7 % 12}" for number in range(16)]
    source.write_text("x,age\n" + "\n".join([*lines, "90,50"]) + "\n")
    made = release(
        source,
        tmp_path / "out.csv",
        require={"separated_l": 3},
        sensitive="age",
        public="x",
        tolerance={"age": 2},
        withhold=2,
    )
    assert verify(made.output, original=source, policy=made.policy).holds
    stricter = falsified(made.policy, lambda one: one["choices"]["tolerance"].update(age="9"))
    assert [check.name for check in verify(made.output, original=source, policy=stricter).failures] == [
        "requirement separated-l"
    ]
    if made.point.withheld_rows:
        fewer = falsified(made.policy, lambda one: one["choices"].update(withhold=0))
        found = verify(made.output, original=source, policy=fewer)
        assert "withheld values" in [check.name for check in found.failures]


@pytest.mark.parametrize("name", ["never-heard-of", "distinct-l:other"])
def test_a_requirement_that_cannot_be_counted_does_not_hold(tmp_path: Path, name: str) -> None:
    source = tmp_path / "in.csv"
    source.write_text("x,s\n1,a\n2,b\n")
    made = release(source, tmp_path / "out.csv", require={"distinct_l": 2}, sensitive="s", public="x")
    kind, _, column = name.partition(":")
    asked = {"name": kind, "column": column or None, "wanted": 1}
    unknown = falsified(made.policy, lambda one: one["choices"]["requirements"].append(asked))
    found = verify(made.output, original=source, policy=unknown)
    assert [check.name for check in found.failures] == [f"requirement {name}"]
