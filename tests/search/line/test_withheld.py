"""Rows withheld within a budget, against all partitions with one block withheld."""

from __future__ import annotations

import random
from math import inf

import numpy as np
import pytest

from enough_instances import joint_of, random_requirements, random_rows
from hartley.errors import OptionError, UnreachableError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.line import withheld as withheld_module
from hartley.search.line.borders import Borders
from hartley.search.line.cheapest import cheapest_clusters
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.withheld import WithheldQuestion, least_cost_withholding
from hartley.search.problem import Problem
from hartley.search.solve import solve
from reference_requirements import Twin
from sample_sizes import sample


def utility_of(joint, codeword):
    return Resolution(joint.public.size) if codeword == "size" else LineDistortion.of(joint.public, codeword)


def instance(rng, codeword="midpoint", *, joined=False):
    rows = random_rows(rng, rng.randint(2, 6), rng.randint(1, 6))
    missing = [rng.choice(rows)[1] for _ in range(rng.randint(1, 2))] if joined else []
    joint = JointRange.from_pairs([*sorted(rows), *((None, s) for s in missing)])
    requirements, closeness, tolerance = random_requirements(rng, joint)
    values = OrderedValues.of(joint, utility_of(joint, codeword), requirements, closeness)
    return values, Twin(rows, requirements, tolerance, codeword, tuple(missing))


def is_right(values, answer, budget):
    """Tell whether an answer keeps to the budget, and every released value is enough."""
    rows = int(values.whole.rows[answer.withheld].sum())
    assert rows == answer.withheld_rows <= budget
    assert values.whole.is_met_by(answer.partition)
    kept = np.setdiff1d(np.arange(values.whole.size), np.concatenate((answer.withheld, values.alone)))
    if len(kept):
        utility = values.utility
        if isinstance(utility, LineDistortion):
            utility = LineDistortion(utility.positions[kept], utility.codeword)
        from hartley.model import Partition

        assert utility.costs(Partition(answer.partition.labels[kept])).max() == pytest.approx(answer.cost)
    return True


@pytest.mark.parametrize("codeword", ["midpoint", "member", "centroid"])
def test_the_search_of_longer_lines_is_nearly_always_the_optimum(codeword):
    rng = random.Random(32)
    levels = equal = 0
    for _ in range(400):
        values, twin = instance(rng, codeword, joined=rng.random() < 0.3)
        budget = rng.randint(1, len(twin.rows))
        best = twin.least_cost_withholding(budget)
        if best == inf or not twin.may_be_withheld[0]:
            continue
        answer = least_cost_withholding(values, budget)
        assert answer.lower_bound_cost <= best + 1e-9 <= answer.cost + 2e-9
        assert is_right(values, answer, budget)
        if codeword == "midpoint":
            assert answer.cost <= 4 * best or best == 0
        levels += 1
        equal += answer.cost <= best + 1e-9
    assert levels > 200
    assert equal >= (0.9 if codeword == "midpoint" else 0.8) * levels


def test_without_the_demand_intervals_are_exact():
    rng = random.Random(33)
    for _ in range(120):
        values, twin = instance(rng)
        budget = rng.randint(1, len(twin.rows))
        question = WithheldQuestion.of(values, budget)
        search = withheld_module._Search(question, withheld_module.UNLIMITED)
        search.rows = budget
        if not values.can_be_met:
            continue
        relaxed = search.relaxed(0.0)
        assert relaxed.low == relaxed.high == twin.relaxed_withholding(budget)


@pytest.mark.parametrize("codeword", ["midpoint", "member", "centroid", "size"])
def test_the_bound_of_intervals_holds_for_all_that_withhold_within_the_budget(codeword):
    rng = random.Random(34)
    for _ in range(sample(100, 1000)):
        values, twin = instance(rng, codeword)
        budget = rng.randint(1, len(twin.rows))
        best = twin.least_intervals_withholding(budget)
        if best in (0.0, inf):  # everything is withheld, or nothing can be
            continue
        answer = least_cost_withholding(values, budget, "intervals")
        assert answer.lower_bound_cost <= best + 1e-9
        assert answer.cost >= best - 1e-9
        assert is_right(values, answer, budget)


def test_a_value_withheld_inside_makes_an_interval_smaller_than_any_without():
    rows = {27: (42, 38, 32), 20: (42, 38), 14: (41, 41), 3: (41, 38, 41), 6: (41,), 15: (32,), 28: (32,)}
    joint = JointRange.from_pairs([(x, s) for x in sorted(rows) for s in rows[x]])
    wanted = [Requirement("distinct-l", 4)]
    values = OrderedValues.of(joint, Resolution(joint.public.size), wanted, Closeness())
    assert least_cost_withholding(values, 4, "intervals").lower_bound_cost <= 4


def test_a_budget_below_what_is_wanted_buys_nothing():
    rng = random.Random(34)
    seen = 0
    for _ in range(200):
        values, twin = instance(rng)
        least = WithheldQuestion.of(values, 0).least_budget
        if twin.least_cost()[0] == inf or least < 2:
            continue
        seen += 1
        assert twin.least_cost_withholding(least - 1) == twin.least_cost()[0]
        answer = least_cost_withholding(values, least - 1)
        assert answer.withheld_rows == 0
        assert answer.cost == cheapest_clusters(values).cost
    assert seen > 50


def test_no_budget_gives_what_no_withholding_gives():
    rng = random.Random(35)
    for _ in range(40):
        joint = joint_of(random_rows(rng, 25, 8))
        utility = LineDistortion.of(joint.public, rng.choice(("midpoint", "member", "centroid")))
        values = OrderedValues.of(joint, utility, [Requirement("distinct-l", 3)])
        one, other = cheapest_clusters(values), least_cost_withholding(values, 0)
        assert (one.cost, one.lower_bound_cost, one.partition) == (
            other.cost,
            other.lower_bound_cost,
            other.partition,
        )


def test_more_budget_never_costs_more():
    rng = random.Random(36)
    for _ in range(12):
        joint = joint_of(random_rows(rng, 40, 8))
        values = OrderedValues.of(
            joint,
            LineDistortion.of(joint.public),
            [Requirement("separated-l", 2), Requirement("row-k", 3)],
            Closeness.of({"sensitive": 1}),
        )
        answers = [least_cost_withholding(values, budget) for budget in (0, 2, 5, 9, 15, 30)]
        costs = [answer.cost for answer in answers]
        bounds = [answer.lower_bound_cost for answer in answers]
        assert costs == sorted(costs, reverse=True)
        assert bounds == sorted(bounds, reverse=True)
        assert all(is_right(values, answer, 30) for answer in answers)


def test_borders_are_kept_also_where_rows_are_withheld():
    rng = random.Random(37)
    for _ in range(80):
        values, twin = instance(rng)
        if not values.can_be_met:
            continue
        step = rng.choice((2, 3, 5))
        grid = Borders.on_grid(values.positions, step)
        budget = rng.randint(1, len(twin.rows))
        answer = least_cost_withholding(values, budget, "intervals", grid)
        assert is_right(values, answer, budget)
        cells = np.floor(values.positions / step).astype(int)
        kept = ~np.isin(values.order, answer.withheld)
        labels = answer.partition.labels[values.order]
        for cell in set(cells[kept].tolist()):
            assert len(set(labels[kept & (cells == cell)].tolist())) == 1
        assert answer.cost >= answer.lower_bound_cost
        assert answer.any_bound <= twin.least_cost_withholding(budget)


def test_the_withheld_value_joins_the_missing_cells():
    rows = [(float(x), x % 3) for x in range(12)] + [(500.0, 1)] + [(None, 0), (None, 1), (None, 2)]
    joint = JointRange.from_pairs(rows)
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 3)])
    answer = least_cost_withholding(values, 1)
    assert answer.withheld.tolist() == [12]
    assert answer.cost == 1.0
    assert answer.partition.labels[12] == answer.partition.labels[13]


def test_missing_cells_that_are_too_few_are_made_up():
    rows = [(float(x), x % 3) for x in range(15)] + [(None, 0)]
    joint = JointRange.from_pairs(rows)
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 3)])
    with pytest.raises(UnreachableError, match="withhold at least 2 rows to join them"):
        least_cost_withholding(values, 1)
    answer = least_cost_withholding(values, 3)
    assert values.whole.is_met_by(answer.partition)
    assert answer.withheld_rows >= 2


def test_exact_cover_is_hidden_in_the_demand():
    """Triples within one span, an outlier, a heavy value: it can be withheld iff a cover exists."""
    rng = random.Random(39)
    for _ in range(20):
        q = 2
        ground = list(range(3 * q))
        triples = [rng.sample(ground, 3) for _ in range(4)]
        rows = [(float(i), s) for i, triple in enumerate(triples) for s in triple]
        rows.append((1000.0, 99))
        rows += [(5.0, s) for s in (*ground, 99) for _ in range(3)]
        covered = any(
            set(one) | set(other) == set(ground)
            for one in triples
            for other in triples
            if not set(one) & set(other)
        )
        joint = joint_of(rows)
        wanted = 3 * q + 1
        utility, required = LineDistortion.of(joint.public), (Requirement("distinct-l", wanted),)
        answer = solve(Problem(joint=joint, utility=utility, requirements=required, budget=wanted))
        assert (answer.cost < 100) is covered


def test_a_negative_budget_is_refused():
    joint = joint_of([(1.0, 1), (2.0, 2)])
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 2)])
    with pytest.raises(OptionError, match="no fewer than 0 rows"):
        least_cost_withholding(values, -1)
