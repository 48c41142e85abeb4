"""The verifier holds a release to exactly what the policy asks for: not one candidate, row or bit less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from hartley import frontier, release
from hartley.errors import UnreachableError
from hartley.releases.policy import Policy, StatedRequirement
from hartley.workflow.publication.write_release import ReleaseResult
from hartley.workflow.verify_release import verify

ROWS = [(x / 2, x * 7 % 12 + (x % 3) * 10) for x in range(24)] * 2
TEXT = "x,age\n" + "".join(f"{x},{age}\n" for x, age in ROWS)


def asking(policy: Path, name: str, wanted: float) -> Policy:
    """Return the policy with one requirement, or cap, in the place of those it has; its checksum is right."""
    made = Policy.read(policy)
    asked = (StatedRequirement(name=name, wanted=wanted),)
    changed = msgspec.structs.replace(made, choices=msgspec.structs.replace(made.choices, requirements=asked))
    return msgspec.structs.replace(changed, checksum=changed.content_hash())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ReleaseResult]:
    folder = tmp_path_factory.mktemp("release")
    source = folder / "in.csv"
    source.write_text(TEXT)
    options: dict[str, Any] = {"sensitive": "age", "public": "x", "tolerance": {"age": 2}}
    return source, release(source, folder / "out.csv", require={"distinct_l": 4, "row_k": 4}, **options)


@pytest.mark.parametrize(
    ("name", "stricter"),
    [
        ("distinct-l", 1),
        ("row-k", 1),
        ("separated-l", 1),
        ("l0", -0.001),
        ("istar", -0.001),
        ("largest-cluster", -1),
        ("max-distortion", -0.001),
    ],
)
def test_a_release_meets_what_it_has_and_nothing_stricter(
    made: tuple[Path, ReleaseResult], name: str, stricter: float
) -> None:
    source, result = made
    asked = asking(result.policy, name, 0 if stricter > 0 else 1e9)
    (measured,) = verify(result.output, original=source, policy=asked).requirements
    found = measured["found"]
    has = verify(result.output, original=source, policy=asking(result.policy, name, found))
    assert [check.holds for check in has.checks if check.name == f"requirement {name}"] == [True]
    beyond = verify(result.output, original=source, policy=asking(result.policy, name, found + stricter))
    assert [check.holds for check in beyond.checks if check.name == f"requirement {name}"] == [False]
    assert not beyond.holds


@pytest.mark.parametrize(
    ("ending", "one", "other"), [("csv", ",1.5\n", ",1.50\n"), ("jsonl", "1.5}", "15e-1}")]
)
def test_equal_cells_that_are_written_in_two_ways_tell_rows_apart(
    tmp_path: Path, ending: str, one: str, other: str
) -> None:
    table = pa.table({"age": [1, 2] * 4, "x": [1] * 8, "k": [0.5, 1.5] * 4})
    options: dict[str, Any] = {"sensitive": "age", "public": "x", "harmless": "k", "exposure": "accept"}
    result = release(table, tmp_path / f"out.{ending}", require={"distinct_l": 2}, **options)
    text = result.output.read_text()
    assert text.count(one) == 4
    result.output.write_text(text.replace(one, other, 1))
    found = verify(result.output, original=table, policy=result.policy)
    assert [check.name for check in found.failures] == ["one spelling"]


def test_a_point_that_does_not_keep_the_requirement_is_not_written(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(TEXT)
    options: dict[str, Any] = {"sensitive": "age", "public": "x"}
    weak = min(frontier(source, **options).frontier.points, key=lambda point: point.distinct_l)
    for require in ({"distinct_l": 4}, {"distinct_l": 4, "row_k": 4}, {"l0": 0}, {"row_k": 40}):
        with pytest.raises(UnreachableError):
            release(source, tmp_path / "out.csv", point=weak, require=require, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
