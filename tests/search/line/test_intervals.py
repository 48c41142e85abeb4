"""Intervals and partitions of any shape, under one to three requirements, against all partitions."""

from __future__ import annotations

import random
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from enough_instances import joint_of, random_requirements, random_rows
from hartley.errors import UnreachableError
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model.requirement import Requirement
from hartley.search.line.borders import Borders, round_steps
from hartley.search.line.bounds import line_bound
from hartley.search.line.cheapest import cheapest_clusters
from hartley.search.line.intervals import finest_free_grid, finest_within, least_intervals
from hartley.search.line.ordered_values import OrderedValues
from line_search import bands_of, least_distortion, total_width
from reference_requirements import Twin


def utility_of(joint, codeword):
    return Resolution(joint.public.size) if codeword == "size" else LineDistortion.of(joint.public, codeword)


def instance(rng, largest=8, codeword=None):
    rows = random_rows(rng, rng.randint(1, largest), rng.randint(1, 6))
    joint = joint_of(rows)
    requirements, closeness, tolerance = random_requirements(rng, joint)
    codeword = codeword or rng.choice(("midpoint", "midpoint", "member", "centroid", "size"))
    values = OrderedValues.of(joint, utility_of(joint, codeword), requirements, closeness)
    return values, Twin(rows, requirements, tolerance, codeword)


def subsets_of(answer):
    return [sum(1 << place for place in cluster) for cluster in answer.partition.clusters()]


def test_partitions_of_any_shape_are_the_optimum():
    rng = random.Random(21)
    met = finest = 0
    for _ in range(900):
        values, twin = instance(rng, codeword=rng.choice(("midpoint", "member", "centroid")))
        best, most = twin.least_cost()
        if best == inf:
            with pytest.raises(UnreachableError):
                cheapest_clusters(values)
            continue
        met += 1
        answer = cheapest_clusters(values)
        assert answer.is_proven
        assert answer.cost == pytest.approx(best)
        finest += answer.partition.size == most
        assert values.whole.is_met_by(answer.partition)
    assert met > 500
    assert finest > 0.98 * met


def test_intervals_are_the_best_and_the_finest_of_their_shape():
    rng = random.Random(22)
    for _ in range(700):
        values, twin = instance(rng)
        best, ways = twin.best_intervals()
        if best == inf:
            continue
        answer = least_intervals(values)
        finest = min((-len(cut), sum(twin.spans[subset] for subset in cut)) for cut in ways)
        assert answer.is_proven
        assert answer.cost == pytest.approx(best)
        assert (-answer.partition.size, total_width(values, answer)) == pytest.approx(finest)
        assert sorted(subsets_of(answer)) in [sorted(cut) for cut in twin.cuts()]
        assert values.whole.is_met_by(answer.partition)
        assert answer.any_bound <= twin.least_cost()[0] + 1e-9


def test_bound_optimum_and_intervals_are_in_order_and_within_twice():
    rng = random.Random(23)
    equal = levels = 0
    for _ in range(700):
        values, twin = instance(rng, codeword="midpoint")
        best = twin.least_cost()[0]
        if best == inf:
            continue
        answer = least_intervals(values)
        assert values.in_units(line_bound(values)) <= best <= answer.cost <= 2 * best
        levels += 1
        equal += answer.cost == best
    assert equal > 0.9 * levels


@pytest.mark.parametrize("codeword", ["midpoint", "member", "size"])
def test_borders_on_a_grid_are_exact(codeword):
    rng = random.Random(24)
    for _ in range(300):
        values, twin = instance(rng, codeword=codeword)
        grid = Borders.on_grid(values.positions, rng.choice((1, 2, 3, 5)))
        best, ways = twin.best_intervals(grid.allowed.tolist())
        if best == inf:
            continue
        answer = least_intervals(values, grid)

        def width(subset, grid=grid):
            ranks = [rank for rank in range(len(grid.low)) if subset >> rank & 1]
            return grid.high[ranks[-1]] - grid.low[ranks[0]]

        finest = min((-len(cut), sum(map(width, cut))) for cut in ways)
        assert answer.cost == best
        assert (-answer.partition.size, total_width(values, answer)) == finest
        bands = bands_of(values, answer)
        assert len(bands) == answer.partition.size
        assert all(one[1] <= other[0] for one, other in pairwise(bands))


def test_finest_within_a_wider_cost_has_most_clusters():
    rng = random.Random(25)
    as_fine = levels = 0
    for _ in range(300):
        values, twin = instance(rng, codeword="midpoint")
        best, _ = twin.best_intervals()
        if best == inf:
            continue
        cost = best * rng.choice((1, 1.5, 3))
        answer = finest_within(values, cost, Borders.anywhere(values.positions))
        fitting = [
            cut for cut in twin.cuts() if all(twin.is_enough[s] and twin.costs[s] <= cost for s in cut)
        ]
        assert (-answer.partition.size, total_width(values, answer)) == min(
            (-len(cut), sum(twin.spans[s] for s in cut)) for cut in fitting
        )
        levels += 1
        as_fine += answer.partition.size == twin.most_clusters_within(cost)
    assert as_fine > 0.8 * levels


def test_refining_borders_never_costs():
    rng = random.Random(26)
    for _ in range(150):
        values, _ = instance(rng, 9, "midpoint")
        if not values.can_be_met:
            continue
        costs = [
            least_intervals(values, Borders.on_grid(values.positions, step)).cost for step in (1, 2, 4, 8)
        ]
        assert costs == sorted(costs)
        assert least_intervals(values).cost == costs[0]


def test_the_finest_free_grid_costs_nothing():
    joint = joint_of([(float(x), x // 5 % 5) for x in range(0, 100, 5)])
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 3)])
    free = least_intervals(values)
    finest = finest_free_grid(values)
    assert finest.cost == free.cost
    assert finest.partition.size == free.partition.size
    coarse = finest_free_grid(
        values,
        grids=[
            Borders.on_grid(values.positions, step) for step in reversed(list(round_steps(values.positions)))
        ],
    )
    assert coarse.cost == free.cost
    assert coarse.partition.size <= finest.partition.size


def test_a_tolerance_of_nothing_gives_what_the_search_for_candidates_gives():
    rng = random.Random(27)
    for _ in range(40):
        joint = joint_of(random_rows(rng, rng.randint(13, 20), rng.randint(2, 8)))
        wanted = rng.randint(1, min(4, joint.sensitive.size))
        utility = LineDistortion.of(joint.public, rng.choice(("midpoint", "member")))
        from hartley.model.closeness import Closeness

        values = OrderedValues.of(
            joint, utility, [Requirement("separated-l", wanted)], Closeness.of({"sensitive": 0})
        )
        plain = OrderedValues.of(joint, utility, [Requirement("distinct-l", wanted)])
        found, today = cheapest_clusters(values), least_distortion(joint, utility, wanted)
        assert found.cost == cheapest_clusters(plain).cost
        assert found.lower_bound_cost <= today.cost <= found.cost


def test_missing_cells_stay_alone_and_must_be_enough():
    rows = [(1.0, 1), (2.0, 2), (None, 1), (None, 2)]
    from hartley.model import JointRange

    joint = JointRange.from_pairs(rows)
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 2)])
    assert cheapest_clusters(values).partition.clusters() == [[0, 1], [2]]
    short = JointRange.from_pairs(rows[:3])
    values = OrderedValues.of(short, LineDistortion.of(short.public), [Requirement("distinct-l", 2)])
    with pytest.raises(UnreachableError, match=r"distinct-l=2 \(at most 1\)"):
        cheapest_clusters(values)


def test_the_order_of_rows_does_not_matter():
    rng = random.Random(28)
    for _ in range(40):
        rows = random_rows(rng, 20, 6)
        joint = joint_of(rows)
        shuffled = rows[:]
        rng.shuffle(shuffled)
        from hartley.model import JointRange

        other = JointRange.from_pairs(shuffled)
        requirements = [Requirement("distinct-l", 2), Requirement("row-k", 3)]
        found = [
            least_intervals(OrderedValues.of(j, LineDistortion.of(j.public), requirements))
            for j in (joint, other)
        ]
        assert found[0].cost == found[1].cost
        by_value = [
            dict(zip(j.public.labels(), a.partition.labels.tolist(), strict=True))
            for j, a in zip((joint, other), found, strict=True)
        ]
        groups = [sorted(sorted(x for x in d if d[x] == g) for g in set(d.values())) for d in by_value]
        assert groups[0] == groups[1]


def test_two_hundred_values_compiled_and_interpreted_alike():
    rng = random.Random(29)
    joint = joint_of(random_rows(rng, 200, 12))
    values = OrderedValues.of(joint, LineDistortion.of(joint.public), [Requirement("distinct-l", 4)])
    from hartley.search.line import loops

    earliest = values.windows.within(least_intervals(values).cost)
    borders = Borders.on_grid(values.positions, 7)
    rows = values.enough.rows
    for loop, arguments in (
        (loops.can_cut, (earliest, values.latest, borders.allowed)),
        (loops.fewest_withheld, (earliest, values.latest, borders.allowed, rows)),
        (loops.uncovered_rows, (earliest, values.latest, rows)),
        (loops.withheld_choices, (earliest, values.latest, borders.allowed, rows, borders.low, borders.high)),
    ):
        assert np.array_equal(loop(*arguments), loop.compiled(*arguments))


def test_automatic_borders_of_dates_lie_in_the_calendar():
    days = np.array([31.0 * month for month in range(48)])
    names = [grid.name for grid in Borders.calendars(days, "day")]
    assert names == ["quarter", "half-year", "year"]
