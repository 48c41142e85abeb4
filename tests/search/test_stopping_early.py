"""A search under requirements that is told to stop returns what it has, and what it has is right."""

from __future__ import annotations

import random

import pytest

from enough_instances import joint_of, random_rows
from hartley.measures.utility import LineDistortion
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.effort import Effort
from hartley.search.line.cheapest import cheapest_clusters
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.withheld import least_cost_withholding
from hartley.search.sizes.search import least_largest_cluster
from hartley.search.sizes.withheld import least_largest_withholding


def after(questions):
    asked = iter(range(10**9))
    return Effort(should_stop=lambda: next(asked) >= questions)


@pytest.mark.parametrize("questions", [0, 1, 3, 10])
@pytest.mark.parametrize("codeword", ["midpoint", "centroid"])
def test_what_is_found_until_then_is_enough(questions, codeword):
    rng = random.Random(questions)
    joint = joint_of(random_rows(rng, 60, 9))
    requirements = [Requirement("separated-l", 3), Requirement("row-k", 4)]
    utility = LineDistortion.of(joint.public, codeword)
    values = OrderedValues.of(joint, utility, requirements, Closeness.of({"sensitive": 1}))
    whole = values.whole
    answers = [
        cheapest_clusters(values, effort=after(questions)),
        cheapest_clusters(values, "intervals", effort=after(questions)),
        least_cost_withholding(values, 6, effort=after(questions)),
        least_largest_cluster(whole, after(questions)),
        least_largest_withholding(whole, 6, after(questions)),
    ]
    for answer in answers:
        assert whole.is_met_by(answer.partition)
        assert answer.lower_bound_cost <= answer.cost
    best = cheapest_clusters(values)
    assert answers[0].lower_bound_cost <= best.cost


@pytest.mark.parametrize("shape", ["any", "intervals"])
@pytest.mark.parametrize("codeword", ["midpoint", "member", "centroid"])
def test_what_is_claimed_beside_withheld_rows_holds_whenever_it_stops(shape, codeword):
    rng = random.Random(7)
    is_narrower = 0
    for _ in range(12):
        joint = joint_of(random_rows(rng, 40, 6))
        utility = LineDistortion.of(joint.public, codeword)
        values = OrderedValues.of(joint, utility, [Requirement("distinct-l", 3)])
        best = least_cost_withholding(values, 4, shape)
        for questions in (0, 1, 2, 4, 8):
            found = least_cost_withholding(values, 4, shape, effort=after(questions))
            assert found.lower_bound_cost <= best.cost, (questions, joint)
            is_narrower += found.cost > best.cost
    assert is_narrower > 0
