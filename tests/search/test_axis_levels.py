"""A whole frontier with requirements as conditions."""

from __future__ import annotations

import random
from math import inf

from enough_instances import joint_of, random_rows, spaced
from hartley.measures.utility import LineDistortion
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.axis_levels import axis_levels
from hartley.search.enough import Enough
from hartley.search.line.least_cost import least_cost
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.resolution import least_largest_cluster
from hartley.search.line.withheld import least_cost_withholding
from reference_requirements import Twin


def expected(rows, tolerance, codeword, row_k, budget=0):
    """The least cost for each number of values that are apart, every released value in enough rows."""
    most = spaced([s for _, s in rows], tolerance)
    found = {}
    for wanted in range(1, most + 1):
        requirements = [Requirement("separated-l", wanted), Requirement("row-k", row_k)]
        twin = Twin(rows, requirements, tolerance, codeword)
        found[wanted] = twin.least_cost_withholding(budget) if budget else twin.least_cost()[0]
    return found


def steps(costs):
    """The numbers kept that no other beats, with their costs."""
    return [
        (cost, kept)
        for kept, cost in costs.items()
        if cost < inf and all(other > cost for more, other in costs.items() if more > kept)
    ]


def test_every_level_on_a_line_is_the_optimum_under_the_conditions():
    rng = random.Random(81)
    for _ in range(80):
        rows = random_rows(rng, rng.randint(2, 6), rng.randint(2, 6))
        tolerance, row_k = rng.randint(0, 3), rng.randint(1, 4)
        joint = joint_of(rows)
        requirements = [Requirement("separated-l", 1), Requirement("row-k", row_k)]
        if len(rows) < row_k:
            continue
        closeness = Closeness.of({"sensitive": tolerance})
        values = OrderedValues.of(joint, LineDistortion.of(joint.public), requirements, closeness)
        budget = rng.choice((0, 0, 3))
        found = axis_levels(
            values.whole, 0, lambda e, v=values, b=budget: least_cost_withholding(v.under(e), b)
        )
        assert found.complete
        assert all(level.proven for level in found.levels)
        assert [(level.cost, level.kept) for level in found.levels] == sorted(
            steps(expected(rows, tolerance, "midpoint", row_k, budget))
        )


def test_every_level_by_size_is_the_optimum_under_the_conditions():
    rng = random.Random(82)
    for _ in range(60):
        rows = random_rows(rng, rng.randint(2, 6), rng.randint(2, 6))
        tolerance, row_k = rng.randint(0, 3), rng.randint(1, 3)
        if len(rows) < row_k:
            continue
        requirements = [Requirement("separated-l", 1), Requirement("row-k", row_k)]
        enough = Enough.of(joint_of(rows), requirements, Closeness.of({"sensitive": tolerance}))
        found = axis_levels(enough, 0, least_largest_cluster)
        assert [(level.cost, level.kept) for level in found.levels] == sorted(
            steps(expected(rows, tolerance, "size", row_k))
        )


def test_bounds_of_longer_lines_hold_for_every_level():
    rng = random.Random(83)
    joint = joint_of(random_rows(rng, 60, 12))
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 1)])
    found = axis_levels(values.whole, 0, lambda e: least_cost(values.under(e)))
    costs = [level.cost for level in found.levels]
    kept = [level.kept for level in found.levels]
    assert costs == sorted(set(costs))
    assert kept == sorted(set(kept))
    assert kept[-1] == joint.sensitive.size
    assert all(level.kept <= level.most for level in found.levels)
