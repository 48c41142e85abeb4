"""Over several columns a frontier that is cut short has the levels that people ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Alphabet, JointRange
from hartley.search import solve as solve_module
from hartley.search.effort import Effort
from hartley.search.frontier import frontier
from hartley.search.problem import Problem


def problem_of_levels() -> Problem:
    source = np.random.default_rng(5)
    values = [(int(a), int(b)) for a, b in source.integers(0, 30, (24, 2))]
    public = Alphabet.of_values(sorted(set(values)), ("a", "b"))
    sensitive = Alphabet.of_values(list(range(14)), ("s",))
    joint = JointRange.from_codes(
        public_codes=np.arange(40) % public.size,
        sensitive_codes=np.concatenate([np.arange(14), source.integers(0, 14, 26)]),
        public=public,
        sensitive=sensitive,
    )
    return Problem(joint=joint, utility=ColumnsDistortion.of(public))


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float]]:
    """The levels that are searched, in turn, and the seconds that each is given."""
    noted: list[tuple[int, float]] = []
    answered = solve_module.answered

    def listen(problem: Problem, row: Any, effort: Effort, starts: Any) -> Any:
        (level,) = [int(one.wanted) for one in problem.requirements if one.name == "distinct-l"]
        noted.append((level, effort.remaining()))
        return answered(problem, row, effort, starts)

    monkeypatch.setattr(solve_module, "answered", listen)
    return noted


def test_the_levels_that_people_ask_for_come_first(searched: list[tuple[int, float]]) -> None:
    problem = problem_of_levels()
    frontier(problem, Effort(should_stop=lambda: len(searched) > 2))
    assert [level for level, _ in searched] == [1, 10, 5]
    searched.clear()
    assert frontier(problem).complete
    levels = [level for level, _ in searched]
    usual = [level for level in levels if level <= 10]
    assert levels[: len(usual)] == usual
    assert levels[len(usual)] == 14


def test_no_level_takes_the_time_of_the_others(searched: list[tuple[int, float]]) -> None:
    frontier(problem_of_levels(), Effort(remaining=lambda: 60.0))
    given = [seconds for _, seconds in searched]
    assert given[0] == pytest.approx(6)
    assert given[1] == pytest.approx(60 / 9)
    assert given[-1] == 60
