"""Every answer of the command line on small tables is the recorded one; keys may be added, none changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from same_answers.answers import differences, read_golden, run_group
from same_answers.calls import GROUPS


@pytest.mark.parametrize("group", GROUPS)
def test_answers_are_the_recorded_ones(group: str, tmp_path: Path) -> None:
    recorded = read_golden()[group]
    assert list(recorded) == list(GROUPS[group]), "record the answers again: tests/same_answers/record.py"
    found = run_group(group, tmp_path)
    changed = [
        f"hartley {line}\n    {difference}"
        for line, answer in recorded.items()
        for difference in differences(answer, found[line])
    ]
    assert not changed, "\n".join(changed[:40])


def test_a_key_may_be_added_and_none_may_change() -> None:
    old = {"a": [1, {"b": 0.5}]}
    assert not list(differences(old, {"a": [1, {"b": 0.5, "c": 3}], "d": None}))
    assert not list(differences(old, {"a": [1, {"b": 0.5 + 1e-12}]}))
    for new in ({}, {"a": [1]}, {"a": [1, {"b": 0.6}]}, {"a": [1.0, {"b": 0.5}]}, {"a": [1, {"c": 0.5}]}):
        assert list(differences(old, new)), new
