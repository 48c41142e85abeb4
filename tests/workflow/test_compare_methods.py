from __future__ import annotations

import csv
import random
from itertools import product
from math import log2

import numpy as np
import pyarrow as pa
import pytest

from hartley import compare
from hartley.baselines import BASELINES
from hartley.errors import InputError, OptionError, TableError, UnreachableError
from hartley.examples import CLINIC_COLUMNS, clinic
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.measures.utility import utility_of
from hartley.model.demand import Target
from hartley.report.words.comparison import finding, noise_finding, target_words
from hartley.search.effort import UNLIMITED
from hartley.search.frontier import frontier as optimal_frontier
from hartley.workflow.compare_methods import bound_at
from hartley.workflow.rivals.comparison import Measured, Refused

ROLES = {"sensitive": "age", "public": "cholesterol", "missing_at": 0.0}


def clinic_table(rows: int = 40) -> pa.Table:
    return pa.table(dict(zip(CLINIC_COLUMNS, map(list, zip(*clinic(rows), strict=True)), strict=True)))


def random_table(seed: int) -> pa.Table:
    source = random.Random(seed)
    rows = source.randint(12, 40)
    return pa.table(
        {
            "age": [source.randint(1, 9) for _ in range(rows)],
            "cholesterol": [source.randint(1, 14) for _ in range(rows)],
        }
    )


def named(found) -> dict:
    return {method.name: method for method in found.methods}


@pytest.fixture(scope="module")
def clinic_at_five():
    return compare(clinic_table(), **ROLES, target=Target("distinct_l", 5))


def test_ours_come_first_then_every_baseline_then_noise(clinic_at_five):
    rows = clinic_at_five.to_dict()["methods"]
    assert [row["method"] for row in rows] == ["optimal", "greedy", "tree", *BASELINES, "noise"]
    assert len({tuple(row) for row in rows}) == 1  # all rows have the same keys


def test_the_tree_takes_what_classes_keep_and_no_cap(clinic_at_five):
    answer = named(clinic_at_five)["tree"].answer
    assert isinstance(answer, Measured)
    assert answer.point.distinct_l >= 5
    capped = compare(clinic_table(), **ROLES, target=Target("max_distortion", 20.0))
    assert "no cap" in named(capped)["tree"].answer.reason


def test_every_answer_meets_the_target_and_is_measured_by_the_definitions(clinic_at_five):
    joint, utility = clinic_at_five.joint, clinic_at_five.question.utility
    answered = 0
    for method in clinic_at_five.methods:
        if isinstance(method.answer, Refused):
            assert method.answer.reason
            continue
        answered += 1
        partition, point = method.answer.point.partition, method.answer.point
        assert point.distinct_l == distinct_l(joint, partition) >= 5
        assert point.leakage_bits == method.answer.l0_bits == max_uncertainty_reduction(joint, partition)
        assert point.utility == utility_of(utility, partition)
        assert (point.clusters, point.largest_cluster) == (partition.size, partition.sizes.max())
        rows_of = np.bincount(partition.labels, weights=np.add.reduceat(joint.rows, joint.indptr[:-1]))
        assert method.answer.row_k == rows_of.min()
        assert method.cpu_seconds >= 0
    assert answered >= 10


def test_a_bound_holds_for_everything_of_that_utility_and_marks_who_reaches_it(clinic_at_five):
    for method in clinic_at_five.methods:
        if isinstance(method.answer, Measured):
            point = method.answer.point
            assert point.lower_bound_bits <= point.leakage_bits + 1e-12
            assert point.proven_optimal == (point.leakage_bits <= point.lower_bound_bits + 1e-13)
    ours = clinic_at_five.frontier.points
    assert bound_at(clinic_at_five.frontier, ours[0].utility) == ours[0].lower_bound_bits
    assert bound_at(clinic_at_five.frontier, ours[-1].utility - 1) == 0.0


def loses(found) -> list[str]:
    """Name the baselines that leak less than our optimal search at their own utility level."""
    lost = []
    for method, answer in found.baselines:
        best = found.frontier.least_leakage(answer.point.utility)
        if best.leakage_bits > answer.point.leakage_bits + 1e-9:
            lost.append(method.name)
    return [*lost, *found.better]


@pytest.mark.parametrize("utility", ["distortion", "resolution"])
@pytest.mark.parametrize(("kind", "number"), [("distinct_l", 3), ("max_leakage", 2.0), ("floor", 6)])
def test_ours_never_loses_on_the_clinic(utility, kind, number):
    if kind == "floor":
        kind = "largest_cluster" if utility == "resolution" else "max_distortion"
    found = compare(clinic_table(40), **ROLES, utility=utility, target=Target(kind, number))
    assert loses(found) == []
    assert all(point.proven_optimal for point in found.frontier.points)


@pytest.mark.parametrize("utility", ["distortion", "resolution"])
@pytest.mark.parametrize("leakage", ["l0", "istar"])
def test_ours_never_loses_on_random_tables(utility, leakage):
    asked = 0
    for seed in range(3):
        table = random_table(seed)
        floor = Target("largest_cluster", 3) if utility == "resolution" else Target("max_distortion", 1.5)
        for target in (floor, Target("max_leakage", 1.0)):
            try:
                found = compare(
                    table,
                    sensitive="age",
                    public="cholesterol",
                    leakage=leakage,
                    utility=utility,
                    target=target,
                )
            except UnreachableError:
                continue
            asked += len(found.baselines)
            assert loses(found) == [], (seed, target)
    assert asked > 30


def test_ours_never_loses_on_the_papers_data(hungarian_heart):
    for utility, target in (
        ("resolution", Target("largest_cluster", 16)),
        ("distortion", Target("distinct_l", 5)),
    ):
        found = compare(
            hungarian_heart, sensitive="age", public="chol", missing_at=-9, utility=utility, target=target
        )
        assert loses(found) == []
        ours = found.ours.point
        assert ours.proven_optimal
        # optimal.md: at most 16 values together leave 23 candidates; 5 candidates need a move of 68.5.
        assert ours.distinct_l == 23 if utility == "resolution" else ours.max_distortion == 68.5


def test_a_missing_target_is_that_of_the_balanced_point():
    table = random_table(1)
    found = compare(table, sensitive="age", public="cholesterol")
    assert not found.is_given
    assert found.target == Target("distinct_l", found.frontier.balanced().distinct_l)
    assert "You gave no target" in target_words(found)
    certain = compare(table, sensitive="age", public="cholesterol", leakage="istar")
    assert certain.target == Target("max_leakage", certain.frontier.balanced().leakage_bits)


@pytest.mark.parametrize("seed", range(3))
def test_with_side_information_ours_never_loses_in_leakage(seed):
    source = random.Random(seed)
    table = pa.table(
        {
            "s": [source.randint(1, 5) for _ in range(24)],
            "x": [source.randint(1, 8) for _ in range(24)],
            "a": [source.choice("fm") for _ in range(24)],
        }
    )
    found = compare(table, sensitive="s", public="x", side="a", utility="resolution")
    assert found.target.kind == "max_leakage"
    assert loses(found) == []
    assert isinstance(found.noise.answer, Refused)


def test_a_count_of_candidates_with_side_information_is_explained_where_ours_loses():
    # At a distortion of a half, {1}, {2, 3}, {4} leak least, and leave one candidate to who knows f, of two;
    # {1, 2}, {3, 4} leave two candidates everywhere, and leak more to who knows m: two are left of five.
    seen = {
        1: ((1, "m"), (2, "m"), (3, "m"), (1, "f")),
        2: ((1, "m"), (2, "f")),
        3: ((4, "m"), (5, "m")),
        4: ((1, "f"), (2, "f")),
    }
    rows = [{"x": x, "s": s, "a": a} for x, pairs in seen.items() for s, a in pairs]
    table = pa.Table.from_pylist(rows)
    found = compare(table, sensitive="s", public="x", side="a", target=Target("distinct_l", 2))
    assert found.ours.point.max_distortion == 1
    assert "mondrian" in found.better
    assert "what is left and what is revealed part ways" in finding(found)


def test_the_optimal_row_is_what_the_frontier_gives():
    found = compare(random_table(3), sensitive="age", public="cholesterol", target=Target("distinct_l", 3))
    again = optimal_frontier(found.question, UNLIMITED).best_utility_with(3)
    ours = found.ours.point
    assert (ours.utility, ours.leakage_bits) == (again.utility, again.leakage_bits)


def test_the_words_name_the_best_baseline_and_say_who_wins(clinic_at_five):
    said = finding(clinic_at_five)
    assert clinic_at_five.baselines[0][0].name in said
    assert f"{clinic_at_five.ours.point.max_distortion:g}" in said
    best = max(answer.point.utility for _, answer in clinic_at_five.baselines)
    assert clinic_at_five.baselines[0][1].point.utility == best <= clinic_at_five.ours.point.utility
    assert "on average before" in noise_finding(clinic_at_five)


def test_words_are_honest_where_a_baseline_is_better(clinic_at_five):
    from dataclasses import replace

    methods = list(clinic_at_five.methods)
    worse = replace(clinic_at_five.ours.point, utility=-1e6, max_distortion=1e6)
    methods[0] = replace(methods[0], answer=replace(clinic_at_five.ours, point=worse))
    beaten = replace(clinic_at_five, methods=tuple(methods))
    assert beaten.better
    assert "does better than hartley" in finding(beaten)


def test_text_is_compared_by_resolution():
    found = compare(clinic_table(), sensitive="pain", public="sex", target=Target("distinct_l", 4))
    assert found.frontier.utility == "resolution"
    assert {m.name for m in found.methods if isinstance(m.answer, Measured)} >= {"optimal", "literal"}
    assert loses(found) == []
    reasons = {m.name: m.answer.reason for m in found.methods if isinstance(m.answer, Refused)}
    assert all(reason and "\n" not in reason for reason in reasons.values())


def test_numbers_whose_range_is_no_number_are_compared_by_resolution():
    huge = pa.table({"age": [1, 2, 3, 1], "cholesterol": [-1e308, 1e308, 1.0, 2.0]})
    found = compare(huge, sensitive="age", public="cholesterol", utility="resolution")
    refused = {method.name for method in found.methods if isinstance(method.answer, Refused)}
    assert not refused & {"literal", "full-domain", "datafly", "local-recoding", "mondrian", "clustering"}


def test_a_method_without_an_answer_says_why():
    # Nothing but a merge of everything leaves 2 candidates, and a missing value has no place.
    table = pa.table({"age": [1, 2, 1, 2], "cholesterol": [1.0, 2.0, None, 5.0]})
    with pytest.raises(UnreachableError, match="missing"):
        compare(table, sensitive="age", public="cholesterol", target=Target("distinct_l", 2))
    found = compare(table, sensitive="age", public="cholesterol", target=Target("max_distortion", 0.5))
    assert isinstance(found.noise.answer, Refused)
    assert "empty cells cannot be merged with numbers" in found.noise.answer.reason


def test_clustering_is_refused_with_the_reason_where_it_cannot_be_run(monkeypatch):
    from hartley.baselines import registry as strategies

    few = {name: strategies.Baseline(b.name, b.title, b.chains, 3) for name, b in BASELINES.items()}
    monkeypatch.setattr("hartley.baselines.best_setting.BASELINES", few)
    found = compare(random_table(0), sensitive="age", public="cholesterol", target=Target("distinct_l", 2))
    assert all(isinstance(method.answer, Refused) for method in found.methods[3:])
    assert "made for up to 3 public values" in found.methods[3].answer.reason
    assert "no other method has an answer" in finding(found)


def test_noise_keeps_the_average_and_is_judged_both_ways(clinic_at_five):
    noise = clinic_at_five.noise.answer
    assert noise.mean_after <= noise.mean_before * (1 + 1e-9)
    before, after = noise.release.before, noise.release.after
    assert after.stochastic.mutual_information_bits < before.stochastic.mutual_information_bits
    row = clinic_at_five.to_dict()["methods"][-1]
    assert row["row_k"] is None
    assert row["lower_bound_bits"] is None
    assert row["max_distortion"] == noise.max_distortion
    drawn = noise.release.channel > 0
    assert row["largest_cluster"] == drawn.sum(axis=0).max()


def test_noise_under_resolution_lets_one_row_in_ten_stray():
    found = compare(
        random_table(2),
        sensitive="age",
        public="cholesterol",
        utility="resolution",
        target=Target("largest_cluster", 4),
    )
    noise = found.noise.answer
    assert noise.mean_before == 0
    assert 0 < noise.mean_after <= 0.1 + 1e-9
    row = found.to_dict()["methods"][-1]
    assert row["max_distortion"] is None
    assert row["utility"] == log2(found.joint.public.size / row["largest_cluster"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"leakage": "joint"}, "unknown leakage 'joint'"),
        ({"target": Target("utility_weight", 1)}, "cannot be compared at utility_weight"),
        ({"leakage": "istar", "target": Target("distinct_l", 2)}, "distinct_l goes with leakage='l0'"),
        ({"utility": "resolution", "target": Target("max_distortion", 2)}, "needs utility='distortion'"),
        ({"utility": "distortion", "target": Target("largest_cluster", 2)}, "needs utility='resolution'"),
        ({"hierarchies": {"age": "x.csv"}}, "no public column; those are 'cholesterol'"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(arguments, said):
    with pytest.raises(OptionError, match=said):
        compare(random_table(0), sensitive="age", public="cholesterol", **arguments)


def test_an_unreachable_target_is_refused():
    with pytest.raises(UnreachableError, match="the most that can be reached is"):
        compare(random_table(0), sensitive="age", public="cholesterol", target=Target("distinct_l", 99))


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_hierarchy_file_steers_generalisation(tmp_path):
    table = pa.table({"s": [1, 2, 3, 1, 2, 3], "town": ["a", "b", "c", "d", "e", "f"]})
    words = [("a", "north"), ("b", "north"), ("c", "north"), ("d", "south"), ("e", "south"), ("f", "south")]
    file = write(tmp_path / "town.csv", [("value", "level1"), *words])
    target = Target("distinct_l", 3)
    plain = named(compare(table, sensitive="s", public="town", target=target))
    given = named(compare(table, sensitive="s", public="town", target=target, hierarchies={"town": file}))
    assert plain["full-domain"].answer.point.clusters == 1
    assert given["full-domain"].answer.point.clusters == 2


@pytest.mark.parametrize(
    ("rows", "error", "said"),
    [
        ([("a", "x"), ("b", "x")], TableError, "first line must be a header"),
        ([("value",), ("a",)], TableError, "no word for any value"),
        ([("value", "level1"), ("a", "")], TableError, "line 2 lacks a word"),
        ([("value", "level1"), ("a", "x", "y")], TableError, "line 2 has 3 cells where the header has 2"),
        ([("value", "level1"), ("a", "x")], InputError, "lacks 1 of the values of column 'town'"),
        (
            [("value", "l1", "l2"), ("a", "x", "p"), ("b", "x", "q")],
            InputError,
            "must be nested",
        ),
        ([("value", "l1"), ("a", "x"), ("a", "y"), ("b", "x")], InputError, "names a value twice"),
    ],
)
def test_a_bad_hierarchy_file_is_refused_in_one_line_with_its_name(tmp_path, rows, error, said):
    file = write(tmp_path / "words.csv", rows)
    table = pa.table({"s": [1, 2], "town": ["a", "b"]})
    with pytest.raises(error, match=said) as refusal:
        compare(table, sensitive="s", public="town", hierarchies={"town": file})
    assert str(refusal.value).startswith("words.csv: ")
    assert "\n" not in str(refusal.value)


def test_no_row_of_the_result_holds_a_cell_of_the_table():
    table = pa.table({"s": [f"secret{i % 3}" for i in range(6)], "town": [f"town{i}" for i in range(6)]})
    shown = str(compare(table, sensitive="s", public="town").to_dict())
    assert not any(f"{word}{i}" in shown for word, i in product(("secret", "town"), range(6)))


def several_columns(rows: int = 60) -> pa.Table:
    source = random.Random(5)
    return pa.table(
        {
            "s": [source.randint(1, 6) for _ in range(rows)],
            "a": [source.randint(1, 9) for _ in range(rows)],
            "b": [source.choice("xy") for _ in range(rows)],
        }
    )


@pytest.fixture(scope="module")
def columns_at_three():
    return compare(several_columns(), sensitive="s", public=["a", "b"], target=Target("distinct_l", 3))


def test_over_several_columns_methods_are_judged_by_loss_and_by_counts_too(columns_at_three):
    found = columns_at_three
    shown = found.to_dict()
    for row in shown["methods"]:
        assert (row["ncp"] is None) == (row["query_error"] is None) == (row["usefulness"] is None)
    ours, mondrian = shown["methods"][0], next(m for m in shown["methods"] if m["method"] == "mondrian")
    assert ours["ncp"] <= mondrian["ncp"]
    assert ours["usefulness"]["loss"] == ours["ncp"]
    assert set(shown["better_by"]) == {"worst_case", "ncp", "query_error"}
    for axis in ("ncp", "query_error"):
        beaten_by = {
            row["method"] for row in shown["methods"][1:-1] if (row[axis] or 9.0) < ours[axis] - 1e-9
        }
        assert set(shown["better_by"][axis]) == beaten_by


def test_nothing_is_called_best_that_is_best_in_one_way_only(columns_at_three):
    from dataclasses import replace

    said = finding(columns_at_three)
    others = [name for axis in ("ncp", "query_error") for name in columns_at_three.better_by(axis)]
    assert ("No method does better" in said) == (not others and not columns_at_three.better)
    wide = replace(columns_at_three.ours.usefulness.columns[0], mean_relative_width=1.0)
    use = replace(columns_at_three.ours.usefulness, columns=(wide, wide))
    methods = list(columns_at_three.methods)
    methods[0] = replace(methods[0], answer=replace(columns_at_three.ours, usefulness=use))
    worse = replace(columns_at_three, methods=tuple(methods))
    assert worse.better_by("ncp")
    assert "No method does better" not in finding(worse)
    assert "Others are better there" in finding(worse)
