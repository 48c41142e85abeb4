"""Over several columns a frontier that is cut short has the levels that people ask for."""

from __future__ import annotations

import numpy as np

from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Alphabet, JointRange
from hartley.search.effort import Effort
from hartley.search.frontier import frontier
from hartley.search.problem import Problem


def test_the_levels_that_people_ask_for_come_first() -> None:
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
    searched: list[int] = []

    def hear(done: int, total: int, what: str) -> None:
        del done, total
        searched.append(int(what.split()[1]))

    problem = Problem(joint=joint, utility=ColumnsDistortion.of(public))
    frontier(problem, Effort(progress=hear, should_stop=lambda: len(searched) > 3))
    assert searched[:3] == [1, 10, 5]
    searched.clear()
    assert frontier(problem, Effort(progress=hear)).complete
    usual = [level for level in searched if level <= 10]
    assert searched[: len(usual)] == usual
