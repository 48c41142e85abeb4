"""Rows withheld in frontiers and releases: budgets side by side, what they buy, and what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hartley
from hartley.errors import OptionError
from hartley.measures.overlap import components
from hartley.measures.uncertainty import rows_of_values
from hartley.measures.utility import LineDistortion
from hartley.model import Partition
from hartley.report.words.release import bought, lost
from hartley.tables import ReadOptions
from reference_every_partition import every_partition

CENTROID = hartley.UtilityChoice(name="distortion", codeword="centroid")
AGES = [30, 41, 52, 30, 41, 52, 63, 30, 41, 52, 63, 30, 41, 52, 63, 30]
CHOL = [180, 181, 182, 183, 184, 185, 186, 190, 191, 192, 193, 196, 197, 198, 199, 400]


@pytest.fixture
def clinic():
    """A line of values with one that is far from all the others."""
    return pa.table({"age": AGES * 2, "chol": [*CHOL, *(value + 1 for value in CHOL)]})


def asked(table, **more):
    return hartley.frontier(table, sensitive="age", public="chol", **more)


def test_one_frontier_for_each_budget_and_what_it_buys(clinic):
    found = asked(clinic, require={"distinct_l": 3}, withhold=["0", 1, "25%"])
    shown = found.to_dict()
    assert "points" not in shown
    assert [(one["withhold"], one["rows"]) for one in shown["budgets"]] == [("0", 0), ("1", 1), ("25%", 8)]
    costs = [one["points"][0]["max_distortion"] for one in shown["budgets"]]
    assert costs[0] == costs[1] > costs[2]
    nothing, something = bought(found)
    assert "withholding up to 1 row buys nothing" in nothing
    assert f"{shown['budgets'][1]['buys']['helpful_rows']} rows would" in nothing
    point = shown["budgets"][2]["points"][0]
    assert (
        f"withholding {point['withheld_rows']} people's chol lets everyone else's move at most "
        f"{costs[2]:g} instead of {costs[0]:g}."
    ) in something


def test_the_budget_said_to_help_is_the_least_that_does(clinic):
    found = asked(clinic, require={"distinct_l": 3}, withhold=["0", 1])
    helpful = found.budgets[1].gain.helpful_rows
    before = found.budgets[0].frontier.points[0].max_distortion
    for rows, helps in ((helpful - 1, False), (helpful, True)):
        cost = asked(clinic, require={"distinct_l": 3}, withhold=rows).frontier.points[0].max_distortion
        assert (cost < before) == helps


@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
@pytest.mark.parametrize("utility", ["resolution", "distortion"])
def test_frontiers_never_rise_with_the_budget(leakage, utility):
    rng, most = np.random.default_rng(4), 40 if utility == "distortion" else 9
    for _ in range(1):
        rows = 24
        table = pa.table(
            {"age": rng.integers(0, 6, rows), "chol": np.sort(rng.integers(0, most, rows)).astype(float)}
        )
        found = asked(table, leakage=leakage, utility=utility, withhold=["0", 3, 6, "50%"])
        before = None
        for one in found.budgets:
            for point in one.frontier.points:
                assert point.withheld_rows <= one.rows
            if before is not None:
                for point in before.points:
                    assert any(
                        other.utility >= point.utility - 1e-9
                        and other.leakage_bits <= point.leakage_bits + 1e-9
                        for other in one.frontier.points
                    )
            before = one.frontier


def test_one_budget_has_points_and_several_withheld_columns_work(clinic):
    two = clinic.append_column("pulse", pa.array([60 + value % 7 for value in range(32)]))
    found = hartley.frontier(
        two, sensitive="age", public=["chol", "pulse"], require={"distinct_l": 3}, withhold="25%"
    ).to_dict()
    assert found["points"][0]["withheld_rows"] > 0


@pytest.mark.parametrize("withhold", [-1, "150%", "2.5.%", "two", ["1%", "1%"]])
def test_budgets_that_are_none_are_refused(clinic, withhold):
    with pytest.raises(OptionError, match="withhold"):
        asked(clinic, withhold=withhold)


def test_rows_are_dropped_and_withheld_side_by_side(tmp_path):
    """Rows that were dropped are no part of the table: a share is one of those that are left."""
    holes = pa.table({"age": AGES * 2, "chol": [None, None, *CHOL[2:], *(value + 1 for value in CHOL)]})
    result = made(holes, tmp_path, missing="drop")
    assert (result.rows, result.dropped_rows) == (30, 2)
    assert 0 < result.usefulness.withheld_rows <= 7
    assert holds(result)


def made(table, folder, **more):
    original = folder / "clinic.csv"
    table.to_pandas().to_csv(original, index=False)
    more = {"public": "chol", "require": {"distinct_l": 3}, "withhold": "25%", **more}
    return hartley.release(original, folder / "out.csv", sensitive="age", **more)


def holds(result):
    found = hartley.verify(
        result.output,
        original=result.output.parent / "clinic.csv",
        policy=result.policy,
        certificate=result.certificate,
        record=result.record,
    )
    return [check.name for check in found.checks if not check.holds] == []


def test_under_resolution_withheld_values_leave_room_for_the_others(tmp_path):
    table = pa.table({"age": [30, 41, 30, 41, 30, 41, 30, 41, 30], "chol": list(range(9))})
    largest = [
        made(table, tmp_path, utility="resolution", require={"distinct_l": 2}, withhold=rows, overwrite=True)
        for rows in (0, 3)
    ]
    assert [one.point.largest_cluster for one in largest] == [3, 2]
    assert largest[1].usefulness.withheld_rows == 3
    assert holds(largest[1])


def test_withheld_cells_are_empty_counted_and_verified(clinic, tmp_path):
    result = made(clinic, tmp_path)
    rows = result.usefulness.withheld_rows
    assert 0 < rows <= 8
    assert result.after.distinct_l >= 3
    assert holds(result)
    assert f"{rows} of 32 rows have their chol withheld" in lost(result)


def test_a_withheld_value_stays_withheld_under_the_policy(clinic, tmp_path):
    result = made(clinic, tmp_path)
    again = hartley.apply(result.policy, clinic, tmp_path / "again.csv")
    assert sorted((tmp_path / "again.csv").read_text().split()) == sorted(result.output.read_text().split())
    assert again.target_holds


@pytest.mark.parametrize(("label", "labels"), [("-9", None), ("withheld", "interval")])
def test_a_label_stands_in_withheld_cells(clinic, tmp_path, label, labels):
    result = made(clinic, tmp_path, withheld_label=label, labels=labels)
    cells = [line.strip('"') for line in result.output.read_text().splitlines()[1:]]
    assert cells.count(label) == result.usefulness.withheld_rows > 0
    assert result.point.max_distortion < 20
    assert holds(result)
    hartley.apply(result.policy, clinic, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text().count(label) == cells.count(label)


@pytest.mark.parametrize(
    ("label", "labels", "says"),
    [
        ("400", None, "is a value of column 'chol'"),
        ("300", None, "lies among the values"),
        ("gone", None, "released as numbers"),
        ("181", "interval", "is a value"),
        (" ", None, "needs a text"),
    ],
)
def test_labels_that_could_be_mistaken_are_refused(clinic, tmp_path, label, labels, says):
    with pytest.raises(OptionError, match=says):
        made(clinic, tmp_path, withheld_label=label, labels=labels)
    assert [path.name for path in tmp_path.iterdir()] == ["clinic.csv"]


def test_a_label_for_missing_cells_is_refused_where_their_rows_are_left_out(clinic, tmp_path):
    words = {"withheld_label": "-9", "options": ReadOptions(missing_words=("-9",))}
    with pytest.raises(OptionError, match="word for a missing cell"):
        made(clinic, tmp_path, missing="drop", **words)
    assert holds(made(clinic, tmp_path, **words))


@pytest.mark.parametrize("more", [{"utility": CENTROID}, {"public": ["chol", "pulse"]}])
def test_where_no_helpful_budget_is_looked_for_the_one_that_is_needed_is_said(clinic, tmp_path, more):
    two = clinic.append_column("pulse", pa.array([60 + value % 7 for value in range(32)]))
    result = made(two, tmp_path, withhold=2, require={"distinct_l": 4}, **more)
    says = "no row is withheld: withholding up to 2 rows buys nothing; it takes at least 4 rows"
    assert says in lost(result)


def test_what_is_certain_is_compared_by_its_groups(clinic):
    (says,) = bought(asked(clinic, leakage="istar", withhold=1))
    assert says.startswith(
        "With nothing told apart for certain, withholding up to 1 row buys nothing; it takes"
    )


def test_tuples_of_several_columns_are_withheld_whole(clinic, tmp_path):
    two = clinic.append_column("pulse", pa.array([60 + value % 7 for value in range(32)]))
    result = made(two, tmp_path, public=["chol", "pulse"])
    assert result.usefulness.withheld_rows > 0
    assert result.after.distinct_l >= 3
    assert holds(result)


def test_kept_columns_see_the_withheld_value_as_the_value_it_is(clinic, tmp_path):
    two = clinic.append_column("ward", pa.array(["a", "b"] * 16))
    result = made(two, tmp_path, keep="ward", require={"distinct_l": 2})
    assert result.after.distinct_l >= 2
    assert holds(result)


def test_a_release_whose_budget_buys_nothing_says_which_would(clinic, tmp_path):
    result = made(clinic, tmp_path, withhold=1)
    assert result.usefulness.withheld_rows == 0
    assert result.unused_budget == 1
    least = result.helpful_rows
    assert f"no row is withheld: withholding up to 1 row buys nothing; {least} rows would" in lost(result)
    assert made(clinic, tmp_path, withhold=least, overwrite=True).point.withheld_rows > 0
    assert f"{least} rows would" in bought(asked(clinic, require={"distinct_l": 3}, withhold=1))[0]


def test_components_with_rows_withheld_are_bounded_against_all_partitions():
    rng, met, levels = np.random.default_rng(8), 0, 0
    for number in range(12):
        places = rng.choice(30, size=rng.integers(3, 6), replace=False).tolist()
        if number % 3 == 0:
            places[0] = None
        rows = [
            (place, int(code))
            for place in places
            for code in rng.choice(8, size=rng.integers(1, 3), replace=False)
            for _ in range(rng.integers(1, 3))
        ]
        budget = int(rng.integers(1, 6))
        table = pa.table({"chol": [row[0] for row in rows], "age": [row[1] for row in rows]})
        found = asked(table, leakage="istar", withhold=budget)
        every = components_of_every_partition(found.joint, budget)
        points = found.frontier.points
        for point in points:
            fewest = min(count for cost, count in every if cost <= point.max_distortion + 1e-9)
            assert point.lower_bound_bits <= np.log2(fewest) + 1e-9
            assert fewest <= point.components
            cheapest = min(cost for cost, count in every if count <= point.components)
            assert point.lower_bound_cost <= cheapest + 1e-9
            assert not point.proven_optimal or point.components == fewest
        for cost in {cost for cost, _ in every if np.isfinite(cost)}:
            reached = min(point.components for point in points if point.max_distortion <= cost + 1e-9)
            levels += 1
            met += reached == min(count for other, count in every if other <= cost + 1e-9)
    assert met >= 0.95 * levels


def components_of_every_partition(joint, budget):
    """Cost and components of every partition, and of every block of it that may be withheld."""
    utility = LineDistortion.of(joint.public)
    rows = rows_of_values(joint).copy()
    # What is withheld joins the cells that were missing before, whose rows do not count.
    rows[np.isnan(utility.positions)] = 0
    found = []
    for labels in every_partition(joint.public.size):
        partition = Partition(labels)
        costs, count = utility.costs(partition), components(joint.release(partition)).size
        found.append((costs.max(), count))
        found += [
            (np.delete(costs, cluster).max(initial=0.0), count)
            for cluster in range(partition.size)
            if rows[partition.labels == cluster].sum() <= budget
        ]
    return found


def test_a_budget_that_withholds_every_band_is_searched_to_its_end(tmp_path):
    table = pa.table({"x": [9, 9, 26], "s": [33, 37, 33]})
    study = hartley.Study(table, sensitive="s", public="x")
    made = study.release(
        tmp_path / "out.csv",
        require={"distinct_l": 2},
        utility="resolution",
        shape="intervals",
        withhold="3",
    )
    assert made.verification.holds
    assert made.after.distinct_l == 2


def test_a_budget_that_one_codebook_per_column_has_no_use_for_is_said_to_buy_nothing():
    table = pa.table({"x": list("abcdefghijklmnabc"), "s": [1, 2, 3, 1] * 4 + [2]})
    found = hartley.frontier(table, sensitive="s", public="x", shape="columns", withhold=1)
    assert found.unused.helpful_rows is None
