"""What a release tells its curator beside what was asked for: a published secret, another policy nearby."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hartley
from hartley.cli.program import as_flag, run
from hartley.errors import worded
from hartley.report.words.cautions import cautions

TABLE = pa.table({"s": list("abcabc"), "x": [1, 2, 3, 4, 5, 6], "y": [1, 1, 2, 2, 3, 3]})


def released(folder: Path, name: str, table: Any = TABLE, **options: Any) -> Any:
    return hartley.release(
        table, folder / name, **{"sensitive": "s", "public": "x", "require": {"distinct_l": 2}, **options}
    )


def said(result: Any) -> str:
    return " ".join(worded(line, as_flag) for line in cautions(result))


def test_another_policy_of_the_table_beside_the_release_is_named(tmp_path: Path) -> None:
    assert said(released(tmp_path, "one.csv")) == ""
    second = released(tmp_path, "two.csv", require={"distinct_l": 3}, public="y")
    assert [place.name for place in second.policies_beside] == ["one.policy.json"]
    assert "one.policy.json is a policy of a table with the same columns" in said(second)
    assert "name it with --earlier" in said(second)
    assert second.to_dict()["policies_beside"] == ["one.policy.json"]
    third = released(tmp_path, "three.csv", earlier=[tmp_path / "one.policy.json"])
    assert [place.name for place in third.policies_beside] == ["two.policy.json"]


def test_policies_of_other_tables_and_what_is_no_policy_are_passed_over(tmp_path: Path) -> None:
    released(tmp_path, "other.csv", TABLE.append_column("z", pa.array(range(6))))
    released(tmp_path, "harmless.csv", sensitive="y")
    (tmp_path / "broken.policy.json").write_text("{", encoding="utf-8")
    (tmp_path / "folder.policy.json").mkdir()
    assert released(tmp_path, "one.csv").policies_beside == ()
    assert released(tmp_path, "one.csv", overwrite=True).policies_beside == ()


def test_a_published_secret_is_pointed_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "table.csv"
    source.write_text("s,x\na,1\nb,2\na,3\nb,4\n", encoding="utf-8")
    asked = ["release", str(source), str(tmp_path / "out.csv"), "-s", "s", "-p", "x", "--distinct-l", "2"]
    assert run(asked) == 0
    assert "Careful" not in capsys.readouterr().out
    assert run([*asked, "--publish-sensitive", "--overwrite"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "s is in the file" in out
    assert "28 % (5 rows) to 56 % (10 rows)" in out
    assert "--transparent makes a release that is safe" in out
    assert run([*asked, "--publish-sensitive", "--overwrite", "--shape", "tree", "--transparent"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "still has at least 2 values of s possible for every row" in out
    assert "Careful" not in out


def test_what_a_tree_would_cost_is_said_to_the_curator_alone(tmp_path: Path) -> None:
    made = released(tmp_path, "out.csv", publish_sensitive=True)
    assert made.transparent_loss is not None
    price = f"whose classes span {100 * made.transparent_loss:.1f} % of a column on average"
    assert f"{price}, not {100 * made.usefulness.loss:.1f} %" in said(made)
    for written in (made.certificate, made.record, made.policy):
        assert "transparent_loss" not in written.read_text()
    assert released(tmp_path, "two.csv").transparent_loss is None
    kept = {"publish_sensitive": True, "transparent": "retry"}
    assert released(tmp_path, "three.csv", **kept).transparent_loss is None
