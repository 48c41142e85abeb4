"""Where two options meet: answers that were once wrong on the smallest tables."""

from __future__ import annotations

from math import log2

import pytest

from matrix.known_cases import TABLES, asked
from matrix.runner import without_the_walk
from same_answers.answers import call


@pytest.fixture
def many_values(monkeypatch):
    """Let the searches for many values answer."""
    without_the_walk(monkeypatch.setattr)


def test_a_kept_column_and_a_cap_on_clusters(tmp_path):
    line = "release -s s -p x --keep k --distinct-l 2 --largest-cluster 3"
    code, answer, _ = asked(tmp_path, 1, line)
    assert code == 0
    assert answer["point"]["largest_cluster"] == 2
    assert answer["after"]["distinct_l"] == 2


def test_a_kept_column_and_nothing_certain(tmp_path):
    line = "release -s s -p x --keep k --utility resolution --require istar=0"
    code, answer, _ = asked(tmp_path, 2, line)
    assert code == 0
    assert answer["point"]["largest_cluster"] == 2
    assert answer["after"]["istar_bits"] == 0


def test_nothing_certain_by_withheld_rows_alone(tmp_path):
    line = "release -s s -p x --leakage joint --withhold 2 --max-distortion 0"
    code, answer, _ = asked(tmp_path, 3, line)
    assert code == 0
    assert answer["point"]["withheld_rows"] == 2
    assert answer["point"]["components"] == 1
    assert answer["point"]["max_distortion"] == 0


def test_missing_cells_link_what_is_withheld(tmp_path):
    line = "frontier -s s -p x --leakage istar --utility resolution --withhold 1"
    code, answer, _ = asked(tmp_path, 4, line)
    assert code == 0
    assert answer["points"][0]["leakage_bits"] == 1
    assert answer["points"][0]["proven_optimal"]


def test_a_kept_column_is_not_known_beforehand_with_a_tolerance_either(tmp_path):
    code, answer, _ = asked(tmp_path, 5, "frontier -s s -p x --keep k --tolerance s=0")
    assert code == 0
    assert [point["leakage_bits"] for point in answer["points"]] == [1]


def test_costs_that_differ_by_rounding_are_one_level(tmp_path):
    code, answer, _ = asked(tmp_path, 8, "frontier -s s -p x -p y --leakage istar")
    assert code == 0
    costs = [point["max_distortion"] for point in answer["points"]]
    assert costs == [0, pytest.approx(0.5)]
    assert answer["points"][1]["leakage_bits"] == 0


def test_nothing_certain_beside_side_information(tmp_path):
    line = "frontier -s s -p x --side a --leakage joint --require row-k=1"
    code, answer, complaint = asked(tmp_path, 11, line)
    assert code == 3
    assert not answer.get("points")
    assert "single group" in complaint


@pytest.mark.parametrize("limit", ["l0=0.5", "istar=0"])
def test_every_point_of_a_frontier_keeps_limits_on_bits(tmp_path, limit):
    code, answer, _ = asked(tmp_path, 9, f"frontier -s s -p x --require {limit}")
    assert code == 0
    assert [point["leakage_bits"] for point in answer["points"]] == [0]


@pytest.mark.usefixtures("many_values")
def test_a_limit_on_what_is_certain_is_searched_for_where_values_are_many(tmp_path):
    code, answer, _ = asked(tmp_path, 17, "frontier -s s -p x --require istar=1")
    assert code == 0
    assert [point["max_distortion"] for point in answer["points"]] == pytest.approx([0.3, 1.8, 3])
    assert [point["leakage_bits"] for point in answer["points"]] == [2, 1, 0]


@pytest.mark.usefixtures("many_values")
def test_what_is_withheld_joins_missing_cells_where_values_are_many(tmp_path):
    line = "frontier -s s -p x --leakage joint --utility resolution --shape intervals --withhold 2"
    code, answer, _ = asked(tmp_path, 18, line)
    assert code == 0
    assert all(point["components"] == 1 and point["withheld_rows"] <= 2 for point in answer["points"])


def test_a_cap_beside_side_information_with_a_tolerance(tmp_path):
    line = "release -s s -p x --side a --tolerance s=1 --max-distortion 2"
    code, answer, _ = asked(tmp_path, 13, line)
    assert code == 0
    assert answer["point"]["leakage_bits"] == 0
    assert answer["point"]["max_distortion"] == 0.5


def test_components_of_the_toy_with_distinct_values(tmp_path):
    line = "release -s s -p x --utility resolution --distinct-l 2 --require istar=0"
    code, answer, _ = asked(tmp_path, 9, line)
    assert code == 0
    assert answer["point"]["components"] == 1
    assert answer["point"]["proven_optimal"]
    assert log2(answer["point"]["components"]) == 0


def test_persons_are_told_by_the_set_of_their_rows(tmp_path):
    code, answer, _ = asked(tmp_path, 14, "audit -s s -p x --person p")
    assert code == 0
    assert answer["distinct_l"] == 1
    assert answer["persons"]["all_rows_l"] == 2


def test_missing_cells_are_not_merged_with_numbers_for_persons(tmp_path):
    code, _, complaint = asked(tmp_path, 19, "release -s s -p x --person p --row-k 2 --shape intervals")
    assert code == 3
    assert "for persons" in complaint


def test_codebooks_of_columns_refuse_a_limit_on_what_is_certain(tmp_path):
    code, _, complaint = asked(tmp_path, 9, "frontier -s s -p x --shape columns --require istar=0")
    assert code == 2
    assert "istar=0" in complaint


def test_every_level_of_codebooks_of_one_text_column_is_on_its_frontier(tmp_path):
    code, answer, _ = asked(tmp_path, 33, "frontier -s s -p x --shape columns")
    assert code == 0
    assert [point["distinct_l"] for point in answer["points"]] == [1, 2, 5]
    assert [-point["utility"] for point in answer["points"]] == [point["loss"] for point in answer["points"]]


def test_a_window_of_the_first_values_bounds_the_loss_of_codebooks(tmp_path):
    line = "frontier -s s -p x -p y --shape columns --borders x=each --borders y=each"
    code, answer, _ = asked(tmp_path, 20, line)
    assert code == 0
    assert [-point["utility"] for point in answer["points"]] == pytest.approx([0, 0.175])
    assert all(point["lower_bound_cost"] <= -point["utility"] for point in answer["points"])
    assert not answer["points"][1]["proven_optimal"]


@pytest.mark.usefixtures("many_values")
def test_nothing_certain_beside_a_kept_column_where_values_are_many(tmp_path):
    line = "release -s s -p x --keep k --utility resolution --require istar=0"
    code, answer, _ = asked(tmp_path, 21, line)
    assert code == 0
    assert answer["after"]["istar_bits"] == 0


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("shape", ["any", "intervals"])
def test_what_is_withheld_for_rows_is_not_withheld_for_persons(tmp_path, size, shape, request):
    if size == "many":
        request.getfixturevalue("many_values")
    line = f"release -s s -p x --person p --utility resolution --distinct-l 2 --withhold 4 --shape {shape}"
    code, answer, complaint = asked(tmp_path, 22, line)
    assert code == 0, complaint
    assert answer["after"]["distinct_l"] >= 2


@pytest.mark.parametrize("size", ["few", "many"])
def test_what_was_missing_is_joined_for_persons(tmp_path, size, request):
    if size == "many":
        request.getfixturevalue("many_values")
    line = "release -s s -p x --person p --leakage joint --codeword member --distinct-l 2 --withhold 3"
    code, answer, complaint = asked(tmp_path, 19, f"{line} --shape intervals")
    assert code == 0, complaint
    assert answer["point"]["withheld_rows"] == 2


@pytest.mark.usefixtures("many_values")
def test_what_was_withheld_is_parted_again_for_persons(tmp_path):
    line = "release -s s -p x --person p --codeword member --tolerance s=0 --separated-l 2 --withhold 4"
    code, _, complaint = asked(tmp_path, 27, f"{line} --leakage istar")
    assert code == 0, complaint


def test_a_cap_that_persons_cannot_keep_to_is_the_answer_no(tmp_path):
    line = "release -s s -p x --person p --utility resolution --shape intervals --leakage joint --withhold 3"
    code, _, complaint = asked(tmp_path, 23, f"{line} --require istar=0 --largest-cluster 1")
    assert code == 3
    assert "for persons within" in complaint


def test_codebooks_hold_for_persons(tmp_path):
    line = "release -s s -p x --person p --shape columns --borders x=each --distinct-l 2"
    code, answer, complaint = asked(tmp_path, 22, line)
    assert code == 0, complaint
    assert answer["after"]["distinct_l"] >= 2


def test_nothing_is_proven_of_codebooks_that_were_made_coarser_for_persons(tmp_path):
    line = "release -s s -p x --person p --shape columns --row-k 2 --accept-exposure"
    code, answer, complaint = asked(tmp_path, 34, line)
    assert code == 0, complaint
    point = answer["point"]
    # A loss of 8/13 is possible.
    assert point["loss"] <= 1
    assert not point["proven_optimal"]
    assert point["lower_bound"] <= 8 / 13
    assert (point["ladder_loss"], point["maximal"]) == (None, False)


def test_what_leaks_less_beside_side_information_is_not_denied_by_codebooks(tmp_path):
    code, answer, _ = asked(tmp_path, 24, "frontier -s s -p x --side a --shape columns --borders x=each")
    assert code == 0
    assert not any(point["proven_optimal"] for point in answer["points"] if point["leakage_bits"])


@pytest.mark.usefixtures("many_values")
def test_an_empty_requirement_within_a_cap_is_kept_by_every_point(tmp_path):
    line = "release -s s -p x --side a --utility resolution --row-k 1 --largest-cluster 4 --leakage joint"
    code, _, complaint = asked(tmp_path, 25, line)
    assert code == 0, complaint


@pytest.mark.usefixtures("many_values")
def test_bits_beside_side_information_are_kept_within_a_cap(tmp_path):
    line = "release -s s -p x --side a --require l0=0.5 --max-distortion 60 --codeword centroid --withhold 4"
    code, answer, complaint = asked(tmp_path, 25, line)
    assert code == 0, complaint
    assert answer["after"]["l0_bits"] <= 0.5


@pytest.mark.usefixtures("many_values")
def test_bands_are_joined_by_what_is_withheld(tmp_path):
    line = (
        "release -s s -p x --leakage joint --shape intervals --borders 60 --withhold 3 --max-distortion 150"
    )
    code, answer, complaint = asked(tmp_path, 26, line)
    assert code == 0, complaint
    assert answer["point"]["max_distortion"] <= 150
    assert answer["after"]["components"] == 1


@pytest.mark.usefixtures("many_values")
def test_what_is_withheld_is_not_merged_into_bands_with_missing_cells(tmp_path):
    line = "release -s s -s t -p x --leakage joint --shape intervals --borders 120 --codeword member"
    code, _, _ = asked(tmp_path, 28, f"{line} --withhold 4 --require distinct-l:t=2")
    assert code == 3


@pytest.mark.usefixtures("many_values")
def test_missing_cells_are_in_no_band_for_persons_by_size_either(tmp_path):
    line = "release -s s -p x --person p --utility resolution --shape intervals --withhold 4 --distinct-l 2"
    code, _, _ = asked(tmp_path, 29, f"{line} --largest-cluster 4")
    assert code == 3


@pytest.mark.usefixtures("many_values")
def test_nothing_is_withheld_where_what_is_withheld_joins_nothing(tmp_path):
    line = (
        "frontier -s s -s t -p x --leakage joint --shape intervals --codeword member --withhold 1 --jointly"
    )
    code, answer, complaint = asked(tmp_path, 30, line)
    assert code == 0, complaint
    assert answer["points"][0]["components"] == 1
    assert answer["points"][0]["withheld_rows"] == 0


@pytest.mark.usefixtures("many_values")
def test_bits_beside_side_information_are_one_question_for_a_frontier_too(tmp_path):
    limits = "-s s -p x --side a --codeword centroid --require l0=0.5"
    _, points, _ = asked(tmp_path, 25, f"frontier {limits}")
    code, answer, complaint = asked(tmp_path, 25, f"release {limits}")
    assert code == 0, complaint
    assert answer["point"]["max_distortion"] == points["points"][0]["max_distortion"]


@pytest.mark.usefixtures("many_values")
def test_what_is_certain_within_a_cap_is_as_proven_as_on_the_frontier(tmp_path):
    asking = "-s s -p x --leakage istar --withhold 2"
    _, points, _ = asked(tmp_path, 26, f"frontier {asking}")
    assert len(points["points"]) > 1
    for point in points["points"]:
        line = f"release {asking} --max-distortion {point['max_distortion']} --overwrite"
        code, answer, complaint = asked(tmp_path, 26, line)
        assert code == 0, complaint
        for name in ("leakage_bits", "max_distortion", "lower_bound_bits", "proven_optimal"):
            assert answer["point"][name] == point[name], name


@pytest.mark.usefixtures("many_values")
def test_bands_that_cost_nothing_and_leave_nothing_certain_are_proven(tmp_path):
    line = "frontier -s s -p x --leakage istar --shape intervals --withhold 1"
    code, answer, _ = asked(tmp_path, 17, line)
    assert code == 0
    last = answer["points"][-1]
    assert last["leakage_bits"] == last["lower_bound_bits"] == 0


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize(
    ("options", "cost", "bits"),
    [
        ("--max-leakage 0.6", 1, log2(3 / 2)),
        ("--require l0=0.6", 1, log2(3 / 2)),
        ("--leakage istar --max-leakage 0", 0.5, 0),
        ("--leakage istar --require istar=0", 0.5, 0),
        ("--require istar=0", 0.5, log2(3)),
        ("--leakage joint --require row-k=1", 0.5, log2(3)),
    ],
)
def test_bits_are_counted_with_the_tolerance_wherever_they_are_asked_for(
    tmp_path, size, options, cost, bits, request
):
    if size == "many":
        request.getfixturevalue("many_values")
    line = f"release -s s -p x --tolerance s=1 {options} --accept-exposure"
    code, answer, complaint = asked(tmp_path, 31, line)
    assert code == 0, complaint
    assert (answer["point"]["max_distortion"], answer["point"]["leakage_bits"]) == (cost, bits)
    line = f"frontier -s s -p x --tolerance s=1 {options.replace('--max-leakage 0.6', '--require l0=0.6')}"
    code, points, complaint = asked(tmp_path, 31, line.replace("--max-leakage 0", "--require istar=0"))
    assert code == 0, complaint
    assert points["points"][0]["max_distortion"] == cost


def test_rivals_count_bits_with_the_tolerance_too(tmp_path):
    code, answer, _ = asked(tmp_path, 31, "compare -s s -p x --tolerance s=1 --require l0=0.6")
    assert code == 0
    found = [method.get("leakage_bits") for method in answer["methods"]]
    told = [bits for bits in found if bits is not None]
    assert len(told) > 5
    assert max(told) <= 0.6


def test_the_greedy_row_counts_bits_with_the_tolerance_where_it_was_run_to_none(tmp_path):
    line = "compare -s s -p x -p y --side a --tolerance s=2 --require separated-l=1"
    code, answer, _ = asked(tmp_path, 32, line)
    assert code == 0
    assert {method.get("leakage_bits") for method in answer["methods"]} <= {0, None}


@pytest.mark.parametrize("number", [9, 26])
def test_an_empty_requirement_changes_nothing_of_a_comparison(tmp_path, number):
    line = "compare -s s -p x --codeword centroid --require distinct-l=2"
    told = []
    for more in ("", " --require row-k=1"):
        code, answer, complaint = asked(tmp_path, number, line + more)
        assert code == 0, complaint
        told.append(
            [{key: one for key, one in row.items() if key != "cpu_seconds"} for row in answer["methods"]]
        )
    assert told[0] == told[1]


def test_groups_told_apart_are_counted_with_the_tolerance(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(TABLES[31])
    _, printed, _ = call(["frontier", str(table), "-s", "s", "-p", "x", "--leakage=istar", "--tolerance=s=1"])
    assert "no one is sorted for certain" in printed
    assert "everyone sorted into 2" in printed
