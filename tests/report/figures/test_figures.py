"""The data that each figure draws, and the forms in which it can be kept."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from dataclasses import replace
from math import log2

import numpy as np
import pytest

from hartley.errors import InputError, OptionError
from hartley.examples import toy
from hartley.frontiers import Frontier, Point
from hartley.measures.audit import measure
from hartley.measures.overlap import components
from hartley.measures.uncertainty import candidate_counts
from hartley.model import Alphabet, JointRange, Partition
from hartley.report.figures import (
    candidates_figure,
    confusability_figure,
    frontier_figure,
    joint_range_figure,
    recoding_figure,
)
from hartley.report.figures.figure import DARK, LIGHT
from hartley.report.figures.graph_layout import laid_out

MERGED = Partition.from_clusters([[0, 2], [1, 4], [3, 5], [6]])
"""The merges of the paper's figure of the graph after three steps."""


def point(partition: Partition, *, bound: float | None = None, proven: bool = True) -> Point:
    found = measure(toy(), partition)
    largest = int(partition.sizes.max())
    return Point(
        leakage_bits=found.l0_bits,
        utility=log2(7 / largest),
        distinct_l=found.distinct_l,
        components=found.components,
        largest_cluster=largest,
        max_distortion=None,
        clusters=partition.size,
        lower_bound_bits=found.l0_bits if bound is None else bound,
        proven_optimal=proven,
        cut=lambda: partition,
    )


START = point(Partition.singletons(7))
MIDDLE = point(Partition.from_clusters([[0, 1, 6], [2, 3, 4, 5]]), bound=0.5, proven=False)
END = point(Partition.whole(7))


def frontier(*points: Point, search: str = "optimal") -> Frontier:
    return Frontier(
        leakage="l0", utility="resolution", search=search, codeword=None, complete=True, points=points
    )


def random_joint(public: int, sensitive: int, pairs: int, seed: int = 0) -> JointRange:
    source = np.random.default_rng(seed)
    x = np.concatenate([np.arange(public), source.integers(0, public, pairs)])
    s = np.concatenate([np.arange(public) % sensitive, source.integers(0, sensitive, pairs)])
    return JointRange.from_codes(public_codes=x, sensitive_codes=s)


# The frontier


def test_the_frontier_draws_its_points_and_bounds():
    figure = frontier_figure(frontier(START, MIDDLE, END))
    assert [(row["cost"], row["leakage"]) for row in figure.data["points"]] == [
        (1, log2(6)),
        (4, log2(6 / 3)),
        (7, 0.0),
    ]
    assert [row["leakage"] for row in figure.data["bound"]] == [log2(6), 0.5, 0.0]
    assert [row["candidates"] for row in figure.data["points"]] == [1, 3, 6]
    status = [row["status"] for row in figure.data["points"]]
    assert status[0] == status[2] != status[1]


def test_the_frontier_says_whether_everything_is_proven():
    assert "Every point is proven" in frontier_figure(frontier(START, END)).caption
    assert "below the dotted line" in frontier_figure(frontier(START, MIDDLE, END)).caption


def test_the_dotted_bound_is_drawn_only_where_there_is_a_gap():
    def dotted(figure):
        return [layer for layer in figure.spec["layer"] if layer["data"]["name"] == "bound"]

    assert dotted(frontier_figure(frontier(START, END))) == []
    assert len(dotted(frontier_figure(frontier(START, MIDDLE, END)))) == 1


def test_other_methods_stand_beside_with_shapes_of_their_own():
    figure = frontier_figure(frontier(START, END), beside={"greedy": [START, MIDDLE], "Mondrian": [MIDDLE]})
    assert [row["status"] for row in figure.data["beside"]] == ["greedy", "greedy", "Mondrian"]
    marks = next(
        layer["encoding"]
        for layer in figure.spec["layer"]
        if layer["data"]["name"] == "beside" and "shape" in layer["encoding"]
    )
    shapes = marks["shape"]["scale"]["range"]
    assert len(set(shapes)) == len(shapes) == 3


def test_the_chosen_point_is_ringed_and_named():
    figure = frontier_figure(frontier(START, MIDDLE, END), chosen=MIDDLE)
    assert figure.data["chosen"][0]["label"] == "chosen: at least 3 values left"
    assert "ring" in figure.caption


def test_words_beside_a_point_near_the_right_end_stand_below_the_line():
    drawn = frontier_figure(frontier(START, MIDDLE, END), chosen=END).spec
    texts = [layer["mark"] for layer in drawn["layer"] if layer["mark"].get("type") == "text"]
    assert {(mark["align"], mark["dy"] > 0) for mark in texts} == {("right", True)}


def test_distortion_is_drawn_in_units_of_the_column():
    moved = Point(
        leakage_bits=1.0, utility=-2.5, distinct_l=3, components=1, largest_cluster=2, max_distortion=2.5,
        clusters=4, cut=MERGED.merge,
    )  # fmt: skip
    figure = frontier_figure(
        Frontier(
            leakage="l0",
            utility="distortion",
            search="optimal",
            codeword="midpoint",
            complete=True,
            points=(moved,),
        ),
        unit="mg/dl",
    )
    assert figure.data["points"][0]["cost"] == 2.5
    assert "units of mg/dl" in json.dumps(figure.spec)


@pytest.mark.parametrize(("far", "drawn"), [(0.9, 2), (0.03, 3)])
def test_a_last_point_that_would_press_all_others_together_is_left_out(far, drawn):
    lost = {7: 0.0, 2: 0.01, 1: far}
    found = replace(frontier(START, MIDDLE, END), utility="distortion")
    figure = frontier_figure(found, lost=lambda point: lost[point.clusters])
    assert len(figure.data["points"]) == drawn
    assert ("it is not drawn" in figure.caption) == (drawn == 2)
    chosen = frontier_figure(found, chosen=END, lost=lambda point: lost[point.clusters])
    assert chosen.data["points"][-1]["cost"] == far


def test_a_frontier_plots_itself_and_shows_itself_in_a_notebook():
    drawn = frontier(START, END)
    assert drawn.plot(chosen=END).data["chosen"][0]["cost"] == 7
    assert drawn._repr_html_().startswith("<figure><svg")


# The joint range


def test_the_joint_range_draws_every_pair_before_and_after():
    joint = toy()
    figure = joint_range_figure(joint, MERGED)
    assert len(figure.data["before"]) == joint.pairs == 8
    after = joint.release(MERGED)
    drawn = {(row["public"], row["sensitive"]) for row in figure.data["after"]}
    assert drawn == set(zip(after.observation_of.tolist(), after.indices.tolist(), strict=True))
    assert "5 before, 2 after" in figure.caption


def test_a_large_joint_range_is_counted_in_cells():
    joint = random_joint(900, 700, 8_000)
    figure = joint_range_figure(joint, Partition(np.arange(900) // 3))
    assert sum(row["pairs"] for row in figure.data["before"]) == joint.pairs
    assert len(figure.data["before"]) <= 64 * 64
    assert figure.svg().startswith("<svg")


def test_a_cell_of_the_table_cannot_leave_its_string_in_an_axis():
    nasty = "'];alert(1)//</script>\"\u2028"
    joint = JointRange.from_pairs([(nasty, 1), ("b", 2)])
    figure = joint_range_figure(joint, Partition.singletons(2))
    assert "alert" in figure.svg()
    assert "<script" not in figure.svg()


# The confusability graph


def test_the_graph_of_example_1_has_its_edges_groups_and_merges():
    figure = confusability_figure(toy(), MERGED)
    assert len(figure.data["before_nodes"]) == 7
    assert len(figure.data["before_edges"]) == 2
    assert len(figure.data["before_groups"]) == 2
    assert [row["values"] for row in figure.data["after_nodes"]] == [2, 2, 2, 1]
    assert [row["name"] for row in figure.data["after_nodes"]] == ["x1, x3", "x2, x5", "x4, x6", "x7"]
    assert {row["group"] for row in figure.data["after_nodes"]} == {0, 1}


def test_nodes_of_the_graph_do_not_lie_on_each_other():
    joint = random_joint(200, 60, 60)
    figure = confusability_figure(joint, Partition.singletons(200))
    places = np.array([[row["x"], row["y"]] for row in figure.data["before_nodes"]])
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    assert np.median(apart.min(axis=1)) >= 8


def test_components_are_laid_out_in_boxes_that_do_not_overlap():
    joint = random_joint(120, 90, 20)
    groups = components(joint)
    from hartley.measures.certain.confusability_graph import confusability_edges

    layout = laid_out(groups.clusters(), confusability_edges(joint), spacing=20, width=640)
    boxes = layout.boxes
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            assert (
                one.right <= other.left + 1e-9
                or other.right <= one.left + 1e-9
                or one.bottom <= other.top + 1e-9
                or other.bottom <= one.top + 1e-9
            )
    for members, box in zip(groups.clusters(), boxes, strict=True):
        inside = layout.places[members]
        assert (inside >= [box.left, box.top]).all()
        assert (inside <= [box.right, box.bottom]).all()


def test_a_layout_repeats_itself():
    joint = random_joint(60, 30, 30)
    one, other = (confusability_figure(joint, Partition.singletons(60)) for _ in range(2))
    assert one.spec == other.spec


def test_a_large_graph_is_summarised_by_its_groups():
    joint = random_joint(1_000, 900, 100)
    figure = confusability_figure(joint, Partition.whole(1_000))
    sizes = np.sort(components(joint).sizes)[::-1]
    assert [row["values"] for row in figure.data["before_groups"]] == sizes[:80].tolist()
    assert [row["values"] for row in figure.data["after_groups"]] == [1]
    assert "before_edges" not in figure.data


# The candidates


def test_the_histogram_counts_every_row_once():
    joint = random_joint(40, 25, 200)
    partition = Partition(np.arange(40) // 4)
    figure = candidates_figure(joint, partition)
    for name, measured in (("before", None), ("after", partition)):
        assert sum(row["rows"] for row in figure.data[name]) == joint.row_count
        counts = candidate_counts(joint, measured)
        assert {row["span"]: row["values"] for row in figure.data[name]} == {
            str(number): int((counts == number).sum()) for number in np.unique(counts)
        }
    assert [row["candidates"] for row in figure.data["fewest"]] == [
        int(candidate_counts(joint).min()),
        int(candidate_counts(joint, partition).min()),
    ]


def test_the_axis_of_candidates_names_each_whole_number_once():
    spec = candidates_figure(random_joint(6, 2, 9), Partition.whole(6)).spec
    axis = spec["vconcat"][1]["layer"][0]["encoding"]["x"]["axis"]
    assert axis["values"] == [1, 2]


def test_the_axis_of_candidates_ends_with_the_last_bar():
    joint = random_joint(60, 30, 240)
    spec = candidates_figure(joint, Partition.singletons(60)).spec
    scale = spec["vconcat"][1]["layer"][0]["encoding"]["x"]["scale"]
    assert scale["domain"][1] == candidate_counts(joint).max() + 0.5


def test_many_counts_share_bars():
    figure = candidates_figure(random_joint(30, 500, 9_000), Partition.whole(30))
    assert len(figure.data["before"]) <= 60
    assert figure.data["after"][-1]["end"] >= 500


# The recoding


def test_the_strip_shows_each_value_in_its_released_value():
    public = Alphabet.of_values([10, 20, 30, 45, None], ("weight",))
    figure = recoding_figure(public, Partition.from_clusters([[0, 2], [1, 3], [4]]))
    assert [(row["low"], row["high"], row["values"]) for row in figure.data["clusters"]] == [
        (10, 30, 2),
        (20, 45, 2),
    ]
    # Bars that cover each other stand in lanes of their own.
    assert [row["lane"] for row in figure.data["clusters"]] == [0, 1]
    assert sorted(row["place"] for row in figure.data["members"]) == [10, 20, 30, 45]
    assert len(figure.data["unchanged"]) == len(figure.data["missing"]) == 1
    assert figure.data["missing"][0]["place"] > 45


def test_dates_are_drawn_on_a_time_axis():
    days = [dt.date(2020, 1, day) for day in (1, 5, 9)]
    figure = recoding_figure(Alphabet.of_values(days, ("visit",)), Partition.whole(3))
    assert figure.data["clusters"][0]["low"] == dt.datetime(2020, 1, 1, tzinfo=dt.UTC).timestamp() * 1000
    assert "2020" in figure.svg() or "Jan" in figure.svg()


def test_words_are_drawn_in_their_order():
    figure = recoding_figure(
        Alphabet.of_values(["a", "b", "c"], ("pain",)), Partition.from_clusters([[0, 2], [1]])
    )
    assert [(row["low"], row["high"]) for row in figure.data["clusters"]] == [(0, 2)]


# Keeping a figure


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("html", b"<!doctype html>")],
)
def test_a_figure_is_kept_in_the_format_of_its_name(tmp_path, suffix, start):
    kept = frontier_figure(frontier(START, END)).save(tmp_path / f"figure.{suffix}")
    assert kept.read_bytes().startswith(start)


def test_the_page_loads_nothing():
    page = frontier_figure(frontier(START, END)).html()
    assert "src=" not in page.split("<script", 1)[0]
    assert "<script src" not in page
    assert "<link" not in page.split("<script", 1)[0]


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(OptionError, match=r"end the name in \.svg, \.png, \.pdf or \.html"):
        frontier_figure(frontier(START, END)).save(tmp_path / "figure.gif")


def test_two_figures_in_one_page_share_no_id():
    import re

    one, other = frontier_figure(frontier(START, END)).svg(), candidates_figure(toy(), MERGED).svg()
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (one, other)]
    assert not ids[0] & ids[1]


def test_a_caption_is_escaped_for_those_who_hear_it():
    joint = JointRange.from_codes(
        public_codes=np.array([0, 1]), sensitive_codes=np.array([0, 1]),
        public=Alphabet.of_values([1, 2], ('<b onload="x">',)),
    )  # fmt: skip
    svg = recoding_figure(joint.public, Partition.whole(2)).svg()
    assert "<b onload" not in svg


def test_missing_packages_are_named_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(InputError, match=r"pip install 'hartley\[figures\]'"):
        frontier_figure(frontier(START, END))
    assert frontier(START, END)._repr_html_() is None


def test_importing_the_figures_draws_nothing():
    program = (
        "import sys, hartley.report.figures; sys.exit('altair' in sys.modules or 'vl_convert' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


# Black and white


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_inks_stand_out_from_the_paper(theme):
    for ink in (theme.ink, theme.first, theme.second, theme.chosen):
        assert _contrast(ink, theme.paper) >= 4.5
    assert _contrast(theme.faint, theme.paper) >= 3


def test_cells_that_no_picture_can_hold_are_drawn_with_a_mark():
    joint = JointRange.from_pairs([("a\x00b", "s\x1f"), ("\ud800", "t"), ("c", "t\uffff")])
    drawn = joint_range_figure(joint, Partition.singletons(3)).svg()
    assert "\ufffd" in drawn
    assert "\x00" not in drawn
