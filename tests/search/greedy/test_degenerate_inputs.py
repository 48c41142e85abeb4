"""Inputs on which a careless search turns quadratic or loops: large enough to notice, with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from hartley.measures.trajectory import trajectory
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.model import JointRange
from hartley.model.words import CODEWORDS
from hartley.search.greedy import component_joining, narrowest_first

SIZE = 24_000


def functional(sensitive: np.ndarray) -> JointRange:
    return JointRange.from_codes(public_codes=np.arange(len(sensitive)), sensitive_codes=sensitive)


def utilities(positions: np.ndarray) -> list[Utility]:
    return [Resolution(len(positions)), *(LineDistortion(positions, codeword) for codeword in CODEWORDS)]


def test_all_positions_equal_put_everything_into_the_earliest_cluster() -> None:
    joint = functional(np.arange(SIZE))
    for utility in utilities(np.zeros(SIZE))[1:]:
        run = narrowest_first(joint, utility)
        assert run.steps == 1
        assert (run.kept == 0).all()
        assert run.joined.tolist() == list(range(1, SIZE))


def test_long_blocks_of_one_sensitive_value() -> None:
    joint = functional(np.arange(SIZE) // (SIZE // 30))
    for utility in utilities(np.arange(SIZE, dtype=float)):
        along = trajectory(joint, narrowest_first(joint, utility), utility)
        assert along.distinct_l[1] >= 2
        assert along.distinct_l[-1] == 30
        joined = trajectory(joint, component_joining(joint, utility), utility)
        assert joined.components.tolist() == list(range(30, 0, -1))


def test_all_sets_equal_leave_nothing_to_merge() -> None:
    joint = JointRange.from_codes(
        public_codes=np.repeat(np.arange(SIZE), 2), sensitive_codes=np.tile([0, 1], SIZE)
    )
    for utility in utilities(np.arange(SIZE, dtype=float)):
        assert narrowest_first(joint, utility).steps == 0
        assert component_joining(joint, utility).steps == 0


def test_a_single_sensitive_value_leaves_nothing_to_merge() -> None:
    joint = functional(np.zeros(SIZE, dtype=int))
    for utility in utilities(np.arange(SIZE, dtype=float)):
        assert narrowest_first(joint, utility).steps == 0
        assert component_joining(joint, utility).steps == 0


def test_all_gaps_equal_and_every_value_its_own_component() -> None:
    joint = functional(np.arange(SIZE))
    for utility in utilities(np.arange(SIZE, dtype=float)):
        assert component_joining(joint, utility).steps == SIZE - 1
        assert narrowest_first(joint, utility).partition(1).sizes.max() <= 3


def test_all_positions_equal() -> None:
    joint = functional(np.arange(SIZE) // 2)
    for utility in utilities(np.full(SIZE, 7.0)):
        assert component_joining(joint, utility).steps == SIZE // 2 - 1
        assert trajectory(joint, narrowest_first(joint, utility), utility).distinct_l[-1] == SIZE // 2


def test_one_giant_component_and_a_few_loners() -> None:
    sensitive = np.zeros(SIZE, dtype=int)
    sensitive[[5, SIZE // 2, SIZE - 1]] = [1, 2, 3]
    joint = functional(sensitive)
    for utility in utilities(np.arange(SIZE, dtype=float)):
        run = component_joining(joint, utility)
        assert run.steps == 3
        assert run.partition(3).sizes.max() == 2


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_values_without_position_stay_alone(codeword: str) -> None:
    positions = np.arange(SIZE, dtype=float)
    positions[::1000] = np.nan
    joint = functional(np.arange(SIZE))
    utility = LineDistortion(positions, codeword)  # type: ignore[arg-type]
    for run in (narrowest_first(joint, utility), component_joining(joint, utility)):
        sizes = run.partition(run.steps).sizes[run.partition(run.steps).labels[::1000]]
        assert sizes.tolist() == [1] * 24
