"""Rows that go to disk part by part are verified as those that are held at once."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import hartley
from hartley.verifier import tally as tally_module

CASES: dict[str, dict[str, Any]] = {
    "labels alone": {"sensitive": "s", "public": "x"},
    "a kept column": {"sensitive": "s", "public": "x", "keep": "k"},
    "side information and harmless columns": {
        "sensitive": "s",
        "public": "x",
        "side": "k",
        "harmless": "y",
        "exposure": "accept",
    },
    "several columns": {"sensitive": ["s", "k"], "public": ["x", "y"], "shape": "columns"},
    "sensitive values published, a tolerance": {
        "sensitive": "s",
        "public": "x",
        "publish_sensitive": True,
        "tolerance": {"s": 2},
        "require": {"separated_l": 2},
    },
    "rows left out": {"sensitive": "s", "public": "x", "keep": "y", "missing": "drop", "search": "greedy"},
}


def written(folder: Path) -> Path:
    random = Random(5)
    rows = [
        f"{random.choice([*range(12), ''])},{random.randint(0, 9)},"
        f"{random.choice('uv')},{random.randint(0, 3)}"
        for _ in range(300)
    ]
    source = folder / "in.csv"
    source.write_text("\n".join(["x,s,k,y", *rows, ""]))
    return source


@pytest.mark.parametrize("case", CASES)
def test_parts_say_what_the_whole_says(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = written(tmp_path)
    made = hartley.release(source, tmp_path / "out.csv", **{"require": {"distinct_l": 2}, **CASES[case]})
    lines = made.output.read_text().splitlines()
    forged = tmp_path / "forged.csv"
    forged.write_text("\n".join([*lines[:-2], lines[1], lines[1], ""]))

    def verified(released: Path) -> dict[str, Any]:
        return hartley.verify(
            released,
            original=source,
            policy=made.policy,
            certificate=made.certificate,
            record=made.record,
        ).to_dict()

    whole = [verified(made.output), verified(forged)]
    monkeypatch.setattr(tally_module, "AT_ONCE", 40)
    monkeypatch.setattr(tally_module, "MOST_PLACES", 3)
    spilt: list[int] = []
    write = tally_module._RowsOnDisk.write
    monkeypatch.setattr(
        tally_module._RowsOnDisk,
        "write",
        lambda disk, *rows: (spilt.append(len(rows[1])), write(disk, *rows)),
    )
    assert [verified(made.output), verified(forged)] == whole
    assert len(spilt) > 4
    assert (whole[0]["verified"], whole[1]["verified"]) == (True, False)
