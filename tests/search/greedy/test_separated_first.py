"""Algorithm 1 with a tolerance: its rule, its ties, and what it is without one; Algorithm 2 with links."""

from __future__ import annotations

import random

import numpy as np
import pytest

from enough_instances import joint_of, random_rows, spaced
from greedy_instances import random_joint, random_positions, small_size
from hartley.errors import InputError
from hartley.measures.overlap import linked_range, overlap_partition
from hartley.measures.uncertainty import distinct_l
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange
from hartley.model.closeness import Closeness
from hartley.model.requirement import Requirement
from hartley.search.effort import UNLIMITED, Effort
from hartley.search.greedy import component_joining, narrowest_first
from reference_requirements import Twin


def separated_first(joint, closeness, utility, effort=UNLIMITED):
    return narrowest_first(joint, utility, effort, closeness)


def random_utility(rng, joint):
    if rng.random() < 0.5:
        return Resolution(joint.public.size)
    positions = np.array(random_positions(rng, joint.public.size))
    return LineDistortion(positions, rng.choice(("midpoint", "member", "centroid")))


def test_a_tolerance_of_nothing_gives_the_merges_of_algorithm_1():
    rng = random.Random(91)
    for _ in range(300):
        joint = random_joint(rng, small_size(rng))
        utility = random_utility(rng, joint)
        found = separated_first(joint, Closeness.of({"sensitive": 0}), utility)
        assert found == narrowest_first(joint, utility)


def slow_run(joint, tolerance, cost):
    """The rule, word for word, on sets; ``cost`` is of a set of places."""
    shown = {
        place: {joint.sensitive.label(s) for s in joint.candidates(place)}
        for place in range(joint.public.size)
    }
    members = {place: [place] for place in shown}
    merges, ends = [], [0]
    while True:
        least = min(spaced(values, tolerance) for values in shown.values())
        waiting = [place for place in sorted(shown) if spaced(shown[place], tolerance) == least]
        while waiting:
            place = waiting.pop(0)
            others = [other for other in sorted(shown) if other != place]
            raising = [o for o in others if spaced(shown[place] | shown[o], tolerance) > least]
            allowed = raising or [o for o in others if shown[o] != shown[place]]
            allowed = [o for o in allowed if cost(members[place] + members[o]) < float("inf")]
            if not allowed and raising:
                allowed = [o for o in others if shown[o] != shown[place]]
            if not allowed:
                continue
            partner = min(allowed, key=lambda o: (cost(members[place] + members[o]), o))
            waiting = [other for other in waiting if other != partner]
            kept, joined = min(place, partner), max(place, partner)
            shown[kept] |= shown.pop(joined)
            members[kept] += members.pop(joined)
            merges.append((kept, joined))
        if len(merges) == ends[-1]:
            return merges, ends
        ends.append(len(merges))


def test_merges_follow_the_rule():
    rng = random.Random(92)
    for _ in range(250):
        joint = joint_of(random_rows(rng, rng.randint(1, 9), rng.randint(1, 7)))
        tolerance = rng.randint(1, 4)
        positions = joint.public.positions
        if rng.random() < 0.5:
            utility, cost = Resolution(joint.public.size), len
        else:
            utility = LineDistortion(positions)

            def cost(places, positions=positions):
                return float(np.ptp(positions[places])) / 2

        run = separated_first(joint, Closeness.of({"sensitive": tolerance}), utility)
        assert (run.merges, run.ends.tolist()) == slow_run(joint, tolerance, cost)


def test_the_number_never_falls_along_a_run_and_is_mostly_the_best():
    rng = random.Random(93)
    levels = best = 0
    for _ in range(150):
        rows = random_rows(rng, rng.randint(3, 6), rng.randint(3, 7))
        joint, tolerance = joint_of(rows), rng.randint(1, 3)
        closeness = Closeness.of({"sensitive": tolerance})
        run = separated_first(joint, closeness, Resolution(joint.public.size))
        steps = [run.partition(step) for step in range(run.steps + 1)]
        kept = [distinct_l(joint, partition, closeness) for partition in steps]
        assert kept == sorted(kept)
        for wanted in range(2, kept[-1] + 1):
            found = min(p.sizes.max() for p, k in zip(steps, kept, strict=True) if k >= wanted)
            levels += 1
            best += (
                found == Twin(rows, [Requirement("separated-l", wanted)], tolerance, "size").least_cost()[0]
            )
    assert best > 0.7 * levels


def test_a_merge_that_raises_nothing_is_made_where_none_raises():
    joint = joint_of([(1.0, 0), (2.0, 1), (3.0, 2)])
    run = separated_first(joint, Closeness.of({"sensitive": 1}), Resolution(3))
    # {0} and {2} are apart; {1} gains from neither alone, and joins what is left.
    assert run.merges == [(0, 2), (0, 1)]


def test_a_run_that_is_stopped_keeps_its_finished_steps():
    joint = joint_of([(float(x), x % 7) for x in range(60)])
    asked = iter(range(10_000))
    effort = Effort(should_stop=lambda: next(asked) > 20)
    run = separated_first(joint, Closeness.of({"sensitive": 2}), Resolution(60), effort)
    assert not run.complete
    whole = separated_first(joint, Closeness.of({"sensitive": 2}), Resolution(60))
    assert run.merges == whole.merges[: len(run.merges)]


def test_side_information_is_refused():
    joint = JointRange.from_pairs([(1, 1, "a"), (2, 2, "b")])
    with pytest.raises(InputError, match="side information"):
        separated_first(joint, Closeness.of({"sensitive": 1}), Resolution(2))


def test_algorithm_2_with_links_joins_the_components_under_a_tolerance():
    rng = random.Random(94)
    for _ in range(60):
        joint = joint_of(random_rows(rng, rng.randint(2, 9), rng.randint(2, 7)))
        closeness = Closeness.of({"sensitive": rng.randint(0, 2)})
        linked = linked_range(joint, closeness)[0]
        for utility in (Resolution(joint.public.size), LineDistortion.of(joint.public)):
            run = component_joining(linked, utility)
            left = [
                overlap_partition(joint, run.partition(step), closeness).size for step in range(run.steps + 1)
            ]
            assert left == list(range(left[0], 0, -1))
