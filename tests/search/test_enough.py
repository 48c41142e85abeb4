"""What is enough: the layout, the window that keeps count, and the best that can be reached."""

from __future__ import annotations

import random

import numpy as np
import pytest

from enough_instances import (
    holds,
    joint_of,
    joint_of_two,
    most_apart,
    random_requirements,
    random_rows,
    spaced,
)
from hartley.errors import InputError, UnreachableError
from hartley.model import JointRange, Partition
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.enough import Enough
from hartley.search.enough_loops import cells_of_codes, latest_separated_starts
from sample_sizes import sample


def test_the_rule_from_the_left_counts_a_largest_set_that_is_apart():
    rng = random.Random(1)
    for _ in range(500):
        values = [rng.choice((*range(12), None)) for _ in range(rng.randint(1, 6))]
        tolerance = rng.randint(0, 5)
        assert spaced(values, tolerance) == most_apart(values, tolerance)


def test_a_set_is_enough_exactly_where_the_definitions_say_so():
    rng = random.Random(2)
    for _ in range(600):
        rows = random_rows(rng, rng.randint(1, 7), rng.randint(1, 6), missing=True)
        joint = joint_of(rows)
        requirements, closeness, tolerance = random_requirements(rng, joint)
        enough = Enough.of(joint, requirements, closeness)
        members = rng.sample(range(joint.public.size), rng.randint(1, joint.public.size))
        inside = {joint.public.label(place) for place in members}
        values = [s for x, s in rows if x in inside]
        assert enough.is_enough(members) is holds(requirements, values, tolerance)


def test_a_partition_is_met_where_each_of_its_clusters_is_enough():
    rng = random.Random(4)
    for _ in range(300):
        joint = joint_of(random_rows(rng, rng.randint(2, 9), rng.randint(1, 6), missing=True))
        requirements, closeness, _ = random_requirements(rng, joint)
        enough = Enough.of(joint, requirements, closeness)
        partition = Partition(np.array([rng.randrange(3) for _ in range(joint.public.size)]))
        assert enough.is_met_by(partition) is all(map(enough.is_enough, partition.clusters()))


def test_two_sensitive_columns_are_counted_together_and_by_themselves():
    rng = random.Random(3)
    for _ in range(200):
        joint = joint_of_two(rng, rng.randint(1, 5))
        closeness = Closeness.of({"x": 2}, {"kind": {"a": "g", "b": "g", "c": "h"}})
        wanted = [("separated-l", None), ("separated-l", "x"), ("separated-l", "kind"), ("distinct-l", "x")]
        enough = Enough.of(joint, [Requirement(name, 1, column) for name, column in wanted], closeness)
        members = rng.sample(range(joint.public.size), rng.randint(1, joint.public.size))
        shown = {joint.sensitive.label(s) for place in members for s in joint.candidates(place)}
        kinds = {"a": "g", "b": "g", "c": "h"}
        together = sum(
            spaced([x for x, kind in shown if kinds[kind] == group], 2) for group in set(kinds.values())
        )
        numbers = [x for x, _ in shown]
        expected = [together, spaced(numbers, 2), len({kinds[k] for _, k in shown}), len(set(numbers))]
        assert enough.found_by(enough.counts_of(members)) == expected


def slow_latest_starts(enough):
    latest = []
    for end in range(enough.size):
        starts = [start for start in range(end + 1) if enough.is_enough(range(start, end + 1))]
        latest.append(max(starts, default=-1))
    return latest


def test_windows_end_where_the_slow_twin_says():
    rng = random.Random(5)
    for _ in range(sample(200, 2000)):
        if rng.random() < 0.7:
            joint = joint_of(random_rows(rng, rng.randint(1, 14), rng.randint(1, 12), missing=True))
            requirements, closeness, _ = random_requirements(rng, joint)
        else:
            joint = joint_of_two(rng, rng.randint(1, 10))
            closeness = Closeness.of({"x": rng.randint(0, 3)})
            requirements = [
                Requirement("separated-l", rng.randint(1, 5)),
                Requirement("separated-l", rng.randint(1, 3), "x"),
                Requirement("distinct-l", rng.randint(1, 3), "kind"),
            ]
        enough = Enough.of(joint, requirements, closeness)
        assert enough.latest_starts().tolist() == slow_latest_starts(enough)
        for count in range(len(enough.wanted)):
            alone = enough.of_count(count)
            assert by_cells(alone) == slow_latest_starts(alone)


def by_cells(enough, loop=latest_separated_starts):
    """The latest starts of one count, by cells of codes also where all codes are apart."""
    cell_of, begins = cells_of_codes(enough.next_code)
    wanted = int(enough.wanted[0])
    found = loop(enough.value_ptr, enough.value_code, cell_of, begins, enough.next_code, wanted)
    return found.tolist()


def test_wide_alphabets_compiled_and_interpreted_alike():
    """Codes are spread over many words of the bit sets, and windows hold hundreds of them."""
    rng = np.random.default_rng(4)
    size, width = 150, 2000
    joint = JointRange.from_codes(
        public_codes=np.concatenate((np.arange(size), rng.integers(size, size=width))),
        sensitive_codes=np.concatenate((rng.integers(width, size=size), np.arange(width))),
    )
    for tolerance, wanted in ((3, 2), (40, 19), (30, 60), (7, 150), (900, 3), (1, 700)):
        requirements = [Requirement("separated-l", wanted), Requirement("row-k", 4)]
        enough = Enough.of(joint, requirements, Closeness.of({"sensitive": tolerance}))
        found = enough.latest_starts().tolist()
        alone = enough.of_count(0)
        assert by_cells(alone) == by_cells(alone, latest_separated_starts.compiled)
        for end in (0, 50, 100, size - 1):
            start = found[end]
            assert start < 0 or enough.is_enough(range(start, end + 1))
            assert start == end or not enough.is_enough(range(start + 1, end + 1))


def test_bits_of_l0_are_a_number_of_candidates():
    joint = joint_of([(float(x), x) for x in range(8)])
    enough = Enough.of(joint, [Requirement("l0", 1.5), Requirement("distinct-l", 2)])
    assert enough.wanted.tolist() == [3]
    assert Enough.of(joint, [Requirement("l0", 2.0)]).wanted.tolist() == [2]


def test_no_requirement_is_met_by_every_cluster():
    joint = joint_of([(1.0, 1), (2.0, 2)])
    enough = Enough.of(joint, [])
    assert enough.is_met_by(Partition.singletons(2))
    assert enough.latest_starts().tolist() == [0, 1]


def test_side_information_and_istar_are_refused():
    joint = JointRange.from_pairs([(1, 1, "a"), (2, 2, "b")])
    with pytest.raises(InputError, match="side information"):
        Enough.of(joint, [Requirement("distinct-l", 2)])
    with pytest.raises(InputError, match="istar"):
        Enough.of(joint.without_side(), [Requirement("istar", 0)])


def test_what_cannot_be_reached_is_said_for_each_requirement():
    joint = joint_of([(1.0, 41), (2.0, 42), (3.0, 45), (3.0, 45)])
    requirements = [Requirement("separated-l", 3), Requirement("distinct-l", 4), Requirement("row-k", 4)]
    enough = Enough.of(joint, requirements, Closeness.of({"sensitive": 2}))
    assert enough.best_reachable() == [2, 3, 4]
    with pytest.raises(UnreachableError, match=r"separated-l=3 \(at most 2\) and distinct-l=4 \(at most 3\)"):
        enough.require_reachable()
    assert enough.best_reachable([[2]]) == [1, 1, 2]


def test_taking_some_values_keeps_what_they_hold():
    rng = random.Random(9)
    joint = joint_of(random_rows(rng, 8, 5))
    enough = Enough.of(joint, [Requirement("distinct-l", 2)])
    places = np.array([5, 2, 7])
    taken = enough.take(places)
    for members in ([0], [0, 2], [1, 2]):
        assert taken.counts_of(members).tolist() == enough.counts_of(places[members]).tolist()
