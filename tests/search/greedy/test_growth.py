"""Greedy searches take near-linear many elementary steps, on tables of every kind.

They say how far they are after every slice of so many steps, so counting that counts steps, not seconds.
The tables are those of benchmarks/greedy.py, where the same is measured in seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from hartley.hot_loops import HotLoop
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange, MergeTree
from hartley.model.words import CODEWORDS
from hartley.search.effort import Effort
from hartley.search.greedy import component_joining, joint_search, narrowest_first, recorder

FAMILIES = run_path(str(Path(__file__).parents[3] / "benchmarks" / "greedy_families.py"))
TABLES: dict[str, Callable[[int], JointRange]] = {
    **FAMILIES["TABLES"],
    "blocks of every kind": FAMILIES["every_block"],
}
POSITIONS: dict[str, Callable[[int], Any]] = FAMILIES["POSITIONS"]
SMALL, LARGE = 2_000, 8_000
STEPS_OF_A_SLICE = 1_000
MOST_GROWTH = 1.75 * LARGE / SMALL
"""Quadratic growth would be that of four times as many values, sixteen."""
Search = Callable[[JointRange, Utility, Effort], MergeTree]
LINE_SEARCHES: dict[str, Search] = {
    "narrowest first": narrowest_first,
    "component joining": component_joining,
}
SEARCHES: dict[str, Search] = {
    **LINE_SEARCHES,
    "joint": lambda joint, utility, effort: joint_search(joint, utility, 0.3, effort),
}


@pytest.fixture(autouse=True)
def _short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HotLoop, "for_size", lambda loop, *_: loop.compiled)
    monkeypatch.setattr(recorder, "COMPILED_SLICE", STEPS_OF_A_SLICE)


def slices(search: Search, joint: JointRange, utility: Utility) -> int:
    """Count the slices of a whole run."""
    said: list[int] = []
    assert search(joint, utility, Effort(progress=lambda done, *_: said.append(done))).complete
    return len(said) + 1


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("table", TABLES)
def test_by_size(search: str, table: str) -> None:
    small, large = (
        slices(SEARCHES[search], TABLES[table](size), Resolution(size)) for size in (SMALL, LARGE)
    )
    assert large <= MOST_GROWTH * small + 10


@pytest.mark.parametrize("codeword", CODEWORDS)
@pytest.mark.parametrize("search", LINE_SEARCHES)
@pytest.mark.parametrize("place", POSITIONS)
def test_on_a_line(place: str, search: str, codeword: Any) -> None:
    for name, table in TABLES.items():
        small, large = (
            slices(SEARCHES[search], table(size), LineDistortion(POSITIONS[place](size), codeword))
            for size in (SMALL, LARGE)
        )
        assert large <= MOST_GROWTH * small + 10, (name, small, large)
