import math
from itertools import count

import pytest
from numpy.random import default_rng

from baseline_tables import random_joint
from hartley.baselines import (
    BASELINES,
    Case,
    Hierarchy,
    NotApplicable,
    best_utility,
    candidates_needed,
    least_leakage,
)
from hartley.baselines.best_setting import BaselineAnswer
from hartley.errors import OptionError
from hartley.measures.overlap import maximin_information
from hartley.measures.uncertainty import distinct_l, max_uncertainty_reduction
from hartley.measures.utility import LineDistortion, Resolution, utility_of
from hartley.model import JointRange, Partition
from hartley.model.requirement import Requirement
from hartley.search.effort import Effort
from hartley.tables import Roles, open_table

pytest.importorskip("sklearn")

TABLE = random_joint(default_rng(11), 24, 9, 50)
UTILITIES = {"resolution": Resolution(24), "distortion": LineDistortion.of(TABLE.public)}
SEEKS_CERTAINTY_ONLY = "iac-overlap"
"""Ends as soon as nothing is certain, which leaves few candidates."""


def leaving(candidates):
    return [Requirement("distinct-l", candidates)]


@pytest.mark.parametrize("utility", UTILITIES.values(), ids=UTILITIES)
@pytest.mark.parametrize("name", BASELINES)
def test_what_is_found_meets_the_target(name, utility):
    answer = best_utility(name, Case(joint=TABLE, utility=utility), leaving(3))
    if name == SEEKS_CERTAINTY_ONLY:
        assert isinstance(answer, NotApplicable)
        assert "nothing it finds leaves 3 candidates" in answer.reason
        return
    assert isinstance(answer, BaselineAnswer)
    assert distinct_l(TABLE, answer.partition) >= 3
    assert answer.setting


@pytest.mark.parametrize("utility", UTILITIES.values(), ids=UTILITIES)
@pytest.mark.parametrize("name", BASELINES)
def test_nothing_certain_can_be_asked_of_all(name, utility):
    apart = JointRange.from_pairs([(x, x // 2) for x in range(24)])
    answer = best_utility(name, Case(joint=apart, utility=utility), [Requirement("istar", 0)])
    assert isinstance(answer, BaselineAnswer)
    assert maximin_information(apart, answer.partition) == 0


@pytest.mark.parametrize("utility", UTILITIES.values(), ids=UTILITIES)
@pytest.mark.parametrize("name", BASELINES)
def test_at_a_utility_the_least_leakage_of_a_method_is_no_more_than_before(name, utility):
    floor = utility_of(utility, Partition.from_clusters([range(x, x + 4) for x in range(0, 24, 4)]))
    answer = least_leakage(name, Case(joint=TABLE, utility=utility), floor)
    assert isinstance(answer, BaselineAnswer)
    assert utility_of(utility, answer.partition) >= floor
    assert max_uncertainty_reduction(TABLE, answer.partition) <= max_uncertainty_reduction(TABLE)


def test_a_bound_on_the_worst_case_is_the_number_of_candidates_that_says_the_same():
    for wanted in range(1, TABLE.sensitive.size + 1):
        bits = math.log2(TABLE.sensitive.size / wanted)
        assert candidates_needed(TABLE, [Requirement("l0", bits)]) == wanted
    assert candidates_needed(TABLE, [Requirement("istar", 1)]) is None
    assert candidates_needed(TABLE, [Requirement("distinct-l", 3), Requirement("row-k", 3)]) is None


def test_scanning_settings_takes_the_best_utility_of_all_that_hold():
    case = Case(joint=TABLE, utility=Resolution(24))
    answer = best_utility("bottleneck", case, leaving(3))
    chains = list(BASELINES["bottleneck"].chains(case, 3))
    every = [chain.at(step) for chain in chains for step in range(chain.length)]
    best = max(utility_of(case.utility, p) for p in every if distinct_l(TABLE, p) >= 3)
    assert utility_of(case.utility, answer.partition) == best


def test_least_leakage_is_the_least_of_all_moments():
    case = Case(joint=TABLE, utility=Resolution(24))
    floor = math.log2(24 / 6)
    answer = least_leakage("pairwise", case, floor)
    chains = list(BASELINES["pairwise"].chains(case, None))
    every = [chain.at(step) for chain in chains for step in range(chain.length)]
    least = min(max_uncertainty_reduction(TABLE, p) for p in every if utility_of(case.utility, p) >= floor)
    assert max_uncertainty_reduction(TABLE, answer.partition) == least


@pytest.mark.parametrize("name", ["pairwise", "privacy-funnel", "bottleneck", "clustering", "iac-mdsf"])
@pytest.mark.parametrize("utility", UTILITIES.values(), ids=UTILITIES)
def test_of_the_moments_that_leak_least_the_one_that_keeps_most_is_offered(name, utility):
    floor = utility_of(utility, Partition.from_clusters([[0, 1, 2], *([x] for x in range(3, 24))]))
    case = Case(joint=TABLE, utility=utility)
    offered = least_leakage(name, case, floor)
    moments = [
        (-max_uncertainty_reduction(TABLE, partition), utility_of(utility, partition), partition.size)
        for chain in BASELINES[name].chains(case, None)
        for partition in map(chain.at, range(chain.length))
        if utility_of(utility, partition) >= floor - 1e-9
    ]
    assert max(moments) == (
        -max_uncertainty_reduction(TABLE, offered.partition),
        utility_of(utility, offered.partition),
        offered.partition.size,
    )


def test_a_given_hierarchy_is_used():
    rows = [(x, "even" if x % 2 == 0 else "odd") for x in range(24)]
    tree = Hierarchy.of_rows(TABLE.public, rows)
    case = Case(joint=TABLE, utility=Resolution(24), hierarchies=(tree,))
    found = best_utility("full-domain", case, leaving(5))
    assert found.partition == tree.partition(1)


@pytest.mark.parametrize("name", BASELINES)
def test_what_nobody_can_meet_is_not_applicable(name):
    answer = best_utility(name, Case(joint=TABLE, utility=Resolution(24)), leaving(99))
    assert answer == NotApplicable(name, "no release meets the target")


def test_merging_what_has_no_distance_is_no_answer():
    joint = JointRange.from_pairs([(1, "a"), (2, "b"), (3, "c"), (4, "d"), (None, "a")])
    case = Case(joint=joint, utility=LineDistortion.of(joint.public))
    answer = best_utility("local-recoding", case, leaving(2))
    assert isinstance(answer, NotApplicable)
    assert "without a distance" in answer.reason


def test_a_table_that_is_too_large_for_a_method_is_refused_with_its_size():
    joint = JointRange.from_pairs([(x, x % 7) for x in range(1001)])
    answer = best_utility("iac-mdsf", Case(joint=joint, utility=Resolution(1001)), leaving(2))
    assert answer == NotApplicable(
        "iac-mdsf", "it is made for up to 1,000 public values, and there are 1,001"
    )


def test_a_utility_nothing_has_is_not_applicable():
    answer = least_leakage("mondrian", Case(joint=TABLE, utility=Resolution(24)), 99.0)
    assert answer == NotApplicable("mondrian", "nothing it finds has a utility of 99")


def test_a_stopped_scan_gives_the_best_so_far():
    asked = count()
    effort = Effort(should_stop=lambda: next(asked) > 200)
    whole = list(BASELINES["pairwise"].chains(Case(joint=TABLE, utility=Resolution(24)), None))
    answer = best_utility("pairwise", Case(joint=TABLE, utility=Resolution(24), effort=effort), leaving(2))
    assert isinstance(answer, BaselineAnswer)
    assert answer.setting in {chain.setting for chain in whole}


def test_unknown_names_are_refused():
    case = Case(joint=TABLE, utility=Resolution(24))
    with pytest.raises(OptionError, match="unknown method 'sweeney'"):
        best_utility("sweeney", case, leaving(2))
    with pytest.raises(OptionError, match="unknown leakage"):
        least_leakage("mondrian", case, 1.0, "joint")


def test_without_scikit_learn_the_outside_method_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    answer = best_utility("clustering", Case(joint=TABLE, utility=Resolution(24)), leaving(2))
    assert isinstance(answer, NotApplicable)
    assert "pip install scikit-learn" in answer.reason


def test_the_paper_s_target_on_the_hungarian_data(hungarian_heart):
    joint = open_table(hungarian_heart).joint_range(Roles(sensitive=("age",), public=("chol",))).joint
    case = Case(joint=joint, utility=Resolution(154))
    largest = {}
    for name in ("literal", "full-domain", "datafly", "local-recoding", "mondrian", "bottleneck", "pairwise"):
        answer = best_utility(name, case, leaving(5))
        assert distinct_l(joint, answer.partition) >= 5
        largest[name] = int(answer.partition.sizes.max())
    assert largest == {
        "literal": 151,
        "full-domain": 125,
        "datafly": 35,
        "local-recoding": 28,
        "mondrian": 9,
        "bottleneck": 18,
        "pairwise": 31,
    }
