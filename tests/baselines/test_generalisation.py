from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_baselines as reference
from baseline_tables import GOLDEN
from hartley.baselines import Hierarchy, datafly, literal_generalisation, local_recoding
from hartley.baselines.generalisation import ClassDemand, Generalisation
from hartley.errors import InputError, OptionError, UnreachableError
from hartley.measures.uncertainty import max_uncertainty_reduction
from hartley.measures.utility import Resolution, utility_of
from hartley.model import JointRange, Partition
from hartley.tables import Roles, open_table
from strategies import joint_ranges

HUNGARIAN = GOLDEN["hungarian_k5"]

with_or_without_side = st.booleans().flatmap(lambda side: joint_ranges(side=side))


def most(joint):
    return reference.count_of(joint, set(range(joint.public.size)), "distinct")


def released(found):
    """Give the clusters that are not suppressed."""
    gone = {int(found.partition.labels[place]) for place in found.suppressed}
    return [c for number, c in enumerate(found.partition.clusters()) if number not in gone]


@pytest.fixture(scope="module")
def chol(hungarian_heart):
    return open_table(hungarian_heart).joint_range(Roles(sensitive=("age",), public=("chol",))).joint


@pytest.mark.parametrize(
    ("variant", "search"),
    [
        ("literal", lambda joint, _: Generalisation(partition=literal_generalisation(joint, at_least=5))),
        (
            "datafly_distinct_no_suppression",
            lambda joint, tree: datafly(joint, at_least=5, hierarchies=tree, budget=0),
        ),
        (
            "datafly_distinct_suppress_le_k",
            lambda joint, tree: datafly(joint, at_least=5, hierarchies=tree, suppression="dropped"),
        ),
        (
            "datafly_distinct_suppress_5pct",
            lambda joint, tree: datafly(
                joint, at_least=5, hierarchies=tree, budget=joint.row_count // 20, suppression="dropped"
            ),
        ),
        (
            "local_recoding",
            lambda joint, tree: Generalisation(partition=local_recoding(joint, at_least=5, hierarchies=tree)),
        ),
    ],
)
def test_the_paper_s_comparison_on_the_hungarian_data(chol, variant, search):
    golden = HUNGARIAN[variant]
    tree = [Hierarchy.of_intervals(chol.public, width=5)]
    found = search(chol, tree)
    clusters = released(found)
    assert len(clusters) == golden["clusters"]
    assert max(map(len, clusters)) == golden["max_cluster"]
    assert min(reference.count_of(chol, set(c), "distinct") for c in clusters) == golden["k_distinct"]
    assert min(reference.count_of(chol, set(c), "records") for c in clusters) == golden["k_records"]
    assert found.suppressed_rows(chol) == golden["suppressed_records"]
    assert log(max(map(len, clusters))) / log(154) == pytest.approx(golden["util_loss_log"], abs=1e-9)
    if "width" in golden:
        assert 5 * 2 ** (found.levels[0] - 1) == golden["width"]
    if not found.suppressed:
        assert max_uncertainty_reduction(chol, found.partition) == pytest.approx(golden["L0"])
        assert utility_of(Resolution(154), found.partition) == pytest.approx(golden["U1"])


def test_the_width_a_column_has_by_itself_is_the_golden_one(chol):
    assert Hierarchy.of_column(chol.public) == Hierarchy.of_intervals(chol.public, width=5)


@given(with_or_without_side, st.data())
def test_everything_released_meets_the_demand(joint, data):
    k = data.draw(st.integers(1, most(joint)))
    budget = data.draw(st.integers(0, joint.row_count))
    for found in (
        literal_generalisation(joint, at_least=k),
        local_recoding(joint, at_least=k),
        datafly(joint, at_least=k, budget=budget).partition,
    ):
        assert not ClassDemand(k).failing(joint, found).any()
    dropped = datafly(joint, at_least=k, budget=budget, suppression="dropped")
    assert released(dropped)
    assert min(reference.count_of(joint, set(c), "distinct") for c in released(dropped)) >= k
    assert dropped.suppressed_rows(joint) <= budget


@given(with_or_without_side, st.data())
def test_demand_counts_as_the_definition_says(joint, data):
    labels = data.draw(st.lists(st.integers(0, 3), min_size=joint.public.size, max_size=joint.public.size))
    partition = Partition(np.array(labels))
    expected = [reference.count_of(joint, set(c), "distinct") for c in partition.clusters()]
    assert ClassDemand(1).counts(joint, partition).tolist() == expected


@given(with_or_without_side, st.data())
def test_datafly_equals_its_twin_and_its_level_is_the_lowest_that_fits(joint, data):
    k = data.draw(st.integers(1, most(joint)))
    budget = data.draw(st.integers(0, 4))
    tree = Hierarchy.of_intervals(joint.public, width=1)
    found = datafly(joint, at_least=k, hierarchies=[tree], budget=budget, suppression="dropped")
    levels, classes, left_over = reference.datafly(joint, [tree.words], k, budget)
    assert list(found.levels) == levels
    assert sorted(found.suppressed) == sorted(x for c in left_over for x in c)
    assert sorted(map(sorted, released(found))) == sorted(sorted(c) for c in classes if c not in left_over)
    for lower in range(found.levels[0]):
        failing = ClassDemand(k).failing(joint, tree.partition(lower))
        rows = reference.rows_of(joint, np.flatnonzero(failing[tree.partition(lower).labels]).tolist())
        assert rows > budget or failing.all()


@given(with_or_without_side, st.data())
def test_a_level_that_needs_no_suppression_is_followed_by_such_levels(joint, data):
    k = data.draw(st.integers(1, most(joint)))
    tree = Hierarchy.of_intervals(joint.public, width=1)
    needs = [bool(ClassDemand(k).failing(joint, tree.partition(v)).any()) for v in range(tree.height + 1)]
    assert needs == sorted(needs, reverse=True)


def test_datafly_raises_the_column_with_the_most_words():
    rows = [((colour, age), f"{colour}{age}") for colour in ("red", "blue") for age in range(10, 18)]
    joint = JointRange.from_pairs(rows)
    words = [
        Hierarchy.of_column(joint.public, column=0),
        Hierarchy.of_intervals(joint.public, width=2, column=1),
    ]
    found = datafly(joint, at_least=4, hierarchies=words, budget=0)
    levels, classes, _ = reference.datafly(joint, [tree.words for tree in words], 4, 0)
    # Ages of 8, 4, 3, then 2 words: now colour has as many, comes first, and rises.
    assert list(found.levels) == levels == [1, 3]
    assert found.partition == Partition.from_clusters(classes)


def test_a_starred_class_takes_in_the_smallest_class_until_it_meets_the_demand():
    joint = JointRange.from_pairs(
        [(1, "a"), (11, "a"), (11, "b"), (12, "c"), (21, "d"), (22, "e"), (31, "f"), (31, "g"), (31, "h")]
    )
    tree = [Hierarchy.of_intervals(joint.public, width=10)]
    found = datafly(joint, at_least=2, hierarchies=tree, budget=1)
    assert [joint.public.label(place) for place in found.suppressed] == [1, 21, 22]
    dropped = datafly(joint, at_least=2, hierarchies=tree, budget=1, suppression="dropped")
    assert [joint.public.label(place) for place in dropped.suppressed] == [1]


@given(with_or_without_side, st.data())
def test_local_recoding_equals_its_twin_and_its_clusters_are_words_of_the_hierarchy(joint, data):
    k = data.draw(st.integers(1, most(joint)))
    tree = Hierarchy.of_intervals(joint.public, width=1)
    partition = local_recoding(joint, at_least=k, hierarchies=[tree])
    assert partition == reference.local_recoding(joint, tree.words, k)
    nodes = [c for level in range(tree.height + 1) for c in tree.partition(level).clusters()]
    assert all(cluster in nodes for cluster in partition.clusters())


@given(joint_ranges(), st.data())
def test_literal_merges_what_is_too_rare_and_no_more_than_it_must(joint, data):
    k = data.draw(st.integers(1, most(joint)))
    partition = literal_generalisation(joint, at_least=k)
    rare = {x for x in range(joint.public.size) if reference.count_of(joint, {x}, "distinct") < k}
    large = [set(c) for c in partition.clusters() if len(c) > 1]
    if len(rare) > 1:
        assert len(large) == 1
        assert rare <= large[0]
        if reference.count_of(joint, rare, "distinct") >= k:
            assert large[0] == rare


def test_literal_takes_in_the_smallest_class_when_the_rare_ones_are_too_few():
    joint = JointRange.from_pairs(
        [("a", 1), ("b", 1), ("c", 1), ("c", 2), ("c", 3), ("d", 1), ("d", 2), ("e", 3), ("e", 4)]
    )
    found = literal_generalisation(joint, at_least=2)
    assert found == Partition.from_clusters([[0, 1, 3], [2], [4]])


@pytest.mark.parametrize("search", [literal_generalisation, datafly, local_recoding])
def test_what_no_release_can_meet_is_refused_with_what_can(search):
    joint = JointRange.from_pairs([(1, "a"), (2, "b"), (3, "b")])
    with pytest.raises(UnreachableError, match="the most that can be reached is 2"):
        search(joint, at_least=4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at_least": 0}, "give 1 or more"),
        ({"at_least": 2, "budget": -1}, "cannot be negative"),
        ({"at_least": 2, "suppression": "hidden"}, "unknown suppression"),
    ],
)
def test_options_without_meaning_are_refused(options, message):
    joint = JointRange.from_pairs([(1, "a"), (2, "b"), (3, "b")])
    with pytest.raises(OptionError, match=message):
        datafly(joint, **options)


def test_a_hierarchy_of_another_alphabet_is_refused():
    joint = JointRange.from_pairs([(1, "a"), (2, "b"), (3, "b")])
    other = Hierarchy.of_column(JointRange.from_pairs([(1, "a"), (2, "b")]).public)
    for search in (datafly, local_recoding):
        with pytest.raises(InputError, match="one hierarchy each"):
            search(joint, at_least=2, hierarchies=[other])
