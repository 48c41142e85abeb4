"""Over several columns a frontier that is cut short has the levels that people ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Alphabet, JointRange
from hartley.search import frontier as frontier_module
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


def test_the_levels_that_people_ask_for_come_first() -> None:
    problem = problem_of_levels()
    searched: list[int] = []

    def hear(done: int, total: int, what: str) -> None:
        del done, total
        searched.append(int(what.split()[1]))

    frontier(problem, Effort(progress=hear, should_stop=lambda: len(searched) > 3))
    assert searched[:3] == [1, 10, 5]
    searched.clear()
    assert frontier(problem, Effort(progress=hear)).complete
    usual = [level for level in searched if level <= 10]
    assert searched[: len(usual)] == usual


def test_no_level_takes_the_time_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []
    solve = frontier_module.solve

    def noted(problem: Problem, effort: Effort, *more: Any) -> Any:
        given.append(effort.remaining())
        return solve(problem, effort, *more)

    monkeypatch.setattr(frontier_module, "solve", noted)
    frontier(problem_of_levels(), Effort(remaining=lambda: 60.0))
    assert given[0] == pytest.approx(6)
    assert given[1] == pytest.approx(60 / 9)
    assert given[-1] == 60
