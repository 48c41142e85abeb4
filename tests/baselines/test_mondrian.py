import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_baselines as reference
from hartley.baselines.generalisation import ClassDemand
from hartley.baselines.mondrian import CUTS, mondrian
from hartley.errors import OptionError, UnreachableError
from hartley.model import JointRange, Partition
from strategies import joint_ranges


@given(
    st.booleans().flatmap(lambda side: joint_ranges(max_public=10, side=side)),
    st.sampled_from(CUTS),
    st.data(),
)
def test_it_equals_its_twin_on_a_line_and_every_box_counts_enough(joint, cut, data):
    k = data.draw(st.integers(1, reference.count_of(joint, set(range(joint.public.size)), "distinct")))
    found = mondrian(joint, at_least=k, cut=cut)
    assert not ClassDemand(k).failing(joint, found).any()
    assert found == reference.mondrian_on_a_line(joint, k, cut)


def table_of_two(rng: np.random.Generator) -> JointRange:
    ages, towns = rng.integers(20, 60, 60).tolist(), rng.choice(["Ada", "Bex", "Cam", "Dov"], 60).tolist()
    rows = zip(zip(ages, towns, strict=True), rng.integers(0, 12, 60).tolist(), strict=True)
    return JointRange.from_pairs(rows)


@pytest.mark.parametrize("seed", range(5))
def test_boxes_of_two_columns_count_enough_and_do_not_overlap(seed):
    joint = table_of_two(np.random.default_rng(seed))
    found = mondrian(joint, at_least=3)
    assert found.size > 1
    assert not ClassDemand(3).failing(joint, found).any()
    labels = joint.public.labels()
    boxes = [
        (min(labels[x][0] for x in c), max(labels[x][0] for x in c), min(labels[x][1] for x in c),
         max(labels[x][1] for x in c)) for c in found.clusters()
    ]  # fmt: skip
    for x, (age, town) in enumerate(labels):
        inside = [b for b, (a, z, f, t) in enumerate(boxes) if a <= age <= z and f <= town <= t]
        assert inside == [found.labels[x]]


def test_the_widest_column_is_cut_first():
    rows = [((x, y), f"{x}{y}") for x in (0, 10) for y in (0, 1, 2, 3)]
    rows += [((5, 9), "other"), ((5, 10), "others")]
    # Both span their whole range; the first is cut, at the median of its rows.
    found = mondrian(JointRange.from_pairs(rows), at_least=4)
    assert found == Partition.from_clusters([[0, 1, 2, 3], [4, 5, 6, 7, 8, 9]])


def test_missing_cells_are_cut_off_first():
    joint = JointRange.from_pairs([(1, "a"), (2, "b"), (90, "c"), (91, "d"), (None, "e"), (None, "f")])
    assert mondrian(joint, at_least=2) == Partition.from_clusters([[0, 1], [2, 3], [4]])
    assert mondrian(joint, at_least=3) == Partition.from_clusters([[0, 1, 2], [3, 4]])


def test_the_nearest_allowed_cut_goes_on_where_the_median_stops():
    pairs = [(1, "a"), (1, "b"), (2, "b"), (3, "a"), (4, "a"), (5, "a"), (6, "a"), (7, "a")]
    joint = JointRange.from_pairs(pairs)
    assert mondrian(joint, at_least=2, cut="median").size == 1
    assert mondrian(joint, at_least=2, cut="nearest") == Partition.from_clusters([[0], [1, 2, 3, 4, 5, 6]])


def test_positions_that_are_given_decide_the_order():
    pairs = [("u", 1), ("v", 2), ("w", 3), ("x", 4)]
    joint = JointRange.from_pairs(pairs, positions={"u": 0.0, "v": 9.0, "w": 1.0, "x": 8.0})
    assert mondrian(joint, at_least=2) == Partition.from_clusters([[0, 2], [1, 3]])


def test_bad_calls_are_refused():
    joint = JointRange.from_pairs([(1, "a"), (2, "b")])
    with pytest.raises(OptionError, match="unknown cut"):
        mondrian(joint, at_least=1, cut="middle")
    with pytest.raises(UnreachableError, match="the most that can be reached is 2"):
        mondrian(joint, at_least=3)
