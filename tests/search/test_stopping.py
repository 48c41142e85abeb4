"""Every optimal search, stopped after any number of questions, against every partition of a few values."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import Partition
from hartley.search.effort import Effort
from paper_levels import searched_levels
from reference_every_partition import (
    Truth,
    distortions_on_a_line,
    measured,
    random_positions,
    random_table,
    sizes,
    worst_costs,
)

INSTANCES = 12


def stopping_after(questions: int) -> Effort:
    asked = count()
    return Effort(should_stop=lambda: next(asked) >= questions)


@pytest.mark.parametrize("has_side", [False, True])
@pytest.mark.parametrize("codeword", [None, "midpoint", "centroid", "member"])
@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
def test_no_level_of_a_stopped_search_claims_too_much(leakage, codeword, has_side):
    rng = np.random.default_rng([ord(letter) for letter in f"{leakage} {codeword} {has_side}"])
    incomplete = 0
    for _ in range(INSTANCES):
        table = random_table(rng, has_side=has_side)
        size, joint = table.size, table.joint_range()
        positions = random_positions(rng, size)
        if codeword is None:
            utility, costs = Resolution(size), sizes(size)
        else:
            utility, costs = LineDistortion(positions, codeword), distortions_on_a_line(positions, codeword)
        truth = Truth.of(worst_costs(costs, size), measured(table).leakages(leakage))
        starts = [Partition(rng.integers(0, 3, size)) for _ in range(3)]
        for questions in (0, 1, 2, int(rng.integers(3, 30)), int(rng.integers(30, 400))):
            try:
                found = searched_levels(joint, leakage, utility, stopping_after(questions), starts)
            except UnreachableError:
                assert leakage == "joint"
                continue
            for level in found.levels:
                best = truth.within(level.cost)
                assert level.lower_bound_bits <= best + 1e-9
                assert level.leakage_bits >= best - 1e-9
                assert float(utility.costs(level.partition).max()) <= level.cost * (1 + 1e-12)
            if questions == 0 and not all(level.proven_optimal for level in found.levels):
                assert not found.complete
            incomplete += not found.complete
    assert incomplete > 0 or (leakage == "istar" and codeword is None and not has_side)
