"""Splitting clusters where it costs nothing, and guarding what is certain."""

from __future__ import annotations

import random

import numpy as np

from enough_instances import joint_of, random_requirements, random_rows
from hartley.measures.overlap import maximin_information, overlap_partition
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import Partition
from hartley.model.requirement import Requirement
from hartley.search.enough import Enough
from hartley.search.polish import components_stay, polished
from reference_requirements import Twin


def instance(rng, codeword):
    rows = random_rows(rng, rng.randint(2, 7), rng.randint(1, 5))
    joint = joint_of(rows)
    requirements, closeness, tolerance = random_requirements(rng, joint)
    utility = (
        Resolution(joint.public.size) if codeword == "size" else LineDistortion.of(joint.public, codeword)
    )
    return (
        joint,
        Enough.of(joint, requirements, closeness),
        utility,
        Twin(rows, requirements, tolerance, codeword),
    )


def test_no_cluster_of_a_polished_partition_splits_at_the_same_cost():
    rng = random.Random(61)
    for _ in range(400):
        codeword = rng.choice(("midpoint", "size", "member", "centroid"))
        joint, enough, utility, twin = instance(rng, codeword)
        size = twin.size
        start = Partition(np.array([rng.randrange(rng.randint(1, 3)) for _ in range(size)]))
        if not enough.is_met_by(start):
            continue
        found = polished(start, enough, utility, joint.public.positions)
        worst = utility.costs(start).max()
        assert found.refines(start)
        assert enough.is_met_by(found)
        assert utility.costs(found).max() <= worst
        if codeword in ("midpoint", "size"):
            for cluster in found.clusters():
                whole = sum(1 << value for value in cluster)
                parts = [s for s in range(1, whole) if s & whole == s]
                assert not any(twin.is_enough[s] and twin.is_enough[whole ^ s] for s in parts)


def test_a_split_can_raise_what_is_certain_and_the_guard_refuses_it():
    """{a, b} and {c, d} with two candidates each: split, they tell the two pairs apart."""
    joint = joint_of([(1.0, 1), (2.0, 2), (3.0, 3), (4.0, 4)])
    enough = Enough.of(joint, [Requirement("distinct-l", 2)])
    whole, utility = Partition.whole(4), Resolution(4)
    split = polished(whole, enough, utility)
    assert split.size == 2
    assert maximin_information(joint, split) == 1.0
    guarded = polished(whole, enough, utility, accepts=components_stay(joint, whole))
    assert guarded == whole


def test_guarded_splits_keep_the_components():
    rng = random.Random(62)
    for _ in range(100):
        joint, enough, utility, _ = instance(rng, "midpoint")
        start = Partition.whole(joint.public.size)
        if not enough.is_met_by(start):
            continue
        found = polished(start, enough, utility, accepts=components_stay(joint, start))
        assert overlap_partition(joint, found).size == overlap_partition(joint, start).size


def test_large_clusters_are_dealt_out():
    rows = [(float(x), x // 10) for x in range(40)]
    joint = joint_of(rows)
    enough = Enough.of(joint, [Requirement("distinct-l", 4)])
    # No cut in order keeps four values on both sides; dealing does.
    found = polished(Partition.whole(40), enough, Resolution(40), joint.public.positions)
    assert found.size > 1
    assert enough.is_met_by(found)
