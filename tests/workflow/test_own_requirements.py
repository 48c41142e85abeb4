"""A requirement of one's own: a class that says what counts as one sensitive value; every search keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import hartley
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.closeness import NO_CLOSENESS, Closeness, SensitiveCodes
from sample_sizes import sample
from strategies import joint_ranges


@pytest.fixture
def parities() -> Iterator[type[hartley.Requirement]]:
    class Remainders(hartley.Requirement, kind="remainders-l"):
        """At least so many different remainders by 3 among the sensitive values."""

        examples = ("remainders-l=2",)

        def codes(self, sensitive: Alphabet, closeness: Closeness = NO_CLOSENESS) -> SensitiveCodes:
            del closeness
            remainder = np.array([label % 3 for label in sensitive.labels()])
            codes = np.unique(remainder, return_inverse=True)[1]
            return SensitiveCodes(codes, np.arange(1, codes.max() + 2))

    yield Remainders
    del hartley.Requirement.kinds["remainders-l"]


def least_cost(joint: JointRange, utility: hartley.Utility, wanted: int) -> float:
    best = inf
    for partition in Partition.all(joint.public.size):
        released = joint.release(partition)
        if all(
            len({joint.sensitive.label(int(code)) % 3 for code in released.candidates(at)}) >= wanted
            for at in range(released.observations)
        ):
            best = min(best, float(utility.costs(partition).max()))
    return best


@settings(
    max_examples=sample(25, 200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(joint_ranges(max_public=5))
def test_few_values_keep_it_at_the_least_cost_of_all_partitions(parities, joint):
    size = joint.public.size
    spread = hartley.OwnUtility(size, lambda members: members[-1] - members[0], grows=True)
    for utility in (Resolution(size), LineDistortion(np.arange(size) ** 2.0), spread):
        best = least_cost(joint, utility, 2)
        if best == inf:
            with pytest.raises(hartley.UnreachableError):
                hartley.solve(joint, require=parities("remainders-l", 2), utility=utility)
            continue
        found = hartley.solve(joint, require=parities("remainders-l", 2), utility=utility)
        cost = found.largest_cluster if found.max_distortion is None else found.max_distortion
        assert cost == pytest.approx(best)
        assert found.proven_optimal


@pytest.mark.parametrize("kind", ["size", "line", "own"])
@pytest.mark.parametrize("search", ["optimal", "greedy"])
def test_many_values_keep_it_too(parities, kind, search):
    joint = JointRange.from_pairs((value, (value * 7) % 11) for value in range(24))
    utility = {
        "size": Resolution(24),
        "line": LineDistortion(np.arange(24.0)),
        "own": hartley.OwnUtility(24, lambda members: members[-1] - members[0], grows=True),
    }[kind]
    found = hartley.solve(joint, require=parities("remainders-l", 3), utility=utility, search=search)
    released = joint.release(found.partition)
    left = [
        len({joint.sensitive.label(int(code)) % 3 for code in released.candidates(at)})
        for at in range(released.observations)
    ]
    assert min(left) == 3
    assert found.clusters > 1 or search == "greedy"


def test_it_is_typed_and_audited_like_any_other(parities):
    del parities
    joint = JointRange.from_pairs([("a", 0), ("a", 3), ("b", 1)])
    found = hartley.audit(joint, require="remainders-l=2")
    assert [(one.name, one.found, one.holds) for one in found.requirements] == [("remainders-l", 1, False)]
    with pytest.raises(hartley.OptionError, match="whole number"):
        hartley.audit(joint, require={"remainders_l": 0})


def test_it_needs_no_words_of_its_own_and_a_release_says_why_it_cannot_keep_it(parities, tmp_path):
    assert parities("remainders-l", 2).sentence(["age"]) == "remainders-l of at least 2"
    table = {"x": [1, 2, 3, 4], "s": [0, 1, 3, 4]}
    with pytest.raises(hartley.HartleyError, match="requirement remainders-l: there is no way to count it"):
        hartley.release(
            pa.table(table), tmp_path / "out.csv", sensitive="s", public="x", require={"remainders_l": 2}
        )
    assert list(tmp_path.iterdir()) == []
